"""What acts in joints: friction, spring, drive, limits, armature; one for the whole joint, or one for each of its freedoms."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, PlainValidator, ValidationError, ValidationInfo, WithJsonSchema, WrapValidator

from gough.joints.springs import pushes_from
from gough.robot.checks.joints import interval_faults
from gough.robot.fields import (
    Bound,
    Coordinate,
    Gear,
    JointDamping,
    JointForce,
    JointInertia,
    JointStiffness,
    NonNegativeJointForce,
    NonNegativeJointSpeed,
    Number,
    PositiveAngle,
    PositiveJointForce,
    PositiveJointSpeed,
    PositiveNumber,
    exactly,
    number,
    number_as_written,
    number_fault,
    numbers,
    quantity,
    schema,
)
from gough.robot.item import Fault, Item, as_error, as_plain, faults_of, is_given, look
from gough.robot.units import convert
from gough.scalar import VariedNumber

QUATERNION_TOLERANCE = 1e-6
NUMBER_OR_LIST = WithJsonSchema(
    {"anyOf": [{"type": ["number", "string"]}, {"type": "array", "items": {"type": ["number", "string", "null"]}}]}
)


def _one_or_each(model: type[Item]) -> WrapValidator:
    """The metadata of a field with one mapping, or a list of them (null: nothing); never tried as both."""

    def check(value: Any, _: Any, info: ValidationInfo) -> Any:
        plain = as_plain(value)
        if not isinstance(plain, list | tuple):
            return value if plain is None else model.model_validate(value, context=info.context)
        found: list[Any] = []
        faults: list[Fault] = []
        for index, entry in enumerate(plain):
            try:
                found.append(None if entry is None else model.model_validate(entry, context=info.context))
            except ValidationError as error:
                faults += [Fault((index, *f.place), f.value, f.message, f.expected) for f in faults_of(error)]
        if faults:
            raise as_error(faults)
        return tuple(found)

    return WrapValidator(check)


def _number_or_each(*dimensions: str, bound: Bound = "any") -> PlainValidator:
    """The metadata of a field with one number, or a list of them (null: nothing)."""

    def check(value: Any) -> Any:
        plain = as_plain(value)
        if plain is None or not isinstance(plain, list | tuple):
            return None if plain is None else number_as_written(plain, dimensions, bound)
        faults = [(i, number_fault(x, dimensions, bound)) for i, x in enumerate(plain) if x is not None]
        if any(f for _, f in faults):
            raise as_error([Fault((i,), f.value, f.message, f.expected) for i, f in faults if f])
        return tuple(None if x is None else number_as_written(x, dimensions, bound) for x in plain)

    return PlainValidator(check)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise as_error([Fault((), value, "neither true nor false", "true or false")])
    return value


Flag = Annotated[bool, BeforeValidator(_flag)]
SpringPolynomial = Annotated[tuple[Number, ...], WithJsonSchema({"type": "array", "items": {"type": "number"}})]
Width = Annotated[float, quantity("length", "angle", bound="not negative"), schema("length", "angle")]
Each = Annotated[float | tuple[float | None, ...] | None, _number_or_each("length", "angle", "number"), NUMBER_OR_LIST]
EachSpeed = Annotated[
    float | tuple[float | None, ...] | None,
    _number_or_each("speed", "angular speed", bound="positive"),
    NUMBER_OR_LIST,
]
Armature = Annotated[
    float | tuple[float | None, ...],
    _number_or_each("mass", "inertia", bound="not negative"),
    NUMBER_OR_LIST,
]


class Friction(Item):
    """Friction of a passive joint, per axis: viscous * rate + coulomb * sign(rate), opposing the motion.

    With smoothing s > 0 the second term is coulomb * rate / sqrt(rate^2 + s^2). Units follow the joint's rate:
    N.s/m, N, m/s along an axis; N.m.s/rad, N.m, rad/s about one.
    """

    viscous: JointDamping = 0.0
    coulomb: NonNegativeJointForce = 0.0
    smoothing: NonNegativeJointSpeed = 0.0

    @property
    def acts(self) -> bool:
        """Whether it has a force at all."""
        return bool(self.viscous) or bool(self.coulomb)


class JointSpring(Item):
    """A spring in a joint: force on the coordinate = -stiffness (q - rest) - damping qdot + preload.

    In place of stiffness (q - rest): polynomial [c0, c1, …], the sum of c_i (q - rest)^i; or table [[q, force], …], a smooth
    monotone curve through its points. tension_only: nothing below rest, with the corner rounded over a width (m or rad).
    In a ball stiffness times the rotation vector from rest_quaternion_wxyz.
    """

    NEWER_KEYS: ClassVar[Mapping[str, int]] = dict.fromkeys(
        ("polynomial", "table", "tension_only", "rounding", "rest_quaternion_wxyz"), 2
    )

    stiffness: JointStiffness = 0.0
    damping: JointDamping = 0.0
    rest: Coordinate = 0.0
    preload: JointForce = 0.0
    polynomial: SpringPolynomial | None = None
    table: tuple[Annotated[tuple[Coordinate, JointForce], exactly(2, "[coordinate, force]")], ...] | None = None
    tension_only: Flag = False
    rounding: Width = 0.0
    rest_quaternion_wxyz: Annotated[tuple[Number, Number, Number, Number], exactly(4, "w x y z")] | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from characteristic_faults(data, "rest", ("length", "angle", "number"))
        wxyz = numbers(look(data, "rest_quaternion_wxyz"), 4)
        norm = 1.0 if wxyz is None else sum(x * x for x in wxyz) ** 0.5
        if abs(norm - 1.0) > QUATERNION_TOLERANCE:
            place = ("rest_quaternion_wxyz",)
            yield Fault(place, data[place[0]], f"a quaternion of norm {norm:.9g}", "norm 1 to 1e-6: qw qx qy qz")


class Drive(Item):
    """What moves a joint of one coordinate: revolute, prismatic, helical, ball_screw.

    rotor_inertia (kg.m2 or kg) is on the motor side: gear^2 * rotor_inertia acts on the coordinate. A motor that turns and moves
    a joint that slides: kg.m2, with a gear in rad/m. viscous, coulomb
    and smoothing act on the joint coordinate. force_limit, speed_limit and stroke are bounds on the joint side.
    weight: w of the sum w tau^2 that is least where there are more drives than freedoms; on all drives or on none.
    """

    rotor_inertia: JointInertia = 0.0
    gear: Gear = 1.0
    viscous: JointDamping = 0.0
    coulomb: NonNegativeJointForce = 0.0
    smoothing: NonNegativeJointSpeed = 0.0
    force_limit: PositiveJointForce | None = None
    speed_limit: PositiveJointSpeed | None = None
    stroke: Annotated[tuple[Coordinate, Coordinate], exactly(2, "two numbers [lower, upper]")] | None = None
    weight: PositiveNumber | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from interval_faults(look(data, "stroke", 0), look(data, "stroke", 1), ("stroke",), look(data, "stroke"))


class Limits(Item):
    """Bounds: lower, upper, speed of the coordinates, a list of them where there are several; force of a drive; cone (half angle)
    of a universal or spherical joint."""

    lower: Each = None
    upper: Each = None
    speed: EachSpeed = None
    force: PositiveJointForce | None = None
    cone: PositiveAngle | None = None

    def newer_values(self) -> Mapping[str, int]:
        return {key: 2 for key in ("lower", "upper", "speed") if isinstance(getattr(self, key), tuple)}

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        lower, upper = (as_plain(look(data, key)) for key in ("lower", "upper"))
        if isinstance(lower, list | tuple) and isinstance(upper, list | tuple):
            for index, (low, high) in enumerate(zip(lower, upper, strict=False)):
                yield from interval_faults(low, high, ("upper", index), high)
        else:
            yield from interval_faults(lower, upper, ("upper",), look(data, "upper"))

    def of_coordinate(self, key: str, index: int) -> float | None:
        """The bound of one coordinate."""
        value = getattr(self, key)
        return value[index] if isinstance(value, tuple) else value


Frictions = Annotated[Friction | tuple[Friction | None, ...], _one_or_each(Friction)]
JointSprings = Annotated[JointSpring | tuple[JointSpring | None, ...] | None, _one_or_each(JointSpring)]


def each(effect: Any, count: int) -> Sequence[Any]:
    """What is written for a joint's freedoms, one by one: the entries of a list, or the one thing for all of them."""
    return effect if isinstance(effect, tuple) else (effect,) * count


