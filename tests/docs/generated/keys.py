"""docs/keys.md: every key of a description file, from the JSON Schema of the pydantic models."""

from __future__ import annotations

import re
from typing import Any

from docs.generated.table import table
from gough.robot import json_schema
from gough.robot._merge import LEG_KEYS, TEMPLATE_KEYS
from gough.robot.coordinates import GROUND, ON_PLATFORM, PREFIXES, RESERVED
from inner.robot import UNITS

HEAD = """# Every key of a description file

Written from the models that read the file (`gough.robot.schema.json_schema()`, which editors can use too), by
`python tests/docs/refresh.py --generated`; a test keeps it fresh. [Describing a robot](describing_a_robot.md) and
[flexible bodies](flexible_bodies.md) explain the keys with examples; this page is for looking them up. Numbers are SI, or texts
with a unit ("12 mm", "30 deg"). Keys without a default and marked "required" must be written; others may be left out.
"""

NAMES = {
    "ChainJoint": "Joint of a leg",
    "TreeJoint": "Joint between bodies",
    "Cut": "Cut of a leg",
    "Loop": "Loop",
    "LoopEnd": "End of a loop",
    "Body": "Body",
    "BodyMesh": "Mesh of a body",
    "Configuration": "Home and initial",
    "JointSpring": "Spring of a joint",
    "Spring": "Spring between points",
    "Mdh": "Modified Denavit–Hartenberg parameters",
    "TelescopicInertia": "Telescopic inertia",
    "FlexibleDamping": "Damping of a flexible body",
    "ElasticMaterial": "Material",
    "BeamSection": "Section of a beam",
    "RectangleSection": "Rectangle",
    "CircleSection": "Circle",
    "TubeSection": "Tube",
    "IBeamSection": "I-beam",
    "MatrixFiles": "Matrix files",
    "DmigFile": "DMIG file",
    "Op4File": "OP4 file",
    "FileUnits": "Units of a file",
    "FlatPlate": "Plate",
    "RayleighFactors": "Rayleigh damping",
    "ShapeChoice": "Modes",
    "TieRule": "Tie",
    "PatternEntry": "Entry with a pattern",
    "EvenShape": "Shape of a rigid body",
    "PointMass": "Point mass",
    "ThinRod": "Thin rod",
    "ThinRing": "Thin ring",
    "ThinDisc": "Thin disc",
    "FullCylinder": "Cylinder",
    "RoundTube": "Round tube",
    "FullCone": "Cone",
    "FullSphere": "Sphere",
    "ThinShell": "Thin shell",
    "FullBox": "Box",
    "HexagonPlate": "Hexagon plate",
}


def page() -> str:
    """The whole page."""
    schema = json_schema()
    own = {name: part for name, part in schema["$defs"].items() if not name.startswith("Partial")}
    parts = [HEAD, "## The file", "", _table({**schema, "required": schema["required"]}, own), ""]
    parts += ["## Leg", "", _keys(schema["properties"]["legs"]["items"]["anyOf"][0], LEG_KEYS, own), ""]
    parts += ["## Template", "", "A template is named under `templates`; a leg takes it by `like`.", ""]
    parts += [_keys(schema["properties"]["templates"]["additionalProperties"], TEMPLATE_KEYS, own), ""]
    for name in sorted(own, key=lambda n: _title(n).lower()):
        parts += [f"## {_title(name)}", "", _prose(own[name].get("description", "")), "", _table(own[name], own), ""]
    parts += ["## Names that are taken", "", *_reserved(), ""]
    units = ", ".join(f"`{unit}`" for unit in UNITS)
    parts += ["## Units", "", f"{units}; products with `.` or `*`, quotients with `/`, powers as `m2` or `m^2`.", ""]
    return "\n".join(parts)


def _title(name: str) -> str:
    return NAMES.get(name, name)


def _prose(text: str) -> str:
    text = text.replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n")
    return text.replace("*", "\\*")


