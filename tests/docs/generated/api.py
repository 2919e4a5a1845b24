"""docs/api.md: what `import gough` gives, from signatures and docstrings."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
from types import ModuleType
from typing import Any

import gough

HEAD = """# API reference

Everything public under `gough`, from its signatures and docstrings; written by `python tests/docs/refresh.py --generated`, a
test keeps it fresh. [Calls and results](reading_results.md) shows the calls of a model at work. Shapes are those of
one state; leading axes broadcast. Units are SI.
"""

GROUPS = {
    "Robots and models": ["load", "build", "Robot", "Model", "Function", "set_threads"],
    "Analysis": [
        *["static_equilibrium", "Equilibrium", "natural_frequencies", "Modes", "zero_dynamics", "ZeroDynamics"],
        *["vibration_map", "VibrationMap", "workspace", "Workspace", "assemblies", "Assemblies"],
    ],
    "Motions": ["Motion", "MotionTable", "MotionReport", "check_motion", "load_motion", "named_motion"],
    "Simulation": ["simulate", "Run", "simulate_many", "Ensemble", "Scenario", "load_scenario"],
    "Pictures": ["view"],
    "Errors, warnings, statuses": [],
}
INNER = {"model_post_init", "prepare", "faults", "written_keys", "cached", "order_solves", "pose_array"}
"""Members that only the library itself calls."""
MODULES = {
    "robots": "Builders of robots",
    "motions": "Builders of motions",
    "laws": "Controllers",
    "sensors": "Sensors of controllers on a clock",
    "actuators": "Actuators behind them",
    "observers": "Observers of what no sensor sees",
    "loads": "Loads over time",
    "vary": "Variations for ensembles",
    "viewer": "Pictures and pages as files",
    "export": "Functions, controllers and whole robots as files of other programs",
    "robot": "Descriptions",
}


def page() -> str:
    """The whole page."""
    grouped = {name for names in GROUPS.values() for name in names} | set(MODULES)
    rest = [name for name in gough.__all__ if name not in grouped]
    parts = [HEAD]
    for title, names in GROUPS.items():
        parts += [f"## {title}", ""]
        for name in names or rest:
            parts += _entry(f"gough.{name}", getattr(gough, name))
    for module, title in MODULES.items():
        parts += _module(module, title)
    return "\n".join(parts)


def _module(name: str, title: str) -> list[str]:
    module: ModuleType = getattr(gough, name)
    parts = [f"## {title}: gough.{name}", "", _prose(module.__doc__ or ""), ""]
    for own in getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")]):
        thing = getattr(module, own)
        if not inspect.ismodule(thing) and thing is not getattr(gough, own, None):
            parts += _entry(f"gough.{name}.{own}", thing, deep=name != "robot")
    return parts


def _entry(name: str, thing: Any, deep: bool = True) -> list[str]:
    parts = [f"### {name}", ""]
    if inspect.isclass(thing):
        parts += _class(name, thing, deep)
    elif callable(thing):
        parts += [f"`{name.rsplit('.', 1)[-1]}{_signature(thing)}`", "", _prose(inspect.getdoc(thing) or ""), ""]
    else:
        parts += [f"`{thing!r}`", ""]
    return parts


def _class(name: str, thing: type, deep: bool) -> list[str]:
    parts = [_prose(inspect.getdoc(thing) or ""), ""]
    if issubclass(thing, enum.Enum):
        return [*parts, ", ".join(f"`{member.name}`" for member in thing), ""]
    if dataclasses.is_dataclass(thing):
        shown = [f"`{f.name}`" for f in dataclasses.fields(thing) if not f.name.startswith("_")]
        parts += [f"Fields: {', '.join(shown)}.", ""] if shown else []
    if not deep or issubclass(thing, Exception):
        return parts
    for member in dict.fromkeys([n for kind in reversed(thing.__mro__) for n in vars(kind)]):
        own = inspect.getattr_static(thing, member)
        if member.startswith("_") or member in INNER or not _documented(own) or _foreign(thing, member):
            continue
        call = getattr(thing, member)
        if isinstance(own, property) or not callable(call):
            parts += [f"- `{member}`: {_first(own)}"]
        else:
            parts += [f"- `{member}{_signature(call)}`: {_first(call)}"]
    return [*parts, ""]


def _foreign(thing: type, member: str) -> bool:
    """Whether a member comes from a library's class."""
    kind = next(k for k in thing.__mro__ if member in vars(k))
    return not kind.__module__.startswith("gough")


def _documented(own: Any) -> bool:
    return bool(inspect.getdoc(own)) and (
        callable(own) or isinstance(own, property | classmethod | staticmethod) or hasattr(own, "func")
    )


def _first(thing: Any) -> str:
    """The whole docstring as one line of prose."""
    return _prose(inspect.getdoc(thing) or "").replace("\n\n", " ").replace("\n", " ")


def _signature(thing: Any) -> str:
    """Names and defaults; types are in the source."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(…)"
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    text = str(inspect.Signature(parameters))
    return re.sub(r"<[^<>]*?([A-Za-z_.]+)[^<>]*>", "…", text)


def _prose(text: str) -> str:
    """A docstring as Markdown: code spans and indented lines stay, other signs mean themselves."""
    lines = []
    for line in inspect.cleandoc(text).splitlines():
        if line.startswith("    "):
            lines.append(line)
            continue
        spans = re.split(r"(``.*?``|`[^`]*`)", line)
        lines.append("".join(s if s.startswith("`") else _literal(s) for s in spans))
    return "\n".join(lines)


def _literal(text: str) -> str:
    return text.replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_").replace("[", "\\[")
