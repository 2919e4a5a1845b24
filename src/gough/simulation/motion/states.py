"""A robot along a motion: configurations, velocities and accelerations at given times.

Robots whose legs follow from the pose are assembled sample by sample at once. Others are led: a few samples one after the
other, each from the one before, then all others from the nearest of these. Elastic coordinates are 0 or, on request, those of
quasi-static bending: they balance gravity, the stiffness of flexible bodies and the inertia of the prescribed motion, with
elastic rates and accelerations 0:

    r(q, v, [v̇, a, 0], τ) = 0 in e, τ and the accelerations a of idle freedoms, all other coordinates held

by Newton's iteration with the stiffness at rest, ∂r/∂e ≈ K_e, which changes little while robots move slower than they swing.
Vibrations come on top of these forces. Forces of the velocity (friction, centrifugal forces) are kept while the iteration
goes on, and computed anew when it has settled. Coulomb friction of a joint at rest has no sign: it stands on either side
there, and forces are known up to it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.arguments import a_model, a_motion, checked, numbers, word
from gough.compilation.status import are_good, codes, places
from gough.errors import GOOD, Status, UsageError
from gough.kinematics.following import follow
from gough.kinematics.leading import idle_turns, turn_back
from gough.kinematics.retraction import retract, step_units
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.targets import MotionTarget, target_of
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

COARSE = 48
"""Samples that are led one after the other."""
REACHED = 1e-8
"""Accepted distance of a frame from where it is wanted, relative to the robot's size."""
FAR = 1e-6
"""Determinant of a matrix far from singular, of entries up to 1."""
ITERATIONS = 40
REFRESHED = 4
"""How often forces of the velocity are computed anew at the bent robot."""
SETTLED = 1e-9
"""Largest last step of an elastic coordinate, relative to a large amplitude."""


@dataclass(frozen=True, eq=False)
class MotionStates:
    """t (n,), s. q (n, nq), v (n, nv), acceleration (n, mobility): NaN where the status is not 0. status (n,): codes;
    places (n,): where. missed (n,): part of the wanted velocity that the robot's freedoms do not allow (m/s; angles times its
    size)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    status: np.ndarray
    places: np.ndarray
    missed: np.ndarray

    __repr__ = short_repr


@checked(model=a_model, motion=a_motion, t=numbers, side=word, near=numbers)
def states_along(
    model: "Model", motion: Motion, t: Any, side: str = "right", near: Any = None, parameters: Any = None
) -> MotionStates:
    """The model along the motion at rising times t (n,); near: q (nq,) whose assembly is taken (default: home). parameters (n,):
    of another design."""
    times = np.atleast_1d(np.asarray(t, dtype=float))
    if times.ndim != 1 or not np.isfinite(times).all():
        raise UsageError(f"states_along: t has shape {times.shape}; give finite rising times (n,)")
    target = target_of(model, motion, parameters)
    return states_for(target, times, target.wanted_sample(motion.at(times, side)), near)


def state_at(target: MotionTarget, motion: Motion, t: float) -> tuple[np.ndarray, np.ndarray]:
    """q (nq,), v (nv,) of `states_along` at one time (s), without what only accelerations need."""
    wanted = target.wanted_sample(motion.at(np.array([t])))
    q, names = _assembled(target, wanted, None)
    v, _ = _velocities_of(target, q, wanted)
    v[~are_good(names)] = np.nan
    return q[0], v[0]


def states_for(target: MotionTarget, times: np.ndarray, wanted: Sample, near: Any = None) -> MotionStates:
    """The model where `wanted` (n, …) is at rising times (n,); near: as of `states_along`, or (n, nq), where each is begun."""
    q, names = _assembled(target, wanted, near)
    v, acceleration, missed = velocities(target, q, wanted)
    bad = ~are_good(names)
    v[bad], acceleration[bad], missed[bad] = np.nan, np.nan, np.nan
    status = codes(names)
    return MotionStates(times, q, v, acceleration, status, places(names, status), missed)


def velocities(target: MotionTarget, q: np.ndarray, wanted: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(v (n, nv), accelerations (n, mobility), missed (n,)) at q; elastic rates are 0. Nearest, shortest solutions."""
    acceleration, missed = np.full((len(q), target.model.layout.mobility), np.nan), np.full(len(q), np.nan)
    v, solved = _velocities_of(target, q, wanted)
    if solved is not None:
        good, A, inverse = solved
        scales, own = target.scales, v[good, : acceleration.shape[1]]
        left = (wanted.acceleration[good] - target.bias(q[good], v[good])) * scales
        acceleration[good] = np.einsum("nij,nj->ni", inverse, left)
        rate = wanted.velocity[good] * scales
        missed[good] = np.abs(rate - np.einsum("nij,nj->ni", A, own)).max(axis=1, initial=0.0)
    return v, acceleration, missed


