"""Runs a page from top to bottom in an empty folder; its blocks share their names and their files.

python    executed; a `text` block directly below is what it prints
console   lines `$ command` and what they print; `make` runs in the repository, the installing commands do not run
yaml      `<!-- file: NAME -->` is written to that file. A whole robot is loaded. A part names its place in the page's
          last whole robot (`<!-- aside: NAME -->`: a whole one in a file, and no place for parts; `<!-- data: NAME -->`: a
          file that is no robot, for the blocks below):
          `<!-- at: legs[0] -->` is merged there, `<!-- for: legs[0].cut -->` takes its place,
          `keep at` and `keep for` leave the change for the parts below,
          `<!-- wrong at: … -->` and `<!-- wrong for: … -->` must be refused with the message of the `text` block below.
c         other languages with `<!-- file: NAME -->` are written to that file, for the blocks below
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from docs.blocks import ROOT, Block, blocks
from gough.robot import DescriptionError, loads
from gough.robot.reader import read

# Not run by the tests: they install, or run the tests themselves.
NOT_RUN = ("make setup", "make test", "make test-all", "make format", "pip install", ".venv/bin/pip install")
# Blocks about changes of the library, done on a copy by test_extending.py; recipes for machines that the tests do not have.
ELSEWHERE = ("new file: ", "changed tree", "recipe")
SLOW = ("make demo",)


def _serves(command: str) -> bool:
    """Whether a command runs until Ctrl-C; tests/cli/test_view.py runs those."""
    return command.startswith("gough view") and "--export" not in command


@dataclass
class Shown:
    """What a page shows and what came out; `line` and `lines` say where it stands in the page."""

    line: int
    expected: str
    printed: str


class Page:
    """One page; `run` yields what it shows beside what came out."""

    def __init__(self, path: Path, folder: Path, slow: bool = True) -> None:
        self.path, self.folder = path, folder
        self.not_run = NOT_RUN if slow else NOT_RUN + SLOW
        self.names: dict[str, Any] = {"__name__": "__page__"}
        self.robot: Any = None
        self.file = ""

    def run(self) -> Iterator[Shown]:
        """Run every block; what it prints is compared where the page shows it."""
        with contextlib.chdir(self.folder), np.printoptions():
            for block in blocks(self.path):
                if block.note.startswith(ELSEWHERE):
                    continue
                if block.language == "python":
                    printed = self._python(block)
                elif block.language == "console":
                    yield from self._console(block)
                    continue
                elif block.language == "yaml" and not block.note.endswith(".loops.yaml"):
                    printed = self._yaml(block)
                else:
                    if block.note.startswith("file: "):
                        (self.folder / block.note.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
                    continue
                if block.output is not None:
                    yield Shown(block.output.line + 1, block.output.text, printed)

    def _python(self, block: Block) -> str:
        code = compile("\n" * block.line + block.text, str(self.path), "exec", dont_inherit=True)
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, self.names)
        return stream.getvalue()

    def _console(self, block: Block) -> Iterator[Shown]:
        for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            command, shown = match[1], match[2]
            if not command.startswith(self.not_run) and not _serves(command):
                line = block.line + block.text[: match.start(2)].count("\n") + 1
                yield Shown(line, shown, self._shell(command))

    def _shell(self, command: str) -> str:
        in_tree = command.startswith("make ")
        if in_tree:  # as the page says, but without installing
            command = command.replace("make ", "make --no-print-directory -o .venv/.stamp-run -o .venv/.stamp-dev ", 1)
        tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        settings = {"PATH": tools, "NO_COLOR": "1", "COLUMNS": "160", "PYTHONWARNINGS": "ignore", "TERM": "dumb"}
        done = subprocess.run(
            command,
            shell=True,
            cwd=ROOT if in_tree else self.folder,
            env=os.environ | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.stdout

    def _yaml(self, block: Block) -> str:
        kind, _, place = block.note.partition(": ")
        document, problems = read(block.text, "page")
        assert not problems, f"{self.path.name}:{block.line}: {problems}"
        if kind in ("file", "aside", "data"):
            (self.folder / place).write_text(block.text, encoding="utf-8")
        if kind == "data":
            return ""
        if kind == "aside":
            assert not self._load(block.text), f"{self.path.name}:{block.line}: {self._load(block.text)}"
            return ""
        if isinstance(document, dict) and "format" in document:
            self.robot, self.file = document, place if kind == "file" else "robot.yaml"
            return self._load(block.text)
        assert place, f"{self.path.name}:{block.line}: a part without its place"
        changed = put(json.loads(json.dumps(self.robot)), place, document, kind.endswith("for"))
        printed = self._load(json.dumps(changed))
        self.robot = changed if kind.startswith("keep") else self.robot
        wrong = kind.startswith("wrong")
        assert bool(printed) == wrong, f"{self.path.name}:{block.line}: {'accepted' if wrong else printed}"
        return printed

    def _load(self, text: str) -> str:
        """What is wrong with a description; nothing when it is good."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                loads(text, self.file)
            except DescriptionError as error:
                return str(error)
        return ""


def put(document: Any, place: str, part: Any, replace: bool) -> Any:
    """The document with a part merged at a place ("legs[0].cut"; "document" is the whole), or put there."""
    if place == "document":
        return merge(document, part)
    *way, last = [int(step) if step.isdigit() else step for step in re.findall(r"[A-Za-z_]\w*|\d+", place)]
    target = document
    for step in way:
        target = target.setdefault(step, {}) if isinstance(target, dict) else target[step]
    old = target.get(last, {}) if isinstance(target, dict) else target[last]
    target[last] = part if replace else merge(old, part)
    return document


def merge(below: Any, above: Any) -> Any:
    """Mappings merge, anything else is replaced."""
    if isinstance(below, dict) and isinstance(above, dict):
        return below | {key: merge(below.get(key), value) for key, value in above.items()}
    return above
