"""The JSON Schema of the description file.

Written from the models: what a template or an override may leave out (a leg may complete it) is not required here, so
the schema accepts every file that can be read; the reader checks the rest.
"""

from typing import Any

from pydantic.json_schema import models_json_schema

from gough.robot._couplings import Coupling
from gough.robot._merge import LEG_KEYS, TEMPLATE_KEYS
from gough.robot.body import Body
from gough.robot.closures import Cut, Loop
from gough.robot.expressions.patterns import AXES, PATTERN
from gough.robot.fields import EXPRESSED
from gough.robot.item import FORMAT
from gough.robot.joint import ChainJoint, TreeJoint
from gough.robot.platform.guide import FREEDOMS
from gough.robot.pose import CutPose, Pose
from gough.robot.robot import Configuration, Robot, Spring

MODELS = (Body, ChainJoint, TreeJoint, Cut, Loop, Coupling, Pose, CutPose, Configuration, Spring)


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a description file, for editors and other programs."""
    _, schema = models_json_schema([(model, "validation") for model in MODELS], by_alias=True)
    whole = {**schema["$defs"], "PatternEntry": _pattern_entry()}
    for key, model in (("shape", "EvenShape"), ("mesh", "BodyMesh")):
        several = whole["Body"]["properties"][key]
        whole["Body"]["properties"][key] = {"anyOf": [_ref(model), several]}
    partial = {f"Partial{name}": _partial(definition) for name, definition in whole.items()}
    robot = Robot.model_json_schema(by_alias=True)["properties"]
    parts = {
        "name": robot["name"],
        "title": {"type": "string"},
        "source": {"description": "where the numbers come from; any data"},
        "variables": {
            "type": "object",
            "description": "numbers by name, with units; others may be expressions of them",
            "additionalProperties": {
                "anyOf": [{"type": "number"}, {"type": "string", "pattern": EXPRESSED}],
                "description": "a number, a text with a unit, or an expression",
            },
        },
        "gravity": robot["gravity"],
        "platform": {"anyOf": [_platform(whole["Body"]), {"type": "string", "description": "the name of a body"}]},
        "templates": {"type": "object", "additionalProperties": _mapping(_leg_parts(TEMPLATE_KEYS))},
        "legs": {"type": "array", "minItems": 1, "items": _or_pattern(_mapping(_leg_parts(LEG_KEYS)))},
        "bodies": {"type": "array", "items": _or_pattern({"allOf": [_ref("Body"), {"required": ["name"]}]})},
        "joints": {"type": "array", "items": _or_pattern(_ref("TreeJoint"))},
        "loops": {"type": "array", "items": _or_pattern(_ref("Loop"))},
        "couplings": {"type": "array", "items": _or_pattern(_ref("Coupling"))},
        "springs": {"type": "array", "items": _or_pattern(_ref("Spring"))},
        "velocities": {
            "anyOf": [{"enum": ["platform", "drives", "any"]}, {"type": "array", "items": {"type": "string"}}]
        },
        "idle": {"type": "array", "items": {"type": "string"}},
        "drive_sharing": {"enum": ["least_norm"]},
        "closure_tolerance": robot["closure_tolerance"]["anyOf"][0],
        "home": _ref("Configuration"),
        "initial": _ref("Configuration"),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"gough robot description, formats 1 to {FORMAT}",
        **_mapping({"format": {"enum": list(range(1, FORMAT + 1))}, **parts}),
        "required": ["format", "name"],
        "anyOf": [_free_platform(), _platform_in_the_tree()],
        "$defs": {**whole, **partial},
    }


def _or_pattern(item: dict[str, Any]) -> dict[str, Any]:
    """An entry of a list, or one that stands for several."""
    return {"anyOf": [item, _ref("PatternEntry")]}


def _pattern_entry() -> dict[str, Any]:
    names = {"type": "array", "items": {"type": "string"}}
    rows = {"type": "array", "items": {"type": "object"}}
    kinds = {"circular": {"type": "integer"}, "start": {"type": "string"}, "about": {"enum": list(AXES)}}
    kinds |= {"mirrored": names, "listed": rows}
    told = (
        "An entry that stands for several: its other keys, with words in angle brackets that differ from copy to copy."
    )
    kind = "a mapping: circular (with start, about and mirrored), mirrored or listed"
    pattern = {"anyOf": [_mapping(kinds)], "description": kind}
    return {"type": "object", "description": told, "properties": {PATTERN: pattern}, "required": [PATTERN]}


def _free_platform() -> dict[str, Any]:
    """A robot with a platform of its own: its home has a pose."""
    return {
        "properties": {"platform": {"type": "object"}, "home": {"required": ["pose"]}},
        "required": ["platform", "home"],
        "anyOf": [{"required": ["legs"]}, {"required": ["bodies", "joints"]}],
    }


def _platform_in_the_tree() -> dict[str, Any]:
    """A robot whose platform is one of its bodies, or that has none."""
    return {"properties": {"platform": {"type": "string"}}, "required": ["bodies", "joints"]}


def _leg_parts(keys: list[str]) -> dict[str, Any]:
    joint = {"allOf": [_ref("PartialChainJoint"), {"required": ["name"]}]}
    loop = {"allOf": [_ref("PartialLoop"), {"required": ["name"]}]}
    changes = {"type": "object", "additionalProperties": _ref("PartialLoop")}
    coupled = {"type": "object", "additionalProperties": _ref("PartialCoupling")}
    parts: dict[str, Any] = {
        "name": {"type": "string"},
        "like": {"type": "string", "description": "the name of a template"},
        "base": _ref("Pose"),
        "on_platform": _ref("CutPose"),
        "chain": {"type": "array", "minItems": 1, "items": _or_pattern(joint)},
        "cut": {"anyOf": [_ref("PartialCut"), {"type": "null"}]},
        "loops": {"anyOf": [{"type": "array", "items": _or_pattern(loop)}, changes]},
        "couplings": {"anyOf": [{"type": "array", "items": _or_pattern(_ref("PartialCoupling"))}, coupled]},
        "joints": {"type": "object", "additionalProperties": _ref("PartialChainJoint")},
        "bodies": {"type": "object", "additionalProperties": _ref("PartialBody")},
        "source": {"type": "string"},
    }
    return {key: parts[key] for key in keys}


def _platform(body: dict[str, Any]) -> dict[str, Any]:
    properties = {key: value for key, value in body["properties"].items() if key != "telescopic"}
    properties["name"] = {**properties["name"], "default": "platform"}
    properties["freedoms"] = {"type": "array", "minItems": 1, "items": {"enum": list(FREEDOMS)}}
    return {
        **_mapping(properties),
        "anyOf": [{"required": [key]} for key in ("mass", "parameters", "shape", "flexible")],
    }


def _mapping(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _partial(definition: Any) -> Any:
    """The same definition with nothing required, at any depth."""
    if isinstance(definition, dict):
        return {key: _partial(value) for key, value in definition.items() if not _is_required(key, value)}
    if isinstance(definition, list):
        return [_partial(value) for value in definition]
    if isinstance(definition, str) and definition.startswith("#/$defs/"):
        return definition.replace("#/$defs/", "#/$defs/Partial")
    return definition


def _is_required(key: str, value: Any) -> bool:
    return key == "required" and isinstance(value, list)
