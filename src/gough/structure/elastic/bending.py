"""The part of the builder that knows flexible bodies: their coordinates, and links tied to them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gough.errors import StructureError
from gough.fem.elastic_body import ElasticBody, Slaved, TiedFrame
from gough.joints.motions import NoMotion
from gough.robot import Robot
from gough.robot.tree import platform_name
from gough.scalar import VariedNumber, array_of
from gough.structure._axes import QUATERNION, turn_parameters
from gough.structure.elastic.bodies import (
    clean_body,
    demand_still,
    elastic_bodies,
    is_still,
    point_key,
    turn_body,
    typical_amplitudes,
)
from gough.structure.elastic.places import MINUS_ONE, ONE, ZERO, Elastic, SlavedPlaces, Tie
from gough.structure.mechanism import WORLD, Link
from gough.structure.parameters import TURN, GrowingTable
from gough.structure.size import characteristic_length


class Bending:
    """Names, parameters and links as they grow while a structure is built."""

    def __init__(self, robot: Robot, by: str | None = None) -> None:
        self.robot = robot
        self.table = GrowingTable()
        self.links: list[Link] = []
        self.q_names: list[str] = []
        self.q_units: list[str] = []
        self.u_names: list[str] = []
        self.u_units: list[str] = []
        self.platform = platform_name(robot)
        self.elastic = elastic_bodies(robot, by=by)
        self.size = characteristic_length(robot) if self.elastic else 0.0
        self.first_elastic: dict[str, int] = {}
        self.ties: dict[tuple[int, str, bool], int] = {}

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
        body = self.elastic[name] = clean_body(turn_body(self.elastic[name], axes))
        if not self.links[index].is_platform:
            demand_still(name, body, point_key(np.zeros(3)))
        first = self.first_elastic[name]
        shift = 1 if self.platform is not None else 0  # a pose has one entry more than a twist
        elastic = add_elastic(self.table, name, body, first, first - shift, self.size)
        self.links[index] = replace(self.links[index], elastic=elastic)

    def _tie_point(
        self, index: int, position: np.ndarray, user: np.ndarray, turns: bool = True
    ) -> tuple[int, np.ndarray]:
        """(link, position in it) of a point of link `index` (internal axes; `user`: in the description's).

        On a flexible link that is a link tied there. turns: False where only the point counts (a ball without friction, a
        spring): its axes then stay those of the body, which saves their rotation.
        """
        if index == WORLD or self.links[index].elastic is None:
            return index, position
        body, elastic, key = self.elastic[self.links[index].name], self.links[index].elastic, point_key(user)
        assert elastic is not None
        if array_of(user).dtype == object:
            raise StructureError(
                f"{self.links[index].name}: what is attached {key} (m) follows a variable, and the body is flexible: how it "
                "bends there is not known as a formula. Give that place a number, and change it in the description"
            )
        frame = body.frames[key]
        if is_still(frame):
            return index, position
        name = f"{self.links[index].name} {key}"
        moved = _moved(body, frame) if self.links[index].is_platform else frame.translation != 0.0
        if not turns:
            name = f"{name} (point)"
            frame = replace(frame, turning=np.zeros_like(frame.turning))
        if (index, key, turns) not in self.ties:
            self.links.append(
                replace(
                    self.links[index],
                    name=name,
                    joint="",
                    parent=index,
                    motion=NoMotion(),
                    q=elastic.q,
                    u=elastic.u,
                    placement=self._placement(name, np.eye(3), position),
                    ten=None,
                    telescopic=None,
                    friction=(),
                    spring=None,
                    rotors=(),
                    drive=None,
                    elastic=None,
                    tie=replace(add_tie(self.table, name, frame, elastic, moved), as_point=not turns),
                )
            )
            self.ties[index, key, turns] = len(self.links) - 1
        return self.ties[index, key, turns], np.zeros(3)

    def _placement(
        self, name: str, rotation: np.ndarray, position: np.ndarray, factors: Sequence[Any] = ()
    ) -> tuple[int, ...]:
        """factors: what the rotation is the product of, see `turn_parameters`."""
        clean = [x if isinstance(x, VariedNumber) or abs(x) >= 1e-15 else 0.0 for x in position]
        lengths = self.table.add_all(name, "xyz", clean, "m")
        names, values = turn_parameters(rotation, factors)
        if names == QUATERNION:
            first = [self.table.add(f"{name}.{names[0]}", values[0], "1", f"{TURN} first")]
            rest = [self.table.add(f"{name}.{s}", x, "1", TURN) for s, x in zip(names[1:], values[1:], strict=True)]
            return (*lengths, *first, *rest)
        return (*lengths, *self.table.add_all(name, names, values, "rad"))


# Constants of flexible bodies and of frames tied to them put into the parameters, and the places they get.


def add_elastic(table: GrowingTable, name: str, body: ElasticBody, q: int, u: int, size: float) -> Elastic:
    """Places of the constants of a body (internal axes) whose coordinates start at q and u, in a robot of a size (m)."""
    m = body.modes
    pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
    add = _Adding(table, name)

    def symmetric(what: str, matrix: np.ndarray) -> tuple[int, ...]:
        return tuple(i for k, ell in pairs for i in add(what, (k, ell), matrix[k, ell]))

    return Elastic(
        q=q,
        u=u,
        modes=m,
        MSde=tuple(i for k in range(m) for i in add("MSde", (k,), body.MSde[:, k])),
        N1=tuple(i for k in range(m) for i in add("N1", (k,), body.N1[k])),
        N2=tuple(i for p in pairs for i in add("N2", p, body.N2[p])),
        M=symmetric("Me", body.M),
        K=symmetric("Ke", body.K),
        D=symmetric("De", body.D),
        units=typical_amplitudes(body, size),
        remarks=body.remarks,
        slaved=None if body.slaved is None else _add_slaved(_Adding(table, f"{name}.slaved"), body.slaved, m),
    )


def _add_slaved(add: "_Adding", slaved: Slaved, m: int) -> SlavedPlaces:
    s, o = len(slaved.forms), slaved.own
    pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
    forms = [((j, k, ell), slaved.forms[j, k, ell]) for j in range(s) for k, ell in pairs]
    along = [((k, j), slaved.along[k, j]) for k in range(m) for j in range(s)]
    both = [(i, k) for i in range(o) for k in range(m)] + [(i, m + j) for i in range(o) for j in range(i, o)]
    return SlavedPlaces(
        count=s,
        own=o,
        forms=tuple(i for index, x in forms for i in add("form", index, x, wholes=True)),
        along=tuple(i for index, x in along for i in add("along", index, x, wholes=True)),
        MSde=tuple(i for k in range(o) for i in add("MSde", (k,), slaved.MSde[:, k])),
        N1=tuple(i for k in range(o) for i in add("N1", (k,), slaved.N1[k])),
        products=tuple(i for p in both for i in add("product", p, slaved.products[p])),
        stiffening=slaved.stiffening,
    )


class _Adding:
    """Puts numbers, vectors and tensors of a body into the table."""

    def __init__(self, table: GrowingTable, name: str) -> None:
        self.table, self.name = table, name

    def __call__(
        self, what: str, index: tuple[int, ...], value: np.ndarray, wholes: bool = False, kept: np.ndarray | None = None
    ) -> list[int]:
        """Positions; wholes: ones are structure as zeros always are. kept: entries that are parameters even so."""
        label = ",".join(str(i + 1) for i in index)
        suffixes = [""] if value.ndim == 0 else "xyz" if value.ndim == 1 else [a + b for a in "xyz" for b in "xyz"]
        known = {0.0: ZERO} | ({1.0: ONE, -1.0: MINUS_ONE} if wholes else {})
        stay = [False] * value.size if kept is None else kept.ravel().tolist()
        return [
            known[x.real]
            if x.real in known and not own
            else self.table.add(f"{self.name}.{what}[{label}]{'.' if s else ''}{s}", x, "SI")
            for s, x, own in zip(suffixes, value.ravel().tolist(), stay, strict=True)
        ]


def _moved(body: ElasticBody, frame: TiedFrame) -> np.ndarray:
    """Entries (3, modes) of a frame's translation that are zero, if so, by its place: other frames of the body have them. They
    stay parameters, so that legs at such places can be alike (`structure.alike`). Frames that a coordinate is made for are not
    alike."""
    if (np.abs(frame.translation) == 1.0).any():
        return frame.translation != 0.0
    return np.any([other.translation != 0.0 for other in body.frames.values()], axis=0)


def add_tie(table: GrowingTable, name: str, frame: TiedFrame, elastic: Elastic, moved: np.ndarray) -> Tie:
    """Places of the numbers of a tied frame. Ones are structure too: coordinates that are motions of the frame itself. moved
    (3, modes): entries of its translation that are parameters whatever they are but for ones."""
    m, adding = elastic.modes, _Adding(table, name)
    moved = moved & (frame.translation == 0.0)

    def add(what: str, index: tuple[int, ...], values: np.ndarray, kept: np.ndarray | None = None) -> list[int]:
        return adding(what, index, values, wholes=True, kept=kept)

    second: tuple[int, ...] = ()
    if frame.second is not None and elastic.stiffened:
        pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
        second = tuple(i for p in pairs for i in add("second", p, frame.second[:, *p]))
    return Tie(
        q=elastic.q,
        u=elastic.u,
        modes=m,
        translation=tuple(i for k in range(m) for i in add("translation", (k,), frame.translation[:, k], moved[:, k])),
        turning=tuple(i for k in range(m) for i in add("turning", (k,), frame.turning[:, k])),
        second=second,
    )
