"""A robot as other programs' files say it, before it becomes a description: bodies, the joints between them, relations of
coordinates, each with the place where it is written.

What all formats share is said once, here and in `compose`: a reader turns its file into a `ForeignRobot` and says what it could
not carry over (`findings`). Joints are edges between any two bodies; which of them close loops is settled later, except where
the file says so. Units are SI and radians; a reader has converted its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

WORLD = "world"
IN_MJCF, IN_SDF, IN_USD = "gough_closure_tolerance", "gough:closure_tolerance", "gough:closure_tolerance"
"""How files say by how much (m) loops may stay open: a custom number, an element of the model, an attribute of the robot's prim.
Other programs pass it over."""
FRAME_IN_USD = "gough:frame"
"""Attribute of a prim below a body that is a frame of it: the frame's name."""


@dataclass(frozen=True)
class Written:
    """Where something stands: the file, the line from 1 (None where the format has none), and what it is called there."""

    file: str
    line: int | None
    path: str


@dataclass(frozen=True)
class Placement:
    """A frame in another one: position (3,) in m, rotation (3, 3) with the placed frame's axes as columns.

    words: the description's own words for the rotation ({"rpy_zyx": …}) where the file says it in one of them, so that no digit
    is lost and the written file stays readable.
    """

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    words: Mapping[str, object] | None = None

    @property
    def turns(self) -> bool:
        """Whether its axes are others than those of the frame it stands in."""
        return not np.array_equal(self.rotation, np.eye(3))

    @property
    def is_identity(self) -> bool:
        """Whether it is the frame it stands in."""
        return not self.turns and self.position == (0.0, 0.0, 0.0)

    def after(self, outer: "Placement") -> "Placement":
        """This frame, which stands in the frame `outer`, in what `outer` stands in."""
        if self.is_identity:
            return outer
        if outer.is_identity:
            return self
        position = np.asarray(outer.position) + outer.rotation @ np.asarray(self.position)
        rotation = outer.rotation @ self.rotation
        words = self.words if not outer.turns else outer.words if not self.turns else None
        return Placement(_three(position), rotation, words)

    def inverse(self) -> "Placement":
        """The outer frame in this one."""
        back = self.rotation.T
        return Placement(_three(-back @ np.asarray(self.position)), back)


def _three(x: np.ndarray) -> tuple[float, float, float]:
    return tuple(float(v) + 0.0 for v in x)  # type: ignore[return-value]


@dataclass(frozen=True)
class Looks:
    """A surface for the viewer: a file (of a stage, a prim in it), its scale to metres, its axes in the body, its colour (0 to
    255) or None, further factors along its own axes (negative ones mirror it)."""

    file: str
    scale: float = 1.0
    at: Placement = field(default_factory=Placement)
    color: tuple[int, int, int] | None = None
    stretch: tuple[float, float, float] = (1.0, 1.0, 1.0)
    prim: str | None = None

    @classmethod
    def with_scales(cls, file: str, scales: Sequence[float], at: Placement, **more: Any) -> "Looks | None":
        """With three factors from a file; None where one of them is none: 0, or not finite."""
        x, y, z = (float(s) for s in scales)
        sizes = (abs(x), abs(y), abs(z))
        if not all(1e-12 < size < 1e12 for size in sizes):
            return None
        even = max(sizes) - min(sizes) <= 1e-9 * max(sizes)
        stretch = (x / sizes[0], y / sizes[1], z / sizes[2]) if even else (x, y, z)
        return cls(file, sizes[0] if even else 1.0, at, stretch=stretch, **more)


FAR, FAR_FORCE = 1e6, 1e9
"""Bounds of coordinates and speeds (m, rad, s) and of forces (N, N·m) from which on they are none."""


@dataclass(frozen=True)
class ForeignBody:
    """A body: mass (kg), mass centre (m) and central tensor (3, 3) in the body's own axes; frames by name; looks.
    weight_share: of its weight, what acts."""

    name: str
    at: Written
    mass: float = 0.0
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    frames: Mapping[str, Placement] = field(default_factory=dict)
    looks: tuple[Looks, ...] = ()
    weight_share: float = 1.0


