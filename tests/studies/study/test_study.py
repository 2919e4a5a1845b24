"""Studies beside closed forms: the slider-crank, and the even robot of two slides."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from studies.study.robots import EXAMPLES, slider, slider_study, study_of


def torque(r: complex, l: complex, m: float, a: Any, w: float) -> Any:
    """Of a massless crank and rod that move a piston without weight along x: τ ω = m ẍ ẋ."""
    root = np.sqrt(l**2 - (r * np.sin(a)) ** 2)
    x1 = -r * np.sin(a) - r**2 * np.sin(a) * np.cos(a) / root
    x2 = -r * np.cos(a) - r**2 * np.cos(2 * a) / root - r**4 * (np.sin(a) * np.cos(a)) ** 2 / root**3
    return m * x2 * w**2 * x1


def test_measures_of_a_slider_crank() -> None:
    study = slider_study()
    a = np.linspace(0, 2 * np.pi, 181)
    for r, l in ((0.1, 0.3), (0.06, 0.5), (0.19, 0.26)):
        found = study.evaluate({"crank": r, "rod": l})
        assert found["way"] == pytest.approx(2 * r, rel=1e-9)
        assert found["torque"] == pytest.approx(np.abs(torque(r, l, 2.0, a, 2 * np.pi)).max(), rel=1e-9)


def test_gradients_of_a_slider_crank() -> None:
    study = slider_study()
    at = {"crank": 0.12, "rod": 0.31}
    found, a = study.gradients(at), np.linspace(0, 2 * np.pi, 181)
    k = np.abs(torque(0.12, 0.31, 2.0, a, 2 * np.pi)).argmax()

    def of(r: complex, l: complex) -> Any:  # complex step
        return np.sign(torque(0.12, 0.31, 2.0, a, 2 * np.pi)[k]) * torque(r, l, 2.0, a[k], 2 * np.pi)

    h = 1e-30
    assert found["torque"]["crank"] == pytest.approx(of(0.12 + 1j * h, 0.31).imag / h, rel=1e-9)
    assert found["torque"]["rod"] == pytest.approx(of(0.12, 0.31 + 1j * h).imag / h, rel=1e-9)
    assert found["way"]["crank"] == pytest.approx(2.0, rel=1e-9)
    assert abs(found["way"]["rod"]) < 1e-9


@pytest.mark.parametrize("solver", ["ipopt", "slsqp"])
def test_the_even_robot_of_two_slides(solver: str) -> None:
    """Between heights a and b the evenest rods are √(a² + b²) long: tan φ at one is what cot φ is at the other, a/b."""
    search = {"method": "gradient", "starts": 1, "solver": solver}
    for a, b in ((0.3, 0.6), (0.25, 0.4)):
        study = study_of(
            str(EXAMPLES / "two_slides.yaml"),
            variables={"rod": [1.02 * b, 2 * b]},
            cases={"heights": {"poses": [{"y": a}, {"y": b}]}},
            measures={"dexterity": {"measure": "dexterity", "case": "heights"}},
            maximise="dexterity",
            search=search,
        )
        found = study.run()
        assert found.variables()["rod"] == pytest.approx(np.hypot(a, b), rel=1e-6)
        assert found.values()["dexterity"] == pytest.approx(a / b, rel=1e-6)


def test_bounds_that_bind() -> None:
    """The least torque at a way of 0.2 m has the longest rod that there is room for."""
    study = slider_study(constraints={"way": {"at_least": "200 mm"}}, search={"method": "gradient", "starts": 2})
    found = study.run()
    assert found.variables() == pytest.approx({"crank": 0.1, "rod": 0.6}, rel=1e-5)
    assert any("way ≥" in b for b in found.binding()) and any("rod at its upper end" in b for b in found.binding())
    assert found.evaluate_again() == pytest.approx(found.values(), rel=1e-9)
    robot = found.robot()
    assert "study" in str(robot.source) and robot.variables["rod"] == pytest.approx(0.6, rel=1e-5)


def test_sweeps_cover_their_space() -> None:
    grid = slider_study(search={"method": "grid", "count": 4}, keep="all").run()
    assert grid.designs == 16 and len(np.unique(grid.kept.x[:, 0])) == 4
    assert grid.kept.x.min(axis=0) == pytest.approx([0.05, 0.25]) and grid.kept.x.max(axis=0) == pytest.approx(
        [0.2, 0.6]
    )
    cube = slider_study(search={"method": "latin hypercube", "count": 32, "seed": 3}, keep="all").run()
    parts = np.floor((cube.kept.x[:, 1] - 0.25) / 0.35 * 32 * (1 - 1e-12))
    assert sorted(parts.astype(int)) == list(range(32))
    stepped = slider_study(
        variables={"crank": [0.05, 0.2, 0.05], "rod": [0.3, 0.6]}, search={"method": "sobol", "count": 64}
    )
    assert set(np.round(stepped.run().front.designs.x[:, 0], 12)) <= {0.05, 0.1, 0.15, 0.2}


def test_the_front_is_what_no_design_beats() -> None:
    study = slider_study(maximise="way", search={"method": "sobol", "count": 128, "seed": 1}, keep="all")
    found = study.run()
    F = np.stack([found.kept.values[:, 1], -found.kept.values[:, 0]], axis=1)
    plain = [k for k in range(len(F)) if not any((F[j] <= F[k]).all() and (F[j] < F[k]).any() for j in range(len(F)))]
    assert sorted(found.front.designs.x[:, 0]) == sorted(found.kept.x[plain, 0])
    assert len(found) == len(plain) and found.designs == 128


@pytest.mark.slow
def test_designs_that_are_no_robots_have_graded_violations() -> None:
    """A crank that is longer than its rod cannot turn; the longer, the worse."""
    study = slider_study(variables={"crank": [0.05, 0.9], "rod": [0.25, 0.6]})
    e = study.evaluator
    found = e.evaluate(np.array([[0.1, 0.3], [0.4, 0.3], [0.6, 0.3], [0.9, 0.3]]), graded=True)
    assert found.violation[0] == 0 and (np.diff(found.violation) > 0).all()
    assert np.isnan(found.values[1:]).all() and not found.feasible[1:].any()
    with pytest.raises(gough.UsageError, match="are not taken"):
        study.evaluate({"crank": 0.6})
    wide = slider_study(
        variables={"crank": [0.05, 0.9], "rod": [0.25, 0.6]},
        constraints={"way": {"at_least": 0.3}},
        search={"method": "gradient", "starts": 3, "seed": 5},
    ).run()
    assert wide.variables() == pytest.approx({"crank": 0.15, "rod": 0.6}, rel=1e-4)


def test_tolerances_take_the_worst_of_equal_deviations() -> None:
    study = slider_study(tolerances={"deviations": {"crank": 0.01}, "draws": 8, "seed": 2})
    plain, d = slider_study(), study.evaluator.tolerances
    assert d is not None and len(d.deviations) == 9 and np.abs(d.deviations).max() <= 0.01
    worst = max(plain.evaluate({"crank": 0.1 + x})["torque"] for x in d.deviations[:, 0])
    assert study.evaluate()["torque"] == pytest.approx(worst, rel=1e-12)
    with pytest.raises(gough.UsageError, match="quantiles"):
        study.gradients()


def test_demands_of_the_description_are_violations() -> None:
    study = slider_study(variables={"load": [-1.0, 3.0], "rod": [0.3, 0.6]})
    found = study.evaluator.evaluate(np.array([[-0.5, 0.4], [1.0, 0.4]]))
    assert found.violation[0] > 0 and found.violation[1] == 0


def test_all_problems_at_once() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(gough.DescriptionError) as caught:
            gough.make_study(
                {
                    "robot": slider(),
                    "variables": {"cranc": [0.1, 0.2], "rod": ["0.3 kg", 0.6], "load": [3.0, 1.0]},
                    "cases": {"turn": {"poses": [{"moter": 0.1}]}},
                    "measures": {
                        "torque": {"measure": "peek force", "case": "turn"},
                        "mass": {"measure": "mass", "case": "x"},
                        "none": {"case": "turn"},
                    },
                    "minimise": ["torke"],
                    "constraints": {"weight": {"at_most": 3}, "none": {"at_most": 3}},
                    "search": {"method": "gradiant"},
                    "tolerances": {"deviations": {"cranque": 0.1}},
                    "keep": "everything",
                    "shape": 3,
                }
            )
    text = str(caught.value)
    told = "cranc, 0.3 kg, load, moter, torke, weight, gradiant, cranque, no case 'x', everything, shape"
    for word in told.split(", "):
        assert word in text, word
    assert "no measure 'none'" not in text and len(text.splitlines()) == 13


def test_a_study_says_why_it_has_no_gradients() -> None:
    for keys in ({"variables": {"crank": [0.05, 0.2, 0.01]}},):
        with pytest.raises((gough.UsageError, gough.DescriptionError), match="not continuous"):
            slider_study(**keys, search={"method": "gradient"})


@pytest.mark.slow
def test_designs_near_a_dead_centre_stay_in_their_assembly() -> None:
    """A rod hardly longer than its crank: the piston rushes past the motor, and does not come out on the other side."""
    rng = np.random.default_rng(0)
    r = rng.uniform(0.25, 0.3, 300)
    x = np.stack([r, r + 10 ** rng.uniform(-5, -1, 300)], axis=1)
    study = slider_study(variables={"crank": [0.05, 0.3], "rod": [0.25, 0.6]})
    found = study.evaluator.evaluate(x)
    assert (found.violation == 0).mean() > 0.95
    good = found.violation == 0
    assert found.values[good, 0] == pytest.approx(2 * r[good], rel=1e-7)
