"""A robot as other programs think of it: a tree of bodies, each carried by turns and slides one after the other, and what ties
the tree together. Numbers alone, SI and radians; templates, patterns and variables are gone.

Names are those of the file that is written: letters, digits and _, each once. `told` is the name in the description.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.interchange.foreign import Placement
from gough.spatial.poses import quaternion_of_rotation_vector, rotation_of_quaternion, unit_quaternions

WORLD = "world"
TURN, SLIDE, BALL = "turn", "slide", "ball"

Point = tuple[float, float, float]


@dataclass(frozen=True)
class DrawnRod:
    """A straight piece between two points of a body, of a radius (m); how a body is drawn. Both points alike: a sphere."""

    start: Point
    end: Point
    radius: float


@dataclass(frozen=True)
class UserSurface:
    """A user's own mesh: an absolute path, its scales to metres along its axes, these axes in the body, its colour (0 to 255) or
    None."""

    file: str
    scales: Point
    at: Placement
    color: tuple[int, int, int] | None


@dataclass(frozen=True)
class PlainBody:
    """A body: mass (kg), mass centre and central tensor in its axes, where it is at home, frames by name, looks.

    turns_about: the axis (3,) of its own that it only ever turns about, where its tensor is of that axis alone.
    unphysical: why no distribution of mass has its tensor, or "". weight_share: of its weight, what acts.
    """

    name: str
    told: str
    mass: float
    center: Point
    inertia: np.ndarray
    home: Placement
    frames: Mapping[str, Placement] = field(default_factory=dict)
    rods: tuple[DrawnRod, ...] = ()
    surfaces: tuple[UserSurface, ...] = ()
    turns_about: np.ndarray | None = None
    unphysical: str = ""
    weight_share: float = 1.0

    @property
    def is_massless(self) -> bool:
        """Whether nothing of it resists."""
        return self.mass == 0.0 and not self.inertia.any()


@dataclass(frozen=True)
class PlainDrive:
    """A motor: on the coordinate acts `gear` times its force; bounds of the coordinate's force and speed."""

    gear: float = 1.0
    force: float | None = None
    rotor: float = 0.0


@dataclass(frozen=True)
class PlainFreedom:
    """A turn about, or a slide along, an axis (in the joint's frame) with what acts in it; or a ball, which is all turns.

    home: its coordinate at home, of a ball wxyz. rest: where its spring has no force, likewise. push: a constant force.
    smoothing: of Coulomb's friction (m/s, rad/s). curve: what its spring is where it is not linear, or "".
    scale: what the description's coordinate is multiplied by to be this one (a ball screw's travel for its angle).
    """

    name: str
    kind: str
    axis: Point
    home: Any
    armature: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    smoothing: float = 0.0
    stiffness: float = 0.0
    rest: Any = 0.0
    push: float = 0.0
    curve: str = ""
    lower: float | None = None
    upper: float | None = None
    speed: float | None = None
    drive: PlainDrive | None = None
    told: str = ""
    scale: float = 1.0

    @property
    def acts(self) -> bool:
        """Whether something acts in it by itself."""
        return bool(
            self.armature or self.viscous or self.coulomb or self.stiffness or self.push or self.curve or self.drive
        )

    @property
    def inertia(self) -> float:
        """What its own rate accelerates, the drive's rotor included."""
        return self.armature + (0.0 if self.drive is None else self.drive.rotor)


@dataclass(frozen=True)
class PlainJoint:
    """What carries a body: its frame in the parent (`on_parent`), then its freedoms in turn. type: the description's."""

    name: str
    told: str
    type: str
    parent: str
    child: str
    on_parent: Placement
    freedoms: tuple[PlainFreedom, ...]

    @property
    def is_plain(self) -> bool:
        """Whether it is a free joint in which nothing acts."""
        return self.type == "free" and not any(f.acts for f in self.freedoms)


@dataclass(frozen=True)
class PlainLoop:
    """A joint that closes the tree, between frames on two bodies.

    friction: (viscous, coulomb, smoothing) of each of its axes, () where there is none.
    """

    name: str
    told: str
    type: str
    first: str
    on_first: Placement
    second: str
    on_second: Placement
    axis: Point | None = None
    axes: tuple[Point, Point] | None = None
    angle: float = np.pi / 2
    length: float | None = None
    lead: float | None = None
    friction: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True)
class PlainCoupling:
    """The sum of coefficient times coordinate is `offset`; by names of freedoms. of_screw: it makes turn and slide a screw."""

    name: str
    told: str
    coefficients: Mapping[str, float]
    offset: float
    of_screw: bool = False


@dataclass(frozen=True)
class PlainSpring:
    """Between points of two bodies: tension = stiffness (L - rest_length) + damping dL/dt + preload.

    curve: what it is where it is not linear, or "".
    """

    name: str
    told: str
    ends: tuple[tuple[str, Point], tuple[str, Point]]
    stiffness: float
    damping: float
    rest_length: float
    preload: float
    slack: bool = False
    curve: str = ""


@dataclass(frozen=True)
class PlainRobot:
    """All of it; bodies and joints alike from the world outwards. size: a length of the robot (m).

    choices: what the description chooses for its own equations (velocities, idle, drive_sharing, closure_tolerance), in its
    words.
    """

    name: str
    title: str
    gravity: Point
    bodies: tuple[PlainBody, ...]
    joints: tuple[PlainJoint, ...]
    loops: tuple[PlainLoop, ...]
    couplings: tuple[PlainCoupling, ...]
    springs: tuple[PlainSpring, ...]
    platform: str | None
    size: float
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def closure_tolerance(self) -> float | None:
        """By how much (m) loops may stay open, where the description says so."""
        return self.choices.get("closure_tolerance")

    @property
    def is_undriven_tree(self) -> bool:
        """Whether it has neither loops nor drives."""
        return not self.loops and all(f.drive is None for j in self.joints for f in j.freedoms)

    def body(self, name: str) -> PlainBody:
        """By its name."""
        return next(b for b in self.bodies if b.name == name)

    def home_of(self, name: str) -> Placement:
        """Where a body, or the world, is at home."""
        return Placement() if name == WORLD else self.body(name).home


def motion(freedom: PlainFreedom, q: Any) -> Placement:
    """The frame after a freedom in the one before it."""
    if freedom.kind == BALL:
        return Placement(rotation=rotation_of_quaternion(unit_quaternions(np.asarray(q, dtype=float))))
    if freedom.kind == SLIDE:
        return Placement(three(np.asarray(freedom.axis) * q))
    turn = quaternion_of_rotation_vector(np.asarray(freedom.axis) * q)
    return Placement(rotation=rotation_of_quaternion(turn))


def at_home(freedoms: tuple[PlainFreedom, ...]) -> Placement:
    """The frame after all freedoms in the one before them, at home."""
    found = Placement()
    for freedom in freedoms:
        found = motion(freedom, freedom.home).after(found)
    return found


def three(x: np.ndarray) -> Point:
    """Three plain numbers, none of them -0."""
    return (float(x[0]) + 0.0, float(x[1]) + 0.0, float(x[2]) + 0.0)
