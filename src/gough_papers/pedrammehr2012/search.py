"""Fixed axes u that would agree with what [Pedrammehr 2012] says of path 1: what is excluded, and families that were tried.

On path 1 the platform moves along base x with constant speed V and does not turn. A pod stays in the plane of n and x, whose
normal e = n × x/|n × x| is constant. With h = u·n and g = u·(e × n), from (16), (17), (23) and the corrected (25):

    ω = w e + ω_t n                      w = V |n × x|/l,   ω_t = w (u·e) h/(1 - h²)
    α = ẇ e + ω_t w e × n + α_t n        ẇ = -2 w l̇/l,      α_t = dω_t/dt

and w e, ẇ e without spin. The text: ω is the same with and without spin in pods 1, 2, 6 and not in 3, 4, 5; α in pod 3 alone.

Exactly  None. α = ẇ e needs ω_t w = 0, so that a pod agrees in both or in neither along the whole path: the text wants one
         without the other in pods 1, 2, 3 and 6. With (25) as printed too: ω_t = 0 all along means u ⊥ e or u ∥ e, and then
         ω_u ω_v = 0. Parts along the pod alone: α_t = 0 with ω_t not 0 means a constant ω_t = V ρ (u·e) p/[l (l² - p²)], where
         p = u·L is linear in x and l² = x² + ρ²: [V ρ (u·e) p]² is of degree 2 in x, [ω_t l (l² - p²)]² of degree 6
         unless u ∥ x, which has no spin.
ω alone  Axes without spin in pods 1, 2, 6 lie in the planes of n and x, or along e. The planes have only x in common and hold no
         e of another, so one direction for all must be x, and then no pod spins; horizontal axes must be x in all three. That
         rules out axes that turn from pod to pod by 60°, from pair to pair by 120°, or from radial ones by a fixed angle.
Nearly   "Great extent of consistency" is the text's word: gaps of the pods are measured, and their order is compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gough_papers.pedrammehr2012.pods import Pods, dot

Reading = Literal["magnitudes", "vectors", "tangential"]
READINGS: tuple[Reading, ...] = ("magnitudes", "vectors", "tangential")
"""What the difference of two curves is: |ω| - |ω without spin|, |ω - ω without spin|, or the part along the pod alone, ω·n, which
the paper calls tangential. For ω the last two are the same."""
SAME_VELOCITY, SAME_ACCELERATION = [0, 1, 5], [2]
"""Pods, from 0, that the text says agree."""
OTHER_VELOCITY, OTHER_ACCELERATION = [2, 3, 4], [0, 1, 3, 4, 5]
UP = np.array([0.0, 0.0, 1.0])
DIRECTIONS = 4000
"""Tried on the half sphere."""
SAMPLES = 41
"""Of path 1, as many as a search looks at."""
PAIRINGS = {"1–2, 3–4, 5–6": ((0, 1), (2, 3), (4, 5)), "6–1, 2–3, 4–5": ((5, 0), (1, 2), (3, 4))}


@dataclass(frozen=True)
class Swing:
    """Path 1 as six pods see it at k samples: n, e (6, k, 3); w (6, k), rad/s, and its rate."""

    n: np.ndarray
    e: np.ndarray
    w: np.ndarray
    rate: np.ndarray


@dataclass(frozen=True)
class Gaps:
    """How far the pod's motion with spin is from that without, at most on path 1, of the largest without: (..., 6) each."""

    velocity: np.ndarray
    acceleration: np.ndarray

    @property
    def same(self) -> np.ndarray:
        """(...): the largest gap that the text calls none."""
        return np.maximum(self.velocity[..., SAME_VELOCITY].max(-1), self.acceleration[..., SAME_ACCELERATION].max(-1))

    @property
    def other(self) -> np.ndarray:
        """(...): the smallest that it calls a difference."""
        return np.minimum(self._different, self.acceleration[..., OTHER_ACCELERATION].min(-1))

    @property
    def contrast(self) -> np.ndarray:
        """(...): the second over the first; above 1 the order is the text's."""
        return self.other / _not_zero(self.same)

    @property
    def velocity_contrast(self) -> np.ndarray:
        """The same of angular velocities alone."""
        return self._different / _not_zero(self.velocity[..., SAME_VELOCITY].max(-1))

    @property
    def _different(self) -> np.ndarray:
        return self.velocity[..., OTHER_VELOCITY].min(-1)


