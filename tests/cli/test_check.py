import math
import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import gough as library
from cli.command import gough, gough_json


@pytest.fixture
def description(tmp_path):
    """A copy of a gallery file with one change: (path, line of the change)."""

    def make(old, new, name="lopes_simplified"):
        text = (resources.files("gough.robot") / "gallery" / f"{name}.yaml").read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "robot.yaml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return path, text[: text.index(old)].count("\n") + 1

    return make


def test_good(description):
    path, _ = description("title:", "title:")
    out, _ = gough("check", path)
    assert "good" in out and "6 freedoms, 6 drives" in out
    report = gough_json("check", path)
    assert report["valid"] and report["problems"] == [] and report["model"]["drives"] == 6


def test_typo_in_a_key_has_its_line(description):
    path, line = description("platform:\n  mass:", "platform:\n  mas:")
    out, _ = gough("check", path, code=1)
    assert f"{path}:{line + 1}: platform.mas: unknown key 'mas', did you mean 'mass'?" in out
    report = gough_json("check", path, code=1)
    assert not report["valid"] and report["model"] is None
    assert ("platform.mas", line + 1) in [(p["path"], p["line"]) for p in report["problems"]]


def test_all_problems_at_once(description):
    path, _ = description("format: 1", "format: 1\nplatfrom: {}\ngravity: [0, 0]")
    problems = gough_json("check", path, code=1)["problems"]
    assert len(problems) >= 2
    assert {"platfrom", "gravity"} <= {p["path"].split("[")[0] for p in problems}


