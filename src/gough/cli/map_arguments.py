"""Ranges, fixed values and orientations of `gough map` from text."""

import math
from typing import TYPE_CHECKING

from gough.errors import UsageError
from gough.robot.units import UnitError, convert, demand_fit

if TYPE_CHECKING:
    from gough.model import Model


def range_values(texts: list[str], random: bool, model: "Model") -> dict[str, tuple]:
    """{name: (low, high, points)} from NAME=LOW:HIGH:POINTS, in units of the model; without points for random samples."""
    from gough.kinematics.leading import coordinate_units

    wanted = "NAME=LOW:HIGH" if random else "NAME=LOW:HIGH:POINTS"
    found: dict[str, tuple] = {}
    for text in texts:
        name, parts = _split(text, f"--range {wanted}")
        pieces = parts.split(":")
        if len(pieces) != (2 if random else 3):
            raise UsageError(f"--range {text!r}; give {wanted}" + ("" if random else ", for instance x=-0.2:0.2:41"))
        if name in found:
            raise UsageError(f"--range: {name} is given twice")
        points = () if random else (_points(text, pieces[2]),)
        found[name] = (number(pieces[0], text), number(pieces[1], text), *points)
    demand_fit(found, coordinate_units(model), "--range")
    return found


def fixed_values(texts: list[str], option: str, model: "Model") -> dict[str, float]:
    """{name: value} from NAME=VALUE, in units of the model."""
    from gough.kinematics.leading import coordinate_units

    found: dict[str, float] = {}
    for text in texts:
        name, value = _split(text, f"{option} NAME=VALUE")
        if name in found:
            raise UsageError(f"{option} {text!r}: {name} is given twice; leave one out")
        found[name] = number(value, f"{name}={value}")
    demand_fit(found, coordinate_units(model), option)
    return found


def orientation_rows(texts: list[str]) -> list[list[float]]:
    """Rows yaw, pitch, roll from YAW,PITCH,ROLL."""
    rows = [[number(x, text, ("angle",)) for x in text.split(",")] for text in texts]
    for text, row in zip(texts, rows, strict=True):
        if len(row) != 3:
            raise UsageError(f"--orientation {text!r}; give YAW,PITCH,ROLL, for instance 0,10deg,0")
    return rows


def number(text: str, where: str, dimensions: tuple[str, ...] = ("length", "angle")) -> float:
    """A number in SI units, or with a unit of length or angle ("20 mm", "5deg")."""
    try:
        value = float(text)
    except ValueError:
        try:
            value = convert(text, dimensions)
        except UnitError as error:
            raise UsageError(
                f"{where!r}: {text!r} is not a number or {' or '.join(dimensions)} with its unit ({error})"
            ) from None
    if not math.isfinite(value):
        raise UsageError(f"{where!r}: {text!r} is not finite")
    return value


def _points(where: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"--range {where!r}: {text!r} is not a whole number of points") from None


def _split(text: str, wanted: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise UsageError(f"{text!r}; give {wanted}")
    return name.strip(), value.strip()
