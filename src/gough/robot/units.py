"""Numbers with units: "12 mm", "30 deg", "1e-3 kg.m2"; SI out, dimension checked.

A unit is a product of factors: `.` or `*` multiplies, `/` divides by the one factor after it, an exponent follows its
factor (`m2`, `m^2`, `s-1`). Decimal factors are exact: "12 mm" is the double nearest to 0.012.
Angles are a dimension of their own so that "30 deg" is refused as a length; a radian may be left out of a derived unit
("N.m" serves where "N.m/rad" is meant). Hz counts turns: it serves for frequencies alone.

What a number measures may depend on a robot that is not known yet (a drive slides or turns). Such a number is a `Quantity`: a
float that remembers how it was written; `misfit` judges it where the names of the robot's drives and joints are known.
"""

import math
import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

from gough.errors import UsageError
from gough.scalar import VariedNumber

Dimension = tuple[int, int, int, int]  # exponents of length, mass, time, angle

_LENGTH, _MASS, _TIME, _ANGLE = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
_FORCE, _TORQUE, _ENERGY, _PRESSURE = (1, 1, -2, 0), (2, 1, -2, 0), (2, 1, -2, 0), (-1, 1, -2, 0)

UNITS: dict[str, tuple[Fraction | float, Dimension]] = {
    "m": (Fraction(1), _LENGTH),
    "km": (Fraction(1000), _LENGTH),
    "dm": (Fraction(1, 10), _LENGTH),
    "cm": (Fraction(1, 100), _LENGTH),
    "mm": (Fraction(1, 1000), _LENGTH),
    "um": (Fraction(1, 10**6), _LENGTH),
    "µm": (Fraction(1, 10**6), _LENGTH),
    "in": (Fraction(254, 10000), _LENGTH),
    "kg": (Fraction(1), _MASS),
    "g": (Fraction(1, 1000), _MASS),
    "mg": (Fraction(1, 10**6), _MASS),
    "t": (Fraction(1000), _MASS),
    "s": (Fraction(1), _TIME),
    "ms": (Fraction(1, 1000), _TIME),
    "us": (Fraction(1, 10**6), _TIME),
    "min": (Fraction(60), _TIME),
    "h": (Fraction(3600), _TIME),
    "Hz": (Fraction(1), (0, 0, -1, 0)),
    "rad": (Fraction(1), _ANGLE),
    "mrad": (Fraction(1, 1000), _ANGLE),
    "deg": (math.pi / 180, _ANGLE),
    "°": (math.pi / 180, _ANGLE),
    "rev": (2 * math.pi, _ANGLE),
    "rpm": (2 * math.pi / 60, (0, 0, -1, 1)),
    "N": (Fraction(1), _FORCE),
    "kN": (Fraction(1000), _FORCE),
    "mN": (Fraction(1, 1000), _FORCE),
    "Nm": (Fraction(1), _TORQUE),
    "J": (Fraction(1), _ENERGY),
    "W": (Fraction(1), (2, 1, -3, 0)),
    "Pa": (Fraction(1), _PRESSURE),
    "kPa": (Fraction(1000), _PRESSURE),
    "MPa": (Fraction(10**6), _PRESSURE),
    "GPa": (Fraction(10**9), _PRESSURE),
}

