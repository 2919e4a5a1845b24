"""Natural frequencies about rest, and their gradients by the design.

About rest M δ̈ + K δ = S τ' along v (`analysis.modes`). With drives locked δ = N x, Sᵀ N = 0, and what holds the drives is μ,
(K - λ M) δ = S μ; xᵀ Nᵀ M N x = 1. From Sᵀ N = 0 for all designs, δᵀ S' = -(N' x)ᵀ S, so

    λ' = δᵀ (K' - λ M') δ - 2 δᵀ S' μ,

of drives with springs kp of servos the same with μ = -kp Sᵀ δ: a form of `_rest` along (q, v̇, τ) = (δ, -λ δ, 2 μ).

Modes that are equally fast have no slopes of their own. Along one direction of the design they split into the eigenvalues of
the matrix δ_aᵀ (K' - λ M') δ_b - …, of which each is a slope to one side; their mean, a third of its trace for three, is linear
in the direction, and is the gradient that `pull` gives each of them. An optimiser that bounds all of them needs more: the
diagonal of that matrix for motions δ_a that make it diagonal in all directions at once. There are such motions where modes of
different symmetry meet, which pass through each other; they diagonalise a sum of all directions, too. Where there are none, the
diagonal still consists of slopes that the modes have in some direction.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.modes import undamped_modes
from gough.errors import UsageError
from gough.studies._closed_states import ClosedStates
from gough.studies.quantities._rest import BalancedRobot, rest_at

REPEATED, ROUNDING = 1e-9, 1e-14
"""Distance of squares of frequencies that are one, of themselves and of the largest."""
SLOWEST = 6
"""Modes that are watched where the slowest is asked for: more than meet at one frequency, at an optimum or by symmetry."""
STILL = 1e-12
"""Square of a frequency beside the largest that is 0."""


@dataclass(frozen=True)
class SwingingRobot:
    """A robot at rest, squares (k,) of angular frequencies, motions (nv, k) along v of unit modal mass, and what holds the drives
    meanwhile, pushes (drives, k)."""

    rest: BalancedRobot
    squares: np.ndarray
    motions: np.ndarray
    pushes: np.ndarray

    def alike(self, mode: int) -> np.ndarray:
        """Places of the modes that are as fast as one, itself among them."""
        square = float(self.squares[mode])
        return np.flatnonzero(np.abs(self.squares - square) <= REPEATED * abs(square) + ROUNDING * self.squares[-1])

    def demand_swinging(self, mode: int, what: str) -> None:
        """UsageError for a mode that is not there, or does not swing."""
        if mode >= len(self.squares):
            raise UsageError(f"{what} {mode}: there are {len(self.squares)} (0 … {len(self.squares) - 1})")
        if self.squares[mode] <= STILL * self.squares[-1]:
            raise UsageError(
                f"{what} {mode} is 0 Hz: nothing swings there (no stiffness, or unstable), and a root at 0 has no slope; "
                "name a mode that swings"
            )


@dataclass(frozen=True)
class Frequencies:
    """Natural frequencies (Hz), slowest first, counted from 0; drives: "locked", "free" or {"stiffness": …}, as for
    `natural_frequencies`, about equilibrium. few: modes that a robot does not have are left out."""

    modes: tuple[int, ...]
    drives: Any = "locked"
    few: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        return tuple(f"frequency {k}" for k in self.modes)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return ("Hz",) * len(self.modes)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        found = [self._hertz(robot) for robot in self._swinging(states)]
        return np.stack([x[: min(map(len, found))] for x in found])

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Of modes that are as fast as others the gradient of their mean, which all of them share."""
        return np.stack(
            [self._gradient(robot, own) for robot, own in zip(self._swinging(states), weights, strict=True)]
        )

    def repeated_values(self, states: ClosedStates) -> np.ndarray:
        """Whether each value (n, m) is one of several that are equal."""
        n, m = np.atleast_2d(self.evaluate(states)).shape
        found = [[len(robot.alike(k)) > 1 for k in self.modes[:m]] for robot in self._swinging(states)]
        return np.array(found, dtype=bool).reshape(n, m)

    def one_sided(self, states: ClosedStates, slopes: np.ndarray) -> np.ndarray:
        """Derivatives (n, m, k, 2) along slopes (k, parameters) of the design, to the right and to the left: modes that are equal
        split, and the slowest of them on one side belongs to the fastest on the other."""
        out = np.empty((states.count, len(self.modes), len(slopes), 2))
        for row, robot in enumerate(self._swinging(states)):
            for m, mode in enumerate(self.modes):
                robot.demand_swinging(mode, "frequency")
                group = robot.alike(mode)
                split = np.linalg.eigvalsh(np.einsum("abp,kp->kab", splitting(robot, group, self.drives), slopes))
                place = int(np.flatnonzero(group == mode)[0])
                rising = np.stack([split[:, place], split[:, -1 - place]], axis=-1)
                out[row, m] = rising / (8 * np.pi**2 * self._hertz(robot)[m])
        return out

    def branch_slopes(self, states: ClosedStates, slopes: np.ndarray) -> np.ndarray:
        """Derivatives (n, m, k) along slopes (k, parameters); see the head."""
        n, m = np.atleast_2d(self.evaluate(states)).shape
        out, modes = np.empty((n, m, len(slopes))), self.modes[:m]
        for row, robot in enumerate(self._swinging(states)):
            left = dict.fromkeys(modes)
            while left:
                group = robot.alike(next(iter(left)))
                robot.demand_swinging(int(group[0]), "frequency")
                found = np.einsum("abp,kp->kab", splitting(robot, group, self.drives), slopes)
                own = _branches(found) if set(group.tolist()) <= set(modes) else _means(found)
                for mode, slope in zip(group.tolist(), own, strict=True):
                    if mode in left:
                        k = modes.index(mode)
                        out[row, k] = slope / (8 * np.pi**2 * self._hertz(robot)[k])
                        del left[mode]
        return out

    def _hertz(self, robot: SwingingRobot) -> np.ndarray:
        modes = [k for k in self.modes if not self.few or k < len(robot.squares)]
        if max(modes) >= len(robot.squares):
            robot.demand_swinging(max(modes), "frequency")
        return np.sqrt(np.maximum(robot.squares[modes], 0.0)) / (2 * np.pi)

    def _gradient(self, robot: SwingingRobot, weights: np.ndarray) -> np.ndarray:
        out = np.zeros(len(robot.rest.parameters))
        for m, (mode, weight) in enumerate(zip(self.modes, weights, strict=True)):
            if weight:
                robot.demand_swinging(mode, "frequency")
                alike = robot.alike(mode)
                slope = sum(square_gradient(robot, robot.motions[:, k], mode, self.drives) for k in alike) / len(alike)
                out += weight * slope / (8 * np.pi**2 * self._hertz(robot)[m])
        return out

    def _swinging(self, states: ClosedStates) -> list[SwingingRobot]:
        return swinging_robots(states, self.drives)


