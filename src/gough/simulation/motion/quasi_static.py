"""Quasi-static bending along a motion: elastic coordinates that balance gravity, the stiffness of flexible bodies and the
inertia of the prescribed motion, with elastic rates and accelerations 0:

    r(q, v, [v̇, 0], τ) = 0 in e and τ, the rigid coordinates held

by Newton's iteration with the stiffness at rest, ∂r/∂e ≈ K_e, which changes little while robots move slower than they swing.
Vibrations come on top of these forces. Forces of the velocity (friction, centrifugal forces) are kept while the iteration
goes on, and computed anew when it has settled. Coulomb friction of a joint at rest has no sign: it stands on either side
there, and forces are known up to it.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.kinematics.retraction import retract, step_units
from gough.simulation.motion.motion import Sample
from gough.simulation.motion.states import velocities
from gough.simulation.motion.targets import Target

if TYPE_CHECKING:
    from gough.model import Model

ITERATIONS = 40
REFRESHED = 4
"""How often forces of the velocity are computed anew at the bent robot."""
SETTLED = 1e-9
"""Largest last step of an elastic coordinate, relative to a large amplitude."""


def bend(
    target: Target, q: np.ndarray, wanted: Sample, wrench: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q (n, nq) bent, drive forces (n, drives), whether it settled (n,)) from rigid states q, NaN rows left out."""
    q, tau = q.copy(), np.zeros((len(q), len(target.model.mechanism.drives)))
    settled = np.array(np.isfinite(q).all(axis=1))
    for _ in range(REFRESHED):
        good = np.flatnonzero(settled)
        if not len(good):
            break
        here = Sample(wanted.position[good], wanted.velocity[good], wanted.acceleration[good])
        q[good], tau[good], settled[good] = _balanced(target, q[good], tau[good], here, wrench)
    return q, tau, settled


def _balanced(target: Target, q: np.ndarray, tau: np.ndarray, wanted: Sample, wrench: Any):
    """(q, tau, settled) with the forces of the velocity, friction among them, kept as they are at q."""
    model: Model = target.model
    mobility, nv = model.layout.mobility, model.layout.nv
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    forces = RestForces(model, target.numbers, wrench)

    def residual(rows: np.ndarray, v: np.ndarray, rigid: np.ndarray) -> np.ndarray:
        acceleration = np.concatenate([rigid, np.zeros((len(rows), nv - mobility))], axis=1)
        inputs = {"q": q[rows], "v": v, "acceleration": acceleration, "tau": tau[rows], "wrench": forces.load(q[rows])}
        return model.function("dynamics_residual").values(**inputs, parameters=target.numbers)["residual"] * unit

    active = np.arange(len(q))
    v, rigid, _ = velocities(target, q, wanted)
    moving = residual(active, v, rigid) - residual(active, np.zeros_like(v), rigid)
    settled = np.zeros(len(q), dtype=bool)
    for _ in range(ITERATIONS):
        if not len(active):
            break
        here = Sample(wanted.position[active], wanted.velocity[active], wanted.acceleration[active])
        v, rigid, _ = velocities(target, q[active], here)
        r = residual(active, np.zeros_like(v), rigid) + moving[active]
        K = forces.stiffness(q[active], tau[active])[:, :, mobility:] * unit[:, None] * unit[mobility:]
        S = forces.drive_map(q[active]) * unit[:, None]
        size = np.maximum(np.abs(K).max(axis=(1, 2), initial=0.0), 1.0)[:, None, None]
        matrix = np.concatenate([K / size, -S], axis=2)
        usable = np.asarray(np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(r).all(axis=1))
        active, r, matrix, size = active[usable], r[usable], matrix[usable], size[usable]
        if not len(active):
            break
        x = -np.einsum("nij,nj->ni", np.linalg.pinv(matrix, rcond=1e-14), r)
        step = np.zeros((len(active), nv))
        step[:, mobility:] = x[:, : nv - mobility] / size[:, 0] * unit[mobility:]
        moved = np.abs(step / unit).max(axis=1)
        shorter = np.maximum(moved, 1.0)[:, None]
        du = model.function("closing_step").values(q=q[active], v=step / shorter, parameters=target.numbers)["du"]
        q[active] = retract(model.mechanism, q[active], du)
        tau[active] += x[:, nv - mobility :] / shorter
        settled[active[moved < SETTLED]] = True
        active = active[moved >= SETTLED]
    return q, tau, settled