def _velocities_of(
    target: MotionTarget, q: np.ndarray, wanted: Sample
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray] | None]:
    """(v (n, nv), (which of q (n, nq) are finite, scaled rows, their inverses there) or None where there are none)."""
    v = np.full((len(q), target.model.layout.nv), np.nan)
    good = np.asarray(np.isfinite(q).all(axis=1))
    if not good.any():
        return v, None
    A = target.rows(q[good]) * target.scales[:, None]
    inverse = _inverses(A)
    v[good] = 0.0
    v[good, : A.shape[2]] = np.einsum("nij,nj->ni", inverse, wanted.velocity[good] * target.scales)
    return v, (good, A, inverse)


def _inverses(A: np.ndarray) -> np.ndarray:
    """Pseudo-inverses (n, nv, k) of A (n, k, nv); of square ones that are far from singular the inverses, which are cheaper."""
    if A.shape[1] != A.shape[2] or not A.size:
        return np.linalg.pinv(A, rcond=1e-10)
    size = np.abs(A).max(axis=(1, 2))
    plain = np.asarray(np.abs(np.linalg.det(A)) > FAR * size ** A.shape[1])
    out = np.empty_like(A)
    out[plain] = np.linalg.inv(A[plain])
    out[~plain] = np.linalg.pinv(A[~plain], rcond=1e-10)
    return out


def _assembled(target: MotionTarget, wanted: Sample, near: Any) -> tuple[np.ndarray, np.ndarray]:
    """(q (n, nq), failed checks (n,))."""
    model, n = target.model, len(wanted.position)
    if near is not None and np.ndim(near) == 2:
        found = _reached(target, wanted.position, np.asarray(near, dtype=float))
        if are_good(found[1]).all():
            return found
        near = near[0]
    if near is not None and (np.shape(near) != (model.layout.nq,) or not np.isfinite(near).all()):
        raise UsageError(f"near has shape {np.shape(near)}; give one finite configuration ({model.layout.nq},)")
    at_once = target.kind == "pose" and target.columns is not None and model.geometry.legs_reach
    if at_once:
        return _reached(target, wanted.position, None if near is None else np.asarray(near, dtype=float))
    q = np.full((n, model.layout.nq), np.nan)
    names = np.full(n, GOOD, dtype=object)
    led = np.unique(np.linspace(0, n - 1, min(n, COARSE)).astype(int))
    start = model.home if near is None else np.asarray(near, dtype=float)
    starts = np.empty((n, model.layout.nq))
    done = np.zeros(n, dtype=bool)
    own_design = target.kind == "drives" and np.array_equal(target.numbers, model.parameters)
    for k in led:
        found = model.geometry.one_lead.to_drives(wanted.position[k], start) if own_design else None
        if found is None:  # the general way says why
            q[[k]], names[[k]] = _reached(target, wanted.position[[k]], start[None])
        else:
            q[k] = found
        done[k] = True
        start = q[k] if names[k] == GOOD else start
        starts[k:] = start
        if names[k] != GOOD:
            break  # all that comes later is led from the last that was reached
    rest = np.flatnonzero(~done)
    if len(rest):
        q[rest], names[rest] = _reached(target, wanted.position[rest], starts[rest])
    return q, names


