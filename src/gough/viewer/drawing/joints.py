"""Joints drawn as what they are. Each gives its pieces and where the bodies on its two sides begin (their anchors)."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gough.structure import WORLD
from gough.viewer.drawing.layout import Layout, across, side_axis
from gough.viewer.drawing.mesh import Mesh, frame_along, merged
from gough.viewer.drawing.piece import Piece, Span
from gough.viewer.drawing.places import JointPlace
from gough.viewer.drawing.solids import cylinder, lathe, rod, sphere

BEHIND = 4.6
"""Rods' radii from a planar robot to the base behind it."""


@dataclass
class Drawn:
    """Pieces and spans of joints. anchors: by link, points (3,) in its axes where its body begins; shown: links that need no
    more body to be seen."""

    pieces: list[Piece] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    anchors: dict[int, list[np.ndarray]] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)

    def anchor(self, link: int, point: np.ndarray) -> None:
        """A point where the body of a link begins."""
        self.anchors.setdefault(link, []).append(np.asarray(point, dtype=float))


class Joiner:
    """Draws the joints of one layout."""

    def __init__(self, layout: Layout, home: np.ndarray) -> None:
        self.layout, self.home, self.r = layout, home, layout.radius
        self.drawn = Drawn()

    def draw(self, joint: JointPlace) -> None:
        """One joint, by its type."""
        from gough.viewer.drawing.slides import draw_slide

        if joint.type in ("prismatic", "cylindrical"):
            draw_slide(self, joint)
        else:
            _KINDS[joint.type](self, joint)

    def into(self, joint: JointPlace, k: int) -> np.ndarray:
        """Unit direction from the joint into the body on side k, in that side's link axes."""
        return self.layout.direction_in(joint.sides[k].link, self.layout.away(joint, k))

    def put(self, joint: JointPlace, link: int, mesh: Mesh, role: str, group: str = "joints") -> None:
        """A piece of a joint."""
        self.drawn.pieces.append(Piece(link, mesh, role, group, joint.leg))

    def role(self, link: int) -> str:
        """How a body is coloured."""
        return body_role(self.layout, self.layout.body(link))


def body_role(layout: Layout, body: int) -> str:
    """base, platform or link."""
    if body < 0:
        return "base"
    return "platform" if body in layout_platform(layout) else "link"


def layout_platform(layout: Layout) -> tuple[int, ...]:
    """The link that is the platform: by itself, or the one that carries its frame."""
    mechanism = layout.mechanism
    if not mechanism.has_platform:
        return ()
    name = mechanism.platform.name
    carried = [i for i, link in enumerate(mechanism.links) if link.name == name and link.motion != "platform"]
    return tuple(carried) if carried else (0,)


def _nothing(draw: Joiner, joint: JointPlace) -> None:
    for side in joint.sides:
        draw.drawn.anchor(side.link, side.point)


def _unseen(draw: Joiner, joint: JointPlace) -> None:
    """A free body hangs on nothing."""


def _revolute(draw: Joiner, joint: JointPlace) -> None:
    r, (first, second) = draw.r, joint.sides
    for side in joint.sides:
        behind = draw.layout.normal
        if side.link == WORLD and behind is not None:  # the base of a planar robot stands behind it
            foot = side.point + BEHIND * r * behind
            draw.put(joint, WORLD, rod(side.point, foot, 1.1 * r), "base", "bodies")
            draw.drawn.anchor(WORLD, foot)
        else:
            draw.drawn.anchor(side.link, side.point)
    turn = frame_along(side_axis(second))
    if joint.driven:
        motor = lathe(r * np.array([[0, -2.6], [2.1, -2.6], [2.3, -2.4], [2.3, 1.6], [2.1, 1.8], [0, 1.8]]))
        draw.put(joint, first.link, motor.moved(first.point, frame_along(side_axis(first))), "drive")
        hub = merged([cylinder(1.35 * r, 1.5 * r).moved([0, 0, 2.6 * r]), cylinder(0.7 * r, 6.4 * r)])
        draw.put(joint, second.link, hub.moved(second.point, turn), "joint")
        return
    draw.put(joint, second.link, cylinder(1.55 * r, 2.6 * r).moved(second.point, turn), "joint")
    cheek = merged(cylinder(1.3 * r, 0.7 * r).moved([0, 0, z * r]) for z in (-1.7, 1.7))
    draw.put(joint, first.link, cheek.moved(first.point, frame_along(side_axis(first))), draw.role(first.link))


