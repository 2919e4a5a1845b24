"""The robot: platform, legs, bodies, joints, loops, springs, gravity, home."""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from gough.arguments import checked, mapping, word
from gough.arguments import number as finite
from gough.errors import warn
from gough.frozen import FrozenDict
from gough.robot._couplings import Coupling
from gough.robot._leg import Leg
from gough.robot.body import Body
from gough.robot.checks.couplings import contradiction_faults, coupling_faults, placed_couplings
from gough.robot.checks.physical import unphysical_bodies
from gough.robot.checks.references import (
    configuration_faults,
    idle_faults,
    known_rates,
    name_faults,
    named_platform,
    passive_rates,
    platform_limit_faults,
    spring_faults,
    stated_joints,
    velocity_faults,
    weight_faults,
)
from gough.robot.checks.tree import form_faults, joint_faults, loop_faults, telescopic_faults
from gough.robot.checks.wildcards import expand_names, is_pattern
from gough.robot.closures import Loop
from gough.robot.effects import Flag, SpringPolynomial, characteristic_faults
from gough.robot.errors import UnphysicalInertiaWarning
from gough.robot.expressions import Scope, Variables
from gough.robot.fields import (
    Coordinate,
    Damping,
    Force,
    Gravity,
    Length,
    Name,
    NonNegativeLength,
    Position,
    PositiveLength,
    RobotName,
    Stiffness,
    Title,
    exactly,
)
from gough.robot.files import with_absolute_paths
from gough.robot.item import FORMAT, Fault, Item, as_error, as_plain, is_given, is_same, look
from gough.robot.joint import TreeJoint
from gough.robot.platform.guide import FREEDOMS, freedom_faults
from gough.robot.platform.home_axes import home_axes_faults
from gough.robot.pose import Pose
from gough.robot.units import EXPRESSIONS

if TYPE_CHECKING:
    Freedom = str
else:
    Freedom = Literal[FREEDOMS]

DOCUMENT_KEYS = tuple(
    "format name title source variables gravity platform templates legs bodies joints loops couplings springs velocities "
    "idle drive_sharing "
    "closure_tolerance home initial".split()
)
"""What may be written in a file, in this order."""
CHECKS = (
    form_faults,
    name_faults,
    joint_faults,
    loop_faults,
    telescopic_faults,
    coupling_faults,
    spring_faults,
    velocity_faults,
    idle_faults,
    weight_faults,
    home_axes_faults,
    platform_limit_faults,
)


class Platform(Item):
    """The moving platform: a free body whose frame is the robot's output.

    freedoms: of x y z yaw pitch roll those that a guide without mass leaves it, the others stay as home.pose has them; default:
    what the legs leave it.
    """

    NEWER_KEYS: ClassVar = {"freedoms": 2}

    name: Name = "platform"
    body: Body
    freedoms: tuple[Freedom, ...] | None = None

    @classmethod
    def written_keys(cls) -> list[str]:
        return [*(key for key in Body.written_keys() if key != "telescopic"), "freedoms"]

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        if not any(is_given(data, key) for key in ("body", "mass", "parameters", "shape", "flexible")):
            yield Fault(("mass",), look(data, "mass"), "a platform without a mass", "mass in kg (0 if it has none)")
        if is_given(data, "body", "telescopic"):
            yield Fault(("body", "telescopic"), data["body"], "telescopic inertia on the platform", "a leg's body")
        for fault in freedom_faults(look(data, "freedoms")):
            yield replace(fault, place=("freedoms", *fault.place))

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The written form is the body itself; its name is the platform's and the source stays with the body."""
        name, freedoms = data.get("name"), data.get("freedoms")
        body = data.get("body", {k: v for k, v in data.items() if k not in ("name", "freedoms")})
        if name is None:
            name = look(body, "name") if is_given(body, "name") and look(body, "name") != "body" else "platform"
        source = "; ".join(str(s) for s in (data.get("source"), look(body, "source")) if isinstance(s, str))
        change = {"name": name, **({"source": source} if "body" in data and source else {})}
        if isinstance(body, Body):
            body = body.model_copy(update=change)
        elif isinstance(body, Mapping):
            body = {**body, **change}
        return {"name": name, "body": body, **({} if freedoms is None else {"freedoms": freedoms})}


class Point(Item):
    """A point (m) of a body: "world", the platform's name, "leg.body", or a name under `bodies`."""

    body: str
    position: Position = (0.0, 0.0, 0.0)


