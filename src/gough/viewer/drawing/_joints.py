"""Joints drawn as what they are. Each gives its pieces and where the bodies on its two sides begin (their anchors)."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gough.structure import WORLD
from gough.viewer.drawing._layout import HomeLayout, JointPlace, across, side_axis
from gough.viewer.drawing._solids import box, cylinder, lathe, rod, sphere
from gough.viewer.drawing.mesh import LinkMesh, Mesh, Span, frame_along, merge_meshes

BEHIND = 4.6
"""Rods' radii from a planar robot to the base behind it."""


@dataclass
class Drawn:
    """Pieces and spans of joints. anchors: by link, points (3,) in its axes where its body begins; shown: links that need no
    more body to be seen."""

    pieces: list[LinkMesh] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    anchors: dict[int, list[np.ndarray]] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)

    def anchor(self, link: int, point: np.ndarray) -> None:
        """A point where the body of a link begins."""
        self.anchors.setdefault(link, []).append(np.asarray(point, dtype=float))


class Joiner:
    """Draws the joints of one layout."""

    def __init__(self, layout: HomeLayout, home: np.ndarray) -> None:
        self.layout, self.home, self.r = layout, home, layout.radius
        self.drawn = Drawn()

    def draw(self, joint: JointPlace) -> None:
        """One joint, by its type."""
        SHAPES[joint.drawing](self, joint)

    def into(self, joint: JointPlace, k: int) -> np.ndarray:
        """Unit direction from the joint into the body on side k, in that side's link axes."""
        return self.layout.direction_in(joint.sides[k].link, self.layout.away(joint, k))

    def put(self, joint: JointPlace, link: int, mesh: Mesh, role: str, group: str = "joints") -> None:
        """A piece of a joint."""
        self.drawn.pieces.append(LinkMesh(link, mesh, role, group, joint.leg))

    def role(self, link: int) -> str:
        """How a body is coloured."""
        return body_role(self.layout, self.layout.body(link))


def body_role(layout: HomeLayout, body: int) -> str:
    """base, platform or link."""
    if body < 0:
        return "base"
    return "platform" if body in layout_platform(layout) else "link"


def layout_platform(layout: HomeLayout) -> tuple[int, ...]:
    """The link that is the platform: by itself, or the one that carries its frame."""
    mechanism = layout.mechanism
    if not mechanism.has_platform:
        return ()
    name = mechanism.platform.name
    carried = [i for i, link in enumerate(mechanism.links) if link.name == name and not link.is_platform]
    return tuple(carried) if carried else (0,)


def _nothing(draw: Joiner, joint: JointPlace) -> None:
    for side in joint.sides:
        draw.drawn.anchor(side.link, side.point)


def _unseen(draw: Joiner, joint: JointPlace) -> None:
    """A free body hangs on nothing."""


def _hinge(draw: Joiner, joint: JointPlace) -> None:
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
        draw.put(joint, first.link, motor.moved_mesh(first.point, frame_along(side_axis(first))), "drive")
        hub = merge_meshes([cylinder(1.35 * r, 1.5 * r).moved_mesh([0, 0, 2.6 * r]), cylinder(0.7 * r, 6.4 * r)])
        draw.put(joint, second.link, hub.moved_mesh(second.point, turn), "joint")
        return
    draw.put(joint, second.link, cylinder(1.55 * r, 2.6 * r).moved_mesh(second.point, turn), "joint")
    cheek = merge_meshes(cylinder(1.3 * r, 0.7 * r).moved_mesh([0, 0, z * r]) for z in (-1.7, 1.7))
    draw.put(joint, first.link, cheek.moved_mesh(first.point, frame_along(side_axis(first))), draw.role(first.link))


