"""Sliding joints: a rod in a tube where the bodies lie one after the other, a carriage on a rail otherwise."""

from typing import TYPE_CHECKING

import numpy as np

from gough.structure import WORLD
from gough.viewer.drawing.layout import across, side_axis
from gough.viewer.drawing.mesh import frame_along, merged
from gough.viewer.drawing.piece import Span
from gough.viewer.drawing.places import JointPlace
from gough.viewer.drawing.solids import box, cylinder, lathe

if TYPE_CHECKING:
    from gough.viewer.drawing.joints import Joiner

TUBE = 0.56
"""Length of a tube beside the distance it helps to bridge, at home."""
INSIDE = 0.15
"""Where in it the rod ends, which nobody sees."""
TRAVEL = 0.25
"""Half length of a rail beside the robot's size, where no limits are stated."""


def draw_slide(draw: "Joiner", joint: JointPlace) -> None:
    """A prismatic or cylindrical joint; one of a mere guide, slides of massless bodies one on the other, is not drawn."""
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
    draw.put(joint, first.link, body.moved((here + there) / 2, turn), role, "bodies")
    if joint.type == "cylindrical":
        collar = cylinder(2.5 * r, 0.8 * r).moved(there - 3.2 * r * sign * line, turn)
        draw.put(joint, first.link, collar, "joint")
    tip = layout.direction_in(second.link, origin + near * axis - layout.to_world(second.link, np.zeros(3)))
    inner = first.point + (start + INSIDE * gap) * line
    rod = cylinder(1.0, 1.0).moved([0, 0, 0.5]).scaled(np.array([1.15 * r, 1.15 * r, 1.0]))
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
    return len(own) > 1 and all(joint.type == "prismatic" and not joint.driven for joint in own)


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
        if other is not joint and other.type != "free"
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
    q = float(draw.home[joint.q + (1 if joint.type == "cylindrical" else 0)]) if joint.q >= 0 else 0.0
    low, high = _stroke(joint, q, TRAVEL * layout.size)
    low, high = low - 3.2 * r, high + 3.2 * r
    middle, length = first.point + (low + high) / 2 * axis, high - low
    turn = np.column_stack([axis, np.cross(under, axis), under])
    if joint.type == "cylindrical":
        guide = cylinder(1.1 * r, length).moved(middle, frame_along(axis))
        slider = lathe(r * np.array([[1.1, -3], [2.1, -3], [2.1, 3], [1.1, 3]])).moved(
            second.point, frame_along(carried)
        )
    else:
        guide = merged(
            [
                box(np.array([length, 2.6 * r, 1.0 * r])).moved([0, 0, -1.8 * r]),
                box(np.array([length, 1.3 * r, 1.2 * r])).moved([0, 0, -1.0 * r]),
                *(box(np.array([1.0 * r, 3.6 * r, 2.6 * r])).moved([s * length / 2, 0, -1.2 * r]) for s in (-1, 1)),
            ]
        ).moved(middle, turn)
        own = np.column_stack([carried, np.cross(up, carried), up])
        slider = box(np.array([5.6 * r, 4.2 * r, 1.9 * r])).moved(second.point, own)
    draw.put(joint, first.link, guide, draw.role(first.link), "bodies")
    draw.put(joint, second.link, slider, "drive" if joint.driven else "joint", "bodies")
    draw.drawn.anchor(second.link, second.point + 0.5 * r * up)
    if layout.body(first.link) != WORLD:
        draw.drawn.anchor(first.link, middle - 1.8 * r * under)
    draw.drawn.shown |= {layout.body(first.link), layout.body(second.link)}


def _to_world(draw: "Joiner", link: int, direction: np.ndarray) -> np.ndarray:
    return direction if link == WORLD else draw.layout.rotation[link] @ direction


def _stroke(joint: JointPlace, q: float, travel: float) -> tuple[float, float]:
    low, high = joint.bounds
    low = min(q - travel if low is None else low, q)
    high = max(q + travel if high is None else high, q)
    return low, high
