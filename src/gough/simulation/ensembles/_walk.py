"""Draws of a normal distribution that is cut off where no robot is, however little of it is left.

x = mean + y S, y normal of unit spread, inside of what `PossibleSet` allows, which is convex. Chains begin at its centre and go
along one direction after the other: the next place on each line is drawn by slice sampling (Neal 2003), which is exact for a
normal density on a segment. Directions are those of the distribution itself: with B the curvature of the barrier - Σ log det J
- Σ log x at the centre, (1 + B)⁻¹ is about its covariance; they are turned at random after every sweep.
Where nothing is cut off, this is the normal distribution itself.
"""

from collections.abc import Sequence

import numpy as np

from gough.simulation.ensembles.physical import LEAST, PossibleSet

CHAINS = 256
"""Of a block; more runs leave earlier blocks as they are."""
SWEEPS = 30
"""Over all directions, from the centre to the draw."""
SHRINKS = 80
"""Of a segment, before a chain stays where it is."""
RELAXED = 1e-3
"""Distance from a border, in parts of a body or in deviations, that counts at least where the centre is sought."""
TURNS = 100
_PLACES = ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3))


def draw_inside(
    possible: PossibleSet, mean: np.ndarray, root: np.ndarray, runs: int, seeds: Sequence[int]
) -> np.ndarray:
    """Draws (runs, n) around mean (n,) with covariance rootᵀ root, cut off at what is possible; mean is."""
    bodies = _BodiesAlong(possible, mean)
    centre, spread = _centre(bodies, possible.signed, mean, root)
    blocks = -(-runs // CHAINS)
    return np.concatenate(
        [_block(bodies, possible.signed, mean, root, centre, spread, [*seeds, k]) for k in range(blocks)]
    )[:runs]


class _BodiesAlong:
    """Pseudo-inertias of bodies as ten entries of a triangle, over those at the mean: entries = first + (x - mean) slopes."""

    def __init__(self, possible: PossibleSet, mean: np.ndarray) -> None:
        J, slopes = possible.pseudo_inertias(mean)
        size = 1.0 / np.sqrt(np.einsum("bii->bi", J))
        scale = size[:, :, None] * size[:, None, :]
        i, j = np.array(_PLACES).T
        self.J, self.J_slopes = J * scale, slopes * scale[..., None]
        self.first, self.slopes = self.J[:, i, j], self.J_slopes[:, i, j]


def is_inside(e: np.ndarray) -> np.ndarray:
    """Whether bodies (..., 10) are all positive definite, by the pivots of elimination, (...,)."""
    a00, a10, a11, a20, a21, a22, a30, a31, a32, a33 = np.moveaxis(e, -1, 0)
    with np.errstate(all="ignore"):
        l1, l2, l3 = a10 / a00, a20 / a00, a30 / a00
        d1 = a11 - l1 * a10
        c2, c3 = a21 - l2 * a10, a31 - l3 * a10
        m2, m3 = c2 / d1, c3 / d1
        d2 = a22 - l2 * a20 - m2 * c2
        c4 = a32 - l3 * a20 - m3 * c2
        d3 = a33 - l3 * a30 - m3 * c3 - c4 / d2 * c4
        good = (a00 > 0) & (d1 > LEAST * a11) & (d2 > LEAST * a22) & (d3 > LEAST * a33) & (a33 > 0)
    return good.all(axis=-1)


def _centre(
    bodies: _BodiesAlong, signed: Sequence[int], mean: np.ndarray, root: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(y (n,) where ½ |y|² and the barrier are least together, F (n, n) with F Fᵀ = (1 + B)⁻¹ there). Borders that the mean
    touches are moved out a little, so that Newton's steps can begin there; 0 where that leaves what is possible."""
    own = list(signed)
    rows = root[:, own].T
    free = mean[own]
    room = np.maximum(RELAXED * np.linalg.norm(rows, axis=1) - free, 0.0) + free
    least = np.linalg.eigvalsh(bodies.J)[:, 0]
    base = bodies.J + np.maximum(RELAXED - least, 0.0)[:, None, None] * np.eye(4)
    slopes = bodies.J_slopes @ root.T
    n = len(mean)

    def cost(y: np.ndarray) -> float:
        x, J = room + rows @ y, base + slopes @ y
        values = np.linalg.eigvalsh(J)
        if (x <= 0).any() or (values <= 0).any():
            return np.inf
        return float(0.5 * y @ y - np.log(x).sum() - np.log(values).sum())

    y = np.zeros(n)
    for _ in range(TURNS):
        over = rows / (room + rows @ y)[:, None]
        inner = np.einsum("bij,bjln->bnil", np.linalg.inv(base + slopes @ y), slopes)
        slope = y - over.sum(axis=0) - np.einsum("bnii->n", inner)
        flat = inner.transpose(1, 0, 2, 3).reshape(n, -1)
        turned = inner.transpose(1, 0, 3, 2).reshape(n, -1)
        bend = np.eye(n) + over.T @ over + flat @ turned.T
        step, length, here = -np.linalg.solve(bend, slope), 1.0, cost(y)
        falls = float(slope @ step)
        if falls > -1e-6:
            break
        while length > 1e-8 and not cost(y + length * step) <= here + 0.1 * length * falls:
            length /= 2
        y = y + length * step
    spread = np.linalg.inv(np.linalg.cholesky(bend)).T
    x = mean + y @ root
    inside = (x[own] >= 0).all() and is_inside(bodies.first + bodies.slopes @ (x - mean))
    return (y if inside else np.zeros(n)), spread


def _block(
    bodies: _BodiesAlong,
    signed: Sequence[int],
    mean: np.ndarray,
    root: np.ndarray,
    centre: np.ndarray,
    spread: np.ndarray,
    seeds: Sequence[int],
) -> np.ndarray:
    """Where the chains of a block end (CHAINS, n)."""
    rng, n, own = np.random.default_rng([*seeds]), len(mean), list(signed)
    y = np.tile(centre, (CHAINS, 1))
    x = mean + y @ root
    for _ in range(SWEEPS):
        entries = bodies.first + np.einsum("bkn,mn->mbk", bodies.slopes, x - mean)  # anew: steps leave rounding
        for d in (spread @ np.linalg.qr(rng.normal(size=(n, n)))[0]).T:
            along = d @ root
            t = _next_places(rng, y @ d, float(d @ d), x[:, own], along[own], entries, bodies.slopes @ along)
            y += t[:, None] * d
            x += t[:, None] * along
            entries += t[:, None, None] * (bodies.slopes @ along)
        x = mean + y @ root
        x[:, own] = np.maximum(x[:, own], 0.0)
    return x


def _next_places(
    rng: np.random.Generator,
    lean: np.ndarray,
    size: float,
    x: np.ndarray,
    along: np.ndarray,
    entries: np.ndarray,
    turning: np.ndarray,
) -> np.ndarray:
    """t (m,) of the next places on lines: lean = y·d (m,), size = |d|²; x (m, k) and along (k,): numbers that are not negative
    and their slopes; entries (m, b, 10) and turning (b, 10): the same of bodies."""
    m = len(lean)
    middle = -lean / size
    reach = np.sqrt(middle**2 + 2.0 * rng.exponential(size=m) / size)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(along == 0, np.inf, -x / along)
    low = np.maximum(middle - reach, np.where(along > 0, ends, -np.inf).max(axis=1, initial=-np.inf))
    high = np.minimum(middle + reach, np.where(along < 0, ends, np.inf).min(axis=1, initial=np.inf))
    low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    out, open_ = np.zeros(m), np.arange(m)
    for _ in range(SHRINKS):
        t = low[open_] + (high - low)[open_] * rng.random(m)[open_]
        good = is_inside(entries[open_] + t[:, None, None] * turning)
        out[open_[good]] = t[good]
        open_, t = open_[~good], t[~good]
        if not len(open_):
            break
        low[open_], high[open_] = np.where(t < 0, t, low[open_]), np.where(t < 0, high[open_], t)
    return out
