"""Motions in YAML and CSV: the same as in Python; every problem with its place."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import motions
from gough.errors import UsageError
from gough.robot import DescriptionError, loads
from gough.simulation.motion._items import FAMILIES
from papers.library import model
from simulation.motion_family import POSES
from simulation.sliders import ARM

HEAD = "format: 1\nname: test\nmotion:\n"


def read(text, **options):
    return motions.read_motion(HEAD + text, "test.yaml", **options).motion


def same(a, b):
    t = np.linspace(0, a.duration, 57)
    assert (a.kind, a.names, a.frame, a.extend) == (b.kind, b.names, b.frame, b.extend)
    assert np.array_equal(a.breaks, b.breaks)
    for x, y in zip(vars(a.at(t)).values(), vars(b.at(t)).values(), strict=True):
        assert np.array_equal(x, y)


WRITTEN = {
    "  quintic: {drives: {a: [0, 12 mm], b: [0, 30 deg]}, durations: 800 ms, rests: [0.5 s, 0], extend: hold}": lambda: (
        motions.quintic(
            drives={"a": [0, 0.012], "b": [0, 30 * (np.pi / 180)]}, durations=0.8, rests=[0.5, 0], extend="hold"
        )
    ),
    "  quintic: {poses: [{position: [0, 0, 1]}, {position: [50 mm, 0, 1], rpy_zyx: [30 deg, 0, 0]}], times: [0, 2]}": lambda: (
        motions.quintic(poses=[POSES[0], {"position": [0.05, 0, 1], "rpy_zyx": ["30 deg", 0, 0]}], times=[0, 2])
    ),
    "  trapezoid: {joints: {a: [0, 1, 0]}, durations: [1, 2], speeds: [1.5, 0.75]}": lambda: motions.trapezoid(
        joints={"a": [0, 1, 0]}, durations=[1, 2], speeds=[1.5, 0.75]
    ),
    "  trigonometric: {points: [[0, 0, 0], [1 cm, 0, 0]], frame: tip, durations: 1}": lambda: motions.trigonometric(
        points=[[0, 0, 0], [0.01, 0, 0]], frame="tip", durations=1
    ),
    "  circle: {drives: {a: 0, b: 10 mm}, radius: 5 mm, duration: 2, turns: 3, start_angle: 90 deg}": lambda: (
        motions.circle(drives={"a": 0, "b": 0.01}, radius=0.005, duration=2, turns=3, start_angle=np.pi / 2)
    ),
    "  square: {pose: {position: [0, 0, 1]}, side: 0.1, durations: 1 s, law: trapezoid, ramps: 0.2 s}": lambda: (
        motions.square(pose=POSES[0], side=0.1, durations=1, law="trapezoid", ramps=0.2)
    ),
    "  spline: {drives: {a: [0, 1, 0.5]}, times: [0, 1, 2 s], degree: 5, ends: rest}": lambda: motions.spline(
        drives={"a": [0, 1, 0.5]}, times=[0, 1, 2], degree=5
    ),
    "  {quintic: {drives: {a: [0, 1]}, durations: 1}, slower: 2.5}": lambda: motions.quintic(
        drives={"a": [0, 1]}, durations=1
    ).slower(2.5),
    "  - hold: 0.5 s\n  - quintic: {drives: {a: [0, 1]}, durations: 1}\n  - hold: 250 ms": lambda: motions.quintic(
        drives={"a": [0, 1]}, durations=1, rests=[0.5, 0.25]
    ),
    "  lopes_p1p2p1": lambda: motions.named_motion("lopes_p1p2p1"),
}


@pytest.mark.parametrize("text", list(WRITTEN))
def test_a_file_is_the_function_call(text):
    same(read(text), WRITTEN[text]())


def test_home_is_the_robot_s(tmp_path):
    robot = model("pedrammehr2012")
    text = "  quintic: {poses: [{}, {position: [0, 0, 10 mm]}], offsets_from: home, durations: 1}"
    found = read(text, model=robot).at(1.0).position
    assert np.allclose(found[:3], robot.home_pose[:3] + [0, 0, 0.01])
    with pytest.raises(DescriptionError, match="'home' needs a robot"):
        read(text)
    path = tmp_path / "motion.yaml"
    path.write_text(HEAD + text)
    assert np.array_equal(gough.load_motion(path, robot).at(1.0).position, found)


def test_every_problem_with_its_place():
    text = """format: 1
