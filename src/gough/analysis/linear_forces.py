"""Forces of the closed robot at rest and how they change: what equilibria and vibrations are found from.

r(q, v, v̇, τ) = M v̇ + h - S τ - Q; at rest r = 0 is equilibrium, ∂r/∂q = K its stiffness with all prestress, ∂r/∂v = C.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.dynamics.catalogue import FunctionKey
from gough.model import Model
from gough.model.external import external_load, residual_slope
from gough.model.linear import without_coulomb
from gough.model.tangent import tangent_derivative


@dataclass(frozen=True)
class RestForces:
    """One model at rest, states as rows; loops may be a little open."""

    model: Model
    parameters: np.ndarray
    wrench: Any = None

    def load(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """The wrenches at q (n, nq) as programs take them, (n, size) by slot."""
        found = external_load(self.model, q, self.wrench, self.parameters)
        return {slot: np.atleast_2d(x) for slot, x in found.items()}

    def residual(self, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """r (n, nv) at q (n, nq) with drive forces tau (n, drives)."""
        return self.model.function("dynamics_residual").values(**self._inputs(q, tau))["residual"]

    def parts(self, q: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, ...]:
        """What r consists of, each (n, nv): weight, springs and what is bent, loads, drives."""
        none = np.zeros((1, tau.shape[1]))
        weightless = self.parameters.copy()
        weightless[..., list(self.model.mechanism.gravity)] = 0.0
        springs = RestForces(self.model, weightless).residual(q, none)
        weight = RestForces(self.model, self.parameters).residual(q, none) - springs
        slack = self.residual(q, none)
        return weight, springs, slack - weight - springs, self.residual(q, tau) - slack

    def stiffness(self, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """K (n, nv, nv): change of r per motion along v."""
        f, inputs = tangent_derivative(self.model, "dynamics_residual", ("q",)), self._inputs(q, tau)
        state = {name: x for name, x in inputs.items() if name != "parameters"}
        return f.values(**inputs)["residual_q"] + residual_slope(self.model, q, self.wrench, self.parameters, state)

    def damping(self, q: np.ndarray, tau: np.ndarray, friction: str = "viscous") -> np.ndarray:
        """C (n, nv, nv): change of r per velocity; of friction its viscous part (a Coulomb force has no slope at rest, and
        that of a smoothed one is that of the smoothing), or all of it where it is "smoothed"."""
        f = tangent_derivative(self.model, "dynamics_residual", ("v",))
        plain = self.parameters if friction == "smoothed" else without_coulomb(self.model, self.parameters)
        return f.values(**(self._inputs(q, tau) | {"parameters": plain}))["residual_v"]

    def drive_map(self, q: np.ndarray) -> np.ndarray:
        """S (n, nv, drives)."""
        return self.model.function("drive_map").values(q=q, parameters=self.parameters)["S"]

    def mass(self, q: np.ndarray) -> np.ndarray:
        """M (n, nv, nv)."""
        return self.model.function("mass_matrix").values(q=q, parameters=self.parameters)["M"]

    def frame_jacobian(self, q: np.ndarray, frame: str) -> np.ndarray:
        """J (n, 6, nv) of a named frame."""
        f = tangent_derivative(self.model, FunctionKey("frame_twist", (frame,)), ("v",))
        return f.values(q=q, v=np.zeros((1, self.model.layout.nv)), parameters=self.parameters)["twist_v"]

    def _inputs(self, q: np.ndarray, tau: np.ndarray) -> dict[str, np.ndarray]:
        rest = np.zeros((1, self.model.layout.nv))
        return {"q": q, "v": rest, "vdot": rest, "tau": tau, **self.load(q), "parameters": self.parameters}
