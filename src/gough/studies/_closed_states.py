"""A closed robot whose design moves: values of its functions at states, and gradients by the design backwards through them.

What is held: the coordinates that v leads, v itself, accelerations and loads; the loops are closed again (`model.tangent`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.catalogue import FunctionKey
from gough.model.tangent import tangent_derivative

if TYPE_CHECKING:
    from gough.model import Model

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class ClosedStates:
    """States (n,) of a model without locks: inputs, {slot: (n, size)}, and the design (m,)."""

    model: "Model"
    inputs: Arrays
    parameters: np.ndarray
    found: dict[FunctionKey, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def count(self) -> int:
        """n."""
        return len(self.inputs["q"])

    def evaluate(self, name: str | FunctionKey, **more: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs (n, …) of a function; BadStateError where a state is bad."""
        key = FunctionKey.of(name)
        f = self.model.function(key)
        return f(**self._of(f, more)).outputs

    def pull(self, name: str | FunctionKey, bars: Arrays, also: tuple[str, ...] = (), **more: np.ndarray) -> Arrays:
        """{slot: (n, size)}: gradients of Σ bars · outputs by "parameters", with the loops closed again, and by the slots `also`.
        Outputs without bars count nothing."""
        key = FunctionKey.of(name)
        f = tangent_derivative(self.model, key, ("parameters", *also), "vjp", closing=True)
        outputs = self.model.function(key).program.outputs
        weights = {
            f"bar_{s.name}": np.asarray(bars.get(s.name, np.zeros((self.count, *s.shape))), dtype=float)
            for s in outputs
        }
        found = f(**self._of(f, more, weights)).outputs
        return {slot: found[f"bar_{slot}"] for slot in ("parameters", *also)}

    def _of(self, f: Function, more: Arrays, weights: Arrays | None = None) -> dict[str, Any]:
        known = {**self.inputs, **more, **(weights or {}), "parameters": self.parameters}
        return {s.name: known[s.name] for s in f.program.inputs}
