"""A rigid robot along one of the papers' motions: drive forces, what they cost, and the numbers known of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough_papers.comparison import Comparison, equals
from gough_papers.cost import Cost, cost
from gough_papers.scenarios import SCENARIOS, Scenario
from gough_papers.states import States

if TYPE_CHECKING:
    from gough.compilation import Model


@dataclass(frozen=True)
class Along:
    """states (n); q (n, nq) and forces (n, drives), N, of the robot along them."""

    scenario: Scenario
    model: "Model"
    states: States
    q: np.ndarray
    forces: np.ndarray

    @property
    def drives(self) -> np.ndarray:
        """Positions (n, drives), m."""
        return self.model.drives(self.q)

    def cost(self) -> Cost:
        """Of inverse dynamics at these states."""
        return cost(self.model, "inverse_dynamics", self.q, self.states.v, self.states.acceleration)

    def comparisons(self) -> list[Comparison]:
        """Of all numbers known of this motion."""
        s = self.scenario
        return [
            equals(
                f"{s.robot}, {s.title}: {k.quantity}",
                k.measure(self.forces),
                k.value,
                k.unit,
                k.tolerance,
                k.origin,
                form=_form(k.tolerance),
            )
            for k in s.known
        ]


def along(model: "Model", scenario: str, states: States | None = None) -> Along:
    """A scenario of `SCENARIOS` with a model of its robot; states: others than the scenario's own."""
    s = SCENARIOS[scenario]
    states = s.motion() if states is None else states
    q = model.configuration(pose=states.pose)
    return Along(s, model, states, q, model.inverse_dynamics(q, states.v, states.acceleration).tau)


def _form(tolerance: float) -> str:
    """As many digits as are known."""
    return f".{max(0, min(6, int(np.ceil(-np.log10(2 * tolerance)))))}f"
