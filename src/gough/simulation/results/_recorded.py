"""Channels of a run as they are listed, and those that were recorded while it ran; names and units of the entries of its arrays:
those of files of states (`gough eval`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats
from gough.errors import UsageError
from gough.structure import Layout
from gough.structure.layout import TWIST_NAMES
from gough.text import short_repr, wrong_label

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

ANGLES = ("yaw", "pitch", "roll")
ACCELERATION = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
WRENCH_UNITS = ("N",) * 3 + ("N m",) * 3
TWIST_UNITS = ("m/s",) * 3 + ("rad/s",) * 3
DEFLECTION = ("dx", "dy", "dz", "rx", "ry", "rz")
DEFLECTION_UNITS = ("m",) * 3 + ("rad",) * 3
Array = np.ndarray


def rate_columns(layout: Layout, names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of rates: vx … wz of a platform's twist, "v.NAME" of everything else."""
    own = TWIST_NAMES if layout.n_pose else ()
    return tuple(n if n in own else f"v.{n}" for n in names)


def acceleration_columns(layout: Layout) -> tuple[str, ...]:
    """Columns of v̇: ax … alphaz of a platform, "a.NAME" of everything else."""
    own: dict[str, str] = dict(zip(TWIST_NAMES, ACCELERATION, strict=True)) if layout.n_pose else {}
    return tuple(own.get(n, f"a.{n}") for n in layout.v_names)


def force_columns(layout: Layout) -> tuple[str, ...]:
    """Columns of drive forces."""
    return tuple(f"tau.{name}" for name in layout.drive_names)


def drive_units(layout: Layout) -> tuple[str, ...]:
    """Units of the drives' coordinates."""
    return tuple("rad" if unit == "N m" else "m" for unit in layout.drive_units)


def quaternions(names: tuple[str, ...]) -> list[int]:
    """Where unit quaternions (four entries …qw …qx …qy …qz) start among names of coordinates."""
    found = []
    for i, name in enumerate(names[: max(len(names) - 3, 0)]):
        stem = name[:-2]
        if name.endswith("qw") and names[i + 1 : i + 4] == (f"{stem}qx", f"{stem}qy", f"{stem}qz"):
            found.append(i)
    return found


def lock_array(x: Array) -> Array:
    """The array, made read-only."""
    x.setflags(write=False)
    return x


@dataclass(frozen=True)
class Channel:
    """A quantity over time: `entries` and `units` of its columns; `single`: one column, an array (n,).

    states: how many are stored. about: in words.
    """

    name: str
    entries: tuple[str, ...]
    units: tuple[str, ...]
    about: str
    states: int
    single: bool = False
    compute: "Callable[[Run], Array]" = field(repr=False, compare=False, default=lambda run: run.time)

    @property
    def unit(self) -> str:
        """Its unit; of columns in different units all of them."""
        return ", ".join(dict.fromkeys(self.units))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of its array."""
        return (self.states,) if self.single else (self.states, len(self.entries))

    def __str__(self) -> str:
        return f"{self.name} {self.shape} [{self.unit}]: {self.about}"

    def __repr__(self) -> str:
        units = ", ".join(dict.fromkeys(self.units)) or "no columns"
        return f"<channel {self.name}: {len(self.entries)} x {self.states} in {units}>"


@dataclass(frozen=True)
class Recorded:
    """A channel that was stored with the run. values (n,) or (n, k); derived: it can be computed from the states again."""

    values: Array
    entries: tuple[str, ...]
    units: tuple[str, ...]
    derived: bool = False

    def channel(self, name: str) -> Channel:
        """How it is listed."""
        about = "computed before it was saved" if self.derived else "recorded while it ran"
        single = self.values.ndim == 1
        return Channel(name, self.entries, self.units, about, len(self.values), single, lambda run: self.values)

    __repr__ = short_repr


def as_recorded(given: Mapping[str, Any], n: int) -> dict[str, Recorded]:
    """From {name: array}, {name: (array, unit or units)} or {name: (array, units, entries)}; unit "1" where none is told."""
    out = {}
    if not isinstance(given, Mapping):
        raise UsageError(f"recorded={given!r}: give {{name: (array, unit)}}")
    for name, value in given.items():
        if (wrong := wrong_label(name)) is not None:
            raise UsageError(f"recorded {name!r}: {wrong}")
        if isinstance(value, Recorded):
            out[name] = value
            continue
        parts = value if isinstance(value, tuple) else (value,)
        array, unit, entries = parts[0], parts[1] if len(parts) > 1 else "1", parts[2] if len(parts) > 2 else None
        x = floats(f"recorded {name!r}", array)
        if x.ndim not in (1, 2) or len(x) != n:
            raise UsageError(f"recorded {name!r} has shape {x.shape}; expected ({n},) or ({n}, k): a row a stored time")
        width = 1 if x.ndim == 1 else x.shape[1]
        units = (unit,) * width if isinstance(unit, str) else tuple(unit)
        given_names = [name] if x.ndim == 1 else [f"{name}.{k}" for k in range(width)]
        labels = tuple(entries) if entries is not None else tuple(given_names)
        for label in labels:
            if (wrong := wrong_label(label)) is not None:
                raise UsageError(f"recorded {name!r}: the column {label!r}: {wrong}")
        if len(units) != width or len(labels) != width:
            raise UsageError(
                f"recorded {name!r}: {width} columns, {len(units)} units and {len(labels)} names of columns"
            )
        x.setflags(write=False)
        out[name] = Recorded(x, labels, units)
    return out
