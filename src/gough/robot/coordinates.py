"""The names of a joint's coordinates and rates, names that are taken, and two joints that would have one in common.

The one rule: a name means one thing. What can be asked for by name (coordinates=, velocities, columns of states, channels
of runs, parameters, frames) is a coordinate, a word of `RESERVED`, or a coordinate behind one of `PREFIXES`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from gough.joints import ALL
from gough.robot.item import Fault, Place

POSE_NAMES = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST_NAMES = ("vx", "vy", "vz", "wx", "wy", "wz")
GROUND = ("world", "gravity")
"""No leg, body, joint, loop, spring or platform is called so."""
PREFIXES = {"v": "the rate of", "a": "the acceleration of", "tau": "the drive force of", "power": "the drive power of"}
"""A coordinate may not be called as one of these with a dot and another coordinate."""
ON_PLATFORM: dict[str, str] = {
    **dict.fromkeys(POSE_NAMES, "part of the platform's pose"),
    **dict.fromkeys(("yaw", "pitch", "roll"), "an angle of the platform"),
    **dict.fromkeys(TWIST_NAMES, "part of the platform's twist"),
    **dict.fromkeys(("ax", "ay", "az", "alphax", "alphay", "alphaz"), "part of the platform's acceleration"),
    **dict.fromkeys(("fx", "fy", "fz", "mx", "my", "mz"), "part of the wrench on the platform"),
    **dict.fromkeys(("pose", "angles", "twist", "wrench"), "an array of the platform"),
}
RESERVED: dict[str, str] = {
    **dict.fromkeys(GROUND, "the ground, or what pulls on everything"),
    **dict.fromkeys(("t", "status"), "a column of states and runs"),
    **dict.fromkeys(("q", "v", "acceleration", "elastic", "tau", "drives"), "an array of states and runs"),
    **dict.fromkeys(("joints", "energies", "power", "closure_error"), "a channel of runs"),
    **dict.fromkeys(
        ("drives.position", "drives.rate", "drives.force", "drives.power", "elastic.rate", "joints.rate"),
        "a channel of runs",
    ),
}
"""No coordinate or rate of a joint is called so; with a platform, nor as in `ON_PLATFORM`."""


def reserved_words(platform: bool) -> dict[str, str]:
    """Names that no coordinate may have, with what they mean."""
    return RESERVED | (ON_PLATFORM if platform else {})


def taken_names(coordinates: Iterable[str], platform: bool) -> dict[str, str]:
    """{name: what it means} of everything that has a name already beside the coordinates themselves."""
    behind = {f"{p}.{c}": f"{what} {c}" for p, what in PREFIXES.items() for c in coordinates}
    return behind | reserved_words(platform)


def coordinate_names(name: str, kind: Any) -> list[str]:
    """The names in q of a joint of a type; none for an unknown type."""
    return [name + suffix for suffix in _suffixes(kind)]


def rate_names(name: str, kind: Any) -> list[str]:
    """The names of a joint's rates: as the coordinates, with the angular velocity for a quaternion."""
    joint = ALL.get(kind) if isinstance(kind, str) else None
    return [] if joint is None else [name + suffix for suffix in joint.rate_suffixes]


def coordinate_faults(names: list[Any], kinds: list[Any], places: list[Place]) -> Iterator[Fault]:
    """Joints with a coordinate or rate that another joint has too; joints named alike are not told."""
    owners: dict[str, str] = {}
    for name, kind, place in zip(names, kinds, places, strict=True):
        if not isinstance(name, str):
            continue
        own = dict.fromkeys([*coordinate_names(name, kind), *rate_names(name, kind)], name)
        for coordinate in own:
            if owners.get(coordinate, name) != name:
                yield Fault(place, name, f"two coordinates would be called {coordinate!r}", "another name")
                break
        owners |= own


def reserved_faults(joints: list[tuple[str, Any, Place, str]], platform: bool) -> Iterator[Fault]:
    """Joints (full name, type, place, name as written) with a coordinate or rate that means something else already."""
    own = {
        (name, place): list(dict.fromkeys([name, *coordinate_names(name, kind), *rate_names(name, kind)]))
        for name, kind, place, _ in joints
    }
    taken = taken_names([c for found in own.values() for c in found], platform)
    for name, _, place, written in joints:
        word = next((c for c in own[name, place] if c in taken), None)
        if word is not None:
            called = "" if word == written else f" (a coordinate would be called {word!r})"
            message = f"a reserved name: {word!r} is {taken[word]}{called}"
            yield Fault(place, written, message, f"another name, for instance {written}_joint")


def _suffixes(kind: Any) -> list[str]:
    joint = ALL.get(kind) if isinstance(kind, str) else None
    return [] if joint is None else [coordinate.suffix for coordinate in joint.coordinates]
