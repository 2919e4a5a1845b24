"""A leg: joints and bodies from the base, a chain or a tree, closed on the platform by a cut and by further loops."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from gough.robot._couplings import Coupling
from gough.robot.checks.joints import scalar_types, telescopic_unit_faults
from gough.robot.closures import Cut, Loop
from gough.robot.coordinates import coordinate_faults
from gough.robot.fields import Name
from gough.robot.item import Fault, Item, Place, as_error, is_given, look, nearest
from gough.robot.joint import ChainJoint, default_body_name
from gough.robot.pose import CutPose, Pose

BASE = "base"
"""What a joint is `on` when it stands on the leg's base frame."""


def _not_empty(value: Any) -> Any:
    if isinstance(value, list | tuple) and not value:
        raise as_error([Fault((), value, "an empty chain", "at least one joint")])
    return value


class Leg(Item):
    """One leg; base is the leg's base frame in the world, on_platform the cut's joint frame in the platform frame.

    The cut ties the last body of the chain to the platform. Further loops name their bodies; a leg with neither is open.
    couplings name its joints by their own names.
    """

    NEWER_KEYS: ClassVar = {"couplings": 2}

    name: Name
    base: Pose = Field(default_factory=Pose)
    chain: Annotated[tuple[ChainJoint, ...], BeforeValidator(_not_empty)]
    cut: Cut | None = None
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    on_platform: Annotated[CutPose, BeforeValidator(CutPose.of)] = Field(default_factory=CutPose)

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        chain = look(data, "chain")
        if not isinstance(chain, list | tuple):
            return
        names = [look(joint, "name") for joint in chain]
        loops = [look(loop, "name") for loop in entries(look(data, "loops"))]
        places: list[Place] = [("chain", index, "name") for index in range(len(names))]
        loop_places: list[Place] = [("loops", index, "name") for index in range(len(loops))]
        yield from _like_the_cut(data, [*names, *loops], [*places, *loop_places])
        written = look(data, "cut", "name") if is_given(data, "cut", "name") else None
        yield from repetition_faults([*names, written], [*places, ("cut", "name")], "joint")
        yield from repetition_faults(loops, loop_places, "loop", {"a joint's": [*names, written]})
        bodies = [body_name(joint) for joint in chain]
        yield from repetition_faults(bodies, [("chain", i, "body", "name") for i in range(len(chain))], "body")
        yield from coordinate_faults(names, [look(joint, "type") for joint in chain], places)
        for index, joint in enumerate(chain):
            if is_given(joint, "on"):
                yield from _on(names, index, look(joint, "on"))
            if is_given(joint, "body", "telescopic", "joint"):
                follows = look(joint, "body", "telescopic", "joint")
                yield from _telescopic(chain, names, index, follows)
                kind = next((look(x, "type") for x, name in zip(chain, names, strict=True) if name == follows), None)
                inertia = look(joint, "body", "telescopic", "inertia")
                yield from telescopic_unit_faults(kind, inertia, ("chain", index, "body", "telescopic", "inertia"))


def body_name(joint: Any) -> Any:
    """The name of the body of a raw joint, its default included."""
    return look(joint, "body", "name") if is_given(joint, "body", "name") else default_body_name(look(joint, "name"))


def entries(value: Any) -> list[Any]:
    """The entries of a raw list; none of anything else."""
    return list(value) if isinstance(value, list | tuple) else []


def repetition_faults(
    names: list[Any], places: list[Place], what: str, taken: Mapping[str, Iterable[Any]] | None = None
) -> Iterator[Fault]:
    """Names that have been used before, or that others have; taken: {whose: names}."""
    owner = {name: whose for whose, them in (taken or {}).items() for name in them if isinstance(name, str)}
    seen: set[str] = set()
    for name, place in zip(names, places, strict=True):
        if not isinstance(name, str):
            continue
        if name in owner:
            yield Fault(place, name, f"{what} name {name!r} is already {owner[name]}", "a name of its own")
        elif name in seen:
            yield Fault(place, name, f"{what} name {name!r} is used twice", "a name of its own")
        seen.add(name)


def _like_the_cut(data: Any, names: list[Any], places: list[Place]) -> Iterator[Fault]:
    """Joints and loops called as a cut is where it has no name; the cut itself is written without that word."""
    if is_given(data, "cut") and not is_given(data, "cut", "name"):
        for name, place in zip(names, places, strict=True):
            if name == "cut":
                message = "'cut' is what the leg's cut joint is called where it has no name"
                yield Fault(place, name, message, "another name here, or a name in the cut")


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
    scalar = [name for name, entry in zip(names, chain, strict=True) if look(entry, "type") in scalar_types()]
    expected = f"a {' or '.join(scalar_types())} joint of the leg: {', '.join(map(str, scalar)) or 'there is none'}"
    if joint not in names:
        yield Fault(place, joint, f"telescopic inertia follows a joint {joint!r} that is not in the leg", expected)
    elif joint not in scalar:
        yield Fault(place, joint, f"telescopic inertia follows {joint!r}, which has no scalar coordinate", expected)
