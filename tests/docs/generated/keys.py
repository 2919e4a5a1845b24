"""docs/keys.md: every key of a description file, from the JSON Schema of the pydantic models."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from docs.blocks import ROOT
from docs.generated.table import table
from gough.robot import json_schema
from gough.robot._merge import LEG_KEYS, TEMPLATE_KEYS
from gough.robot.coordinates import GROUND, ON_PLATFORM, PREFIXES, RESERVED
from inner.robot import UNITS

HEAD = """# Every key of a description file

Written from the models that read the file (`gough.robot.schema.json_schema()`, which editors can use too), by
`python tests/docs/refresh.py --generated`; a test keeps it fresh. This page is for looking keys up.
[Describing a robot](describing_a_robot.md) and the pages it leads to, and [flexible bodies](flexible_bodies.md), show them in
examples. Numbers are SI, or texts with a unit ("12 mm", "30 deg"). Keys marked "required" must be written; others may be left
out. Every mapping may have a `source`, a text.
"""

MEANINGS: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "key_meanings.toml").read_text(encoding="utf-8")
)
"""{definition of the schema: {key: its meaning}}, `page`: where it is explained."""

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
    file = {**schema, "required": schema["required"]}
    leg = _chosen(schema["properties"]["legs"]["items"]["anyOf"][0], LEG_KEYS)
    template = _chosen(schema["properties"]["templates"]["additionalProperties"], TEMPLATE_KEYS)
    like = "A template is named under `templates`; a leg takes it by `like`."
    parts = [HEAD]
    for name, title, said, part in (("File", "The file", "", file), ("Leg", "Leg", "", leg)):
        parts += _section(name, title, said, part, own)
    parts += _section("Template", "Template", like, template, own)
    for name in sorted(own, key=lambda n: _title(n).lower()):
        parts += _section(name, _title(name), own[name].get("description", ""), own[name], own)
    parts += ["## Names that are taken", "", *_reserved(), ""]
    units = ", ".join(f"`{unit}`" for unit in UNITS)
    parts += ["## Units", "", f"{units}; products with `.` or `*`, quotients with `/`, powers as `m2` or `m^2`.", ""]
    return "\n".join(parts)


def _title(name: str) -> str:
    return NAMES.get(name, name)


def _section(name: str, title: str, said: str, part: dict[str, Any], own: dict[str, Any]) -> list[str]:
    """Heading, what it is, and its keys. Where each key has its meaning in the table, the first sentence is enough before it."""
    meanings = MEANINGS.get(name, {})
    complete = bool(meanings) and not _untold(part, meanings)
    told = _prose(said.partition("\n\n")[0] if complete else said)
    more = f"Examples: [{_heading(meanings['page'])}]({meanings['page']})." if "page" in meanings else ""
    intro = " ".join(text for text in (told, more) if text)
    return [f"## {title}", "", *([intro, ""] if intro else []), _table(part, own, meanings), ""]


def _heading(link: str) -> str:
    """The heading of the page that a link leads to."""
    text = (ROOT / "docs" / link.partition("#")[0]).read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("# ").lower()


def _untold(part: dict[str, Any], meanings: dict[str, str]) -> set[str]:
    """Keys of a part without a meaning; what `source` is stands at the file."""
    return set(part["properties"]) - set(meanings) - {"source"}


def missing_meanings() -> list[str]:
    """Keys without a meaning in definitions that have some, and meanings of keys that there are not."""
    schema = json_schema()
    parts = {name: part for name, part in schema["$defs"].items() if not name.startswith("Partial")}
    parts["File"] = schema
    parts["Leg"] = _chosen(schema["properties"]["legs"]["items"]["anyOf"][0], LEG_KEYS)
    parts["Template"] = _chosen(schema["properties"]["templates"]["additionalProperties"], TEMPLATE_KEYS)
    wrong = []
    for name, meanings in MEANINGS.items():
        wrong += [f"{name}.{key}" for key in sorted(_untold(parts[name], meanings))]
        wrong += [f"{name}.{key}: no such key" for key in meanings if key not in {*parts[name]["properties"], "page"}]
    return wrong


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


def _chosen(part: dict[str, Any], order: list[str]) -> dict[str, Any]:
    return {"properties": {key: part["properties"][key] for key in order}}


def _table(part: dict[str, Any], own: dict[str, Any], meanings: dict[str, str]) -> str:
    required = part.get("required", [])
    rows = []
    whole = "format" in part["properties"]
    for key, value in part["properties"].items():
        if key == "source" and not whole:
            continue
        cells = [f"`{key}`", _type(value, own), "required" if key in required else _default(value)]
        rows.append([*cells, meanings.get(key, "")] if meanings else cells)
    return table(["key", "what", "default", "meaning"] if meanings else ["key", "what", "default"], rows)


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
