"""What a joint type is: the words it is described with, the motions it is made of, and the closures it owes when cut.

In a tree a joint moves its body by elementary motions in turn (`joints.motions`). As a cut joint it owes closures
(`joints.closures`) between a frame L on the leg and a frame P on the platform side (axis = z, or for a universal joint x of L
and y of P). A joint whose closures depend on a coordinate of its own, such as a screw's angle, has none: where it is cut, it
carries a massless body in the tree and that body is fixed to the other side (`carried_when_cut`).
Whoever asks what a joint is, in the description, the structure, the viewer or the page of keys, asks here.
"""

from dataclasses import dataclass
from functools import cached_property

from gough.joints.closures import Closure
from gough.joints.measure import LENGTH, Measure
from gough.joints.motions import JointMotion


@dataclass(frozen=True)
class Coordinate:
    """One coordinate of a joint: suffix of its name and its units."""

    suffix: str
    unit: str

    @property
    def dimension(self) -> str:
        """What a description writes it in."""
        return {"rad": "angle", "m": "length"}.get(self.unit, "number")


@dataclass(frozen=True)
class JointDimension:
    """A number that a joint of a type must have: its key in the description, a length in m. positive: whether it must be so;
    nonzero: what to do where it is 0, if it must not be. per_turn: whether it may be written so, "5 mm/rev"."""

    key: str
    meaning: str
    unit: str = "m"
    positive: bool = False
    nonzero: str = ""
    per_turn: bool = False


@dataclass(frozen=True)
class JointType:
    """A member of the family; `axes` is how many axes its description states."""

    name: str
    axes: int
    motions: tuple[JointMotion, ...] | None
    """None: it is a closure only."""
    coordinates: tuple[Coordinate, ...]
    closures: tuple[Closure, ...] | None
    """None: it cannot be cut, or only as `carried_when_cut`."""
    drawing: str
    """How it is drawn: a name in `viewer.drawing._joints`."""
    words: str = ""
    """What others call it, for suggestions."""
    dimensions: tuple[JointDimension, ...] = ()
    carried_when_cut: bool = False
    tilts: bool = False
    """Whether its sides tilt against each other, so that it may have a cone as limit."""
    free_axes: tuple[tuple[str, int], ...] = ()
    """Freedoms left when cut, for friction, in the order of `moving`: turns ("leg" | "platform", axis number) or ("ball", 0),
    slides ("along", axis number of L)."""
    friction_when_cut: bool = True

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """What its rates measure, each once."""
        return tuple({m.measure.word: m.measure for m in self.moving}.values())

    @property
    def measure(self) -> Measure | None:
        """What its rates measure, where all measure the same: the units of what acts in it."""
        return self.measures[0] if len(self.measures) == 1 else None

    @property
    def moving(self) -> tuple[JointMotion, ...]:
        """Its motions that move: what a list of frictions, springs or armatures has entries for."""
        return tuple(m for m in self.motions or () if m.nu)

    @property
    def freedom_suffixes(self) -> tuple[str, ...]:
        """What the names of `moving` end with: as their coordinates, a quaternion's with _ball."""
        out, place = [], 0
        for motion in self.motions or ():
            if motion.nu:
                out.append("_ball" if motion.quaternion is not None else self.coordinates[place].suffix)
            place += motion.nq
        return tuple(out)

    @property
    def is_scalar(self) -> bool:
        """Whether it has one coordinate, and so may have a drive."""
        return len(self.coordinates) == 1

    @property
    def slides(self) -> bool:
        """Whether all its coordinates are lengths."""
        return self.measure is LENGTH

    @property
    def in_angles(self) -> bool:
        """Whether all its coordinates are angles."""
        return bool(self.coordinates) and all(c.unit == "rad" for c in self.coordinates)

    @property
    def carries_no_moment(self) -> bool:
        """Whether it transmits forces alone where it is cut."""
        return self.closures is not None and not any(c.sees_axes for c in self.closures)

    @property
    def moves_body(self) -> bool:
        """Whether it can carry a body in a tree."""
        return self.motions is not None

    @property
    def closes_loop(self) -> bool:
        """Whether a loop may be cut at it."""
        return self.closures is not None or self.carried_when_cut

    @property
    def freedoms(self) -> int:
        """Rates in a tree."""
        return sum(m.nu for m in self.motions or ())

    @property
    def rate_suffixes(self) -> tuple[str, ...]:
        """Last parts of the names of its rates."""
        out: list[str] = []
        place = 0
        for motion in self.motions or ():
            out += motion.rate_suffixes or [c.suffix for c in self.coordinates[place : place + motion.nq]]
            place += motion.nq
        return tuple(out)

    @property
    def quaternion(self) -> int | None:
        """Where the unit quaternion begins among its coordinates; None where it has none."""
        place = 0
        for motion in self.motions or ():
            if motion.quaternion is not None:
                return place + motion.quaternion
            place += motion.nq
        return None

    @property
    def common_axes(self) -> tuple[int, ...]:
        """Axes of L and P that are the same, pointing the same way, however the joint moves; z is the stated axis."""
        if self.motions is None or self.closures is None or any(m.nu > 1 for m in self.motions):
            return ()
        turning = {m.axis for m in self.motions if m.turns}
        return (0, 1, 2) if not turning else (2,) if turning == {0} and self.axes == 1 else ()
