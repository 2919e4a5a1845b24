"""The structure of a robot: links, cuts, springs, frames and where their numbers stand; no values of states. Led by some of
its velocities it is a mechanism, whose equations of motion can be written.

Every link is a body with the one elementary motion that carries it; a universal joint is two links, the first massless.
A link's internal axes are chosen so that its motion is along a coordinate axis; `to_user` turns them into the
description's axes. A platform, where there is one, is link 0, moved freely; its velocities are the twist in world axes.
Parents stand before their children.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from gough.joints import ALL
from gough.joints.closures import Closure
from gough.joints.motions import JointMotion, PlatformMotion
from gough.joints.springs import LINEAR, SpringLaw
from gough.structure._couplings import LinearClosure
from gough.structure.elastic.places import Elastic, Tie
from gough.structure.layout import Layout
from gough.structure.parameters import ParameterTable
from gough.structure.selection import Selection
from gough.text import short_repr

WORLD = -1


@dataclass(frozen=True)
class Link:
    """A body and its motion relative to `parent`. Integers are positions in q, in u (tree velocities) and in parameters.

    motion: what it does (`joints.motions`). tie: of a massless frame tied to a flexible parent, moved by the parent's elastic
    rates. dimensions: of its joint (a screw's lead).
    placement: x y z yaw pitch roll of the joint frame in the parent's internal axes, or x y z qw qx qy qz where its turn follows
    variables and has no angles that are right for all their values (`structure._axes`); () for the identity.
    ten: M MX MY MZ XX XY XZ YY YZ ZZ (internal axes, about the origin), None for a massless link.
    telescopic: (link whose coordinate counts, positions of 3 × 6 coefficients xx xy xz yy yz zz).
    elastic: of a flexible link; `ten` is then its inertia undeformed.
    friction: viscous, coulomb, smoothing of the joint, then of its drive where it has one.
    spring: stiffness, damping, rest, preload, then numbers of its characteristic `law`; of a ball stiffness, damping, rest wxyz.
    rotors: inertias that its own rates accelerate: the joint's armature, its drive's rotor.
    weight_share: where the share of its weight that acts stands, None where all of it does.
    """

    name: str
    joint: str
    parent: int
    leg: int
    motion: JointMotion
    q: int
    u: int
    placement: tuple[int, ...]
    ten: tuple[int, ...] | None
    telescopic: tuple[int, tuple[int, ...]] | None
    friction: tuple[int, ...]
    spring: tuple[int, ...] | None
    rotors: tuple[int, ...]
    drive: int | None
    to_user: np.ndarray = field(compare=False)
    elastic: Elastic | None = None
    tie: Tie | None = None
    dimensions: tuple[int, ...] = ()
    law: SpringLaw = LINEAR
    weight_share: int | None = None

    @property
    def nq(self) -> int:
        """Number of its coordinates."""
        return self.motion.nq

    @property
    def nu(self) -> int:
        """Number of its rates."""
        return self.motion.nu

    @property
    def axis(self) -> int:
        """Internal axis of its motion, 0…2."""
        return self.motion.axis

    @property
    def sign(self) -> float:
        """±1: which way its motion is along that axis."""
        return self.motion.sign

    @property
    def is_platform(self) -> bool:
        """Whether it is the platform, which is free in the world."""
        return isinstance(self.motion, PlatformMotion)

    @property
    def is_fixed(self) -> bool:
        """Whether nothing moves it relative to its parent."""
        return self.nu == 0 and self.tie is None

    @property
    def coordinates(self) -> range:
        """Positions of its joint's coordinates in q."""
        return range(self.q, self.q + self.nq)

    @property
    def quaternion(self) -> slice | None:
        """Where its unit quaternion stands in q; None where it has none."""
        first = self.motion.quaternion
        return None if first is None else slice(self.q + first, self.q + first + 4)

    @property
    def spin(self) -> slice | None:
        """Where the angular velocity that turns its quaternion stands in u (see `motion.spins_in_body`)."""
        first = self.motion.spin
        return None if first is None else slice(self.u + first, self.u + first + 3)

    @property
    def is_ball(self) -> bool:
        """Whether a quaternion that is not the platform's turns it."""
        return self.motion.quaternion is not None and not self.is_platform

    @property
    def plain(self) -> list[tuple[int, int]]:
        """(position in q, position in u) of its coordinates whose rate stands in u."""
        return [(self.q + a, self.u + b) for a, b in self.motion.plain]

    @property
    def columns(self) -> range:
        """Positions of its joint's rates in u."""
        return range(self.u, self.u + self.nu)

    @property
    def moved_by(self) -> range:
        """Positions in u of the rates that move it relative to its parent: its joint's, or the parent's elastic ones."""
        return self.columns if self.tie is None else self.tie.columns


@dataclass(frozen=True)
class CutJoint:
    """A joint that was cut: closures between a frame on link `first` and a frame on link `second` (WORLD: the world).

    A leg's cut has the leg's tip first and the platform second. row: position of its first closure among all rows.
    """

    name: str
    leg: int
    first: int
    second: int
    type: str
    closures: tuple[Closure, ...]
    on_first: tuple[int, ...]
    on_second: tuple[int, ...]
    length: int | None
    angle: int | None
    friction: tuple[int, ...]
    free_axes: tuple[tuple[str, int], ...]
    tilt_axes: tuple[tuple[float, ...], tuple[float, ...]]
    """The described frames' z axes in the axes of `on_first` and `on_second`: a cone limit bounds their angle."""
    row: int

    @property
    def rows(self) -> int:
        """Number of closure equations."""
        return sum(c.rows for c in self.closures)

    @property
    def common_axes(self) -> tuple[int, ...]:
        """Axes of the two frames that coincide when it is closed."""
        return ALL[self.type].common_axes

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """Of every closure equation the power of metres it is in: 0 of a direction, 1 of a place, 2 of a distance."""
        return tuple(c.lengths for c in self.closures for _ in range(c.rows))

    @property
    def row_names(self) -> tuple[str, ...]:
        """A name of every closure equation."""
        kinds = [c.group for c in self.closures for _ in range(c.rows)]
        names = [f"{kind} {kinds[: k + 1].count(kind)} of {kinds.count(kind)}" for k, kind in enumerate(kinds)]
        return tuple(names)


@dataclass(frozen=True)
class PointSpring:
    """Spring and damper between two points; `coefficients`: stiffness, damping, rest_length, preload, then numbers of its
    characteristic `law`. clearance: where it has one, the distance at which its ends pass each other."""

    name: str
    links: tuple[int, int]
    points: tuple[tuple[int, ...], tuple[int, ...]]
    coefficients: tuple[int, ...]
    law: SpringLaw = LINEAR
    clearance: int | None = None


@dataclass(frozen=True)
class Frame:
    """A named frame: its link and its placement (as of a `Link`) in the link's internal axes."""

    name: str
    link: int
    placement: tuple[int, ...]


@dataclass(frozen=True)
class LegLinks:
    """Links of a leg from base to tips, and its cuts."""

    name: str
    links: tuple[int, ...]
    cuts: tuple[int, ...]


@dataclass(frozen=True)
class DrivenLink:
    """An actuated link; `unit` is that of its force; weight: position of its share's weight, where stated."""

    name: str
    link: int
    unit: str
    weight: int | None = None


@dataclass(frozen=True)
class Structure:
    """Everything static about a robot that needs no assembled state: tree, cuts, places in q and u, the design's numbers."""

    name: str
    links: tuple[Link, ...]
    legs: tuple[LegLinks, ...]
    cuts: tuple[CutJoint, ...]
    drives: tuple[DrivenLink, ...]
    springs: tuple[PointSpring, ...]
    frames: Mapping[str, Frame]
    gravity: tuple[int, ...]
    layout: Layout
    table: ParameterTable
    length: float
    """The robot's characteristic length (m)."""
    tolerances: tuple[float, ...] = ()
    """By how much each closure may stay open (m, 1, m², as its residual), where the description allows it."""
    couplings: tuple[LinearClosure, ...] = ()
    """Relations between coordinates; their closure rows stand after those of the cuts."""

    @property
    def size(self) -> float:
        """`length` to a power of ten, so that most designs have the same: rates in m/s are beside it like rad/s."""
        return float(10.0 ** np.round(np.log10(self.length)))

    @property
    def has_platform(self) -> bool:
        """Whether link 0 is a platform."""
        return bool(self.links) and self.links[0].is_platform

    @property
    def platform(self) -> Link:
        """Link 0."""
        assert self.has_platform
        return self.links[0]

    @property
    def flexible(self) -> tuple[int, ...]:
        """Links with elastic coordinates."""
        return tuple(i for i, link in enumerate(self.links) if link.elastic is not None)

    @property
    def elastic_columns(self) -> list[int]:
        """Positions of all elastic rates in u."""
        return [c for link in self.links if link.elastic is not None for c in link.elastic.columns]

    @property
    def rows(self) -> int:
        """Number of closure equations of all cuts and couplings."""
        return sum(cut.rows for cut in self.cuts) + len(self.couplings)

    @property
    def owners(self) -> "tuple[CutJoint | LinearClosure, ...]":
        """What owes closures, in the order of their rows: cuts, then couplings."""
        return (*self.cuts, *self.couplings)

    @property
    def drive_index(self) -> list[int]:
        """Positions of the drive coordinates in q."""
        return [self.links[d.link].q for d in self.drives]

    def path_to_root(self, link: int) -> tuple[int, ...]:
        """Links from the root's child down to `link`."""
        path = []
        while link != WORLD:
            path.append(link)
            link = self.links[link].parent
        return tuple(reversed(path))

    def common_ancestor(self, first: int, second: int) -> int:
        """The last link (or WORLD) that carries both, themselves included."""
        ancestor = WORLD
        for a, b in zip(self.path_to_root(first), self.path_to_root(second), strict=False):
            if a != b:
                break
            ancestor = a
        return ancestor

    def row_place(self, row: int) -> "tuple[CutJoint | LinearClosure, int]":
        """(cut or coupling, closure of it) of a row."""
        owner = next(c for c in self.owners if c.row <= row < c.row + c.rows)
        return owner, row - owner.row

    def with_selection(self, selection: Selection) -> "Mechanism":
        """The mechanism whose v are the velocities that `selection` takes, idle ones and then elastic ones last."""
        elastic, own = self.elastic_columns, selection.independent
        layout = replace(
            self.layout,
            v_elastic=sum(c in elastic for c in own),
            v_idle=len(selection.idle),
            v_names=tuple(self.layout.u_names[c] for c in own),
            v_units=tuple(self.layout.u_units[c] for c in own),
        )
        same: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(Structure)}
        same["layout"] = layout
        return Mechanism(**same, selection=selection)

    def without_velocities(self) -> "Mechanism":
        """The mechanism for equations that need no velocities."""
        return self.with_selection(Selection((), ()))

    __repr__ = short_repr


