"""Where things are: coordinates of joints and drives, places of frames."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
        return states.pull_coordinates(self.entries, weights)


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
