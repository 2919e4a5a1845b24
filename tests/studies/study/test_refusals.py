"""What people write that cannot be meant: refused where it stands, with a word on what to write."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from studies.study.robots import EXAMPLES, study_of

TWO_SLIDES = (EXAMPLES / "two_slides.yaml").read_text().replace("rod: 0.5 m", "rod: 0.8 m")


def two_slides(**keys: Any) -> gough.Study:
    known = {
        "variables": {"rod": [0.61, 1.2]},
        "cases": {"a": {"poses": [{"y": 0.3}, {"y": 0.6}]}},
        "measures": {"d": {"measure": "dexterity", "case": "a"}},
        "maximise": "d",
        "search": {"method": "grid", "count": 5},
    }
    return study_of(loads(TWO_SLIDES), **known | keys)


def test_names_that_tables_cannot_hold() -> None:
    for name in ('a"b', "a\nb", "a\u202eb", " "):
        with pytest.raises(gough.DescriptionError, match="not a name"):
            two_slides(measures={name: "mass"}, maximise=name)


def test_arguments_of_results_and_studies() -> None:
    found = two_slides().run()
    calls = [
        lambda: found.variables(True),  # type: ignore[arg-type]
        lambda: found.nearest({"d": float("nan")}),
        lambda: found.nearest({"d": "abc"}),  # type: ignore[dict-item]
        lambda: found.nearest(3),  # type: ignore[arg-type]
        lambda: found.slices(points="a"),  # type: ignore[arg-type]
        lambda: found.slices(points=-1),
        lambda: found.study.evaluate([1]),  # type: ignore[arg-type]
        lambda: found.study.evaluate({"rod": None}),  # type: ignore[dict-item]
        lambda: found.study.gradients({"rod": "0.8 m"}),  # type: ignore[dict-item]
    ]
    for call in calls:
        with pytest.raises(gough.UsageError):
            call()
    assert found.nearest({"d": 1.0}) == 0 and found.study.evaluate({"rod": np.float64(0.8)})["d"] > 0


def test_ranges_in_millimetres_are_noticed() -> None:
    """Rods of 610 … 1200 m take no pose, those of 610 … 1200 mm all."""
    wide = two_slides(variables={"rod": [610, 1200]})
    with pytest.warns(gough.errors.VariableWarning, match=r"rod: \[610 mm, 1200 mm\]"):
        found = wide.run()
    with pytest.raises(gough.UsageError, match="SI units"):
        found.variables()
    with pytest.warns(gough.errors.VariableWarning, match="case 'a': 2 of 2 states are not taken"):
        short = two_slides(variables={"rod": [0.1, 0.2]}).run()
    assert short.robots == 0 and "mm" not in short.hint


def test_a_coordinate_that_does_not_move_is_no_pose() -> None:
    """A planar robot stays in its plane; where that is may be said."""
    for pose in ({"x": 0.02, "z": 0.3}, {"x": 0.02, "pitch": 0.1}):
        with pytest.raises(gough.DescriptionError, match="stays at"):
            study_of(
                "three_rrr",
                variables={"leg0.pin.on_leg.x": [0.2, 0.5]},
                cases={"a": {"poses": [pose]}},
                measures={"F": {"measure": "dexterity", "case": "a"}},
            )
    same = [
        study_of(
            "three_rrr",
            variables={"leg0.pin.on_leg.x": [0.2, 0.5]},
            cases={"a": {"poses": [pose]}},
            measures={"F": {"measure": "dexterity", "case": "a"}},
        ).evaluate()["F"]
        for pose in ({"x": 0.02, "y": 0.0, "yaw": 0.1}, {"x": 0.02, "y": 0.0, "yaw": 0.1, "z": 0.0, "roll": 0.0})
    ]
    assert same[0] == same[1]


def test_one_point_of_a_grid_is_at_one_place() -> None:
    def workspace(*axis: float) -> dict[str, float]:
        return two_slides(
            cases={"box": {"grid": {"x": [-0.1, 0.1, 3], "y": list(axis)}}},
            measures={"reach": {"measure": "workspace", "case": "box"}},
            maximise="reach",
        ).evaluate({"rod": 0.8})

    assert workspace(0.4, 0.4, 1)["reach"] == pytest.approx(0.3)  # three steps of 0.1 m
    with pytest.raises(gough.DescriptionError, match=r"y: 1 points from 0\.3 to 0\.6.*one point at one place"):
        workspace(0.3, 0.6, 1)
