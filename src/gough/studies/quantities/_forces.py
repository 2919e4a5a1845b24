"""Forces for a motion: of drives, and in joints."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.reactions import joint_links
from gough.studies._closed_states import ClosedStates
from gough.studies.quantities._quantity import OfOutput

if TYPE_CHECKING:
    from gough.model import Model

PARTS = ("fx", "fy", "fz", "mx", "my", "mz")


def drive_forces(model: "Model", drives: tuple[str, ...]) -> OfOutput:
    """Of inverse dynamics."""
    layout = model.layout
    entries = tuple(layout.drive_names.index(name) for name in drives)
    units = tuple(layout.drive_units[k] for k in entries)
    return OfOutput("inverse_dynamics", "tau", entries, tuple(drives), units)


@dataclass(frozen=True)
class JointReactions:
    """Wrenches (6 each) in joints and cut joints, with the drive forces and free accelerations of inverse dynamics."""

    joints: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        return tuple(f"{joint}.{part}" for joint in self.joints for part in PARTS)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return ("N", "N", "N", "N m", "N m", "N m") * len(self.joints)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        found = states.evaluate(_reactions(states), **self._motion(states))
        return np.concatenate([found[o][:, k] for o, k in self._places(states)], axis=1)

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        shapes = {s.name: s.shape for s in states.model.function(_reactions(states)).program.outputs}
        bars = {o: np.zeros((states.count, *shapes[o])) for o in ("joints", "cuts")}
        for (o, k), own in zip(self._places(states), np.split(weights, len(self.joints), axis=1), strict=True):
            bars[o][:, k] += own
        found = states.pull(_reactions(states), bars, ("vdot", "tau"), **self._motion(states))
        mobility, layout = states.model.mobility, states.model.layout
        free = found["vdot"][:, mobility:]
        more = {"tau": found["tau"], "idle_acceleration": free[:, : layout.v_idle], "eddot": free[:, layout.v_idle :]}
        return found["parameters"] + states.pull("inverse_dynamics", more)["parameters"]

    def _motion(self, states: ClosedStates) -> dict[str, np.ndarray]:
        solved = states.evaluate("inverse_dynamics")
        parts = [states.inputs["acceleration"], *(solved[n] for n in ("idle_acceleration", "eddot") if n in solved)]
        own = {"tau": solved["tau"], "vdot": np.concatenate(parts, axis=1)}
        if states.wrench:  # in joints it matters where they act
            own |= {**states.direct, "loads": np.concatenate(list(states.wrench.values()), axis=1)}
        return own

    def _places(self, states: ClosedStates) -> list[tuple[str, int]]:
        mechanism = states.model.mechanism
        own = [mechanism.links[i].joint for i in joint_links(mechanism)]
        cuts = [cut.name for cut in mechanism.cuts]
        return [("joints", own.index(j)) if j in own else ("cuts", cuts.index(j)) for j in self.joints]


def _reactions(states: ClosedStates) -> FunctionKey:
    return FunctionKey("joint_reactions", tuple(states.wrench))
