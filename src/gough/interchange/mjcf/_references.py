"""Names in a model that mean nothing: MuJoCo tells the first alone, and not what may be meant."""

from collections.abc import Iterator

from gough.interchange.findings import Findings
from gough.interchange.mjcf._document import MjcfDocument
from gough.interchange.xml import Element
from gough.robot.item import nearest

OF_EQUALITY = {f"{kind}{k}": kind for kind in ("body", "site", "joint", "tendon", "geom") for k in (1, 2)}
OF_ACTUATOR = {"joint": "joint", "jointinparent": "joint", "tendon": "tendon", "body": "body"}
OF_ACTUATOR |= dict.fromkeys(("site", "refsite", "cranksite", "slidersite"), "site")
REFERENCES = {"equality": OF_EQUALITY, "actuator": OF_ACTUATOR, "tendon": {"site": "site", "joint": "joint"}}
"""Of elements in a section the attributes that name things, and what they name."""
COPIES = ("attach", "replicate", "composite", "flexcomp", "plugin")
"""Elements that make names of their own."""
KINDS = {"freejoint": "joint", "spatial": "tendon", "fixed": "tendon"}


def refuse_unknown(document: MjcfDocument, findings: Findings) -> list[str]:
    """Refuse every name that nothing has, with its line and the nearest that there is; the names."""
    root = document.parts[-1].root
    if len(document.parts) > 1 or any(element.tag in COPIES for element in root.walk()):
        return []
    known = _names(root)
    lost = []
    for element, attribute, kind in _references(root):
        name = element.attributes[attribute]
        if name not in known[kind]:
            at = document.written(element)
            findings.refuse(at, f"{attribute}: no {kind} {name!r}", nearest(name, sorted(known[kind])))
            lost.append(name)
    return lost


def _names(root: Element) -> dict[str, set[str]]:
    known: dict[str, set[str]] = {kind: set() for kind in ("body", "joint", "site", "geom", "tendon")}
    known["body"].add("world")
    for section in root.children:
        if section.tag in ("worldbody", "tendon"):
            for element in section.walk():
                kind = KINDS.get(element.tag, element.tag)
                if kind in known and element.get("name"):
                    known[kind].add(str(element.get("name")))
    return known


def _references(root: Element) -> Iterator[tuple[Element, str, str]]:
    for section in root.children:
        named = REFERENCES.get(section.tag, {})
        for element in section.walk():
            for attribute, kind in named.items():
                if element.get(attribute):
                    yield element, attribute, kind
