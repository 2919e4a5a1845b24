"""`gough view` as a command: what it says, how it ends, what it refuses."""

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from cli.command import gough

pytest.importorskip("viser")

EXAMPLES = Path(__file__).parents[2] / "examples" / "studies"


def test_ctrl_c_ends_it_cleanly() -> None:
    command = [sys.executable, "-m", "gough", "view", "five_bar", "--no-open", "--port", "0"]
    # A test run in the background may have SIGINT ignored, which a child would inherit.
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("five_bar is at http://localhost:") and "(Ctrl-C ends it)" in line
    url = line.split()[3]
    assert b"<!doctype html" in urllib.request.urlopen(url, timeout=10).read(100).lower()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and out == ""
    assert "viewer closed" in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no_such_robot"], "Scenarios: briot2014_square"),
        (["briot2014_circle"], "is a motion, not a robot"),
        (["five_bar", "delta"], "2 robots"),
        (["five_bar", "--host", "192.0.2.1"], "not an address of this computer"),
        (["five_bar", "--export", "robot.txt"], ".html"),
        (["five_bar", "--export", "robot.png", "--size", "big"], "WIDTHxHEIGHT"),
        (["five_bar", "--mode", "1"], "--mode goes with --export"),
        (["five_bar", "--mode", "7", "--export", "mode.html"], "1 to 2"),
        (["missing.npz"], "missing.npz: no such file"),
        (["five_bar", "--motion", "nowhere"], "no file and no motion 'nowhere'"),
        (["five_bar", "delta", "--motion", "briot2014_circle"], "2 things are given"),
        (["briot2014_square", "--motion", "briot2014_circle"], "is a run, a scenario or a study"),
        (["five_bar", "--motion", "briot2014_circle", "--mode", "1", "--export", "a.html"], "--motion and --mode"),
    ],
)
def test_what_is_refused(arguments: list[str], words: str) -> None:
    out, err = gough("view", *arguments, "--no-open", code=2)
    assert words in err and out == ""


def test_a_file_of_a_motion_is_told_from_one_of_a_robot(tmp_path: Path) -> None:
    path = tmp_path / "there.yaml"
    path.write_text("format: 1\nmotion:\n  circle: {radius: 1 m}\n")
    assert f"gough view ROBOT --motion {path}" in gough("view", str(path), "--no-open", code=2)[1]
    assert (
        "gough view dualemps_refined --motion briot2014_circle"
        in gough("view", "briot2014_circle", "--no-open", code=2)[1]
    )
    path.write_text("format: 1\nname: mine\nlegs: []\nmotion: there\n")  # a robot with a key too many
    assert "unknown key 'motion'" in gough("view", str(path), "--no-open", code=2)[1]


@pytest.mark.slow
def test_a_folder_of_a_study_is_shown_and_what_is_wrong_with_one_is_said(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert "no folder of a study, there is no asked.json" in gough("view", tmp_path / "none", "--no-open", code=2)[1]
    folder = tmp_path / "study"
    gough("design", EXAMPLES / "two_slides_study.yaml", "--out", folder)
    assert "--set is for robots" in gough("view", folder, "--set", "rod=1", "--no-open", code=2)[1]
    assert "picture (.png) of its best designs" in gough("view", folder, "--export", tmp_path / "a.html", code=2)[1]
    assert "a study is shown alone" in gough("view", folder, "five_bar", "--no-open", code=2)[1]
    command = [sys.executable, "-m", "gough", "view", str(folder), "--no-open", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline().startswith("two_slides_study: 1 design of two_slides is at http://localhost:")
    finally:
        process.terminate()
        process.wait(30)


def test_a_malformed_result_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(b"PK\x03\x04 this is no archive")
    _, err = gough("view", path, "--no-open", code=2)
    assert "run.npz" in err


def test_a_motion_is_taken_away_without_a_simulation(tmp_path: Path) -> None:
    """The page has the robot's own run along it; of one that goes too far, what is wrong is said."""
    file, page = tmp_path / "move.yaml", tmp_path / "move.html"
    file.write_text("format: 1\nmotion:\n  circle: {pose: home, radius: 20 mm, duration: 1 s}\n")
    out, err = gough("view", "lopes_simplified", "--motion", file, "--export", page)
    assert out == f"written: {page}\n" and "out of reach" not in err and page.stat().st_size > 10_000
    file.write_text(file.read_text().replace("20 mm", "2 m"))
    err = gough("view", "lopes_simplified", "--motion", file, "--export", tmp_path / "far.html", code=3)[1]
    assert "nowhere along the motion: out of reach: " in err and not (tmp_path / "far.html").exists()


def test_a_motion_on_a_page() -> None:
    import gough as library

    model = library.build("five_bar")
    start = model.drives(model.home)
    far = library.motions.quintic(drives=[start, start + [1.5, -1.2]], durations=0.8)
    told: list[str] = []
    with library.view(model, motion=far, port=0, told=told.append) as viewer:
        (run,) = viewer.subject.runs
        assert run.time[-1] < 0.8 and run.q[0] == pytest.approx(model.home)
        assert "out of reach: " in told[1]
    with pytest.raises(library.UsageError, match="run has a motion of its own"):
        library.view(run, motion=far)