@dataclass(frozen=True)
class Mechanism(Structure):
    """A structure led by some of its velocities: what equations are written for."""

    selection: Selection = field(kw_only=True)

    @property
    def leads_from_platform(self) -> bool:
        """Whether v is the whole platform twist."""
        return self.has_platform and self.selection.independent == tuple(range(6))

    @property
    def moving(self) -> list[int]:
        """Entries of v that something with inertia goes with; the others stay as they are."""
        return [k for k in range(self.layout.nv) if k not in self.selection.without_inertia]

    @property
    def loop_groups(self) -> dict[str, tuple[list[int], list[int]]]:
        """(closure rows, columns of u) of every leg that closes by itself, else of every block, by name."""
        loops_of = {r: cut for cut in self.owners for r in range(cut.row, cut.row + cut.rows)}
        groups: dict[str, tuple[list[int], list[int]]] = {}
        again: Counter[str] = Counter()
        for block in self.selection.blocks:
            cuts = list(dict.fromkeys(loops_of[r].name for r in block.rows))
            legs = {loops_of[r].leg for r in block.rows}
            leg = legs.pop() if len(legs) == 1 else -1
            place = self.legs[leg].name if leg >= 0 else " + ".join(cuts[:3]) + (" …" if len(cuts) > 3 else "")
            if leg < 0 and place in groups:
                again[place] += 1
                place += f" ({again[place] + 1})"
            rows, columns = groups.setdefault(place, ([], []))
            rows.extend(block.rows)
            columns.extend(block.columns)
        return groups

    __repr__ = short_repr
