"""What acts on the drives while time runs: forces over time, a motion they follow exactly, or a controller.

A law is written in traced scalars, so that it becomes a part of the compiled time loop and of its Jacobian.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.scalar import zeros
from gough.simulation.instant import Instant

if TYPE_CHECKING:
    from gough.compilation import Model

Vector = np.ndarray


class Law:
    """Base of all laws. prescribed: the drives follow the motion whatever force it takes; else `forces` says what they do.
    motion: kind of the motion it needs, "" for none. name: for results and messages."""

    name = "none"
    prescribed = False
    motion = ""

    def forces(self, model: "Model", numbers: Numbers, q: Vector, v: Vector, now: Instant) -> Vector:
        """tau (drives,)."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return {"law": self.name}


@dataclass(frozen=True)
class Free(Law):
    """No drive force, or the same all the time (drives,)."""

    tau: tuple[float, ...] = ()
    name = "free"

    def forces(self, model: "Model", numbers: Numbers, q: Vector, v: Vector, now: Instant) -> Vector:
        """tau (drives,)."""
        out = zeros(len(model.mechanism.drives))
        for k, x in enumerate(self.tau):
            out[k] = x
        return out

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return {"law": self.name, "tau": list(self.tau)}


@dataclass(frozen=True)
class Follow(Law):
    """The drives follow the motion exactly; what force that takes is a result."""

    name = "prescribed drives"
    prescribed = True
    motion = "drives"


@dataclass(frozen=True)
class Replay(Law):
    """Drive forces over time, given as a motion of kind "forces"."""

    name = "open-loop replay"
    motion = "forces"

    def forces(self, model: "Model", numbers: Numbers, q: Vector, v: Vector, now: Instant) -> Vector:
        """tau (drives,)."""
        return now.position