def frictions(joint: Any) -> tuple[Friction, ...]:
    """Of a joint, cut or loop: one, or one for each of its freedoms."""
    own = joint.friction if isinstance(joint.friction, tuple) else (joint.friction,)
    return tuple(Friction() if f is None else f for f in own)


def acts_alone(joint: Any) -> bool:
    """Whether something acts in a joint's own coordinates: friction, a spring, an armature."""
    armature = getattr(joint, "armature", 0.0)
    heavy = any(armature) if isinstance(armature, tuple) else bool(armature)
    return heavy or any(f.acts for f in frictions(joint)) or getattr(joint, "spring", None) is not None


def characteristic_faults(data: dict[str, Any], rest: str, dimensions: tuple[str, ...]) -> Iterator[Fault]:
    """Problems between the keys of a spring; rest: what its rest is called, dimensions: of the first column of a table."""
    given = [key for key in ("stiffness", "polynomial", "table") if is_given(data, key)]
    for key in given[1:]:
        yield Fault((key,), data[key], f"{key} beside {given[0]}, which says the same", f"one of {', '.join(given)}")
    one_sided = look(data, "tension_only") is True
    if is_given(data, "table"):
        yield from _table_faults(as_plain(data["table"]), dimensions)
        if is_given(data, rest):
            yield Fault((rest,), data[rest], f"{rest} beside a table, which begins where it says", f"no {rest}")
        if one_sided:
            yield Fault(("tension_only",), True, "tension_only beside a table", "zeros in the table where it is slack")
    terms = as_plain(look(data, "polynomial"))
    if isinstance(terms, list | tuple):
        if not terms:
            yield Fault(("polynomial",), data["polynomial"], "a polynomial without coefficients", "[c0, c1, …]")
        elif one_sided:
            yield from _one_sided_faults(terms, rest)
    if one_sided and is_given(data, "preload"):
        message = "preload beside tension_only, which begins with no force"
        yield Fault(("preload",), data["preload"], message, f"no preload, and a smaller {rest}")
    if one_sided and not given:
        yield Fault(("tension_only",), True, "tension_only of a spring without stiffness", "stiffness, or a polynomial")
    if is_given(data, "rounding") and not one_sided:
        yield Fault(("rounding",), data["rounding"], "rounding of a spring without a corner", "tension_only: true")


