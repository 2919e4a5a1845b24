"""How many geometric numbers measurements tell, against counts of others."""

import numpy as np
import pytest

import gough

BOTH = {"base": "unknown", "tool": "unknown"}


@pytest.mark.parametrize(
    ("name", "asked", "rank"),
    [
        ("fried", {}, 42),  # 6-UPS: 36 coordinates of joints and 6 lengths
        ("fried", BOTH, 30),  # the same without the frames of base and platform
        ("lopes", {}, 54),  # 6-PUS: 3R + P + SS + E + 6L + 6(F - 1) = 0 + 6 + 6 + 6 + 30 + 6 [Vischer and Clavel 1998]
        ("lopes", BOTH, 42),
        (
            "delta",
            {"generic": True},
            54,
        ),  # 9 + 0 + 6 + 3 + 30 + 6, "model 54" of Vischer and Clavel (Robotica 16, 1998)
        ("delta", BOTH | {"generic": True}, 42),
    ],
)
def test_counts_of_the_literature(name, asked, rank):
    model = gough.build(name)
    found = gough.identifiable_geometry(model, **asked)
    assert found.rank == rank and found.gap > 1e4
    assert found.gauges == ({"frame of the base": 6, "frame of the platform": 6} if "base" in asked else {})


def test_platform_that_does_not_turn_tells_less():
    assert gough.identifiable_geometry(gough.build("delta")).rank == 42


def test_unit_of_length_with_angles_alone():
    model = gough.build("three_rrr")
    found = gough.identifiable_geometry(model, components=(), encoders=[f"leg{k}.elbow" for k in range(3)])
    assert found.gauges["unit of length"] == 1
    slides = gough.identifiable_geometry(gough.build("lopes"), components=(), encoders=["leg0.elbow_1", "leg1.elbow_1"])
    assert "unit of length" not in slides.gauges  # encoders of slides know the metre


def test_combinations_are_what_no_change_moves():
    found = gough.identifiable_geometry(gough.build("lopes"))
    assert "leg1.slide.x + leg1.elbow.x" in found.combinations or "leg1.elbow.x + leg1.slide.x" in found.combinations
    assert any(set(c.split(" + ")) == {"leg2.slide.z", "leg2.elbow.z", "leg2.slide.zero"} for c in found.combinations)
    assert len(found.combinations) == found.rank == len(found.kept)
    assert found.null_space.shape == (150, 96)
    assert np.allclose(found.null_space.T @ found.null_space, np.eye(96))
    assert "54 combinations of 150" in str(found)


def test_structural_zeros_count():
    """Derivatives by numbers that are 0 in the description are not lost: rails that are upright tell their tilt."""
    found = gough.identifiable_geometry(gough.build("lopes"), unknowns=["leg*.slide.pitch", "leg*.slide.roll"])
    assert found.rank == 12 and len(found.alone) == 12


def test_a_robot_without_redundant_closures_locks_nothing():
    assert gough.identifiable_geometry(gough.build("fried")).locked == 0
    assert gough.identifiable_geometry(gough.build("three_rrr")).locked == 21