def path_swing(pods: Pods, position: np.ndarray, speed: float) -> Swing:
    """At positions (k, 3), m, of a platform that is not turned and moves along x, m/s."""
    x = np.array([1.0, 0.0, 0.0])
    L = position + (pods.a - pods.b)[:, None]
    l = np.linalg.norm(L, axis=-1)
    n = L / l[..., None]
    e = np.cross(n, x)
    size = np.linalg.norm(e, axis=-1)
    w = speed * size / l
    return Swing(n, e / size[..., None], w, -2 * w * speed * n[..., 0] / l)


def spins(swing: Swing, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ω_t and α_t (..., 6, k), rad/s and rad/s², for axes u (..., 6, 3)."""
    u = (u / np.linalg.norm(u, axis=-1, keepdims=True))[..., None, :]
    across, h, g = dot(u, swing.e), dot(u, swing.n), dot(u, np.cross(swing.e, swing.n))
    rest, w = 1 - h**2, swing.w
    turning = (swing.rate * across + w**2 * across * h * g / rest) * h / rest + w**2 * across * g / rest**2
    return w * across * h / rest, turning


def gaps(swing: Swing, u: np.ndarray, reading: Reading) -> Gaps:
    """For axes u (..., 6, 3)."""
    spin, rate = spins(swing, u)
    across = spin * swing.w
    if reading == "vectors":
        velocity, acceleration = np.abs(spin), np.hypot(across, rate)
    elif reading == "tangential":
        velocity, acceleration = np.abs(spin), np.abs(rate)
    else:
        velocity = np.hypot(spin, swing.w) - swing.w
        acceleration = np.sqrt(swing.rate**2 + across**2 + rate**2) - np.abs(swing.rate)
    return Gaps(velocity.max(-1) / swing.w.max(-1), acceleration.max(-1) / np.abs(swing.rate).max(-1))


@dataclass(frozen=True)
class SearchedFamily:
    """A family of axes, how many of its sets were tried, and the largest contrast in each reading: both, and of velocities."""

    family: str
    tried: int
    both: dict[Reading, float]
    velocity: dict[Reading, float]
    best: np.ndarray
    """(6, 3): that with the largest contrast of magnitudes."""


def search(pods: Pods, swing: Swing) -> list[SearchedFamily]:
    """All families; those without a parameter first."""
    out = []
    for family, sets in (*plain_axes(pods, swing), *swept_axes(pods, swing)):
        found = {reading: [gaps(swing, part, reading) for part in _parts(sets)] for reading in READINGS}
        both = {r: np.concatenate([g.contrast for g in found[r]]) for r in READINGS}
        velocity: dict[Reading, float] = {r: max(float(g.velocity_contrast.max()) for g in found[r]) for r in READINGS}
        best = sets[int(both["magnitudes"].argmax())]
        out.append(SearchedFamily(family, len(sets), {r: float(both[r].max()) for r in READINGS}, velocity, best))
    return out


def most_apart(swing: Swing, directions: int = 5 * DIRECTIONS) -> dict[Reading, float]:
    """Pod 3 alone: its largest gap of velocities over that of accelerations, over directions of its axis whose gap of velocities
    is at least a hundredth. What the text says of it asks for a large one."""
    u = np.broadcast_to(half_sphere(directions)[:, None], (directions, 6, 3))
    out: dict[Reading, float] = {}
    for reading in READINGS:
        found = [gaps(swing, part, reading) for part in _parts(u)]
        velocity, acceleration = (
            np.concatenate([getattr(g, k)[:, 2] for g in found]) for k in ("velocity", "acceleration")
        )
        out[reading] = float((velocity / acceleration)[velocity >= 0.01].max())
    return out


def _parts(sets: np.ndarray) -> Iterator[np.ndarray]:
    for k in range(0, len(sets), 500):
        yield sets[k : k + 500]


def _not_zero(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 1e-9)


# ---- families of axes, (sets, 6, 3) each, not of unit length


def half_sphere(count: int) -> np.ndarray:
    """Directions (count, 3), evenly spread, z > 0."""
    k = np.arange(count) + 0.5
    z, turn = 1 - k / count, np.pi * (1 + np.sqrt(5)) * k
    return np.stack([np.sqrt(1 - z**2) * np.cos(turn), np.sqrt(1 - z**2) * np.sin(turn), z], axis=-1)


def plain_axes(pods: Pods, swing: Swing) -> list[tuple[str, np.ndarray]]:
    """Directions that the geometry gives without a further number."""
    a, b, n = pods.a, pods.b, swing.n[:, 0]
    middle, following = b - b.mean(0), np.roll(b, -1, axis=0) - b
    before = np.roll(following, 1, axis=0)
    out = {f"base {name}": np.tile(axis, (6, 1)) for name, axis in zip("xyz", np.eye(3), strict=True)}
    out |= {"b_i": b, "b_i, horizontal part": _level(b), "z × b_i (tangential)": np.cross(UP, b)}
    out |= {"b_i from their mean": middle, "the same, horizontal": _level(middle), "z × the same": np.cross(UP, middle)}
    out |= {"a_i": a, "a_i, horizontal part": _level(a), "z × a_i": np.cross(UP, a)}
    out |= {"to the next b": following, "z × the same, next": np.cross(UP, following)}
    out |= {"to the b before": before, "z × the same, before": np.cross(UP, before)}
    for name, pairs in PAIRINGS.items():
        line, mean = _by_pair(b, pairs, -1.0), _by_pair(b, pairs, 1.0)
        out |= {f"line of pairs {name}": line, f"z × line of pairs {name}": np.cross(UP, line)}
        out |= {f"middle of pairs {name}": _level(mean), f"z × middle of pairs {name}": np.cross(UP, mean)}
    out |= {"n at the start, horizontal part": _level(n), "z × n at the start": np.cross(UP, n)}
    out |= {"n × (z × n) at the start": np.cross(n, np.cross(UP, n)), "n × b_i at the start": np.cross(n, b)}
    return [(name, u[None]) for name, u in out.items()]


def swept_axes(pods: Pods, swing: Swing) -> list[tuple[str, np.ndarray]]:
    """Those with an angle or a direction left to choose."""
    directions, angles = half_sphere(DIRECTIONS), np.radians(np.arange(360.0))
    out = [("one direction for all pods", np.broadcast_to(directions[:, None], (DIRECTIONS, 6, 3)))]
    turned = {
        "b_i": pods.b,
        "b_i, horizontal part": _level(pods.b),
        "b_i from their mean, horizontal": _level(pods.b - pods.b.mean(0)),
        "a_i, horizontal part": _level(pods.a),
        "n at the start, horizontal part": _level(swing.n[:, 0]),
    } | {f"line of pairs {name}, horizontal": _level(_by_pair(pods.b, pairs, -1.0)) for name, pairs in PAIRINGS.items()}
    about = _about_z(angles)
    out += [(f"{name}, turned about z", np.einsum("tij,kj->tki", about, u)) for name, u in turned.items()]
    for name, pairs in PAIRINGS.items():
        place = np.empty(6)
        for k, pair in enumerate(pairs):
            place[list(pair)] = k
        out += [(f"120° from pair to pair, {name}, {s}", _turned(directions, x * 120.0 * place)) for s, x in _WAYS]
    return out + [(f"60° from pod to pod, {s}", _turned(directions, x * 60.0 * np.arange(6))) for s, x in _WAYS]


_WAYS = (("left", 1.0), ("right", -1.0))


def _level(u: np.ndarray) -> np.ndarray:
    return u * [1.0, 1.0, 0.0]


def _by_pair(b: np.ndarray, pairs: tuple[tuple[int, int], ...], sign: float) -> np.ndarray:
    """b_j + sign b_i at both pods of a pair (6, 3)."""
    out = np.empty((6, 3))
    for i, j in pairs:
        out[[i, j]] = b[j] + sign * b[i]
    return out


def _about_z(angles: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, 3) by angles (n,), rad."""
    out = np.zeros((len(angles), 3, 3))
    out[:, 0, 0] = out[:, 1, 1] = np.cos(angles)
    out[:, 1, 0] = np.sin(angles)
    out[:, 0, 1] = -out[:, 1, 0]
    out[:, 2, 2] = 1.0
    return out


def _turned(directions: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    return np.einsum("kij,tj->tki", _about_z(np.radians(degrees)), directions)
