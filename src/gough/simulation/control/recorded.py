"""Functions of the user's as laws: recorded once on traced scalars instead of called at every sample, where that is the same.

It is the same where a function is a formula of t, q, v and the motion: it branches on no value, reads nothing but numbers,
arrays, modules of mathematics and functions of that kind, and stores nothing outside of itself. Recorded twice it must come out
alike, and at some states its program must give what the function gives. All others are called.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.program import Program, Slot, trace
from gough.program.interpreter import evaluate
from gough.simulation._formulas import arrays_around, foreign_to_formulas
from gough.simulation.control.law import Here, Law

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
KINDS = ("drives", "joints", "point")
"""Motions whose numbers the time loop has as they are."""
CLOSE = 1e-9
"""How far the program may be from the function, of the largest force."""
LOOKS = 4
"""States at which they are compared."""


@dataclass(frozen=True)
class ReferenceNow:
    """The motion at an instant, as functions see it."""

    position: Vector
    velocity: Vector
    acceleration: Vector


@dataclass(frozen=True, eq=False)
class RecordedFunction(Law):
    """A function f(t, q, v, reference) -> tau of the robot `of`, in whose velocities it is told."""

    function: Callable[..., Any]
    of: "Model"
    digest: Hashable = field(default=None)
    name = "function"
    computes = False

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return self.digest

    @property
    def any_velocities(self) -> bool:
        """See `Law`: it sees those of its robot, whichever lead."""
        return True

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`: it takes any motion, or none."""

    def forces(self, here: Here) -> Vector:
        """tau (drives,)."""
        seen, now = here.measured, here.now
        v = seen.v if seen.model is self.of else seen.rates[list(self.of.mechanism.selection.independent)]
        reference = ReferenceNow(now.position, now.velocity, now.acceleration) if now.kind else None
        return np.asarray(self.function(now.time, seen.q.copy(), v.copy(), reference), dtype=object)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return {"function": self.function.__name__}


def record_function(
    function: Any, model: "Model", motion: "Motion | None", digest: Callable[[Program], Hashable]
) -> tuple[RecordedFunction | None, str]:
    """(the function as a law, "") or (None, why it must be called)."""
    if motion is not None and motion.kind not in KINDS:
        return None, f"the motion is of kind {motion.kind!r}"
    why = foreign_to_formulas(function)
    if why:
        return None, why
    arrays = arrays_around(function)
    before = [x.copy() for x in arrays]
    try:
        first, second = (_program(function, model, motion) for _ in range(2))
        alike = digest(first) == digest(second)
        same = alike and _is_same(first, function, model, motion)
    except Exception as problem:
        return None, f"it does more than a formula does ({type(problem).__name__}: {problem})"
    finally:
        changed = [
            k for k, (a, b) in enumerate(zip(arrays, before, strict=True)) if not np.array_equal(a, b, equal_nan=True)
        ]
        for k in changed:
            arrays[k][...] = before[k]
    if changed:
        return None, "it stores something outside of itself"
    if not same:
        return None, "it gives other forces than its formula" if alike else "it is another formula every time"
    return RecordedFunction(function, model, digest(first)), ""


def _sizes(model: "Model", motion: "Motion | None") -> dict[str, int]:
    sizes = {"t": 1, "q": model.layout.nq, "v": model.layout.nv}
    return (
        sizes if motion is None else sizes | dict.fromkeys(("position", "velocity", "acceleration"), len(motion.names))
    )


def _program(function: Callable[..., Any], model: "Model", motion: "Motion | None") -> Program:
    def equations(t: Vector, q: Vector, v: Vector, *now: Vector) -> dict[str, Any]:
        found = function(t[0], q.copy(), v.copy(), ReferenceNow(*now) if now else None)
        return {"tau": np.asarray(found, dtype=object)}

    slots = tuple(Slot(name, (n,)) for name, n in _sizes(model, motion).items())
    return trace(lambda **given: equations(*given.values()), slots, "function")


def _is_same(program: Program, function: Callable[..., Any], model: "Model", motion: "Motion | None") -> bool:
    """Whether a program gives what the function gives, and finite forces."""
    rng = np.random.default_rng(0)
    for k in range(LOOKS):
        t = 0.37 * k if motion is None else motion.duration * k / (LOOKS - 1)
        q, v = model.home + 0.01 * rng.normal(size=model.layout.nq), rng.normal(size=model.layout.nv)
        now = None if motion is None else motion.at(t)
        wanted = np.asarray(function(t, q.copy(), v.copy(), now), dtype=float)
        given = {"t": np.array([t]), "q": q, "v": v}
        if now is not None:
            given |= {"position": now.position, "velocity": now.velocity, "acceleration": now.acceleration}
        found = evaluate(program, given)["tau"]
        if not found.shape == wanted.shape == (len(model.mechanism.drives),) or not np.isfinite(wanted).all():
            return False
        if not np.abs(found - wanted).max(initial=0.0) <= CLOSE * max(np.abs(wanted).max(initial=0.0), math.ulp(1.0)):
            return False
    return True
