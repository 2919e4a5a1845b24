"""Pages that add a controller and a method of integration: one new file and one changed one, and they do what they say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import ROOT, blocks
from docs.test_extending import changed

SAYS = {
    "controller": ["sags holds", "integral.leg0.arm"],
    "integration_method": ["order 4", "order 4"],
}


@pytest.mark.parametrize("page", SAYS)
def test_a_member_is_one_file_and_one_line_of_a_list(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "viewer"))
    new, touched, trial = set(), set(), ""
    for block in blocks(ROOT / "docs" / "extending" / f"{page}.md"):
        if block.note.startswith("new file: "):
            file = tmp_path / block.note.removeprefix("new file: ")
            assert not file.exists()
            file.write_text(block.text, encoding="utf-8")
            new.add(file)
        elif block.language == "diff":
            head, _, hunk = block.text.partition("\n")
            file = tmp_path / head.removeprefix("--- ")
            file.write_text(changed(file.read_text(encoding="utf-8"), hunk.rstrip("\n")), encoding="utf-8")
            touched.add(file)
        elif block.note == "changed tree":
            trial = block.text
    assert len(new) == 1 and len(touched) == 1
    settings = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", trial], env=settings, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == SAYS[page]