def _one_sided_faults(terms: Sequence[Any], rest: str) -> Iterator[Fault]:
    if any(number_fault(c, ("number",)) is not None for c in terms):
        return
    known = [number(c, ("number",)) for c in terms]
    if float(known[0]) != 0.0 or isinstance(known[0], VariedNumber):
        message = "a force at rest beside tension_only, which begins there with none"
        yield Fault(("polynomial", 0), terms[0], message, f"0, and another {rest}")
        return
    pushed = pushes_from([float(c) for c in known[1:]])
    if pushed is not None:
        message = f"a polynomial below 0 from {rest} + {pushed:.6g} on beside tension_only, which never pushes"
        yield Fault(("polynomial",), terms, message, "one that is not negative above rest")


def _table_faults(rows: Any, dimensions: tuple[str, ...]) -> Iterator[Fault]:
    if not isinstance(rows, list | tuple):
        return
    if len(rows) < 2:
        yield Fault(("table",), rows, f"a table of {len(rows)} points", "two points or more, [[length, force], …]")
    before = None
    for index, row in enumerate(rows):
        first = look(as_plain(row), 0)
        if not isinstance(first, int | float | str) or number_fault(first, dimensions) is not None:
            return
        x = float(convert(first, dimensions) if isinstance(first, str) else first)
        if before is not None and x <= before:
            message = f"not above the one before it, {before:g}"
            yield Fault(("table", index, 0), first, message, "points in growing order, none twice")
        before = x
