"""A robot at rest under gravity, springs and wrenches, and how what is said of it follows the design.

r(q, v̇, τ; p) = M v̇ + h - S τ - Σ Jᵀ w, along v, is 0 at rest (`analysis.linear_forces`). The coordinates that v leads are held;
what is free (f: idle and elastic ones) and the drive forces follow from K_f q'_f - S τ' = -r_p p'. A number b of the rest changes
by b_p p' + b_q q'_f + b_τ τ', and with [K_f, -S]ᵀ z = (b_q, b_τ) that is (b_p - zᵀ r_p) p'.

What is linear about rest (vibrations, compliance) consists of bilinear forms zᵀ (K y + M a - S t), which are derivatives of z · r
along (q, v̇, τ) = (y, a, t): one sweep backwards gives their gradients by p, with the loops closed again, by the state, and by τ.
A wrench w at a frame enters as w · twist(q, z; p).
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.analysis.modes import free_motions, reference_state
from gough.compilation.function import Function
from gough.dynamics.catalogue import FunctionKey
from gough.kinematics.retraction import step_units
from gough.model.tangent import tangent_derivation, tangent_derivative
from gough.program.passes.inputs import fold_entries
from gough.studies._closed_states import ClosedStates

if TYPE_CHECKING:
    from gough.model import Model

NEUTRAL = 1e-11
"""Stiffness beside the largest along which the state does not follow: nothing leads back."""


@dataclass(frozen=True)
class StateGradient:
    """Of a number: by parameters, by motions q (nv,), by drive forces tau (drives,)."""

    parameters: np.ndarray
    q: np.ndarray
    tau: np.ndarray

    def __add__(self, other: "StateGradient") -> "StateGradient":
        return StateGradient(self.parameters + other.parameters, self.q + other.q, self.tau + other.tau)

    def __mul__(self, factor: float) -> "StateGradient":
        return StateGradient(factor * self.parameters, factor * self.q, factor * self.tau)


@dataclass(frozen=True)
class BalancedRobot:
    """q (nq,), tau (drives,); direct: loads without frames by slot, wrench: {frame: (6,)}; K, M (nv, nv), S (nv, drives)."""

    model: "Model"
    parameters: np.ndarray
    q: np.ndarray
    tau: np.ndarray
    direct: dict[str, np.ndarray]
    wrench: dict[str, np.ndarray]
    K: np.ndarray
    M: np.ndarray
    S: np.ndarray

    @property
    def unit(self) -> np.ndarray:
        """Typical sizes (nv,) of motions along v."""
        return step_units(self.model.mechanism, self.model.size)[list(self.model.mechanism.selection.independent)]

    def pull_form(self, z: np.ndarray, **along: np.ndarray) -> StateGradient:
        """Of z · (r_q q + r_v̇ vdot + r_τ tau), `along` (nv,), (nv,), (drives,), 0 where they are not given."""
        still = np.zeros(self.model.layout.nv)
        found = _second(self.model, FunctionKey("dynamics_residual"), ("q", "vdot", "tau"), ("q", "tau")).values(
            **self._state(),
            along_q=along.get("q", still),
            along_vdot=along.get("vdot", still),
            along_tau=along.get("tau", np.zeros(len(self.tau))),
            bar_d_residual=z,
        )
        out = StateGradient(found["bar_parameters"], found["bar_q"], found["bar_tau"])
        for frame, w in self.wrench.items() if "q" in along else ():
            f = _second(self.model, FunctionKey("frame_twist", (frame,)), ("q",), ("q",))
            more = f.values(q=self.q, v=z, parameters=self.parameters, along_q=along["q"], bar_d_twist=-w)
            out += StateGradient(more["bar_parameters"], more["bar_q"], np.zeros(len(self.tau)))
        return out

    def pull_twist(self, frame: str, w: np.ndarray, v: np.ndarray) -> StateGradient:
        """Of w (6,) · twist of a frame at velocities v (nv,)."""
        return self._pull(FunctionKey("frame_twist", (frame,)), {"v": v}, bar_twist=w)

    def pull_drive_map(self, z: np.ndarray, t: np.ndarray) -> StateGradient:
        """Of z (nv,) · S t (drives,)."""
        return self._pull(FunctionKey("drive_map"), {}, bar_S=np.outer(z, t))

    def pull_pose(self, frame: str, position: np.ndarray, turn: np.ndarray) -> StateGradient:
        """Of position (3,) · place of a frame + turn (3,) · its rotation vector from here on, world axes."""
        key = FunctionKey("frame_pose", (frame,))
        R = self.model.function(key).values(q=self.q, parameters=self.parameters)["rotation"]
        x, y, z = turn
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return self._pull(key, {}, bar_position=position, bar_rotation=0.5 * cross @ R)

    def pull_residual(self, z: np.ndarray) -> np.ndarray:
        """Gradient (parameters,) of z · r."""
        f = tangent_derivative(self.model, "dynamics_residual", ("parameters",), "vjp", closing=True)
        out = f.values(**self._state(), bar_residual=z)["bar_parameters"]
        for frame, w in self.wrench.items():
            out = out - self.pull_twist(frame, w, z).parameters
        return out

    def follow(self, found: StateGradient) -> np.ndarray:
        """Gradient (parameters,) of a number of the rest, where that follows the design."""
        unit = self.unit
        held = len(self.model.mechanism.drives) >= self.model.mobility
        free = np.arange(self.model.mobility if held else 0, len(unit))
        stiff, pull = self.K[:, free] * unit[:, None] * unit[free], self.S * unit[:, None]
        size = max(np.abs(stiff).max(initial=0.0), 1e-300) / max(np.abs(pull).max(initial=0.0), 1e-300)
        A = np.concatenate([stiff, -size * pull], axis=1) if held else stiff
        right = found.q[free] * unit[free]
        right = np.concatenate([right, size * found.tau]) if held else right
        z = np.linalg.lstsq(A.T, right, rcond=NEUTRAL)[0] * unit
        return found.parameters - self.pull_residual(z)

    def left_motions(self, drives: Any) -> tuple[np.ndarray, np.ndarray]:
        """(motions (nv, k) along v that are left, in typical sizes; K (nv, nv) with the springs of servos)."""
        moving, unit = self.model.mechanism.moving, self.unit
        scale = np.eye(len(unit))[:, moving] * unit[moving]
        none = np.zeros((scale.shape[1],) * 2)
        N, more, _ = free_motions(scale.T @ self.S, none, none, drives)
        back = np.eye(len(unit))[:, moving] / unit[moving]
        return scale @ N, self.K + back @ more @ back.T

    def _pull(self, key: FunctionKey, inputs: dict[str, np.ndarray], **bars: np.ndarray) -> StateGradient:
        f = tangent_derivative(self.model, key, ("parameters", "q"), "vjp", closing=True)
        found = f.values(q=self.q, parameters=self.parameters, **inputs, **bars)
        return StateGradient(found["bar_parameters"], found["bar_q"], np.zeros(len(self.tau)))

    def _state(self) -> dict[str, np.ndarray]:
        still = np.zeros(self.model.layout.nv)
        return {"q": self.q, "v": still, "vdot": still, "tau": self.tau, "parameters": self.parameters} | self.direct


def rest_at(states: ClosedStates, row: int, loaded: bool = True) -> BalancedRobot:
    """The robot at rest where v leads it; loaded: with the wrenches, or without."""
    model, wrench = states.model, row_wrench(states, row) if loaded else None
    state, forces = reference_state(model, states.inputs["q"][row], "equilibrium", wrench, states.design_of(row))
    return resting(states, row, forces, state.q, state.tau, loaded)


def row_wrench(states: ClosedStates, row: int) -> Any:
    """The wrenches of a state as calls take them."""
    if states.wrench:
        return {frame: w[row] for frame, w in states.wrench.items()}
    return next((x[row] for x in states.direct.values() if x[row].any()), None)


def resting(
    states: ClosedStates, row: int, forces: RestForces, q: np.ndarray, tau: np.ndarray, loaded: bool = True
) -> BalancedRobot:
    """A state of rest that was found."""
    here, push = q[None], tau[None]
    return BalancedRobot(
        states.model,
        states.design_of(row),
        q,
        tau,
        {slot: x[row] if loaded else 0.0 * x[row] for slot, x in states.direct.items()},
        {frame: w[row] for frame, w in states.wrench.items()} if loaded else {},
        forces.stiffness(here, push)[0],
        forces.mass(here)[0],
        forces.drive_map(here)[0],
    )


def _second(model: "Model", key: FunctionKey, along: tuple[str, ...], by: tuple[str, ...]) -> Function:
    """A function's derivative along inputs "along_…", and backwards through it to some of them and the design."""

    def made() -> Function:
        first = tangent_derivation(model, model.unfolded(key, model.mechanism.table.even(model.pattern)), along).jvp()
        named = (replace(s, name="along_" + s.name[2:]) if s.name[:2] == "d_" else s for s in first.inputs)
        first = replace(first, inputs=tuple(named))
        program = tangent_derivation(model, first, (*by, "parameters"), closing=True).vjp()
        program = fold_entries(program, "parameters", model.pattern)
        return Function(program, model.mechanism.table, model.pattern, precision=model.precision)

    return model.cached(("second derivative", key, along, by), made)
