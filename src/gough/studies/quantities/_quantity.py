"""What a quantity of a robot is: numbers (m) at every state, and their gradient by the design, backwards."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gough.studies._closed_states import ClosedStates


class StudiedQuantity(Protocol):
    """A member of the family: `names` and `units` of its m entries."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        ...

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        ...

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m) at states (n,)."""
        ...

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters) of Σ weights (n, m) · values by the design, the loops closed again."""
        ...


@dataclass(frozen=True)
class OfOutput:
    """Entries (flat) of one output of a catalogue's function."""

    function: str
    output: str
    entries: tuple[int, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        found = states.evaluate(self.function)[self.output]
        return found.reshape(states.count, -1)[:, list(self.entries)]

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        shape = next(s.shape for s in states.model.function(self.function).program.outputs if s.name == self.output)
        bar = np.zeros((states.count, int(np.prod(shape))))
        np.add.at(bar.T, list(self.entries), weights.T)
        return states.pull(self.function, {self.output: bar.reshape(states.count, *shape)})["parameters"]
