"""Robots that designs stand for: deviations of any number, draws of identifications; beside closed forms and rebuilt robots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import SavedIdentification
from gough.identification import saved as saving
from studies.study.robots import EXAMPLES, slider, slider_study, study_of
from studies.study.test_study import torque

ANGLES = np.linspace(0, 2 * np.pi, 181)


def saved(means: dict[str, float], C: Any) -> SavedIdentification:
    values = np.array(list(means.values()))
    return SavedIdentification(
        tuple(means), values, np.array(C, dtype=float), ("kg",) * len(means), np.ones(len(means), bool), "x", "ls"
    )


def peak(r: float, l: float, m: float) -> float:
    return float(np.abs(torque(r, l, m, ANGLES, 2 * np.pi)).max())


def test_variables_and_parameters_that_are_not_varied_deviate() -> None:
    """The rod is no variable of the study, and the piston's mass is a parameter."""
    study = slider_study(
        variables={"crank": [0.05, 0.2]},
        tolerances={"deviations": {"crank": "1 mm", "rod": "4 mm", "piston.M": "50 g"}, "draws": 12, "seed": 3},
    )
    t = study.evaluator.tolerances
    assert t is not None and t.count == 13 and not t.deviations[0].any()
    assert np.abs(t.variables["rod"]).max() <= 4e-3 and np.abs(t.parameters["piston.M"]).max() <= 0.05
    for r in (0.07, 0.15):
        robots = zip(t.deviations[:, 0], t.variables["rod"], t.parameters["piston.M"], strict=True)
        worst = max(peak(r + a, 0.3 + b, 2.0 + c) for a, b, c in robots)
        assert study.evaluate({"crank": r})["torque"] == pytest.approx(worst, rel=1e-9)


def test_the_place_of_a_joint_of_one_leg() -> None:
    """0.1 mm of a place that is 0 in the description, and no variable; beside robots that are built anew."""
    gone = "left.elbow.y"
    known: dict[str, Any] = {
        "variables": {"rod": [0.61, 1.2]},
        "cases": {"heights": {"poses": [{"y": 0.3}, {"y": 0.45}]}},
        "measures": {"force": {"measure": "peak force", "case": "heights"}},
        "minimise": "force",
    }
    robot = gough.load(str(EXAMPLES / "two_slides.yaml"))
    study = study_of(robot, **known, tolerances={"deviations": {gone: "2 mm"}, "draws": 6})
    t = study.evaluator.tolerances
    assert t is not None
    model = gough.build(robot.with_variables({"rod": 0.8}), free=[gone]).unlocked
    forces = []
    for d in t.parameters[gone]:
        P = model.parameters.copy()
        P[model.parameter_names.index(gone)] += d
        for y in (0.3, 0.45):
            found = model.assemble(coordinates={"x": 0.0, "y": y}, near=model.home, parameters=P)
            still = np.zeros(model.layout.nv)
            tau = model.inverse_dynamics(found.q, still, np.zeros(model.layout.mobility), parameters=P).tau
            forces.append(np.abs(tau).max())
    assert study.evaluate({"rod": 0.8})["force"] == pytest.approx(max(forces), rel=1e-9)
    assert np.ptp(forces) > 1e-6


def test_stars_are_numbers_of_their_own() -> None:
    keys: dict[str, Any] = {"variables": {"rod": [0.61, 1.2]}, "measures": {"mass": "mass"}}
    study = study_of(str(EXAMPLES / "two_slides.yaml"), **keys, tolerances={"deviations": {"*.carriage.M": 0.01}})
    t = study.evaluator.tolerances
    assert t is not None and set(t.parameters) == {"left.carriage.M", "right.carriage.M"}
    left, right = t.parameters.values()
    assert abs(np.corrcoef(left, right)[0, 1]) < 0.5
    assert study.evaluate()["mass"] == pytest.approx(3.4 + (left + right).max(), rel=1e-12)


