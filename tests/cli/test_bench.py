import json

import pytest

import gough_bench.run as run
from cli.command import QUICK, gough, gough_json
from gough.cli.bench import bench
from gough.errors import UsageError
from interchange.urdf_files import OWN, four_bar, write

TOP = {"format", "robot", "scope", "share", "machine", "functions", "absent", "interrupted"}
MACHINE = {"cpu", "llvm_cpu", "cores", "lanes", "system", "date", "python", "versions"}
FUNCTION = {
    "count",
    "states",
    "batch",
    "judge",
    "rows",
    "peak_instructions_per_s",
    "issue_limit_ns",
    "share_of_issue_limit",
}
ROW = {"peer", "call", "threads", "difference", "reason", "remark", "best_ns", "median_ns", "spread", "rounds"}
ROW |= {"ratio", "ratio_median", "ratio_alike", "single"}
START = {"import_s", "build_s", "trace_s", "compile_s", "cached_start_s", "cached_load_s"}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    options = ("--quick", "--function", "inverse_dynamics", "--peers", "mujoco,pinocchio-python", "--out", folder)
    return gough_json("bench", QUICK, *options), folder


@pytest.mark.slow
def test_json_keys_are_those_documented(measured):
    result, _ = measured
    assert set(result) == TOP and set(result["machine"]) == MACHINE
    made = result["functions"]["inverse_dynamics"]
    assert set(made) == FUNCTION | {"start", "gpu"}
    assert set(made["start"]) == START and "reason" in made["gpu"]
    assert all(set(row) == ROW for row in made["rows"])
    text = " ".join((bench.__doc__ or "").split())
    for key in TOP | MACHINE | FUNCTION | ROW | START | {"start", "gpu"}:
        assert key in text, key


def test_rows(measured):
    rows = measured[0]["functions"]["inverse_dynamics"]["rows"]
    ours = next(row for row in rows if row["peer"] == "gough" and row["threads"] == 1)
    assert ours["ratio"] == 1.0 and ours["difference"] < 1e-10 and ours["best_ns"] > 0
    reasons = {row["peer"]: row["reason"] for row in rows}
    assert reasons["MuJoCo"].startswith("wrong answer")
    assert reasons["Pinocchio Python"] == "does not have inverse_dynamics"


def test_files(measured):
    result, folder = measured
    assert json.loads((folder / f"bench_{QUICK}.json").read_text()) == result
    page = (folder / f"bench_{QUICK}.md").read_text()
    assert result["machine"]["cpu"] in page and "wrong answer" in page and "friction and springs left out" in page


def test_table(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "start_times", lambda *args: dict.fromkeys(START, 0.0))
    out, err = gough("bench", QUICK, "--quick", "--function", "drive_map", "--peers", "none", "--out", tmp_path)
    assert "drive_map" in out and "times gough" in out and "issue limit" in out and "round 1" in err


@pytest.mark.slow
def test_another_programs_file_with_what_it_does_not_say(tmp_path):
    file = write(tmp_path, four_bar(), "four.urdf")
    loops = write(tmp_path, OWN.replace("drives: [mot*]", "drives: [foot]"), "closing.yaml")
    said = ("--loops", loops, "--drives", "mot*", "--closure-tolerance", "1 um")
    options = ("--quick", "--function", "inverse_dynamics", "--peers", "none", "--out", tmp_path)
    made = gough_json("bench", file, *said, *options)["functions"]["inverse_dynamics"]
    assert made["rows"][0]["difference"] < 1e-9 and made["start"]["compile_s"] > 0
    for option in ("--growth", "--rivals"):
        assert "--loops is for files of other programs" in gough("bench", "--loops", loops, option, code=2)[1]


def test_ctrl_c_keeps_what_is_done(monkeypatch, tmp_path):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "start_times", stop)
    options = ("--quick", "--function", "drive_map", "--peers", "none", "--out", tmp_path)
    result = gough_json("bench", QUICK, *options, code=130)
    assert result["interrupted"] and result["functions"]["drive_map"]["rows"][0]["best_ns"] > 0
    assert "Interrupted" in (tmp_path / f"bench_{QUICK}.md").read_text()


def test_a_robot_with_too_few_drives(tmp_path):
    options = ("--quick", "--function", "inverse_dynamics", "--peers", "none", "--out", tmp_path)  # nothing is left
    assert "inverse_dynamics" in gough_json("bench", "four_bar_chain", *options)["absent"]


def test_unknown_names(tmp_path):
    _, err = gough("bench", QUICK, "--peers", "nobody", "--out", tmp_path, code=2)
    assert "nobody" in err and "pinocchio" in err
    _, err = gough("bench", QUICK, "--function", "nothing", "--peers", "none", "--out", tmp_path, code=2)
    assert "no function" in err
    with pytest.raises(UsageError):
        run.run(QUICK, peers=["nobody"])
