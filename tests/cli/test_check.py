from importlib import resources

import pytest

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
