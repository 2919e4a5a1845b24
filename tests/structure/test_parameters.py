"""The parameter vector: structural zeros and right angles, `free`, and designs that break the pattern."""

import math

import numpy as np
import pytest

import gough
from gough.robot import loads
from gough.structure import ParameterTable
from gough.structure.parameters import GrowingTable, structural_value


def table() -> ParameterTable:
    t = GrowingTable()
    for name, value, unit in [
        ("a.x", 0.0, "m"),
        ("a.y", 0.5, "m"),
        ("a.yaw", math.pi / 2, "rad"),
        ("b.yaw", 0.3, "rad"),
        ("b.z", -0.0, "m"),
        ("b.roll", math.pi + 5e-13, "rad"),
    ]:
        t.add(name, value, unit)
    return t.finish()


def test_zeros_and_right_angles_are_structure() -> None:
    assert table().structural() == {0: 0.0, 2: math.pi / 2, 4: 0.0, 5: math.pi}


@pytest.mark.parametrize(
    ("value", "unit", "exact"),
    [
        (1e-300, "m", None),
        (1e-13, "m", None),
        (0.0, "kg", 0.0),
        (1e-13, "rad", 0.0),
        (2e-12, "rad", None),
        (-math.pi / 2, "rad", -math.pi / 2),
        (math.nan, "m", None),
    ],
)
def test_structural_value(value: float, unit: str, exact: float | None) -> None:
    assert structural_value(value, unit) == exact


def test_free_names_and_prefixes() -> None:
    assert table().structural(["a.x"]) == {2: math.pi / 2, 4: 0.0, 5: math.pi}
    assert table().structural(["a.*"]) == {4: 0.0, 5: math.pi}
    assert table().structural(["*"]) == {}
    with pytest.raises(gough.UsageError, match="nothing"):
        table().structural(["nothing"])


def test_designs_that_break_the_pattern_are_refused_by_name() -> None:
    t = table()
    pattern = t.structural()
    values = np.array(t.values)
    t.check(np.stack([values, values]), pattern)
    changed = np.stack([values, values])
    changed[1, 0] = 1e-12
    with pytest.raises(gough.PatternError, match=r"a\.x.*free="):
        t.check(changed, pattern)
    changed = values.copy()
    changed[2] += 1e-6
    with pytest.raises(gough.PatternError, match=r"a\.yaw"):
        t.check(changed, pattern)
    values[2] += 5e-13  # within the tolerance of a right angle
    t.check(values, pattern)


def test_nan_breaks_the_pattern() -> None:
    t = table()
    values = np.array(t.values)
    values[0] = np.nan
    with pytest.raises(gough.PatternError):
        t.check(values, t.structural())


def test_wrong_length() -> None:
    with pytest.raises(gough.UsageError, match=r"expected \(\.\.\., 6\)"):
        table().check(np.zeros(5), {})


def test_units_are_told_and_gears_are_in_rotor_inertias() -> None:
    """Units by dimension: a power is viscous · rate², so N m s/rad where rates are rad/s; both where a joint turns and slides."""
    text = """
format: 1
name: units
bodies: [{name: a, mass: 1, center_of_mass: [0.1, 0, 0]}, {name: b, mass: 1}, {name: c, mass: 1}]
joints:
  - {name: R, type: revolute, parent: world, child: a, drive: {rotor_inertia: 0.5, gear: 2, viscous: 0.1},
     spring: {stiffness: 3, rest: 90 deg}}
  - {name: P, type: prismatic, axis: [1, 0, 0], parent: a, child: b, friction: {coulomb: 2}, drive: {rotor_inertia: 0.5}}
  - {name: C, type: cylindrical, parent: b, child: c, friction: {viscous: 1}}
velocities: [R, P, C_angle, C_offset]
springs: [{name: k, from: {body: world}, to: {body: b, position: [0, 1, 0]}, stiffness: 10}]
"""
    m = gough.build(loads(text))
    found = dict(zip(m.parameter_names, zip(m.parameters, m.mechanism.table.units, strict=True), strict=True))
    assert found["R.rotor_inertia"] == (2.0, "kg m2 at the joint: gear^2 = 4 is in it")
    assert found["P.rotor_inertia"] == (0.5, "kg")
    assert found["R.drive.friction.viscous"][1] == "N m s/rad"
    assert found["P.friction.coulomb"] == (2.0, "N")
    assert found["C.friction.viscous"][1] == "N m s/rad or N s/m"
    assert [found[f"R.spring.{n}"][1] for n in ("stiffness", "damping", "rest")] == ["N m/rad", "N m s/rad", "radian"]
    assert found["k.rest_length"][1] == "m" and not any(unit == "SI" for _, unit in found.values())
    assert "R.spring.rest" not in [m.parameter_names[i] for i in m.pattern]  # a right angle of a spring is no structure
