"""Robots to write: the gallery's, and those of this folder with joints, loops, springs and couplings that it does not have."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import gough

HERE = Path(__file__).parent
CORNERS = sorted(path.stem for path in HERE.glob("*.yaml"))
TOLERANCE = 1e-9


@cache
def built(name: str) -> gough.Model:
    """The model of a robot by its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(HERE / f"{name}.yaml" if name in CORNERS else name)


def written(name: str, folder: Path, suffix: str, leave_out: tuple[str, ...] = ()) -> Path:
    """A robot's file, with what may be said about it said."""
    file = folder / f"{name}{suffix}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ConversionWarning)
        assert gough.save(built(name).robot, file, leave_out=leave_out)[0] == file
    return file


def kinds_refused(name: str, folder: Path, suffix: str) -> set[str]:
    """What must be left out of a robot's file."""
    file = folder / f"{name}{suffix}"
    try:
        written(name, folder, suffix)
    except gough.UsageError as error:
        assert not file.exists()
        last = str(error).splitlines()[-1].partition(" (")[0]
        return set(last.split("--leave-out ")[1:] and last.replace("--leave-out", "").partition(":")[2].split())
    return set()