def slowest_frequencies(drives: Any = "locked") -> Frequencies:
    """The slowest mode and those that may come to be it."""
    return Frequencies(tuple(range(SLOWEST)), drives, few=True)


def _branches(found: np.ndarray) -> np.ndarray:
    """Slopes (g, k) of g equal values along k directions, of matrices (k, g, g) whose eigenvalues they are along each alone."""
    size = np.linalg.norm(found, axis=(1, 2))
    part = np.cos(1.0 + np.arange(len(found))) / np.where(size > 0, size, 1.0)  # no two directions alike
    _, motions = np.linalg.eigh(np.einsum("k,kab->ab", part, found))
    return np.einsum("ag,kab,bg->gk", motions, found, motions)


def _means(found: np.ndarray) -> np.ndarray:
    """The mean slope (g, k) of g equal values, the same for each."""
    return np.repeat(np.einsum("kaa->k", found)[None] / found.shape[1], found.shape[1], axis=0)


def swinging_robots(states: ClosedStates, drives: Any) -> list[SwingingRobot]:
    """The states at rest (n,) and their vibrations, found once."""
    key = ("swinging", str(drives))
    if key not in states.found:
        states.found[key] = [_swinging_robot(rest_at(states, row), drives) for row in range(states.count)]
    return states.found[key]


def _swinging_robot(rest: BalancedRobot, drives: Any) -> SwingingRobot:
    N, K = rest.left_motions(drives)
    if not N.shape[1]:
        raise UsageError(
            f"{rest.model.robot.name} does not swing with drives {drives!r}: nothing is left that moves. Flexible bodies do, "
            "springs in joints that no drive holds, or drives with a stiffness"
        )
    squares, shapes = undamped_modes(N.T @ rest.M @ N, N.T @ K @ N)
    motions = N @ shapes
    motions = motions / np.sqrt(np.einsum("ij,ik,kj->j", motions, rest.M, motions))
    pushes = [holding_push(rest, motions[:, k], float(squares[k]), drives) for k in range(len(squares))]
    return SwingingRobot(rest, squares, motions, np.array(pushes).reshape(len(squares), -1).T)


def holding_push(rest: BalancedRobot, motion: np.ndarray, square: float, drives: Any) -> np.ndarray:
    """μ (drives,): what drives do in a vibration (linear in its motion)."""
    if not isinstance(drives, str):
        return -np.asarray(drives.get("stiffness", 0.0)) * (rest.S.T @ motion)
    if drives == "free":
        return np.zeros(rest.S.shape[1])
    K = 0.5 * (rest.K + rest.K.T)
    unit = rest.unit
    return np.linalg.lstsq(rest.S * unit[:, None], ((K - square * rest.M) @ motion) * unit, rcond=None)[0]


def square_gradient(robot: SwingingRobot, motion: np.ndarray, mode: int, drives: Any) -> np.ndarray:
    """dλ / dp (parameters,) as a quadratic form of a motion (nv,) of the modes that are as fast as one."""
    rest, square = robot.rest, float(robot.squares[mode])
    push = holding_push(rest, motion, square, drives)
    return rest.follow(rest.pull_form(motion, q=motion, vdot=-square * motion, tau=2.0 * push))


def splitting(robot: SwingingRobot, group: np.ndarray, drives: Any) -> np.ndarray:
    """Gradients (g, g, parameters) of the matrix whose eigenvalues are the slopes of λ along a direction."""
    motions, first = robot.motions[:, group], int(group[0])
    own = [square_gradient(robot, motions[:, a], first, drives) for a in range(len(group))]
    out = np.empty((len(group), len(group), len(own[0])))
    for a in range(len(group)):
        out[a, a] = own[a]
        for b in range(a):
            both = square_gradient(robot, motions[:, a] + motions[:, b], first, drives)
            out[a, b] = out[b, a] = 0.5 * (both - own[a] - own[b])
    return out
