"""Gains and observers from the exact linear model of a robot at rest.

x = (δ, δv) along v, u = τ - τ₀ (see `linear_model`). What can be measured is z = (y, o) and its rates: drives y, and elastic and
idle coordinates o. Of a robot with a drive for each freedom δ = T z, since Sᵀ δ = y:
    δ_rigid = (S_rᵀ)⁺ (y - S_oᵀ o),   δ_o = o                                                                         (1)
Regulator  ∫ xᵀQx + uᵀRu dt, least: u = -K x. With forces held for a period T the same integral is the sum of
           xᵀQ_d x + 2 xᵀN u + uᵀR_d u, [Q_d N; Nᵀ R_d] = ∫₀ᵀ e^{Fᵀt} diag(Q, R) e^{Ft} dt, F = [A B; 0 0] (Van Loan)  (2)
Observer   x' = A_d x + B_d (u + w), y = C x + e with w, e independent from sample to sample: steady Kalman gain of the estimate
           x̂ + L (y - C x̂) at the sample                                                                             (3)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_model import linear_model
from gough.errors import UsageError
from gough.kinematics.retraction import step_units
from gough.simulation.coordinates import plain_rates

if TYPE_CHECKING:
    from gough.model import LinearModel, Model

Vector = np.ndarray
LONGEST = 0.5
"""Largest ‖F‖ T of one exponential in (2); longer periods are doublings of such ones."""
MARGINAL = 1e-6
"""Real part of an eigenvalue (of 1 of its size) that neither grows nor dies out."""
UNMOVED = 1e-8
"""Part of a mode that inputs move, or outputs see, in typical sizes, that is none."""
HARDLY, ALIKE, ROUNDING = 0.1, 0.02, 1e-9
"""Decay that an observer adds to a mode's own that is little; how far (of its eigenvalue) an error's mode may be from it."""
STILL = 1e-6
"""Frequency (Hz) of a mode that does not swing."""


@dataclass(frozen=True, eq=False)
class DesignPoint:
    """linear: about rest. others: (place in q, entry of v) of what is no drive. T (nv, drives + others): equation (1). drives,
    rest: y and o there. sizes (2nv,): typical ones of x."""

    linear: "LinearModel"
    others: tuple[tuple[int, int], ...]
    T: Vector
    drives: Vector
    rest: Vector
    sizes: Vector

    @property
    def of_measured(self) -> Vector:
        """x (2nv) of (z, its rates)."""
        return np.kron(np.eye(2), self.T)


def model_and_numbers(model: "Model", own: "Model | None", nominal: Any) -> "tuple[Model, Vector]":
    """(model, its numbers (n,)) that a law designs with; own, nominal: as it `knows`."""
    of = model if own is None else own
    if isinstance(nominal, Mapping):
        return of, of.parameters_with(nominal)
    if nominal is None or isinstance(nominal, str) or len(nominal) != len(of.parameters):
        return of, of.parameters
    return of, np.array(nominal, dtype=float)


def design_point(name: str, model: "Model", numbers: Vector, at: Any) -> DesignPoint:
    """The robot about rest at a configuration at (nq,), None: home; UsageError that names the law where it cannot be led so."""
    layout, n = model.layout, model.mobility
    if not model.driven:
        raise UsageError(f"{name}: {model.robot.name} has fewer drives than freedoms, they do not tell its state")
    home = model.home
    if at is not None:
        home = np.asarray(at, dtype=float)
        if home.shape != (layout.nq,):
            raise UsageError(
                f"{name}: at has {home.size} numbers; give one configuration ({layout.nq},), as model.configuration(…) makes it"
            )
    linear = linear_model(model, home, outputs=("drives",), parameters=numbers)
    places = {entry: place for place, entry in plain_rates(model.mechanism)}
    unseen = [layout.v_names[k] for k in range(n, layout.nv) if k not in places]
    if unseen:
        raise UsageError(
            f"{name}: {', '.join(unseen)} of {model.robot.name} are idle rotations in space, rates of no coordinate; "
            "make their joints universal or fix what turns freely"
        )
    S = linear.C[:, : layout.nv].T
    back = np.linalg.pinv(S[:n].T)
    T = np.block([[back, -back @ S[n:].T], [np.zeros((layout.nv - n, len(back.T))), np.eye(layout.nv - n)]])
    others = tuple((places[k], k) for k in range(n, layout.nv))
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    q = linear.q
    rest = np.array([q[place] for place, _ in others])
    return DesignPoint(linear, others, T, q[model.drive_index], rest, np.concatenate([unit, unit]))


def regulator_gain(name: str, point: DesignPoint, Q: Vector, R: Vector, period: float | None) -> Vector:
    """K (drives, 2nv) that makes the integral least; period (s) for which forces are held, None: continuous."""
    from scipy import linalg

    linear = point.linear
    try:
        if period is None:
            P = linalg.solve_continuous_are(linear.A, linear.B, Q, R)
            K = np.linalg.solve(R, linear.B.T @ P)
            closed = np.linalg.eigvals(linear.A - linear.B @ K).real.max()
        else:
            held = linear.discrete(period)
            Q, R, N = _held_cost(linear, Q, R, period)
            P = linalg.solve_discrete_are(held.A, held.B, Q, R, s=N)
            K = np.linalg.solve(R + held.B.T @ P @ held.B, held.B.T @ P @ held.A + N.T)
            closed = np.abs(np.linalg.eigvals(held.A - held.B @ K)).max() - 1.0
    except (np.linalg.LinAlgError, ValueError):
        closed = np.inf
    if not closed < 0:
        lost = [*_modes_apart(linear.A, linear.B.T * 1.0, point, moved=True)]
        why = f"the drives do not move {'; '.join(lost)}" if lost else "no gain makes everything die out"
        raise UsageError(f"{name}: {why}. Give these motions damping or a drive, or leave them out of the robot")
    return K


def observer_gain(name: str, point: DesignPoint, period: float, forces: Vector, noise: Vector) -> Vector:
    """L (2nv, drives) of equation (3); standard deviations of w (N, N m) and e (m, rad), one a drive."""
    from scipy import linalg

    held, C = point.linear.discrete(period), point.linear.C
    scale = point.sizes * float(np.median(noise / np.linalg.norm(C * point.sizes, axis=1)))  # deviations near 1
    A, B, C = held.A * scale / scale[:, None], held.B * forces / scale[:, None], C * scale / noise[:, None]
    try:
        P = linalg.solve_discrete_are(A.T, C.T, B @ B.T, np.eye(len(noise)))
        L = P @ C.T @ np.linalg.inv(C @ P @ C.T + np.eye(len(noise)))
        left = np.abs(np.linalg.eigvals(A - A @ L @ C)).max() - 1.0
    except (np.linalg.LinAlgError, ValueError):
        left, L = np.inf, C.T
    if not left < 0:
        lost = [*_modes_apart(point.linear.A, point.linear.C, point, moved=False)]
        unmoved = [*_modes_apart(point.linear.A, point.linear.B.T, point, moved=True)]
        why = f"encoders do not see {'; '.join(lost)}" if lost else "no gain makes all errors die out"
        more = f" (forces of the drives do not move {'; '.join(unmoved)})" if unmoved and not lost else ""
        raise UsageError(
            f"{name}: {why}{more}. Give these motions damping, or leave them out of the robot it computes with (model=)"
        )
    return L * scale[:, None] / noise


def hardly_seen(point: DesignPoint, period: float, L: Vector) -> tuple[str, ...]:
    """Modes of low observability, in words: vibrations of the robot with its drives held that errors of an observer of this gain
    perform as well, and that die out hardly faster there: readings of the drives tell nothing more of them."""
    held, C = point.linear.discrete(period), point.linear.C
    errors = np.linalg.eigvals(held.A - held.A @ L @ C)
    return tuple(said for said, _ in modes_left_alone(point.linear, point.sizes, errors, period, True))


def modes_left_alone(
    linear: "LinearModel", sizes: Vector, errors: Vector, period: float, held: bool
) -> list[tuple[str, float]]:
    """Modes that errors of an observer perform as well and that die out hardly faster there: in words, and frequencies (Hz).
    errors: their factors from sample to sample; held: whether the drives, the first outputs, are; sizes (2nv,): typical of x."""
    nv, drives = len(linear.A) // 2, linear.B.shape[1]
    locked = linear.A.copy()
    if held:
        S, B = linear.C[:drives, :nv].T, linear.B[nv:]
        locked[nv:] = (np.eye(nv) - B @ np.linalg.pinv(S.T @ B) @ S.T) @ locked[nv:]
    values, shapes = np.linalg.eig(locked * sizes / sizes[:, None])
    found: list[tuple[str, float]] = []
    for value, shape in zip(values, shapes.T, strict=True):
        if value.imag <= 0 or not len(errors):
            continue
        pole = np.exp(value * period)
        k = int(np.argmin(np.abs(errors - pole)))
        nearest, errors = errors[k], np.delete(errors, k)  # each error's mode is that of one
        alike = np.abs(nearest - pole) <= ALIKE * abs(value) * period
        if alike and -np.log(np.abs(nearest)) <= (1 + HARDLY) * -value.real * period + ROUNDING:
            found.append((mode_in_words(linear.states, value, shape), float(abs(value)) / (2 * np.pi)))
    return found


def _modes_apart(A: Vector, seen: Vector, point: DesignPoint, moved: bool) -> Iterator[str]:
    """Modes that do not die out and that outputs C do not see (inputs Bᵀ do not move), in words."""
    scale = point.sizes
    A = A * scale / scale[:, None]
    values, shapes = np.linalg.eig(A.T if moved else A)
    seen = seen / scale if moved else seen * scale
    largest, fastest = np.linalg.norm(seen, axis=1).max(initial=0.0), np.abs(values).max(initial=1.0)
    for value, shape in zip(values, shapes.T, strict=True):
        kept = value.imag >= 0 and value.real >= -MARGINAL * fastest
        if kept and np.linalg.norm(seen @ shape) <= UNMOVED * largest * np.linalg.norm(shape):
            yield mode_in_words(point.linear.states, value, shape)


def mode_in_words(names: Sequence[str], value: complex, shape: Vector) -> str:
    """The state (of `names`) that moves most in a mode, and its frequency."""
    nv = len(shape) // 2
    most = names[nv + int(np.argmax(np.abs(shape[nv:])))]
    hz = abs(value) / (2 * np.pi)
    return f"{most} ({hz:.4g} Hz)" if hz > STILL else most


def _held_cost(linear: "LinearModel", Q: Vector, R: Vector, period: float) -> tuple[Vector, Vector, Vector]:
    """(Q_d, R_d, N) of equation (2)."""
    from scipy import linalg

    n, inputs = linear.B.shape
    F = np.zeros((n + inputs, n + inputs))
    F[:n, :n], F[:n, n:] = linear.A, linear.B
    doublings = max(0, int(np.ceil(np.log2(max(np.linalg.norm(linear.A, 2) * period, 1e-300) / LONGEST))))
    h = period / 2**doublings
    whole = linalg.block_diag(Q, R)
    big = np.block([[-F.T, whole], [np.zeros_like(F), F]]) * h
    found: Any = linalg.expm(big)
    phi = found[len(F) :, len(F) :]
    cost = phi.T @ found[: len(F), len(F) :]
    for _ in range(doublings):
        cost = cost + phi.T @ cost @ phi
        phi = phi @ phi
    cost = 0.5 * (cost + cost.T)
    return cost[:n, :n], cost[n:, n:], cost[:n, n:]
