"""A robot whose tool is where a motion wants it at every time: what is left of its freedoms, and how these accelerate.

Output y(q): pose or point of a frame, as many independent directions as drives. With internal coordinates z (elastic and idle
ones) the output fixes the rest of q, v and v̇, and the equations of motion give drive forces and z̈ (servo constraints):

    y(q) = y_d,   J v = ẏ_d,   [M  -S; J  0] [v̇; τ] = [-h; ÿ_d - J̇ v]                                              (1)

so z̈ = f(z, ż, t). Its slopes are those of (1) along motions that leave the output where it is: with the residual
r = M v̇ + h - S τ and the output's acceleration A(q, v, v̇), δ along v, w = δv,

    J δ = 0,   J w + (∂(J v)/∂q) δ = 0,   [M  -S; J  0] [δv̇; δτ] = -[r_q δ + r_v w; A_q δ + A_v w]                   (2)

All derivatives are exact programs; all states are one batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.analysis.linear_model import AXES
from gough.compilation.function import Function
from gough.compilation.status import are_good
from gough.dynamics.catalogue import FunctionKey
from gough.errors import UsageError
from gough.kinematics.following import follow
from gough.kinematics.retraction import step_units
from gough.model.external import residual_slope
from gough.model.tangent import tangent_derivation, tangent_derivative
from gough.simulation.coordinates import plain_rates
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.targets import MotionTarget

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
RANK = 1e-9
"""Of the largest: what the frame moves less does not count as a direction."""
WEAK = 1e-10
"""Smallest determinant-like measure of equation (1), relative: below it drives do not accelerate the output at once."""
COARSE = 24
"""Positions that are led to one after the other."""
CHUNK = 512
"""States whose slopes are computed together."""


@dataclass(frozen=True, eq=False)
class ServoStates:
    """q (n, nq), v and vdot (n, nv), tau (n, drives), accelerations of the internal coordinates (n, k)."""

    q: Array
    v: Array
    vdot: Array
    tau: Array
    inner: Array


@dataclass(frozen=True, eq=False)
class ServoConstraint:
    """target: pose or point of a frame. axes: places of those of its directions that count. chosen (drives, size): independent
    combinations of these, scaled."""

    model: "Model"
    target: MotionTarget
    axes: tuple[int, ...]
    chosen: Array
    forces: RestForces

    @property
    def numbers(self) -> Array:
        """Parameters (n,) of the design."""
        return self.forces.parameters

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """(place in q, entry of v) of the internal coordinates."""
        model = self.model
        of_entry = {entry: place for place, entry in plain_rates(model.mechanism)}
        return [(of_entry[k], k) for k in model.mechanism.moving if k >= model.mobility]

    @property
    def size(self) -> int:
        """Number of internal coordinates k."""
        return len(self.places)

    @cached_property
    def units(self) -> Array:
        """Typical sizes (k,) of the internal coordinates."""
        own = step_units(self.model.mechanism, self.model.size)[list(self.model.mechanism.selection.independent)]
        return own[[k for _, k in self.places]]

    @cached_property
    def _entries(self) -> tuple[list[int], list[int], list[int]]:
        """Entries of v: (all that move, the rigid ones among these, the internal ones), the latter two as places in the
        first."""
        moving, rigid = list(self.model.mechanism.moving), self.model.mobility
        of = {k: i for i, k in enumerate(moving)}
        return moving, [of[k] for k in range(rigid)], [of[k] for _, k in self.places]

    @cached_property
    def _acceleration(self) -> Function:
        """Slopes of the frame's acceleration: of its twist along (q, v) moving by (d_q, d_v)."""
        model, key = self.model, FunctionKey("frame_twist", (str(self.target.frame),))

        def made() -> Function:
            along = tangent_derivative(model, key, ("q", "v"), "jvp")
            program = tangent_derivation(model, along.program, ("q", "v", "d_q", "d_v")).jacobian("auto")
            return Function(program, model.mechanism.table, model.pattern, precision=model.precision)

        return model.cached(("slopes of the acceleration", key), made)

    def configurations(self, position: Array, inner: Array, near: Array) -> Array:
        """q (n, nq) with the output at wanted positions (n, …) and internal coordinates (n, k), from `near`; NaN where it is
        not reached."""
        target, model, scales = self.target, self.model, self.target.scales
        own, entries = [p for p, _ in self.places], [k for _, k in self.places]

        def misses(q: Array, states: Array) -> Array:
            A = self.chosen @ (target.rows(q) * scales[:, None])
            left = (target.missing(q, position[states]) * scales) @ self.chosen.T
            out = np.zeros((len(q), model.layout.nv))
            out[:, entries] = inner[states] - q[:, own]
            B = self._seen(q)[:, :, [*self._entries[2]]]
            away = left - np.einsum("nij,nj->ni", B, out[:, entries])
            bad = ~(np.isfinite(A).all(axis=(1, 2)) & np.isfinite(away).all(axis=1))
            A[bad] = np.eye(len(self.chosen))
            out[:, : model.mobility] = _solved(A, away)
            out[bad] = np.nan
            return out

        q, failures = follow(model, near, self.numbers[None], misses)
        q[~are_good(failures)] = np.nan
        return q

    def off_path(self, q: Array, position: Array) -> Array:
        """How far the output is from positions at q, along all axes that count (n, axes) (m; angles times the size)."""
        return np.abs(self.target.missing(q, position) * self.target.scales)[:, list(self.axes)]

    def straight_configurations(self, position: Array, near: Array) -> Array:
        """q (n, nq) of the robot before it bends, its output at positions (n, …), from q (nq,) where it is at the first of
        them; NaN from where it is not reached."""
        n, q = len(position), np.full((len(position), self.model.layout.nq), np.nan)
        marks = np.unique(np.linspace(0, n - 1, min(n, COARSE)).astype(int))
        for k in marks:
            found = self.configurations(position[[k]], np.zeros((1, self.size)), near[None])
            if not np.isfinite(found).all():
                return q
            q[k] = near = found[0]
        rest = np.setdiff1d(np.arange(n), marks)
        if len(rest):
            before = q[marks[np.searchsorted(marks, rest) - 1]]
            q[rest] = self.configurations(position[rest], np.zeros((len(rest), self.size)), before)
        return q

    def _seen(self, q: Array) -> Array:
        """J (n, drives, moving): the chosen directions, scaled."""
        J = self.forces.frame_jacobian(q, str(self.target.frame))[:, : self.target.size]
        return self.chosen @ (J * self.target.scales[:, None])[:, :, self._entries[0]]

    def states(self, inner: Array, rates: Array, wanted: Sample, near: Array) -> ServoStates:
        """Equation (1) at internal coordinates and rates (n, k), where the output is as wanted (n, …)."""
        model, target = self.model, self.target
        moving, rigid, internal = self._entries
        q = self.configurations(wanted.position, inner, near)
        n = len(q)
        J = self._seen(q)
        v = np.zeros((n, model.layout.nv))
        entries = [k for _, k in self.places]
        v[:, entries] = rates
        asked = (wanted.velocity * target.scales) @ self.chosen.T - np.einsum("nij,nj->ni", J[:, :, internal], rates)
        v[:, : model.mobility] = _solved(J[:, :, rigid], asked)
        bias = (target.bias(q, v) * target.scales) @ self.chosen.T
        inputs = self._inputs(q, v, np.zeros_like(v), np.zeros((n, len(self.chosen))))
        h = model.function("dynamics_residual").values(**inputs)["residual"][:, moving]
        asked = (wanted.acceleration * target.scales) @ self.chosen.T - bias
        found = _solved(self._matrix(q, J), np.concatenate([-h, asked], axis=1))
        vdot = np.zeros_like(v)
        vdot[:, moving] = found[:, : len(moving)]
        return ServoStates(q, v, vdot, found[:, len(moving) :], vdot[:, entries])

    def _matrix(self, q: Array, J: Array) -> Array:
        """[M -S; J 0] (n, moving + drives, the same) of equation (1)."""
        moving = self._entries[0]
        n, m = len(moving), len(self.chosen)
        out = np.zeros((len(q), n + m, n + m))
        out[:, :n, :n] = self.forces.mass(q)[:, moving][:, :, moving]
        out[:, :n, n:] = -self.forces.drive_map(q)[:, moving]
        out[:, n:, :n] = J
        return out

    def slopes(self, at: ServoStates) -> Array:
        """f_z, f_ż (n, k, 2k): equation (2)."""
        parts = [self._slopes(at, slice(k, k + CHUNK)) for k in range(0, len(at.q), CHUNK)]
        return np.concatenate(parts)

    def _slopes(self, at: ServoStates, part: slice) -> Array:
        moving, rigid, internal = self._entries
        q, v, vdot, tau = at.q[part], at.v[part], at.vdot[part], at.tau[part]
        n, k = len(q), self.size
        inputs = self._inputs(q, v, vdot, tau)
        state = {name: x for name, x in inputs.items() if name != "parameters"}
        r = tangent_derivative(self.model, "dynamics_residual", ("q", "v")).values(**inputs)
        r_q = r["residual_q"] + residual_slope(self.model, q, self.forces.wrench, self.numbers, state)
        r_q, r_v = (x[:, moving][:, :, moving] for x in (r_q, r["residual_v"]))
        twist = self._acceleration.values(q=q, v=v, d_q=v, d_v=vdot, parameters=self.numbers)

        def chosen(x: Array) -> Array:
            return self.chosen @ (x[:, : self.target.size] * self.target.scales[:, None])[:, :, moving]

        alpha_q, J = chosen(twist["d_twist_q"]), chosen(twist["d_twist_d_v"])
        alpha_v = chosen(twist["d_twist_v"] + twist["d_twist_d_q"])
        twist_q = chosen(twist["d_twist_d_q"])  # the twist is linear in v: its slope by q along d_q is that by d_q
        held = np.zeros((n, len(moving), k))
        held[:, internal] = np.eye(k)
        held[:, rigid] = -_solved(J[:, :, rigid], J[:, :, internal])
        turned = np.zeros_like(held)
        turned[:, rigid] = -_solved(J[:, :, rigid], twist_q @ held)
        pushed = np.concatenate([r_q @ held + r_v @ turned, r_v @ held], axis=2)
        seen = np.concatenate([alpha_q @ held + alpha_v @ turned, alpha_v @ held], axis=2)
        found = _solved(self._matrix(q, J), -np.concatenate([pushed, seen], axis=1))
        return found[:, internal]

    def drive_motion(self, at: ServoStates) -> tuple[Array, Array, Array]:
        """Coordinates of the drives, their rates and accelerations (n, drives)."""
        found = self.model.function("joint_motion").values(q=at.q, v=at.v, vdot=at.vdot, parameters=self.numbers)
        columns = [self.model.mechanism.links[d.link].u for d in self.model.mechanism.drives]
        return at.q[:, self.model.drive_index], found["u"][:, columns], found["ud"][:, columns]

    def tool_shift(self, q: Array) -> Array:
        """E (size, k) at q (nq,): how internal coordinates move the output while the drives stand still (m; angles times
        size)."""
        moving, rigid, internal = self._entries
        J = self.forces.frame_jacobian(q[None], str(self.target.frame))[0, : self.target.size, moving].T
        S = self.forces.drive_map(q[None])[0, moving]
        follow_drives = np.linalg.solve(S[rigid].T, S[internal].T)
        return (J[:, internal] - J[:, rigid] @ follow_drives) * self.target.scales[:, None]

    def _inputs(self, q: Array, v: Array, vdot: Array, tau: Array) -> dict[str, Any]:
        return {"q": q, "v": v, "vdot": vdot, "tau": tau, **self.forces.load(q), "parameters": self.numbers}


