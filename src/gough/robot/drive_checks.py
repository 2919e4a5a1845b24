"""Checks of the independent velocities and of the drives' weights on raw data."""

from collections.abc import Iterator
from typing import Any

from gough.robot.coordinates import TWIST_NAMES, rate_names
from gough.robot.item import Fault, Place, given, look, nearest
from gough.robot.leg import listed, repeated
from gough.robot.references import items, joint_types, platform_name


def velocity_faults(data: Any) -> Iterator[Fault]:
    """Velocities of a platform, of drives or of coordinates that there are."""
    chosen = look(data, "velocities")
    twist = [] if platform_name(data) is None else list(TWIST_NAMES)
    if chosen == "platform" and not twist:
        yield Fault(("velocities",), chosen, "the velocities of a platform that there is not", "drives, or a list")
    if chosen == "drives" and not any(True for _ in _drives(data)):
        yield Fault(("velocities",), chosen, "the velocities of drives that there are not", "a list of coordinates")
    known = [*twist, *[rate for name, kind in joint_types(data).items() for rate in rate_names(name, kind)]]
    there = set(known)
    places: list[Place] = [("velocities", index) for index in range(len(listed(chosen)))]
    yield from repeated(listed(chosen), places, "velocity")
    for name, place in zip(listed(chosen), places, strict=True):
        if isinstance(name, str) and name not in there:
            yield Fault(place, name, f"no velocity {name!r}", nearest(name, known))


def weight_faults(data: Any) -> Iterator[Fault]:
    """Weights on all drives or on none."""
    drives = list(_drives(data))
    if not any(given(drive, "weight") for _, drive in drives):
        return
    for place, drive in drives:
        if not given(drive, "weight"):
            yield Fault(
                (*place, "weight"),
                look(drive, "weight"),
                "a drive without a weight beside drives that have one",
                "a weight on every drive, or on none",
            )


def _drives(data: Any) -> Iterator[tuple[Place, Any]]:
    for i, leg in enumerate(items(data, "legs")):
        for j, joint in enumerate(items(leg, "chain")):
            if given(joint, "drive"):
                yield ("legs", i, "chain", j, "drive"), look(joint, "drive")
    for i, joint in enumerate(items(data, "joints")):
        if given(joint, "drive"):
            yield ("joints", i, "drive"), look(joint, "drive")