@dataclass(frozen=True)
class Effects:
    """What acts in a joint of one coordinate and bounds it (None: nothing does): SI units, those of an angle or of a length."""

    armature: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    lower: float | None = None
    upper: float | None = None
    speed: float | None = None
    force: float | None = None
    rotor_inertia: float = 0.0
    gear: float = 1.0

    @property
    def acts(self) -> bool:
        """Whether something acts that needs a coordinate."""
        return any((self.armature, self.viscous, self.coulomb, self.stiffness, self.rotor_inertia))

    @property
    def bounded(self) -> "Effects":
        """The same without bounds that are none: files write large numbers where they mean that."""
        far = dict.fromkeys(("lower", "upper", "speed"), FAR) | {"force": FAR_FORCE}
        none = [key for key, most in far.items() if not abs(getattr(self, key) or 0.0) < most]
        return replace(self, **dict.fromkeys(none)) if none else self


@dataclass(frozen=True)
class ForeignJoint:
    """A joint between two bodies, of a type of `gough.joints`.

    on_parent and on_child place the joint's frame in both bodies; they coincide where all coordinates are 0. The coordinate
    is the motion of the child against the parent, about or along `axis` (in the joint's frame; of a plane its normal). axes: of a
    universal joint, the first fixed to the parent, the second to the child. lead: m a turn. length: of a rod between two points
    (`constant_length`). closes: whether it closes a loop; None: to be settled. driven: whether the file has a motor there. start:
    its coordinates at home, None where the file does not say. words: further keys of the description, in its own words, where
    the file is written in them.
    """

    name: str
    type: str
    parent: str
    child: str
    at: Written
    on_parent: Placement = field(default_factory=Placement)
    on_child: Placement = field(default_factory=Placement)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    axes: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    lead: float | None = None
    length: float | None = None
    effects: Effects = field(default_factory=Effects)
    closes: bool | None = None
    driven: bool = False
    start: tuple[float, ...] | None = None
    words: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class ForeignCoupling:
    """The sum of coefficient times coordinate is `offset`; coordinates by the names of joints. follower: the one that the file
    says follows the others, so that it has no motor of its own."""

    name: str
    at: Written
    coefficients: Mapping[str, float]
    offset: float = 0.0
    follower: str | None = None


def followed_starts(
    couplings: Sequence[ForeignCoupling], stated: Mapping[str, float] | None = None
) -> dict[str, float]:
    """{joint that follows others: where it stands} when those are where it is stated, else at 0, so that what leads stays there;
    of joints that are not stated themselves. Nothing where they follow each other in a circle."""
    given = {} if stated is None else stated
    own = [c for c in couplings if c.follower is not None and c.follower not in given]
    found: dict[str, float] = {}
    for _ in range(len(own) + 1):
        before = {**found, **given}
        for coupling in own:
            factor = coupling.coefficients[str(coupling.follower)]
            rest = [(n, c) for n, c in coupling.coefficients.items() if n != coupling.follower]
            found[str(coupling.follower)] = (coupling.offset - sum(c * before.get(n, 0.0) for n, c in rest)) / factor
        if {**found, **given} == before:
            return found
    return {}


@dataclass(frozen=True)
class ForeignSpring:
    """A spring and damper between two points of bodies. tension_only: nothing below its rest length."""

    name: str
    at: Written
    ends: tuple[tuple[str, tuple[float, float, float]], tuple[str, tuple[float, float, float]]]
    stiffness: float = 0.0
    damping: float = 0.0
    rest_length: float = 0.0
    tension_only: bool = False


@dataclass(frozen=True)
class ForeignRobot:
    """All of it. format: as people call it ("URDF"). platform: where the file names one. floating: whether bodies that nothing
    ties to the world are free (else their root stands still). closure_tolerance: by how much (m) loops may stay open, where the
    format's own loops are not exact. velocities: "platform", "drives", "any" or names of joints; drive_sharing: as of a
    description. drives_stated: whether a file of loops says which joints are driven, none perhaps. idle: rates that are said to
    be idle, by the names of joints, and where."""

    name: str
    file: str
    format: str
    bodies: tuple[ForeignBody, ...]
    joints: tuple[ForeignJoint, ...]
    couplings: tuple[ForeignCoupling, ...] = ()
    springs: tuple[ForeignSpring, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    platform: str | None = None
    floating: bool = False
    title: str = ""
    closure_tolerance: float | None = None
    velocities: str | tuple[str, ...] | None = None
    drives_stated: bool = False
    drive_sharing: str | None = None
    idle: Mapping[str, Written] = field(default_factory=dict)

    def with_joints(self, joints: "tuple[ForeignJoint, ...]") -> "ForeignRobot":
        """The same robot with other joints."""
        return replace(self, joints=joints)


@dataclass(frozen=True)
class ReadingOptions:
    """What a reader is told beside the file: loops (a file of them), packages (folders in which `package://` is looked up), model
    (which of several in a world)."""

    loops: Path | None = None
    packages: tuple[Path, ...] = ()
    model: str | None = None
