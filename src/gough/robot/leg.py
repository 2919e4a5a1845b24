"""A leg: joints and bodies from the base, a chain or a tree, closed on the platform by a cut and by further loops."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from gough.robot.coordinates import coordinate_faults
from gough.robot.cut import Cut
from gough.robot.fields import Name
from gough.robot.item import Fault, Item, Place, as_error, given, look, nearest
from gough.robot.joint import ChainJoint, default_body_name
from gough.robot.joint_checks import SCALAR
from gough.robot.loop import Loop
from gough.robot.pose import Pose

BASE = "base"
"""What a joint is `on` when it stands on the leg's base frame."""


def _not_empty(value: Any) -> Any:
    if isinstance(value, list | tuple) and not value:
        raise as_error([Fault((), value, "an empty chain", "at least one joint")])
    return value


class Leg(Item):
    """One leg; base is the leg's base frame in the world, on_platform the cut's joint frame in the platform frame.

    The cut ties the last body of the chain to the platform. Further loops name their bodies; a leg with neither is open.
    """

    name: Name
    base: Pose = Field(default_factory=Pose)
    chain: Annotated[tuple[ChainJoint, ...], BeforeValidator(_not_empty)]
    cut: Cut | None = None
    loops: tuple[Loop, ...] = ()
    on_platform: Pose = Field(default_factory=Pose)

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        chain = look(data, "chain")
        if not isinstance(chain, list | tuple):
            return
        names = [look(joint, "name") for joint in chain]
        loops = [look(loop, "name") for loop in listed(look(data, "loops"))]
        places = [("chain", index, "name") for index in range(len(names))]
        yield from repeated([*names, _cut_name(data)], [*places, ("cut", "name")], "joint")
        taken = [*names, _cut_name(data)]
        yield from repeated(loops, [("loops", index, "name") for index in range(len(loops))], "loop", taken)
        bodies = [body_name(joint) for joint in chain]
        yield from repeated(bodies, [("chain", i, "body", "name") for i in range(len(chain))], "body")
        yield from coordinate_faults(names, [look(joint, "type") for joint in chain], places)
        for index, joint in enumerate(chain):
            if given(joint, "on"):
                yield from _on(names, index, look(joint, "on"))
            if given(joint, "body", "telescopic", "joint"):
                yield from _telescopic(chain, names, index, look(joint, "body", "telescopic", "joint"))


def body_name(joint: Any) -> Any:
    """The name of the body of a raw joint, its default included."""
    return look(joint, "body", "name") if given(joint, "body", "name") else default_body_name(look(joint, "name"))


def listed(value: Any) -> list[Any]:
    """The entries of a raw list; none of anything else."""
    return list(value) if isinstance(value, list | tuple) else []


def repeated(names: list[Any], places: list[Place], what: str, taken: Iterable[Any] = ()) -> Iterator[Fault]:
    """Names that have been used before, or are among those taken."""
    seen = {name for name in taken if isinstance(name, str)}
    for name, place in zip(names, places, strict=True):
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Fault(place, name, f"{what} name {name!r} is used twice", "a name of its own")
        seen.add(name)


def _cut_name(data: Any) -> Any:
    return look(data, "cut", "name") if given(data, "cut", "name") else "cut" if given(data, "cut") else None


def _on(names: list[Any], index: int, on: Any) -> Iterator[Fault]:
    earlier = [str(name) for name in names[:index]]
    place = ("chain", index, "on")
    if on == BASE and BASE in names:
        yield Fault(place, on, "'base' is the leg's base frame and a joint of the leg", "another name for the joint")
    elif isinstance(on, str) and on != BASE and on not in earlier:
        message = f"on {on!r}, which is not before it in the chain" if on in names else f"no joint {on!r} in the leg"
        yield Fault(place, on, message, nearest(on, [*earlier, BASE]))


def _telescopic(chain: Any, names: list[Any], index: int, joint: Any) -> Iterator[Fault]:
    place = ("chain", index, "body", "telescopic", "joint")
    scalar = [name for name, entry in zip(names, chain, strict=True) if look(entry, "type") in SCALAR]
    expected = f"a revolute or prismatic joint of the leg: {', '.join(map(str, scalar)) or 'there is none'}"
    if joint not in names:
        yield Fault(place, joint, f"telescopic inertia follows a joint {joint!r} that is not in the leg", expected)
    elif joint not in scalar:
        yield Fault(place, joint, f"telescopic inertia follows {joint!r}, which has no scalar coordinate", expected)
