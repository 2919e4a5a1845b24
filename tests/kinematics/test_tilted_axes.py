"""A planar loop whose angles a file has rounded: refused with its tilt and a tolerance, with which it is what was meant."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.errors import StructureError

BARS = {"crank": 0.2, "coupler": 0.35, "rocker": 0.3}
BASE = 0.25
REMEDY = re.compile(r"closure_tolerance=([\d.e-]+)\)")


def four_bar(digits: int | None, seed: int) -> str:
    """URDF+ of a four-bar whose links have axes of their own, all turned at random; digits behind the point, None for all."""
    rng = np.random.default_rng(seed)
    axes = {name: Rotation.from_quat(rng.normal(size=4)) for name in ("base", *BARS)}
    """Of the plane's axes those of a link."""

    def told(x: Any) -> str:
        return " ".join(repr(float(v)) if digits is None else f"{v:.{digits}f}" for v in x)

    def origin(rotation: Rotation, at: Any) -> str:
        yaw, pitch, roll = rotation.as_euler("ZYX")
        return f'<origin xyz="{told(at)}" rpy="{told([roll, pitch, yaw])}"/>'

    parts = ['<robot name="four_bar"><link name="base"/>']
    for name, length in BARS.items():
        center = told(axes[name].inv().apply([length / 2, 0, 0]))
        moments = 'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"'
        inertial = f'<inertial><origin xyz="{center}"/><mass value="1"/><inertia {moments}/></inertial>'
        parts.append(f'<link name="{name}">{inertial}</link>')
    chain = [("motor", "base", "crank", 0.0, 1.2), ("elbow", "crank", "coupler", BARS["crank"], -1.0)]
    for joint, parent, child, at, angle in [*chain, ("foot", "base", "rocker", BASE, 1.4)]:
        back = axes[parent].inv()
        place = origin(back * Rotation.from_euler("z", angle) * axes[child], back.apply([at, 0, 0]))
        axis = told(axes[child].inv().apply([0, 0, 1]))
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        parts.append(f'<joint name="{joint}" type="continuous">{ends}{place}<axis xyz="{axis}"/></joint>')
    ends = [origin(axes[n].inv(), axes[n].inv().apply([BARS[n], 0, 0])) for n in ("coupler", "rocker")]
    sides = f'<predecessor link="coupler">{ends[0]}</predecessor><successor link="rocker">{ends[1]}</successor>'
    parts.append(f'<loop name="pin" type="revolute">{sides}<axis xyz="0 0 1"/></loop>')
    parts.append('<transmission name="t"><joint name="motor"/><actuator name="m"/></transmission></robot>')
    return "\n".join(parts)


def built(file: Path, **options: Any) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(gough.load(file, **options))


def forces(model: gough.Model, angles: np.ndarray) -> np.ndarray:
    q = np.array([model.configuration(drives=[angle]) for angle in angles])
    ones = np.ones((len(q), 1))
    return model.inverse_dynamics(q, 1.3 * ones, 0.7 * ones).tau[:, 0]


@pytest.mark.quick_cases("6-0")
@pytest.mark.parametrize(("digits", "seed"), [(3, 0), (4, 3), (6, 0), (8, 3)])
def test_a_rounded_planar_loop_says_its_tilt_and_works_with_the_tolerance_it_names(tmp_path, digits, seed):
    file, whole = tmp_path / "rounded.urdf", tmp_path / "whole.urdf"
    file.write_text(four_bar(digits, seed))
    whole.write_text(four_bar(None, seed))
    with pytest.raises(StructureError, match=r"deg out of parallel") as caught:
        built(file)
    remedy = REMEDY.search(str(caught.value))
    assert remedy is not None and "--closure-tolerance" in str(caught.value)
    exact, model = built(whole), built(file, closure_tolerance=float(remedy[1]))
    assert model.mobility == exact.mobility == 1
    angles = exact.home[0] + np.linspace(-0.8, 0.8, 5)
    wanted = forces(exact, angles)
    assert np.abs(forces(model, angles) - wanted).max() < 100 * 10.0**-digits * np.abs(wanted).max()


def test_the_tilt_is_the_one_that_is_there(tmp_path):
    text = four_bar(None, 1)
    roll = re.search(r'name="elbow".*?rpy="([^" ]+)', text)
    assert roll is not None
    file = tmp_path / "tilted.urdf"
    file.write_text(text.replace(roll[1], repr(float(roll[1]) + 1e-5)))
    with pytest.raises(StructureError) as caught:
        built(file)
    told = re.search(r"the axes of \w+ and \w+ are ([\d.e-]+) deg out of parallel", str(caught.value))
    assert told is not None and np.radians(float(told[1])) <= 1.01e-5


def test_in_sdf_too(tmp_path):
    whole = tmp_path / "whole.urdf"
    whole.write_text(four_bar(None, 2))
    file = tmp_path / "four_bar.sdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gough.save(gough.load(whole), file)

    def rounded(found: re.Match[str]) -> str:
        return f"<pose>{' '.join(f'{float(x):.6f}' for x in found[1].split())}</pose>"

    file.write_text(re.sub(r"<pose>(.*?)</pose>", rounded, file.read_text()))
    with pytest.raises(StructureError, match=r"deg out of parallel") as caught:
        built(file)
    remedy = REMEDY.search(str(caught.value))
    assert remedy is not None
    model, exact = built(file, closure_tolerance=float(remedy[1])), built(whole)
    tau = [m.inverse_dynamics(m.home, [1.3], [0.7]).tau[0] for m in (model, exact)]
    assert tau[0] == pytest.approx(tau[1], rel=1e-4)
