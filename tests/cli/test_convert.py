"""`gough convert` writes a robot in another format and names the files; what cannot be said ends with code 2 and a remedy."""

from __future__ import annotations

from pathlib import Path

import mujoco

from cli.command import gough


def test_files_are_written_and_named(tmp_path: Path) -> None:
    out, err = gough("convert", "five_bar", tmp_path / "five.urdf")
    assert [Path(line).name for line in out.split()] == ["five.urdf", "five.loops.yaml"]
    assert all(Path(line).is_file() for line in out.split())
    assert not err


def test_files_that_are_there_are_kept(tmp_path: Path) -> None:
    there = tmp_path / "five.loops.yaml"
    there.write_text("mine")
    _, err = gough("convert", "five_bar", tmp_path / "five.urdf", code=2)
    assert "five.loops.yaml: there already; --force replaces it" in err
    assert there.read_text() == "mine" and not (tmp_path / "five.urdf").exists()
    gough("convert", "five_bar", tmp_path / "five.urdf", "--force")
    assert "left_motor" in there.read_text()


def test_what_cannot_be_said_and_what_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "orthoglide.xml"
    _, err = gough("convert", "orthoglide", file, code=2)
    assert "MJCF cannot say" in err and "--leave-out smoothing" in err and not file.exists()
    _, err = gough("convert", "orthoglide", file, "--leave-out", "smoothing")
    assert "note: " in err and "left out, Coulomb's own" in err
    assert mujoco.MjModel.from_xml_path(str(file)).nv == 12


def test_a_description_of_one_s_own(tmp_path: Path) -> None:
    gough("convert", "delta", tmp_path / "mine.yaml")
    out, _ = gough("convert", tmp_path / "mine.yaml", tmp_path / "mine.xml")
    assert mujoco.MjModel.from_xml_path(out.strip()).nv == 21


def test_bad_usage(tmp_path: Path) -> None:
    _, err = gough("convert", "five_bar", tmp_path / "five.step", code=2)
    assert "no format of that suffix" in err
    _, err = gough("convert", "no_such_robot", tmp_path / "five.xml", code=2)
    assert "no_such_robot" in err
