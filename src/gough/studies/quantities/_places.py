"""Where things are: coordinates of joints and drives, places of frames."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.model.functions import slots_of
from gough.model.tangent import tangent_derivation
from gough.program import Program, trace
from gough.program.passes.inputs import fold_entries
from gough.studies._closed_states import ClosedStates
from gough.studies.quantities._quantity import OfOutput

if TYPE_CHECKING:
    from gough.model import Model


@dataclass(frozen=True)
class JointCoordinates:
    """Entries of q that follow from those which are held."""

    entries: tuple[int, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        return states.inputs["q"][:, list(self.entries)]

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        f = states.model.cached(("pulled coordinates", self.entries), lambda: _pulled(states.model, self.entries))
        return f(q=states.inputs["q"], parameters=states.parameters, bar_coordinates=weights).outputs["bar_parameters"]


def coordinates(model: "Model", wanted: tuple[str, ...]) -> JointCoordinates:
    """Of all drives, or by their names."""
    layout = model.layout
    entries = [layout.q_names.index(name) for name in wanted]
    return JointCoordinates(
        tuple(entries), tuple(layout.q_names[i] for i in entries), tuple(layout.q_units[i] for i in entries)
    )


def frame_places(frame: str) -> OfOutput:
    """x, y, z (m) of a named frame in the world."""
    names = tuple(f"{frame}.{axis}" for axis in "xyz")
    return OfOutput(f"frame_pose:{frame}", "position", (0, 1, 2), names, ("m",) * 3)


def _pulled(model: "Model", entries: tuple[int, ...]) -> Function:
    def equations(q: Any, parameters: Any) -> dict[str, Any]:
        return {"coordinates": q[list(entries)]}

    program: Program = trace(equations, slots_of(model.mechanism, ("q",)), "coordinates", {"parameters": {}})
    made = tangent_derivation(model, program, ("parameters",), closing=True).vjp()
    made = fold_entries(made, "parameters", model.pattern)
    return Function(made, model.mechanism.table, model.pattern, precision=model.precision)
