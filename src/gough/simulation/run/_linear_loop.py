"""Whether a controller's loop is stable where a run begins, by linear theory: what can be said before the run.

The robot about rest at q: M δ̈ + C δ̇ + K δ = S δτ; of rigid robots C = K = 0 at first (fast motions, on which stability of
sampled loops hangs, feel neither weight nor friction). The law, by its exact derivatives there: δτ = F x + F_i i,
i̇ = R x + R_i i, i its own states. A law may compute forces of weight, springs and friction that it makes up for, so what is
found to grow is looked at again with the robot's own C and K. Coulomb friction has no slope at rest, in neither of the two.
In continuous time the poles are those of both together. On a clock of period T, forces late by m T + φ,
    x' = A_d x + B_0 u_k-m + B_1 u_k-m-1,   i' = i + T (R x + R_i i)                                                   (1)
and where encoders show positions alone rates are differences, δv = (δ - δ_before)/T; encoders that are late are late by whole
periods, which is as if forces were. What else stands around a law (clocks of sensors, filters, lags, gears, observers) is
taken as `linear.open_loop` has it, exactly; that takes some tenths of a second, equation (1) milliseconds.
"""

from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.errors import GoughError
from gough.model.linear import without_coulomb
from gough.simulation.actuators.rate_limit import RateLimit
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.control.linear.state_space import StateSpace
from gough.simulation.control.recorded import RecordedFunction
from gough.simulation.integration.plant import Plant
from gough.simulation.linear.law_slopes import KINDS, LawSlopes, exact_sampling, feedback_of, kinds_of
from gough.simulation.linear.open_loop import continuous_poles, open_loops
from gough.simulation.motion.table import MotionTable
from gough.simulation.run.law_slopes import Slopes, law_slopes
from gough.simulation.sampling.line import SAME, Line
from gough.simulation.sensors.encoders import Encoders

Array = np.ndarray
GROWS = 1e-3
"""Growth within the duration that is told, and of a pole, over the largest, that is no rounding."""


def loop_growth(
    plant: Plant, table: MotionTable | None, q: Array, numbers: Array, whole: bool = False
) -> tuple[float, float] | None:
    """(growth (1/s), frequency (Hz)) of what grows most in the loop about q (nq,) of a design (n,); None where linear theory does
    not tell, or where the law follows no motion. whole: weight, springs and viscous friction of rigid robots, too."""
    law = plant.law
    inner = law.law if isinstance(law, Clocked) else law
    follows = bool(set(inner.kinds) - {"forces"}) and not inner.prescribed
    follows = table is not None if isinstance(inner, RecordedFunction) else follows
    doubtful = isinstance(law, Clocked) or plant.inner_size or _is_given(inner)
    if not follows or not doubtful:
        return None
    A, B = _robot(plant, q, numbers, whole)
    if isinstance(law, Clocked) and not _is_plain(law, plant.model.layout.nv == B.shape[1]):
        poles = _exact(plant, law, A, B, q, numbers)
    else:
        own = plant.laws_robot
        if own.numbers is not None:
            own = replace(own, numbers=without_coulomb(own.model, own.numbers))
        bare = Plant(plant.model, inner, plant.rows, plant.wrenches, own, plant.locks)
        slopes = _law_slopes(bare, table, q, without_coulomb(plant.model, numbers))
        poles = _continuous(A, B, slopes) if inner is law else _sampled(law, A, B, slopes)  # type: ignore[arg-type]
    if poles is None or not len(poles := poles[~np.isnan(poles)]) or not np.isfinite(poles).all():
        return None
    k = int(np.argmax(np.real(poles)))
    return float(np.real(poles[k])), float(abs(np.imag(poles[k])) / (2 * np.pi))


def _is_given(law: Law) -> bool:
    """Whether its gains, or those of the law that forces found before stand beside, are matrices of any sign."""
    back = feedback_of(law)
    return isinstance(back, StateSpace) or getattr(back, "gain", None) is not None


def _is_plain(law: Clocked, told: bool) -> bool:
    """Whether what stands around a law on a clock is in equation (1). told: drives tell all rates."""
    if law.sensors and not told:
        return False
    if law.of.observer is not None or len(law.sensors) > 1 or any(type(x) is not RateLimit for x in law.actuators):
        return False
    return all(type(x) is Encoders and x.bandwidth is None and x.period is None for x in law.sensors)


def _exact(plant: Plant, law: Clocked, A: Array, B: Array, q: Array, numbers: Array) -> Array | None:
    """Poles (1/s) with all that stands around the law."""
    own, asked = plant.rows.kind, law.law
    known = [own] if isinstance(asked, RecordedFunction) else kinds_of(feedback_of(asked), plant.laws_robot.model)
    known = [x for x in known if x in KINDS]
    kind = own if own in known else next(iter(known), None)
    if kind is None:
        return None
    exact = replace(law, of=exact_sampling(law.of), limit=None)
    loops = open_loops(LawSlopes.of(plant.model, exact, kind, numbers), A[None], B[None], q[None])
    return continuous_poles(np.linalg.eigvals(loops.closed[0]), loops.period)


def _law_slopes(plant: Plant, table: MotionTable | None, q: Array, numbers: Array) -> Slopes:
    """`law_slopes` at rest."""
    row = plant.rows.stretch(0.0, 1.0) if table is None else plant.rows.row(table, 0)
    return law_slopes(plant, q, np.zeros(plant.model.layout.nv), row, row[0], numbers)


