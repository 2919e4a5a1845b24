"""Weighted nonlinear least squares with bounds, priors and what the data leave open."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import chdtrc

from gough.errors import BadStateError, UsageError
from gough.identification.elastic._unknowns import ElasticUnknown

TOLERANCE = 1e-10
CALLS = 200
BLIND = 1e-9
"""Singular value beside the largest (columns in typical sizes) of a combination that the data do not feel."""
SHARE = 1e-3
"""Part of an unknown's square in such combinations that leaves it open."""
AT_BOUND = 1e-7
"""Distance from a bound, in typical sizes, that stands on it."""
LARGER = 1.2
"""Residuals over what sigma says, from which they count instead of it …"""
CHANCE = 1e-3
"""… where chance alone would not often make them so large."""
TINY = 1e-30
"""Noise of data without any."""
LEAST_NOISE = 1e-9
"""Least noise of the data that is believed beside a prior, over what they were weighed by."""


@dataclass(frozen=True)
class Solution:
    """values (k,), covariance (k, k), deviations from the data alone (k,), inf where they say nothing; names of unknowns on their
    bounds; sum of squares of the weighted residuals, their number, degrees of freedom that are left; steps: evaluations;
    converged: whether steps ended by themselves; noise: deviations over those that residuals were weighed by (1 where these are
    known, NaN where nothing tells it); excess: residuals over what a known sigma says, where that is more than chance and
    deviations follow them, else 0."""

    values: np.ndarray
    covariance: np.ndarray
    from_data: np.ndarray
    at_bounds: tuple[str, ...]
    squares: float
    rows: int
    free: int
    steps: int
    converged: bool
    noise: float = 1.0
    excess: float = 0.0


def minimise_squares(
    unknowns: tuple[ElasticUnknown, ...],
    residual: Callable[[np.ndarray], np.ndarray],
    jacobian: Callable[[np.ndarray], np.ndarray],
    prior: Mapping[str, tuple[float, float]],
    known_noise: bool = True,
    start: np.ndarray | None = None,
    spent: int = 0,
) -> Solution:
    """Least squares of residuals (n,), each in its standard deviation, with slopes (n, k). prior: {name: (value, deviation)}.

    known_noise: without it the noise is what the residuals say, and deviations follow it: infinite where no degree of freedom is
    left to tell it; beside a prior it is what the data alone leave over. spent: degrees of freedom of numbers that were
    eliminated.
    """
    if prior and not known_noise:
        return _beside_prior(unknowns, residual, jacobian, prior, start, spent)
    from scipy.optimize import least_squares

    size = np.array([u.size for u in unknowns])
    low, high = (np.array([getattr(u, key) for u in unknowns]) / size for key in ("low", "high"))
    begin = np.array([u.start for u in unknowns]) if start is None else start
    names = [u.name for u in unknowns]
    rows = [(names.index(name), value, sigma) for name, (value, sigma) in prior.items()]
    places = [k for k, _, _ in rows]
    middle, spread = (np.array([row[i] for row in rows]) for i in (1, 2))

    def all_residuals(z: np.ndarray) -> np.ndarray:
        try:
            own = residual(z * size)
        except (BadStateError, UsageError):  # no rest there, no inertia, or no robot: such a step is not taken
            own = np.full(count, np.nan)
        return np.concatenate([own, ((z * size)[places] - middle) / spread if rows else np.zeros(0)])

    def slopes(z: np.ndarray) -> np.ndarray:
        own = jacobian(z * size) * size
        extra = np.zeros((len(rows), len(size)))
        extra[np.arange(len(rows)), places] = size[places] / spread if rows else 0.0
        return np.concatenate([own, extra])

    count = len(residual(begin))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # of steps that are not taken
        found = least_squares(
            all_residuals,
            np.clip(begin / size, low, high),
            jac=slopes,  # pyright: ignore[reportArgumentType]
            bounds=(low, high),
            ftol=TOLERANCE,
            xtol=TOLERANCE,
            gtol=1e-14,
            max_nfev=CALLS,
        )
    z = np.asarray(found.x)
    J = slopes(z)
    free = count - spent - len(size) + len(rows)
    squares = float(2 * found.cost)
    excess = _excess(float(np.sum(np.asarray(found.fun)[:count] ** 2)), free) if known_noise else 0.0
    noise = excess or 1.0 if known_noise else float(np.sqrt(squares / max(free, 1)))
    rows_of_data = J[:count] / max(noise, TINY)
    covariance, _ = _covariance(np.concatenate([rows_of_data, J[count:]]))
    _, from_data = _covariance(rows_of_data)
    covariance = covariance * np.outer(size, size)
    if not known_noise and free <= 0:
        covariance = np.diag(np.full(len(size), np.inf))
    edge = [n for n, x, a, b in zip(names, z, low, high, strict=True) if min(x - a, b - x) <= AT_BOUND]
    return Solution(
        z * size,
        covariance,
        from_data * size,
        tuple(edge),
        squares,
        count,
        free,
        int(found.nfev),
        bool(found.status > 0),
        1.0 if known_noise else noise if free > 0 else float("nan"),
        excess,
    )


