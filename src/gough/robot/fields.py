"""The types of the fields: numbers with a dimension, vectors of them, names."""

import math
import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, PlainValidator, WithJsonSchema

from gough.robot import units
from gough.robot.errors import ABSENT
from gough.robot.expressions import Expression
from gough.robot.item import Fault, as_error, as_plain
from gough.scalar import VariedNumber
from gough.text import one_line, unprintable

MOST_TITLE = 300
"""Characters in a title."""
MOST_NAME = 100
"""Characters in a name: it becomes a column, a label and a variable."""
NAME, LOWER_NAME = r"[A-Za-z_][A-Za-z0-9_]*", r"[a-z][a-z0-9_]*"
FULL_NAME = rf"{NAME}(\.{NAME})?"

LARGEST = 1e50
"""In SI units, of any number: m l² of two such, squared, still is a double."""

TORN = '; in a list, an expression with commas stands in quotes: "max(a, 3 m)"'

EXPRESSED = r"^\s*[-+(A-Za-z_0-9.]"
"""How a number with a unit, or an expression, begins."""
PLAIN_NUMBER = WithJsonSchema(
    {"anyOf": [{"type": "number"}, {"type": "string", "pattern": EXPRESSED}], "description": "a number"}
)
A_TURN = "a length a turn, as 5 mm or 5 mm/rev"

Bound = Literal["any", "not negative", "positive", "not zero"]


def number(value: Any, dimensions: tuple[str, ...], bound: Bound = "any") -> float:
    """An SI number from a number or a text with a unit of one of the dimensions; raises with the reason."""
    fault = number_fault(value, dimensions, bound)
    if fault is not None:
        raise as_error([fault])
    found = units.convert(value, dimensions) if isinstance(value, str) else value
    return _within(found, bound) if isinstance(found, VariedNumber) else float(found)


def _within(number: VariedNumber, bound: Bound) -> VariedNumber:
    """A number that follows variables, which remembers what is demanded of it."""
    if isinstance(number, Expression) and bound != "any":
        number.bound = bound
    return number


def number_as_written(value: Any, dimensions: tuple[str, ...], bound: Bound = "any") -> float:
    """As `number`, but what is written with a unit stays a `Quantity`: a robot decides which of the dimensions it has."""
    plain = number(value, dimensions, bound)
    if isinstance(plain, VariedNumber):
        return plain
    if isinstance(value, str):
        return units.convert(value, dimensions)
    return value if isinstance(value, units.Quantity) else plain


def number_fault(value: Any, dimensions: tuple[str, ...], bound: Bound = "any") -> Fault | None:
    """What is wrong with a number, or None."""
    expected = expectation(dimensions, bound)
    if isinstance(value, str):
        try:
            result = float(units.convert(value, dimensions))
        except units.UnitError as error:
            return Fault((), value, str(error), expected + _torn(value))
    elif isinstance(value, bool) or not hasattr(value, "__float__") or getattr(value, "ndim", 0) != 0:
        return Fault((), value, "not a number", expected)
    else:
        result = _float(value)
    if not math.isfinite(result):
        return Fault((), value, "not a finite number", expected)
    if abs(result) > LARGEST:
        return Fault((), value, f"a number beyond {LARGEST:g}: no robot has it, and equations square it", expected)
    if bound == "not negative" and result < 0:
        return Fault((), value, "negative", expected)
    if bound == "positive" and result <= 0:
        return Fault((), value, "zero" if float(result) == 0 else "negative", expected)
    if bound == "not zero" and float(result) == 0:
        return Fault((), value, "zero", expected)
    return None


def _torn(value: Any) -> str:
    """What to say of a text that a list took apart at a comma; "" of others."""
    return TORN if isinstance(value, str) and value.count("(") != value.count(")") else ""