class Spring(Item):
    """A spring and damper between two points; tension = stiffness (L - rest_length) + damping dL/dt + preload (N).

    In place of stiffness (L - rest_length): polynomial [c0, c1, …], the sum of c_i (L - rest_length)^i; or table [[L, force],
    …], a smooth monotone curve through its points. tension_only: a cable, nothing below rest_length, with the corner rounded
    over a width (m). clearance (m): ends that may meet pass each other at this distance, L = sqrt(d^2 + clearance^2).
    """

    NEWER_KEYS: ClassVar[Mapping[str, int]] = dict.fromkeys(
        ("polynomial", "table", "tension_only", "rounding", "clearance"), 2
    )

    name: Name
    from_: Point = Field(alias="from")
    to: Point
    stiffness: Stiffness = 0.0
    damping: Damping = 0.0
    rest_length: NonNegativeLength = 0.0
    preload: Force = 0.0
    polynomial: SpringPolynomial | None = None
    table: tuple[Annotated[tuple[Length, Force], exactly(2, "[length, force]")], ...] | None = None
    tension_only: Flag = False
    rounding: NonNegativeLength = 0.0
    clearance: NonNegativeLength = 0.0

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from characteristic_faults(data, "rest_length", ("length",))


def _tuple(value: Any) -> Any:
    value = as_plain(value)
    return tuple(value) if isinstance(value, list | tuple) else (value,)


Coordinates = Annotated[
    tuple[Coordinate, ...],
    BeforeValidator(_tuple),
    WithJsonSchema({"type": ["number", "string", "array"], "items": {"type": ["number", "string"]}}),
]


class Configuration(Item):
    """A pose of the platform and joint coordinates by name (guesses that choose the assembly branch).

    As it is written a name may have a star, "leg*.crank"; a robot has the names that it stands for.
    """

    pose: Pose | None = None
    joints: dict[str, Coordinates] = Field(default_factory=dict)

    def newer_values(self) -> Mapping[str, int]:
        return {"joints": 2} if any(map(is_pattern, self.joints)) else {}


def _platform(value: Any, _: Any, info: ValidationInfo) -> Any:
    """A platform of its own, or the name of a body; never tried as both, so that each fault is told once."""
    return value if value is None or isinstance(value, str) else Platform.model_validate(value, context=info.context)


def _variables(value: Any) -> Variables:
    """Under `Robot.scope`, which has read them."""
    scope = getattr(EXPRESSIONS.get(), "__self__", None)
    assert isinstance(scope, Scope)
    if scope.faults:
        raise as_error(scope.faults)
    return scope.variables


def _velocities(value: Any, _: Any, info: ValidationInfo) -> Any:
    if value is None or value in ("platform", "drives"):
        return value
    format = (info.context or {}).get("format", FORMAT)
    told, remedy = f"a value of format 2, and this file is of format {format}", "`format: 2` at the top of the file"
    if value == "any":
        if format < 2:
            raise as_error([Fault((), value, told, remedy)])
        return value
    expected = "platform, drives, any, or a list of names of coordinates"
    if not isinstance(value, list | tuple) or not value:
        raise as_error([Fault((), value, "not a choice of velocities", expected)])
    wrong = [Fault((index,), name, "not a text", "a name") for index, name in enumerate(value) if type(name) is not str]
    wrong += [Fault((k,), name, told, remedy) for k, name in enumerate(value) if format < 2 and is_pattern(name)]
    if wrong:
        raise as_error(wrong)
    return tuple(value)


def _idle(value: Any, _: Any) -> Any:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or (isinstance(value, list) and not value):
        raise as_error([Fault((), value, "not a list of idle freedoms", "names of joint rates, as [leg*.rod_wz]")])
    wrong = [Fault((index,), name, "not a text", "a name") for index, name in enumerate(value) if type(name) is not str]
    if wrong:
        raise as_error(wrong)
    return tuple(value)