def test_not_yaml(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("format: 1\nname: [unclosed\n")
    out, _ = gough("check", path, code=1)
    assert "not YAML" in out and f"{path}:" in out


def test_warnings_are_listed():
    out, _ = gough("check", "pedrammehr2012")
    assert out.count("warning: pedrammehr2012.yaml:") == 3
    assert "good, 3 warnings" in out


def test_a_structure_that_cannot_be_modelled(description):
    path, _ = description("drive: {}", "friction: {}")
    out, _ = gough("check", path, code=1)
    assert "drive" in out and "1 problem" in out


@pytest.mark.slow
def test_home_out_of_reach(description):
    path, _ = description("pose: {position: [0, 0, 2]}", "pose: {position: [9, 0, 2]}")
    out, _ = gough("check", path, code=1)
    assert "home configuration cannot be assembled" in out


def test_singular_home_is_a_warning(tmp_path):
    import numpy as np

    from gough.robot import dump
    from gough.robots import hexapod

    angles = np.radians(np.arange(6) * 60.0)
    ring = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    robot = hexapod(
        ring, 0.5 * ring, platform={"mass": 1.0}, home=[0, 0, 1], name="similar"
    )  # singular everywhere flat
    dump(robot, tmp_path / "similar.yaml")
    out, _ = gough("check", tmp_path / "similar.yaml")
    assert "warning:" in out and "parallel singularity" in out


def test_missing_file(tmp_path):
    out, err = gough("check", tmp_path / "nowhere.yaml", code=2)
    assert out == "" and "nowhere.yaml" in err and len(err.splitlines()) == 1


def test_bad_description_in_other_commands(description):
    path, line = description("platform:\n  mass:", "platform:\n  mas:")
    out, err = gough("show", path, code=2)
    assert out == "" and f"{path}:{line + 1}" in err


def test_not_text(tmp_path):
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00\x80")
    out, err = gough("check", path, code=1)
    assert "UTF-8" in out + err


CRANK = """
format: 1
name: crank
gravity: [0, 0, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.1, 0, 0]}
  - {name: rod, mass: 1, center_of_mass: [0.3, 0, 0]}
  - {name: slide, mass: 1}
joints:
  - {name: A, type: revolute, parent: world, child: crank}
  - {name: B, type: revolute, parent: crank, child: rod, pose: {position: [0.2, 0, 0]}}
  - {name: X, type: prismatic, axis: [1, 0, 0], parent: world, child: slide, drive: {}}
loops:
  - {name: C, type: revolute, axis: [0, 0, 1], first: {body: rod, pose: {position: [0.6, 0, 0]}}, second: {body: slide}}
velocities: [A]
home: {joints: {A: ANGLE, B: TILT}}
"""


@pytest.mark.parametrize("angle", [0.01, 0.4])
def test_a_home_near_dead_centre_is_doubted(tmp_path, angle):
    """A slide drives its crank by dx/dA = -r sin A (1 + r cos A / √(l² - r² sin² A)), over the robot's size: small near A = 0."""
    path = tmp_path / "crank.yaml"
    path.write_text(
        CRANK.replace("ANGLE", str(angle)).replace("TILT", str(-angle - math.asin(math.sin(angle) / 3))),
        encoding="utf-8",
    )
    report = gough_json("check", path)
    r, rod = 0.2, 0.6
    lever = r * math.sin(angle) * (1 + r * math.cos(angle) / math.sqrt(rod**2 - (r * math.sin(angle)) ** 2))
    parallel, size = report["model"]["parallel"], gough_json("show", path)["characteristic_length"]
    assert parallel == pytest.approx(lever / size, rel=1e-6)
    assert report["model"]["inverse"] is None
    doubted = [text for text in report["warnings"] if "near a parallel singularity: reciprocal condition" in text]
    assert bool(doubted) == (parallel < 0.01)
    assert (angle == 0.01) == (parallel < 0.01)


def test_the_inverse_model_of_a_flexible_robot_is_measured(description):
    path, _ = description("title:", "title:", "dualemps")
    out, _ = gough("check", path)
    assert re.search(r"reciprocal condition 1 \(drives\), 1 \(inverse model\) and 0\.354 \(worst loop", out)


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        ("friction: {viscous: 0.001}", "spin: friction or damping acts along it, but nothing has inertia"),
        ("spring: {stiffness: 1}", "spin: a force acts along it, but nothing has inertia"),
        ("limits: {upper: 1 rad}", ""),
    ],
)
def test_forces_on_what_has_no_inertia_are_doubted(tmp_path, effect, told):
    path = tmp_path / "spinner.yaml"
    path.write_text(
        "format: 2\nname: spun\nbodies: [{name: cart, mass: 2}, {name: rod, shape: {rod: {mass: 0.3, axis: x, length: 0.2}}}]\n"
        "joints:\n  - {name: go, type: prismatic, axis: [1, 0, 0], parent: world, child: cart, drive: {}}\n"
        f"  - {{name: spin, type: revolute, axis: [1, 0, 0], parent: cart, child: rod, {effect}}}\nvelocities: [go, spin]\n"
    )
    found = [text for text in gough_json("check", path)["warnings"] if "inertia" in text]
    assert len(found) == bool(told) and all(told in text for text in found)


OLD = """format: 1  # as it was
name: spun
bodies: [{name: a, shape: {disc: {mass: 1, radius: 0.1}}}]  # a key of format 2
joints: [{name: j, type: revolute, parent: world, child: a, drive: {}}]
"""


def test_a_file_whose_newer_keys_are_all_that_is_wrong_is_upgraded(tmp_path):
    path = tmp_path / "old.yaml"
    path.write_text(OLD)
    report = gough_json("check", path, code=1)
    assert "a key of format 2" in report["problems"][0]["message"]
    report = gough_json("check", path, "--upgrade")
    assert report["valid"] and report["upgraded"] == [1, 2]
    assert path.read_text() == OLD.replace("format: 1", "format: 2")
    wrong = OLD.replace("radius: 0.1", "radios: 0.1")
    path.write_text(wrong)
    out, _ = gough("check", path, "--upgrade", code=1)
    assert "radios" in out and "is not upgraded" in out and path.read_text() == wrong