@pytest.mark.parametrize("as_file", [False, True])
def test_draws_of_an_identification(as_file: bool, tmp_path: Path) -> None:
    """Masses as draw_estimates draws them, and the estimate itself; the description's own number does not count."""
    found = saved({"piston.M": 2.2}, [[0.04]])
    given: Any = found
    if as_file:
        given = str(saving.save_identification(found, tmp_path / "found.npz"))
    study = slider_study(
        variables={"crank": [0.05, 0.2]}, tolerances={"identification": given, "draws": 20, "seed": 5, "quantile": 0.9}
    )
    t = study.evaluator.tolerances
    assert t is not None
    drawn = gough.vary.draw_estimates(gough.build(slider()), {"piston.M": 2.2}, [[0.04]], 20, 5).values["piston.M"]
    masses = np.append(2.2, drawn)
    np.testing.assert_array_equal(t.estimates["piston.M"], masses)
    for r in (0.08, 0.19):
        each = [peak(r, 0.3, m) for m in masses]
        assert study.evaluate({"crank": r})["torque"] == pytest.approx(np.quantile(each, 0.9), rel=1e-9)
    of = slider_study(variables={"crank": [0.05, 0.2]}, tolerances={"identification": given, "draws": 3, "of": ["way"]})
    assert of.evaluate()["torque"] == pytest.approx(peak(0.1, 0.3, 2.2), rel=1e-9)


def test_draws_that_are_no_robots_are_left_out() -> None:
    study = slider_study(
        variables={"crank": [0.05, 0.2]},
        tolerances={"identification": saved({"piston.M": 0.3}, [[0.09]]), "draws": 200, "seed": 1},
    )
    t = study.evaluator.tolerances
    assert t is not None and (t.estimates["piston.M"] >= 0).all()
    assert t.estimates["piston.M"][0] == 0.3 and study.evaluator.evaluate(np.array([[0.1]])).violation[0] == 0


def test_deviations_that_are_no_robots_are_violations() -> None:
    """A mass of 2 kg that deviates by 3 kg is below 0 in some robots: the more, the worse. So it is of varied parameters."""
    study = slider_study(
        variables={"crank": [0.05, 0.2]}, tolerances={"deviations": {"piston.M": 3.0}, "draws": 40, "seed": 1}
    )
    assert study.evaluator.evaluate(np.array([[0.1]])).violation[0] > 0
    named = slider_study(variables={"piston.M": [-1.0, 3.0], "crank": [0.05, 0.2]})
    found = named.evaluator.evaluate(np.array([[-1.0, 0.1], [-0.5, 0.1], [0.5, 0.1]]))
    assert found.violation[0] > found.violation[1] > 0 == found.violation[2]
    assert np.isnan(found.values[:2]).all() and found.values[2, 1] == pytest.approx(peak(0.1, 0.3, 0.5), rel=1e-9)


@pytest.mark.slow
def test_an_identification_of_measured_data(tmp_path: Path) -> None:
    """Saved, read again, and drawn from: correlated numbers, tied to combinations that the data tell."""
    model = gough.build("five_bar")
    rng = np.random.default_rng(1)
    q, v, a = np.tile(model.home, (400, 1)), rng.normal(size=(400, 2)), rng.normal(size=(400, 2))
    drives = model.drives(model.home) + 0.3 * rng.uniform(-1, 1, (400, 2))
    q = model.assemble(drives=drives, near=q).q
    force = model.inverse_dynamics(q, v, a).tau + 0.05 * rng.normal(size=(400, 2))
    run = np.zeros(400, int)
    samples = gough.Samples(model, 1e-3 * np.arange(400), q, v, a, force, None, run, ("one",))
    with pytest.warns(gough.errors.IdentificationWarning):  # the force is noise for the most part
        found = gough.identify(model, samples)
    again = gough.load_identification(found.save(tmp_path / "found.npz"))
    assert again.parameters == found.parameters and again.deviations == found.deviations
    np.testing.assert_array_equal(again.covariance, found.standard.covariance)
    assert again.robot == "five_bar" and again.method == "ls" and again.units[0] == "kg"
    keys: dict[str, Any] = {"variables": {"left_elbow.x": [0.4, 0.5]}, "measures": {"mass": "mass"}, "minimise": "mass"}
    study = study_of("five_bar", **keys, tolerances={"identification": found, "draws": 4})
    t = study.evaluator.tolerances
    assert t is not None and len(t.estimates) == len(found.parameters)
    heavy = max(sum(x[k] for n, x in t.estimates.items() if n.endswith(".M")) for k in range(5))
    assert study.evaluate({"left_elbow.x": 0.45})["mass"] == pytest.approx(heavy, rel=1e-12)
    few = study_of("five_bar", **keys, tolerances={"identification": found, "draws": 4, "parameters": ["*_rod.M*"]})
    drawn = few.evaluator.tolerances
    assert drawn is not None and set(drawn.estimates) == {n for n in found.parameters if "_rod.M" in n}


