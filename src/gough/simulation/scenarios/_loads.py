"""Loads in files of scenarios: six numbers, a load of `gough.loads` by its name in small letters with its arguments, or a list.

wrench: [0, 0, -20 N, 0, 0, 0]                                                   on the platform
wrench: {tool: {sine: {wrench: [5 N, 0, 0, 0, 0, 0], frequency: 3 Hz}}}          on a frame
wrench: {tool: [{pulse: {wrench: …, begin: 0.2, duration: 50 ms}}, {noise: {frequencies: [1, 40], density: …}}]}
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from gough.errors import UsageError
from gough.robot.fields import number, number_fault
from gough.robot.item import Fault, as_error, nearest, unknown_key
from gough.simulation.loads import family

WRENCH = [("force",)] * 3 + [("torque",)] * 3
DIMENSIONS = {"frequency": "frequency", "phase": "angle"} | dict.fromkeys(("begin", "duration", "rise"), "time")
LISTS = {"times": "time", "frequencies": "frequency"}
KNOWN = {name.lower(): getattr(family, name) for name in ("Constant", "Noise", "Pulse", "Series", "Sine")}


def wrenches_of(value: Any) -> dict[str, Any]:
    """{frame: six numbers or loads} of what a file has; "" is the platform."""
    rows = value if isinstance(value, Mapping) and not _is_load(value) else {"": value}
    out: dict[str, Any] = {}
    faults: list[Fault] = []
    for frame, row in rows.items():
        found = _acting(row, (frame,) if frame else (), faults)
        if found is not None:
            out[frame] = found
    if faults:
        raise as_error(faults)
    return out


def _is_load(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in KNOWN


def _acting(value: Any, place: tuple[Any, ...], faults: list[Fault]) -> Any:
    if isinstance(value, Mapping):
        return _load(value, place, faults)
    if isinstance(value, list) and any(isinstance(x, Mapping) for x in value):
        found = [_load(x, (*place, k), faults) for k, x in enumerate(value)]
        return found if all(x is not None for x in found) else None
    return _six(value, place, faults)


def _six(value: Any, place: tuple[Any, ...], faults: list[Fault]) -> tuple[float, ...] | None:
    if not isinstance(value, list) or len(value) != 6:
        wanted = (
            "three forces and three moments, [fx, fy, fz, mx, my, mz], a load with its arguments as a mapping "
            f"({', '.join(KNOWN)}), or {{frame: such}}"
        )
        faults.append(Fault(place, value if isinstance(value, str | int | float) else None, "not a wrench", wanted))
        return None
    return _numbers(value, WRENCH, place, faults)


def _numbers(value: Any, dimensions: Any, place: tuple[Any, ...], faults: list[Fault]) -> tuple[float, ...] | None:
    found = [number_fault(x, d) for x, d in zip(value, dimensions, strict=True)]
    faults += [Fault((*place, k), f.value, f.message, f.expected) for k, f in enumerate(found) if f is not None]
    return None if any(found) else tuple(number(x, d) for x, d in zip(value, dimensions, strict=True))


def _load(value: Any, place: tuple[Any, ...], faults: list[Fault]) -> Any:
    if not _is_load(value):
        name = next(iter(value)) if isinstance(value, Mapping) and len(value) == 1 else None
        wanted = (
            nearest(name, list(KNOWN)) if isinstance(name, str) else f"one of {', '.join(KNOWN)}, with its arguments"
        )
        faults.append(Fault(place, name, "no load of this name", wanted))
        return None
    name, given = next(iter(value.items()))
    kind, here, before = KNOWN[name], (*place, name), len(faults)
    if not isinstance(given, Mapping):
        faults.append(Fault(here, None, "not a mapping", "the arguments of the load by their names"))
        return None
    allowed = [f.name for f in fields(kind) if f.init]
    arguments = {}
    for key, x in given.items():
        if key not in allowed:
            fault = unknown_key(key, x, allowed)
            faults.append(Fault((*here, key), fault.value, fault.message, fault.expected))
            continue
        arguments[key] = _argument(key, x, (*here, key), faults)
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    faults += [Fault(here, None, "a required key is missing", f"the key {key!r}") for key in needed if key not in given]
    if len(faults) > before:
        return None
    try:
        return kind(**arguments)
    except UsageError as error:
        faults.append(Fault(here, None, str(error)))
    return None


def _argument(key: str, value: Any, place: tuple[Any, ...], faults: list[Fault]) -> Any:
    if key == "wrench":
        return _six(value, place, faults)
    if key in DIMENSIONS and value is not None:
        fault = number_fault(value, (DIMENSIONS[key],))
        if fault is not None:
            faults.append(Fault(place, fault.value, fault.message, fault.expected))
            return None
        return number(value, (DIMENSIONS[key],))
    if key in LISTS and isinstance(value, list):
        return _numbers(value, [(LISTS[key],)] * len(value), place, faults)
    if key == "wrenches" and isinstance(value, list):
        return [_six(x, (*place, k), faults) for k, x in enumerate(value)]
    return value
