"""Numbers with units: exact conversion, dimension check, refusals."""

import math

import pytest
from pydantic import ValidationError

from gough.robot import Body, Drive, Pose
from gough.robot.units import UnitError, convert, parse


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("12 mm", "length", 0.012),
        ("1.837e3mm", "length", 1.837),
        ("-3 cm", "length", -0.03),
        ("2 in", "length", 0.0508),
        ("7 um", "length", 7e-6),
        ("30 deg", "angle", math.radians(30)),
        ("90 °", "angle", math.pi / 2),
        ("1 rev", "angle", 2 * math.pi),
        ("250 g", "mass", 0.25),
        ("1e-3 kg.m2", "inertia", 1e-3),
        ("12 kg*mm^2", "inertia", 12e-6),
        ("5 g·m**2", "inertia", 5e-3),
        ("2 kN", "force", 2000.0),
        ("3 N.m", "torque", 3.0),
        ("3 Nm", "torque", 3.0),
        ("100 N/m", "stiffness", 100.0),
        ("1 N/mm", "stiffness", 1000.0),
        ("2 N.m/rad", "angular stiffness", 2.0),
        ("2 N.m", "angular stiffness", 2.0),
        ("1 N.m/deg", "angular stiffness", 180 / math.pi),
        ("4 N.s/m", "damping", 4.0),
        ("0.1 N.m.s/rad", "angular damping", 0.1),
        ("9.81 m/s2", "acceleration", 9.81),
        ("9.81 m.s-2", "acceleration", 9.81),
        ("60 rpm", "angular speed", 2 * math.pi),
        ("90 deg/s", "angular speed", math.pi / 2),
    ],
)
def test_value(text, dimension, value):
    assert convert(text, (dimension,)) == pytest.approx(value, rel=1e-15)


def test_decimal_units_are_exact():
    assert [convert(f"{n} mm", ("length",)) for n in range(2000)] == [float(f"{n}e-3") for n in range(2000)]


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("3 kg", "length"),
        ("30 deg", "length"),
        ("3 m", "angle"),
        ("1 Hz", "angular stiffness"),
        ("2 N.m/rad", "torque"),
        ("1 kg.m", "inertia"),
    ],
)
def test_other_dimension_is_refused(text, dimension):
    with pytest.raises(UnitError, match="another dimension"):
        convert(text, (dimension,))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1 Hz", ("angular speed",)),
        ("1Hz", ("speed", "angular speed")),
        ("2 N.m/Hz", ("angular damping",)),
        ("2 Nm/Hz", ("damping", "angular damping")),
        ("3 Hz2.kg.m2", ("torque",)),
        ("3 W/Hz", ("torque",)),
        ("3 Hz^2.kg.m^2/rad", ("angular stiffness",)),
    ],
)
def test_hertz_count_turns_and_are_no_radians(text, names):
    """[SI brochure, 2.3.4 and table 4]: the hertz is for periodic phenomena, a rotary speed is in rad/s."""
    with pytest.raises(UnitError, match=r"write rev/s, rpm or rad/s"):
        convert(text, names)


def test_a_drive_says_what_to_write_for_hertz():
    with pytest.raises(ValidationError, match=r"write rev/s, rpm or rad/s"):
        Drive(speed_limit="1 Hz")  # type: ignore[arg-type]
    assert Drive(speed_limit="1 rev/s").speed_limit == pytest.approx(2 * math.pi, rel=1e-15)  # type: ignore[arg-type]
    assert convert("5 Hz", ("frequency",)) == 5.0


@pytest.mark.parametrize("text", ["", "3", "mm", "3 foo", "1 2 mm", "3 kg.", "3 N/m.s", "nan m", "3 m22", "0x3 m"])
def test_nonsense_is_refused(text):
    with pytest.raises(UnitError):
        parse(text)


def test_python_takes_units_too():
    assert Body(mass="250 g").mass == 0.25  # type: ignore[arg-type]
    assert Pose(position=("12 mm", 0, 0)).position == (0.012, 0.0, 0.0)  # type: ignore[arg-type]
    assert Drive(rotor_inertia="3 kg.m2", stroke=("-1 deg", "1 rad")).stroke == (-math.pi / 180, 1.0)  # type: ignore[arg-type]
