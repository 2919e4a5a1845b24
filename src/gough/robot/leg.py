"""A leg: a chain of joints and bodies from the base, closed on the platform by a cut joint."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from gough.robot.cut import Cut
from gough.robot.fields import Name
from gough.robot.item import Fault, Item, as_error, given, look
from gough.robot.joint import ChainJoint, default_body_name
from gough.robot.joint_checks import SCALAR
from gough.robot.pose import Pose


def _not_empty(value: Any) -> Any:
    if isinstance(value, list | tuple) and not value:
        raise as_error([Fault((), value, "an empty chain", "at least one joint")])
    return value


class Leg(Item):
    """One leg; base is the leg's base frame in the world, on_platform the cut's joint frame in the platform frame."""

    name: Name
    base: Pose = Field(default_factory=Pose)
    chain: Annotated[tuple[ChainJoint, ...], BeforeValidator(_not_empty)]
    cut: Cut
    on_platform: Pose = Field(default_factory=Pose)

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        chain = look(data, "chain")
        if not isinstance(chain, list | tuple):
            return
        names = [look(joint, "name") for joint in chain]
        yield from repeated([*names, look(data, "cut", "name")], _name_places(len(names)), "joint")
        bodies = [body_name(joint) for joint in chain]
        yield from repeated(bodies, [("chain", i, "body", "name") for i in range(len(chain))], "body")
        for index, joint in enumerate(chain):
            if given(joint, "body", "telescopic", "joint"):
                yield from _telescopic(chain, names, index, look(joint, "body", "telescopic", "joint"))


def body_name(joint: Any) -> Any:
    """The name of the body of a raw joint, its default included."""
    return look(joint, "body", "name") if given(joint, "body", "name") else default_body_name(look(joint, "name"))


def repeated(names: list[Any], places: list[tuple[int | str, ...]], what: str) -> Iterator[Fault]:
    """Names that have been used before."""
    seen: set[str] = set()
    for name, place in zip(names, places, strict=True):
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Fault(place, name, f"{what} name {name!r} is used twice", "a name of its own")
        seen.add(name)


def _name_places(count: int) -> list[tuple[int | str, ...]]:
    return [*[("chain", index, "name") for index in range(count)], ("cut", "name")]


def _telescopic(chain: Any, names: list[Any], index: int, joint: Any) -> Iterator[Fault]:
    place = ("chain", index, "body", "telescopic", "joint")
    scalar = [name for name, entry in zip(names, chain, strict=True) if look(entry, "type") in SCALAR]
    expected = f"a revolute or prismatic joint of the leg: {', '.join(map(str, scalar)) or 'there is none'}"
    if joint not in names:
        yield Fault(place, joint, f"telescopic inertia follows a joint {joint!r} that is not in the leg", expected)
    elif joint not in scalar:
        yield Fault(place, joint, f"telescopic inertia follows {joint!r}, which has no scalar coordinate", expected)
