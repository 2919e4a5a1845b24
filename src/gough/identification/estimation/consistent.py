"""Estimates that a robot of matter can have: every body's pseudo-inertia positive, friction, rotors and stiffness not negative.

The pseudo-inertia (Wensing, Kim and Slotine 2018) of a body is ∫ (x, 1)(x, 1)ᵀ dm,
    J = [Σ, m c; (m c)ᵀ, m],   Σ = ½ tr(I) 1 - I,   I about the frame's origin,
linear in the ten parameters; a body of matter has J > 0, and every J > 0 is a body of matter. Of all consistent π the one with
    (B π - φ)ᵀ C⁻¹ (B π - φ) + ε² Σ (π - π₀)²/w²   least
is found, ε = 1 where the user states the spreads w, else FAINT: then the description decides only between numbers that the data
do not tell apart, and moves the base parameters by less than a thousandth of a deviation. Moments that no motion tells weigh
YIELDING of that: they give way to those that are told. C is not taken as less than EXACT of w: data without noise would leave
nothing of the second sum. With A = [C^(-½) B; ε/w] = U S Vᵀ, unknowns are y = S Vᵀ π, in which the sum is |y - Uᵀ b|²: as even as
can be. There are two ways.
"log-cholesky": J = L Lᵀ with a diagonal e^x, so that no step leaves what is allowed (Rucker and Wensing 2022). Where the least
lies on the border, x runs to -∞ and steps by x alone take for ever; so they begin on the central path, where - μ Σ log det J is
added and μ falls, which Newton's steps by y follow in some forty turns.
"lmi": as a semidefinite program (Sousa and Cortesão 2014), with cvxpy and Clarabel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import least_squares

from gough.errors import IdentificationWarning, UsageError, warn
from gough.identification._standard import Prior
from gough.identification.base_parameters import BaseParameters
from gough.identification.estimation.estimate import blur

TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")
MOMENTS = TEN[4:]
NOT_NEGATIVE = ("viscous", "coulomb", "rotor_inertia", "armature", "stiffness", "damping")
WAYS = ("log-cholesky", "lmi")
LEAST = 1e-6
"""Least eigenvalue of a body's J, of its largest typical one: a body of matter has some extent everywhere."""
THIN = 1e-10
"""Of the least: where the barrier is thin enough."""
SLACK = 1e-13
"""Least distance of an eigenvalue from LEAST: nearer ones are lost in rounding."""
NEAR, ROUNDING = 1.0, 1e-10
"""What a last step could gain at most, over μ and over the sum itself: then it came to rest."""
FAINT = 0.01
"""What the description weighs, as a part of its spread, where the user states none."""
YIELDING = 1e-3
"""Of the weight of a moment of inertia that no motion tells: a planar robot's description states zz alone, and xx = yy = 0 beside
it would hold zz, and with it masses, down."""
EXACT = 1e-5
"""Least deviation of a base parameter, of what the description's spread makes of it."""
_ROWS, _COLUMNS = np.tril_indices(4)


def _pseudo_inertia_map() -> np.ndarray:
    """(4, 4, 10): J = map @ ten."""
    out = np.zeros((4, 4, 10))
    at = {name: k for k, name in enumerate(TEN)}
    for i, name in enumerate(("XX", "YY", "ZZ")):
        for j in range(3):
            out[j, j, at[name]] = 0.5 if i != j else -0.5
    for (i, j), name in {(0, 1): "XY", (0, 2): "XZ", (1, 2): "YZ"}.items():
        out[i, j, at[name]] = out[j, i, at[name]] = -1.0  # XY is the entry of the tensor, -∫ x y dm
    for i, name in enumerate(("MX", "MY", "MZ")):
        out[i, 3, at[name]] = out[3, i, at[name]] = 1.0
    out[3, 3, at["M"]] = 1.0
    return out


PSEUDO = _pseudo_inertia_map()
_TEN_OF = np.linalg.pinv(PSEUDO.reshape(16, 10)).reshape(10, 4, 4)
"""ten = Σ _TEN_OF J."""


@dataclass(frozen=True)
class BodyPlaces:
    """A body among the unknowns: its name, and the places of its ten parameters there."""

    name: str
    places: tuple[int, ...]

    def pseudo_inertia(self, values: np.ndarray) -> np.ndarray:
        """J (..., 4, 4) of unknowns (..., n)."""
        return np.einsum("ijk,...k->...ij", PSEUDO, values[..., list(self.places)])


