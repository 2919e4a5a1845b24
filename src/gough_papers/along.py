"""Rigid robots along the papers' motions: the forces that are known from somewhere else than this library, and what a function
costs.

The motions are the library's, by name. Pedrammehr's are sampled at t = (k + 1/2) T/601: none falls on a jump of acceleration.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Model, Run, named_motion
from gough_papers.comparison import INDEPENDENT, KnownComparison, equals, half_digit

TIMED_STATES = 20_000
TIMED = f"µs/state: {TIMED_STATES} states in one call, all threads, the fastest call"
TIMED_CALLS, TIMED_SECONDS = 5, 0.2
"""At least so many calls, and for so long: one call of a small robot takes a millisecond."""


@dataclass(frozen=True)
class KnownForce:
    """A quantity of drive forces (n, drives), N, right to half a unit of its last digit."""

    quantity: str
    measure: Callable[[np.ndarray], Any]
    value: tuple[float, ...]
    tolerance: float


@dataclass(frozen=True)
class PaperPath:
    """A named motion of a gallery robot. title: in a few words. inside: samples lie between the ends of even steps, not on
    them."""

    robot: str
    title: str
    motion: str
    samples: int
    known: tuple[KnownForce, ...]
    inside: bool = False


def _first(forces: np.ndarray) -> np.ndarray:
    return forces[0]


def _largest(forces: np.ndarray) -> float:
    return float(np.abs(forces).max())


def _rms(forces: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(forces))))


def _pedrammehr(number: int, speed: str, largest: float, rms: float, first: tuple[float, ...] = ()) -> PaperPath:
    known = [KnownForce("max |f|", _largest, (largest,), 0.05), KnownForce("rms f", _rms, (rms,), 0.05)]
    if first:
        known.append(KnownForce("f at first sample", _first, first, 0.0005))
    name = f"pedrammehr2012_path{number}"
    return PaperPath("pedrammehr2012", f"path {number}, {speed}", name, 601, tuple(known), inside=True)


PATHS = {
    "pedrammehr2012_path1": _pedrammehr(1, "0.083 m/s", 1152.3, 630.0),
    "pedrammehr2012_path2": _pedrammehr(
        2, "0.08 m/s", 1683.2, 694.0, (271.010, -1270.130, 1683.231, -719.764, -248.035, 692.075)
    ),
    "pedrammehr2012_path3": _pedrammehr(
        3, "0.8 m/s", 2377.4, 872.3, (145.366, -1692.133, 2377.362, -997.397, -548.394, 1244.382)
    ),
    "lopes_p1p2p1": PaperPath(
        "lopes",
        "P1 → P2 → P1",
        "lopes_p1p2p1",
        401,
        (
            KnownForce("f at P1", _first, (7.3608,) * 6, 0.00005),
            KnownForce("f at P2", lambda f: f[len(f) // 2], (5.3106, 8.1697, 4.2965, 11.2868, 7.5115, 7.5895), 0.00005),
            KnownForce("range of f", lambda f: (f.min(), f.max()), (3.566, 11.287), 0.0005),
        ),
    ),
    "lopes_simplified_p1p2p1": PaperPath(
        "lopes_simplified",
        "P1 → P2 → P1",
        "lopes_p1p2p1",
        401,
        (KnownForce("f at P1", _first, (7.3510,) * 6, 0.00005),),
    ),
    "long2014_poses": PaperPath(
        "long2014_rigid",
        "four poses",
        "long2014_poses",
        421,
        (KnownForce("f at the initial pose", _first, (-621.7, -400.3, 1950.1, -1003.5, -107.5, 1532.3), 0.05),),
    ),
}
"""Positive forces lengthen the leg."""


def run_along(model: Model, path: str, slower: float = 1.0, samples: int | None = None) -> Run:
    """A model of a path's robot along it, with the drive forces that it needs. slower: times its duration."""

    p = PATHS[path]
    motion = named_motion(p.motion) if slower == 1.0 else named_motion(p.motion).slower(slower)
    n = samples or p.samples
    t = (np.arange(n) + 0.5) * motion.duration / n if p.inside else np.linspace(0.0, motion.duration, n)
    at = motion.at(t)
    return posed_run(model, t, at.position, at.velocity, at.acceleration)


def posed_run(model: Model, t: np.ndarray, pose: np.ndarray, v: np.ndarray, acceleration: np.ndarray) -> Run:
    """A rigid model at poses (n, 7) of its platform, twists and their derivatives (n, 6)."""

    return Run.from_states(model, t, model.configuration(pose=pose), v, acceleration=acceleration)


def known_forces(path: str, forces: np.ndarray) -> list[KnownComparison]:
    """Drive forces (n, drives) at a path's samples beside all numbers known of them."""
    p = PATHS[path]
    return [
        equals(
            f"{p.robot}, {p.title}: {k.quantity}",
            k.measure(forces),
            k.value,
            "N",
            half_digit(k.tolerance),
            INDEPENDENT,
            form=f".{int(np.ceil(-np.log10(2 * k.tolerance)))}f",  # as many digits as are known
        )
        for k in p.known
    ]


@dataclass(frozen=True)
class Cost:
    """Of a function: operations, seconds to derive and compile it, and microseconds of a state in a batch of TIMED_STATES, all
    threads."""

    operations: int
    derive_s: float
    compile_s: float
    microseconds: float

    @property
    def cells(self) -> tuple[str, ...]:
        """In print, under COST_HEAD."""
        seconds = (f"{x:.2f}" for x in (self.derive_s, self.compile_s))
        return (str(self.operations), *seconds, f"{self.microseconds:.3f}")


COST_HEAD = ("operations", "derive s", "compile or load s", "µs/state")


def function_cost(model: Model, name: str, q: Any = None, v: Any = None, given: Any = None) -> Cost:
    """Of inverse or forward dynamics at states q, v, given (accelerations or forces), home at rest where left out."""
    begin = time.perf_counter()
    function = model.function(name)
    operations = model.count(name).operations
    derived = time.perf_counter()
    function.compile()
    compiled = time.perf_counter()
    layout = model.layout
    rest = (model.home, np.zeros(layout.nv), np.zeros(len(layout.drive_names)))  # as many drives as freedoms
    states = [np.atleast_2d(r if x is None else x) for x, r in zip((q, v, given), rest, strict=True)]
    many = [rows[np.resize(np.arange(len(rows)), TIMED_STATES)] for rows in states]
    call = getattr(model, name)
    times: list[float] = []
    while len(times) < TIMED_CALLS or sum(times) < TIMED_SECONDS:
        start = time.perf_counter()
        call(*many)
        times.append(time.perf_counter() - start)
    return Cost(operations, derived - begin, compiled - derived, 1e6 * min(times) / TIMED_STATES)


def inverse_cost(run: Run) -> Cost:
    """Of inverse dynamics at a run's states."""
    return function_cost(run.model, "inverse_dynamics", run.q, run.v, run.acceleration)


def relative_error(found: np.ndarray, right: np.ndarray) -> float:
    """max|difference| over max|force| of the same instant (n, drives), the largest of all instants."""
    return float((np.abs(found - right).max(axis=1) / np.abs(right).max(axis=1)).max())