def _cross(draw: Joiner, joint: JointPlace) -> None:
    r, reach, depth = draw.r, 2.5 * draw.r, 3.0 * draw.r
    for k, side in enumerate(joint.sides):
        axis = side_axis(side, k)
        b = across(draw.into(joint, k), axis)
        draw.put(joint, side.link, _fork(r, reach, depth, axis, b).moved_mesh(side.point), draw.role(side.link))
        draw.drawn.anchor(side.link, side.point + depth * b)
    middle = joint.middle[0] if joint.middle else None
    if middle is None:  # a cut: each side keeps its own bar of the cross
        for k, side in enumerate(joint.sides):
            a = reach * side_axis(side, k)
            draw.put(
                joint,
                side.link,
                merge_meshes([rod(-a, a, 0.75 * r, 10), sphere(1.15 * r, 10)]).moved_mesh(side.point),
                "joint",
            )
        return
    turn = draw.layout.mechanism.links[middle].to_user
    axes = [turn @ _motion_axis(draw.layout, link) for link in (middle, joint.sides[1].link)]
    bars = [rod(-reach * a, reach * a, 0.75 * r, 10) for a in axes]
    draw.put(joint, middle, merge_meshes([*bars, sphere(1.15 * r, 10)]), "drive" if joint.driven else "joint")


def _motion_axis(layout: HomeLayout, link: int) -> np.ndarray:
    """Internal axis of a link's motion; halves of one joint share their internal axes."""
    own = layout.mechanism.links[link]
    return own.sign * np.eye(3)[own.axis]


def _fork(r: float, reach: float, depth: float, axis: np.ndarray, b: np.ndarray) -> Mesh:
    """A yoke that holds the ends of a bar of half length `reach` along `axis` and closes at `depth` along b."""
    parts = []
    for s in (-1.0, 1.0):
        end = s * reach * axis
        parts.append(cylinder(1.15 * r, 0.8 * r, 12).moved_mesh(end, frame_along(axis)))
        parts.append(rod(end, end + depth * b, 0.55 * r, 8))
        parts.append(sphere(0.55 * r, 8).moved_mesh(end + depth * b))
    parts.append(rod(depth * b - reach * axis, depth * b + reach * axis, 0.55 * r, 8))
    return merge_meshes(parts)


def _cup(r: float, ball: float) -> Mesh:
    """A socket about the origin that opens along -z."""
    outer, lip = 1.35 * ball, 0.25 * ball
    angles = np.linspace(-np.arcsin(lip / outer), np.pi / 2, 7)
    outside = outer * np.column_stack([np.cos(angles), np.sin(angles)])
    inside = [[1.03 * ball, -lip]]
    return lathe(np.array([*inside, *outside.tolist()]), 16)


def _ball(draw: Joiner, joint: JointPlace) -> None:
    r, ball, (first, second) = draw.r, 1.75 * draw.r, joint.sides
    into = draw.into(joint, 1)
    into = into if into.any() else np.array([0.0, 0.0, 1.0])
    draw.put(joint, first.link, sphere(ball).moved_mesh(first.point), "drive" if joint.driven else "joint")
    draw.put(joint, second.link, _cup(r, ball).moved_mesh(second.point, frame_along(into)), draw.role(second.link))
    draw.drawn.anchor(first.link, first.point)
    draw.drawn.anchor(second.link, second.point + 1.2 * ball * into)


def _puck(draw: Joiner, joint: JointPlace) -> None:
    r, (first, second) = draw.r, joint.sides
    n = side_axis(first, 2)  # of a tree's joint the turning comes last
    pad = cylinder(6.0 * r, 0.8 * r, 32).moved_mesh(first.point - 0.8 * r * n, frame_along(n))
    draw.put(joint, first.link, pad, draw.role(first.link))
    m = side_axis(second, 2)
    puck = cylinder(2.6 * r, 1.2 * r).moved_mesh(second.point + 0.2 * r * m, frame_along(m))
    draw.put(joint, second.link, puck, "drive" if joint.driven else "joint")
    draw.drawn.anchor(first.link, first.point - 0.8 * r * n)
    draw.drawn.anchor(second.link, second.point + 0.6 * r * m)


def _strut(draw: Joiner, joint: JointPlace) -> None:
    r, (first, second) = draw.r, joint.sides
    for side in joint.sides:
        draw.put(joint, side.link, sphere(1.5 * r).moved_mesh(side.point), "joint")
        draw.drawn.anchor(side.link, side.point)
    mesh = cylinder(1.0, 1.0).moved_mesh([0, 0, 0.5]).scaled_mesh(np.array([0.7 * r, 0.7 * r, 1.0]))
    points = np.array([first.point, second.point])
    draw.drawn.spans.append(Span((first.link, second.link), points, mesh, "link", "bodies", joint.leg))


