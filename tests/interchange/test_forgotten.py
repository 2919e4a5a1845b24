"""A file that forgets a loop, or has a passive joint about a wrong axis, is told: it would load as another mechanism."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import gough
from interchange.reading import remarks
from interchange.urdf_files import OWN, four_bar, joint, link, robot, write

EFFORT = '<limit lower="-3" upper="3" effort="20" velocity="4"/>'
Z = '<axis xyz="0 0 1"/>'
CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.45


def closed_at_zero(end_of_rocker: float = ROCKER) -> str:
    """A four-bar whose frames are those of its closed pose, crank up: both ends lie on each other where all joints are at 0.
    By the triangle of coupler, rocker and the way from the crank's end to the rocker's foot."""
    x, y = GROUND, -CRANK
    way = np.hypot(x, y)
    apart = np.arccos((COUPLER**2 + way**2 - ROCKER**2) / (2 * COUPLER * way))
    coupler = np.arctan2(y, x) + apart
    ends = COUPLER * np.array([np.cos(coupler), np.sin(coupler)]) - [x, y]
    rng = np.random.default_rng(1)
    return robot(
        link("base"),
        *(link(name, rng) for name in ("crank", "coupler", "rocker")),
        link("end_a"),
        link("end_b"),
        joint("motor", "revolute", "base", "crank", f'rpy="0 0 {np.pi / 2}"', Z + EFFORT),
        joint("elbow", "continuous", "crank", "coupler", f'xyz="{CRANK} 0 0" rpy="0 0 {coupler - np.pi / 2}"', Z),
        joint(
            "foot", "continuous", "base", "rocker", f'xyz="{GROUND} 0 0" rpy="0 0 {np.arctan2(ends[1], ends[0])}"', Z
        ),
        joint("at_a", "fixed", "coupler", "end_a", f'xyz="{COUPLER} 0 0"'),
        joint("at_b", "fixed", "rocker", "end_b", f'xyz="{end_of_rocker} 0 0"'),
    )


def test_ends_that_lie_on_each_other_are_told(tmp_path: Path) -> None:
    said = remarks(write(tmp_path, closed_at_zero()))
    assert "'end_a' lies on 'end_b' where all joints are at 0, and nothing joins them" in said
    assert "state it under `loops:` of made.loops.yaml" in said and "made.urdf:" in said
    assert "lies on" not in remarks(write(tmp_path, closed_at_zero(ROCKER + 1e-3)))
    closed = write(
        tmp_path,
        "loops: [{name: pin, type: revolute, first: {body: end_a}, second: {body: end_b}}]\ndrives: [motor]\n",
        "l.yaml",
    )
    assert "lies on" not in remarks(write(tmp_path, closed_at_zero()), loops=closed)


def test_ends_that_meet_at_the_stated_home_are_told(tmp_path: Path) -> None:
    """The file's four-bar, at the angles that close it."""
    home = gough.build(gough.load(write(tmp_path, four_bar()), loops=write(tmp_path, OWN, "l.yaml")))
    index = home.layout.index
    angles = ", ".join(f"{n}: {float(home.home[index(n)])!r}" for n in ("motor", "elbow", "foot"))
    beside = write(tmp_path, f"drives: [motor]\nhome: {{joints: {{{angles}}}}}\n", "l.yaml")
    assert "'end_a' lies on 'end_b' at home" in remarks(write(tmp_path, four_bar()), loops=beside)


def test_fingers_that_touch_are_no_loop(tmp_path: Path) -> None:
    """Two slides from one hand, whose links have one origin: no loop of two joints moves."""
    rng = np.random.default_rng(2)
    fingers = [
        joint(f"j_{n}", "prismatic", "hand", n, 'xyz="0 0 0.058"', f'<axis xyz="0 {s} 0"/>{EFFORT}')
        for n, s in (("left", 1), ("right", -1))
    ]
    text = robot(link("hand", rng), link("left", rng), link("right", rng), *fingers)
    assert "lies on" not in remarks(write(tmp_path, text))


