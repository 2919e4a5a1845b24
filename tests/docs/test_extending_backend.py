"""docs/extending/backend.md does what it says on a copy of the library: one package and one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from docs.blocks import ROOT, blocks
from docs.test_extending import changed

PAGE = ROOT / "docs" / "extending" / "backend.md"


def test_a_backend_is_one_package_and_one_line(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "viewer"))
    packages, lines = set(), []
    for block in blocks(PAGE):
        if block.note.startswith("new file: "):
            file = tmp_path / block.note.removeprefix("new file: ")
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
            packages.add(file.parent)
        elif block.language == "diff":
            head, _, hunk = block.text.partition("\n")
            file = tmp_path / head.removeprefix("--- ")
            file.write_text(changed(file.read_text(encoding="utf-8"), hunk.rstrip("\n")), encoding="utf-8")
            lines += [line for line in hunk.splitlines() if line[0] in "+-"]
    assert len(packages) == 1 and len(lines) == 1
    [trial] = [block for block in blocks(PAGE) if block.note == "changed tree"]
    settings = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", trial.text], env=settings, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert trial.output is not None and done.stdout == trial.output.text
