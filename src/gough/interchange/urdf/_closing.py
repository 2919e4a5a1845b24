"""What ties links beyond the tree: <loop> and <coupling> of URDF+, and joints that <gazebo> adds to the model.

URDF+ [Chignoli et al., the URDF+ format]: a <loop> is a joint of a type between two links, with its frame on both
(<predecessor>, <successor>) and its axis in that frame. A <coupling> relates the joints on the ways from the nearest common
ancestor of two links to them: ratio · (sum on the way to the predecessor) = sum on the way to the successor.

A joint under <gazebo> is one of SDF: its frame stands in the child, and on the parent where it is when all joints are at 0.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gough.interchange.foreign import WORLD, ForeignCoupling, ForeignJoint, Placement
from gough.interchange.urdf._joints import find_end
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element, number_in
from gough.joints import ALL
from gough.robot.item import nearest
from gough.spatial import rpy_zyx

LOOPS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "planar": "planar",
    "spherical": "spherical",
    "ball": "spherical",
}
"""Of URDF+ and of SDF."""
IN_SDF = ("parent", "child", "pose", "axis", "physics", "sensor")


class CarriedLinks:
    """Which joint carries a body, and where bodies are when all joints are at 0."""

    def __init__(self, joints: Sequence[ForeignJoint]) -> None:
        self.carrier: dict[str, ForeignJoint] = {}
        for joint in joints:
            self.carrier.setdefault(joint.child, joint)

    def way(self, body: str) -> list[ForeignJoint]:
        """Joints from a body back to the root."""
        found, seen = [], set()
        while body in self.carrier and body not in seen:
            seen.add(body)
            found.append(self.carrier[body])
            body = self.carrier[body].parent
        return found

    def place(self, body: str) -> Placement:
        """A body in its root."""
        at = Placement()
        for joint in self.way(body):
            at = at.after(joint.on_parent)
        return at


def read_loops(
    sheet: Sheet, root: Element, links: Mapping[str, str], joints: Sequence[ForeignJoint]
) -> tuple[list[ForeignJoint], list[ForeignCoupling]]:
    """(joints that close loops, relations)."""
    tree = CarriedLinks(joints)
    taken = {joint.name for joint in joints}
    loops = [*_plus_loops(sheet, root, links), *_gazebo_joints(sheet, root, links, tree)]
    for loop in loops:
        if loop.name in taken:
            sheet.findings.refuse(loop.at, f"the name {loop.name!r} a second time", "another name")
        taken.add(loop.name)
    return loops, list(_plus_couplings(sheet, root, links, tree))


def _plus_loops(sheet: Sheet, root: Element, links: Mapping[str, str]) -> Iterator[ForeignJoint]:
    for element in root.all("loop"):
        name, kind = sheet.name(element), element.get("type")
        sheet.check_keys(element, ("name", "type"))
        sheet.check_children(element, ("predecessor", "successor", "axis"))
        ends = [find_end(sheet, element, tag, links) for tag in ("predecessor", "successor")]
        places = [sheet.origin(element.child(tag), element) for tag in ("predecessor", "successor")]
        if kind not in LOOPS:
            sheet.refuse(element, f"a loop of type {kind!r}", f"one of {', '.join(LOOPS)}")
        axis = sheet.axis(element)
        if name is None or kind not in LOOPS or ends[0] is None or ends[1] is None:
            continue
        if ends[0] == ends[1]:
            sheet.refuse(element, "a loop from a link to itself", "two links")
            continue
        at = sheet.at(element)
        yield ForeignJoint(name, LOOPS[kind], ends[0], ends[1], at, *places, axis=axis, closes=True)


def _plus_couplings(
    sheet: Sheet, root: Element, links: Mapping[str, str], tree: CarriedLinks
) -> Iterator[ForeignCoupling]:
    for element in root.all("coupling"):
        name = sheet.name(element)
        sheet.check_keys(element, ("name", "type"))
        sheet.check_children(element, ("predecessor", "successor", "ratio"))
        if element.get("type") not in (None, "rolling"):
            sheet.refuse(element, f"a coupling of type {element.get('type')!r}", "rolling")
        ends = [find_end(sheet, element, tag, links) for tag in ("predecessor", "successor")]
        ratio = sheet.only(element, "ratio")
        value = 1.0 if ratio is None else sheet.number(ratio, "value", owner=element)
        if value == 0.0:
            sheet.refuse(element, "a ratio of 0", "a number that is not 0")
        if name is None or ends[0] is None or ends[1] is None or value == 0.0:
            continue
        ways = [tree.way(end) for end in ends if end is not None]
        common = {joint.name for joint in ways[0]} & {joint.name for joint in ways[1]}
        coefficients: dict[str, float] = {}
        for way, factor in zip(ways, (value, -1.0), strict=True):
            for joint in way:
                if joint.name not in common and joint.type != "fixed":
                    coefficients[joint.name] = factor
                    if not ALL[joint.type].is_scalar:
                        sheet.refuse(element, f"it couples {joint.name!r}, which has several coordinates", "one each")
        if len(coefficients) < 2:
            sheet.refuse(element, "it couples fewer than two joints that move", "two links that move apart")
            continue
        yield ForeignCoupling(name, sheet.at(element), coefficients)


def _gazebo_joints(sheet: Sheet, root: Element, links: Mapping[str, str], tree: CarriedLinks) -> Iterator[ForeignJoint]:
    for element in (joint for gazebo in root.all("gazebo") for joint in gazebo.all("joint")):
        name, kind = sheet.name(element), element.get("type")
        sheet.check_children(element, IN_SDF)
        ends = [_named_link(sheet, element, tag, links) for tag in ("parent", "child")]
        if kind not in LOOPS or kind == "planar":
            known = ", ".join(k for k in LOOPS if k != "planar")
            sheet.refuse(element, f"a joint of type {kind!r} under <gazebo>", f"one of {known}, or loops in a file")
            continue
        at = _pose(sheet, element)
        axis = _sdf_axis(sheet, element) if kind in ("revolute", "continuous", "prismatic") else (0.0, 0.0, 1.0)
        if name is None or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
            continue
        first, second = (Placement() if end == WORLD else tree.place(end) for end in ends if end is not None)
        on_parent = at.after(second).after(first.inverse())
        yield ForeignJoint(
            name, LOOPS[kind], ends[0], ends[1], sheet.at(element), on_parent, at, axis=axis, closes=True
        )


def _named_link(sheet: Sheet, element: Element, tag: str, links: Mapping[str, str]) -> str | None:
    found = sheet.only(element, tag)
    name = "" if found is None else (found.get("link") or found.text.strip())
    if name == WORLD and name not in links:
        return WORLD
    if name not in links:
        sheet.refuse(found or element, f"no link {name!r}", nearest(name, list(links)), owner=element)
    return links.get(name)


def _pose(sheet: Sheet, element: Element) -> Placement:
    found = sheet.only(element, "pose")
    if found is None:
        return Placement()
    numbers = [number_in(word) for word in found.text.split()]
    if len(numbers) != 6 or None in numbers or found.get("relative_to") or found.get("frame"):
        sheet.refuse(found, "not a pose in the child link", "six numbers: x y z roll pitch yaw", owner=element)
        return Placement()
    x, y, z, roll, pitch, yaw = (float(n or 0.0) for n in numbers)
    rotation = np.asarray(rpy_zyx((yaw, pitch, roll)), dtype=float)
    return Placement((x, y, z), rotation, {"rpy_zyx": [yaw, pitch, roll]} if roll or pitch or yaw else None)


def _sdf_axis(sheet: Sheet, element: Element) -> tuple[float, float, float]:
    axis = sheet.only(element, "axis")
    xyz = None if axis is None else axis.child("xyz")
    told = "use_parent_model_frame"
    if axis is not None and (xyz is None or xyz.get("expressed_in") or (axis.child(told) is not None)):
        sheet.refuse(axis, "an axis without <xyz>, or in other axes than the joint's", "<xyz> alone", owner=element)
    numbers = [number_in(word) for word in ("0 0 1" if xyz is None else xyz.text).split()]
    values = [n for n in numbers if n is not None]
    size = float(np.linalg.norm(values)) if len(values) == len(numbers) == 3 else 0.0
    if not size > 1e-9:
        sheet.refuse(element, "an axis that is no direction", "three numbers")
        return (0.0, 0.0, 1.0)
    return tuple(n / size if abs(size - 1.0) > 1e-15 else n for n in values)  # type: ignore[return-value]