nam: test
motion:
  - quintic:
      poses: [{position: [0, 0, 1]}, {position: [0, 0 kg, 1], rpy_zyx: [1, 2]}]
      duration: 1
  - hold: -1 s
  - cubic: {}
  - trapezoid: {drives: {a: [0, x]}, durations: [1, -1], ramps: 0.2, law: smooth}
"""
    with pytest.raises(DescriptionError) as caught:
        motions.read_motion(text, "bad.yaml")
    said = str(caught.value)
    for line, place, word in (
        (2, "nam", "did you mean 'name'"),
        (5, "motion[0].quintic.poses[1].position[1]", "another dimension"),
        (5, "motion[0].quintic.poses[1].rpy_zyx", "2 entries instead of 3"),
        (6, "motion[0].quintic.duration", "did you mean 'durations'"),
        (7, "motion[1].hold", "negative"),
        (8, "motion[2].cubic", "unknown key 'cubic'"),
        (9, "motion[3].trapezoid.drives.a[1]", "not a number"),
        (9, "motion[3].trapezoid.durations[1]", "negative"),
        (9, "motion[3].trapezoid.law", "unknown key"),
    ):
        assert any(s.startswith(f"bad.yaml:{line}: {place}: ") and word in s for s in said.splitlines()), (place, said)


BAD = {
    "durations: 3 given for 1 moves": "  quintic: {drives: {a: [0, 1]}, durations: [1, 2, 3]}",
    "no motion of this name": "  lopes",
    "not a motion": "  3",
    "2 motions (quintic, circle)": "  {quintic: {}, circle: {}}",
    "begins elsewhere": "  - quintic: {drives: {a: [0, 1]}, durations: 1}\n  - quintic: {drives: {a: [0, 1]}, durations: 1}",
    "a list without a motion": "  - hold: 1 s",
    "zero": "  {quintic: {drives: {a: [0, 1]}, durations: 1}, slower: 0}",
    "give times, or a file": "  spline: {drives: {a: [0, 1]}}",
    "no such file": "  spline: {file: nowhere.csv}",
    "not beside file": "  spline: {file: nowhere.csv, times: [0, 1]}",
    "required key is missing": "  circle: {pose: {}, duration: 1}",
}


@pytest.mark.parametrize("message", list(BAD))
def test_what_is_refused(message):
    with pytest.raises(DescriptionError, match=r"test\.yaml:\d+: motion.*" + re.escape(message)):
        read(BAD[message])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("- 1", "not a mapping"),
        ("format: 2\nmotion: lopes_p1p2p1", "format: 1"),
        ("format: 1", "'motion'"),
    ],
)
def test_documents_that_are_none(text, message):
    with pytest.raises(DescriptionError, match=message):
        motions.read_motion(text)


JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    ".nan",
    10**400,
    "x",
    "12 mm",
    "1 s",
    "home",
    "rest",
    [],
    {},
    [0],
    [0, 0, 1],
    [None],
]
JUNK += [
    ["1 s", 2],
    [[0, 0, 0], [1, 1, 1]],
    [{}, {"position": [0, 0, 1]}],
    {"a": [0, 1]},
    {"a": 0, "b": 1},
    {"a": [0, None]},
]


@pytest.mark.parametrize("family", list(FAMILIES))
def test_junk(family, rng):
    """Whatever stands under a family, the answer is a motion or a DescriptionError with lines."""
    keys = FAMILIES[family].written_keys()
    for _ in range(60):
        chosen = rng.permutation(keys)[: rng.integers(1, 5)]
        data = {str(key): JUNK[rng.integers(len(JUNK))] for key in chosen}
        try:
            motions.read_motion(json.dumps({"format": 1, "motion": {family: data}}).replace('".nan"', ".nan"))
        except DescriptionError as error:
            assert all(problem.line and problem.path for problem in error.problems)  # noqa: PT017


@pytest.mark.parametrize("family", list(FAMILIES))
def test_every_key_is_described(family):
    keys = set(FAMILIES[family].written_keys()) - {"source"}
    pages = [Path(__file__).parents[2] / "docs" / name for name in ("motions.md", "motion_files.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert not {key for key in {family, *keys} if not re.search(rf"`[^`\n]*\b{key}\b[^`\n]*`", text)}


def csv(tmp_path, text):
    path = tmp_path / "samples.csv"
    path.write_text(text)
    return path


def test_csv_of_drives(tmp_path):
    path = csv(tmp_path, "# slides\nt [ms], q11 [mm], q21 [deg]\n0, 0, 0\n\n500, 20, 90\n1000, 10, 45\n")
    found = motions.spline_file(path, degree=5)
    same(found, motions.spline(drives={"q11": np.array([0, 20, 10]) * 1e-3, "q21": np.array([0, 90, 45]) * (np.pi / 180)},
                               times=np.array([0, 500, 1000]) * 1e-3, degree=5))  # fmt: skip
    assert motions.spline_file(path, kind="joints").kind == "joints"
    file = tmp_path / "motion.yaml"
    file.write_text(HEAD + "  spline: {file: samples.csv, degree: 5}")
    same(gough.load_motion(file), found)


def test_csv_of_poses_and_points(tmp_path):
    path = csv(tmp_path, "t,x,y,z,qw,qx,qy,qz\n0,0,0,1,1,0,0,0\n1,0.1,0,1,0.9848,0.1736,0,0\n")
    assert np.allclose(motions.spline_file(path).at(1.0).position, [0.1, 0, 1, 0.9848, 0.1736, 0, 0], atol=1e-4)
    path = csv(tmp_path, "t,x [mm],y,z,yaw [deg],pitch,roll\n0,0,0,1,0,0,0\n1,100,0,1,0,0,0.5\n")
    assert np.allclose(motions.spline_file(path, frame="tool").at(1.0).position[3:], [np.cos(0.25), np.sin(0.25), 0, 0])
    path = csv(tmp_path, "t,x,y,z\n0,0,0,1\n1,1,0,1\n")
    assert motions.spline_file(path, frame="tool").kind == "point"


BAD_CSV = {
    "an empty file": "",
    ":1: no column t": "time,a\n0,1\n",
    ":1: columns named twice: a": "t,a,a\n0,1,1\n",
    ":1: column x is in kg": "t,x [kg],y,z\n0,0,0,0\n",
    ":1: column a: unknown unit": "t,a [furlong]\n0,0\n",
    ":1: 'a [mm' is no column": "t,a [mm\n0,0\n",
    ":3: 1 cells for 2 columns": "t,a\n0,0\n1\n",
    ":3: column a: 'one' is not a number": "t,a\n0,0\n1,one\n",
    ":3: column a: nan is not a finite": "t,a\n0,0\n1,nan\n",
    "they must rise": "t,a\n0,0\n0,1\n",
    "a motion needs at least 2": "t,a\n0,0\n",
    "give x y z with qw": "t,x,y,z,yaw\n0,0,0,0,0\n1,0,0,0,0\n",
    "of length 2": "t,x,y,z,qw,qx,qy,qz\n0,0,0,0,2,0,0,0\n1,0,0,0,1,0,0,0\n",
    "name the frame": "t,x,y,z\n0,0,0,0\n1,0,0,0\n",
}


@pytest.mark.parametrize("message", list(BAD_CSV))
def test_bad_csv(tmp_path, message):
    with pytest.raises(UsageError, match=r"samples\.csv.*" + re.escape(message)):
        motions.spline_file(csv(tmp_path, BAD_CSV[message]))


def moved(slide, pin, **more):
    return motions.quintic(drives={"slide": slide, "pin": pin}, durations=1, **more)


def late(tmp_path):
    """Motions of a robot that slides and turns, in wrong units, made where it is not known."""
    (tmp_path / "motion.yaml").write_text(HEAD + "  quintic: {drives: {slide: [0, 1], pin: [0, 3 mm]}, durations: 1}")
    plain = moved([0, 0], [0, 1])
    return {
        "3 mm is a length, and pin is an angle": gough.load_motion(tmp_path / "motion.yaml"),
        "4 mm is a length, and pin is an angle": moved([0, 1], [0, "4 mm"]).slower(2),
        "5 deg is an angle, and slide is a length": plain.then(moved([0, "5 deg"], [1, 0])),
        "6 mm is a length, and pin is an angle": moved([0, 1], ["6 mm", 0]).hold(1),
        "mm is a length, and pin is an angle": motions.spline_file(csv(tmp_path, "t,pin [mm],slide\n0,0,0\n1,1,1\n")),
    }


def test_units_are_remembered_until_the_robot_is_known(tmp_path):
    arm = gough.build(loads(ARM))
    for said, motion in late(tmp_path).items():
        for ask in (
            lambda made: gough.check_motion(arm, made),
            lambda made: gough.laws.drives_of(arm, made),
            lambda made: gough.simulate(arm, made),
            lambda made: gough.simulate(arm, made, gough.laws.JointPD(1, 1)),
        ):
            with pytest.raises(UsageError, match=said):
                ask(motion)
    joints = motions.quintic(joints={"slide": [0, 1], "pin": ["1 m", 0]}, durations=1)
    with pytest.raises(UsageError, match="1 m is a length, and pin is an angle; write rad or deg"):
        gough.check_motion(arm, joints)
    with pytest.raises(UsageError, match="7 deg is an angle, and slide before it is a length"):
        moved([0, "1 mm"], [0, 1]).then(moved([0.001, "7 deg"], [1, 0]))
    good = moved([0, "12 mm"], ["30 deg", 0]).then(moved([0.012, 0], [0, "1 rad"]))
    assert good.units == ("m", "rad")
    along = gough.laws.drives_of(arm, good)
    assert np.allclose(along.at([0.0, 1.0, 2.0]).position, [[0, np.pi / 6], [0.012, 0], [0, 1]], atol=1e-15)


def test_forces_in_units_of_the_drives():
    arm = gough.build(loads(ARM))
    for units, said in (
        (("N", "N"), "N is a force, and pin is a torque"),
        (("N.m", ""), "N.m is a torque, and slide is a force"),
    ):
        forces = gough.laws.forces([0, 1], [[0, 0], [1, 1]], names=("slide", "pin"), units=units)
        with pytest.raises(UsageError, match=said):
            gough.simulate(arm, forces)
    with pytest.raises(UsageError, match="give 'N' or 'N m', not 'kN'"):
        gough.laws.forces([0, 1], [[0, 0], [1, 1]], units=("kN", "N m"))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_example_of_a_family_is_a_motion_around_home(family):
    """Of any robot with a platform; it begins where its keys say, within 20 mm of home, and a hexapod can do it."""
    text = motions.motion_examples()[family]
    robot = model("long2014" if family == "quiet" else "pedrammehr2012")
    made = motions.read_motion(f"format: 1\nmotion:\n  {family}: {text}\n", model=robot).motion
    away = np.linalg.norm(made.at(np.linspace(0, made.duration, 50)).position[:, :3] - robot.home_pose[:3], axis=1)
    assert 5e-3 < away.max() < 0.03
    if family != "quiet":
        assert gough.check_motion(robot, made, samples=21, forces=False).unreached == 0
