"""The robot that is simulated while its numbers are sought: unknowns are inputs of its code, whatever they are described as.

Numbers that are 0 in the description are structure and could not change; constant forces of joints are no parameters at all. So
the model is built once more with the first free, and with springs, of no stiffness where there were none, whose preloads the
second are taken from.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.identification._unknowns import OFFSET, Unknown
from gough.structure.changing.offsets import add_preloads

if TYPE_CHECKING:
    from gough.model import Model


@dataclass(frozen=True)
class FreedModel:
    """model: with everything free. unknowns: as they stand in its parameters; preloads: {its offset: place of the preload}."""

    model: "Model"
    unknowns: tuple[Unknown, ...]
    preloads: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, model: "Model", unknowns: Sequence[Unknown]) -> "FreedModel":
        """The model in which these unknowns may be anything."""
        return model.cached(("freed", tuple(unknowns)), lambda: _made(model, tuple(unknowns)))

    def design(self, values: np.ndarray) -> np.ndarray:
        """Parameters (n,) of the model with these values of the unknowns."""
        out = np.array(self.model.parameters)
        for unknown, value in zip(self.unknowns, values, strict=True):
            out[list(unknown.places)] = value
        for places, value in zip(self.preloads, values, strict=True):  # of described or of identified preloads
            out[list(places)] -= value
        return out


def _made(model: "Model", unknowns: tuple[Unknown, ...]) -> FreedModel:
    names, table = model.parameter_names, model.mechanism.table
    offsets = [[model.layout.u_names[e] + OFFSET for e in u.entries] for u in unknowns]
    robot, preloads = add_preloads(model.robot, [name for own in offsets for name in own], table)
    zeros = [names[i] for u in unknowns for i in u.places if i in model.pattern]
    if not preloads and not zeros:
        return FreedModel(model, unknowns, ((),) * len(unknowns))
    free = [*model.free, *zeros, *preloads.values()]
    made = model.with_(robot=robot if preloads else model.robot, free=free)
    at = {name: i for i, name in enumerate(made.parameter_names)}
    moved = tuple(replace(u, places=tuple(at[names[i]] for i in u.places)) for u in unknowns)
    return FreedModel(made, moved, tuple(tuple(at[preloads[name]] for name in own) for own in offsets))