def _universal(draw: Joiner, joint: JointPlace) -> None:
    r, reach, depth = draw.r, 2.5 * draw.r, 3.0 * draw.r
    for k, side in enumerate(joint.sides):
        axis = side_axis(side, k)
        b = across(draw.into(joint, k), axis)
        draw.put(joint, side.link, _fork(r, reach, depth, axis, b).moved(side.point), draw.role(side.link))
        draw.drawn.anchor(side.link, side.point + depth * b)
    middle = joint.middle[0] if joint.middle else None
    if middle is None:  # a cut: each side keeps its own bar of the cross
        for k, side in enumerate(joint.sides):
            a = reach * side_axis(side, k)
            draw.put(
                joint, side.link, merged([rod(-a, a, 0.75 * r, 10), sphere(1.15 * r, 10)]).moved(side.point), "joint"
            )
        return
    turn = draw.layout.mechanism.links[middle].to_user
    axes = [turn @ _motion_axis(draw.layout, link) for link in (middle, joint.sides[1].link)]
    bars = [rod(-reach * a, reach * a, 0.75 * r, 10) for a in axes]
    draw.put(joint, middle, merged([*bars, sphere(1.15 * r, 10)]), "drive" if joint.driven else "joint")


def _motion_axis(layout: Layout, link: int) -> np.ndarray:
    """Internal axis of a link's motion; halves of one joint share their internal axes."""
    own = layout.mechanism.links[link]
    return own.sign * np.eye(3)[own.axis]


def _fork(r: float, reach: float, depth: float, axis: np.ndarray, b: np.ndarray) -> Mesh:
    """A yoke that holds the ends of a bar of half length `reach` along `axis` and closes at `depth` along b."""
    parts = []
    for s in (-1.0, 1.0):
        end = s * reach * axis
        parts.append(cylinder(1.15 * r, 0.8 * r, 12).moved(end, frame_along(axis)))
        parts.append(rod(end, end + depth * b, 0.55 * r, 8))
        parts.append(sphere(0.55 * r, 8).moved(end + depth * b))
    parts.append(rod(depth * b - reach * axis, depth * b + reach * axis, 0.55 * r, 8))
    return merged(parts)


def _cup(r: float, ball: float) -> Mesh:
    """A socket about the origin that opens along -z."""
    outer, lip = 1.35 * ball, 0.25 * ball
    angles = np.linspace(-np.arcsin(lip / outer), np.pi / 2, 7)
    outside = outer * np.column_stack([np.cos(angles), np.sin(angles)])
    inside = [[1.03 * ball, -lip]]
    return lathe(np.array([*inside, *outside.tolist()]), 16)


def _spherical(draw: Joiner, joint: JointPlace) -> None:
    r, ball, (first, second) = draw.r, 1.75 * draw.r, joint.sides
    into = draw.into(joint, 1)
    into = into if into.any() else np.array([0.0, 0.0, 1.0])
    draw.put(joint, first.link, sphere(ball).moved(first.point), "drive" if joint.driven else "joint")
    draw.put(joint, second.link, _cup(r, ball).moved(second.point, frame_along(into)), draw.role(second.link))
    draw.drawn.anchor(first.link, first.point)
    draw.drawn.anchor(second.link, second.point + 1.2 * ball * into)


def _planar(draw: Joiner, joint: JointPlace) -> None:
    r, (first, second) = draw.r, joint.sides
    n = side_axis(first, 2)  # of a tree's joint the turning comes last
    pad = cylinder(6.0 * r, 0.8 * r, 32).moved(first.point - 0.8 * r * n, frame_along(n))
    draw.put(joint, first.link, pad, draw.role(first.link))
    m = side_axis(second, 2)
    puck = cylinder(2.6 * r, 1.2 * r).moved(second.point + 0.2 * r * m, frame_along(m))
    draw.put(joint, second.link, puck, "drive" if joint.driven else "joint")
    draw.drawn.anchor(first.link, first.point - 0.8 * r * n)
    draw.drawn.anchor(second.link, second.point + 0.6 * r * m)


def _constant_length(draw: Joiner, joint: JointPlace) -> None:
    r, (first, second) = draw.r, joint.sides
    for side in joint.sides:
        draw.put(joint, side.link, sphere(1.5 * r).moved(side.point), "joint")
        draw.drawn.anchor(side.link, side.point)
    mesh = cylinder(1.0, 1.0).moved([0, 0, 0.5]).scaled(np.array([0.7 * r, 0.7 * r, 1.0]))
    points = np.array([first.point, second.point])
    draw.drawn.spans.append(Span((first.link, second.link), points, mesh, "link", "bodies", joint.leg))


_KINDS: dict[str, Callable[[Joiner, JointPlace], None]] = {
    "fixed": _nothing,
    "free": _unseen,
    "revolute": _revolute,
    "universal": _universal,
    "spherical": _spherical,
    "planar": _planar,
    "constant_length": _constant_length,
}