DIMENSIONS: dict[str, tuple[Dimension, str]] = {
    "number": ((0, 0, 0, 0), ""),
    "length": (_LENGTH, "m"),
    "angle": (_ANGLE, "rad"),
    "mass": (_MASS, "kg"),
    "first moment": ((1, 1, 0, 0), "kg.m"),
    "inertia": ((2, 1, 0, 0), "kg.m2"),
    "inertia per length": ((1, 1, 0, 0), "kg.m2/m"),
    "inertia per length squared": ((0, 1, 0, 0), "kg.m2/m2"),
    "inertia per angle": ((2, 1, 0, -1), "kg.m2/rad"),
    "inertia per angle squared": ((2, 1, 0, -2), "kg.m2/rad2"),
    "turn per length": ((-1, 0, 0, 1), "rad/m"),
    "reciprocal length": ((-1, 0, 0, 0), "1/m"),
    "acceleration": ((1, 0, -2, 0), "m/s2"),
    "speed": ((1, 0, -1, 0), "m/s"),
    "angular speed": ((0, 0, -1, 1), "rad/s"),
    "angular acceleration": ((0, 0, -2, 1), "rad/s2"),
    "jerk": ((1, 0, -3, 0), "m/s3"),
    "angular jerk": ((0, 0, -3, 1), "rad/s3"),
    "snap": ((1, 0, -4, 0), "m/s4"),
    "angular snap": ((0, 0, -4, 1), "rad/s4"),
    "force": (_FORCE, "N"),
    "torque": (_TORQUE, "N.m"),
    "force per time": ((1, 1, -3, 0), "N/s"),
    "torque per time": ((2, 1, -3, 0), "N.m/s"),
    "stiffness": ((0, 1, -2, 0), "N/m"),
    "angular stiffness": ((2, 1, -2, -1), "N.m/rad"),
    "stiffness per time": ((0, 1, -3, 0), "N/m/s"),
    "angular stiffness per time": ((2, 1, -3, -1), "N.m/rad/s"),
    "damping": ((0, 1, -1, 0), "N.s/m"),
    "angular damping": ((2, 1, -1, -1), "N.m.s/rad"),
    "pressure": (_PRESSURE, "Pa"),
    "density": ((-3, 1, 0, 0), "kg/m3"),
    "area": ((2, 0, 0, 0), "m2"),
    "second moment of area": ((4, 0, 0, 0), "m4"),
    "time": (_TIME, "s"),
    "rate": ((0, 0, -1, 0), "1/s"),
    "rate squared": ((0, 0, -2, 0), "1/s2"),
    "frequency": ((0, 0, -1, 0), "Hz"),
}

