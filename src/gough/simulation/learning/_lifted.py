"""From forces held on a grid of times to what the drives do at its points, by linear theory along a motion.

Along the motion δẋ = A(t) δx + B(t) (F δx + F_i i + u),  i' = R δx + R_i i, with the law's exact derivatives (`run.law_slopes`);
held from t_k to t_k+1, with A … R as they are in the middle, x_k+1 = Φ_k x_k + Γ_k u_k exactly, y_k = Sᵀ δ_k, and
    y = P u,   P_kj = C_k Φ_k-1 … Φ_j+1 Γ_j,  j < k                                                                    (1)
the lifted map (drives times N, the first force and the first displacement after it first). On a clock the steps are those of
the clock. Redundant drives have forces that work against each other alone, S_k w = 0: they move nothing (`working_forces`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.integration.plant import Plant
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import piece_of
from gough.simulation.motion.states import MotionStates, states_along
from gough.simulation.run.law_slopes import law_slopes
from gough.simulation.run.setup import Setup

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
NO_WORK = 1e-9
"""Motion that a force makes, of the largest, that is none."""


@dataclass(frozen=True, eq=False)
class LiftedMap:
    """P (N drives, N drives) of equation (1). doubts: what of the loop is not in it, in words."""

    P: Array
    doubts: tuple[str, ...]


def lifted_map(setup: Setup, motion: Motion, times: Array) -> LiftedMap:
    """Of a run that is settled, along its motion. times (N + 1,), s."""
    plant, numbers = setup.plant, setup.numbers
    model, law, table = plant.model, plant.law, setup.table
    assert table is not None
    inside: Law = law.law if isinstance(law, Clocked) else law
    bare = plant
    if inside is not law:
        bare = Plant(model, inside, plant.rows, plant.wrenches, plant.own, plant.locks)
    middle = 0.5 * (times[:-1] + times[1:])
    along = _along(model, motion, middle, numbers)
    ends = _along(model, motion, times[1:], numbers, "left")
    tau = model.inverse_dynamics(along.q, along.v, along.acceleration, parameters=numbers).tau
    linear = model.linearize(along.q, along.v, tau, parameters=numbers, friction="viscous")
    pieces = piece_of(table.breaks, middle, False)
    rows = np.array([bare.rows.row(table, int(k)) for k in range(len(table.breaks) - 1)])[pieces]
    slopes = law_slopes(bare, along.q, along.v, rows, middle, numbers)
    S = np.atleast_3d(model.drive_map(ends.q, parameters=numbers))
    nv, states = model.layout.nv, 2 * model.layout.nv + slopes[3].shape[-1]
    C = np.zeros((len(middle), S.shape[2], states))
    C[:, :, :nv] = np.swapaxes(S, 1, 2)
    clock = law.of.period if isinstance(law, Clocked) else None
    steps = [
        _step(linear.A[k], linear.B[k], [x[k] for x in slopes], times[k + 1] - times[k], clock)
        for k in range(len(middle))
    ]
    return LiftedMap(_chained(C, steps), _doubts(law, inside, model.layout.nv > model.mobility))


def working_forces(model: "Model", motion: Motion, times: Array, numbers: Array) -> Array | None:
    """Orthonormal basis (N drives, N m), step by step, of forces without those that move nothing; None where all of them do."""
    n = len(model.mechanism.drives)
    if n <= model.mobility:
        return None
    along = _along(model, motion, 0.5 * (times[:-1] + times[1:]), numbers)
    _, sizes, rows = np.linalg.svd(np.atleast_3d(model.drive_map(along.q, parameters=numbers)))
    rank = int((sizes > NO_WORK * sizes[:, :1]).sum(axis=1).max())
    if rank == n:
        return None
    basis = np.zeros((len(rows), n, len(rows), rank))
    steps = np.arange(len(rows))
    basis[steps, :, steps] = np.swapaxes(rows[:, :rank], 1, 2)
    return basis.reshape(len(rows) * n, len(rows) * rank)


def _along(model: "Model", motion: Motion, times: Array, numbers: Array, side: str = "right") -> MotionStates:
    """States on the motion."""
    found = states_along(model, motion, times, side, parameters=numbers)
    if found.status.any():
        raise UsageError(f"{model.robot.name} cannot follow the motion; see gough.check_motion")
    return found


def _step(A: Array, B: Array, slopes: list[Array], length: float, clock: float | None) -> tuple[Array, Array]:
    """(Φ, Γ) of one interval."""
    F, Fi, R, Ri = slopes
    n, own, inputs = len(A), len(Ri), B.shape[1]
    push = np.concatenate([B, np.zeros((own, inputs))])
    if clock is None:
        return _held(np.block([[A + B @ F, B @ Fi], [R, Ri]]), push, length)
    Ad, Bd = _held(A, B, clock)
    once = np.block([[Ad + Bd @ F, Bd @ Fi], [clock * R, np.eye(own) + clock * Ri]])
    pushed = np.concatenate([Bd, np.zeros((own, inputs))])
    whole, gathered = np.eye(n + own), np.zeros((n + own, inputs))
    for _ in range(round(length / clock)):
        whole, gathered = once @ whole, once @ gathered + pushed
    return whole, gathered


def _held(A: Array, B: Array, time: float) -> tuple[Array, Array]:
    from scipy import linalg

    n, inputs = B.shape
    both = np.zeros((n + inputs, n + inputs))
    both[:n, :n], both[:n, n:] = A, B
    found = linalg.expm(both * time)
    return found[:n, :n], found[:n, n:]


def _chained(C: Array, steps: list[tuple[Array, Array]]) -> Array:
    """P of equation (1)."""
    count, n, states = C.shape
    moved, P = np.zeros((states, count * n)), np.zeros((count * n, count * n))
    for k, (through, push) in enumerate(steps):
        moved = through @ moved
        moved[:, k * n : (k + 1) * n] = push
        P[k * n : (k + 1) * n] = C[k] @ moved
    return P


def _doubts(law: Law, inside: Law, bends: bool) -> tuple[str, ...]:
    out = []
    if law.limit is not None or inside.limit is not None:
        out.append("limits of the forces")
    if isinstance(law, Clocked):
        out += ["sensors"] if law.sensors else []
        out += ["actuators"] if law.actuators else []
        out += ["the delay of the clock"] if law.of.delay else []
    if bends:
        out.append("what bends or spins by itself is at rest along the motion")
    return tuple(out)
