"""The adjustment: Gauss–Newton with damping on all unknowns, states eliminated.

Minimises Σ |residual|² w + |away|², away: from the prior in its deviations, under what must hold exactly (`Equations.exact`). In
these units a direction whose singular value is above 1 is told by the measurements better than it was known before. What its
residuals say of the noise, and what noise leaves unknown, stand below.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from gough.identification.calibration._problem import CalibrationProblem, Equations, GeometryEstimate

ITERATIONS = 60
ENOUGH, SETTLED = 1e-6, 1e-12
"""A promised decrease of the sum of squares (in units of the noise, and relative to it) that is not worth a step."""
HOLDS = 1e-11
"""By how much what must hold exactly may be off."""
FIRST_DAMPING, MOST_DAMPING = 10.0, 1e12
"""In units of the prior: the first holds what the measurements hardly tell, and nothing else."""
WATCHED = 3
"""Steps that may follow one that makes things worse, before it is taken back."""
ALIKE = 9.0
"""Difference of sums of squares, in units of the noise, within which measurements do not tell two estimates apart."""
ROUNDING = 1e-9
"""Singular values, relative to the largest, that are 0."""
KEPT_EXACTLY = 1e8
"""Weight of squares of what must hold exactly, when steps are judged."""
LARGER = 1.2
"""Noise over the stated one, from which it is told …"""
CHANCE = 1e-3
"""… where chance alone would not often make it so large."""


@dataclass(frozen=True)
class Adjusted:
    """What an adjustment ends with: the estimate, its equations there, sum of squares without the prior's, iterations, and
    whether it settled."""

    at: GeometryEstimate
    equations: Equations
    iterations: int
    settled: bool

    @property
    def squares(self) -> np.ndarray:
        """Sum of squares (n,) of every pose, in units of the stated deviations."""
        return np.sum(self.equations.residual**2, axis=1)


def adjust(
    problem: CalibrationProblem, start: GeometryEstimate, weights: np.ndarray, iterations: int = ITERATIONS
) -> Adjusted:
    """From a start, with weights (n,) of the poses."""
    at, equations = problem.rest(start)
    merit, damping, settled, turn = _merit(at, equations, weights), FIRST_DAMPING, False, 0
    while turn < iterations:
        turn += 1
        step, promised = solve(equations, weights, at.away, damping)
        exact = np.abs(equations.exact_rest).max(initial=0.0) < HOLDS
        if promised <= ENOUGH + SETTLED * merit and exact:
            settled = True
            break
        tried, new, better = _try(problem, at, equations, weights, step)
        for _ in range(WATCHED):  # along a curved valley the next step repairs what this one did
            if better < merit or not np.isfinite(better):
                break
            tried, new, better = _try(problem, tried, new, weights, solve(new, weights, tried.away, damping)[0])
        if better < merit:
            at, equations, merit, damping = tried, new, better, damping * 0.1
        else:
            damping = max(damping, 1e-6) * 10.0
            if damping > MOST_DAMPING:
                break
    return Adjusted(at, equations, turn, settled)


def _try(
    problem: CalibrationProblem, at: GeometryEstimate, equations: Equations, weights: np.ndarray, step: np.ndarray
) -> tuple[GeometryEstimate, Equations, float]:
    tried, new = problem.rest(problem.move(at, equations, step))
    merit = _merit(tried, new, weights)
    return tried, new, merit if np.isfinite(merit) else np.inf


def _merit(at: GeometryEstimate, equations: Equations, weights: np.ndarray) -> float:
    own = float(np.sum(equations.residual**2 * weights[:, None]) + at.away @ at.away)
    return own + KEPT_EXACTLY * float(np.sum(equations.exact_rest**2))


def solve(equations: Equations, weights: np.ndarray, away: np.ndarray, damping: float) -> tuple[np.ndarray, float]:
    """(step (p,), decrease of the squares it promises)."""
    p = len(away)
    particular, Z = exact_space(equations.exact, equations.exact_rest, p)
    R, r = reduce_rows(equations, weights)
    a = np.concatenate([R, np.eye(p)])
    rest = np.concatenate([r, away]) + a @ particular
    A = a @ Z
    s = np.concatenate([A, np.sqrt(damping) * np.eye(A.shape[1])])
    y = np.linalg.lstsq(s, -np.concatenate([rest, np.zeros(A.shape[1])]), rcond=None)[0]
    step = particular + Z @ y
    before, after = np.concatenate([r, away]), np.concatenate([r + R @ step, away + step])
    return step, float(before @ before - after @ after)


def reduce_rows(equations: Equations, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(R (k, p), r (k,)): the weighted rows of all poses in as few rows with the same squares."""
    root = np.sqrt(weights)[:, None]
    p = equations.matrix.shape[2]
    flat = np.concatenate(
        [(equations.matrix * root[..., None]).reshape(-1, p), (equations.residual * root).reshape(-1, 1)], axis=1
    )
    R: np.ndarray = np.asarray(np.linalg.qr(flat, mode="r")) if len(flat) > p + 1 else flat
    return R[:, :p], R[:, p]