# Sliding joints: a rod in a tube where the bodies lie one after the other, a carriage on a rail otherwise.

TUBE = 0.56
"""Length of a tube beside the distance it helps to bridge, at home."""
INSIDE = 0.15
"""Where in it the rod ends, which nobody sees."""
TRAVEL = 0.25
"""Half length of a rail beside the robot's size, where no limits are stated."""


def draw_slide(draw: "Joiner", joint: JointPlace) -> None:
    """A joint that slides; one of a mere guide, slides of massless bodies one on the other, is not drawn."""
    if any(_mere_slide(draw, draw.layout.body(side.link)) for side in joint.sides):
        return
    if not _telescope(draw, joint):
        _rail(draw, joint)


def _telescope(draw: "Joiner", joint: JointPlace) -> bool:
    """A tube on the first body, a rod from the second; False where the bodies do not lie one after the other."""
    layout, r, (first, second) = draw.layout, draw.r, joint.sides
    if layout.body(first.link) == WORLD:
        return False
    origin, axis = layout.to_world(first.link, first.point), _world_axis(draw, joint)
    behind = _others(draw, joint, 0)
    ahead = _others(draw, joint, 1)
    if not len(behind) or not len(ahead):
        return False
    start = float(np.mean((behind - origin) @ axis))
    along = (ahead - origin) @ axis
    far = float(along[np.argmax(np.abs(along - start))])
    gap = far - start
    if abs(gap) < 8 * r or np.linalg.norm((ahead - origin) - np.outer(along, axis), axis=1).min() > 0.5 * abs(gap):
        return False
    sign = np.sign(gap)
    usable = along[sign * (along - start) > 1.3 * INSIDE * abs(gap)]
    near = float(usable[np.argmin(sign * usable)])
    mouth = start + TUBE * gap
    begin = start + (3.2 * r if abs(gap) > 20 * r else 0.0) * sign
    line = layout.direction_in(first.link, axis)
    here, there = first.point + begin * line, first.point + mouth * line
    length = abs(mouth - begin)
    body = lathe(
        np.array(
            [
                [0, -length / 2],
                [1.7 * r, -length / 2],
                [1.9 * r, -length / 2 + 0.3 * r],
                [1.9 * r, length / 2 - 1.6 * r],
                [2.25 * r, length / 2 - 1.6 * r],
                [2.25 * r, length / 2],
                [0, length / 2],
            ]
        )
    )
    turn = frame_along(sign * line)
    role = "drive" if joint.driven else "link"
    draw.put(joint, first.link, body.moved_mesh((here + there) / 2, turn), role, "bodies")
    for k in range({"sleeve": 1, "screw": 3}.get(joint.drawing, 0)):  # a screw has three collars
        collar = cylinder(2.5 * r, 0.8 * r).moved_mesh(there - (3.2 + 1.6 * k) * r * sign * line, turn)
        draw.put(joint, first.link, collar, "joint")
    tip = layout.direction_in(second.link, origin + near * axis - layout.to_world(second.link, np.zeros(3)))
    inner = first.point + (start + INSIDE * gap) * line
    rod = cylinder(1.0, 1.0).moved_mesh([0, 0, 0.5]).scaled_mesh(np.array([1.15 * r, 1.15 * r, 1.0]))
    draw.drawn.spans.append(Span((first.link, second.link), np.array([inner, tip]), rod, "rod", "bodies", joint.leg))
    draw.drawn.anchor(first.link, here)
    draw.drawn.anchor(second.link, tip)
    draw.drawn.shown |= {layout.body(first.link), layout.body(second.link)}
    return True


def _mere_slide(draw: "Joiner", body: int) -> bool:
    """Whether a body has no mass and no joints but slides without drives: it only takes freedoms from another one."""
    layout = draw.layout
    if body == WORLD or layout.mechanism.links[body].ten is not None:
        return False
    own = [joint for joint in layout.joints if any(layout.body(side.link) == body for side in joint.sides)]
    return len(own) > 1 and all(joint.drawing == "slide" and not joint.driven for joint in own)


def _world_axis(draw: "Joiner", joint: JointPlace) -> np.ndarray:
    first = joint.sides[0]
    axis = side_axis(first)
    return axis if first.link == WORLD else draw.layout.rotation[first.link] @ axis


