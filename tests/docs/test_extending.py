"""Pages of docs/extending do what they say: their changes are made on a copy of the library, counted, and tried there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import ROOT, blocks

COSTS = {
    "joint": ("src/gough/joints/pin_in_slot.py", "src/gough/joints/__init__.py", 2),
    "element": ("src/gough/robot/flexible/tapered.py", "src/gough/robot/flexible/flexible.py", 2),
    "backend": ("src/gough/backends/python/__init__.py", "src/gough/backends/__init__.py", 1),
    "robot": ("src/gough/robot/gallery/scotch_yoke.yaml", None, 0),
    "controller": ("src/gough/simulation/control/joint_pid.py", "src/gough/simulation/control/laws.py", 2),
    "integration_method": (
        "src/gough/simulation/integration/methods/kutta38.py",
        "src/gough/simulation/integration/methods/__init__.py",
        1,
    ),
}
"""Of each page: its new file, the file it changes, and how many lines there are new (with the import, where there is one)."""


def changed(text: str, hunk: str) -> str:
    """A file with one change: lines with a blank stay, those with - become those with +."""
    lines = hunk.splitlines()
    old = "\n".join(line[1:] for line in lines if line[0] in " -")
    new = "\n".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(old) == 1, f"stands {text.count(old)} times in the file:\n{old}"
    return text.replace(old, new)


@pytest.mark.quick_cases("joint", "backend", "robot")
@pytest.mark.parametrize("page", COSTS)
def test_a_member_costs_what_its_page_says(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("viewer"))
    added, touched, lines = [], set(), 0
    for block in blocks(ROOT / "docs" / "extending" / f"{page}.md"):
        if block.note.startswith("new file: "):
            added.append(block.note.removeprefix("new file: "))
            file = tmp_path / added[-1]
            assert not file.exists()
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            head, _, hunk = block.text.partition("\n")
            touched.add(head.removeprefix("--- "))
            file = tmp_path / head.removeprefix("--- ")
            file.write_text(changed(file.read_text(encoding="utf-8"), hunk.rstrip("\n")), encoding="utf-8")
            lines += sum(line.startswith("+") for line in hunk.splitlines())
    new, list_of_members, count = COSTS[page]
    assert (added, touched, lines) == ([new], {list_of_members} - {None}, count)
    [trial] = [b for b in blocks(ROOT / "docs" / "extending" / f"{page}.md") if b.note == "changed tree"]
    settings = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", trial.text], env=settings, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert trial.output is not None and done.stdout == trial.output.text


@pytest.mark.parametrize("page", COSTS)
def test_code_for_the_tree_is_as_the_tree_has_it(page: str) -> None:
    """New files and changed lines pass ruff as they stand in the page."""
    for block in blocks(ROOT / "docs" / "extending" / f"{page}.md"):
        name = block.note.removeprefix("new file: ")
        if name == block.note or not name.endswith(".py"):
            continue
        for command in (["format", "--check"], ["check"]):
            tool = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(ROOT / name), "-"]
            done = subprocess.run(tool, input=block.text, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, f"{page}: ruff {command[0]}:\n{done.stdout}{done.stderr}"


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
