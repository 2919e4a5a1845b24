"""Variables called m1, m2, s1: the unit right behind a number, the variable elsewhere, refused where both could be meant."""

from __future__ import annotations

import pytest

import gough
from gough.robot import DescriptionError, dumps, loads

ARM = """
format: 2
name: arm
variables: {m1: 2 kg, m2: 3 kg, s1: 0.5 m, h0: 40 mm, t1: 3 s, WHAT}
bodies: [{name: arm, mass: MASS, center_of_mass: [PLACE, 0, 0], inertia: {about: center_of_mass, zz: INERTIA}}]
joints: [{name: turn, type: revolute, parent: world, child: arm, drive: {}}]
"""


def text(what: str = "k: 1", mass: str = "m1", place: str = "s1", inertia: str = "0.3") -> str:
    return ARM.replace("WHAT", what).replace("MASS", mass).replace("PLACE", place).replace("INERTIA", inertia)


@pytest.mark.parametrize(
    ("mass", "place", "inertia", "values"),
    [
        ("m1", "s1", "0.3 kg.m2", (2.0, 1.0, 0.3)),
        ("m1 + m2", "2*s1", "m1*s1**2", (5.0, 5.0, 0.5)),
        ("2*m1 - 1 kg", "s1/2 + h0", "m2*1 m2/4", (3.0, 0.87, 0.75)),
        ("1 kg2/(m2)", "s1", "2 kg*m^2", (1 / 3, 0.5 / 3, 2.0)),
        ("m1*(1 m2)/(1 m2)", "h0*t1/(1 s)", "0.5*m1*s1**2", (2.0, 0.24, 0.25)),
    ],
)
def test_names_that_are_units_with_an_exponent(mass: str, place: str, inertia: str, values: tuple[float, ...]) -> None:
    robot = loads(text(mass=mass, place=place, inertia=inertia))
    arm = robot.bodies[0]
    found = arm.ten_parameters()
    assert found[[0, 1]] == pytest.approx(values[:2], rel=1e-14)
    central = found[9] - found[1] ** 2 / found[0]
    assert float(central) == pytest.approx(values[2], rel=1e-13)
    assert loads(dumps(robot)) == robot
    gough.build(robot)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"inertia": "2 kg*m2"}, "inertia.zz"),
        ({"mass": "3 kg2/m1"}, "mass"),
        ({"mass": "m1*(2/m2)*1 kg"}, "mass"),
        ({"what": "area: 3 kg*m2"}, "variables.area"),
        ({"what": "density: 3 kg/m1 + 1 kg/m"}, "variables.density"),
    ],
)
def test_where_both_could_be_meant(change: dict[str, str], place: str) -> None:
    with pytest.raises(
        DescriptionError, match=r"may be a unit or the variable here: write \(m[12]\) for the variable"
    ) as found:
        loads(text(**change))
    assert place in str(found.value)


def test_units_themselves_stay_taken() -> None:
    for name in ("m", "kg", "min", "deg"):
        with pytest.raises(DescriptionError, match=f"'{name}' is a"):
            loads(text(what=f"{name}: 3"))


def test_numbers_that_miss_a_unit_are_told_which() -> None:
    with pytest.raises(
        DescriptionError, match=r"gives a number, not a length; write its numbers with their unit, 0.2 m say"
    ):
        loads(text(place="0.2*cos(0.3)*m1/m1"))
    with pytest.raises(DescriptionError, match=r"both need the same unit: write the number with its unit, 1.2 rad say"):
        loads(text(what="lean: 1.2, tilt: lean - 90 deg"))
