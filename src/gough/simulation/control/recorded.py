"""Functions of the user's as laws: recorded once on traced scalars instead of called at every sample, where that is the same.

It is the same where a function is a formula of t, q, v and the motion: it branches on no value, reads nothing but numbers,
arrays, modules of mathematics and functions of that kind, and stores nothing outside of itself. Recorded twice it must come out
alike, and at some states its program must give what the function gives. All others are called.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from dis import get_instructions
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.program import Program, Slot, trace
from gough.program.interpreter import evaluate
from gough.simulation.control.law import Here, Law

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
KINDS = ("drives", "joints", "point")
"""Motions whose numbers the time loop has as they are."""
MODULES = ("numpy", "math", "gough.scalar")
BUILTINS = ("abs", "len", "range", "zip", "enumerate", "sum", "tuple", "list", "reversed", "isinstance", "map")
STORES = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME", "YIELD_VALUE")
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
    if not isinstance(function, FunctionType):
        return None, "it is an object, which may remember something"
    if motion is not None and motion.kind not in KINDS:
        return None, f"the motion is of kind {motion.kind!r}"
    why = _outside(function, set())
    if why:
        return None, why
    arrays = _arrays_of(function)
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


def _outside(function: FunctionType, seen: set[int]) -> str:
    """What a function reads or stores outside of itself that a formula does not; "" for nothing."""
    if id(function) in seen:
        return ""
    seen.add(id(function))
    code, names = function.__code__, set[str]()
    for one in _codes(code):
        free = set(code.co_freevars)
        for step in get_instructions(one):
            if step.opname in STORES or (step.opname == "STORE_DEREF" and step.argval in free):
                return "it stores something outside of itself"
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(step.argval)
            if step.argval == "random":
                return "it draws random numbers"
    cells = {name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)}
    known = function.__globals__
    values = cells | {name: known[name] for name in names if name in known}
    foreign = [name for name in names if name not in known and name not in BUILTINS]
    if foreign:
        return f"it calls {foreign[0]}"
    defaults = dict(enumerate(function.__defaults__ or ())) | (function.__kwdefaults__ or {})
    for name, value in (values | {str(k): x for k, x in defaults.items()}).items():
        if isinstance(value, FunctionType) and not _is_mathematics(value.__module__):
            why = _outside(value, seen)
            if why:
                return why
        elif not _is_plain(value):
            return f"it reads {name}, which may be something else at every sample"
    return ""


def _codes(code: CodeType) -> list[CodeType]:
    inner = [x for x in code.co_consts if isinstance(x, CodeType)]
    return [code, *(more for x in inner for more in _codes(x))]


def _is_mathematics(module: str | None) -> bool:
    return any(module == known or str(module).startswith(f"{known}.") for known in MODULES)


def _is_plain(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return _is_mathematics(value.__name__)
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiub"
    if value is None or isinstance(value, bool | int | float | str | np.floating | np.integer):
        return True
    return callable(value) and _is_mathematics(getattr(value, "__module__", None))


def _arrays_of(function: FunctionType) -> list[Vector]:
    """Arrays that it reads from around it."""
    around = [cell.cell_contents for cell in function.__closure__ or ()]
    around += [function.__globals__.get(name) for name in function.__code__.co_names]
    return [x for x in (*around, *(function.__defaults__ or ())) if isinstance(x, np.ndarray)]


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
