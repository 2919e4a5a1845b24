"""Elements that Drake adds to URDF: balls that close loops and springs between points are read, other mechanics is refused.

Drake [drake, multibody/parsing/parsing_doxygen.h]: a <drake:ball_constraint> holds the point P of body A on the point Q of body
B; a <drake:linear_spring_damper> pulls the two points together with stiffness · (length - free_length) + damping · its rate.
"""

from collections.abc import Collection, Mapping

from gough.interchange.foreign import ForeignJoint, ForeignSpring, Placement
from gough.interchange.naming import FreeNames
from gough.interchange.urdf._joints import TYPES
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element
from gough.robot.item import nearest

BALL, SPRING, JOINT = "drake:ball_constraint", "drake:linear_spring_damper", "drake:joint"
IN_LOOPS = "loops or couplings in a file of loops (loops=, --loops), or the file without it"
REFUSED = {
    JOINT: f"<joint> of one of {', '.join(TYPES)}; a universal joint as two that turn",
    "drake:linear_bushing_rpy": "springs in joints, or the file without it",
    "drake:tendon_constraint": IN_LOOPS,
    "loop_joint": IN_LOOPS,
    "force_element": "springs in joints, or the file without it",
}
"""{element that changes the dynamics and has no counterpart: what may stand in its place}; the last two are of older files."""
READ = (BALL, SPRING, *REFUSED)
Point = tuple[float, float, float]


def read_drake(
    sheet: Sheet, root: Element, links: Mapping[str, str], taken: Collection[str]
) -> tuple[list[ForeignJoint], list[ForeignSpring]]:
    """(balls that close loops, springs); taken: names of joints."""
    names = FreeNames(taken)
    for tag, remedy in REFUSED.items():
        for element in root.all(tag):
            kind = f" of type {element.get('type')!r}" if tag == JOINT else ""
            sheet.refuse(element, f"<{tag}>{kind} changes the dynamics and has no counterpart here", remedy)
    loops, springs = [], []
    for element in root.all(BALL):
        ends = _ends(sheet, element, links)
        if ends is not None:
            (first, p), (second, q) = ends
            name, at = names.take("ball_constraint"), sheet.at(element)
            places = Placement(p), Placement(q)
            loops.append(ForeignJoint(name, "spherical", first, second, at, *places, closes=True))
    for k, element in enumerate(root.all(SPRING)):
        ends, numbers = _ends(sheet, element, links), {}
        for word in ("free_length", "stiffness", "damping"):
            numbers[word] = _number(sheet, element, word)
        if ends is not None:
            length, stiffness, damping = numbers.values()
            springs.append(ForeignSpring(f"spring_{k}", sheet.at(element), ends, stiffness, damping, length))
    return loops, springs


def _ends(
    sheet: Sheet, element: Element, links: Mapping[str, str]
) -> tuple[tuple[str, Point], tuple[str, Point]] | None:
    """(body, point in its frame) of both sides; None where something is refused."""
    bodies = [_body(sheet, element, word, links) for word in ("body_A", "body_B")]
    points = [_point(sheet, element, word) for word in ("p_AP", "p_BQ")]
    (first, second), (p, q) = bodies, points
    if first is None or second is None or p is None or q is None:
        return None
    if first == second:
        sheet.refuse(element, f"<{element.tag}> from a link to itself", "two links")
        return None
    return (first, p), (second, q)


def _part(sheet: Sheet, element: Element, word: str) -> Element | None:
    tag = f"{element.tag}_{word}"
    found = sheet.only(element, tag)
    if found is None:
        sheet.refuse(element, f"<{element.tag}> without <{tag}>", f"<{tag} …/>, as Drake needs it")
    return found


def _body(sheet: Sheet, element: Element, word: str, links: Mapping[str, str]) -> str | None:
    found = _part(sheet, element, word)
    name = None if found is None else sheet.name(found)
    if found is not None and name is not None and name not in links:
        sheet.refuse(found, f"no link {name!r}", nearest(name, list(links)), owner=element)
    return links.get(name) if name is not None else None


def _point(sheet: Sheet, element: Element, word: str) -> Point | None:
    found = _part(sheet, element, word)
    if found is None:
        return None
    if found.get("value") is None:
        sheet.refuse(found, f"<{found.tag}> without value", 'value="x y z"', owner=element)
    x, y, z = sheet.numbers(found, "value", (0.0, 0.0, 0.0), element)
    return x, y, z


def _number(sheet: Sheet, element: Element, word: str) -> float:
    found = _part(sheet, element, word)
    value = 0.0 if found is None else sheet.number(found, "value", owner=element)
    if found is not None and (value < 0 or (word == "free_length" and value == 0)):
        expected = "positive" if word == "free_length" else "0 or more"
        sheet.refuse(found, f"<{found.tag}> is {value:g}", expected, owner=element)
    return value