def test_joints_without_an_effort_in_a_tree_without_motors_are_told(tmp_path: Path) -> None:
    said = remarks(write(tmp_path, closed_at_zero(ROCKER + 0.1)))
    assert re.search(
        r"without an effort, while joints that carry them have one: elbow, foot;.* all joints are driven", said
    )
    for other in (
        closed_at_zero(ROCKER + 0.1).replace(EFFORT, ""),
        closed_at_zero(ROCKER + 0.1)
        .replace('type="continuous"', 'type="revolute"')
        .replace(f"{Z}</joint>", f"{Z}{EFFORT}</joint>"),
    ):
        assert "without an effort" not in remarks(write(tmp_path, other))
    named = write(tmp_path, "drives: [motor]\n", "l.yaml")
    assert "without an effort" not in remarks(write(tmp_path, closed_at_zero(ROCKER + 0.1)), loops=named)


def test_wheels_without_an_effort_beside_an_arm_are_none_of_a_loop(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    wheels = [
        p
        for k in range(4)
        for p in (link(f"w{k}", rng), joint(f"roll{k}", "continuous", "base", f"w{k}", f'xyz="{k} 0 0"'))
    ]
    arm = [link("arm", rng), joint("lift", "revolute", "base", "arm", "", Z + EFFORT)]
    assert "without an effort" not in remarks(write(tmp_path, robot(link("base", rng), *wheels, *arm)))


def told(folder: Path, urdf: str, loops: str) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gough.build(gough.load(write(folder, urdf), loops=write(folder, loops, "l.yaml")))
    return " ".join(str(w.message) for w in caught)


def test_a_chain_that_no_loop_holds_is_told(tmp_path: Path) -> None:
    said = told(tmp_path, four_bar(), "drives: [motor]\n")
    assert "idle freedoms" in said and "at the end of their chains: is one forgotten?" in said
    assert "forgotten" not in told(tmp_path, four_bar(), OWN)


def test_drives_beyond_the_freedoms_of_a_file_are_told(tmp_path: Path) -> None:
    redundant = OWN.replace("[mot*]", "[motor, foot]")
    assert "2 drives (motor, foot) for 1 freedom, in a file that does not say how they share" in told(
        tmp_path, four_bar(), redundant
    )
    assert "for 1 freedom" not in told(tmp_path, four_bar(), redundant + "drive_sharing: least_norm\n")
    assert "for 1 freedom" not in told(tmp_path, four_bar(), OWN)


def test_an_axis_unlike_the_others_of_its_loop_is_named(tmp_path: Path) -> None:
    text = four_bar()
    elbow = text.index('name="elbow"')
    wrong = text[:elbow] + text[elbow:].replace('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>', 1)
    with pytest.raises(
        gough.StructureError, match="the axis of elbow is not parallel to the others of loop pin, which all are"
    ):
        told(tmp_path, wrong, OWN)


def test_a_tolerance_that_is_named_for_rounded_angles_works(tmp_path: Path) -> None:
    """A planar loop that a ball closes has as many equations as it holds: it was said to be locked, without a word of angles."""
    text = robot(
        link("base"),
        *(link(name, np.random.default_rng(4)) for name in ("crank", "coupler", "rocker")),
        joint("motor", "revolute", "base", "crank", 'rpy="1.5707963267948966 0 0"', Z + EFFORT),
        joint("elbow", "continuous", "crank", "coupler", 'xyz="0.2 0 0" rpy="1.5708 0 0"', '<axis xyz="0 -1 0"/>'),
        joint("heel", "continuous", "base", "rocker", 'xyz="0.45 0 0" rpy="1.5707963267948966 0 0"', Z),
    )
    ends = (
        "first: {body: coupler, pose: {position: [0.5, 0, 0]}}, second: {body: rocker, pose: {position: [0.4, 0, 0]}}"
    )
    ball = f"{{name: knee, type: spherical, {ends}}}"
    loops = f"loops: [{ball}]\ndrives: [motor]\nhome: {{joints: {{motor: 60 deg, elbow: 35 deg, heel: 75 deg}}}}\n"
    file, beside = write(tmp_path, text), write(tmp_path, loops, "l.yaml")
    with pytest.raises(gough.StructureError) as problem:
        gough.build(gough.load(file, loops=beside))
    named = re.search(r"gough\.load\(…, closure_tolerance=([\d.e-]+)\)", str(problem.value))
    assert named and "out of parallel" in str(problem.value)
    model = gough.build(gough.load(file, loops=beside, closure_tolerance=float(named[1])))
    assert model.mobility == 1
