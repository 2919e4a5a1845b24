"""docs/extending/joint.md does what it says: its changes are made on a copy of the library, and its trial runs there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import ROOT, blocks

PAGE = ROOT / "docs" / "extending" / "joint.md"


def changed(text: str, hunk: str) -> str:
    """A file with one change: lines with a blank stay, those with - become those with +."""
    lines = hunk.splitlines()
    old = "\n".join(line[1:] for line in lines if line[0] in " -")
    new = "\n".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(old) == 1, f"stands {text.count(old)} times in the file:\n{old}"
    return text.replace(old, new)


def test_a_joint_is_added_as_the_page_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "viewer"))
    trial, added, touched = "", [], set()
    for block in blocks(PAGE):
        if block.note.startswith("new file: "):
            added.append(block.note.removeprefix("new file: "))
            (tmp_path / added[-1]).write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            head, _, hunk = block.text.partition("\n")
            touched.add(head.removeprefix("--- "))
            file = tmp_path / head.removeprefix("--- ")
            file.write_text(changed(file.read_text(encoding="utf-8"), hunk.rstrip("\n")), encoding="utf-8")
        elif block.note == "changed tree":
            trial = block.text
    assert added == ["src/gough/joints/pin_in_slot.py"] and touched == {"src/gough/joints/__init__.py"}
    settings = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", trial], env=settings, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["('pin_slot', 'pin_angle') ('slot', 'hinge')", "alike"]


def test_a_change_that_does_not_fit_is_found() -> None:
    assert changed("a\nb\nc", " a\n-b\n+d\n c") == "a\nd\nc"
    with pytest.raises(AssertionError, match="0 times"):
        changed("a\nb", " a\n-x")


def test_nothing_but_its_own_file_and_the_family_speaks_of_a_joint_by_name() -> None:
    """In the layers that derive what they know of joints from `joints.ALL`."""
    names, spoken = ("helical", "ball_screw", "cylindrical", "planar"), []
    for package in ("structure", "robot/checks", "viewer/drawing", "friction"):
        for file in sorted((ROOT / "src" / "gough" / package).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            spoken += [f"{file.name}: {name}" for name in names if f'"{name}"' in text]
    assert not spoken
