"""Corners of tolerances, by hand, and hints at what is meant."""

from __future__ import annotations

from typing import Any

import pytest

import gough
from gough import DescriptionError
from studies.study.robots import EXAMPLES, slider, slider_study, study_of


def test_the_worst_corner_by_hand() -> None:
    """The piston's way is twice the crank."""
    built: dict[str, Any] = {"deviations": {"crank": 0.001, "rod": 0.002}, "draws": "corners"}
    study = slider_study(tolerances=built, minimise=["way"])
    assert study.evaluate()["way"] == pytest.approx(2 * 0.101, rel=1e-9)
    assert study.evaluator.tolerances is not None and study.evaluator.tolerances.words == "worst of 4 corners"
    drawn = slider_study(tolerances=built | {"draws": 8}, minimise=["way"])
    assert drawn.evaluator.tolerances is not None and drawn.evaluator.tolerances.words == "worst of 8 draws"
    assert 0.2 < drawn.evaluate()["way"] < 0.202


def test_corners_that_are_none() -> None:
    for more in ({"distribution": "normal"}, {"draws": "edges"}):
        with pytest.raises(DescriptionError, match="corners"):
            slider_study(tolerances={"deviations": {"crank": 0.001}, "draws": "corners"} | more)
    many = {"deviations": {"*.hip.[xyz]": "1 mm"}, "draws": "corners"}
    case = {"a": {"poses": [{"x": 0.1}]}}
    asked: dict[str, Any] = {"variables": {"base_radius": [0.8, 1.0]}, "cases": case, "measures": {"mass": "mass"}}
    with pytest.raises(DescriptionError, match="at most 10 deviations"):
        study_of(EXAMPLES / "motion_platform.yaml", **asked, tolerances=many)
    wrong = {"deviations": {"*.hipp.[xyz]": "1 mm"}}
    with pytest.raises(DescriptionError, match=r"did you mean '\*\.hip\.\[xyz\]'"):
        study_of(EXAMPLES / "motion_platform.yaml", **asked, tolerances=wrong)


def test_metres_that_may_be_millimetres() -> None:
    known: dict[str, Any] = {"variables": {"crank": [0.05, 0.2]}, "measures": {"mass": "mass"}}
    with (
        pytest.warns(gough.errors.UnitWarning, match="write '150 mm' or '150 m'"),
        pytest.raises(gough.errors.GoughError),
    ):
        gough.make_study({"robot": slider(), **known, "cases": {"a": {"poses": [{"slide": 150}]}}}).evaluate()
