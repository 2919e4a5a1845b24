"""Words of an SDF file that nothing would read: attributes that are not known, and elements that may stand once and stand twice.

An attribute that is nearly one that is read is refused, for without it a body stands elsewhere; any other is a warning.
"""

from difflib import get_close_matches

from gough.interchange.foreign import IN_SDF
from gough.interchange.sdf._scopes import SdfScope
from gough.interchange.sdf._values import SdfText
from gough.interchange.xml import Element
from gough.robot.item import nearest

ATTRIBUTES = {
    "model": ("name", "canonical_link", "placement_frame"),
    "link": ("name",),
    "joint": ("name", "type"),
    "frame": ("name", "attached_to"),
    "include": ("merge",),
    "pose": ("relative_to", "degrees", "rotation_format", "frame"),
    "inertial": ("auto",),
    "collision": ("name",),
    "xyz": ("expressed_in",),
    "mimic": ("joint", "axis"),
}
"""All other elements that are read have none."""
SPRING = ("damping", "friction", "spring_reference", "spring_stiffness")
BOUNDS = ("lower", "upper", "effort", "velocity", "stiffness", "dissipation")
AXIS = ("xyz", "dynamics", "limit", "mimic", "use_parent_model_frame", "initial_position")
THREADS = ("thread_pitch", "screw_thread_pitch")
GEARS = ("gearbox_ratio", "gearbox_reference_body", "drake:rotor_inertia", "drake:gear_ratio")
ONCE = {
    "model": ("pose", "static", "enable_wind", IN_SDF),
    "include": ("uri", "name", "pose", "static", "placement_frame"),
    "frame": ("pose",),
    "link": ("pose", "inertial", "gravity", "kinematic", "velocity_decay", "enable_wind"),
    "inertial": ("mass", "pose", "inertia", "density", "fluid_added_mass"),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "velocity_decay": ("linear", "angular"),
    "collision": ("pose", "geometry", "density"),
    "joint": ("parent", "child", "pose", "axis", "axis2", *THREADS, *GEARS),
    "axis": AXIS,
    "axis2": AXIS,
    "dynamics": SPRING,
    "limit": BOUNDS,
    "mimic": ("multiplier", "offset", "reference"),
}
"""{element: its children that are read and may stand once}."""
BELOW = {"model": ("link", "joint", "frame", "include"), "world": ("joint", "frame", "include")}
"""Children that are gone into though they may stand often; nested models are scopes of their own."""
UNDIVIDED = (1, 8)
"""From this version on `::` may not stand in a name."""
STOPS = {"stiffness": 1e8, "dissipation": 1.0}
"""Of <limit>: what SDF takes, and writes, for a stop that nobody made soft."""


def check_words(scope: SdfScope) -> None:
    """Tell of every word of a model, or of a world's own joints and frames, that nothing reads."""
    text, stack = scope.text, [scope.element]
    while stack:
        element = stack.pop()
        if element.tag in ("model", "link", "joint", "frame"):
            _refuse_divided_name(text, element)
        if element.tag != "world":
            _check_attributes(text, element)
        _refuse_twice(text, element)
        below = (*ONCE.get(element.tag, ()), *BELOW.get(element.tag, ()))
        if element.tag == "link" and _is_automatic(element):
            below = (*below, "collision")
        stack += [child for child in reversed(element.children) if child.tag in below and child.tag != "geometry"]


def check_canonical(scope: SdfScope) -> None:
    """Refuse a `canonical_link` that is no link of the model."""
    if not scope.canonical:
        return
    names = link_names(scope)
    if scope.canonical not in names:
        message = f"canonical_link is {scope.canonical[:80]!r}, which is no link of {scope.name!r}"
        scope.text.refuse(scope.element, message, nearest(scope.canonical, names))


def link_names(scope: SdfScope, before: str = "") -> list[str]:
    """Names by which a model reaches its links, those of models in it included."""
    found = [before + name for name, frame in scope.frames.items() if frame.kind == "link"]
    for inner in scope.merged:
        found += link_names(inner, before)
    for name, inner in scope.nested.items():
        found += link_names(inner, f"{before}{name}::")
    return found


def check_axes(text: SdfText, joint: Element, count: int) -> None:
    """Warn of what joints that do not have an axis say of it; count: how many axes the joint has."""
    kind = joint.get("type")
    if count < 2 and joint.child("axis2") is not None:
        text.note(joint.child("axis2") or joint, f"<axis2> of a {kind} joint, which has no second axis, is left out")
    axis = joint.child("axis")
    if kind != "ball" or axis is None:
        return
    for part in (axis.child("dynamics"), axis.child("limit")):
        if part is not None and any(child.text.strip() for child in part.children):
            text.note(
                part, f"<{part.tag}> of a ball joint, which has no axis, is left out: nothing acts or bounds in it"
            )


def check_stops(text: SdfText, limit: Element | None) -> None:
    """Warn of stops that yield: bounds here do not act on the motion."""
    for tag, usual in STOPS.items():
        found = text.number(limit, tag, usual, endless=True)
        if limit is not None and found != usual:
            text.note(limit.child(tag) or limit, f"<{tag}> of <limit> is left out: bounds here do not act", "limit")


def check_wind(text: SdfText, element: Element) -> None:
    """Warn of wind on a link or a model."""
    if text.says(element, "enable_wind"):
        text.note(element.child("enable_wind") or element, "wind is left out")


def _is_automatic(link: Element) -> bool:
    inertial = link.child("inertial")
    return inertial is not None and inertial.get("auto") is not None


def _refuse_divided_name(text: SdfText, element: Element) -> None:
    name = element.get("name") or ""
    if "::" in name and text.version >= UNDIVIDED:
        message = f"'::' in the name {name[:80]!r}, which SDF 1.8 and later keep for parts of nested models"
        text.refuse(element, message, f"{name[:80].replace('::', '_')!r}")


def _check_attributes(text: SdfText, element: Element) -> None:
    known = ATTRIBUTES.get(element.tag, ())
    for key, value in element.attributes.items():
        if element.tag == "pose" and key == "frame" and value.strip() and text.version >= (1, 7):
            said = f"the attribute 'frame' of <pose> is of SDF 1.6 and older and left out in {_dotted(text.version)}"
            text.note(element, f"{said}; relative_to names the frame")
        if key in known or ":" in key or key == "xmlns":
            continue
        free = [word for word in known if word not in element.attributes]
        near = get_close_matches(key.lower().replace("-", "_"), free, n=1, cutoff=0.75 if len(key) > 4 else 0.6)
        message = f"the attribute {key[:40]!r} of <{element.tag}> is not known"
        if near:
            text.refuse(element, f"{message}; did you mean {near[0]}?", f'{near[0]}="…"')
        else:
            text.note(element, f"{message} and left out")


def _refuse_twice(text: SdfText, element: Element) -> None:
    first: dict[str, int] = {}
    for child in element.children:
        if child.tag in ONCE.get(element.tag, ()):
            line = first.setdefault(child.tag, child.line)
            if child is not element.child(child.tag):
                path = f"{text.at(element).path}.{child.tag}"
                text.refuse(child, f"<{child.tag}> a second time (first on line {line})", "one of them", path)


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(str(part) for part in version)
