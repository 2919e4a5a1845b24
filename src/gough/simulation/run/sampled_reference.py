"""The reference of a law on a clock, as a program of its samples is given it: pieces of a motion's table, or from outside.

With a table a sample gets the polynomials of the piece and the time since where they count from. From outside it gets position,
velocity and acceleration of the motion's channels; of a pose position, quaternion, twist and the twist's classical derivative.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.scalar import zeros
from gough.simulation.control.instant import Instant, MotionRows
from gough.simulation.motion.motion import LONGEST
from gough.simulation.motion.table import MotionTable
from gough.spatial.rotation import rotation_from_quaternion_wxyz

Vector = np.ndarray
HEAD = 3
"""Numbers at the begin of a row that a sample is not given: begin, end, where polynomials count from."""


@dataclass(frozen=True, eq=False)
class Entries:
    """An input or output of a sample: name, (name, unit) of its entries."""

    name: str
    rows: tuple[tuple[str, str], ...]

    @property
    def size(self) -> int:
        """How many numbers."""
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class SampledReference:
    """table: of the motion as the law has it, None without one. follows: whether it is known to the program, else numbers of its
    kind come from outside."""

    table: MotionTable | None
    follows: bool

    @cached_property
    def rows(self) -> MotionRows:
        """What rows of the table look like, without settings."""
        return MotionRows.of(self.table)

    @cached_property
    def pieces(self) -> Vector | None:
        """Rows (pieces, n), the last one of rest behind the end: begin, end, the time its polynomials count from, and what a
        sample is given of it; None without a table."""
        if self.table is None:
            return None
        own = [self.rows.row(self.table, k) for k in range(len(self.table.breaks) - 1)]
        return np.array([*own, self.rows.at_rest(self.table, LONGEST)])

    @cached_property
    def entries(self) -> tuple[Entries, ...]:
        """What a sample is given."""
        if self.table is None:
            return ()
        if self.follows:
            return (Entries("piece", tuple((f"piece {k}", "") for k in range(self.rows.size - HEAD))),)
        if self.table.kind == "pose":
            axes, turns = ("x", "y", "z"), ("wx", "wy", "wz")
            rate = (*((f"a{x}", "m/s2") for x in axes), *((f"d/dt {x}", "rad/s2") for x in turns))
            return (
                Entries("position", tuple((x, "m") for x in axes)),
                Entries("quaternion", tuple((x, "") for x in ("qw", "qx", "qy", "qz"))),
                Entries("twist", (*((f"v{x}", "m/s") for x in axes), *((x, "rad/s") for x in turns))),
                Entries("twist_rate", rate),
            )
        orders = ("position", "", ""), ("velocity", "d/dt ", "/s"), ("acceleration", "d2/dt2 ", "/s2")
        return tuple(
            Entries(
                key,
                tuple((f"{mark}{n}", f"{u}{more}") for n, u in zip(self.table.names, self.table.units, strict=True)),
            )
            for key, mark, more in orders
        )

    def at(self, time: Any, since: Any, inputs: Mapping[str, Vector]) -> Instant:
        """The motion at a time (s), which is `since` (s) behind where the piece's polynomials count from."""
        if self.table is None:
            return Instant(zeros(0), zeros(0), zeros(0), time=time)
        if self.follows:
            return replace(self.rows.at(np.concatenate([zeros(HEAD), inputs["piece"]]), since), time=time)
        position, velocity, acceleration = (inputs[x.name] for x in self.entries if x.name != "quaternion")
        if self.table.kind != "pose":
            return Instant(position, velocity, acceleration, kind=self.table.kind, time=time)
        R = rotation_from_quaternion_wxyz(inputs["quaternion"])
        return Instant(position, velocity, acceleration, R, self.table.kind, time=time)

    @property
    def usual(self) -> dict[str, Vector]:
        """Inputs (1, n) at the begin of the motion, at rest."""
        pieces = self.pieces
        if pieces is None:
            return {}
        if self.follows:
            return {"piece": pieces[:1, HEAD:]}
        first, step = self.rows.first, self.rows.degree + 1
        out = {x.name: np.zeros((1, x.size)) for x in self.entries}
        n = out["position"].shape[1]
        out["position"] = pieces[:1, first : first + step * n : step]
        return out | (
            {"quaternion": pieces[:1, HEAD : HEAD + 4]} if self.table is not None and self.table.kind == "pose" else {}
        )