def whole_bodies(names: Sequence[str]) -> list[BodyPlaces]:
    """Bodies all ten of whose parameters are unknowns."""
    known = {name: k for k, name in enumerate(names)}
    prefixes = dict.fromkeys(name.removesuffix(".M") for name in names if name.endswith(".M"))
    found = [(p, [known.get(f"{p}.{ten}", -1) for ten in TEN]) for p in prefixes]
    return [BodyPlaces(p, tuple(places)) for p, places in found if min(places) >= 0]


def inconsistent_names(names: Sequence[str], values: np.ndarray) -> list[str]:
    """Bodies whose J has a negative eigenvalue beyond rounding, and numbers with a wrong sign."""
    out = []
    for body in whole_bodies(names):
        J = body.pseudo_inertia(values)
        size = np.sqrt(np.maximum(np.abs(np.diag(J)), 1e-300))
        if np.linalg.eigvalsh(J / np.outer(size, size))[0] < -1e-9:
            out.append(body.name)
    return out + [n for n, x in zip(names, values, strict=True) if n.rsplit(".", 1)[-1] in NOT_NEGATIVE and x < 0]


def consistent_values(
    base: BaseParameters, phi: np.ndarray, information: np.ndarray, prior: Prior, way: str = "log-cholesky"
) -> np.ndarray:
    """π (n,) nearest to estimates φ (p,), with a root (k, p) of their information C⁻¹, and to the description."""
    if way not in WAYS:
        raise UsageError(f"consistent={way!r}; use one of {', '.join(WAYS)}, or False")
    names = base.regressor.names
    bodies = whole_bodies(names)
    signed = [k for k, n in enumerate(names) if n.rsplit(".", 1)[-1] in NOT_NEGATIVE]
    told = blur(information, np.sqrt(base.matrix**2 @ prior.spreads**2), EXACT)
    weight = (1.0 if prior.stated else FAINT) / prior.spreads
    weight[[k for k in base.unseen if names[k].rsplit(".", 1)[-1] in MOMENTS]] *= YIELDING
    misfit = np.vstack([told @ base.matrix, np.diag(weight)])
    wanted = np.concatenate([told @ phi, weight * prior.values])
    solve = _by_factors if way == "log-cholesky" else _by_semidefinite_program
    try:
        return solve(bodies, signed, misfit, wanted, prior)
    except np.linalg.LinAlgError:
        raise UsageError(
            f"consistent={way!r}: no numbers that a robot of matter can have were found near the estimate, which is far from "
            "any; check units and columns, controller=, motion= and begin=, or look at it with consistent=False"
        ) from None


def _least_eigenvalues(body: BodyPlaces, prior: Prior) -> np.ndarray:
    """(4,) scale of J's rows: √ of typical diagonal entries."""
    typical = np.abs(PSEUDO) @ np.maximum(np.abs(prior.values), prior.spreads)[list(body.places)]
    return np.sqrt(np.diag(typical))


