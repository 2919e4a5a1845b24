"""The names of a joint's coordinates and rates, and two joints that would have one in common."""

from collections.abc import Iterable, Iterator
from typing import Any

from gough.joints import ALL
from gough.robot.item import Fault, Place

POSE_NAMES = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST_NAMES = ("vx", "vy", "vz", "wx", "wy", "wz")


def coordinate_names(name: str, kind: Any) -> list[str]:
    """The names in q of a joint of a type; none for an unknown type."""
    return [name + suffix for suffix in _suffixes(kind)]


def rate_names(name: str, kind: Any) -> list[str]:
    """The names of a joint's rates: as the coordinates, with the angular velocity for a quaternion."""
    suffixes = _suffixes(kind)
    plain = [suffix for suffix in suffixes if not suffix.startswith("_q")]
    return [name + suffix for suffix in (plain if plain == suffixes else [*plain, "_wx", "_wy", "_wz"])]


def coordinate_faults(
    names: list[Any], kinds: list[Any], places: list[Place], taken: Iterable[str] = ()
) -> Iterator[Fault]:
    """Joints with a coordinate or rate that another joint has too, or that is taken; joints named alike are not told."""
    owners = dict.fromkeys(taken, "")
    for name, kind, place in zip(names, kinds, places, strict=True):
        if not isinstance(name, str):
            continue
        own = dict.fromkeys([*coordinate_names(name, kind), *rate_names(name, kind)], name)
        for coordinate in own:
            if owners.get(coordinate, name) != name:
                yield Fault(place, name, f"two coordinates would be called {coordinate!r}", "another name")
                break
        owners |= own


def _suffixes(kind: Any) -> list[str]:
    joint = ALL.get(kind) if isinstance(kind, str) else None
    return [] if joint is None else [coordinate.suffix for coordinate in joint.coordinates]
