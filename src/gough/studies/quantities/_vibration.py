"""Natural frequencies about rest, and their gradients by the design.

About rest M δ̈ + K δ = S τ' along v, r(q, v, v̇, τ; p) = M v̇ + h - S τ (analysis.modes). With drives locked δ = N x, Sᵀ N = 0,
and what holds the drives is μ, (K - λ M) δ = S μ; xᵀ Nᵀ M N x = 1. From Sᵀ N = 0 for all designs, δᵀ S' = -(N' x)ᵀ S, so

    λ' = δᵀ (K' - λ M') δ - 2 δᵀ S' μ,

of drives with springs kp of servos the same with μ = -kp Sᵀ δ. All three are one bilinear form of r's derivative along
(q, v̇, τ) = (δ, -λ δ, 2 μ), so that one sweep backwards gives its gradient by p, with the loops closed again, and by the state.
That follows from r = 0: with the coordinates f that are not held, K_f q'_f - S τ' = -r_p p', and the transposed equations give
the second sweep. Equal λ have no gradients of their own: see `pull`.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.modes import free_motions, reference_state, undamped_modes
from gough.compilation.function import Function
from gough.errors import UsageError
from gough.kinematics.retraction import step_units
from gough.model.tangent import tangent_derivation, tangent_derivative
from gough.program.passes.inputs import fold_entries
from gough.studies._closed_states import ClosedStates

if TYPE_CHECKING:
    from gough.model import Model

REPEATED = 1e-6
"""Relative distance of squares of frequencies that are one."""
NEUTRAL = 1e-11
"""Stiffness beside the largest along which the state does not follow: nothing leads back."""
STILL = 1e-12
"""Square of a frequency beside the largest that is 0."""
ALONG = ("q", "vdot", "tau")


@dataclass(frozen=True)
class SwingingRest:
    """A state at rest: q (nq,), tau (drives,), K, M (nv, nv), S (nv, drives), squares (k,) of angular frequencies, motions
    (nv, k) along v of unit kinetic energy."""

    q: np.ndarray
    tau: np.ndarray
    parameters: np.ndarray
    K: np.ndarray
    M: np.ndarray
    S: np.ndarray
    squares: np.ndarray
    motions: np.ndarray


@dataclass(frozen=True)
class Frequencies:
    """Natural frequencies (Hz), slowest first, counted from 0; drives: "locked", "free" or {"stiffness": …}, as for
    `natural_frequencies`, about equilibrium."""

    modes: tuple[int, ...]
    drives: Any = "locked"

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
        return np.stack([self._hertz(rest) for rest in self._rests(states)])

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Of modes that are as fast as others the gradient of their mean, which all of them share in every direction."""
        return np.stack(
            [self._gradient(states, rest, own) for rest, own in zip(self._rests(states), weights, strict=True)]
        )

    def _hertz(self, rest: SwingingRest) -> np.ndarray:
        if max(self.modes) >= len(rest.squares):
            raise UsageError(
                f"frequency {max(self.modes)}: there are {len(rest.squares)} (0 … {len(rest.squares) - 1})"
            )
        return np.sqrt(np.maximum(rest.squares[list(self.modes)], 0.0)) / (2 * np.pi)

    def _gradient(self, states: ClosedStates, rest: SwingingRest, weights: np.ndarray) -> np.ndarray:
        out = np.zeros(len(states.parameters))
        for mode, weight in zip(self.modes, weights, strict=True):
            if weight:
                if rest.squares[mode] <= STILL * rest.squares[-1]:
                    raise UsageError(
                        f"frequency {mode} is 0: nothing swings there (no stiffness, or unstable), and a root at 0 has no slope; "
                        "name a mode that swings"
                    )
                square = float(rest.squares[mode])
                alike = np.flatnonzero(np.abs(rest.squares - square) <= REPEATED * square)
                slope = sum(square_gradient(states.model, rest, int(k), self.drives) for k in alike) / len(alike)
                out += weight * slope / (8 * np.pi**2 * self._hertz(rest)[self.modes.index(mode)])
        return out

    def _rests(self, states: ClosedStates) -> list[SwingingRest]:
        return [rest_at(states.model, q, states.parameters, self.drives) for q in states.inputs["q"]]


