"""The joint that closes a leg's loop: the last body of the chain to the platform."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from gough.robot.fields import Name, PositiveLength, Vector
from gough.robot.item import Fault, Item, given, look
from gough.robot.joint import AxisPair, Friction, Limits
from gough.robot.joint_checks import SCALAR, axes_faults, axis_kind_faults, effect_faults
from gough.robot.pose import Pose
from gough.robot.suggestions import MEANT

CutType = Literal[
    "spherical", "universal", "revolute", "fixed", "constant_length", "cylindrical", "planar", "prismatic"
]


class Cut(Item):
    """A cut joint between the last body of a chain and the platform.

    on_leg is the joint frame in the last body. axis (revolute, cylindrical, prismatic; planar: its normal) is in that
    frame. axes of a universal cut: the first fixed to the last body (on_leg frame), the second fixed to the platform
    (on_platform frame of the leg). length: constant_length only, the distance (m) between the two origins.
    """

    name: Name = "cut"
    type: CutType
    on_leg: Pose = Field(default_factory=Pose)
    axis: Vector | None = None
    axes: AxisPair | None = None
    length: PositiveLength | None = None
    friction: Friction = Field(default_factory=Friction)
    limits: Limits = Field(default_factory=Limits)

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from closure_faults(data, "cut")

    @classmethod
    def unknown(cls, key: Any, value: Any) -> Fault:
        return passive_only(key, value, "cut joint") or super().unknown(key, value)

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        return prepare_closure(data)


def passive_only(key: Any, value: Any, what: str) -> Fault | None:
    """The fault of a drive or spring in a joint that closes a loop: it has no coordinate; None for other keys."""
    word = str(key).lower()
    kind = "spring" if word.startswith("spring") else "drive" if word in ("drive", *MEANT["drive"].split()) else None
    if kind is None:
        return None
    message = f"a {kind} on a {what}, which has no coordinate: the loop is cut there"
    remedy = f"the {kind} on a joint of the tree; cut the loop at another, passive joint"
    return Fault((str(key),), value, message, remedy)


def closure_faults(data: dict[str, Any], what: str) -> Iterator[Fault]:
    """Problems between the keys of a joint that closes a loop; what: how messages call it."""
    kind = look(data, "type")
    if kind == "constant_length" and not given(data, "length"):
        yield Fault(("length",), look(data, "length"), f"a constant_length {what} without its length", "length in m")
    if isinstance(kind, str) and kind != "constant_length" and given(data, "length"):
        yield Fault(("length",), data["length"], f"length on a {kind} {what}", "length only on constant_length")
    if kind == "constant_length" and given(data, "friction"):
        yield Fault(("friction",), data["friction"], f"friction on a constant_length {what}", "no friction")
    for key in ("lower", "upper", "speed"):
        if given(data, "limits", key) and kind in SCALAR:
            message = f"{key} on a {what}, which has no coordinate: the loop is cut there"
            yield Fault(
                ("limits", key),
                look(data, "limits", key),
                message,
                "this joint in the tree, with its limits, and the loop cut at another joint",
            )
    yield from axis_kind_faults(kind, data)
    yield from axes_faults(data, perpendicular=False)
    yield from effect_faults(kind, data)


def prepare_closure(data: dict[str, Any]) -> dict[str, Any]:
    """The raw keys of such a joint with its default axis."""
    data = {key: value for key, value in data.items() if value is not None}
    if data.get("type") in ("revolute", "cylindrical", "prismatic", "planar"):
        data.setdefault("axis", (0.0, 0.0, 1.0))
    return data