MOST_CHARACTERS = 100
"""Of a number with its unit: no quantity is longer, and patterns take their time with what is."""
SPELT = "degree:deg degrees:deg degs:deg radian:rad radians:rad rads:rad turn:rev turns:rev revs:rev meter:m meters:m"
SPELT += (
    " metre:m metres:m millimeter:mm millimeters:mm millimetre:mm millimetres:mm centimeter:cm centimetre:cm inch:in"
)
SPELT += " inches:in micron:um microns:um μm:um gram:g grams:g kilogram:kg kilograms:kg kgs:kg kilo:kg tonne:t newton:N"
SPELT += " newtons:N sec:s secs:s second:s seconds:s minute:min minutes:min hour:h hours:h msec:ms hertz:Hz pascal:Pa"
SPELT += " kgm2:kg.m2 kgm:kg.m Nms:N.m.s mps:m/s"
OTHER_WORDS: dict[str, str] = {word: unit for word, _, unit in (pair.partition(":") for pair in SPELT.split())}
_QUANTITY = re.compile(r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*(\S.*)?")
_COMMA = re.compile(r"([-+]?[0-9]*),([0-9]+)(.*)")
_PER_TURN = re.compile(r"(\S.*?)\s*(?:/|\bper\b)\s*(?:rev|revs|revolution|revolutions|turn|turns)")
_PER_RADIAN = re.compile(r"(\S.*?)\s*/\s*rad")
_FACTOR = re.compile(r"([A-Za-zµ°]+)(?:(?:\^|\*\*)?(-?\d))?")


EXPRESSIONS: ContextVar[Callable[[str], "Quantity | None"] | None] = ContextVar("expressions", default=None)
"""While a description with expressions is read: what makes a number of one; None of a text that is no expression."""
UNIT_LIKE: ContextVar[frozenset[str]] = ContextVar("unit_like", default=frozenset())
"""Meanwhile: names of variables that are a unit and an exponent too, as m2 is."""
_BESIDE = re.compile(r"[*/]\s*([A-Za-z]+[0-9])(?![A-Za-z0-9_])")
COMMON = {"length": "m or mm", "angle": "rad or deg", "speed": "m/s or mm/s", "angular speed": "rad/s or deg/s"}
"""Units to write, where the SI unit alone would be a poor hint."""


class UnitError(ValueError):
    """A text that is not a quantity, or one of another dimension than its key."""


class Quantity(float):
    """A number in SI units that remembers how it was written, "30 mm"."""

    written: str
    dimension: Dimension

    def __new__(cls, value: float, written: str, dimension: Dimension) -> "Quantity":
        """value: in SI units."""
        made = super().__new__(cls, value)
        made.written, made.dimension = written, dimension
        return made

    def __reduce__(self) -> tuple[type, tuple[float, str, Dimension]]:
        return type(self), (float(self), self.written, self.dimension)

    # What is computed is a plain number, and of NumPy's kind beside one of those, which does not go first by itself here.
    def __add__(self, other: Any) -> Any:
        return float(self) + other

    def __sub__(self, other: Any) -> Any:
        return float(self) - other

    def __mul__(self, other: Any) -> Any:
        return float(self) * other

    def __truediv__(self, other: Any) -> Any:
        return float(self) / other

    def __neg__(self) -> float:
        return -float(self)

    @property
    def unit(self) -> "WrittenUnit":
        """The SI unit of its dimension."""
        return WrittenUnit(self.written, self.dimension)


class WrittenUnit(str):
    """An SI unit that remembers how it, or the number that had it, was written: "m" of "mm"."""

    written: str
    dimension: Dimension

    def __new__(cls, written: str, dimension: Dimension) -> "WrittenUnit":
        """written: with or without a number."""
        made = super().__new__(cls, next((si for own, si in DIMENSIONS.values() if own == dimension), written))
        made.written, made.dimension = written, dimension
        return made

    def __reduce__(self) -> tuple[type, tuple[str, Dimension]]:
        return type(self), (self.written, self.dimension)


def as_written(unit: str) -> str:
    """An SI unit as one that somebody wrote, to be judged by `misfit`; "" where nobody did."""
    name = None if isinstance(unit, WrittenUnit) or not unit else kind_of(unit)
    return unit if name is None else WrittenUnit(unit, DIMENSIONS[name][0])


def parse(text: str) -> tuple[float, Dimension]:
    """The SI value and the dimension of a text such as "12 mm"."""
    text = text.strip()
    if len(text) > MOST_CHARACTERS:
        raise UnitError(f"a text of {len(text)} characters, not a number with a unit")
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise UnitError(f"not a number with a unit{_number_hint(text)}")
    number, unit = match.groups()
    if unit is not None and _COMMA.fullmatch(text):
        raise UnitError(f"not a number with a unit{_number_hint(text)}")
    if unit is None:
        raise UnitError("a number in quotes and without a unit")
    return quantity_of(number, unit)


def quantity_of(number: str, unit: str) -> tuple[float, Dimension]:
    """The SI value and the dimension of a number and its unit."""
    scale, dimension = parse_unit(unit)
    exact = isinstance(scale, Fraction) and 1e-200 < abs(float(number)) < 1e200
    try:
        return float(Fraction(number) * Fraction(scale)) if exact else float(number) * float(scale), dimension
    except OverflowError:
        return math.copysign(math.inf, float(number)), dimension


def _number_hint(text: str) -> str:
    """A hint where a number is written as elsewhere: with a decimal comma, or another sign for minus."""
    comma = _COMMA.fullmatch(text)
    if comma:
        return f": a decimal comma, write {comma[1] or '0'}.{comma[2]}{comma[3]}"
    plain = text.replace("\u2212", "-").replace("\u2013", "-")
    if plain != text and _QUANTITY.fullmatch(plain):
        return f": another sign for minus, write {plain}"
    return ""


def parse_unit(unit: str) -> tuple[Fraction | float, Dimension]:
    """The factor to SI and the dimension of a unit such as "kg.m2"."""
    pieces = re.split(r"\s*(\*(?!\*)|[./·])\s*", re.sub(r"\*\*", "^", unit))
    scale: Fraction | float = Fraction(1)
    total = [0, 0, 0, 0]
    divided = False
    for index in range(0, len(pieces), 2):
        operator = pieces[index - 1] if index else "."
        if not index and pieces[0] in ("1", "") and len(pieces) > 2 and pieces[1] == "/":
            continue  # 1/s, /s
        if operator == "/":
            divided = True
        elif divided:
            raise UnitError(f"unit {unit!r} is ambiguous after '/': divide each factor, as in 'N/m/s'")
        match = _FACTOR.fullmatch(pieces[index])
        if match is None or match[1] not in UNITS:
            raise UnitError(f"unknown unit {pieces[index] or unit!r}{_unit_hint(pieces[index])}")
        factor, dimension = UNITS[match[1]]
        power = int(match[2] or 1) * (-1 if operator == "/" else 1)
        scale = scale * factor**power
        total = [a + power * b for a, b in zip(total, dimension, strict=True)]
    return scale, (total[0], total[1], total[2], total[3])


def _unit_hint(word: str) -> str:
    """A hint for a unit that is spelt out, in other letters, or a product without its dot."""
    word = word.strip()
    product = ".".join(word.split())
    found = OTHER_WORDS.get(word) or OTHER_WORDS.get(word.lower())
    if found is None and product != word and all(_is_unit(piece) for piece in product.split(".")):
        found = product
    if found is None and word != "nm":  # no unit here, and a torque as little as a length
        found = next((unit for unit in UNITS if unit.lower() == word.lower()), None)
    return f", did you mean {found!r}?" if found else ""


def _is_unit(word: str) -> bool:
    match = _FACTOR.fullmatch(word)
    return match is not None and match[1] in UNITS


def fits(dimension: Dimension, name: str) -> bool:
    """Whether a dimension may stand where the dimension called name is meant."""
    wanted = DIMENSIONS[name][0]
    if dimension[:3] != wanted[:3]:
        return False
    if dimension[3] == wanted[3]:
        return True
    return dimension[3] == 0 and dimension[:3] != (0, 0, 0)


def si_unit(name: str) -> str:
    """The SI unit of a dimension by its name ("length" gives "m")."""
    return DIMENSIONS[name][1]


def demand_clear(text: str) -> None:
    """UnitError where a unit behind * or / might be a variable as well."""
    for word in _BESIDE.findall(text) if UNIT_LIKE.get() else ():
        if word in UNIT_LIKE.get():
            raise UnitError(
                f"{word!r} may be a unit or the variable here: write ({word}) for the variable, {word[:-1]}^{word[-1]} for "
                "the unit"
            )


def convert(text: str, names: tuple[str, ...]) -> float:
    """The SI value of a text whose dimension must be one of names; a `Quantity` where there are several."""
    read = EXPRESSIONS.get()
    try:
        value, dimension = parse(text)
    except UnitError:
        expressed = None if read is None else read(text)
        if expressed is None:
            raise
        demand_dimension(expressed, names)
        return expressed if len(names) > 1 or isinstance(expressed, VariedNumber) else float(expressed)
    demand_clear(text)
    found = Quantity(value, text.strip(), dimension)
    if not any(serves(found, name) for name in names):
        hertz = "; Hz counts turns: write rev/s, rpm or rad/s" if any(fits(dimension, name) for name in names) else ""
        raise UnitError(f"a unit of another dimension{hertz}")
    return found if len(names) > 1 else value


def demand_dimension(found: Quantity, names: tuple[str, ...]) -> None:
    """UnitError where an expression gives none of the dimensions called names; a number serves as an angle in rad."""
    bare = found.dimension == (0, 0, 0, 0) and "angle" in names
    if not bare and not any(serves(found, name) for name in names):
        wanted = " or ".join(with_article(name) for name in names)
        plain = found.dimension == (0, 0, 0, 0)
        hint = f"; write its numbers with their unit, 0.2 {si_unit(names[0]) or '…'} say" if plain else ""
        raise UnitError(f"an expression that gives {dimension_in_words(found.dimension)}, not {wanted}{hint}")


def dimension_in_words(dimension: Dimension) -> str:
    """ "a length", or "m.kg" where it has no name."""
    name = next((key for key, (own, _) in DIMENSIONS.items() if own == dimension), None)
    return unit_of(dimension) if name is None else with_article(name)


def unit_of(dimension: Dimension) -> str:
    """The SI unit of a dimension, as it can be written; "" for a number."""
    name = next((key for key, (own, _) in DIMENSIONS.items() if own == dimension and key != "frequency"), None)
    if name is not None:
        return si_unit(name)
    powers = zip(("kg", "m", "s", "rad"), (dimension[k] for k in (1, 0, 2, 3)), strict=True)
    return ".".join(f"{unit}{'' if power == 1 else power}" for unit, power in powers if power)


def length_of_turn(value: Any) -> Any:
    """A length for every turn ("5 mm/rev", "5 mm per turn", "0.8 mm/rad") as the length (m, or a text); else as it is."""
    match = _PER_TURN.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= MOST_CHARACTERS else None
    if match is not None:
        return match[1]
    match = _PER_RADIAN.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= MOST_CHARACTERS else None
    if match is None:
        return value
    length = convert(match[1], ("length",))
    return f"2*pi*({match[1]})" if isinstance(length, VariedNumber) else 2 * math.pi * length


def misfit(given: object, unit: str, what: str) -> str:
    """What is wrong with a number or a unit as it was written where `what` ("pin") is measured in an SI unit ("rad", "N m");
    "" where nothing is, as with plain numbers."""
    if not isinstance(given, Quantity | WrittenUnit):
        return ""
    name = kind_of(unit)
    if name is not None and serves(given, name):
        return ""
    own = next((key for key, (dimension, _) in DIMENSIONS.items() if dimension == given.dimension), None)
    has = given.written if own is None or "Hz" in given.written else f"{given.written} is {with_article(own)}"
    if name is None or not si_unit(name):
        return f"{has}, and {what} {f'counts in {unit}' if name is None else 'is a number'}; write it without a unit"
    usual = COMMON.get(name, si_unit(name))
    return f"{has}, and {what} is {with_article(name)}; write {usual}, or a plain number in {si_unit(name)}"


def demand_fit(given: Mapping[str, object], known: Mapping[str, str], where: str) -> None:
    """UsageError where a number (or one of several) was written in a unit that its name has not. known: {name: SI unit}; other
    names are not judged."""
    for name, value in given.items():
        for entry in value if isinstance(value, list | tuple) else (value,):
            problem = misfit(entry, known[name], name) if name in known else ""
            if problem:
                raise UsageError(f"{where}: {problem}")


def kind_of(unit: str) -> str | None:
    """The dimension by its name of an SI unit as it is shown ("N m") or written ("N.m")."""
    plain = unit.replace(".", " ")
    return next(
        (name for name, (_, si) in DIMENSIONS.items() if si.replace(".", " ") == plain or (plain, si) == ("1", "")),
        None,
    )


def serves(given: Quantity | WrittenUnit, name: str) -> bool:
    """Whether what is written so may stand for a dimension by its name."""
    return fits(given.dimension, name) and (name == "frequency" or "Hz" not in given.written)


def with_article(name: str) -> str:
    """ "an angle", "a length"."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
