"""Values on the command line: numbers with units, NAME=VALUE, ranges, orientations."""

import math
from typing import TYPE_CHECKING

from gough.cli.output import note
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.model import Model

PLACES = ("length", "angle")
RATES = ("speed", "angular speed")


def number(text: str, where: str, dimensions: tuple[str, ...] = PLACES) -> float:
    """A finite number in SI units, or with a unit ("20 mm", "5deg")."""
    from gough.robot.fields import expectation, number_fault
    from gough.robot.units import UnitError, convert

    try:
        value = float(text)
    except ValueError:
        try:
            value = convert(text, dimensions)
        except UnitError as error:
            kinds = expectation(dimensions).removeprefix("a ")
            raise UsageError(f"{where}: {error}; {text!r} is not a number or {kinds}, or with another unit") from None
    if not math.isfinite(value):
        raise UsageError(f"{where}: {text!r} is not finite")
    fault = number_fault(value, dimensions)
    if fault is not None:
        raise UsageError(f"{where}: {fault.message}")
    return value


def positive(text: str | None, option: str, dimensions: tuple[str, ...], wanted: str) -> float | None:
    """A positive number in SI units, or with a unit; None where nothing is given."""
    if text is None:
        return None
    value = number(text, f"{option} {text!r}", dimensions)
    if value <= 0:
        raise UsageError(f"{option} {text!r}: not positive; give {wanted}")
    return value


def seconds(text: str | None, option: str) -> float | None:
    """A time from "0.01", "100us", "25 s"."""
    return positive(text, option, ("time",), "a time in s, or with its unit: 100us, 1ms")


def coordinate_values(texts: list[str] | None, option: str, model: "Model") -> dict[str, float]:
    """{coordinate: SI number} from NAME=VALUE."""
    from gough.kinematics.leading import coordinate_units

    return _named_values(texts, option, PLACES, coordinate_units(model))


def rate_values(texts: list[str] | None, option: str, model: "Model") -> dict[str, float]:
    """{independent velocity: SI number} from NAME=VALUE."""
    from gough.simulation.scenarios.scenario import rate_units

    return _named_values(texts, option, RATES, rate_units(model))


def _named_values(
    texts: list[str] | None, option: str, dimensions: tuple[str, ...], units: dict[str, str]
) -> dict[str, float]:
    from gough.robot.units import demand_fit

    found: dict[str, float] = {}
    for text in texts or []:
        name, value = _split(text, option, "NAME=VALUE")
        if name in found:
            raise UsageError(f"{option} {text!r}: {name} is given twice; leave one out")
        found[name] = number(value, f"{option} {text!r}", dimensions)
        if units.get(name) == "rad":
            _doubt_angles([value], f"{option} {text!r}")
    demand_fit(found, units, option)
    return found


def range_values(texts: list[str], random: bool, model: "Model") -> dict[str, tuple]:
    """{name: (low, high, points)} from NAME=LOW:HIGH:POINTS, in units of the model; without points for random samples."""
    from gough.kinematics.leading import coordinate_units
    from gough.robot.units import demand_fit

    units = coordinate_units(model)
    wanted = "NAME=LOW:HIGH" if random else "NAME=LOW:HIGH:POINTS"
    found: dict[str, tuple] = {}
    for text in texts:
        name, parts = _split(text, "--range", wanted)
        pieces = parts.split(":")
        if len(pieces) != (2 if random else 3):
            raise UsageError(f"--range {text!r}; give {wanted}" + ("" if random else ", for instance x=-0.2:0.2:41"))
        if name in found:
            raise UsageError(f"--range: {name} is given twice")
        points = () if random else (_points(text, pieces[2]),)
        found[name] = (*(number(piece, f"--range {text!r}") for piece in pieces[:2]), *points)
        if units.get(name) == "rad":
            _doubt_angles(pieces[:2], f"--range {text!r}")
    demand_fit(found, units, "--range")
    return found


def orientation_rows(texts: list[str]) -> list[list[float]]:
    """Rows yaw, pitch, roll from YAW,PITCH,ROLL."""
    rows = [[number(x, f"--orientation {text!r}", ("angle",)) for x in text.split(",")] for text in texts]
    for text, row in zip(texts, rows, strict=True):
        if len(row) != 3:
            raise UsageError(f"--orientation {text!r}; give YAW,PITCH,ROLL, for instance 0,10deg,0")
        _doubt_angles(text.split(","), f"--orientation {text!r}")
    return rows


def _doubt_angles(texts: list[str], where: str) -> None:
    """Say which angles of more than a turn have no unit, as descriptions do."""
    from gough.robot.checks.bare_angles import FULL_TURN

    for text in texts:
        try:
            x = float(text)
        except ValueError:  # it has a unit
            continue
        if abs(x) > FULL_TURN:
            said = f"{x:g} without a unit is {x:g} rad, {abs(x) / FULL_TURN:.3g} turns; write {x:g}deg or {x:g}rad"
            note(f"warning: {where}: {said}")


def _points(where: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"--range {where!r}: {text!r} is not a whole number of points") from None


def _split(text: str, option: str, wanted: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise UsageError(f"{option} {text!r}; give {option} {wanted}")
    return name.strip(), value.strip()
