"""What a quantity of a robot is: numbers (m) at every state, and their gradient by the design, backwards."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class FollowsVariables(Protocol):
    """A member that contains numbers which are no parameters and follow variables themselves: limits."""

    def pull_variables(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, variables) of Σ weights (n, m) · values by the variables, the parameters held."""
        ...


@runtime_checkable
class MayRepeat(Protocol):
    """A member whose values may be equal ones of a set in order, which have no slopes of their own: frequencies."""

    def repeated_values(self, states: ClosedStates) -> np.ndarray:
        """Whether each value (n, m) is one of several that are equal; `pull` gives the gradient of their mean."""
        ...

    def one_sided(self, states: ClosedStates, slopes: np.ndarray) -> np.ndarray:
        """Derivatives (n, m, k, 2) along slopes (k, parameters) of the design, to the right and to the left of where it is."""
        ...

    def branch_slopes(self, states: ClosedStates, slopes: np.ndarray) -> np.ndarray:
        """Derivatives (n, m, k) along slopes (k, parameters), of equal values those of branches that are smooth through each
        other; of which a set all of whose values are asked for has one each, else their mean."""
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
