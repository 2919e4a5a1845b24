"""What a file of a run holds whatever its format; and what is wrong with files that were cut, changed or written by something
else, instead of a crash later."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import GoughError, UsageError
from gough.text import unprintable_in

Array = np.ndarray
KIND, FORMAT = "gough run", 1
REMEDY = "simulate again, or take another copy of it"


@dataclass
class Contents:
    """What a file holds: groups {name: (array (n, k), columns, units)} in order, and the JSON document."""

    about: dict[str, Any]
    groups: dict[str, tuple[Array, tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)


def about_of(text: str | None, path: Path) -> dict[str, Any]:
    """The JSON document of a file; other files and newer formats are refused."""
    try:
        about = json.loads(text) if text is not None else {}
    except (ValueError, RecursionError):
        about = {}
    if not isinstance(about, dict) or about.get("kind") != KIND:
        raise UsageError(f"{path} is not the file of a run (written by Run.save)")
    bad = unprintable_in(about)
    if bad is not None:
        raise UsageError(f"{path} is damaged: a text in it has the character {bad}, which cannot be shown")
    if not isinstance(about.get("format"), int) or about["format"] > FORMAT:
        raise UsageError(f"{path} was written by a newer gough (format {about.get('format')}); this one reads {FORMAT}")
    return about


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Whatever a file's document lacks or has of a wrong kind is told as damage of the file."""
    try:
        yield
    except GoughError as error:
        if str(path) in str(error):
            raise
        raise UsageError(f"{path} is damaged: {error}; {REMEDY}") from error
    except KeyError as error:
        raise UsageError(f"{path} is damaged: it says nothing of {error}; {REMEDY}") from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        raise UsageError(f"{path} is damaged: what it says of itself cannot be read ({error}); {REMEDY}") from error


def demand_whole(contents: Contents, path: Path) -> None:
    """Refuse arrays that do not go with each other or with their names, and times that are none."""
    about, groups = contents.about, contents.groups
    for name in ("t", "q", "v"):
        if name not in groups:
            raise UsageError(f"{path} is damaged: the array {name} is missing; {REMEDY}")
    n = len(groups["t"][0])
    told = about.get("states", n)  # files of before do not say it
    if n != told:
        raise UsageError(f"{path} is damaged: it has {n} states of the {told} it was written with; {REMEDY}")
    widths = _widths(about["layout"])
    for name, (x, columns, units) in groups.items():
        array = np.asarray(x)
        if array.dtype.kind not in "fiub":
            raise UsageError(f"{path} is damaged: {name} holds no numbers ({array.dtype}); {REMEDY}")
        width = widths.get(name, len(columns))
        if array.shape != (n, width) or len(columns) != width or len(units) != width:
            raise UsageError(
                f"{path} is damaged: {name} has shape {array.shape} for {n} states and {width} columns; {REMEDY}"
            )
    time = np.asarray(groups["t"][0])[:, 0]
    bad = np.flatnonzero(~np.isfinite(time))
    if len(bad):
        raise UsageError(f"{path} is damaged: the time of state {bad[0]} is {time[bad[0]]}; {REMEDY}")
    back = np.flatnonzero(np.diff(time) < 0)
    if len(back):
        i = int(back[0])
        raise UsageError(
            f"{path} is damaged: time goes back from {time[i]:g} s (state {i}) to {time[i + 1]:g} s; {REMEDY}"
        )


def _widths(layout: Mapping[str, Any]) -> dict[str, int]:
    """Columns of the groups whose number the robot decides."""
    drives = len(layout["drive_names"])
    return {"t": 1, "q": len(layout["q_names"]), "v": len(layout["v_names"])} | ({"tau": drives} if drives else {})
