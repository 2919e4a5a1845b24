"""How much a motion tells: singular values of the base parameters' regressor along it, and their gradients.

W (n · drives, r) are the columns of the base parameters at the samples, rows over √n, moments over the robot's size where other
drives push; columns are scaled once, the same for every motion that is compared: by a priori standard deviations, or to unit
length along a reference motion.

Objectives    of the singular values σ of W, smooth also where they are equal:
    "condition"   log (Σ σᵖ)^(1/p) (Σ σ⁻ᵖ)^(1/p), between the logarithm of the condition number and that + (2 log r) / p
    "d-optimal"   - Σ log σ / r, which is - log det(WᵀW) / 2r
Gradients     of a function of singular values, W = U Σ Vᵀ: U diag(f'(σ)) Vᵀ; against it the regressor is differentiated
              backwards by θ, v and v̇ (one product a sample, never the whole derivative).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from gough.compilation.function import Function
from gough.errors import UsageError
from gough.identification.base_parameters import base_parameters
from gough.identification.excitation._led import LedStates
from gough.identification.regressor import make_regressor
from gough.model.tangent import tangent_derivation

if TYPE_CHECKING:
    from gough.model import Model

OBJECTIVES = ("condition", "d-optimal")
POWER = 24.0
"""p of the smooth condition number."""
NOTHING = 1e-14
"""Of the largest singular value: what is smaller is 0, and gradients are those there."""
SEEN = 1e-9
"""Length of a column, in parts of what its parameter does elsewhere, below which a motion does not move it at all."""


@dataclass(frozen=True)
class ExcitationMeasure:
    """What a motion tells: condition number of the scaled regressor W, log_det = log det(WᵀW) and its singular values."""

    condition: float
    log_det: float
    singular_values: np.ndarray


class RegressorMeasure:
    """The measure for a model's unknowns; arguments as for `gough.regressor`, deviations (r,): a priori ones, or None."""

    def __init__(
        self,
        model: "Model",
        parameters: str | Sequence[str],
        tied: str | Sequence[Sequence[str]],
        objective: str,
        deviations: np.ndarray | None,
    ) -> None:
        self.model, self.objective = model, objective
        _demand_led(model)
        self.base = base_parameters(model, parameters, tied)
        if not self.base.rank:
            raise UsageError(f"excitation: no motion of {model.robot.name} tells any of parameters={parameters!r}")
        unknowns = tuple(self.base.regressor.unknowns[k] for k in self.base.kept)
        self.regressor = make_regressor(model, unknowns, "drives")
        units = model.layout.drive_units
        mixed = len(set(units)) > 1
        self.row_scale = np.array([1.0 / model.size if mixed and unit == "N m" else 1.0 for unit in units])
        if deviations is not None and (deviations.shape != (self.base.rank,) or not (deviations > 0).all()):
            raise UsageError(
                f"deviations has shape {deviations.shape}; give a positive one for each of the {self.base.rank} base parameters "
                "(gough.base_parameters(model, parameters, tied).names, in this order)"
            )
        self.columns = deviations

    @cached_property
    def _backward(self) -> Function:
        f = self.regressor.function
        program = tangent_derivation(self.model, f.program, ("q", "v", "vdot")).vjp()
        return Function(program, self.model.mechanism.table, f.pattern, precision=self.model.precision)

    def scale_by(self, states: LedStates) -> None:
        """Scale columns to unit length along a reference motion, unless they have deviations."""
        if self.columns is None:
            length = np.linalg.norm(self._rows(states), axis=0)
            blind = length <= SEEN * length.max()
            if blind.any():
                names = ", ".join(self.base.names[k] for k in np.flatnonzero(blind)[:3])
                raise UsageError(
                    f"excitation: the unoptimised motion does not move {names} at all, so that its column has no scale; give "
                    "deviations=, or another seed=, space= or period="
                )
            self.columns = 1.0 / length

    def _rows(self, states: LedStates) -> np.ndarray:
        Y = self.regressor.function.values(q=states.q, v=states.v, vdot=states.vdot, parameters=self.model.parameters)[
            "Y"
        ]
        return (Y * self.row_scale[:, None] / np.sqrt(max(len(Y), 1))).reshape(-1, Y.shape[-1])

    def matrix(self, states: LedStates) -> np.ndarray:
        """W at good states."""
        assert self.columns is not None
        return self._rows(states) * self.columns

    def measure(self, states: LedStates) -> ExcitationMeasure:
        """What a motion tells; few samples tell little."""
        matrix = self.matrix(states)
        if len(matrix) < matrix.shape[1]:
            matrix = np.concatenate([matrix, np.zeros((matrix.shape[1] - len(matrix), matrix.shape[1]))])
        s = np.linalg.svd(matrix, compute_uv=False)
        s = np.maximum(s, np.finfo(float).tiny)
        return ExcitationMeasure(float(s[0] / s[-1]), float(2.0 * np.log(s).sum()), s)

    def value(self, states: LedStates) -> tuple[float, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """(objective, its gradients (n, nv) by θ, v and v̇)."""
        assert self.columns is not None
        n, drives = len(states.q), len(self.row_scale)
        u, s, vt = np.linalg.svd(self.matrix(states), full_matrices=False)
        s = np.maximum(s, NOTHING * s[0])
        value, slope = _objective(self.objective, s)
        bar = ((u * slope) @ vt).reshape(n, drives, -1) * self.columns * self.row_scale[:, None] / np.sqrt(n)
        found = self._backward.values(
            q=states.q, v=states.v, vdot=states.vdot, bar_Y=bar, parameters=self.model.parameters
        )
        return value, (found["bar_q"], found["bar_v"], found["bar_vdot"])


def _demand_led(model: "Model") -> None:
    """Refuse robots whose drives do not lead all of their motion."""
    layout = model.layout
    free = ", ".join(layout.v_names[layout.mobility :][:3])
    if free:
        raise UsageError(
            f"excitation: of {model.robot.name} no drive leads {free}, which move as forces let them: their motion does not "
            "follow from coefficients. Take a model without: its bodies rigid (leave out `flexible:`), spinning rods held by a "
            "universal joint in the place of a ball"
        )
    if not model.driven:
        raise UsageError(
            f"excitation: {model.robot.name} has {len(model.mechanism.drives)} drives for {model.mobility} freedoms, so that "
            "drives alone do not give a motion"
        )


def _objective(name: str, s: np.ndarray) -> tuple[float, np.ndarray]:
    """(value, slope by each singular value (r,)), falling order."""
    logs = np.log(s)
    if name == "d-optimal":
        return float(-logs.mean()), -1.0 / (len(s) * s)
    up, down = logsumexp(POWER * logs), logsumexp(-POWER * logs)
    slope = np.exp(POWER * logs - up) - np.exp(-POWER * logs - down)
    return float((up + down) / POWER), slope / s
