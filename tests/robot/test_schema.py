"""The JSON Schema accepts the files that can be read and refuses what is plainly wrong."""

import json
import re
from importlib import resources
from typing import Any

import pytest
from ruamel.yaml import YAML

from gough.robot import dumps, gallery, json_schema, load, loads
from robot.documents import VALID, put, text, tree
from robot.forms import FORMS, form

SCHEMA = json_schema()
TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}


def complaints(value: Any, schema: Any, path: str = "") -> list[str]:
    """A validator for the part of JSON Schema that the description's schema uses."""
    known = {"$ref", "anyOf", "allOf", "type", "const", "enum", "pattern", "properties", "additionalProperties"}
    known |= {"required", "items", "prefixItems", "minItems", "maxItems", "title", "description", "default", "$defs"}
    assert set(schema) <= known | {"$schema", "patternProperties"}, set(schema) - known
    found: list[str] = []
    if "$ref" in schema:
        found += complaints(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], path)
    for part in schema.get("allOf", []):
        found += complaints(value, part, path)
    if "anyOf" in schema:
        choices = [complaints(value, part, path) for part in schema["anyOf"]]
        found += [] if any(not choice for choice in choices) else min(choices, key=len)
    if "type" in schema and not is_type(value, schema["type"]):
        return [*found, f"{path}: not {schema['type']}"]
    if value != schema.get("const", value) or value not in schema.get("enum", [value]):
        found.append(f"{path}: not the value")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        found.append(f"{path}: pattern")
    if isinstance(value, dict):
        found += [f"{path}: {key} missing" for key in schema.get("required", []) if key not in value]
        for key, entry in value.items():
            named = {**schema.get("properties", {}), **matching(key, schema)}
            inner = named.get(key, schema.get("additionalProperties", True))
            if inner is False:
                found.append(f"{path}.{key}: unknown")
            elif inner is not True:
                found += complaints(entry, inner, f"{path}.{key}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{path}: length")
        parts = schema.get("prefixItems") or [schema.get("items", {})] * len(value)
        for index, (entry, inner) in enumerate(zip(value, parts, strict=False)):
            found += complaints(entry, inner, f"{path}[{index}]")
    return found


def matching(key: str, schema: Any) -> dict[str, Any]:
    fitting = [inner for pattern, inner in schema.get("patternProperties", {}).items() if re.search(pattern, key)]
    return {key: fitting[0]} if fitting else {}


def is_type(value: Any, name: Any) -> bool:
    if isinstance(name, list):
        return any(is_type(value, entry) for entry in name)
    if name in ("number", "integer"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def read(document: str) -> Any:
    return YAML(typ="safe", pure=True).load(document)


def test_is_json():
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["$schema"].endswith("2020-12/schema")


@pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")
@pytest.mark.parametrize("name", gallery())
def test_gallery_fits(name):
    written = (resources.files("gough.robot") / "gallery" / f"{name}.yaml").read_text(encoding="utf-8")
    assert complaints(read(written), SCHEMA) == []
    assert complaints(read(dumps(load(name))), SCHEMA) == []


def test_small_robot_fits():
    assert complaints(read(VALID), SCHEMA) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("format", 3),
        ("name", "My robot"),
        ("extra", 1),
        ("home/pose", "-"),
        ("platform/mass", "-"),
        ("platform/telescopic", {}),
        ("platform/inertia/about", "-"),
        ("legs/0/jonts", {}),
        ("templates/ups/chain/0/name", "-"),
        ("templates/ups/chain/0/type", "ball"),
        ("templates/ups/chain/1/axis", [0, 1]),
        ("templates/ups/chain/1/drive/viscus", 1),
        ("legs/1/bodies/lower/mass", [1]),
        ("springs/0/from", "-"),
    ],
)
def test_refuses(place, value):
    assert complaints(read(text(put(tree(), place, value))), SCHEMA)


@pytest.mark.parametrize("name", FORMS)
def test_other_forms_fit(name):
    assert complaints(form(name), SCHEMA) == []
    assert complaints(read(dumps(loads(FORMS[name]))), SCHEMA) == []


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("five_bar", "bodies/0/name", "-"),
        ("five_bar", "bodies", "-"),
        ("five_bar", "joints", "-"),
        ("five_bar", "joints/0/parent", "-"),
        ("five_bar", "joints/0/body", {}),
        ("five_bar", "joints/1/drive/weights", 1),
        ("five_bar", "loops/0/first", "-"),
        ("five_bar", "loops/0/type", "free"),
        ("five_bar", "velocities", "motors"),
        ("five_bar", "drive_sharing", "equal"),
        ("five_bar", "platform", 3),
        ("delta", "platform", "-"),
        ("delta", "home/pose", "-"),
        ("delta", "legs", "-"),
        ("delta", "templates/arm/chain/2/on", 3),
        ("delta", "templates/arm/loops/0/name", "-"),
        ("delta", "legs/1/loops/right_ball/lenth", 3),
    ],
)
def test_refuses_in_other_forms(name, place, value):
    assert complaints(read(text(put(form(name), place, value))), SCHEMA)


def test_changes_of_a_leg_may_take_its_cut_away():
    assert complaints(read(VALID.replace("{like: ups, base", "{like: ups, cut: null, base")), SCHEMA) == []
