"""`gough export` writes files and says where; bad usage ends with code 2 and a remedy."""

from __future__ import annotations

from pathlib import Path

from backends.compiled_c import needs_compiler, run_driver
from cli.command import QUICK, gough, gough_json


def test_files_are_written_and_named(tmp_path: Path) -> None:
    out, _ = gough("export", "five_bar", "inverse_dynamics", "--out", tmp_path / "c")
    files = [Path(line) for line in out.split()]
    assert [f.name for f in files] == [f"five_bar_inverse_dynamics{end}" for end in (".h", ".c", "_test.c")]
    assert all(f.is_file() for f in files)


def test_json_names_the_files(tmp_path: Path) -> None:
    report = gough_json(
        "export",
        "five_bar",
        "mass_matrix",
        "--target",
        "cuda",
        "--name",
        "M",
        "--baked",
        "--no-checks",
        "--out",
        tmp_path,
    )
    assert (report["robot"], report["function"], report["target"]) == ("five_bar", "mass_matrix", "cuda")
    assert [Path(f).name for f in report["files"]] == ["M.cuh", "M.cu", "M_test.cu"]


def test_options_reach_the_text(tmp_path: Path) -> None:
    gough(
        "export", QUICK, "inverse_dynamics", "--out", tmp_path, "--name", "f",
        "--no-friction", "--no-wrench", "--derivative", "v", "--legs", "flat",
    )  # fmt: skip
    header = (tmp_path / "f.h").read_text(encoding="utf-8")
    assert "Left out: friction, wrench." in header and "inverse_dynamics jacobian v" in header


@needs_compiler
def test_functions_of_the_pose(tmp_path: Path) -> None:
    for options in ((), ("--baked", "--no-friction", "--no-wrench")):
        gough("export", QUICK, "inverse_dynamics@pose", "--out", tmp_path, "--name", "f", *options)
        assert "pose[7]" in (tmp_path / "f.h").read_text(encoding="utf-8")
        assert run_driver(tmp_path, "f").returncode == 0
    out, _ = gough("export", QUICK, "inverse_dynamics@pose", "--target", "cuda", "--out", tmp_path)
    assert "lopes_simplified_inverse_dynamics_pose.cu" in out
    _, err = gough("export", "five_bar", "inverse_dynamics@pose", "--out", tmp_path, code=2)
    assert "five_bar has no platform, so no pose" in err


def test_bad_usage(tmp_path: Path) -> None:
    for arguments, said in (
        (("five_bar", "nonsense"), "no function 'nonsense'"),
        (("five_bar", "mass_matrix", "--target", "ada"), "use one of c, cuda"),
        (("bricard", "inverse_dynamics"), "fewer drives than freedoms"),
        (("five_bar", "mass_matrix", "--legs", "loops"), "legs='flat'"),
    ):
        _, err = gough("export", *arguments, "--out", tmp_path, code=2)
        assert said in err
    assert not list(tmp_path.iterdir())


SCENARIO = """
format: 1
robot: five_bar
motion: {quintic: {drives: {left_motor: [140 deg, 150 deg], right_motor: [60 deg, 52 deg]}, durations: 0.1}}
controller: {sampled: {law: {joint_pd: {stiffness: 200, damping: 10}}, period: 1 ms, sensors: [{encoders: {noise: 0.001 mrad}}]}}
"""


def test_controller_of_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "tracking.yaml"
    file.write_text(SCENARIO, encoding="utf-8")
    found = gough_json("export", "five_bar", "--controller", file, "--out", tmp_path, "--name", "c")
    assert found["function"] == "controller" and found["files"] == [
        str(tmp_path / f"c{x}") for x in (".h", ".c", "_test.c")
    ]
    assert "c_step(c_state *state, const double encoders[2], double command[2])" in (tmp_path / "c.h").read_text()
    law = "sampled: {law: {joint_pd: {stiffness: 200, damping: 10}}, period: 1 ms}"
    _, err = gough("export", "five_bar", "inverse_dynamics", "--controller", law, code=2)
    assert "says nothing to --controller" in err
    _, err = gough("export", "five_bar", "--precision", "single", code=2)
    assert "--controller" in err
    _, err = gough("export", "five_bar", "--controller", law, code=2)
    assert "needs a motion" in err


def test_a_robot_as_an_fmu(tmp_path: Path) -> None:
    """The file is where it is asked for; what goes with other targets is refused with what to leave out."""
    asked = ("export", "five_bar", "--target", "fmu", "--no-binary", "--no-derivatives")
    assert gough_json(*asked, "--out", tmp_path)["files"] == [str(tmp_path / "five_bar.fmu")]
    gough(*asked, "--fmi", "2.0", "--inputs", "motions", "--step", "0.002", "--out", tmp_path / "own.fmu")
    gough(*asked, "--start", "static", "--out", tmp_path / "own.fmu")
    law = "sampled: {law: {pid: {bandwidth: 3 Hz}}, period: 10 ms, sensors: [encoders]}"
    _, error = gough(*asked, "--controller", law, "--out", tmp_path, code=2)
    assert "needs a motion" in error
    for more, words in (
        (("mass_matrix",), "leave FUNCTION out"),
        (("--baked",), "leave --baked out"),
        (("--motion", "lopes_p1p2p1"), "leave it out"),
        (("--fmi", "1.0"), "use one of 3.0, 2.0"),
        (("--start", "still"), "use one of 'given', 'static'"),
    ):
        assert words in gough(*asked, *more, "--out", tmp_path, code=2)[1]
    assert "for --target fmu alone" in gough("export", "five_bar", "mass_matrix", "--fmi", "2.0", code=2)[1]
    assert {file.name for file in tmp_path.iterdir()} == {"five_bar.fmu", "own.fmu"}
