"""`gough simulate`: figures, files, exit codes."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough as library
from cli.command import QUICK, gough, gough_json
from gough.cli.simulate import scenario_of
from gough.robot import DescriptionError
from inner.simulation import ExplicitMarching
from simulation.sliders import ARM

SWING = ("simulate", "four_bar_chain", "--duration", "0.5s")
KEYS = {"simulated_s", "computing_s", "compile_s", "error_estimate", "energy_error", "closure_error"}


def test_json_of_a_free_swing():
    report = gough_json(*SWING, "--rate", f"{first_rate()}=1 rad/s", "--tolerance", 1e-9)
    assert set(report) > KEYS | {
        "robot",
        "scenario",
        "stopped",
        "remedy",
        "states",
        "settings",
        "drives",
        "elastic",
        "files",
    }
    assert (report["robot"], report["stopped"], report["simulated_s"]) == ("four_bar_chain", "finished", 0.5)
    assert report["remedy"] is None and report["scenario"] is None and report["drives"] == []
    assert 0 < report["energy_error"] < 1e-6 and report["closure_error"] < 1e-10
    assert report["settings"]["method"] == "dp5" and report["settings"]["tolerance"] == 1e-9
    truth = library.simulate(library.build("four_bar_chain"), duration=0.5, v=[1.0], tolerance=1e-9)
    assert report["settings"]["steps"] == truth.info.settings["steps"] and report["states"] == len(truth)


def first_rate():
    return library.build("four_bar_chain").layout.v_names[0]


def test_tables_and_files(tmp_path):
    run, picture = tmp_path / "run.npz", tmp_path / "run.png"
    options = (
        "--motion",
        "briot2014_square",
        "--smoothing",
        "1 mm/s, 1 mrad/s",
        "--duration",
        "300ms",
        "--method",
        "rk4",
    )
    files = ("--out", run, "--channel", "energies", "--plot", picture, "--panel", "elastic")
    out, err = gough("simulate", "dualemps_refined", *options, "--step", "100us", "--every", 10, *files)
    for text in ("prescribed drives, rk4, step 0.0001", "times real time", "q11", "link13.tip.rz", "stopped: finished"):
        assert text in out
    assert err.count("written: ") == 2 and picture.read_bytes().startswith(b"\x89PNG")
    kept = library.Run.load(run)
    assert len(kept) > 300 and kept.time[-1] == pytest.approx(0.3) and "energy.kinetic" in kept


def test_a_scenario_with_other_settings(tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(
        f"format: 1\nrobot: four_bar_chain\nstart: {{rates: {{{first_rate()}: 1}}}}\nduration: 1\nmethod: rk4\n"
    )
    report = gough_json("simulate", "--scenario", path, "--duration", "0.1", "--step", "1ms", "--every", "5")
    assert (report["scenario"], report["simulated_s"], report["settings"]["method"]) == ("swing", 0.1, "rk4")
    assert report["settings"]["steps"] == 100 and report["states"] == 21
    _, err = gough("simulate", "five_bar", "--scenario", path, code=2)
    assert "start.rates: five_bar has no velocity" in err
    same = gough_json("simulate", path, "--duration", "0.1", "--step", "1ms", "--every", "5")
    assert (same["scenario"], same["states"], same["drives"]) == (report["scenario"], 21, report["drives"])


@pytest.mark.slow
def test_a_motion_of_the_platform_asks_for_a_controller_by_name():
    motion = ("--motion", "lopes_p1p2p1")
    _, err = gough("simulate", "lopes_simplified", *motion, code=2)
    assert "--controller computed_torque" in err and "drives_of" in err
    gough("simulate", "lopes_simplified", *motion, "--duration", "10ms", "--controller", "computed_torque")


def test_a_controller_as_in_scenarios():
    text = "free: {tau: [300 mN.m, -0.3]}"
    report = gough_json("simulate", "five_bar", "--duration", 0.1, "--controller", text)
    assert report["controller"] == {"law": "free", "tau": [0.3, -0.3]}
    assert [d["force"] for d in report["drives"]] == [0.3, 0.3]
    assert report["energy_exchanged_J"] > 1e-3 > report["energy_error"]


def test_a_run_that_stops_early_is_kept_and_explained(tmp_path):
    run = tmp_path / "run.csv"
    options = ("--method", "rk4", "--step", "1ms", "--every", "1", "--duration", "0.1", "--out", run)
    out, err = gough("simulate", "--scenario", "briot2014_square", *options, code=3)
    assert "stopped early: " in err and "at t = " in err and "stiffest mode" in err and "0.000107 s" in err
    assert "stopped: " in out
    assert not library.Run.load(run).info.finished


def test_interrupt_keeps_what_is_done(tmp_path, monkeypatch):
    right, calls = ExplicitMarching.piece, []

    def piece(self, *arguments):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return right(self, *arguments)

    monkeypatch.setattr(ExplicitMarching, "piece", piece)
    options = ("--method", "rk4", "--duration", "2", "--out", tmp_path / "part.npz")
    report = gough_json("simulate", "--scenario", "briot2014_square", *options, code=130)
    assert report["stopped"].startswith("interrupted") and report["simulated_s"] == pytest.approx(1.6)
    assert library.Run.load(tmp_path / "part.npz").time[-1] == pytest.approx(1.6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "give a ROBOT, or --scenario"),
        (("five_bar",), "duration"),
        (("five_bar", "--duration", "3 m"), "--duration '3 m'"),
        (("five_bar", "--duration", "-1"), "not positive"),
        (("five_bar", "--duration", "1", "--step", "x"), "--step 'x'"),
        (("five_bar", "--duration", "1", "--method", "euler"), "rk4"),
        (("five_bar", "--duration", "1", "--start", "there"), "static or given"),
        (("five_bar", "--duration", "1", "--rate", "left_motor"), "NAME=VALUE"),
        (("five_bar", "--duration", "1", "--rate", "left_motor=1kg"), "1kg"),
        (("five_bar", "--duration", "1", "--rate", "nobody=1"), "no velocity 'nobody'"),
        (("five_bar", "--duration", "1", "--at", "nobody=1"), "nobody"),
        (("five_bar", "--duration", "1", "--controller", "fly"), "no controller of this name"),
        (("five_bar", "--duration", "1", "--controller", "{free: {tau: [1 kg]}}"), "another dimension"),
        (("five_bar", "--duration", "1", "--controller", "{"), "not YAML"),
        (("five_bar", "--duration", "1", "--channel", "energies"), "--channel goes with --out"),
        (("five_bar", "--duration", "1", "--out", "run.txt"), ".npz"),
        (("five_bar", "--duration", "1", "--out", "run.npz", "--channel", "energie"), "energies"),
        (("five_bar", "--duration", "1", "--smoothing", "1 kg"), "--smoothing"),
        (("five_bar", "--motion", "nothing"), "no file and no motion 'nothing'"),
        (("--scenario", "nothing"), "no file and no scenario 'nothing'"),
    ],
)
def test_bad_usage_says_what_to_do(options, text):
    out, err = gough("simulate", *options, code=2)
    assert out == "" and text in err


def test_help():
    out, _ = gough("simulate", "--help")
    assert "JSON keys" in out and all(key in out for key in KEYS)


def test_no_bar_where_there_is_no_terminal(capfd):
    out, err = gough(*SWING, "--json")
    assert json.loads(out)["stopped"] == "finished" and err == ""
    assert np.isfinite(json.loads(out)["computing_s"])


def test_outputs_of_a_scenario_stay_in_the_folder(tmp_path, monkeypatch):
    """What the command line says is the user's own word, what a file says is not."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    text = "format: 1\nrobot: five_bar\nduration: 10 ms\noutputs: {file: ../run.npz}\n"
    (here / "swing.yaml").write_text(text)
    swing = ("simulate", "--scenario", "swing.yaml")
    _, err = gough(*swing, code=2)
    assert "--allow-outside" in err and not (tmp_path / "run.npz").exists()
    gough(*swing, "--out", tmp_path / "own.npz")
    gough(*swing, "--allow-outside")
    assert (tmp_path / "run.npz").exists() and (tmp_path / "own.npz").exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no numbers of users")
