"""Doubles beside USD's numbers in single precision: taken where they round to them, never where somebody changed these."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.interchange import ConversionWarning

MASS = "float physics:mass = 0.33333334"
TEXT = f"""#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "arm"
{{
    def Xform "bar" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        {MASS}
        custom double gough:physics:mass = 0.3333333333333333
        point3f physics:centerOfMass = (0.14285715, 0, 0.1)
        custom double3 gough:physics:centerOfMass = (0.14285714285714285, 0, 0.1)
        float3 physics:diagonalInertia = (1, 2, 2)
    }}
    def PhysicsRevoluteJoint "pivot" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {{
        uniform token physics:axis = "Z"
        rel physics:body1 = </arm/bar>
        quatf physics:localRot0 = (0.8660254, 0.5, 0, 0)
        custom quatd gough:physics:localRot0 = (0.8660254037844386, 0.5, 0, 0)
        quatf physics:localRot1 = (0.8660254, 0.5, 0, 0)
        custom quatd gough:physics:localRot1 = (0.8660254037844386, 0.5, 0, 0)
        float physics:lowerLimit = -57.29578
        custom double gough:physics:lowerLimit = -57.29577951308232
        float physics:upperLimit = 90
    }}
}}
"""


def read(folder: Path, text: str) -> tuple[gough.Robot, list[str]]:
    """(the robot, what is said of it)."""
    file = folder / "arm.usda"
    file.write_text(text)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        robot = gough.load(file)
    return robot, [str(w.message) for w in heard if issubclass(w.category, ConversionWarning)]


def test_doubles_are_read_where_they_are_the_same_numbers(tmp_path):
    robot, said = read(tmp_path, TEXT)
    (bar,), (pivot,) = robot.bodies, robot.joints
    assert bar.mass == 1 / 3 and bar.center_of_mass[0] == 1 / 7
    assert pivot.drive is not None and pivot.drive.stroke is not None
    np.testing.assert_allclose(pivot.drive.stroke, (-1.0, np.pi / 2), rtol=1e-15)
    assert not said


@pytest.mark.parametrize(
    ("old", "new", "mass", "words"),
    [
        (MASS, "float physics:mass = 0.5", 0.5, "physics:mass is 0.5, gough:physics:mass 0.3333333333333333"),
        (MASS, "float physics:mass = 0.33333337", 0.33333337, "physics:mass is 0.33333337, gough:"),
        ("custom double gough:physics:mass", "custom string gough:physics:mass", None, ""),
        ("gough:physics:mass = 0.3333333333333333", "gough:physics:mass = nan", 0.33333334, "gough:physics:mass nan"),
    ],
)
def test_what_somebody_changed_is_never_read_as_it_was(tmp_path, old, new, mass, words):
    assert old in TEXT
    text = TEXT.replace(old, new)
    if mass is None:
        text, mass, words = text.replace("= 0.3333333333333333\n", '= "1/3"\n'), 0.33333334, "gough:physics:mass 1/3"
    robot, (said,) = read(tmp_path, text)
    assert robot.bodies[0].mass == mass
    assert words in said and "/arm/bar" in said


def test_of_a_frame_no_part_is_taken_alone(tmp_path):
    _, (said,) = read(tmp_path, TEXT.replace("(0.14285715, 0, 0.1)", "(0.14285715, 0, 0.2)"))
    assert "physics:centerOfMass is 0.14285715, 0.0, 0.2, gough:physics:centerOfMass 0.142857" in said


def test_a_double_beside_nothing_is_said(tmp_path):
    robot, (said,) = read(tmp_path, TEXT.replace("        point3f physics:centerOfMass = (0.14285715, 0, 0.1)\n", ""))
    assert robot.bodies[0].center_of_mass == (0, 0, 0)
    assert "/arm/bar: gough:physics:centerOfMass is left out: there is no physics:centerOfMass beside it" in said
