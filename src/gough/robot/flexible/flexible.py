"""A flexible body: what it is made of, which shapes it can take, how it is damped, and how other things hold on to it."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from gough.robot.expressions import expressions_in
from gough.robot.fields import Name, PositiveLength
from gough.robot.flexible.beam import Beam
from gough.robot.flexible.fields import Frequency, ListOf, ModalStiffness, one_of
from gough.robot.flexible.modes import MEAN, ORIGIN, FlexibleDamping, ShapeChoice
from gough.robot.flexible.other_programs import Matrices, Modal
from gough.robot.flexible.plate import FlatPlate
from gough.robot.flexible.shape import BodyShape
from gough.robot.flexible.solid import Solid
from gough.robot.item import Fault, Item, as_error, is_given, look, nearest

VARIED = {"material", "section", "sections", "thickness"}
"""Keys of elements whose numbers may follow variables: what they change is reduced again (`structure.reductions`)."""


class TieRule(Item):
    """What holds a frame: the node there (at most `tolerance` away), all nodes within a radius, or a named set of nodes."""

    radius: PositiveLength | None = None
    tolerance: PositiveLength | None = None
    nodes: str | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        if is_given(data, "radius") and is_given(data, "nodes"):
            yield Fault(("nodes",), data["nodes"], "nodes beside a radius", "one of them")


class Ties(Item):
    """How attached points hold: radius or tolerance for all of them, and for frames of the body by name."""

    radius: PositiveLength | None = None
    tolerance: PositiveLength | None = None
    at: dict[Name, TieRule] = Field(default_factory=dict)


class Flexible(Item):
    """One of beam, plate, solid, modal or matrices; mass and inertia follow from it.

    modes: the basis. stiffening: whether bending shortens and so stretching stiffens; auto: where the elements know;
    moments: shortening as the least displacement that has its moments; rigid_motion: only together with the motion of the
    body's frame, not with that of its shapes.
    stiffness (N/m) or frequencies (Hz): take the place of those of the modes, in their order.
    """

    beam: Beam | None = None
    plate: FlatPlate | None = None
    solid: Solid | None = None
    modal: Modal | None = None
    matrices: Matrices | None = None
    modes: ShapeChoice | None = None
    damping: FlexibleDamping | None = None
    stiffening: Literal["auto", "on", "moments", "rigid_motion", "off"] = "auto"
    stiffness: Annotated[tuple[ModalStiffness, ...], ListOf] | None = None
    frequencies: Annotated[tuple[Frequency, ...], ListOf] | None = None
    ties: Ties = Field(default_factory=Ties)

    @model_validator(mode="after")
    def _without_variables(self) -> Self:
        message = "a flexible body's number that follows a variable: only its material, sections and thickness may"
        fixed = [(place, x) for place, x in expressions_in(self) if not VARIED.intersection(map(str, place))]
        faults = [Fault(place, x.written, message, "a number") for place, x in fixed]
        if faults:
            raise as_error(faults)
        return self

    @classmethod
    def shapes(cls) -> dict[str, type[BodyShape | Modal]]:
        """What it may be made of, by key: the fields that are shapes."""
        kinds = {name: (get_args(field.annotation) or (None,))[0] for name, field in cls.model_fields.items()}
        return {k: t for k, t in kinds.items() if isinstance(t, type) and issubclass(t, BodyShape | Modal)}

    @property
    def shape(self) -> BodyShape:
        """What it is made of, where that is no modal data."""
        return next(found for key in self.shapes() if isinstance(found := getattr(self, key), BodyShape))

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, tuple(cls.shapes()), "shape")
        if not is_given(data, "modes") and not is_given(data, "modal"):
            expected = "modes: {number: 6}, {up_to: 200 Hz}, {kind: nodal}, …"
            yield Fault(("modes",), look(data, "modes"), "a flexible body without modes", expected)
        if is_given(data, "modes") and is_given(data, "modal"):
            yield Fault(("modes",), data["modes"], "modes beside modal data, which bring their own", "one of them")
        kind = look(data, "modes", "kind")
        for key in ("stiffness", "frequencies"):
            if is_given(data, key) and kind in ("nodal", "guyan"):
                yield Fault(
                    (key,), data[key], f"{key} of {kind} coordinates, which are no modes", "kind: free, clamped, …"
                )
        if is_given(data, "stiffness") and is_given(data, "frequencies"):
            yield Fault(("frequencies",), data["frequencies"], "frequencies beside stiffness", "one of them")
        stiffening = look(data, "stiffening")
        stiff = [key for key, kind in cls.shapes().items() if issubclass(kind, BodyShape) and not kind.shortens]
        if stiffening in ("on", "moments", "rigid_motion") and any(is_given(data, key) for key in stiff):
            message = "stiffening of a body whose elements do not say how they shorten"
            yield Fault(
                ("stiffening",), stiffening, message, "auto or off; beams have it, modal data with second or K_G"
            )


def frame_faults(flexible: Any, frames: Any) -> Iterator[Fault]:
    """Frames of the body that a raw `flexible` names but that are not there."""
    known = [ORIGIN, *(map(str, frames) if isinstance(frames, dict) else ())]
    for place, name in _named_frames(flexible):
        if isinstance(name, str) and name not in known and not (name == MEAN and place[-1] == "frame"):
            yield Fault(("flexible", *place), name, f"no frame {name!r} on the body", nearest(name, known))
    for name in known[1:]:
        if name in (ORIGIN, MEAN):
            message = f"a frame of a flexible body cannot be called {name!r}"
            yield Fault(("frames", name), look(frames, name), message, "another name")


def _named_frames(flexible: Any) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    for key in ("frame", "align"):
        if is_given(flexible, "modes", key):
            yield ("modes", key), look(flexible, "modes", key)
    interfaces = look(flexible, "modes", "interfaces")
    for index, name in enumerate(interfaces if isinstance(interfaces, list | tuple) else ()):
        yield ("modes", "interfaces", index), name
    at = look(flexible, "ties", "at")
    for name in at if isinstance(at, dict) else ():
        yield ("ties", "at", name), name


def flexible_or_object(value: Any, handler: Any) -> Any:
    """A description, or a Python object that makes its own `fem.ElasticBody` by `elastic_body(points)`."""
    if callable(getattr(value, "elastic_body", None)):
        return value
    return handler(value)


def beside_flexible(data: dict[str, Any]) -> Iterator[Fault]:
    """What a flexible body cannot have besides: its mass follows from its shape."""
    remedies = {
        "mass": "no mass: it follows from the shape and the density",
        "center_of_mass": "no mass centre: it follows from the shape",
        "inertia": "no inertia: it follows from the shape and the density",
        "parameters": "no parameters: they follow from the shape and the density",
        "shape": "no shape of even density: it has its own",
        "payload": "a body of its own, fixed to a frame of the flexible one",
        "telescopic": "a flexible body of constant shape, or a rigid one",
        "mesh": "no mesh: it is drawn from its elements as they bend",
    }
    for key, expected in remedies.items():
        if is_given(data, key):
            yield Fault((key,), data[key], f"{key} of a flexible body", expected)
    yield from frame_faults(data["flexible"], look(data, "frames"))