def test_what_is_refused(tmp_path: Path) -> None:
    varied: dict[str, Any] = {"load": [1.0, 3.0]}

    def told(**tolerances: Any) -> str:
        with pytest.raises(gough.DescriptionError) as caught:
            slider_study(variables={"crank": [0.05, 0.2]} | varied, tolerances=tolerances)
        return str(caught.value)

    strange = saved({"piston.M": 2.0, "anvil.M": 1.0, "rotor.ZZ": 1.0}, np.eye(3) * 1e-4)
    text = told(identification=strange, deviations={"cranck": 0.1, "rod": "3 kg"})
    for word in (
        "anvil.M is no parameter",
        "rotor.ZZ is no parameter",
        "piston.M: the study varies load",
        "cranck",
        "3 kg",
    ):
        assert word in text, word
    varied.clear()
    assert "'anvil.*' was not identified" in told(
        identification=saved({"piston.M": 1.0}, [[0]]), parameters=["anvil.*"]
    )
    assert "drawn from the identification, too" in told(
        identification=saved({"piston.M": 1.0}, [[1e-4]]), deviations={"piston.M": 0.1}
    )
    assert "named twice" in told(deviations={"piston.M": 0.1, "pist*.M": 0.1})
    assert "parameters without an identification" in told(deviations={"rod": 0.1}, parameters=["a"])
    assert "no deviations" in told(draws=3)
    assert "not an identification" in told(identification=3)
    (tmp_path / "bad.npz").write_bytes(b"no")
    assert "is not an identification" in told(identification=str(tmp_path / "bad.npz"))
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(gough.errors.FileError, match="is not an identification"):
        gough.load_identification(tmp_path / "other.npz")
    with pytest.raises(gough.UsageError, match=r"kept as \.npz"):
        saving.save_identification(strange, tmp_path / "found.yaml")


def test_least_numbers_are_judged_by_their_least_robots() -> None:
    """Without a bound, too: a dexterity of a robot as it is built is no better than that of the one drawn."""
    known: dict[str, Any] = {
        "variables": {"rod": [0.61, 1.2]},
        "cases": {"high": {"poses": [{"y": 0.3}]}},
        "measures": {
            "force": {"measure": "peak force", "case": "high"},
            "dexterity": {"measure": "dexterity", "case": "high"},
            "mean": {"measure": "mean dexterity", "case": "high"},
        },
        "minimise": "force",
        "tolerances": {"deviations": {"rod": 0.02}, "draws": 16, "seed": 1},
    }
    study = study_of(str(EXAMPLES / "two_slides.yaml"), **known)
    t = study.evaluator.tolerances
    assert t is not None
    drawn = 0.8 + t.deviations[:, 0]
    least = (0.3 / np.sqrt(drawn**2 - 0.09)).min()  # tan φ of the flattest rods
    found = study.evaluate({"rod": 0.8})
    assert found["dexterity"] == pytest.approx(least, rel=1e-9) and found["mean"] == pytest.approx(least, rel=1e-9)


def test_tolerances_that_leave_no_robot_are_told() -> None:
    """A platform of 1 kg, give or take 2 kg, has less than nothing in some robots: not the poses are what is wrong."""
    study = study_of(
        str(EXAMPLES / "two_slides.yaml"),
        variables={"rod": [0.61, 1.2]},
        cases={"low": {"poses": [{"y": 0.3}, {"y": 0.5}]}},
        measures={"force": {"measure": "peak force", "case": "low"}},
        minimise="force",
        search={"method": "sobol", "count": 4},
        tolerances={"deviations": {"platform.M": "2 kg"}, "draws": 16},
    )
    told = r"5 of the 17 robots of its tolerances are none; with platform.M -1\.\d+ what the description demands"
    with pytest.raises(gough.UsageError, match=told):
        study.evaluate({"rod": 0.8})
    with pytest.warns(gough.errors.VariableWarning, match=f"With rod = 0.905: {told}"):
        study.run()