def _robot(plant: Plant, q: Array, numbers: Array, whole: bool) -> tuple[Array, Array]:
    """(A (2nv, 2nv), B (2nv, drives)) about rest, where drives hold the robot as far as they can."""
    model, nv = plant.model, plant.model.layout.nv
    M, S = model.mass_matrix(q, parameters=numbers), model.drive_map(q, parameters=numbers)
    idle = list(model.mechanism.selection.without_inertia)
    M[idle, idle] = 1.0
    A, B = np.zeros((2 * nv, 2 * nv)), np.zeros((2 * nv, S.shape[1]))
    A[:nv, nv:], B[nv:] = np.eye(nv), np.linalg.solve(M, S)
    if whole or nv > model.mobility:
        forces, tau = RestForces(model, numbers, plant.wrenches.by_load(model)), np.zeros((1, S.shape[1]))
        if whole:
            tau = np.linalg.lstsq(S, forces.residual(q[None], tau)[0], rcond=None)[0][None]
        K, C = forces.stiffness(q[None], tau)[0], forces.damping(q[None], tau)[0]
        A[nv:, :nv], A[nv:, nv:] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    return A, B


def _continuous(A: Array, B: Array, slopes: Slopes) -> Array:
    F, Fi, R, Ri = slopes
    return np.linalg.eigvals(np.block([[A + B @ F, B @ Fi], [R, Ri]]))


def _sampled(law: Clocked, A: Array, B: Array, slopes: Slopes) -> Array:
    """Poles (1/s) of equation (1): logarithms over the period."""
    F, Fi, R, Ri = slopes
    period, n, drives, k = law.of.period, len(A), B.shape[1], len(Ri)
    nv = n // 2
    shown = max((ceil(x.delay / period - SAME) for x in law.sensors), default=0)
    line = Line(drives, period, law.of.delay + shown * period)
    differences = bool(law.sensors) and bool(np.abs(F[:, nv:]).max(initial=0.0) or np.abs(R[:, nv:]).max(initial=0.0))
    begin, B1 = _held(A, B, line.phase)
    end, B0 = _held(A, B, period - line.phase)
    Ad, B1, whole = end @ begin, end @ B1, line.whole + bool(line.phase)
    # of x, δ before (where rates are differences), i, forces on their way, newest first
    before = nv if differences else 0
    size = n + before + k + whole * drives
    see = np.zeros((n, size))
    see[:, :n] = np.eye(n)
    if differences:
        see[nv:] = 0.0
        see[nv:, :nv], see[nv:, n : n + nv] = np.eye(nv) / period, -np.eye(nv) / period
    own = np.zeros((k, size))
    own[:, n + before : n + before + k] = np.eye(k)
    u = F @ see + Fi @ own
    sent = [u]
    for j in range(whole):
        late = np.zeros((drives, size))
        late[:, size - (whole - j) * drives : size - (whole - j - 1) * drives or None] = np.eye(drives)
        sent.append(late)
    step = np.zeros((size, size))
    step[:n, :n] = Ad
    step[:n] += B0 @ sent[line.whole]
    if line.phase:
        step[:n] += B1 @ sent[line.whole + 1]
    if differences:
        step[n : n + nv, :nv] = np.eye(nv)
    step[n + before : n + before + k] = own + period * (R @ see + Ri @ own)
    for j in range(whole):
        step[n + before + k + j * drives : n + before + k + (j + 1) * drives] = sent[j]
    values = np.linalg.eigvals(step).astype(complex)
    return np.log(values[np.abs(values) > 1e-12]) / period


def _held(A: Array, B: Array, time: float) -> tuple[Array, Array]:
    """(exp(A t), ∫₀ᵗ exp(A s) ds B)."""
    from scipy import linalg

    n, inputs = B.shape
    whole = np.zeros((n + inputs, n + inputs))
    whole[:n, :n], whole[:n, n:] = A, B
    found = linalg.expm(whole * time)
    return found[:n, :n], found[:n, n:]


def told_loop(found: tuple[float, float] | None, law: Law, duration: float) -> str:
    """What that growth is to a run of so long (s), in words; "" where it is nothing."""
    if found is None or not found[0] * duration > GROWS * max(1.0, 2 * np.pi * found[1] * duration):
        return ""
    growth, hz = found
    how = f"an oscillation of {hz:.4g} Hz grows" if hz > 0.5 / duration else "it departs"
    inner = law.law if isinstance(law, Clocked) else law
    back, clocked, remedies = feedback_of(inner), "a shorter period or delay, smaller gains, or more damping", []
    if isinstance(back, StateSpace):
        remedies = ["other gains or signs (errors are reference - measured)"]
    elif _is_given(inner):
        remedies = ["other gains or signs (forces are those that hold the robot, less gain times state)"]
    elif isinstance(inner, RecordedFunction):
        remedies = ["other gains or signs"]
    if isinstance(law, Clocked):
        remedies.append(clocked)
    remedy = "; ".join(remedies) or "a smaller integral or more damping"
    return (
        f"the loop of {inner.name} is unstable where it begins: {how} at {growth:+.4g} 1/s by linear theory; {remedy}"
    )


def loop_text(plant: Plant, table: MotionTable | None, q: Any, numbers: Array, duration: float) -> str:
    """What linear theory says against a loop; "" where it says nothing."""
    at = np.asarray(q)
    try:
        with np.errstate(all="ignore"):  # a law without finite slopes is told by the run itself
            text = told_loop(loop_growth(plant, table, at, numbers), plant.law, duration)
            return text and told_loop(loop_growth(plant, table, at, numbers, whole=True), plant.law, duration)
    except (np.linalg.LinAlgError, ValueError, GoughError):  # nothing that could be linearised: no verdict
        return ""
