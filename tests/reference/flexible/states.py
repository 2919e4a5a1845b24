"""Assembled random states of mechanisms with flexible bodies: deformed, moving and vibrating."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reference.energies.states import turning

from .lagrange import FlexibleReference
from .tree import FlexibleData

STEPS = 6
BENT, TURNED = 0.06, 0.15
"""Typical deflection of a body relative to its size, and turn [rad] of what is attached to it."""
WORST_CONDITION = 2e3


class FlexibleState(NamedTuple):
    """A state and what acts; acceleration is that of the velocities that are no elastic rates."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    tau: np.ndarray


def amplitudes(data: FlexibleData, ties: list[np.ndarray]) -> np.ndarray:
    """(m,) of each coordinate alone: mass points move by a part of the body's size, attached frames turn a little."""
    size = np.sqrt(np.mean(np.sum(data.position**2, 1)))
    moved = BENT * size / np.sqrt(np.mean(np.sum(data.shape**2, 1), axis=0))
    turned = np.max([np.linalg.norm(data.at(p)[1], axis=0) for p in ties], axis=0, initial=1e-9)
    return np.minimum(moved, TURNED / turned)


def random_flexible_states(reference: FlexibleReference, n: int, seed: int, reach: float = 1.0) -> list[FlexibleState]:
    """n assembled states around home, away from singularities."""
    rng = np.random.default_rng([seed, 50_000])
    rigid, turns = ~reference.elastic, turning(reference)
    tree = reference.tree
    bend = np.concatenate([np.zeros(0), *(amplitudes(d, tree.ties[name]) for name, d in tree.flexible.items())])
    names, elastic = reference.elastic_names, reference.elastic
    rates = np.array([bend[names.index(v)] if v in names else 0.0 for v in reference.velocities])
    start = reference.home()
    if reference.mobility(start) != len(rates):
        raise ValueError(f"{reference.robot.name}: {len(rates)} velocities for mobility {reference.mobility(start)}")
    limit = max(WORST_CONDITION, 3 * reference.condition(start))
    out: list[FlexibleState] = []
    for attempt in range(20 * n):
        shrink = reach / (1 + attempt // (2 * n))
        try:
            q = _deformed(reference, bend * rng.normal(size=len(bend)))
            aim = rng.normal(size=rigid.sum()) * np.where(turns[rigid], 0.2, 0.1 * reference.size(start))
            for _ in range(STEPS):
                q = reference.layout.retract(q, reference.tangent(q)[:, rigid] @ aim * shrink / STEPS)
                q = reference.assemble(q)
            good = reference.condition(q) < limit
        except (ValueError, np.linalg.LinAlgError):
            continue
        if not good:
            continue
        v = rng.normal(size=len(rates)) * np.where(elastic, 20 * rates, np.where(turns, 0.8, 0.4))
        acceleration = rng.normal(size=rigid.sum()) * np.where(turns[rigid], 6.0, 3.0)
        out.append(FlexibleState(q, v, acceleration, 30 * rng.normal(size=reference.n_drives)))
        if len(out) == n:
            return out
    raise ValueError(f"{reference.robot.name}: only {len(out)} of {n} states found")


def _deformed(reference: FlexibleReference, e: np.ndarray) -> np.ndarray:
    """The home with its loops closed at the elastic coordinates e, by steps."""
    q = reference.home().copy()
    start = 7 if reference.layout.platform is not None else 0
    for step in range(1, STEPS + 1):
        q[start : start + len(e)] = e * step / STEPS
        try:
            q = reference.assemble(q, fixed=["pose"] if start else [])
        except ValueError:
            q = reference.assemble(q)
    return q
