"""Robot to YAML text. What is read back is equal: numbers are written so that the same double returns.

What the legs have in common is written once, as a template; what differs follows as overrides of each leg.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gough.arguments import a_robot, checked, path
from gough.errors import UsageError
from gough.files import write_file
from gough.robot.body import Body
from gough.robot.checks.bare_angles import FULL_TURN, angles_without_unit
from gough.robot.checks.references import joint_types
from gough.robot.expressions import Expression
from gough.robot.files import move_paths
from gough.robot.flexible import Flexible
from gough.robot.item import Item, is_default, oldest_format
from gough.robot.joint import ChainJoint, TreeJoint, default_body_name
from gough.robot.robot import DOCUMENT_KEYS, Configuration, Platform, Robot
from gough.robot.units import Quantity, fits

WIDTH = 110
TEMPLATE = "leg"


@checked(robot=a_robot, path=path)
def dump(robot: Robot, path: str | Path) -> None:
    """Write a robot to a file; files that it names are named from there."""
    data = document(robot)
    if robot.origin is not None:
        move_paths(data, Path(robot.origin).parent, Path(path).parent)
    write_file(path, yaml_text(data))


@checked(robot=a_robot)
def dumps(robot: Robot) -> str:
    """A robot as YAML text; files that it names in another folder than the present one are named absolutely."""
    data = document(robot)
    if robot.origin is not None:
        move_paths(data, Path(robot.origin).parent, Path(), absolute=True)
    return yaml_text(data)


def yaml_text(data: dict[str, Any]) -> str:
    """Plain data (mappings, lists, texts, numbers) as YAML; numbers so that the same double returns."""
    lines: list[str] = []
    for key, value in data.items():
        _write(lines, key, value, 0)
    return "\n".join(lines) + "\n"


def document(robot: Robot) -> dict[str, Any]:
    """A robot as the plain data of its file."""
    data = robot_data(robot)
    _spell_angles(data, joint_types(robot))
    data |= _legs(data.get("legs", []))
    return {"format": oldest_format(robot), **{key: data[key] for key in DOCUMENT_KEYS if key in data}}


def robot_data(robot: Robot) -> dict[str, Any]:
    """A robot as plain data with the keys of the file and without templates."""
    data = plain(robot)
    if robot.bodies:
        data["bodies"] = [{"name": body.name, **plain(body)} for body in robot.bodies]
    if robot.variables:
        data["variables"] = {name: _as_written(x) for name, x in robot.variables.items()}
    return data


def _spell_angles(data: Any, types: Mapping[str, Any]) -> None:
    """Give angles of more than a turn their unit, without which a reader would doubt them."""
    for place, angle in list(angles_without_unit(data, types)):
        owner = data
        for step in place[:-1]:
            owner = owner[step]
        owner[place[-1]] = f"{angle!r} rad"


def _as_written(variable: Quantity) -> Any:
    """A number without a unit is a number."""
    try:
        return int(variable.written) if variable.written.lstrip("+-").isdigit() else float(variable.written)
    except ValueError:
        return variable.written


def plain(item: Any) -> Any:
    """A model as plain data with the keys of the file; defaults are left out."""
    if isinstance(item, Expression) or (isinstance(item, Quantity) and _turns(item)):
        return item.written
    if isinstance(item, Platform):
        return {**plain(item.body), **({} if item.freedoms is None else {"freedoms": list(item.freedoms)})}
    if isinstance(item, Configuration):
        joints = {name: plain(q if len(q) != 1 else q[0]) for name, q in item.joints.items()}
        return {**_fields(item), **({"joints": joints} if joints else {})}
    if isinstance(item, Item):
        return _fields(item)
    if isinstance(item, Mapping):
        return {key: plain(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [plain(value) for value in item]
    return item


def _turns(number: Quantity) -> bool:
    """Whether it was written as an angle of more than a turn: 20 rev."""
    return abs(number) > FULL_TURN and fits(number.dimension, "angle")


def _fields(item: Item) -> dict[str, Any]:
    result: dict[str, Any] = {}
    skip = _keys_left_out(item)
    always = {"mass"} if isinstance(item, Body) else set()
    for name, field in type(item).model_fields.items():
        value = getattr(item, name)
        if name in skip or (name not in always and is_default(field, value)):
            continue
        result[field.alias or name] = plain(value)
    for name in ("shape", "mesh") if isinstance(item, Body) else ():
        if name in result and len(result[name]) == 1:
            result[name] = result[name][0]
    source = result.pop("source", None)
    return result if source is None else {**result, "source": source}


def _keys_left_out(item: Item) -> set[str]:
    if isinstance(item, Body) and item.flexible is not None and not isinstance(item.flexible, Flexible):
        raise UsageError(f"body {item.name}: a flexible body that is a Python object cannot be written to a file")
    if isinstance(item, Body) and (item.parameters is not None or item.flexible is not None or item.shape):
        return {"mass", "center_of_mass"}
    if isinstance(item, ChainJoint | TreeJoint):
        bare = isinstance(item, ChainJoint) and item.body == Body(name=default_body_name(item.name))
        skip = {"body"} if bare else set()
        if item.mdh is not None:
            return skip | ({"placement", "axis"} if item.mdh.pose() == item.placement else {"mdh"})
        return skip
    return set()


def _legs(legs: list[dict[str, Any]]) -> dict[str, Any]:
    """The keys templates and legs; no template for a single leg or for legs with different joints, cuts, loops or couplings."""
    names = [_names(leg) for leg in legs]
    if len(legs) < 2 or any(entry != names[0] for entry in names):
        return {"legs": legs} if legs else {}
    template: dict[str, Any] = {"chain": _common_items([leg["chain"] for leg in legs])}
    if "cut" in legs[0]:
        template["cut"] = _common([leg["cut"] for leg in legs])
    for key in (key for key in ("loops", "couplings") if key in legs[0]):
        template[key] = _common_items([leg[key] for leg in legs])
    return {"templates": {TEMPLATE: template}, "legs": [_like(leg, template) for leg in legs]}


def _like(leg: dict[str, Any], template: dict[str, Any]) -> dict[str, Any]:
    result = {"name": leg["name"], "like": TEMPLATE}
    result |= {key: leg[key] for key in ("base", "on_platform") if key in leg}
    changes = {
        "joints": _items_beyond(leg["chain"], template["chain"]),
        "cut": _beyond(leg.get("cut", {}), template.get("cut", {})),
        **{key: _items_beyond(leg.get(key, []), template.get(key, [])) for key in ("loops", "couplings")},
    }
    result |= {key: part for key, part in changes.items() if part}
    return result | ({"source": leg["source"]} if "source" in leg else {})


def _names(leg: dict[str, Any]) -> tuple[Any, ...]:
    """What legs must have in common to share a template."""
    others = [[part["name"] for part in leg.get(key, [])] for key in ("loops", "couplings")]
    return [joint["name"] for joint in leg["chain"]], "cut" in leg, others


def _common_items(lists: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [_common(list(entries)) for entries in zip(*lists, strict=True)]


def _items_beyond(items: list[dict[str, Any]], common: list[dict[str, Any]]) -> dict[str, Any]:
    """By name, what the items of a list have beyond what is common."""
    changes = {item["name"]: _beyond(item, below) for item, below in zip(items, common, strict=True)}
    return {name: change for name, change in changes.items() if change}


def _common(mappings: list[dict[str, Any]]) -> dict[str, Any]:
    """The entries that all mappings have with the same value, mappings inside likewise."""
    first, result = mappings[0], {}
    for key, value in first.items():
        values = [mapping[key] for mapping in mappings if key in mapping]
        if len(values) < len(mappings):
            continue
        if all(_same(entry, value) for entry in values):
            result[key] = value
        elif all(isinstance(entry, dict) for entry in values):
            result[key] = _common(values)
    return result


def _beyond(mapping: dict[str, Any], common: dict[str, Any]) -> dict[str, Any]:
    """What a mapping has beyond what is common."""
    result = {}
    for key, value in mapping.items():
        if key not in common:
            result[key] = value
        elif not _same(value, common[key]):
            result[key] = _beyond(value, common[key])
    return result


def _same(a: Any, b: Any) -> bool:
    """Equal to the last bit and sign."""
    return repr(a) == repr(b)


def _write(lines: list[str], key: str, value: Any, depth: int) -> None:
    lead = "  " * depth
    line = f"{lead}{_text(key)}: {_flow(value)}"
    if not isinstance(value, dict | list) or not value or (len(line) <= WIDTH and not _is_long_list(value)):
        lines.append(line)
        return
    lines.append(f"{lead}{_text(key)}:")
    if isinstance(value, dict):
        for inner, entry in value.items():
            _write(lines, inner, entry, depth + 1)
    else:
        for entry in value:
            _entry(lines, entry, depth + 1)


def _entry(lines: list[str], value: Any, depth: int) -> None:
    flow = f"{'  ' * depth}- {_flow(value)}"
    if not isinstance(value, dict) or len(flow) <= WIDTH:
        lines.append(flow)
        return
    start = len(lines)
    for key, entry in value.items():
        _write(lines, key, entry, depth + 1)
    lines[start] = f"{'  ' * depth}- {lines[start].lstrip()}"


def _is_long_list(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(entry, dict) for entry in value)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(str(key))}: {_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(entry) for entry in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    return _text(str(value))


def _number(value: float) -> str:
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}[text]
    return text


def _text(text: str) -> str:
    """A scalar that reads back as this text: a plain word where that is safe, else in double quotes (JSON is YAML)."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", text) and text.lower() not in ("null", "true", "false"):
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in json.dumps(text, ensure_ascii=False))


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
