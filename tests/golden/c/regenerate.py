"""Write the C texts on file anew: `python tests/golden/c/regenerate.py`. Look at the difference before keeping it."""

from __future__ import annotations

import warnings
from pathlib import Path

import gough
from gough.export import export_texts
from inner.export import Options

FOLDER = Path(__file__).parent
CASES: dict[str, tuple[str, str, Options]] = {
    "five_bar": ("five_bar", "inverse_dynamics", Options()),
    "four_bar_chain": ("four_bar_chain", "forward_dynamics", Options(friction=False, wrench=False)),
    "delta_fast": ("delta_fast", "drive_map", Options()),
}
"""Folder of each case: robot, function and options. The third has loops over its legs."""


def texts(case: str) -> dict[str, str]:
    """{file: text} of a case; the version is left out, so that a release changes nothing here. Drivers are left out too:
    their numbers differ in the last digit from one LAPACK to the next."""
    robot, function, options = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = export_texts(gough.build(robot), function, "c", None, options)
    return {
        file: text.replace(f"gough {gough.__version__};", "gough;")
        for file, text in found.items()
        if not file.endswith("_test.c")
    }


if __name__ == "__main__":
    for case in CASES:
        (FOLDER / case).mkdir(exist_ok=True)
        for old in (FOLDER / case).iterdir():
            old.unlink()
        for file, text in texts(case).items():
            (FOLDER / case / file).write_text(text, encoding="utf-8")
            print(f"wrote {FOLDER / case / file}")