def _others(draw: "Joiner", joint: JointPlace, k: int) -> np.ndarray:
    """World points (n, 3) of the other joints of the body on side k; the body's own origin where it has none."""
    layout = draw.layout
    body = layout.body(joint.sides[k].link)
    points = [
        layout.to_world(side.link, side.point)
        for other in layout.joints
        if other is not joint and other.drawing != "unseen"
        for side in other.sides
        if layout.body(side.link) == body
    ]
    if k == 1 and (not points or layout.mechanism.links[body].elastic is not None):
        points.append(layout.to_world(body, np.zeros(3)))
    return np.array(points).reshape(-1, 3)


def _rail(draw: "Joiner", joint: JointPlace) -> None:
    """A rail on the first body as long as the stroke, a carriage on the second."""
    layout, r, (first, second) = draw.layout, draw.r, joint.sides
    axis, carried = side_axis(first), side_axis(second)
    up = across(draw.into(joint, 1), carried)
    under = across(layout.direction_in(first.link, _to_world(draw, second.link, up)), axis)
    q = float(draw.home[joint.slide]) if joint.slide >= 0 else 0.0
    low, high = _stroke(joint, q, TRAVEL * layout.size)
    low, high = low - 3.2 * r, high + 3.2 * r
    middle, length = first.point + (low + high) / 2 * axis, high - low
    turn = np.column_stack([axis, np.cross(under, axis), under])
    if joint.drawing in ("sleeve", "screw"):
        bar = cylinder(1.1 * r, length) if joint.drawing == "sleeve" else _thread(r, length)
        guide = bar.moved_mesh(middle, frame_along(axis))
        slider = lathe(r * np.array([[1.1, -3], [2.1, -3], [2.1, 3], [1.1, 3]])).moved_mesh(
            second.point, frame_along(carried)
        )
    else:
        guide = merge_meshes(
            [
                box(np.array([length, 2.6 * r, 1.0 * r])).moved_mesh([0, 0, -1.8 * r]),
                box(np.array([length, 1.3 * r, 1.2 * r])).moved_mesh([0, 0, -1.0 * r]),
                *(
                    box(np.array([1.0 * r, 3.6 * r, 2.6 * r])).moved_mesh([s * length / 2, 0, -1.2 * r])
                    for s in (-1, 1)
                ),
            ]
        ).moved_mesh(middle, turn)
        own = np.column_stack([carried, np.cross(up, carried), up])
        slider = box(np.array([5.6 * r, 4.2 * r, 1.9 * r])).moved_mesh(second.point, own)
    draw.put(joint, first.link, guide, draw.role(first.link), "bodies")
    draw.put(joint, second.link, slider, "drive" if joint.driven else "joint", "bodies")
    draw.drawn.anchor(second.link, second.point + 0.5 * r * up)
    if layout.body(first.link) != WORLD:
        draw.drawn.anchor(first.link, middle - 1.8 * r * under)
    draw.drawn.shown |= {layout.body(first.link), layout.body(second.link)}


def _thread(r: float, length: float) -> Mesh:
    """A bar with rings as a thread has them, about z."""
    heights = np.linspace(-length / 2, length / 2, 2 * max(round(length / (1.6 * r)), 1) + 1)
    radii = np.where(np.arange(len(heights)) % 2, 1.5 * r, 0.9 * r)
    return lathe(np.array([[0, heights[0]], *zip(radii, heights, strict=True), [0, heights[-1]]]))


def _to_world(draw: "Joiner", link: int, direction: np.ndarray) -> np.ndarray:
    return direction if link == WORLD else draw.layout.rotation[link] @ direction


def _stroke(joint: JointPlace, q: float, travel: float) -> tuple[float, float]:
    low, high = joint.bounds
    low = min(q - travel if low is None else low, q)
    high = max(q + travel if high is None else high, q)
    return low, high


SHAPES: dict[str, Callable[[Joiner, JointPlace], None]] = {
    "nothing": _nothing,
    "unseen": _unseen,
    "hinge": _hinge,
    "cross": _cross,
    "ball": _ball,
    "puck": _puck,
    "strut": _strut,
    "slide": draw_slide,
    "sleeve": draw_slide,
    "screw": draw_slide,
}
"""How joints are drawn, by the name that their types give (`JointType.drawing`)."""