def test_a_cache_that_others_can_write_is_told(tmp_path, monkeypatch):
    """Once, though the command hushes warnings of robots."""
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o777)
    _, err = gough("simulate", "five_bar", "--duration", "10ms", "--method", "rk4")
    assert err.count("others may write to it") == 1 and str(tmp_path) in err and not list(tmp_path.iterdir())


AN_ANGLE, A_LENGTH = ("an angle", "rad or deg"), ("a length", "m or mm")
TURNING, A_SPEED = ("an angular speed", "rad/s or deg/s"), ("a speed", "m/s or mm/s")
A_TORQUE, A_FORCE = ("a torque", "N.m"), ("a force", "write N,")
MIXED = ("drives of several kinds", "one number each")
MOTION = "quintic: {drives: {slide: [%s], pin: [%s]}, durations: 1}"
LED = "{joint_pd: {stiffness: %s, damping: %s}}"
WRONG = [
    ("--at", "pin=30 mm", "--at: 30 mm is a length", AN_ANGLE),
    ("--at", "slide=30deg", "--at: 30deg is an angle", A_LENGTH),
    ("--rate", "pin=1 m/s", "--rate: 1 m/s is a speed", TURNING),
    ("--rate", "slide=60rpm", "--rate: 60rpm is an angular speed", A_SPEED),
    ("--rate", "pin=1 Hz", "Hz counts turns", ("rad/s",)),
    ("start", "{coordinates: {pin: 30 mm}}", "start.coordinates.pin: 30 mm is a length", AN_ANGLE),
    ("start", "{coordinates: {slide: 3 deg, pin: 3 deg}}", "start.coordinates.slide: 3 deg is an angle", A_LENGTH),
    ("start", "{rates: {v.pin: 1 m/s}}", "start.rates.v.pin: 1 m/s is a speed", TURNING),
    ("--motion", MOTION % ("0, 1", "300 mm, 500 mm"), "motion.quintic.drives.pin: 300 mm is a length", AN_ANGLE),
    ("--motion", MOTION % ("0, 1", "3 deg, 500 mm"), "drives['pin']: 500 mm is a length", AN_ANGLE),
    ("motion", "{" + MOTION % ("1 deg, 0", "0, 1") + "}", "motion.quintic.drives.slide: 1 deg is an angle", A_LENGTH),
    (
        "motion",
        "{trigonometric: {joints: {slide: [0, 1], pin: [0, 1 m]}, durations: 1}}",
        "joints.pin: 1 m is",
        AN_ANGLE,
    ),
    (
        "motion",
        "{polygon: {drives: {slide: [0, 1, 2], pin: [1 mm, 0, 1]}, durations: 1}}",
        "drives.pin: 1 mm is",
        AN_ANGLE,
    ),
    ("motion", "{circle: {drives: {slide: 0, pin: 3 mm}, radius: 1, duration: 1}}", "drives.pin: 3 mm is", AN_ANGLE),
    ("motion", "{circle: {drives: {slide: 0, pin: 0}, radius: 3 mm, duration: 1}}", "drives.pin: 3 mm is", AN_ANGLE),
    ("motion", "{circle: {point: [0, 0, 0], frame: rod, radius: 3 deg, duration: 1}}", "radius: 3 deg is", A_LENGTH),
    ("motion", "{square: {drives: {slide: 0, pin: 3 deg}, side: 3 mm, durations: 1}}", "side: 3 mm is", AN_ANGLE),
    ("motion", "{square: {drives: {slide: 3 deg, pin: 0}, side: 1, durations: 1}}", "drives.slide: 3 deg is", A_LENGTH),
    (
        "motion",
        "{trapezoid: {drives: {slide: [0, 0], pin: [0, 1]}, durations: 1, speeds: 1.5 m/s}}",
        "1.5 m/s is",
        AN_ANGLE,
    ),
    (
        "motion",
        "{trapezoid: {drives: {slide: [0, 1], pin: [0, 1 deg]}, durations: 1, speeds: 1.5 m/s}}",
        "speed of pin",
        TURNING,
    ),
    ("csv", "pin [mm]", "motion.spline: mm is a length", AN_ANGLE),
    ("csv", "slide [deg]", "motion.spline: deg is an angle", A_LENGTH),
    ("--controller", "free: {tau: [1 N, 3 N]}", "free.tau[1]: 3 N is a force", A_TORQUE),
    ("--controller", "free: {tau: [1 N.m, 3]}", "free.tau[0]: 1 N.m is a torque", A_FORCE),
    ("--controller", "free: {tau: 3 N}", "free.tau: 3 N for", MIXED),
    ("controller", LED % ("20 kN/m", "1"), "joint_pd.stiffness: 20 kN/m for", MIXED),
    (
        "controller",
        LED % ("1", "[3, 3 N.s/m]"),
        "damping[1]: 3 N.s/m is a damping",
        ("an angular damping", "N.m.s/rad"),
    ),
    ("controller", LED % ("[20 N.m/rad, 3]", "1"), "stiffness[0]: 20 N.m/rad is an angular stiffness", ("write N/m",)),
    ("controller", "{gravity_compensation: {limit: 30 kN}}", "limit: 30 kN for", MIXED),
    (
        "controller",
        "{sampled: {law: free, period: 1 ms, limit: [3 N, 3 N]}}",
        "sampled.limit[1]: 3 N is a force",
        A_TORQUE,
    ),
    ("controller", "{computed_torque: {stiffness: 400 1/s}}", "computed_torque.stiffness: a unit", ("1/s2",)),
    ("controller", "{computed_torque: {damping: 20 Hz}}", "Hz counts turns", ("1/s",)),
    ("controller", "{computed_torque: {nominal: {rod.M: 3 kg}}}", "nominal.rod.M: ", ("plain number in SI units",)),
    ("changes", "{parameters: {rod.M: 3 kg}}", "changes.parameters.rod.M: ", ("plain number in SI units",)),
    ("changes", "{friction: {smoothing: 1 mm/s}}", "smoothing: 1 mm/s is a speed, and that of pin", TURNING),
    ("--smoothing", "1 mrad/s", "smoothing: 1 mrad/s is an angular speed, and that of slide", A_SPEED),
    ("--smoothing", "1 mm/s, 2 mm/s", "--smoothing '2 mm/s': a unit of another dimension", ("rad/s",)),
    ("wrench", "{rod: [0, 0, 1 N.m, 0, 0, 0]}", "wrench.rod[2]: a unit of another dimension", ("a force in N",)),
]
RIGHT = [
    ("--at", "pin=30 deg", lambda made: made.start.coordinates["pin"] == np.radians(30)),
    ("--at", "pin=0.5", lambda made: made.start.coordinates["pin"] == 0.5),
    ("--at", "slide=30 mm", lambda made: made.start.coordinates["slide"] == 0.03),
    ("--rate", "pin=2 rad/s", lambda made: list(made.first_v()) == [0, 2]),
    ("start", "{rates: {v.slide: 20 mm/s, pin: 3 1/s}}", lambda made: list(made.first_v()) == [0.02, 3]),
    ("--motion", MOTION % ("0, 12 mm", "0, 90 deg"), lambda made: made.motion.units == ("m", "rad")),
    ("--motion", MOTION % ("0, 1", "0, 1"), lambda made: made.motion.units == ("", "")),
    ("csv", "pin [mrad]", lambda made: np.allclose(made.motion.at(1.0).position, 0.01, rtol=1e-12)),
    ("--controller", "free: {tau: [1 kN, 3 N.m]}", lambda made: made.controller == library.laws.Free((1e3, 3.0))),
    ("controller", LED % ("[2 kN/m, 2 N.m]", "[1, 3 N.m.s]"), lambda made: made.controller.damping == (1, 3)),
    ("controller", "{computed_torque: {stiffness: 400 1/s^2, damping: 20 /s}}",
     lambda made: made.controller == library.laws.ComputedTorque(400.0, 20.0)),
    ("controller", "{computed_torque: {stiffness: [400 s-2, 4 rad/s2/rad], damping: 2 1/ms}}",
     lambda made: made.controller == library.laws.ComputedTorque((400.0, 4.0), 2000.0)),
    ("changes", "{friction: {smoothing: 1 mm/s, turn_smoothing: 2 mrad/s}}",
     lambda made: [j.drive.smoothing for j in made.model.robot.joints] == [1e-3, 2e-3]),
    ("--smoothing", "1 mm/s, 2 mrad/s", lambda made: [j.drive.smoothing for j in made.model.robot.joints] == [1e-3, 2e-3]),
    ("--smoothing", "0.1", lambda made: [j.drive.smoothing for j in made.model.robot.joints] == [0.1, 0.1]),
]  # fmt: skip


