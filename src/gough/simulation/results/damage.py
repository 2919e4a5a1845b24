"""Files of runs that were cut, changed or written by something else: what is wrong with them, instead of a crash later."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import GoughError, UsageError

if TYPE_CHECKING:
    from gough.simulation.results.files import Contents

REMEDY = "simulate again, or take another copy of it"


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


def demand_whole(contents: "Contents", path: Path) -> None:
    """Refuse arrays that do not go with each other or with their names, and times that are none."""
    about, groups = contents.about, contents.groups
    for name in ("t", "q", "v"):
        if name not in groups:
            raise UsageError(f"{path} is damaged: the array {name} is missing; {REMEDY}")
    n = len(groups["t"][0])
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