def _float(value: Any) -> float:
    """As float(); an integer beyond the doubles is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def expectation(dimensions: tuple[str, ...], bound: Bound = "any") -> str:
    """In words: what a number of these dimensions looks like."""
    names = [f"{name} in {units.si_unit(name)}" for name in dimensions if units.si_unit(name)]
    adjective = "" if bound == "any" else f"{bound} "
    return units.with_article(f"{adjective}{' or '.join(names) or 'number'}")


def quantity(*dimensions: str, bound: Bound = "any") -> Any:
    """The metadata of a field that holds a number of one of the dimensions.

    Where there are several, the number remembers its unit until it is known what it measures, and it always remembers the
    variables it follows (pydantic itself would forget both).
    """
    if len(dimensions) > 1:
        return PlainValidator(lambda value: number_as_written(value, dimensions, bound))
    return PlainValidator(lambda value: number(value, dimensions, bound))


def _length_a_turn(value: Any) -> float:
    try:
        length = units.length_of_turn(value)
    except units.UnitError as error:
        raise as_error([Fault((), value, str(error), A_TURN)]) from None
    fault = number_fault(length, ("length",))
    if fault is not None:
        raise as_error([Fault((), value, fault.message, A_TURN)])
    return number(length, ("length",))


def schema(*dimensions: str) -> WithJsonSchema:
    """The metadata of a field for the JSON Schema: a number or a text with a unit."""
    return WithJsonSchema(
        {
            "anyOf": [{"type": "number"}, {"type": "string", "pattern": EXPRESSED}],
            "description": expectation(dimensions),
        }
    )


def exactly(count: int, what: str) -> BeforeValidator:
    """The metadata of a field that holds a list of a given length."""

    def check(value: Any) -> Any:
        value = as_plain(value)
        if not isinstance(value, list | tuple):
            raise as_error([Fault((), value, "not a list", what)])
        if len(value) != count:
            torn = "".join(map(_torn, value))
            raise as_error([Fault((), value, f"{len(value)} entries instead of {count}", what + torn[: len(TORN)])])
        return tuple(value)

    return BeforeValidator(check)


def _name_like(
    pattern: str, message: str, expected: str, most: float = MOST_NAME, reserved: str = ""
) -> BeforeValidator:
    """The metadata of a field that holds a name of a pattern."""

    def check(value: Any) -> Any:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise as_error([Fault((), value, message, expected)])
        if len(value) > most:
            raise as_error([Fault((), value, f"a name of {len(value)} characters", f"at most {most}")])
        if value == reserved:
            raise as_error([Fault((), value, "a reserved name", f"any name but {reserved!r}")])
        return value

    return BeforeValidator(check)


def title_fault(value: Any) -> Fault | None:
    """What is wrong with a title: it goes to terminals, figures, tables and pages, so that all of it can be shown."""
    expected = f"a line of at most {MOST_TITLE} printable characters"
    if not isinstance(value, str):
        return Fault((), value, "not a text", expected)
    bad = unprintable(value)
    if bad is not None:
        return Fault((), value, f"the character {bad}, which cannot be shown", expected)
    if len(one_line(value)) > MOST_TITLE:
        return Fault((), value, f"a title of {len(one_line(value))} characters", f"{expected}; more under source")
    return None


def _title(value: Any) -> str:
    fault = title_fault(value)
    if fault is not None:
        raise as_error([fault])
    return one_line(value)


Title = Annotated[str, BeforeValidator(_title), WithJsonSchema({"type": "string"})]
Name = Annotated[
    str,
    _name_like(NAME, "not a name", "a name of letters, digits and _ that starts with a letter", reserved="source"),
    WithJsonSchema({"type": "string", "pattern": f"^{NAME}$"}),
]
FullName = Annotated[
    str,
    _name_like(FULL_NAME, "not a name", "a name, or leg.name", most=math.inf),
    WithJsonSchema({"type": "string", "pattern": f"^{FULL_NAME}$"}),
]
RobotName = Annotated[
    str,
    _name_like(LOWER_NAME, "not a robot's name", "lower case letters, digits and _, a letter first"),
    WithJsonSchema({"type": "string", "pattern": f"^{LOWER_NAME}$"}),
]


def _fixed_number(value: Any) -> float:
    found = number(value, ("number",))
    if isinstance(found, Expression):
        message = "a direction that follows a variable: which axes are parallel is structure"
        remedy = "a fixed direction, and the angle in a pose: rpy_zyx or bryant_xyz"
        raise as_error([Fault((), found.written, message, remedy)])
    return found


Number = Annotated[float, quantity("number"), PLAIN_NUMBER]
PositiveNumber = Annotated[float, quantity("number", bound="positive"), PLAIN_NUMBER]
NonZero = Annotated[float, quantity("number", bound="not zero"), PLAIN_NUMBER]
Length = Annotated[float, quantity("length"), schema("length")]
LengthATurn = Annotated[float, PlainValidator(_length_a_turn), schema("length")]
"""Of screws: "5 mm", or "5 mm/rev"."""
PositiveLength = Annotated[float, quantity("length", bound="positive"), schema("length")]
NonNegativeLength = Annotated[float, quantity("length", bound="not negative"), schema("length")]
Angle = Annotated[float, quantity("angle"), schema("angle")]
PositiveAngle = Annotated[float, quantity("angle", bound="positive"), schema("angle")]
Mass = Annotated[float, quantity("mass", bound="not negative"), schema("mass")]
FirstMoment = Annotated[float, quantity("first moment"), schema("first moment")]
InertiaEntry = Annotated[float, quantity("inertia"), schema("inertia")]
Acceleration = Annotated[float, quantity("acceleration"), schema("acceleration")]
Force = Annotated[float, quantity("force"), schema("force")]
Stiffness = Annotated[float, quantity("stiffness", bound="not negative"), schema("stiffness")]
Damping = Annotated[float, quantity("damping", bound="not negative"), schema("damping")]

Coordinate = Annotated[float, quantity("length", "angle", "number"), schema("length", "angle")]
JointInertia = Annotated[float, quantity("mass", "inertia", bound="not negative"), schema("mass", "inertia")]
GEARS = ("number", "turn per length", "reciprocal length")
Gear = Annotated[float, quantity(*GEARS, bound="not zero"), schema(*GEARS)]
"""Turns of a motor per turn of the joint; per metre where the joint slides."""
JointDamping = Annotated[
    float, quantity("damping", "angular damping", bound="not negative"), schema("damping", "angular damping")
]
JointStiffness = Annotated[
    float, quantity("stiffness", "angular stiffness", bound="not negative"), schema("stiffness", "angular stiffness")
]
JointForce = Annotated[float, quantity("force", "torque"), schema("force", "torque")]
NonNegativeJointForce = Annotated[float, quantity("force", "torque", bound="not negative"), schema("force", "torque")]
PositiveJointForce = Annotated[float, quantity("force", "torque", bound="positive"), schema("force", "torque")]
NonNegativeJointSpeed = Annotated[
    float, quantity("speed", "angular speed", bound="not negative"), schema("speed", "angular speed")
]
PositiveJointSpeed = Annotated[
    float, quantity("speed", "angular speed", bound="positive"), schema("speed", "angular speed")
]

Position = Annotated[tuple[Length, Length, Length], exactly(3, "three lengths [x, y, z]")]
Angles = Annotated[tuple[Angle, Angle, Angle], exactly(3, "three angles")]
FixedNumber = Annotated[float, PlainValidator(_fixed_number), PLAIN_NUMBER]
"""Of directions and quaternions: no variable moves it."""
Vector = Annotated[tuple[FixedNumber, FixedNumber, FixedNumber], exactly(3, "three numbers")]
Gravity = Annotated[tuple[Acceleration, Acceleration, Acceleration], exactly(3, "three accelerations [x, y, z]")]


def numbers(value: Any, count: int) -> list[float] | None:
    """A list of finite floats from raw data, None where it is anything else (the field then complains)."""
    value = as_plain(value)
    if value is ABSENT or not isinstance(value, list | tuple) or len(value) != count:
        return None
    if any(number_fault(entry, ("number",)) for entry in value):
        return None
    return [float(number(entry, ("number",))) for entry in value]