def _excess(squares: float, free: int) -> float:
    """Residuals over what sigma says, where that is more than chance; else 0."""
    freedom = max(free, 1)
    ratio = float(np.sqrt(squares / freedom))
    return ratio if ratio > LARGER and chdtrc(freedom, squares) < CHANCE else 0.0


def _beside_prior(
    unknowns: tuple[ElasticUnknown, ...],
    residual: Callable[[np.ndarray], np.ndarray],
    jacobian: Callable[[np.ndarray], np.ndarray],
    prior: Mapping[str, tuple[float, float]],
    start: np.ndarray | None,
    spent: int,
) -> Solution:
    """With noise that is not known: what the data alone leave over says it, so that a prior which contradicts them does not make
    it larger."""
    found = minimise_squares(unknowns, residual, jacobian, {}, False, start, spent)
    free = found.rows - spent - _rank(jacobian(found.values) * np.array([u.size for u in unknowns]))
    if free <= 0:
        raise UsageError(
            f"prior: {found.rows} numbers were measured for {len(unknowns)} unknowns, and nothing is left over to tell their "
            "noise, which a prior is weighed against; state their deviation (sigma_hz=, sigma=), or measure more"
        )
    noise = max(float(np.sqrt(found.squares / free)), LEAST_NOISE)
    found = minimise_squares(
        unknowns, lambda x: residual(x) / noise, lambda x: jacobian(x) / noise, prior, True, found.values, spent
    )
    return replace(found, squares=found.squares * noise**2, noise=noise, excess=0.0)


def _rank(J: np.ndarray) -> int:
    """How many combinations rows feel."""
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > BLIND * s.max(initial=0.0)).sum())


def _covariance(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """((JᵀJ)⁻¹, roots of its diagonal); of what the rows do not feel inf on the diagonal, 0 beside it."""
    k = J.shape[1]
    if not len(J):
        return np.diag(np.full(k, np.inf)), np.full(k, np.inf)
    _, s, vt = np.linalg.svd(np.linalg.qr(np.concatenate([J, np.zeros((k, k))]), mode="r"))
    blind = s <= BLIND * s.max(initial=0.0)
    good = vt[~blind].T / s[~blind]
    covariance = good @ good.T
    lost = (vt[blind] ** 2).sum(axis=0) > SHARE
    covariance[lost, :], covariance[:, lost] = 0.0, 0.0
    covariance[lost, lost] = np.inf
    return covariance, np.sqrt(np.diag(covariance))


def read_prior(unknowns: tuple[ElasticUnknown, ...], given: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """{name: (value, deviation)} from {name: deviation about the description's value, or (value, deviation)}."""
    known = {u.name: u for u in unknowns}
    out = {}
    for name, x in given.items():
        if name not in known:
            raise UsageError(f"prior: no unknown {name!r}; they are {', '.join(known)}")
        numbers = np.atleast_1d(np.asarray(x, dtype=float))
        value, sigma = (known[name].value, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[-1])
        if len(numbers) > 2 or not np.isfinite(value) or not sigma > 0 or not np.isfinite(sigma):
            raise UsageError(
                f"prior[{name!r}]={x!r}; give its deviation, or (value, deviation), finite and the deviation positive"
            )
        out[name] = float(value), float(sigma)
    return out
