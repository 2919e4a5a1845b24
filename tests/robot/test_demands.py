"""What keys demand of numbers, and of each other, where these are expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import Status, UsageError
from gough.robot import DescriptionError, loads
from inner.export import export_texts

BASE = """
format: 2
name: demanding
variables: {r: 2, l: 5 mm, k: 1, ri: 10 mm, x: 0.3, al: 70 deg}
gravity: [0, 0, 0]
bodies:
  - {name: a, BODY}
  - {name: b, mass: 1, inertia: {about: origin, xx: 1, yy: 1, zz: 1}}
joints:
  - {name: one, type: revolute, parent: world, child: a, drive: {DRIVE}SPRING}
  - {name: two, type: TWO, parent: world, child: b}
MORE
"""
PLAIN = {
    "BODY": "mass: 1, inertia: {about: origin, xx: 1, yy: 1, zz: 1}",
    "DRIVE": "",
    "SPRING": "",
    "TWO": "revolute",
    "MORE": "velocities: [one, two]",
}
MIMIC = "couplings: [{name: c, type: mimic, joint: two, of: one, ratio: RATIO}]"
GEAR = "couplings: [{name: c, type: gear, joints: [one, two], ratio: RATIO}]"


def text(**changes: str) -> str:
    out = BASE
    for key, value in (PLAIN | changes).items():
        out = out.replace(key, value)
    return out


ZEROS = {
    "drive.gear": {"DRIVE": "gear: EXPRESSION"},
    "drive.weight": {"DRIVE": "weight: EXPRESSION"},
    "couplings[0].ratio": {"MORE": MIMIC.replace("RATIO", "EXPRESSION")},
    "couplings[0].coefficients.one": {
        "MORE": "couplings: [{name: c, type: differential, coefficients: {one: EXPRESSION, two: 1}}]"
    },
    "joints[1].lead": {"TWO": "ball_screw, lead: EXPRESSION"},
    "couplings[0].radii[0]": {"MORE": "couplings: [{name: c, type: gear, joints: [one, two], radii: [EXPRESSION, l]}]"},
}
LENGTHS = ("joints[1].lead", "couplings[0].radii[0]")


@pytest.mark.parametrize("place", ZEROS)
def test_a_zero_is_refused_as_one_however_it_is_written(place: str) -> None:
    written = text(**ZEROS[place])
    name, fixed = ("l", "5 mm") if place in LENGTHS else ("k", "1")
    model = gough.build(loads(written.replace("EXPRESSION", name)))
    for zero in ("0", f"{name}-{name}"):
        with pytest.raises(DescriptionError) as caught:
            loads(written.replace("EXPRESSION", zero))
        assert place in str(caught.value) and "zero" in str(caught.value) and "negative (" not in str(caught.value)
    with pytest.raises(DescriptionError, match="zero"):
        model.robot.with_variables({name: 0.0})
    with pytest.raises(UsageError, match="would be 0"):
        model.parameters_with(variables={name: np.array([1.0, 0.0])})
    gough.build(loads(written.replace("EXPRESSION", fixed)))


RELATIONS = {
    "gear": ({"MORE": GEAR.replace("RATIO", "r")}, {"r": -3.0}, "a gear with a negative ratio"),
    "small ratio": ({"MORE": MIMIC.replace("RATIO", "r")}, {"r": 1e-20}, "its numbers are too far apart"),
    "large ratio": ({"MORE": MIMIC.replace("RATIO", "r")}, {"r": 1e12}, "its numbers are too far apart"),
    "tube": ({"BODY": "shape: {tube: {mass: 1, length: 1, radius: 20 mm, inner_radius: ri}}"}, {"ri": 0.03}, "larger"),
    "mass": ({"BODY": "mass: 1 kg*k, inertia: {about: origin, xx: 1, yy: 1, zz: 1}"}, {"k": -1.0}, "negative mass"),
    "table": ({"SPRING": ", spring: {table: [[0, 0], [x, 1], [0.5, 3]]}"}, {"x": 0.6}, "not above the one before"),
    "lead": ({"TWO": "ball_screw, lead: l"}, {"l": 0.0}, "lead is zero"),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_numbers_that_cannot_be_are_refused_by_all_that_takes_variables(name: str) -> None:
    changes, values, message = RELATIONS[name]
    model = gough.build(loads(text(**changes)))
    with pytest.raises(DescriptionError, match=message):
        model.robot.with_variables(values)
    with pytest.raises(UsageError):
        model.parameters_with(variables=values)
    function = model.function("bias_force", variables=True)
    bad = model.variables.values.copy()
    for variable, x in values.items():
        bad[model.variables.names.index(variable)] = x
    state = {"q": model.home, "v": np.full(model.layout.nv, 0.3)}
    for made in (function, function.compile()):
        found = made(**state, variables=np.array([bad, model.variables.values]))
        assert found.status.tolist() == [Status.DESIGN, Status.OK]
        assert np.isnan(found.outputs["h"][0]).all()
    ours = model.bias_force(model.home, state["v"])
    np.testing.assert_allclose(found.outputs["h"][1], ours, atol=1e-14)


def test_the_angle_of_a_cut_may_follow_a_variable_through_a_right_angle() -> None:
    free = "free, pose: {position: [0, 0, 0]}"
    loop = "loops: [{name: u, type: universal, axes: [[1, 0, 0], [0, 1, 0]], angle: al, first: {body: world}, second: {body: b}}]"
    robot = loads(text(TWO=free, MORE=loop + "\nvelocities: [one, two_wx, two_wy]"))
    right = gough.build(robot.with_variables({"al": "90 deg"}))
    assert right.moved_parameters("al") == ["u.angle"]
    with pytest.raises(UsageError, match="its axes are not all but parallel"):
        right.parameters_with(variables={"al": np.radians([80.0, 3.0])})
    with pytest.raises(DescriptionError, match="all but parallel"):
        robot.with_variables({"al": "177 deg"})


def test_a_negative_ratio_and_one_that_moves_nothing_are_named_as_what_they_are() -> None:
    with pytest.raises(DescriptionError, match=r"couplings\[0\].ratio: a gear with a negative ratio"):
        loads(text(MORE=GEAR.replace("RATIO", "-r")))
    with pytest.raises(DescriptionError, match="c leaves one no motion: its numbers are too far apart"):
        loads(text(MORE=MIMIC.replace("RATIO", "1.0e+12")))


@pytest.mark.parametrize(
    "values",
    [None, "k", {1: 2.0}, {"k": np.array([1.0, 2.0])}, {"k": None}, {"k": True}, {"k": np.nan}, {"k": 10**400}],
)
def test_values_that_are_none_are_refused_in_words(values: Any) -> None:
    with pytest.raises(UsageError, match=r"with_variables|variable k: .* is not a finite number"):
        loads(text(DRIVE="gear: k")).with_variables(values)


def test_keys_that_become_equal_in_a_copy_are_refused() -> None:
    relation = "type: differential, coefficients: {one: 1, <w>: 2, two: 5}"
    pattern = f"couplings: [{{name: 'c_<w>', pattern: {{listed: [{{w: two}}]}}, {relation}}}]"
    with pytest.raises(DescriptionError, match="becomes 'two' in a copy, which is written there already"):
        loads(text(MORE=pattern))
    assert loads(text(MORE=pattern.replace(", two: 5", ""))).couplings[0].coefficients == {"one": 1.0, "two": 2.0}


@pytest.mark.parametrize("value", ["yes", "on", "1", "'true'"])
def test_internal_is_true_or_false(value: str) -> None:
    gear = GEAR.replace("RATIO", f"r, internal: {value}")
    with pytest.raises(DescriptionError, match=r"couplings\[0\].internal: neither true nor false"):
        loads(text(MORE=gear))
    assert loads(text(MORE=GEAR.replace("RATIO", "r, internal: true"))).couplings[0].internal


def test_exported_functions_of_variables_bear_the_robots_name_once() -> None:
    model = gough.build(loads(text(DRIVE="gear: k")))
    for function, name in (
        (model.function("mass_matrix", variables=True), "demanding_mass_matrix_of_variables"),
        (model.function("mass_matrix"), "demanding_mass_matrix"),
    ):
        assert set(export_texts(model, function)) == {f"{name}.h", f"{name}.c", f"{name}_test.c"}