APART = (
    "format: 1\nmotion:\n  quintic: {drives: {left_motor: [2.1, 3.6], right_motor: [1.05, -0.15]}, durations: 0.8 s}\n"
)


def test_a_motion_is_checked_and_written(tmp_path: Path) -> None:
    """Rods of a five-bar that drives pull straight: out of reach from there on, said first, and how much of it."""
    file = tmp_path / "apart.yaml"
    file.write_text(APART)
    report = gough_json("check", "five_bar", "--motion", file, code=1)["motion"]
    t = np.linspace(0.0, 0.8, 400)
    r = t / 0.8
    s = 10 * r**3 - 15 * r**4 + 6 * r**5
    elbows = [x + 0.25 * np.exp(1j * (a + b * s)) for x, a, b in ((-0.12, 2.1, 1.5), (0.12, 1.05, -1.2))]
    lost = int((np.abs(elbows[0] - elbows[1]) > 0.7).sum())
    assert report["samples"] == 400 and report["unreached"] == lost and report["poses"] is None
    assert report["reach"].startswith(f"out of reach: {lost} of 400 samples, first at ")
    reach = [p for p in report["problems"] if p["kind"] == "reach"]
    assert sum(p["samples"] for p in reach) == lost and reach[-1]["spans"][-1][1] == pytest.approx(0.8)
    out, err = gough("check", "five_bar", "--motion", file, "--out", tmp_path / "along.csv", code=1)
    assert out.splitlines().index(f"  {report['reach']}") > 0 and "along.csv" in err
    run = library.Run.load(tmp_path / "along.csv")
    assert len(run) == 400 - lost and run["left_motor"] == pytest.approx((2.1 + 1.5 * s)[: len(run)], abs=1e-9)
    file.write_text(APART.replace("3.6", "2.2").replace("-0.15", "1.1"))
    assert gough_json("check", "five_bar", "--motion", file)["motion"]["problems"] == []


def test_poses_of_a_motion_of_joints(tmp_path: Path) -> None:
    """In the columns of the file, beside the closed form of six equal legs: z grows as √(L² - d²)."""
    robot = library.build("lopes_simplified")
    home = robot.home_pose
    ends = [robot.drives(robot.configuration(pose=home + [0, 0, dz, 0, 0, 0, 0])) for dz in (0.0, 0.05)]
    lines = ", ".join(f"{n}: [{a}, {b}]" for n, a, b in zip(robot.layout.drive_names, *ends, strict=True))
    file = tmp_path / "up.yaml"
    file.write_text(f"format: 1\nmotion:\n  quintic: {{drives: {{{lines}}}, durations: 1 s}}\n")
    report = gough_json("check", "lopes_simplified", "--motion", file, "--out", tmp_path / "up.csv")["motion"]
    table = np.genfromtxt(tmp_path / "up.csv", delimiter=",", names=True, comments="#")
    assert table["z"][[0, -1]] == pytest.approx(home[2] + np.array([0, 0.05]), abs=1e-9)
    assert report["poses"][2] == pytest.approx({"low": home[2], "high": home[2] + 0.05}, abs=1e-9)


def test_what_is_refused_of_motions(tmp_path: Path) -> None:
    assert "--out goes with --motion" in gough("check", "five_bar", "--out", tmp_path / "a.csv", code=2)[1]
    assert "no file and no motion 'nowhere'" in gough("check", "five_bar", "--motion", "nowhere", code=2)[1]
    file = tmp_path / "apart.yaml"
    file.write_text(APART)
    assert (
        "must end in one of .npz"
        in gough("check", "five_bar", "--motion", file, "--out", tmp_path / "a.txt", code=2)[1]
    )
    file.write_text(APART.replace("drives:", "drive:"))
    err = gough("check", "five_bar", "--motion", file, code=2)[1]
    assert "did you mean 'drives'" in err and "for instance quintic: {offsets_from: home, poses:" in err