def exact_space(exact: np.ndarray, rest: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """(the shortest step (p,) that fulfils what must hold, a basis (p, k) of steps that keep it)."""
    if not len(exact):
        return np.zeros(p), np.eye(p)
    both = np.concatenate([exact, rest[:, None]], axis=1)
    R: np.ndarray = np.asarray(np.linalg.qr(both, mode="r")) if len(both) > p + 1 else both
    U, s, V = np.linalg.svd(R[:, :p], full_matrices=True)
    rank = int((s > ROUNDING * max(s.max(initial=0.0), 1e-300)).sum())
    return -V[:rank].T @ ((U[:, :rank].T @ R[:, p]) / s[:rank]), V[rank:].T


def adjust_again(
    problem: CalibrationProblem, at: GeometryEstimate, start: GeometryEstimate, weights: np.ndarray
) -> Adjusted:
    """With weights of poses that fit, from an estimate; where that does not settle, from the start too.

    Strange poses may have led the estimate far along a flat, curved valley: an offset across a leg counts by its square, and the
    zero of its encoder makes up for it. The start is near its bottom, where clean measurements would have ended.
    """
    found = adjust(problem, at, weights)
    if found.settled:
        return found
    other = adjust(problem, start, weights)
    own, others = (_merit(one.at, one.equations, weights) for one in (found, other))
    noise = own / max(float(found.equations.freedom @ weights) - len(problem.sizes), 1.0)
    return other if others < own + ALIKE * noise * other.settled else found


def noise_of(found: Adjusted, keep: np.ndarray) -> tuple[float, float]:
    """(found deviation over the stated one, degrees of freedom left) of poses kept (n,)."""
    s = np.linalg.svd(_reduced(found, keep.astype(float))[0], compute_uv=False)
    freedom = float(found.equations.freedom[keep].sum()) - float(np.sum(s**2 / (1.0 + s**2)))
    squares = float(found.squares[keep].sum())
    return (np.sqrt(squares / freedom) if freedom > 0.5 and squares > 0 else 1.0), freedom


def is_more_than_chance(squares: np.ndarray | float, freedom: np.ndarray | float) -> np.ndarray:
    """Whether sums of squares, in units of the stated noise, are larger than such noise makes them."""
    freedom = np.maximum(freedom, 0.5)
    return (squares > LARGER**2 * freedom) & (chdtrc(freedom, np.maximum(squares, 0.0)) < CHANCE)


def root_of_covariance(found: Adjusted, weights: np.ndarray, noise: float = 1.0) -> np.ndarray:
    """(p, k): F with F Fᵀ the covariance of all unknowns, in units of their prior deviations; weights (n,) of the poses."""
    A, Z = _reduced(found, weights)
    _, s, V = np.linalg.svd(A / noise, full_matrices=True)
    s = np.concatenate([s, np.zeros(Z.shape[1] - len(s))])
    return Z @ (V.T / np.sqrt(1.0 + s**2))


def _reduced(found: Adjusted, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the equations along directions that keep what must hold, these directions (p, k))."""
    R, _ = reduce_rows(found.equations, weights)
    Z = exact_space(found.equations.exact, found.equations.exact_rest, R.shape[1])[1]
    return R @ Z, Z