def described(entrance: str, text: str, folder: Path):
    """The scenario of the arm with one thing given, on the command line or in a file."""
    names = (
        "method tolerance rho_infinity every check estimate start at rate motion plot step controller out channel panel"
    )
    options: dict[str, Any] = dict.fromkeys([*names.split(), "smoothing", "scenario"])
    robot, file = folder / "arm.yaml", folder / "run.yaml"
    robot.write_text(ARM)
    options["duration"] = "1"
    if entrance == "csv":
        other = "slide" if "pin" in text else "pin"
        (folder / "samples.csv").write_text(f"t, {text}, {other}\n0, 0, 0\n1, 10, 0.01\n")
        entrance, text = "--motion", "spline: {file: samples.csv}"
    if entrance == "--motion":
        file.write_text(f"format: 1\nmotion: {{{text}}}\n")
        options["motion"] = str(file)
    elif entrance.startswith("--"):
        options[entrance[2:]] = [text] if entrance in ("--at", "--rate") else text
    else:
        file.write_text(f"format: 1\nduration: 1\n{entrance}: {text}\n")
        options["scenario"] = str(file)
    return scenario_of(str(robot), options)


@pytest.mark.parametrize(("entrance", "text", "said", "expected"), WRONG)
def test_units_that_the_robot_has_not_are_refused(entrance, text, said, expected, tmp_path):
    with pytest.raises((library.UsageError, DescriptionError)) as caught:
        described(entrance, text, tmp_path)
    assert all(word in str(caught.value) for word in (said, *expected)), caught.value


@pytest.mark.parametrize(("entrance", "text", "as_meant"), RIGHT)
def test_units_that_the_robot_has_and_plain_numbers(entrance, text, as_meant, tmp_path):
    assert as_meant(described(entrance, text, tmp_path))


def test_names_of_laws_and_files_in_the_wrong_place():
    model = library.build(QUICK)
    with pytest.raises(library.UsageError, match=r"gough\.laws\.ComputedTorque"):
        library.simulate(model, controller="computed_torque", duration=0.1)  # pyright: ignore[reportArgumentType]
    run = library.simulate(model, controller=library.laws.Free((0.0,) * len(model.layout.drive_names)), duration=0.01)
    with pytest.raises(library.UsageError, match=r"path='run\.png'"):
        run.plot("run.png")
    err = gough("simulate", QUICK, "--controller", "joint_pd: {stiffness: -1}", "--duration", "0.1", code=2)[1]
    assert "--controller: joint_pd" in err and "document" not in err
