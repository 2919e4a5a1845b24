"""Compliance, stiffness and deflection of a frame: what bends while the drives hold, and its gradients by the design.

Compliance  C (6, 6), twist of the frame per wrench on it, about rest with its prestress (`_rest`). A small wrench e_j moves v by
            y: K y - S μ = Jᵀ e_j, and drives that are locked have Sᵀ y = 0, those with springs kp of servos Sᵀ y = -μ / kp. With
            the transposed equations Kᵀ z + S ν = Jᵀ a, Sᵀ z = ν / kp, the change of aᵀ J y is
                aᵀ J' y + zᵀ J'ᵀ e_j - zᵀ (K' y - S' μ) - νᵀ S'ᵀ y.
Stiffness   the inverse of C over the components that move; a planar robot's frame has three.
Deflection  between two rests, without and with the wrenches, at the same drive positions, of whatever size: r(q₁, τ₁) = 0 and
            d(q₁) = d(q₀). Displacement (3) and rotation vector (3), world axes. With Kᵀ z + S ν = b₁, Sᵀ z = 0 for the gradient
            b₁ by q₁, its change is -zᵀ r' - νᵀ (d₁' - d₀').
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.linear_forces import RestForces
from gough.dynamics.catalogue import FunctionKey
from gough.errors import UsageError
from gough.spatial.poses import rotation_vector_matrix
from gough.studies._closed_states import ClosedStates
from gough.studies.quantities._rest import NEUTRAL, BalancedRobot, StateGradient, rest_at, resting, row_wrench

if TYPE_CHECKING:
    from gough.model import Model

AXES = ("x", "y", "z", "rx", "ry", "rz")
STIFFEST = 1e9
"""Of scaled compliances, largest over smallest, above which a frame is rigid in some direction."""
RIGID = 1e-12
"""Compliance of a component beside the largest of its kind below which it does not move."""


@dataclass(frozen=True)
class FrameCompliance:
    """Entries (row, column) of the compliance of a frame, or of its inverse. drives: "locked" or {"stiffness": …}."""

    frame: str
    entries: tuple[tuple[int, int], ...]
    inverse: bool
    drives: Any = "locked"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        return tuple(f"{self.frame} {AXES[i]}{AXES[j]}" for i, j in self.entries)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        move, push = ("m", "m", "m", "rad", "rad", "rad"), ("N", "N", "N", "N m", "N m", "N m")
        above, below = (push, move) if self.inverse else (move, push)
        return tuple(f"{above[i]}/{f'({below[j]})' if ' ' in below[j] else below[j]}" for i, j in self.entries)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        return np.array([[found[i, j] for i, j in self.entries] for found in map(self._matrix, self._bends(states))])

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        return np.stack([self._gradient(bend, own) for bend, own in zip(self._bends(states), weights, strict=True)])

    def _matrix(self, bend: "BendingFrame") -> np.ndarray:
        return self._stiffness(bend) if self.inverse else bend.C

    def _stiffness(self, bend: "BendingFrame") -> np.ndarray:
        size = np.sqrt(np.abs(np.diag(bend.C)))
        kinds = np.repeat([size[:3].max(), size[3:].max()], 3)
        own = size > np.sqrt(RIGID) * kinds
        for i, j in self.entries:
            if not (own[i] and own[j]):
                still = AXES[i if not own[i] else j]
                raise UsageError(f"stiffness: {self.frame} does not move along {still} at all; name other entries")
        part = np.ix_(own, own)
        scaled = bend.C[part] / np.outer(size[own], size[own])
        if np.linalg.cond(scaled) > STIFFEST:
            raise UsageError(
                f"stiffness: some direction between the axes of {self.frame} does not move at all, and its stiffness has no "
                f"bound; ask for 'compliance:{self.frame}'"
            )
        out = np.zeros((6, 6))
        out[part] = np.linalg.inv(scaled) / np.outer(size[own], size[own])
        return out

    def _gradient(self, bend: "BendingFrame", weights: np.ndarray) -> np.ndarray:
        bar = np.zeros((6, 6))
        for (i, j), weight in zip(self.entries, weights, strict=True):
            bar[i, j] += weight
        if self.inverse:
            stiff = self._stiffness(bend)
            bar = -stiff.T @ bar @ stiff.T
        rest = bend.rest
        total = StateGradient(*(np.zeros(n) for n in (len(rest.parameters), len(rest.unit), len(rest.tau))))
        for j in np.flatnonzero(bar.any(axis=0)):
            e, a = np.eye(6)[j], bar[:, j]
            y, mu = bend.answer(bend.J.T @ e)
            z, nu = bend.answer(bend.J.T @ a, back=True)
            total += rest.pull_twist(self.frame, a, y) + rest.pull_twist(self.frame, e, z)
            total += rest.pull_form(z, q=y, tau=mu) * -1.0 + rest.pull_drive_map(y, nu) * -1.0
        return rest.follow(total)

    def _bends(self, states: ClosedStates) -> list["BendingFrame"]:
        key = ("bending", self.frame, str(self.drives))
        if key not in states.found:
            rests = (rest_at(states, row) for row in range(states.count))
            states.found[key] = [bending(rest, self.frame, self.drives) for rest in rests]
        return states.found[key]


@dataclass(frozen=True)
class BendingFrame:
    """A robot at rest, the Jacobian J (6, nv) of a frame and its compliance C (6, 6). N (nv, k): motions that are left, in which
    `soft` is the inverse of the stiffness; drives: as for `FrameCompliance`."""

    rest: BalancedRobot
    J: np.ndarray
    C: np.ndarray
    N: np.ndarray
    soft: np.ndarray
    drives: Any

    def answer(self, force: np.ndarray, back: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """(motion y (nv,), drive forces μ) under a force (nv,); back: of the transposed equations."""
        rest, unit = self.rest, self.rest.unit
        y = self.N @ ((self.soft.T if back else self.soft) @ (self.N.T @ force))
        if isinstance(self.drives, Mapping):
            mu = -np.asarray(self.drives.get("stiffness", 0.0)) * (rest.S.T @ y)
        else:
            K = rest.K.T if back else rest.K
            mu = np.linalg.lstsq(rest.S * unit[:, None], (K @ y - force) * unit, rcond=None)[0]
        return y, -mu if back else mu


def bending(rest: BalancedRobot, frame: str, drives: Any) -> BendingFrame:
    """How a frame gives way; UsageError where it does not, or without bound."""
    J = RestForces(rest.model, rest.parameters).frame_jacobian(rest.q[None], frame)[0]
    N, K = rest.left_motions(drives)
    stiff, felt = N.T @ K @ N, J @ N
    length = np.array([1.0] * 3 + [rest.model.size] * 3) / rest.model.size
    if not felt.size or np.abs(felt * length[:, None]).max() <= 1e-12:
        demand_compliance(rest.model, frame, drives)
    u, s, vt = np.linalg.svd(stiff)
    neutral = s <= NEUTRAL * s[0]
    if (np.abs((felt @ vt[neutral].T) * length[:, None]) > 1e-9).any():
        raise UsageError(
            f"compliance of {frame}: it moves freely, along motions without stiffness (springs, servos or elements hold nothing "
            "there), and no load is carried"
        )
    soft = (vt.T[:, ~neutral] / s[~neutral]) @ u.T[~neutral]
    return BendingFrame(rest, J, felt @ soft @ felt.T, N, soft, drives)


def demand_compliance(model: "Model", frame: str, drives: Any) -> None:
    """UsageError for a frame that nothing moves while the drives hold."""
    raise UsageError(
        f"{frame} does not move while the drives of {model.robot.name} are held ({drives}): no flexible body and no spring gives "
        "way there. Describe flexible bodies, or give the drives the stiffness of their servos: drives={'stiffness': …}"
    )


@dataclass(frozen=True)
class FrameDeflection:
    """Displacement (m) and rotation vector (rad) of a frame between rest without and with the wrenches, drives held; of its six
    entries those that are named."""

    frame: str
    entries: tuple[int, ...] = (0, 1, 2, 3, 4, 5)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        return tuple(f"{self.frame}.{AXES[k]}" for k in self.entries)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return tuple("m" if k < 3 else "rad" for k in self.entries)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        return np.stack([self._moved(free, bent)[0][list(self.entries)] for free, bent in self._rests(states)])

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        all_ = np.zeros((states.count, 6))
        all_[:, list(self.entries)] = weights
        return np.stack([self._gradient(*rests, own) for rests, own in zip(self._rests(states), all_, strict=True)])

    def _rests(self, states: ClosedStates) -> list[tuple[BalancedRobot, BalancedRobot]]:
        key = ("deflection", self.frame)
        if key not in states.found:
            states.found[key] = [self._pair(states, row) for row in range(states.count)]
        return states.found[key]

    def _pair(self, states: ClosedStates, row: int) -> tuple[BalancedRobot, BalancedRobot]:
        wrench = row_wrench(states, row)
        if wrench is None:
            raise UsageError(f"deflection:{self.frame}: give the load, wrench={{frame: [fx, fy, fz, mx, my, mz]}}")
        model, free = states.model, rest_at(states, row, loaded=False)
        bending(free, self.frame, "locked")
        held = free.q[model.drive_index]
        found = static_equilibrium(model, drives=held, wrench=wrench, near=free.q, parameters=states.design_of(row))
        forces = RestForces(model, states.design_of(row), wrench)
        return free, resting(states, row, forces, found.q, found.tau)

    def _moved(self, free: BalancedRobot, bent: BalancedRobot) -> tuple[np.ndarray, np.ndarray]:
        """(deflection (6,), rotation (3, 3) of the frame from one rest to the other)."""
        f = free.model.function(FunctionKey("frame_pose", (self.frame,)))
        first, last = (f.values(q=rest.q, parameters=rest.parameters) for rest in (free, bent))
        turn = last["rotation"] @ first["rotation"].T
        return np.concatenate([last["position"] - first["position"], vector_of(turn)]), turn

    def _gradient(self, free: BalancedRobot, bent: BalancedRobot, weights: np.ndarray) -> np.ndarray:
        model, (moved, turn) = free.model, self._moved(free, bent)
        of_turn = rotation_vector_matrix(moved[3:]) @ weights[3:]
        last = bent.pull_pose(self.frame, weights[:3], of_turn)
        first = free.pull_pose(self.frame, -weights[:3], -turn.T @ of_turn)
        unit, drives = bent.unit, bent.S.shape[1]
        n = len(unit)
        K, S = bent.K * unit[:, None] * unit, bent.S * unit[:, None]
        size = np.abs(K).max() / max(np.abs(S).max(initial=0.0), 1e-300)
        A = np.block([[K.T, size * S], [size * S.T, np.zeros((drives, drives))]])
        x = np.linalg.lstsq(A, np.concatenate([last.q * unit, np.zeros(drives)]), rcond=1e-14)[0]
        z, nu = x[:n] * unit, x[n:] * size
        places = tuple(int(i) for i in model.drive_index)
        ends = [
            ClosedStates(model, {"q": rest.q[None]}, rest.parameters).pull_coordinates(places, nu[None])[0]
            for rest in (free, bent)
        ]
        here = StateGradient(first.parameters + ends[0], first.q + free.S @ nu, first.tau)
        return last.parameters - bent.pull_residual(z) - ends[1] + free.follow(here)


def vector_of(R: np.ndarray) -> np.ndarray:
    """Rotation vector (3,) of a matrix, less than half a turn."""
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = float(np.linalg.norm(axis))
    angle = float(np.arctan2(sine, 0.5 * (np.trace(R) - 1.0)))
    return axis * (angle / sine if sine > 1e-300 else 1.0)
