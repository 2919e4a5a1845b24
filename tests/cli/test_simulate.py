"""`gough simulate`: figures, files, exit codes."""

import json
import os

import numpy as np
import pytest

import gough as library
from cli.command import gough, gough_json
from gough.simulation.integration.marching import Explicit

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
    options = ("--motion", "briot2014_square", "--smoothing", "1 mm/s", "--duration", "300ms", "--method", "rk4")
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
    right, calls = Explicit.piece, []

    def piece(self, *arguments):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return right(self, *arguments)

    monkeypatch.setattr(Explicit, "piece", piece)
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
