"""A model beside a peer that read the same file, at random assembled states: M, h, S, forward and inverse dynamics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

SINGULAR = 1e6
"""Condition of a mass matrix from which on rounding of forces alone spoils the ninth digit of accelerations: links almost
without inertia."""
LEAST = 1e-9
"""Sizes below this count as this: a force that should be 0 is not compared with itself."""


@dataclass(frozen=True)
class Reduced:
    """M v̇ + h = S τ of a peer at a state: M (n, n), h (n,), S (n, drives); freedoms: those that its own loops leave; gap: by how
    much its loops stay open at the state (m, or as a direction)."""

    M: np.ndarray
    h: np.ndarray
    S: np.ndarray
    freedoms: int
    gap: float = 0.0


class Peer(Protocol):
    """Another program's reading of a file."""

    def reduced(self, q: np.ndarray, v: np.ndarray) -> Reduced:
        """At a state of the model that it was made for."""
        ...


def compare(model: Any, peer: Peer, states: int = 4, seed: int = 5) -> dict[str, float]:
    """Largest relative differences {"M", "h", "S", "forward", "inverse"} over home and other states, with {"freedoms"}, by how
    many the peer counts others, and {"gap"}, by how much its loops are open.

    Accelerations are weighed as kinetic energy weighs them: a pin of 1e-11 kg·m² that is free to spin, beside links of 1e-5, has
    an acceleration that rounding of the forces shifts a million times more than the links', and moves nothing. "forward" is
    missing where links (almost) without inertia leave accelerations open, "inverse" where there are fewer drives than freedoms;
    its forces are put into the peer's equations, so that any way of sharing them among more drives is right.
    """
    rng = np.random.default_rng(seed)
    names = tuple[str, ...](model.layout.v_names)
    idle = [names.index(name) for name in model.layout.idle_names]
    led = [k for k in range(len(names)) if k not in idle]
    around = model.sampled_states["q"]
    worst: dict[str, float] = {}
    for q in [model.home, *around[rng.permutation(len(around))[:states]]]:
        v = rng.normal(size=len(names))
        theirs = peer.reduced(q, v)
        M, h, S = theirs.M, theirs.h, theirs.S
        tau = rng.normal(size=S.shape[1]) * (1.0 + np.abs(h).max(initial=0.0))
        size = float(np.abs(M).max(initial=LEAST))
        found = {
            "gap": theirs.gap,
            "freedoms": float(abs(theirs.freedoms - len(names))),
            "M": _off(model.mass_matrix(q), M),
            "h": _off(model.bias_force(q, v), h, size),
            "S": _off(model.drive_map(q), S),
        }
        if _moves(M):
            found["forward"] = _apart(model.forward_dynamics(q, v, tau).vdot, np.linalg.solve(M, S @ tau - h), M)
        if S.shape[1] and np.linalg.matrix_rank(S) >= model.mobility:
            wanted = np.zeros(len(names))
            wanted[led] = rng.normal(size=len(led))
            given = model.inverse_dynamics(q, v, wanted[led])
            wanted[idle] = given.idle_acceleration
            needed = M @ wanted + h
            found["inverse"] = _off(S @ given.tau, needed, size)
        worst = {key: max(worst.get(key, 0.0), value) for key, value in found.items()}
    return worst


def _off(ours: Any, theirs: np.ndarray, least: float = LEAST) -> float:
    difference = np.abs(np.asarray(ours) - theirs).max(initial=0.0)
    return float(difference / max(np.abs(theirs).max(initial=0.0), least))


def _moves(M: np.ndarray) -> bool:
    """Whether forces determine the accelerations."""
    size = np.sqrt(np.diag(M))
    if not size.all():
        return False
    return bool(np.linalg.cond(M / np.outer(size, size)) < SINGULAR)


def _apart(ours: Any, theirs: np.ndarray, M: np.ndarray) -> float:
    difference = np.asarray(ours) - theirs
    return float(np.sqrt(max(difference @ M @ difference, 0.0) / max(theirs @ M @ theirs, LEAST**2)))
