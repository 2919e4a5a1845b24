"""The part of the builder that knows flexible bodies: their coordinates, and links tied to them."""

from dataclasses import replace

import numpy as np

from gough.robot import Robot
from gough.robot.tree import platform_name
from gough.spatial import rpy_zyx_angles
from gough.structure.elastic_bodies import elastic_bodies
from gough.structure.elastic_places import add_elastic, add_tie
from gough.structure.flexible import cleaned, demand_still, point_key, still, turned
from gough.structure.mechanism import WORLD, Link
from gough.structure.parameters import ParameterTable
from gough.structure.size import characteristic_length

POINT = "(point)"
"""End of the name of a link that is tied to a flexible body as a point."""
PLACEMENT = ("x", "y", "z", "yaw", "pitch", "roll")


class Bending:
    """Names, parameters and links as they grow while a structure is built."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.table = ParameterTable()
        self.links: list[Link] = []
        self.q_names: list[str] = []
        self.q_units: list[str] = []
        self.u_names: list[str] = []
        self.u_units: list[str] = []
        self.platform = platform_name(robot)
        self.elastic = elastic_bodies(robot)
        self.size = characteristic_length(robot) if self.elastic else 0.0
        self.first_elastic: dict[str, int] = {}
        self.ties: dict[tuple[int, str], int] = {}

    def _name_elastic(self) -> None:
        """Elastic coordinates stand between the pose and the joints."""
        for name, body in self.elastic.items():
            self.first_elastic[name] = len(self.q_names)
            self.q_names += [f"{name}.{label}" for label in body.labels]
            self.q_units += ["SI"] * body.modes
            self.u_names += [f"{name}.{label}" for label in body.labels]
            self.u_units += ["SI"] * body.modes

    def _bend(self, name: str, index: int, axes: np.ndarray) -> None:
        """Make a link flexible whose body is."""
        if name not in self.elastic:
            return
        body = self.elastic[name] = cleaned(turned(self.elastic[name], axes))
        if self.links[index].motion != "platform":
            demand_still(name, body, point_key(np.zeros(3)))
        first = self.first_elastic[name]
        shift = 1 if self.platform is not None else 0  # a pose has one entry more than a twist
        elastic = add_elastic(self.table, name, body, first, first - shift, self.size)
        self.links[index] = replace(self.links[index], elastic=elastic)

    def _tied(self, index: int, position: np.ndarray, user: np.ndarray, turns: bool = True) -> tuple[int, np.ndarray]:
        """(link, position in it) of a point of link `index` (internal axes; `user`: in the description's).

        On a flexible link that is a link tied there. turns: False where only the point counts (a ball without friction, a
        spring): its axes then stay those of the body, which saves their rotation.
        """
        if index == WORLD or self.links[index].elastic is None:
            return index, position
        body, elastic, key = self.elastic[self.links[index].name], self.links[index].elastic, point_key(user)
        assert elastic is not None
        frame = body.frames[key]
        if still(frame):
            return index, position
        name = f"{self.links[index].name} {key}"
        if not turns:
            key, name = f"point {key}", f"{name} {POINT}"
            frame = replace(frame, turning=np.zeros_like(frame.turning))
        if (index, key) not in self.ties:
            self.links.append(
                replace(
                    self.links[index],
                    name=name,
                    joint="",
                    parent=index,
                    motion="deflection",
                    q=elastic.q,
                    nq=0,
                    u=elastic.u,
                    nu=0,
                    placement=self._placement(name, np.eye(3), position),
                    ten=None,
                    telescopic=None,
                    friction=(),
                    spring=None,
                    rotor=None,
                    drive=None,
                    elastic=None,
                    tie=add_tie(self.table, name, frame, elastic),
                )
            )
            self.ties[index, key] = len(self.links) - 1
        return self.ties[index, key], np.zeros(3)

    def _placement(self, name: str, rotation: np.ndarray, position: np.ndarray) -> tuple[int, ...]:
        clean = np.where(np.abs(position) < 1e-15, 0.0, position)
        lengths = self.table.add_all(name, PLACEMENT[:3], clean, "m")
        return (*lengths, *self.table.add_all(name, PLACEMENT[3:], rpy_zyx_angles(rotation), "rad"))
