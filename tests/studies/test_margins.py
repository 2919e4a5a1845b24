"""Margins to stated limits: beside `model.limit_margins` of robots that are described and built again."""

import numpy as np
import pytest

import gough

from .rebuilding import UNEVEN, built, closed_at, rebuilt_slope

SLIDER = """
format: 2
name: slider
variables: {crank: 0.1 m, rod: 0.3 m, way: 0.4 m}
bodies:
  - {name: wheel, mass: 1.0}
  - {name: link, mass: 0.5}
  - {name: piston, mass: 2.0}
joints:
  - {name: motor, type: revolute, parent: world, child: wheel, axis: [0, 0, 1], drive: {}}
  - {name: pin, type: revolute, parent: wheel, child: link, axis: [0, 0, 1], pose: {position: [crank, 0, 0]}}
  - name: slide
    type: prismatic
    parent: world
    child: piston
    axis: [1, 0, 0]
    limits: {lower: way/10, upper: way, speed: 2*way/1 s}
loops:
  - {name: wrist, type: revolute, first: {body: link, pose: {position: [rod, 0, 0]}}, second: {body: piston}, axis: [0, 0, 1]}
home: {joints: {motor: 60 deg, slide: 0.3}}
velocities: [motor]
"""


def test_the_way_of_a_slider() -> None:
    """x = r cos a + sqrt(l² - r² sin² a), and its speed x_a ω: in closed form, bounds that move included."""
    model = built(SLIDER)
    found = gough.sensitivity(model, "margin:slide", by="variables", v=[1.3])
    a, r, l, w = np.radians(60), 0.1, 0.3, 1.3
    s, c, root = np.sin(a), np.cos(a), np.sqrt(l**2 - (r * np.sin(a)) ** 2)
    by_crank, by_rod = c - r * s**2 / root, l / root
    rate = -r * s * w * (1 + r * c / root)
    rate_by_crank = -s * w - w * s * c * (2 * r / root + r**3 * s**2 / root**3)
    rate_by_rod = r**2 * s * c * w * l / root**3
    assert found.names == ("slide lower", "slide upper", "slide speed") and found.units == ("m", "m", "m/s")
    x = r * c + root
    assert np.allclose(found.values, [x - 0.04, 0.4 - x, 0.8 - abs(rate)], rtol=1e-12)
    truth = [[by_crank, by_rod, -0.1], [-by_crank, -by_rod, 1.0], [rate_by_crank, rate_by_rod, 2.0]]
    assert np.allclose(found.derivatives, truth, rtol=1e-11)


@pytest.mark.slow
def test_an_uneven_hexapod_built_again() -> None:
    model = built(UNEVEN)
    rng = np.random.default_rng(4)
    q = model.integrate(model.home, 0.1 * rng.normal(size=6), 1.0)
    v, a = 0.3 * rng.normal(size=6), rng.normal(size=6)

    def measure(made: gough.Model) -> np.ndarray:
        there = closed_at(made, q)
        return made.limit_margins(there, v, made.unlocked.inverse_dynamics(there, v, a).tau).margins

    found = gough.sensitivity(model, "margin", q, v=v, acceleration=a)
    assert np.abs(found.values - measure(model)).max() < 1e-12
    for name in model.variables.names:
        truth = rebuilt_slope(model, name, measure, 1.0 if name != "push" else 200.0)
        size = np.abs(found.derivatives).max(axis=1)
        assert (np.abs(found[name] - truth) <= 1e-8 * np.maximum(size, 1.0)).all(), name


@pytest.mark.slow
def test_the_pose_of_a_platform_that_drives_lead() -> None:
    """Limits of a platform: its x, y, z and angles follow from the drives."""
    text = UNEVEN.replace("limits: {z:", "limits: {yaw: [-cone, cone], pitch: [null, 0.5], z:")
    text += "velocities: [leg0.slide, leg1.slide, leg2.slide, leg3.slide, leg4.slide, leg5.slide]\n"
    model = built(text)
    names = "margin:platform.yaw,platform.pitch,platform.z,leg0.hip cone"
    found = gough.sensitivity(model, names, by=["wide", "ball", "cone", "shortest"])
    kept = [k for k, name in enumerate(model.limit_margins(model.home).names) if name in found.names]
    assert len(kept) == 5
    for name in found.by:
        truth = rebuilt_slope(
            model, name, lambda made: made.limit_margins(closed_at(made, model.home)).margins[kept], 1.0
        )
        assert np.abs(found[name] - truth).max() < 1e-8 * np.abs(found.derivatives).max(), name


def test_margins_without_a_slope_are_refused() -> None:
    model = built(SLIDER.replace("    limits: {lower: way/10, upper: way, speed: 2*way/1 s}\n", ""))
    with pytest.raises(gough.UsageError, match="states no limits"):
        gough.sensitivity(model, "margin")
    level = built(UNEVEN.replace("[0.02, -0.03, 0.75], rpy_zyx: [0.1, 0.05, -0.08]", "[0, 0, 0.75]"))
    with pytest.raises(gough.UsageError, match=r"no limit of 'leg9.hip'"):
        gough.sensitivity(level, "margin:leg9.hip")
    still = built(SLIDER)
    assert gough.sensitivity(still, "margin:slide speed").derivatives.tolist() == [[0.0, 0.0, 2.0]]
    with pytest.raises(gough.UsageError, match="is exactly 0 there"):  # a tilt about an axis through the slide
        gough.sensitivity(built("three_prs"), "margin:leg0.slide speed", v=[0.0, 1e-3, 0.0], by=["lift"])
