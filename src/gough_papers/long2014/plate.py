"""[Long 2014, section 6.1 and Table 2]: the flexible platform, a free hexagonal plate, by finite elements.

Table 2 is not converged: its last modes are 8 to 10 % above those of every converged model of the plate, thin, thick or solid.
Poisson's ratio is not printed; 0.3 fits. Modes 7/8, 12/13 and 14/15 are pairs of one frequency.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough_papers.comparison import Comparison, apart, equals

if TYPE_CHECKING:
    from gough.fem.elastic_body import ElasticBody
    from gough.robot import Robot

FIRST = 7
"""The number of the first elastic mode; 1 to 6 are rigid motions."""
TABLE_2 = (188.7473, 188.7475, 315.7169, 401.0187, 474.7468, 709.5586, 709.5814, 828.2868, 828.3062, 1310.581)
"""Roots of the stiffnesses of [Long 2014, Table 2], modes 7 to 16, rad/s."""
CONVERGED = {
    "Mindlin": (188.553, 188.553, 315.914, 399.856, 475.576, 701.663, 701.663, 753.335, 753.335, 1181.74),
    "3-D solid": (188.758, 188.758, 316.070, 401.217, 476.057, 702.964, 702.964, 756.043, 756.043, 1187.53),
    "Kirchhoff": (189.287, 189.287, 316.437, 404.188, 477.116, 705.440, 705.440, 761.350, 761.350, 1197.31),
}
"""The same of converged models by other programs, rad/s."""
OTHER_PROGRAMS = "converged models of the plate, made with other programs"
MESH = 2e-4
"""How far the gallery's mesh may be from the converged Mindlin plate, relative."""
_SIDE, _THICKNESS, _DENSITY = 0.5, 0.015, 7500.0
_HEIGHT = np.sqrt(3.0) / 4.0  # of one of the six triangles, over twice its side


@dataclass(frozen=True)
class Plate:
    """own: the plate with the stiffnesses that were computed; frequencies (10,), rad/s."""

    own: "ElasticBody"

    @property
    def frequencies(self) -> np.ndarray:
        """Of modes 7 to 16, rad/s."""
        return 2 * np.pi * self.own.frequencies_hz

    def comparisons(self) -> list[Comparison]:
        """With the paper's table and with converged models."""
        w, table = self.frequencies, "[Long 2014, Table 2]"
        exact = 6.0 * _HEIGHT * _SIDE**2 * _THICKNESS * _DENSITY
        rounded = exact * (_HEIGHT / 0.433 - 1.0) + 0.0005
        return [
            equals("mass", self.own.mass, exact, "kg", 1e-9, "area · thickness · density", form=".4f"),
            equals(
                "mass, the paper's",
                self.own.mass,
                73.069,
                "kg",
                rounded,
                "[Long 2014, section 6.1]",
                form=".4f",
                note="with √3/4 taken as 0.433",
            ),
            equals("modes 7 … 11", w[:5], TABLE_2[:5], "rad/s", 0.003, table, relative=True, form=".3f"),
            equals("modes 12, 13", w[5:7], TABLE_2[5:7], "rad/s", 0.012, table, relative=True, form=".3f"),
            apart(
                "modes 14 … 16",
                w[7:],
                TABLE_2[7:],
                "rad/s",
                (0.08, 0.10),
                table,
                form=".3f",
                note="the table is not converged here: every converged model is 8 to 10 % below it",
            ),
            equals(
                "modes 7 … 16",
                w,
                CONVERGED["Mindlin"],
                "rad/s",
                MESH,
                "converged Mindlin plate",
                relative=True,
                form=".2f",
            ),
        ]


def plate(robot: "Robot") -> Plate:
    """The plate of `long2014` by its own finite elements, without the stiffnesses that the description takes from Table 2."""
    from gough.structure.elastic_bodies import elastic_bodies

    return Plate(elastic_bodies(_with_computed_stiffness(robot))["platform"])


def _with_computed_stiffness(robot: "Robot") -> "Robot":
    from gough.robot.flexible import Flexible

    platform = robot.platform
    assert platform is not None and not isinstance(platform, str)
    flexible = platform.body.flexible
    assert isinstance(flexible, Flexible)
    body = platform.body.model_copy(update={"flexible": flexible.model_copy(update={"stiffness": None})})
    return robot.model_copy(update={"platform": platform.model_copy(update={"body": body})})
