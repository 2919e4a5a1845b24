"""Whether a controller's loop is stable where a run begins, by linear theory: what can be said before the run.

The robot about rest at q: M δ̈ + C δ̇ + K δ = S δτ; of rigid robots C = K = 0 (fast motions, on which stability of sampled loops
hangs, feel neither weight nor friction). The law, by its exact derivatives there: δτ = F x + F_i i, i̇ = R x + R_i i, i its own
states. In continuous time the poles are those of both together. On a clock of period T, forces late by m T + φ,
    x' = A_d x + B_0 u_k-m + B_1 u_k-m-1,   i' = i + T (R x + R_i i)                                                   (1)
and where encoders show positions alone rates are differences, δv = (δ - δ_before)/T.
"""

from typing import Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.errors import UsageError
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.control.linear.state_space import StateSpace
from gough.simulation.integration.plant import Plant
from gough.simulation.motion.table import MotionTable
from gough.simulation.run.law_slopes import Slopes, law_slopes
from gough.simulation.sampling.line import Line
from gough.simulation.sensors.encoders import Encoders

Array = np.ndarray
GROWS = 1e-3
"""Growth within the duration that is told, and of a pole, over the largest, that is no rounding."""


def loop_growth(plant: Plant, table: MotionTable | None, q: Array, numbers: Array) -> tuple[float, float] | None:
    """(growth (1/s), frequency (Hz)) of what grows most in the loop about q (nq,) of a design (n,); None where linear theory does
    not tell, or where the law follows no motion."""
    law = plant.law
    inner = law.law if isinstance(law, Clocked) else law
    follows = bool(set(inner.kinds) - {"forces"}) and not inner.prescribed
    doubtful = isinstance(law, Clocked) or plant.inner_size or isinstance(inner, StateSpace)
    if not follows or not doubtful or not _is_plain(law):
        return None
    bare = plant if inner is law else Plant(plant.model, inner, plant.rows, plant.wrenches, plant.own, plant.locks)
    slopes = _law_slopes(bare, table, q, numbers)
    A, B = _robot(plant, q, numbers)
    poles = _continuous(A, B, slopes) if inner is law else _sampled(law, A, B, slopes)  # type: ignore[arg-type]
    if poles is None or not np.isfinite(poles).all() or not len(poles):
        return None
    k = int(np.argmax(np.real(poles)))
    return float(np.real(poles[k])), float(abs(np.imag(poles[k])) / (2 * np.pi))


def _is_plain(law: Law) -> bool:
    """Whether what stands around a law on a clock is in equation (1)."""
    if not isinstance(law, Clocked):
        return True
    if law.actuators or len(law.sensors) > 1 or law.of.observer is not None:
        return False
    return all(
        type(x) is Encoders and x.bandwidth is None and not x.delay and x.period is None and not np.any(x.lost)
        for x in law.sensors
    )


def _law_slopes(plant: Plant, table: MotionTable | None, q: Array, numbers: Array) -> Slopes:
    """`law_slopes` at rest."""
    row = plant.rows.stretch(0.0, 1.0) if table is None else plant.rows.row(table, 0)
    return law_slopes(plant, q, np.zeros(plant.model.layout.nv), row, row[0], numbers)


def _robot(plant: Plant, q: Array, numbers: Array) -> tuple[Array, Array]:
    """(A (2nv, 2nv), B (2nv, drives)) about rest."""
    model, nv = plant.model, plant.model.layout.nv
    M, S = model.mass_matrix(q, parameters=numbers), model.drive_map(q, parameters=numbers)
    idle = list(model.mechanism.selection.without_inertia)
    M[idle, idle] = 1.0
    A, B = np.zeros((2 * nv, 2 * nv)), np.zeros((2 * nv, S.shape[1]))
    A[:nv, nv:], B[nv:] = np.eye(nv), np.linalg.solve(M, S)
    if nv > model.mobility:
        forces, still = RestForces(model, numbers, plant.wrenches.by_load(model)), np.zeros((1, S.shape[1]))
        K, C = forces.stiffness(q[None], still)[0], forces.damping(q[None], still)[0]
        A[nv:, :nv], A[nv:, nv:] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    return A, B


def _continuous(A: Array, B: Array, slopes: Slopes) -> Array:
    F, Fi, R, Ri = slopes
    return np.linalg.eigvals(np.block([[A + B @ F, B @ Fi], [R, Ri]]))


def _sampled(law: Clocked, A: Array, B: Array, slopes: Slopes) -> Array | None:
    """Poles (1/s) of equation (1): logarithms over the period."""
    F, Fi, R, Ri = slopes
    period, n, drives, k = law.of.period, len(A), B.shape[1], len(Ri)
    nv = n // 2
    line = Line(drives, period, law.of.delay)
    differences = bool(law.sensors) and bool(np.abs(F[:, nv:]).max(initial=0.0) or np.abs(R[:, nv:]).max(initial=0.0))
    if differences and nv != drives:
        return None  # rates of what the drives do not tell
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
    if isinstance(law, StateSpace):
        remedy = "other gains or signs (errors are reference - measured)"
    else:
        remedy = (
            "a shorter period or delay, smaller gains, or more damping"
            if isinstance(law, Clocked)
            else "a smaller integral or more damping"
        )
    name = law.law.name if isinstance(law, Clocked) else law.name
    return f"the loop of {name} is unstable where it begins: {how} at {growth:+.4g} 1/s by linear theory; {remedy}"


def loop_text(plant: Plant, table: MotionTable | None, q: Any, numbers: Array, duration: float) -> str:
    """What linear theory says against a loop; "" where it says nothing."""
    try:
        return told_loop(loop_growth(plant, table, np.asarray(q), numbers), plant.law, duration)
    except (np.linalg.LinAlgError, ValueError, UsageError):  # nothing that could be linearised: no verdict
        return ""
