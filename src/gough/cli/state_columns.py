"""Names of the columns of a file of states, for any robot, and what is said about names that are none."""

import difflib
from typing import TYPE_CHECKING

from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.model import Model

POSITION, QUATERNION, ANGLES = ("x", "y", "z"), ("qw", "qx", "qy", "qz"), ("yaw", "pitch", "roll")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
ACCELERATION = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
PASSED_ON = ("t", "status")
"""t is copied to the result; the status of an earlier result is not read."""


def velocity_columns(model: "Model") -> tuple[str, ...]:
    """Column of each entry of v: vx … wz of the platform's twist, "v.NAME" for the rate of a joint coordinate."""
    names = zip(model.mechanism.selection.independent, model.layout.v_names, strict=True)
    return tuple(n if model.mechanism.has_platform and u < 6 else f"v.{n}" for u, n in names)


def acceleration_columns(model: "Model") -> tuple[str, ...]:
    """Column of each entry of v̇ that is given, not found: ax … alphaz of the platform, "a.NAME" for a joint coordinate."""
    names = zip(model.mechanism.selection.independent, model.layout.v_names, strict=True)
    columns = [ACCELERATION[u] if model.mechanism.has_platform and u < 6 else f"a.{n}" for u, n in names]
    return tuple(columns[: model.layout.mobility])


def groups_of(model: "Model") -> dict[str, tuple[str, ...]]:
    """Columns that make up each array; no wrench without a platform, no elastic coordinates without flexible bodies."""
    layout = model.layout
    groups = {"q": layout.q_names, "v": velocity_columns(model), "acceleration": acceleration_columns(model)}
    if model.mechanism.has_platform:
        groups["wrench"] = WRENCH
    if layout.n_elastic:
        groups["elastic"] = layout.q_names[layout.elastic]
    tau = tuple(f"tau.{name}" for name in layout.drive_names)
    return groups | {"tau": tau, "drives": layout.drive_names}


def coordinate_names(model: "Model") -> tuple[str, ...]:
    """Coordinates that can be columns of their own: x y z yaw pitch roll of a platform, and every joint's."""
    from gough.kinematics.leading import coordinate_units

    return tuple(coordinate_units(model))


def known_names(model: "Model") -> list[str]:
    """Columns and arrays that a file of states of this robot may have."""
    groups = groups_of(model)
    pose = ("pose", *QUATERNION) if model.mechanism.has_platform else ()
    columns = [c for group in groups.values() for c in group]
    return [*groups, *columns, *pose, *coordinate_names(model), *PASSED_ON]


def refuse_unknown(model: "Model", names: list[str]) -> None:
    """UsageError for the first name that is no column or array of this robot."""
    known = known_names(model)
    for name in names:
        if name not in known:
            raise UsageError(f"unknown column or array {name!r}{_hint(model, name, known)}")


def _hint(model: "Model", name: str, known: list[str]) -> str:
    robot, platform = model.robot.name, model.mechanism.has_platform
    plain, bracket, unit = (part.strip() for part in name.partition("["))
    if bracket and plain in known:
        return f": files of states have no units; write {plain!r} and its numbers in SI units, not {unit.rstrip(']')}"
    if not platform and name in ("pose", *POSITION, *QUATERNION, *ANGLES):
        return f": {robot} has no platform; {ways(model)}"
    if not platform and name in ("wrench", *WRENCH):
        return f": {robot} has no platform to put a wrench on"
    if name in TWIST or name.startswith("v."):
        return f": the independent velocities of {robot} are {' '.join(velocity_columns(model))}"
    if name in ACCELERATION or name.startswith("a."):
        return f": the accelerations of {robot} are {' '.join(acceleration_columns(model))}"
    if name.startswith("tau."):
        drives = " ".join(groups_of(model)["tau"])
        return f": the drive forces of {robot} are {drives}" if drives else f": {robot} has no drives"
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else "; `gough eval --help` lists the names"


def ways(model: "Model") -> str:
    """How a configuration of this robot is given."""
    nq = model.layout.nq
    if model.geometry.by_legs:
        return (
            "give the columns x y z with qw qx qy qz or with yaw pitch roll (rad), or an array pose (n, 7) "
            f"or q (n, {nq}), or all columns of q"
        )
    return f"give the columns {' '.join(own_coordinates(model))}, or all columns of q, or an array q (n, {nq})"


def own_coordinates(model: "Model") -> list[str]:
    """The coordinates that belong to v; leading them leads the robot."""
    from gough.kinematics.leading import natural_coordinates

    return natural_coordinates(model)