def servo_constraint(
    model: "Model", target: MotionTarget, forces: RestForces, axes: Sequence[int], start: Array
) -> ServoConstraint:
    """What some axes of the target are to the robot at start (nq,); UsageError where its drives do not determine them."""
    name, frame = model.robot.name, target.frame
    plain = {entry for _, entry in plain_rates(model.mechanism)}
    turning = [model.layout.v_names[k] for k in model.mechanism.moving if k >= model.mobility and k not in plain]
    if turning:
        raise UsageError(
            f"stable_inversion: {', '.join(turning)} of {name} are idle rotations in space, rates of no coordinate; make their "
            "joints universal or fix what turns freely"
        )
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    J = forces.frame_jacobian(start[None], str(frame))[0, : target.size] * target.scales[:, None] * unit
    U, s, _ = np.linalg.svd(J[list(axes)], full_matrices=False)
    rank, count = int((s > RANK * max(s[0], RANK)).sum()), model.mobility
    what = f"{'the point' if target.kind == 'point' else 'the pose'} of {frame!r}"
    if len(axes) < target.size:
        what += f" along {', '.join(AXES[k] for k in axes)}"
    if rank != count:
        known = f"give axes= of it, {count} of {', '.join(AXES[k] for k in axes)}"
        if target.kind == "pose" and rank > count:
            known = f"give a motion of its point (points=, frame=), or {known}"
        cure = known if rank > count else "give its pose, more axes=, or name another frame"
        raise UsageError(
            f"stable_inversion: {what} moves in {rank} direction{'s' * (rank != 1)}, {name} has {count} "
            f"drive{'s' * (count != 1)}; {cure}"
        )
    chosen = np.zeros((count, target.size))
    chosen[:, list(axes)] = U[:, :count].T
    made = ServoConstraint(model, target, tuple(axes), chosen, forces)
    own = J[:, :count]
    if np.linalg.svd(made.chosen @ own, compute_uv=False)[-1] < RANK * s[0]:
        raise UsageError(
            f"stable_inversion: the rigid freedoms of {name} do not move {what} in all its directions where it "
            f"begins; name another frame"
        )
    matrix = made._matrix(start[None], made._seen(start[None]))[0]
    rows = np.abs(matrix).max(axis=1, keepdims=True)
    matrix = matrix / rows
    matrix = matrix / np.abs(matrix).max(axis=0)
    if np.linalg.svd(matrix, compute_uv=False)[-1] < WEAK:
        raise UsageError(
            f"stable_inversion: forces of the drives do not accelerate {what} of {name} at once (its relative "
            f"degree is above 2); "
            "name a frame that they move without a spring between"
        )
    return made


def _solved(A: Array, b: Array) -> Array:
    """A⁻¹ b for (n, m, m) and (n, m) or (n, m, k); NaN where A is singular or not finite."""
    wide = b if b.ndim == 3 else b[:, :, None]
    good = np.isfinite(A).all(axis=(1, 2))
    out = np.full(wide.shape, np.nan)
    if good.any():
        try:
            out[good] = np.linalg.solve(A[good], wide[good])
        except np.linalg.LinAlgError:
            out[good] = np.linalg.pinv(A[good]) @ wide[good]
    return out if b.ndim == 3 else out[:, :, 0]
