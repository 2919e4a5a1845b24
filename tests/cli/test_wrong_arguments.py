"""Wrong options and values of every command end with an exit code and a clear line, never with a traceback or in silence."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from inner.cli import app

GOOD: dict[str, list[str]] = {
    "list": [],
    "show": ["five_bar"],
    "check": ["five_bar"],
    "count": ["five_bar"],
    "eval": ["five_bar", "drive_map", "--home"],
    "map": ["five_bar"],
    "modes": ["five_bar"],
    "simulate": ["five_bar", "--duration", "0.01"],
    "verify": ["five_bar"],
    "export": ["five_bar", "drive_map"],
    "where": [],
    "cite": [],
    "view": ["nothing_there"],
    "reproduce": ["nothing_there"],
}
"""Commands that end soon as they stand; those that would go on for minutes or serve a page get a name that is none."""
VALUES = [
    "",
    "a",
    "-1",
    "0",
    "nan",
    "inf",
    "1e400",
    "1e-300",
    "--",
    "-",
    "five_bar",
    "junk.yaml",
    "junk.csv",
    "junk.npz",
    "folder",
    "/",
    "no/such/file.yaml",
    "1,2",
    "1,,2",
    "[1",
    "{a: 1}",
    "x=1",
    "x=",
    "=1",
    "x=a",
    "x=1:2",
    "x=1:2:3",
    "x=1:2:1000000000000",
    "../..",
    "ü",
    "\0",
    "a b",
    "99999999999999999999",
    "1e3",
    "true",
    "mass_matrix",
    "frame_pose:",
    "frame_pose:zz",
    "drive_map@pose",
    "q",
]
SECONDS = 60
"""The longest a command may take; on an idle machine they take a tenth of that."""


class _Late(BaseException):
    pass


def _too_late(*_: Any) -> None:
    raise _Late


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gough.viewer.server.Viewer.wait", lambda self: self.close())  # a server that starts is good
    (tmp_path / "junk.yaml").write_text("a: [1\n", encoding="utf-8")
    (tmp_path / "junk.csv").write_text("a,b\n1\n", encoding="utf-8")
    (tmp_path / "junk.npz").write_bytes(b"\0\1\2")
    (tmp_path / "folder").mkdir()
    return tmp_path


def _spoiled(rng: np.random.Generator) -> list[str]:
    """A command with one or two things wrong."""

    def value() -> str:
        return str(VALUES[int(rng.integers(len(VALUES)))])

    name = list(GOOD)[int(rng.integers(len(GOOD)))]
    group: Any = typer.main.get_command(app)
    options = [p for p in group.commands[name].params if p.param_type_name == "option" and p.name != "help"]
    words, way = list(GOOD[name]), rng.random()
    if words and way < 0.3:
        words[int(rng.integers(len(words)))] = value()
    for _ in range(int(rng.integers(0 if words and way < 0.3 else 1, 3))):
        if not options:
            words.append(value())
            continue
        option = options[int(rng.integers(len(options)))]
        words += [option.opts[0]] if option.is_flag else [option.opts[0], value()]
    return [name, *words]


def _wrong(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    before = signal.signal(signal.SIGALRM, _too_late)
    found = []
    for _ in range(count):
        words = _spoiled(rng)
        signal.alarm(SECONDS)
        try:
            done = CliRunner().invoke(app, words)
        except _Late:
            found.append(f"{words}: more than {SECONDS} s")
            continue
        finally:
            signal.alarm(0)
        if done.exit_code not in (0, 1, 2, 3):
            found.append(f"{words}: exit code {done.exit_code}: {done.stderr}")
        elif done.exception is not None and not isinstance(done.exception, SystemExit):
            found.append(f"{words}: {done.exception!r}")
        elif "Traceback" in done.stderr or (done.exit_code == 2 and not done.stderr.strip()):
            found.append(f"{words}: {done.stderr or 'not a word'}")
    signal.signal(signal.SIGALRM, before)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_some_wrong_options() -> None:
    assert not _wrong(25, 0)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("seed", range(1, 8))
def test_many_wrong_options(seed: int) -> None:
    assert not _wrong(100, seed)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["modes", "five_bar"], "--at"),
        (["map", "five_bar", "--range", "y=0.1:0.2:3"], "--fixed"),
        (["simulate", "five_bar", "--duration", "0.01"], "--at"),
    ],
)
def test_a_coordinate_given_twice_or_without_value_names_its_option(arguments, option):
    twice = CliRunner().invoke(app, [*arguments, option, "x=1", option, "x=2"])
    assert twice.exit_code == 2 and "x is given twice" in twice.stderr and option in twice.stderr
    vary = ["simulate", "five_bar", "--runs", "2", "--vary", "x=spread(0.1)", "--vary", "x=spread(0.2)"]
    assert "x is given twice" in CliRunner().invoke(app, vary).stderr
    bare = CliRunner().invoke(app, [*arguments, option, "x"])
    assert bare.exit_code == 2 and option in bare.stderr and "NAME=VALUE" in bare.stderr
