"""Units of q, v and u with those of elastic coordinates, which a layout leaves open.

Coordinates that are displacements or rotations of a node (`tip.x`, `tip.rz`) have theirs, m and rad. Amplitudes of mode shapes
have the unit their normalisation gives them: shapes of modal mass 1 are m/√kg, so that their amplitudes are m √kg. Amplitudes of
other shapes are pure numbers, "1": the shape has the length in it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gough.model import Model

MASS_NORMALISED = "m kg^0.5"
ROUNDING = 1e-6
"""Difference of a modal mass from 1."""


@dataclass(frozen=True)
class Units:
    """q (nq,), u (nu,), v (nv,)."""

    q: tuple[str, ...]
    u: tuple[str, ...]
    v: tuple[str, ...]

    @property
    def acceleration(self) -> tuple[str, ...]:
        """Of v̇."""
        return tuple(f"{unit}2" if unit.endswith("/s") else unit for unit in self.v)


def units_of(model: "Model") -> Units:
    """The units of a model's coordinates and velocities."""
    return model.cached("units of runs", lambda: _made(model))


def _made(model: "Model") -> Units:
    layout = model.layout
    q, u = list(layout.q_units), list(layout.u_units)
    for link in model.mechanism.links:
        if link.elastic is None:
            continue
        masses = _modal_masses(model, link.elastic)
        for k in range(link.elastic.modes):
            unit = _unit(layout.q_names[link.elastic.q + k], masses[k])
            q[link.elastic.q + k] = unit
            u[link.elastic.u + k] = f"{unit}/s"
    v = tuple(u[c] for c in model.mechanism.selection.independent)
    return Units(tuple(q), tuple(u), v)


def _modal_masses(model: "Model", elastic) -> np.ndarray:
    """Diagonal of M_ee (m,)."""
    rows, columns = np.triu_indices(elastic.modes)
    places = np.array(elastic.M)[rows == columns]
    return np.where(places >= 0, model.parameters[places], 0.0)


def _unit(name: str, mass: float) -> str:
    label = name.rsplit(".", 1)[-1]
    if label in ("x", "y", "z"):
        return "m"
    if label in ("rx", "ry", "rz"):
        return "rad"
    return MASS_NORMALISED if abs(mass - 1.0) < ROUNDING else "1"
