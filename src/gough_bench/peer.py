"""What a peer is: another program that answers the same question on the same states."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.compilation import Model
from gough_bench.states import States

EXACT = 1e-6
"""Largest relative difference of a peer that solves the same equations."""


@dataclass(frozen=True)
class Case:
    """One comparison: the function of the model, its states, and the answers (n, k): drive forces or accelerations of v."""

    model: Model
    function: str
    states: States

    @property
    def expected(self) -> np.ndarray:
        """The library's answer (n, k) at the states."""
        if self.function == "inverse_dynamics":
            return self.states.tau
        if self.function == "forward_dynamics":
            return self.states.acceleration
        return self.flat(self.model.function(self.function)(**self.inputs(self.states)).outputs)

    def inputs(self, states: States) -> dict[str, Any]:
        """The function's inputs by slot, no wrench."""
        slots = self.model.function(self.function).program.inputs
        known = {"parameters": self.model.parameters}
        found = {s.name: known.get(s.name, getattr(states, s.name, np.zeros(s.shape))) for s in slots}
        if "acceleration" in found:  # of the rigid part alone, where the function solves for the elastic one
            found["acceleration"] = found["acceleration"][
                ..., : next(s.size for s in slots if s.name == "acceleration")
            ]
        return found

    @staticmethod
    def flat(outputs: dict[str, np.ndarray]) -> np.ndarray:
        """All outputs side by side (n, k)."""
        return np.concatenate([x.reshape(len(x), -1) for x in outputs.values()], axis=1)


class Peer(ABC):
    """One peer and one way to call it; `prepare` comes before `answers` and `seconds`.

    tolerance: largest relative difference at which it is timed; above EXACT only where it solves other equations, which
    `remark` says. threads: whether it can use more than one.
    """

    name: str
    call: str
    functions: tuple[str, ...] = ("inverse_dynamics", "forward_dynamics")
    tolerance: float = EXACT
    remark: str = ""
    threads: bool = False

    @abstractmethod
    def available(self) -> str:
        """Why it cannot be used here, with what to install; "" where it can."""

    @abstractmethod
    def prepare(self, case: Case) -> str:
        """Take over robot and states; why it cannot solve this case, "" where it can."""

    @abstractmethod
    def answers(self) -> np.ndarray:
        """Its answers (n, k) at the case's states, in the library's coordinates."""

    @abstractmethod
    def seconds(self, budget: float, threads: int = 1) -> float:
        """Time of one state (s), measured once for about `budget` seconds."""

    def close(self) -> None:
        """Let go of processes and files."""
        return


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest relative difference over all states; infinite where an answer is not finite."""
    if found.shape != expected.shape or not np.isfinite(found).all():
        return np.inf
    scale = np.abs(expected).max(axis=1, initial=0.0)
    return float((np.abs(found - expected).max(axis=1, initial=0.0) / np.maximum(scale, 1e-300)).max(initial=0.0))