def _reserved() -> list[str]:
    """The one rule about names, with its words."""
    meanings = {id(words): _by_meaning(words) for words in (RESERVED, ON_PLATFORM)}
    rows = [
        [what, words, where]
        for group, where in ((RESERVED, "always"), (ON_PLATFORM, "with a platform"))
        for what, words in meanings[id(group)]
    ]
    prefixes = ", ".join(f"`{p}.NAME` ({what} NAME)" for p, what in PREFIXES.items())
    return [
        "A name means one thing, in `coordinates=`, `velocities`, columns of states, channels of runs, parameters and frames. No",
        "coordinate or rate of a joint may be called as one of these words; a joint `j` in space or in a plane has coordinates",
        "and rates `j_x`, `j_wz`, …; a joint of a leg is called with its leg, `leg0.knee`, and is free of most of them.",
        "",
        table(["meaning", "words", "taken"], rows),
        "",
        f"Nor may it be called as one of {prefixes} with the name of another coordinate. No leg, body, loop or spring is called",
        f"{' or '.join(f'`{word}`' for word in GROUND)}.",
    ]


def _by_meaning(words: dict[str, str]) -> list[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for word, what in words.items():
        found.setdefault(what, []).append(f"`{word}`")
    return [(what, " ".join(own)) for what, own in found.items()]


def _keys(part: dict[str, Any], order: list[str], own: dict[str, Any]) -> str:
    return _table({"properties": {key: part["properties"][key] for key in order}}, own)


def _table(part: dict[str, Any], own: dict[str, Any]) -> str:
    required = part.get("required", [])
    rows = []
    keys = sorted(part["properties"], key=lambda key: key == "source" and part.get("title") != "file")
    for key, value in ((key, part["properties"][key]) for key in keys):
        rows.append([f"`{key}`", _type(value, own), "required" if key in required else _default(value)])
    return table(["key", "what", "default"], rows)


def _default(value: dict[str, Any]) -> str:
    if "default" not in value or value["default"] is None:
        return ""
    default = value["default"]
    if isinstance(default, float) and default == int(default):
        default = int(default)
    return f"`{re.sub(r'(?<=[0-9])[.]0(?![0-9])', '', str(default))}`"


def _type(value: dict[str, Any], own: dict[str, Any]) -> str:
    """A schema in words, with links to the parts."""
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[1].removeprefix("Partial")
        title = _title(name)
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        return f"[{title}](#{anchor})" if name in own else title
    if "properties" in value:
        return (
            "[Body](#body) without `telescopic`, with `freedoms` (some of `x y z yaw pitch roll`)"
            if "center_of_mass" in value["properties"]
            else _of_leg(value)
        )
    if "allOf" in value:
        return _type(value["allOf"][0], own)
    if "anyOf" in value and value.get("description", "").startswith(("a ", "an ")) and "type" not in value:
        return value["description"].partition(" ")[2]
    if "anyOf" in value:
        kinds = [_type(one, own) for one in value["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in value:
        return ", ".join(f"`{one}`" for one in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    return _plain(value, own)


def _of_leg(value: dict[str, Any]) -> str:
    return "[Leg](#leg)" if "like" in value["properties"] else "[Template](#template)"


def _plain(value: dict[str, Any], own: dict[str, Any]) -> str:
    kind = value.get("type")
    if kind == "array":
        if "prefixItems" in value:
            entries = [_type(one, own) for one in value["prefixItems"]]
            same = len(set(entries)) == 1
            return f"[{len(entries)} × {entries[0]}]" if same else "[" + ", ".join(entries) + "]"
        return f"list of {_type(value.get('items', {}), own)}"
    if kind == "object":
        inner = value.get("additionalProperties") or next(iter(value.get("patternProperties", {}).values()), None)
        return f"by name: {_type(inner, own)}" if isinstance(inner, dict) else "mapping"
    words = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false"}
    return value.get("description") or words.get(str(kind), "any data")
