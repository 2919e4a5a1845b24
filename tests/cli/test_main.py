"""The application as a user starts it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer

import gough as library
from cli.command import QUICK, gough
from gough.cli import failure
from inner.cli import app


def start(*arguments, **options):
    command = [sys.executable, "-m", "gough", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def finish(process, code=0):
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, (process.returncode, out, err)
    return out, err


def test_version():
    out, _ = finish(start("--version"))
    assert out == f"gough {library.__version__}\n"


@pytest.mark.slow
def test_console_script():
    script = Path(sys.executable).with_name("gough.exe" if os.name == "nt" else "gough")
    run = subprocess.run([script, "list", "--json"], capture_output=True, text=True)
    assert run.returncode == 0 and len(json.loads(run.stdout)["robots"]) >= 5 and run.stderr == ""


def test_help_names_every_command():
    out, _ = gough("--help")
    for name in ("list", "show", "check", "count", "eval", "verify", "reproduce", "--version", "--debug"):
        assert name in out
    assert "Exit codes" in out


def test_an_interrupt_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever it comes: in a command, and while modules load."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as ended:
        failure.guard(interrupted)()
    assert ended.value.exit_code == 130 and capsys.readouterr().err == "interrupted\n"
    code = "import builtins; real = builtins.__import__\n"
    code += "def slow(name, *a):\n    if name == 'typer': raise KeyboardInterrupt\n    return real(name, *a)\n"
    code += "builtins.__import__ = slow\nfrom gough.__main__ import run_command; run_command()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 130 and run.stderr == "interrupted\n"


def test_exit_codes_are_as_the_help_says(tmp_path: Path) -> None:
    """A bad description is a failed check of `gough check`, and bad usage of any other command."""
    bad = tmp_path / "bad.yaml"
    bad.write_text("format: 1\nname: nothing\n", encoding="utf-8")
    gough("check", bad, code=1)
    gough("show", bad, code=2)
    out, _ = gough("--help")
    assert "1 a check failed" in " ".join(out.split()) and "2 bad usage" in " ".join(out.split())


@pytest.mark.parametrize("name", ["list", "show", "check", "count", "eval", "verify", "reproduce"])
def test_help_of_a_command(name):
    out, _ = gough(name, "--help")
    assert "JSON keys" in out and "\b" not in out


def test_columns_are_documented():
    out, _ = gough("eval", "--help")
    for name in ("qw qx qy qz", "yaw pitch roll", "vx vy vz wx wy wz", "alphax", "fx fy fz mx my mz", "tau.NAME"):
        assert name in out


def test_an_error_has_no_traceback_unless_asked_for(tmp_path):
    out, err = finish(start("show", "nobody"), code=2)
    assert out == "" and err.startswith("error: ") and "Traceback" not in err
    _, err = finish(start("--debug", "show", "nobody"), code=1)
    assert "Traceback" in err and "nobody" in err


def test_unknown_command_and_option():
    _, err = gough("shwo", code=2)
    assert "shwo" in err
    _, err = gough("list", "--jsn", code=2)
    assert "--jsn" in err


def test_json_is_alone_on_stdout(tmp_path):
    states = tmp_path / "s.csv"
    states.write_text("x,y,z,yaw,pitch,roll\n9,0,2,0,0,0\n")
    out, err = finish(start("eval", QUICK, "inverse_dynamics", "--state", states, "--json"), code=3)
    assert json.loads(out)["bad"][0]["problem"] == "OUT_OF_REACH at leg0"
    assert "1 of 1 states are bad" in err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupt_is_quiet():
    # A test run in the background may have SIGINT ignored, which a child would inherit.
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    process = start("verify", "pedrammehr2012", "--states", "400000", **heard)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err


def test_a_closed_pipe_is_quiet():
    script = f"{sys.executable} -m gough show {QUICK} --parameters | head -n 1"
    run = subprocess.run(script, shell=True, capture_output=True, text=True)
    assert run.returncode == 0 and QUICK in run.stdout and "Traceback" not in run.stderr


def test_a_fault_of_ours_is_called_one(monkeypatch):
    from gough.robot import loader

    def broken(*_):
        raise RuntimeError("surprise")

    monkeypatch.setattr(loader, "read", broken)
    _, err = gough("show", QUICK, code=70)
    assert "RuntimeError: surprise" in err and "--debug" in err


def companions() -> list[tuple[str, str, str]]:
    """(command, option, what it goes with) of every option whose help says so."""
    group: Any = typer.main.get_command(app)
    found = []
    for name, command in group.commands.items():
        for option in command.params:
            with_ = re.match(r"With (--[\w-]+)", getattr(option, "help", None) or "")
            if with_:
                found.append((name, option.opts[0], with_[1]))
    return found


@pytest.mark.parametrize(("command", "option", "companion"), companions())
def test_options_that_would_do_nothing_are_refused(command: str, option: str, companion: str) -> None:
    values = {
        "--any": [],
        "--mixed": [],
        "--allow-outside": [],
        "--size": ["64x64"],
        "--mode": ["1"],
        "--channel": ["q"],
    }
    more = {"export": ["inverse_dynamics"], "identify": ["log.csv"]}
    arguments = ["five_bar", *more.get(command, [])]
    _, err = gough(command, *arguments, option, *values.get(option, ["2"]), code=2)
    assert f"{option} goes with {companion}" in err


def test_there_are_such_options() -> None:
    assert {("simulate", "--seed"), ("simulate", "--panel"), ("export", "--mode"), ("map", "--any")} <= {
        (a, b) for a, b, _ in companions()
    }


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "five_bar", "--duration", "1s", "--at", "left_motor=1", "--at", "left_motor=2"),
        ("modes", "five_bar", "--at", "left_motor=1", "--at", "left_motor=2"),
        ("map", "five_bar", "--fixed", "left_motor=1", "--fixed", "left_motor=2"),
    ],
)
def test_a_coordinate_given_twice_is_refused(words: tuple[str, ...]) -> None:
    _, err = gough(*words, code=2)
    assert "left_motor is given twice" in err and words[-2] in err
