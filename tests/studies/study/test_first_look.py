"""What would go wrong without a word: grids that begin out of reach, guides, folders of other studies, bounds on both sides."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.cli import design
from gough.robot import loads
from gough.studies import _pareto, _running
from studies.study.robots import EXAMPLES, slider_study, study_of

TEXT = (EXAMPLES / "two_slides.yaml").read_text()
SLIDES = str(EXAMPLES / "two_slides.yaml")


def test_a_grid_may_begin_out_of_reach() -> None:
    """Slides go anywhere, so a pose is reached where its height is below the rods."""
    study = study_of(
        SLIDES,
        variables={"rod": [0.45, 1.2]},
        cases={"box": {"grid": {"y": [0.8, 0.2, 4], "x": [-0.2, 0.2, 3]}}},
        measures={"reach": {"measure": "workspace", "case": "box"}},
        maximise="reach",
        search={"method": "grid", "count": 2},
    )
    found = study.evaluator.evaluate(np.array([[0.5], [0.7], [1.0]])).values[:, 0]
    assert found == pytest.approx(np.array([6, 9, 12]) * 0.2 * 0.2)
    assert study.evaluator.measures[0].unit == "m2"


def test_a_guide_of_the_platform_is_no_joint_on_the_base() -> None:
    text = TEXT.replace("{name: left, like: prr}", "{name: left, like: prr, base: {position: [-0.3, 0, 0]}}")
    text = text.replace("{name: right, like: prr}", "{name: right, like: prr, base: {position: [0.1, 0, 0]}}")
    assert text.count("base:") == 2
    study = study_of(loads(text), variables={"rod": [0.45, 1.2]}, measures={"floor": "footprint"})
    assert study.evaluate()["floor"] == pytest.approx(np.pi * 0.2**2)


def test_parts_know_coordinates_and_wrenches() -> None:
    def subject(pose: dict[str, float], force: float) -> object:
        cases = {"one": {"poses": [pose], "wrench": [force, 0, 0, 0, 0, 0]}}
        measures = {"force": {"measure": "peak force", "case": "one"}}
        return _running.subject_of(study_of(SLIDES, variables={"rod": [0.45, 1.2]}, cases=cases, measures=measures))[
            "cases"
        ]

    assert subject({"x": 0.3, "y": 0.35}, 1.0) != subject({"y": 0.3, "x": 0.35}, 1.0)
    assert subject({"x": 0.3, "y": 0.35}, 1.0) != subject({"x": 0.3, "y": 0.35}, 1.0 + 1e-12)
    assert subject({"x": 0.3, "y": 0.35}, 1.0) == subject({"x": 0.3, "y": 0.35}, 1.0)


def test_both_bounds_are_judged_by_their_own_worst_robots() -> None:
    study = slider_study(
        constraints={"way": {"at_least": 0.199, "at_most": 0.5}},
        tolerances={"deviations": {"crank": 0.01}, "draws": 16, "seed": 2},
    )
    d = study.evaluator.tolerances
    assert d is not None
    g = study.evaluator.evaluate(np.array([[0.1, 0.3]])).constraints[0]
    least, most = (2 * (0.1 + x) for x in (d.deviations[:, 0].min(), d.deviations[:, 0].max()))
    assert g == pytest.approx([(0.199 - least) / 0.199, (most - 0.5) / 0.5], rel=1e-9)


def test_a_front_of_numbers_of_very_different_size() -> None:
    F = np.array([[1e9, 2e-9], [1e9, 1e-9], [2e9, 1e-9]])
    assert _pareto.front_rows(F).tolist() == [False, True, False]


def test_numbers_are_printed_with_all_their_digits() -> None:
    study = study_of(
        SLIDES,
        variables={"rod": [0.61, 1.2]},
        cases={"heights": {"poses": [{"y": 0.306}, {"y": 0.6}]}},
        measures={"dexterity": {"measure": "dexterity", "case": "heights"}},
        maximise="dexterity",
        search={"method": "gradient", "starts": 1},
    )
    assert "design 0: dexterity 0.51" in design.lines_of(study.run(), None)


def test_what_is_not_there_is_said() -> None:
    found = slider_study(search={"method": "grid", "count": 2}).run()
    for bad in (7, "crank"):
        with pytest.raises(gough.UsageError, match="the front has 0 … 0"):
            found.variables(bad)  # type: ignore[arg-type]
    free = slider_study(minimise=(), search={"method": "grid", "count": 2}, keep="sample").run()
    with pytest.raises(gough.UsageError, match="without an objective"):
        free.variables()
    with pytest.raises(gough.UsageError, match="no variable 'cranc'"):
        slider_study().gradients({"cranc": 0.1})
    with pytest.raises(gough.UsageError, match="at most"):
        slider_study(search={"method": "sobol", "count": 2**40}).run()
    for keys in (
        {"cases": {"turn": {"poses": [{}], "wrench": {"pistn": [0] * 6}}}},
        {"tolerances": {"deviations": {}}},
        {"cases": {"turn": {"grid": {"motor": [1, 1, 3]}}}},
        {"cases": {"turn": {"motion": "x.yaml", "samples": 10**9}}},
    ):
        with pytest.raises(gough.DescriptionError, match=r"no frame|no deviations|points from|too many"):
            slider_study(**keys)
