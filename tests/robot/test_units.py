"""Numbers with units: exact conversion, dimension check, refusals."""

import copy
import math
import pickle

import numpy as np
import pytest
from pydantic import ValidationError

from gough.robot import Body, ChainJoint, Drive, Friction, Pose
from inner.robot import Quantity, UnitError, convert, misfit, parse


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
        ("3 1/s", "angular speed", 3.0),
        ("400 1/s^2", "rate squared", 400.0),
        ("400 s-2", "rate squared", 400.0),
        ("4 N/m/kg", "rate squared", 4.0),
        ("20 /s", "rate", 20.0),
        ("2 1/ms", "rate", 2000.0),
        ("20 Hz", "frequency", 20.0),
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
        ("1 Hz", "angular speed"),
        ("1 Hz", "rate"),
        ("1 1/s", "rate squared"),
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


@pytest.mark.parametrize(
    "text",
    ["", "3", "mm", "3 foo", "1 2 mm", "3 kg.", "3 N/m.s", "nan m", "3 m22", "0x3 m", "3 1", "3 1.s", "3 2/s", "3 /"],
)
def test_nonsense_is_refused(text):
    with pytest.raises(UnitError):
        parse(text)


def test_python_takes_units_too():
    assert Body(mass="250 g").mass == 0.25  # type: ignore[arg-type]
    assert Pose(position=("12 mm", 0, 0)).position == (0.012, 0.0, 0.0)  # type: ignore[arg-type]
    assert Drive(rotor_inertia="3 kg.m2", stroke=("-1 deg", "1 rad")).stroke == (-math.pi / 180, 1.0)  # type: ignore[arg-type]


def test_numbers_remember_how_they_were_written():
    found = convert(" 30 mm", ("length", "angle"))
    assert found == 0.03 and type(convert("30 mm", ("length",))) is float and repr(found) == "0.03"
    for same in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert isinstance(same, Quantity) and same == 0.03 and same.written == "30 mm" and same.unit == "m"
        assert pickle.loads(pickle.dumps(same.unit)).written == "30 mm"
        assert misfit(same, "m", "slide") == ""
        assert misfit(same, "rad", "pin") == (
            "30 mm is a length, and pin is an angle; write rad or deg, or a plain number in rad"
        )
        assert misfit(same, "m kg^0.5", "e1") == "30 mm is a length, and e1 counts in m kg^0.5; write it without a unit"
        assert misfit(same, "1", "e1") == "30 mm is a length, and e1 is a number; write it without a unit"
    assert misfit(0.03, "rad", "pin") == ""
    assert misfit(convert("3 N.m", ("force", "torque")), "N m", "pin") == ""
    assert misfit(convert("3 N.m", ("stiffness", "angular stiffness")), "N m/rad", "pin") == ""


@pytest.mark.parametrize(
    ("kind", "given", "place"),
    [
        ("revolute", {"drive": Drive(force_limit="30 N")}, "drive.force_limit"),  # type: ignore[arg-type]
        ("prismatic", {"drive": Drive(stroke=("-1 deg", "1 deg"))}, "drive.stroke.1"),  # type: ignore[arg-type]
        ("revolute", {"friction": Friction(viscous="3 N.s/m")}, "friction.viscous"),  # type: ignore[arg-type]
        ("prismatic", {"friction": {"coulomb": "3 N.m"}}, "friction.coulomb"),
        ("cylindrical", {"friction": {"coulomb": "3 N"}}, "friction.coulomb"),
        ("planar", {"friction": Friction(smoothing="3 rad/s")}, "friction.smoothing"),  # type: ignore[arg-type]
    ],
)
def test_parts_made_before_their_joint(kind, given, place):
    with pytest.raises(ValueError, match=f"{place}\n"):
        ChainJoint(name="a", type=kind, **given)


def test_parts_made_before_their_joint_that_fit():
    made = ChainJoint(name="a", type="prismatic", drive=Drive(force_limit="30 N", stroke=("-1 mm", "3 mm")))  # type: ignore[arg-type]
    assert made.drive == Drive(force_limit=30, stroke=(-1e-3, 3e-3))
    assert ChainJoint(name="a", type="cylindrical", friction={"coulomb": 3}).friction.coulomb == 3  # type: ignore[arg-type]


def test_numbers_that_remember_their_unit_compute_as_numbers_do():
    given = convert("30 mm", ("length", "angle"))
    assert isinstance(given, Quantity)
    for made in (given - np.float64(0.01), given + np.float64(0.01), given * np.float64(2), given / np.float64(2)):
        assert type(made) is np.float64
    assert type(-given) is float and type(given + 1) is float
