"""Robots to write: the gallery's, and those of this folder with joints, loops, springs and couplings that it does not have."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import gough
from gough.robot import gallery

HERE = Path(__file__).parent
CORNERS = sorted(path.stem for path in HERE.glob("*.yaml"))
TOLERANCE = 1e-9


REDUCED = ("delta_flexible", "hexapod_flexible", "long2014", "dualemps_8", "dualemps_refined", "spin_up_beam")
"""Whose finite elements are slow, or refused for what others of the gallery are refused for."""
TWINS = ("agile_eye", "ankle", "delta_fast", "hobby_6rss", "redundant_planar", "three_rrr", "tripod_wrist")
"""Whose kinds of parts others have: files of these are looked at in the slow tests."""


def path_of(name: str) -> str | Path:
    """What `gough.load` takes."""
    return HERE / f"{name}.yaml" if name in CORNERS else name


@cache
def flexible_names() -> tuple[str, ...]:
    """Robots of the gallery with bodies that bend, as their descriptions say."""
    folder = (
        resources.files("gough.robot") / "gallery"
    )  # read as text: loading them all is dear while tests are collected
    texts = {name: (folder / f"{name}.yaml").read_text(encoding="utf-8") for name in gallery()}
    return tuple(name for name, text in texts.items() if re.search(r"^[^#]*\bflexible:", text, re.MULTILINE))


def with_slow(names: Iterable[str], slow: Collection[str]) -> list[Any]:
    """Parameters of a test, those that take long marked."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in slow else name for name in names]


@cache
def built(name: str) -> gough.Model:
    """The model of a robot by its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(path_of(name))


@cache
def _texts(name: str, suffix: str, leave_out: tuple[str, ...]) -> dict[str, str]:
    """{file: text} of a robot: many tests look at the same one."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ConversionWarning)
        files = gough.save(gough.load(path_of(name)), Path(folder, f"{name}{suffix}"), leave_out=leave_out)
        return {file.name: file.read_text(encoding="utf-8") for file in files}


def written(name: str, folder: Path, suffix: str, leave_out: tuple[str, ...] = ()) -> Path:
    """A robot's file, with what may be said about it said."""
    for file, text in _texts(name, suffix, leave_out).items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder / f"{name}{suffix}"


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