class Robot(Item):
    """A robot with closed loops: everything a model is built from, as validated plain data in SI units.

    Two forms, which may be mixed: legs on a platform; and bodies, the joints that carry them, and the loops that close
    the tree. couplings tie joint coordinates to each other. platform is a free body of its own, the name of a body under
    `bodies`, or None. velocities chooses the independent velocities: "platform", "drives", "any", or names of coordinates.
    variables: numbers by name of which the others may be expressions; see `with_variables`. drive_sharing says how forces are
    shared where there are more drives than freedoms. closure_tolerance (m): by how much loops may stay open that have more
    closures than fit together exactly; they are then fitted by least squares. `gough.robot.tree` is one view of both forms.
    """

    NEWER_KEYS: ClassVar = {"couplings": 2, "variables": 2, "idle": 2}

    name: RobotName
    title: Title = ""
    source: Any = None  # type: ignore[assignment]
    variables: Annotated[Variables, PlainValidator(_variables)] = Field(default_factory=FrozenDict)
    gravity: Gravity = (0.0, 0.0, -9.81)
    platform: Annotated[Platform | str | None, WrapValidator(_platform)] = None
    legs: tuple[Leg, ...] = ()
    bodies: tuple[Body, ...] = ()
    joints: tuple[TreeJoint, ...] = ()
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    springs: tuple[Spring, ...] = ()
    velocities: Annotated[Literal["platform", "drives", "any"] | tuple[str, ...] | None, WrapValidator(_velocities)] = (
        None
    )
    idle: Annotated[tuple[str, ...], WrapValidator(_idle)] = ()
    drive_sharing: Literal["least_norm"] | None = None
    closure_tolerance: PositiveLength | None = None
    home: Configuration = Field(default_factory=Configuration)
    initial: Configuration | None = None
    file: str | None = Field(default=None, repr=False)
    _lines: dict[str, int] = PrivateAttr(default_factory=dict)
    """In `file`, of what makes bodies flexible, by their full names."""

    _folder: str = PrivateAttr(default="")
    _sharing_assumed: bool = PrivateAttr(default=False)
    """Absolute, of `file` when it was read: what is run from elsewhere later still finds the files that are named."""

    def newer_values(self) -> Mapping[str, int]:
        return {"velocities": 2} if self.velocities == "any" else {}

    def overruled_fields(self, update: Mapping[str, Any]) -> Mapping[str, str]:
        why = "are read before all that follows from them; use robot.with_variables({name: value})"
        return {} if update.get("variables", self.variables) == self.variables else {"variables": why}

    def with_variables(self, values: Mapping[str, float | str]) -> "Robot":
        """The robot read again with other values of some of its variables, {name: number in SI units, or text with a unit}."""
        from gough.robot.expressions.varying import change_variables

        return change_variables(self, values)

    @checked(values=mapping(finite()), sources=word | mapping(word))
    def with_parameters(self, values: Mapping[str, float], sources: Mapping[str, str] | str | None = None) -> "Robot":
        """A robot whose model has other values of some parameters, {name: number in SI units}, as identified or calibrated.

        Names are those of `model.parameter_names`, or patterns with stars, "leg*.rod.M". JOINT.offset, a constant force that
        drives bear beside what is described, becomes the preload of the joint's spring. sources: where the numbers come from,
        {name: text} or a text for all, written beside what the description says of them; default: which ones were changed.

        Inertias become the ten `parameters` of a body; its payload stays stated. Numbers that followed variables no longer do,
        which is a VariableWarning. What no number of the description states alone is a UsageError that says why.
        """
        from gough.structure.changing.change import change_parameters

        return change_parameters(self, values, sources)

    @property
    def origin(self) -> str | None:
        """Path of the description from which files that it names are found; None where it was made in Python."""
        return self.file if self.file is None or not self._folder else os.path.join(self._folder, Path(self.file).name)

    def written(self, body: str) -> str:
        """Where the flexible body of a full name is described: "file:line", the file alone, or nothing."""
        file = self.file or ""
        return f"{file}:{self._lines[body]}" if file and body in self._lines else file

    @classmethod
    def scope(cls, data: Mapping[str, Any], format: int) -> AbstractContextManager[Any]:
        return Scope(data.get("variables"), format).reading()

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        for check in CHECKS:
            yield from check(data)
        free = is_given(data, "platform") and not named_platform(data)
        if free and not is_given(data, "home"):
            yield Fault(("home",), look(data, "home"), "a required key is missing", "the key 'home'")
        elif free and isinstance(data["home"], Mapping | Configuration) and not is_given(data, "home", "pose"):
            yield Fault(("home", "pose"), look(data, "home", "pose"), "home without a pose", "the platform's pose")
        for key in ("home", "initial"):
            yield from configuration_faults(data, key)

    @model_validator(mode="after")
    def _spelled(self) -> Self:
        """Names with stars are what they stand for."""
        for key in ("home", "initial"):
            if any(map(is_pattern, look(self, key, "joints") if is_given(self, key) else ())):
                joints = FrozenDict(stated_joints(self, key))
                object.__setattr__(self, key, getattr(self, key).model_copy(update={"joints": joints}))
        if isinstance(self.velocities, tuple) and any(map(is_pattern, self.velocities)):
            stands = expand_names(self.velocities, known_rates(self))
            object.__setattr__(self, "velocities", tuple(name for names in stands.values() for name in names))
        if any(map(is_pattern, self.idle)):
            stands = expand_names(self.idle, passive_rates(self))
            object.__setattr__(self, "idle", tuple(name for names in stands.values() for name in names))
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = list(contradiction_faults(placed_couplings(self)))
        if faults:
            raise as_error(faults)
        return self

    @model_validator(mode="after")
    def _physical(self, info: ValidationInfo) -> Self:
        if not (info.context or {}).get("reading"):
            for finding in unphysical_bodies(self):
                warn(str(finding), UnphysicalInertiaWarning)
        return self

    def __eq__(self, other: object) -> bool:
        """Equal descriptions that name the same files; the file they were read from does not matter."""
        if not isinstance(other, Robot):
            return NotImplemented
        mine, theirs = (with_absolute_paths(robot, robot._folder) for robot in (self, other))
        return all(
            is_same(getattr(mine, name), getattr(theirs, name)) for name in type(self).model_fields if name != "file"
        )

    def __repr__(self) -> str:
        parts = {"legs": self.legs, "bodies": self.bodies, "joints": self.joints, "loops": self.loops}
        parts["couplings"] = (*self.couplings, *(c for leg in self.legs for c in leg.couplings))
        counts = ", ".join(f"{len(part)} {name}" for name, part in parts.items() if part)
        return f"<gough.Robot {self.name}: {counts}>"

    __str__ = __repr__
    __hash__ = None  # type: ignore[assignment]
