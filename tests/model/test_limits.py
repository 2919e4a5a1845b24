"""Limits of a description become margins; the angles are checked by geometry written here."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import loads

TEXT = """
format: 1
name: limited
platform: {mass: 5, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.2}}
templates:
  ups:
    chain:
      - name: hip
        type: universal
        axes: [[1, 0, 0], [0, 1, 0]]
        limits: {cone: 35 deg}
        body: {mass: 1, center_of_mass: [0, 0, 0.2], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.001}}
      - name: slide
        type: prismatic
        drive: {stroke: [0.4, 0.9], speed_limit: 0.5, force_limit: 100 N}
        limits: {upper: 0.85, speed: 0.8}
        body: {mass: 0.5, center_of_mass: [0, 0, -0.2], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.001}}
    cut: {type: spherical, limits: {cone: 40 deg}}
home: {pose: {position: [0, 0, 0.6]}}
legs:
"""


@pytest.fixture(scope="module")
def model() -> gough.Model:
    legs = []
    for k in range(6):
        a, b = np.deg2rad(60 * k + (8 if k % 2 else -8)), np.deg2rad(60 * k + (-22 if k % 2 else 22))
        legs.append(
            f"  - like: ups\n    base: {{position: [{0.5 * np.cos(a)}, {0.5 * np.sin(a)}, 0]}}\n"
            f"    on_platform: {{position: [{0.25 * np.cos(b)}, {0.25 * np.sin(b)}, 0]}}\n"
        )
    return gough.build(loads(TEXT + "".join(legs)))


def test_every_stated_limit_is_there(model):
    names = model.limit_margins(model.home, np.zeros(6), np.zeros(6)).names
    wanted = (
        "hip cone",
        "slide upper",
        "slide stroke lower",
        "slide stroke upper",
        "slide speed",
        "slide force",
        "ball",
    )
    per_leg = [n for n in names if n.startswith("leg0.")]
    assert len(per_leg) == len(wanted)
    assert all(any(w.split()[-1] in n for n in per_leg) for w in wanted[:-1])


def test_margins_are_the_geometry(model):
    q = model.configuration(coordinates={"x": 0.05, "z": 0.62, "roll": 0.1})
    limits = model.limit_margins(q)
    margins = dict(zip(limits.names, limits.margins, strict=True))
    R = Rotation.from_euler("x", 0.1).as_matrix()
    for k, leg in enumerate(model.robot.legs):
        tip = np.array([0.05, 0, 0.62]) + R @ np.array(leg.on_platform.position)
        line = tip - np.array(leg.base.position)
        length = np.linalg.norm(line)
        assert margins[f"leg{k}.slide upper"] == pytest.approx(0.85 - length, abs=1e-12)
        assert margins[f"leg{k}.slide stroke lower"] == pytest.approx(length - 0.4, abs=1e-12)
        # The hip's normal is the leg itself here, so its tilt is the angle to the vertical.
        tilt = np.arccos(line[2] / length)
        assert margins[f"leg{k}.hip cone"] == pytest.approx(np.deg2rad(35) - tilt, abs=1e-9)
        ball = np.arccos(line @ R[:, 2] / length)
        assert margins[f"leg{k}.cut cone"] == pytest.approx(np.deg2rad(40) - ball, abs=1e-9)


def test_violations_are_named(model):
    limits = model.limit_margins(model.configuration(coordinates={"z": [0.6, 0.9]}), tau=np.full(6, 150.0))
    assert "leg0.slide upper" in limits.violated() and "leg0.slide force" in limits.violated()
    assert not limits.within.any()
    assert model.limit_margins(model.configuration(coordinates={"z": 0.6})).within
