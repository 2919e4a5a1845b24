"""[Long 2014]: the flexible robot at rest at its initial pose, and what becomes of small motions there.

The paper has no such numbers; those here are of independent models of the same robot, with the stiffnesses of Table 2.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough_papers.comparison import Comparison, at_most, equals
from gough_papers.known import INDEPENDENT

if TYPE_CHECKING:
    from gough.analysis.equilibrium import Equilibrium
    from gough.analysis.modes import Modes
    from gough.analysis.zero_dynamics import ZeroDynamics
    from gough.compilation import Model
    from gough.fem.elastic_body import ElasticBody

FORCES = (-599.8, -409.7, 1918.5, -976.3, -122.8, 1528.0)
"""Drive forces that hold the robot, N."""
SAG = 0.013
"""Largest way of a vertex from flat, m."""
LOCKED_GROWTH, FLOATING_SLOWEST, CENTRE_ZEROS = 2.5, -17.0, (232.0, 364.0, 435.0)
"""1/s. With locked legs; of the zero dynamics with the floating frame held; the growing ones with the plate's centre held."""


@dataclass(frozen=True)
class Rest:
    """still: static equilibrium. locked, undeformed: modes with locked legs about it, and of the plate as it is without load.
    free: modes with free drives. floating, centre: zero dynamics. sag (6,): of the plate's vertices, m."""

    still: "Equilibrium"
    sag: np.ndarray
    locked: "Modes"
    undeformed: "Modes"
    free: "Modes"
    floating: "ZeroDynamics"
    centre: "ZeroDynamics"

    def comparisons(self) -> list[Comparison]:
        """With independent models."""
        zeros = np.real(self.centre.eigenvalues)
        return [
            equals("drive forces that hold it", self.still.tau, FORCES, "N", 0.05, INDEPENDENT, form=".1f"),
            equals(
                "largest sag of a vertex", 1e3 * np.abs(self.sag).max(), 1e3 * SAG, "mm", 0.5, INDEPENDENT, form=".1f"
            ),
            equals(
                "legs locked: fastest growth",
                growth(self.locked.eigenvalues),
                LOCKED_GROWTH,
                "1/s",
                0.05,
                INDEPENDENT,
                form="+.3f",
            ),
            at_most(
                "the same without load: growth",
                growth(self.undeformed.eigenvalues),
                0.0,
                "1/s",
                INDEPENDENT,
                form="+.3f",
                note="looks stable and is not: the undeformed plate is the wrong state to linearise about",
            ),
            equals(
                "zero dynamics, floating frame: slowest",
                growth(self.floating.eigenvalues),
                FLOATING_SLOWEST,
                "1/s",
                0.5,
                INDEPENDENT,
                form="+.2f",
            ),
            equals(
                "zero dynamics, material centre: zeros",
                np.sort(zeros[zeros > 0]),
                CENTRE_ZEROS,
                "1/s",
                0.01,
                INDEPENDENT,
                relative=True,
                form="+.1f",
            ),
        ]


def growth(eigenvalues: np.ndarray) -> float:
    """The largest real part, 1/s."""
    return float(np.real(eigenvalues).max())


def rest(model: "Model", plate: "ElasticBody") -> Rest:
    """Equilibrium, modes and zero dynamics of `long2014` at home; plate: its flexible body, for the shapes at the vertices."""
    from gough.analysis.equilibrium import static_equilibrium
    from gough.analysis.modes import natural_frequencies
    from gough.analysis.zero_dynamics import zero_dynamics

    still = static_equilibrium(model)
    return Rest(
        still,
        vertex_shapes(plate) @ still.elastic,
        natural_frequencies(model, still.q),
        natural_frequencies(model, about="undeformed"),
        natural_frequencies(model, still.q, drives="free"),
        zero_dynamics(model, still.q),
        zero_dynamics(model, still.q, output="center"),
    )


def vertex_shapes(plate: "ElasticBody") -> np.ndarray:
    """(6, modes): displacement of the vertices across the plate, per unit coordinate; from 0° on."""
    return plate.shapes[vertices(plate), 2]


def vertices(plate: "ElasticBody") -> np.ndarray:
    """(6,): the nodes at the plate's corners, from 0° on."""
    x, y, _ = plate.nodes.T
    corners = np.argsort(-np.hypot(x, y))[:6]
    return corners[np.argsort(np.round(np.arctan2(y[corners], x[corners]) % (2 * np.pi), 6))]
