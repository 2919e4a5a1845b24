"""Exported C of three small robots, compared letter by letter: generated code is read by people."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from golden.c.regenerate import CASES, FOLDER, texts

HINT = "the text changed: if that was meant, run `python tests/golden/c/regenerate.py` and look at the difference"


@pytest.mark.parametrize("case", CASES)
def test_text_is_that_on_file(case: str) -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in (FOLDER / case).iterdir()}
    assert texts(case) == kept, HINT


def test_one_of_them_has_loops() -> None:
    assert "for (int k = 0; k < 4; ++k) {" in (FOLDER / "delta_fast" / "delta_fast_drive_map.c").read_text(
        encoding="utf-8"
    )


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from golden.c.regenerate import CASES, texts
print([texts(case) for case in CASES])
"""


def test_text_is_the_same_under_two_hash_seeds() -> None:
    tests = str(Path(__file__).resolve().parents[1])
    command = [sys.executable, "-c", SCRIPT, tests]
    found = {
        subprocess.run(command, capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
