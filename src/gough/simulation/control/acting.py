"""What a law gives where it is recorded, and what is said where that is not what a time loop can take."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.scalar import zeros

if TYPE_CHECKING:
    from gough.simulation.control.law import Here, Law

Vector = np.ndarray
MISUSES = ("traced value", "'Traced'", "loop of ufunc", "dtype('O')", "Python scalar")
"""What stands in errors of functions that take no traced scalars, or of branches on them."""
MISFITS = (
    "broadcast",
    "mismatch",
    "reshape",
    "matmul",
    "inhomogeneous",
    "concatenat",
    "not aligned",
    "out of bounds",
    "unpack",
)
"""What stands in errors of arrays whose sizes do not fit."""


@dataclass(frozen=True)
class Action:
    """What a law does: drive forces tau (drives,), rates of its own states."""

    tau: Vector
    rates: Vector = field(default_factory=lambda: zeros(0))


@dataclass(frozen=True)
class Inner:
    """Own states of a law: names, units, first values (n,), typical sizes (n,), which errors are relative to. clocked: how many
    of them, the last ones, do not flow but change when a clock ticks (see `Law.tick`)."""

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    first: Vector = field(default_factory=lambda: np.zeros(0))
    sizes: Vector = field(default_factory=lambda: np.zeros(0))
    clocked: int = 0

    def __post_init__(self) -> None:
        each = {"names": self.names, "units": self.units, "first values": self.first, "sizes": self.sizes}
        if len({len(x) for x in each.values()}) > 1:
            told = ", ".join(f"{len(x)} {key}" for key, x in each.items())
            raise UsageError(f"Inner: {told}; give one of each for every state of the law ({', '.join(self.names)})")


def demand_shape(law: "Law", key: str, given: Any, names: Sequence[str], what: str) -> Vector:
    """What a law gives, one a name (n,): any other shape would broadcast, or fail in the robot's equations."""
    found = np.asarray(given, dtype=object)
    if found.shape != (len(names),):
        own = f", one a {what}: {', '.join(names)}" if names else f": there is no {what}"
        raise UsageError(f"{law.name}: {key} must be ({len(names)},){own}; the law gives {_shape_of(found)}")
    return found


def _shape_of(given: Vector) -> str:
    """How a message calls what is not of the right shape."""
    return f"an array {given.shape}" if given.ndim else "None" if given[()] is None else "a single number"


def record_action(law: "Law", here: "Here") -> Action:
    """What a law does here; a UsageError that names it where it asks something of traced scalars that they have not, or where
    sizes do not fit."""
    try:
        found = law.act(here)
    except (TypeError, AttributeError) as error:
        if not any(word in str(error) for word in MISUSES):
            raise
        raise UsageError(
            f"{law.name}: {error}. A law is recorded, not run on numbers: its values take + - * / @, whole powers, indexing and "
            "np.concatenate; single ones the functions of gough.scalar (sin cos sqrt atan2 abs_ sign select); and for "
            "`a if x > 0 else b` write select(x, a, b). A function of numbers may do anything: gough.laws.Sampled"
        ) from error
    except (ValueError, IndexError) as error:
        if not any(word in str(error) for word in MISFITS):
            raise
        raise UsageError(f"{law.name}: {str(error).rstrip()}. {_sizes(here)}") from error
    if not isinstance(found, Action):
        raise UsageError(
            f"{law.name}: act(here) gives {type(found).__name__}; give gough.laws.Action(forces, rates), or write forces(here) "
            "in its place where the law has no states of its own"
        )
    return found


def _sizes(here: "Here") -> str:
    """Of what a law sees, in words."""
    layout = here.measured.model.layout
    n = len(layout.drive_names)
    motion = f", here.now.position ({len(here.now.position)},)" if len(here.now.position) else ""
    return (
        f"The robot has {n} drives: here.measured.drives and drive_rates ({n},), q ({layout.nq},), v ({layout.nv},), rates of "
        f"all joints ({len(layout.u_names)},){motion}, here.settings ({len(here.settings)},), here.inner ({len(here.inner)},)"
    )