def _reached(target: MotionTarget, position: np.ndarray, near: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(q (n, nq), failed checks (n,)) at wanted positions, from `near` (n, nq)."""
    model = target.model
    if target.columns is None:
        assert near is not None
        return _frame_reached(target, position, near)
    if target.kind == "pose":
        made = model.assemble(position, near=near, parameters=target.parameters, on_bad_state="mark")
    elif target.kind == "drives":
        made = model.assemble(drives=position, near=near, parameters=target.parameters, on_bad_state="mark")
    else:
        named = dict(zip(target.names, position.T, strict=True))
        made = model.assemble(coordinates=named, near=near, parameters=target.parameters, on_bad_state="mark")
    return made.q, made.failures


def _frame_reached(target: MotionTarget, position: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    model = target.model
    mobility, scales = model.layout.mobility, target.scales
    kept = idle_turns(model)

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        A = target.rows(q) * scales[:, None]
        left = target.missing(q, position[states]) * scales
        finite = np.asarray(np.isfinite(A).all(axis=(1, 2)) & np.isfinite(left).all(axis=1))
        out = np.full((len(q), model.layout.nv), np.nan)
        out[finite] = 0.0
        out[finite, :mobility] = np.einsum("nij,nj->ni", np.linalg.pinv(A[finite], rcond=1e-10), left[finite])
        return turn_back(out, kept, near[states], q)

    q, names = follow(model, near, target.numbers[None], misses)
    good = np.flatnonzero(are_good(names))
    if len(good):
        off = np.abs(target.missing(q[good], position[good]) * scales).max(axis=1) / model.size
        lost = good[~(off < REACHED)]
        names[lost] = Status.OUT_OF_REACH.at(target.frame or "platform")
        q[lost] = np.nan
    return q, names


def bend(
    target: MotionTarget, q: np.ndarray, wanted: Sample, wrench: Any = None
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


def _balanced(target: MotionTarget, q: np.ndarray, tau: np.ndarray, wanted: Sample, wrench: Any):
    """(q, tau, settled) with the forces of the velocity, friction among them, kept as they are at q."""
    model: Model = target.model
    mobility, rigid_count, nv = model.layout.mobility, model.layout.rigid, model.layout.nv
    elastic, idle = slice(rigid_count, nv), model.layout.idle
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    forces = RestForces(model, target.numbers, wrench)
    pulled = np.zeros((len(q), model.layout.v_idle))  # accelerations of idle freedoms

    def residual(rows: np.ndarray, v: np.ndarray, rigid: np.ndarray) -> np.ndarray:
        vdot = np.concatenate([rigid, pulled[rows], np.zeros((len(rows), nv - rigid_count))], axis=1)
        inputs = {"q": q[rows], "v": v, "vdot": vdot, "tau": tau[rows]} | forces.load(q[rows])
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
        K = forces.stiffness(q[active], tau[active])[:, :, elastic] * unit[:, None] * unit[elastic]
        S = forces.drive_map(q[active]) * unit[:, None]
        M = forces.mass(q[active])[:, :, idle] * unit[:, None] if pulled.shape[1] else S[:, :, :0]
        size = np.maximum(np.abs(K).max(axis=(1, 2), initial=0.0), 1.0)[:, None, None]
        matrix = np.concatenate([K / size, M, -S], axis=2)
        usable = np.asarray(np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(r).all(axis=1))
        active, r, matrix, size = active[usable], r[usable], matrix[usable], size[usable]
        if not len(active):
            break
        x = -np.einsum("nij,nj->ni", np.linalg.pinv(matrix, rcond=1e-14), r)
        step = np.zeros((len(active), nv))
        bent, spun = nv - rigid_count, nv - mobility
        step[:, elastic] = x[:, :bent] / size[:, 0] * unit[elastic]
        moved = np.abs(step / unit).max(axis=1)
        shorter = np.maximum(moved, 1.0)[:, None]
        du = model.function("closing_step").values(q=q[active], v=step / shorter, parameters=target.numbers)["du"]
        q[active] = retract(model.mechanism, q[active], du)
        pulled[active] += x[:, bent:spun] / shorter
        tau[active] += x[:, spun:] / shorter
        settled[active[moved < SETTLED]] = True
        active = active[moved >= SETTLED]
    return q, tau, settled
