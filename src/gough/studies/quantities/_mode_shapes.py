"""Modal amplitudes of a frame: its twist J δ (6) in a vibration δ of unit modal mass, δᵀ M δ = 1, and their gradients.

(K - λ M) δ = S μ with Sᵀ δ = 0 where drives are locked, = -μ / kp where they have the springs of servos (`_vibration`). Its
derivative is linear in δ', μ', λ':

    (K - λ M) δ' - S μ' - λ' M δ = -(K' - λ M') δ + S' μ,   Sᵀ δ' + μ' / kp = -S'ᵀ δ,   δᵀ M δ' = -½ δᵀ M' δ,

and with (z, ν, κ) of the transposed equations for the right side (Jᵀ a, 0, 0), aᵀ J δ changes by

    aᵀ J' δ - zᵀ (K' - λ M') δ + zᵀ S' μ - νᵀ S'ᵀ δ - ½ κ δᵀ M' δ,

forms of `_rest`. K is its symmetric part, as for the frequencies. A vibration has no sign: the entry of the amplitude that is
largest, turns times the robot's size, is positive.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.errors import UsageError
from gough.studies._closed_states import ClosedStates
from gough.studies.quantities._compliance import AXES
from gough.studies.quantities._vibration import SwingingRobot, swinging_robots

UNEVEN = 1e-12
"""Part of K that may differ from its transpose and is rounding."""


@dataclass(frozen=True)
class ModalAmplitudes:
    """Twists of a frame in modes, counted from 0, the slowest, of unit modal mass (1/√kg, rad/(m √kg))."""

    modes: tuple[int, ...]
    frame: str
    drives: Any = "locked"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        return tuple(f"mode {k} {self.frame}.{axis}" for k in self.modes for axis in AXES)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return (*(("kg-1/2",) * 3), *(("rad/m kg-1/2",) * 3)) * len(self.modes)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, 6 m)."""
        robots = swinging_robots(states, self.drives)
        return np.stack([np.concatenate([self._amplitude(robot, k)[0] for k in self.modes]) for robot in robots])

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        out = np.zeros((states.count, states.parameters.shape[-1]))
        for row, (robot, own) in enumerate(zip(swinging_robots(states, self.drives), weights, strict=True)):
            for mode, a in zip(self.modes, own.reshape(-1, 6), strict=True):
                if a.any():
                    out[row] += self._gradient(robot, mode, a)
        return out

    def _amplitude(self, robot: SwingingRobot, mode: int) -> tuple[np.ndarray, np.ndarray, float]:
        """(J δ (6,), J (6, nv), the sign that δ gets)."""
        robot.demand_swinging(mode, "mode")
        if len(robot.alike(mode)) > 1:
            equal = ", ".join(map(str, robot.alike(mode)))
            raise UsageError(
                f"mode {mode} at {self.frame}: modes {equal} are equally fast and have no shapes of their own, every mixture "
                "of them is one. Ask for other modes, or of a robot that is less even"
            )
        rest = robot.rest
        J = RestForces(rest.model, rest.parameters).frame_jacobian(rest.q[None], self.frame)[0]
        found = J @ robot.motions[:, mode]
        size = found * np.array([1.0] * 3 + [rest.model.size] * 3)
        sign = -1.0 if size[np.argmax(np.abs(size))] < 0 else 1.0
        return sign * found, J, sign

    def _gradient(self, robot: SwingingRobot, mode: int, a: np.ndarray) -> np.ndarray:
        rest, square = robot.rest, float(robot.squares[mode])
        _, J, sign = self._amplitude(robot, mode)
        motion, push = sign * robot.motions[:, mode], sign * robot.pushes[:, mode]
        z, nu, kappa = self._adjoint(robot, motion, square, J.T @ a)
        total = rest.pull_twist(self.frame, a, motion)
        total += rest.pull_form(motion, vdot=-0.5 * kappa * motion, tau=nu)
        uneven = rest.K - rest.K.T
        if np.abs(uneven).max(initial=0.0) <= UNEVEN * np.abs(rest.K).max(initial=0.0):
            return rest.follow(total + rest.pull_form(z, q=motion, vdot=-square * motion, tau=push) * -1.0)
        total += rest.pull_form(z, q=0.5 * motion, vdot=-square * motion, tau=push) * -1.0
        return rest.follow(total + rest.pull_form(motion, q=0.5 * z) * -1.0)

    def _adjoint(
        self, robot: SwingingRobot, motion: np.ndarray, square: float, right: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """(z (nv,), ν (drives,), κ)."""
        rest, moving = robot.rest, robot.rest.model.mechanism.moving
        scale = np.eye(len(rest.unit))[:, moving] * rest.unit[moving]
        K, M = (scale.T @ matrix @ scale for matrix in (0.5 * (rest.K + rest.K.T), rest.M))
        A = K - square * M  # of a single mode nothing but rounding
        S, w = scale.T @ rest.S, scale.T @ (rest.M @ motion)
        n, count = S.shape
        size = max(np.abs(K).max(initial=0.0), square * np.abs(M).max(initial=0.0))
        along, across = size / max(np.abs(w).max(), 1e-300), size / max(np.abs(S).max(initial=0.0), 1e-300)
        B = np.zeros((n + count + 1,) * 2)
        B[:n, :n], B[:n, n + count], B[n + count, :n] = A, along * w, along * w
        servo = self.drives.get("stiffness", 0.0) if isinstance(self.drives, Mapping) else 0.0
        kp = np.broadcast_to(np.asarray(servo, dtype=float), (count,))
        if isinstance(self.drives, Mapping):
            B[:n, :n] += (S * kp) @ S.T
        elif self.drives == "locked":
            B[:n, n : n + count], B[n : n + count, :n] = across * S, across * S.T
        x = np.linalg.lstsq(B, np.concatenate([scale.T @ right, np.zeros(count + 1)]), rcond=1e-14)[0]
        z, nu = scale @ x[:n], across * x[n : n + count]
        return z, kp * (rest.S.T @ z) if isinstance(self.drives, Mapping) else nu, float(along * x[-1])
