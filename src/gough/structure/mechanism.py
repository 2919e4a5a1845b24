"""The structure of a robot: links, cuts, springs, frames and where their numbers stand; no values of states.

Every link is a body with the one elementary motion that carries it; a universal joint is two links, the first massless.
A link's internal axes are chosen so that its motion is along a coordinate axis; `to_user` turns them into the
description's axes. Link 0 is the platform, moved freely; its velocities are the twist in world axes.
"""

from dataclasses import dataclass, field

import numpy as np

from gough.joints import Closure
from gough.structure.layout import Layout
from gough.structure.parameters import ParameterTable

WORLD = -1


@dataclass(frozen=True)
class Link:
    """A body and its motion relative to `parent`. Integers are positions in q, in u (tree velocities) and in parameters.

    motion: "platform", "rotation", "translation", "ball" or "fixed"; axis 0…2 with `sign` ±1.
    placement: x y z yaw pitch roll of the joint frame in the parent's internal axes; () for the identity.
    ten: M MX MY MZ XX XY XZ YY YZ ZZ (internal axes, about the origin), None for a massless link.
    telescopic: (link whose coordinate counts, positions of 3 × 6 coefficients xx xy xz yy yz zz).
    friction: viscous, coulomb, smoothing of the joint, then of its drive where it has one.
    spring: stiffness, damping, rest, preload.
    """

    name: str
    joint: str
    parent: int
    leg: int
    motion: str
    axis: int
    sign: float
    q: int
    nq: int
    u: int
    nu: int
    placement: tuple[int, ...]
    ten: tuple[int, ...] | None
    telescopic: tuple[int, tuple[int, ...]] | None
    friction: tuple[int, ...]
    spring: tuple[int, ...] | None
    rotor: int | None
    drive: int | None
    to_user: np.ndarray = field(compare=False)


@dataclass(frozen=True)
class CutJoint:
    """A joint that was cut: closures between a frame on link `tip` and a frame on the platform."""

    name: str
    leg: int
    tip: int
    type: str
    closures: tuple[Closure, ...]
    on_leg: tuple[int, ...]
    on_platform: tuple[int, ...]
    length: int | None
    friction: tuple[int, ...]
    free_axes: tuple[tuple[str, int], ...]
    tilt_axes: tuple[tuple[float, ...], tuple[float, ...]]
    """The described frames' z axes in the axes of `on_leg` and `on_platform`: a cone limit bounds their angle."""

    @property
    def rows(self) -> int:
        """Number of closure equations."""
        return sum(c.rows for c in self.closures)


@dataclass(frozen=True)
class PointSpring:
    """Spring and damper between two points; `coefficients`: stiffness, damping, rest_length, preload."""

    name: str
    links: tuple[int, int]
    points: tuple[tuple[int, ...], tuple[int, ...]]
    coefficients: tuple[int, ...]


@dataclass(frozen=True)
class Frame:
    """A named frame: its link and its placement (positions of x y z yaw pitch roll) in the link's internal axes."""

    name: str
    link: int
    placement: tuple[int, ...]


@dataclass(frozen=True)
class Leg:
    """Links from base to tip, and the cut that ties the tip to the platform."""

    name: str
    links: tuple[int, ...]
    cut: int


@dataclass(frozen=True)
class Drive:
    """An actuated link; `unit` is that of its force."""

    name: str
    link: int
    unit: str


@dataclass(frozen=True)
class Mechanism:
    """Everything static about a robot."""

    name: str
    links: tuple[Link, ...]
    legs: tuple[Leg, ...]
    cuts: tuple[CutJoint, ...]
    drives: tuple[Drive, ...]
    springs: tuple[PointSpring, ...]
    frames: dict[str, Frame]
    gravity: tuple[int, ...]
    layout: Layout
    table: ParameterTable

    @property
    def platform(self) -> Link:
        """Link 0."""
        return self.links[0]

    def path_to_root(self, link: int) -> tuple[int, ...]:
        """Links from the root's child down to `link`."""
        path = []
        while link != WORLD:
            path.append(link)
            link = self.links[link].parent
        return tuple(reversed(path))