def rest_at(model: "Model", q: np.ndarray, parameters: np.ndarray, drives: Any) -> SwingingRest:
    """SwingingRest at q (nq,) and its vibrations."""
    state, forces = reference_state(model, q, "equilibrium", None, parameters)
    here, tau = state.q[None], state.tau[None]
    K, M, S = forces.stiffness(here, tau)[0], forces.mass(here)[0], forces.drive_map(here)[0]
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    moving = model.mechanism.moving
    scale = np.eye(len(unit))[:, moving] * unit[moving]
    N, whole, _ = free_motions(scale.T @ S, scale.T @ K @ scale, np.zeros((scale.shape[1],) * 2), drives)
    squares, shapes = undamped_modes(N.T @ (scale.T @ M @ scale) @ N, N.T @ whole @ N)
    motions = scale @ N @ shapes
    return SwingingRest(state.q, state.tau, parameters, K, M, S, squares, motions / np.sqrt(_forms(motions, M)))


def square_gradient(model: "Model", rest: SwingingRest, mode: int, drives: Any) -> np.ndarray:
    """dλ / dp (parameters,) of one mode."""
    square, motion = float(rest.squares[mode]), rest.motions[:, mode]
    K = 0.5 * (rest.K + rest.K.T)
    if isinstance(drives, str):
        push = np.linalg.lstsq(rest.S, (K - square * rest.M) @ motion, rcond=None)[0] if drives == "locked" else 0.0
    else:
        push = -np.asarray(drives.get("stiffness", 0.0)) * (rest.S.T @ motion)
    still = np.zeros(model.layout.nv)
    state = {"q": rest.q, "v": still, "vdot": still, "tau": rest.tau, "parameters": rest.parameters} | _no_loads(model)
    found = _second(model).values(
        **state,
        along_q=motion,
        along_vdot=-square * motion,
        along_tau=2.0 * push + np.zeros(rest.S.shape[1]),
        bar_d_residual=motion,
    )
    force = _state_adjoint(model, rest, found["bar_q"], found["bar_tau"])
    f = tangent_derivative(model, "dynamics_residual", ("parameters",), "vjp", closing=True)
    return found["bar_parameters"] - f.values(**state, bar_residual=force)["bar_parameters"]


def _state_adjoint(model: "Model", rest: SwingingRest, by_q: np.ndarray, by_tau: np.ndarray) -> np.ndarray:
    """w (nv,) with [K_f, -S]ᵀ w = gradients by what is not held (f) and by the drive forces."""
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    held = len(model.mechanism.drives) >= model.mobility
    free = np.arange(model.mobility if held else 0, len(unit))
    stiff, pull = rest.K[:, free] * unit[:, None] * unit[free], rest.S * unit[:, None]
    size = max(np.abs(stiff).max(initial=0.0), 1e-300) / max(np.abs(pull).max(initial=0.0), 1e-300)
    A = np.concatenate([stiff, -size * pull], axis=1) if held else stiff
    right = np.concatenate([by_q[free] * unit[free], size * by_tau]) if held else by_q[free] * unit[free]
    return np.linalg.lstsq(A.T, right, rcond=NEUTRAL)[0] * unit


def _second(model: "Model") -> Function:
    """r's derivative along a motion, and backwards through it to q, τ and the design."""

    def made() -> Function:
        source = model.unfolded("dynamics_residual", model.mechanism.table.even(model.pattern))
        first = tangent_derivation(model, source, ALONG).jvp()
        named = (replace(s, name="along_" + s.name[2:]) if s.name[:2] == "d_" else s for s in first.inputs)
        first = replace(first, inputs=tuple(named))
        program = tangent_derivation(model, first, ("q", "tau", "parameters"), closing=True).vjp()
        program = fold_entries(program, "parameters", model.pattern)
        return Function(program, model.mechanism.table, model.pattern, precision=model.precision)

    return model.cached("adjoint of the linear robot", made)


def _no_loads(model: "Model") -> dict[str, np.ndarray]:
    known = {s.name: np.zeros(s.size) for s in model.function("dynamics_residual").program.inputs}
    return {name: x for name, x in known.items() if name in ("wrench", "force")}


def _forms(motions: np.ndarray, M: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ik,kj->j", motions, M, motions)
