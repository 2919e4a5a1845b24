"""Room between legs, taken as capsules: chains of straight pieces with a radius, from joint to joint and to the cut.

The distance of two segments a(s) = a₀ + s (a₁ - a₀) and b(t) is |a(s) - b(t)| at its least, 0 ≤ s, t ≤ 1; while it changes
smoothly its derivative is that with s and t held: n · (a' - b'), n the direction from one to the other.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.studies._closed_states import ClosedStates

if TYPE_CHECKING:
    from gough.model import Model

SHORT = 1e-9
"""Part of the robot's size below which two joints are one point at home."""


@dataclass(frozen=True)
class LegDistances:
    """Of every pair of legs (m), less the sum of their radii; below 0 they run into each other. chains: of every leg, its points
    as rows of "joint_points" (joints first, then cuts); radius (m)."""

    legs: tuple[str, ...]
    chains: tuple[tuple[int, ...], ...]
    radius: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        return tuple(f"{a} – {b}" for a, b in combinations(self.legs, 2))

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return ("m",) * len(self.names)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, pairs)."""
        return self._nearest(self._points(states))[0]

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        points = self._points(states)
        bar, rows = np.zeros_like(points), np.arange(len(points))[:, None]
        _, ends, share, n = self._nearest(points)
        for k, sign in ((0, 1.0), (1, -1.0)):
            for end, part in ((0, 1.0 - share[..., k]), (1, share[..., k])):
                np.add.at(bar, (rows, ends[..., 2 * k + end]), (sign * weights * part)[..., None] * n)
        joints = len(states.model.mechanism.links)
        return states.pull("joint_points", {"joints": bar[:, :joints], "cuts": bar[:, joints:]})["parameters"]

    def _points(self, states: ClosedStates) -> np.ndarray:
        """(n, points, 3)."""
        found = states.evaluate("joint_points")
        return np.concatenate([found["joints"], found["cuts"]], axis=1)

    @cached_property
    def _pieces(self) -> tuple[np.ndarray, np.ndarray]:
        """(ends (k, 4) of all pieces of one leg beside pieces of another, the first of them of every pair of legs (pairs,))."""
        found = [[(*a, *b) for a in pairwise(x) for b in pairwise(y)] for x, y in combinations(self.chains, 2)]
        return np.concatenate(found), np.cumsum([0, *map(len, found)])[:-1]

    def _nearest(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(distances (n, pairs), points (n, pairs, 4) of the two pieces that are nearest, where on them (n, pairs, 2), directions
        (n, pairs, 3))."""
        ends, first = self._pieces
        n, k = len(points), len(ends)
        d, share, away = segment_distance(*(points[:, own].reshape(-1, 3) for own in ends.T))
        d, share, away = d.reshape(n, k), share.reshape(n, k, 2), away.reshape(n, k, 3)
        kept = np.nan_to_num(d, nan=np.inf)
        best = np.stack([a + kept[:, a:b].argmin(axis=1) for a, b in pairwise((*first.tolist(), k))], axis=1, dtype=int)
        rows = np.arange(n)[:, None]
        return d[rows, best] - 2.0 * self.radius, ends[best], share[rows, best], away[rows, best]


def segment_distance(
    a0: np.ndarray, a1: np.ndarray, b0: np.ndarray, b1: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(distance (n,), where on both (n, 2), direction (n, 3) from b to a) of segments with ends (n, 3)."""
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    uu, uv, vv, uw, vw = (np.einsum("ni,ni->n", x, y) for x, y in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    det = uu * vv - uv**2
    crossing = det > 1e-12 * uu * vv
    s = np.where(crossing, np.clip((uv * vw - vv * uw) / np.where(crossing, det, 1.0), 0.0, 1.0), 0.0)
    t = np.clip((uv * s + vw) / np.where(vv > 0, vv, 1.0), 0.0, 1.0)
    s = np.clip((uv * t - uw) / np.where(uu > 0, uu, 1.0), 0.0, 1.0)
    away = w + s[:, None] * u - t[:, None] * v
    d = np.linalg.norm(away, axis=1)
    return d, np.stack([s, t], axis=1), away / np.where(d > 0, d, 1.0)[:, None]


def leg_distances(model: "Model", text: str, radius: float) -> LegDistances:
    """Of all legs of a robot that has two or more."""
    mechanism = model.mechanism
    if len(mechanism.legs) < 2:
        raise UsageError(f"quantity={text!r}: {model.robot.name} has fewer than two legs")
    if not 0 <= radius < np.inf:
        raise UsageError(f"quantity={text!r}: a radius of {radius:g} m; give one from 0 on")
    found = model.function("joint_points").values(q=model.home, parameters=model.parameters)
    points = np.concatenate([found["joints"], found["cuts"]])
    chains = []
    for k in range(len(mechanism.legs)):
        own = [i for i, link in enumerate(mechanism.links) if link.leg == k]
        own += [len(mechanism.links) + i for i, cut in enumerate(mechanism.cuts) if cut.leg == k]
        chain = [own[0]]
        for i in own[1:]:
            if np.linalg.norm(points[i] - points[chain[-1]]) > SHORT * model.size:
                chain.append(i)
        if len(chain) < 2:
            raise UsageError(f"quantity={text!r}: {mechanism.legs[k].name} has no length at home")
        chains.append(tuple(chain))
    return LegDistances(tuple(leg.name for leg in mechanism.legs), tuple(chains), radius)