def _by_factors(
    bodies: Sequence[BodyPlaces], signed: Sequence[int], misfit: np.ndarray, wanted: np.ndarray, prior: Prior
) -> np.ndarray:
    """Gauss–Newton on the factors of J and on the other numbers."""
    n = len(prior.values)
    inertial = [k for body in bodies for k in body.places]
    other = [k for k in range(n) if k not in set(inertial)]
    scales = [_least_eigenvalues(body, prior) for body in bodies]
    begin, settled = _on_central_path(bodies, scales, signed, misfit, wanted, prior)
    start = np.concatenate(
        [*(_factors(b.pseudo_inertia(begin), s) for b, s in zip(bodies, scales, strict=True)), begin[other]]
    )
    low = np.full(len(start), -np.inf)
    for place, k in enumerate(other):
        if k in set(signed):
            low[10 * len(bodies) + place] = 0.0
    units = np.concatenate([np.ones(10 * len(bodies)), prior.spreads[other]])

    def values_of(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        out, slope = np.zeros(n), np.zeros((n, len(x)))
        for b, (body, scale) in enumerate(zip(bodies, scales, strict=True)):
            own = slice(10 * b, 10 * b + 10)
            ten, dten = _ten_of_factors(x[own], scale)
            out[list(body.places)] = ten
            slope[list(body.places), own] = dten
        out[other] = x[10 * len(bodies) :]
        slope[other, np.arange(10 * len(bodies), len(x))] = 1.0
        return out, slope

    with np.errstate(over="ignore", invalid="ignore"):  # of steps that are not taken
        found = least_squares(
            lambda x: misfit @ values_of(x)[0] - wanted,
            start,
            jac=lambda x: misfit @ values_of(x)[1],  # pyright: ignore[reportArgumentType]
            bounds=(low, np.inf),
            x_scale=units,
            xtol=1e-12,
            ftol=1e-12,
            gtol=1e-10,
            max_nfev=60,
        )
        refined = values_of(found.x)[0]

    def missing(values: np.ndarray) -> float:
        return float(np.linalg.norm(misfit @ values - wanted))

    best = min((refined, begin), key=missing)  # steps by factors may end where e^x is too large
    return best if settled else _nearer(best, missing, bodies, signed, misfit, wanted, prior)


def _nearer(
    values: np.ndarray,
    missing: Callable[[np.ndarray], float],
    bodies: Sequence[BodyPlaces],
    signed: Sequence[int],
    misfit: np.ndarray,
    wanted: np.ndarray,
    prior: Prior,
) -> np.ndarray:
    """Of numbers that a search left before it came to rest, and of those of the semidefinite program, those that miss less; an
    IdentificationWarning where nothing says that they are the nearest."""
    try:
        other = _by_semidefinite_program(bodies, signed, misfit, wanted, prior)
    except UsageError as error:
        warn(
            "identify: the search for consistent numbers did not come to rest, and there may be nearer ones to the estimate "
            f"(consistent='lmi': {error}); scale columns and units, look at it with consistent=False, or identify fewer "
            "parameters",
            IdentificationWarning,
        )
        return values
    return min((values, other), key=missing)


def _on_central_path(
    bodies: Sequence[BodyPlaces],
    scales: Sequence[np.ndarray],
    signed: Sequence[int],
    misfit: np.ndarray,
    wanted: np.ndarray,
    prior: Prior,
) -> tuple[np.ndarray, bool]:
    """(π (n,) inside of what is allowed, near the least, whether the last steps came to rest there): by Newton's steps with a
    barrier that becomes thinner and thinner."""
    w = prior.spreads
    even, y_wanted = _even_coordinates(misfit, wanted, w)
    parts = np.zeros((len(bodies), 4, 4, len(y_wanted)))
    for part, body, scale in zip(parts, bodies, scales, strict=True):
        part[:] = np.einsum("ijk,ky->ijy", PSEUDO / np.outer(scale, scale)[:, :, None], even[list(body.places)])
    rows = even[list(signed)] / w[list(signed), None]
    x = prior.values / w
    for body, scale in zip(bodies, scales, strict=True):
        own = list(body.places)
        part = PSEUDO * w[own] / np.outer(scale, scale)[:, :, None]
        values, vectors = np.linalg.eigh(part @ x[own])
        lifted = (vectors * np.maximum(values, max(0.05 * values[-1], 0.01))) @ vectors.T
        x[own] = np.linalg.lstsq(part.reshape(16, 10), lifted.ravel(), rcond=None)[0]
    x[list(signed)] = np.maximum(x[list(signed)], 0.01)
    y: Any = np.linalg.solve(even / w[:, None], x)

    def barrier(y: np.ndarray) -> float:
        free, values = rows @ y, np.linalg.eigvalsh(parts @ y) - LEAST
        inside = (free > 0).all() and (values > SLACK).all()
        return float(-np.log(free).sum() - np.log(values).sum()) if inside else np.inf

    def cost(y: np.ndarray, mu: float) -> float:
        missing = y - y_wanted
        return float(0.5 * missing @ missing) + mu * barrier(y)

    mu = max(1.0, cost(y, 0.0) / len(y))
    thin, settled = THIN * (1.0 if prior.stated else FAINT**2), False
    while mu > thin * max(1.0, cost(y, 0.0)):
        here, settled = cost(y, mu), False
        for _ in range(12):
            over = rows / (rows @ y)[:, None]
            slope = y - y_wanted - mu * over.sum(axis=0)
            root = np.linalg.cholesky(parts @ y - LEAST * np.eye(4))  # J = root rootᵀ
            half = np.linalg.solve(root, parts.reshape(-1, 4, 4 * len(y))).reshape(parts.shape)
            inner = np.linalg.solve(root, half.transpose(0, 2, 1, 3).reshape(-1, 4, 4 * len(y)))
            inner = inner.reshape(parts.shape)  # root⁻¹ ∂J root⁻ᵀ
            slope -= mu * np.einsum("biik->k", inner)
            rows_of_bend = [np.eye(len(y)), np.sqrt(mu) * over, np.sqrt(mu) * inner.reshape(-1, len(y))]
            R: Any = np.linalg.qr(np.vstack(rows_of_bend), mode="r")  # the Hessian RᵀR has twice the digits to lose
            step, length = -solve_triangular(R, solve_triangular(R.T, slope, lower=True)), 1.0
            falls = float(slope @ step)
            while length > 1e-10 and not (there := cost(y + length * step, mu)) <= here + 0.1 * length * falls:
                length /= 2
            settled = abs(falls) < NEAR * max(mu, thin, ROUNDING * here)
            if length <= 1e-10 or abs(falls) < 1e-3 * mu:
                break
            y, here = y + length * step, there
        mu /= 5
    return even @ y, settled


def _even_coordinates(misfit: np.ndarray, wanted: np.ndarray, spreads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E (n, n), y₀ (n,)): π = E y, with |misfit π - wanted|² = |y - y₀|² but for a constant."""
    U, values, Vt = np.linalg.svd(misfit * spreads, full_matrices=False)
    return spreads[:, None] * (Vt.T / values), U.T @ wanted


def _factors(J: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(10,) of L with J = D (L Lᵀ + LEAST) D, D = diag(scale), logarithms on the diagonal."""
    values, vectors = np.linalg.eigh(J / np.outer(scale, scale) - LEAST * np.eye(4))
    root = vectors * np.sqrt(np.maximum(values, 1e-14 * max(values[-1], 1.0)))  # on the border rounding may leave it
    R: Any = np.linalg.qr(root.T, mode="r")
    L = R.T * np.where(np.diag(R) < 0, -1.0, 1.0)
    L[np.diag_indices(4)] = np.log(np.diag(L))
    return L[_ROWS, _COLUMNS]


def _ten_of_factors(x: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(ten (10,), their slopes (10, 10)) of factors."""
    L = np.zeros((4, 4))
    L[_ROWS, _COLUMNS] = x
    grown = np.exp(np.diag(L))
    L[np.diag_indices(4)] = grown
    scaled, flat = scale[:, None] * L, _TEN_OF.reshape(10, 16)
    ten = flat @ (scaled @ scaled.T + LEAST * np.diag(scale**2)).ravel()
    half = np.zeros((10, 4, 4))  # by each factor: one row of D ∂L (D L)ᵀ
    half[np.arange(10), _ROWS] = (scale[_ROWS] * np.where(_ROWS == _COLUMNS, grown[_ROWS], 1.0))[:, None] * scaled[
        :, _COLUMNS
    ].T
    return ten, flat @ (half + half.transpose(0, 2, 1)).reshape(10, 16).T


def _by_semidefinite_program(
    bodies: Sequence[BodyPlaces], signed: Sequence[int], misfit: np.ndarray, wanted: np.ndarray, prior: Prior
) -> np.ndarray:
    """With cvxpy and Clarabel."""
    try:
        import cvxpy as cp  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UsageError("consistent='lmi' needs cvxpy: pip install 'gough[identify]', or use 'log-cholesky'") from None
    even, y_wanted = _even_coordinates(misfit, wanted, prior.spreads)
    y: Any = cp.Variable(len(y_wanted))
    x: Any = cp.Variable(len(y_wanted))  # numbers in parts of their spread
    bounds = [x == (even / prior.spreads[:, None]) @ y, *(x[k] >= 0 for k in signed)]
    for body in bodies:
        scale = _least_eigenvalues(body, prior)
        parts = PSEUDO[:, :, :] * prior.spreads[list(body.places)] / np.outer(scale, scale)[:, :, None]
        J: Any = sum(parts[:, :, k] * x[place] for k, place in enumerate(body.places))
        bounds.append(J >> LEAST * np.eye(4))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(y - y_wanted)), bounds)
    try:
        problem.solve(solver=cp.CLARABEL)
        ended = f"ended as {problem.status!r}"
    except cp.SolverError as error:
        ended = f"was not solved ({str(error).split('.')[0]})"
    if x.value is None:
        raise UsageError(f"consistent='lmi': the semidefinite program {ended}; use consistent='log-cholesky'")
    return _inside(np.asarray(x.value) * prior.spreads, bodies, signed, prior)


def _inside(values: np.ndarray, bodies: Sequence[BodyPlaces], signed: Sequence[int], prior: Prior) -> np.ndarray:
    """The numbers moved onto the border where the solver left them beyond by its tolerance."""
    out = np.array(values)
    out[list(signed)] = np.maximum(out[list(signed)], 0.0)
    for body in bodies:
        size, own = _least_eigenvalues(body, prior), list(body.places)
        around = np.outer(size, size)
        least, directions = np.linalg.eigh(body.pseudo_inertia(out) / around)
        if least[0] < LEAST:
            lifted = (directions * np.maximum(least, LEAST)) @ directions.T
            out[own] = np.einsum("kij,ij->k", _TEN_OF, lifted * around)
    return out
