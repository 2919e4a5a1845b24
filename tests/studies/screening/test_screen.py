"""A screen chooses designs of a sweep, ordinary calls judge what it lets through. So fronts are those of ordinary calls."""

import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import loads
from inner.studies import HostMachine, Screen, SweepPoints, choose_screen, front_rows, may_be_first, read_study

FILE = Path(__file__).parents[3] / "examples" / "studies" / "motion_platform_study.yaml"
PLATFORM = FILE.read_text("utf-8").replace("samples: 100", "samples: 12").replace("count: 4096", "count: 700")
POSES = [{"z": 2.0}, {"z": 2.1, "x": 0.3, "roll": 0.15}, {"z": 1.9, "y": -0.25, "yaw": 0.4}]
PUS = {
    "variables": {"rod": [0.9, 2.2], "heavy": [0.2, 1.0]},
    "cases": {
        "around": {
            "poses": POSES,
            "wrench": [3, -2, 5, 0.3, 0.1, -0.2],
            "payload": {"mass": 3, "center_of_mass": [0, 0, 0.1]},
        }
    },
    "measures": {
        "force": {"measure": "peak force", "case": "around"},
        "rms": {"measure": "tau", "reduce": "rms", "case": "around"},
        "lean": {"measure": "cone", "case": "around"},
        "dexterity": {"measure": "dexterity", "case": "around"},
        "mass": "mass",
    },
    "minimise": ["force", "lean"],
    "maximise": "dexterity",
    "search": {"method": "latin hypercube", "count": 400, "seed": 3},
}


def pus():
    """The 6-PUS of Lopes with rods of any length: they reach from a vertical slide where they are longer than it is far."""
    text = (files("gough") / "robot/gallery/lopes.yaml").read_text("utf-8")
    text = text.replace("format: 1", "format: 2\nvariables: {rod: 1.837 m, heavy: 0.389 kg}").replace(
        "[0, 0, 1.837]", "[0, 0, rod]"
    )
    return loads(text.replace("mass: 0.389", "mass: heavy"))


def study_of(text: str, file: str = str(FILE)):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_study(text, file)


def by_calls(study, limits):
    """The same study, every design by ordinary calls."""
    limits(study_screen=lambda study, device: "")
    found = study.run()
    limits(study_screen=choose_screen)
    return found


def assert_same(found, plain) -> None:
    assert (found.designs, found.robots, found.feasible) == (plain.designs, plain.robots, plain.feasible)
    for name in ("x", "values", "constraints"):
        assert np.array_equal(getattr(found.front.designs, name), getattr(plain.front.designs, name))
    assert len(found) > 3


VARIANTS = {
    "plain": PLATFORM,
    "constraints": PLATFORM + "constraints: {force: {at_most: 2500}, footprint: {at_least: 2, at_most: 4}}\n",
    "tolerances": PLATFORM.replace("count: 700", "count: 90")
    + "tolerances: {deviations: {top_radius: 5 mm, base_spread: 1 deg}, draws: 6, quantile: 0.8, of: [force, dexterity]}\n",
    "grid": PLATFORM.replace("method: sobol, count: 700, seed: 1", "method: grid, count: 5"),
    "sample": PLATFORM + "keep: sample\n",
    "steps": PLATFORM.replace("[0.7 m, 1.3 m]", "[0.7 m, 1.3 m, 0.1 m]"),
}


@pytest.mark.quick_cases("plain", "constraints")
@pytest.mark.parametrize("name", VARIANTS)
def test_fronts_are_those_of_ordinary_calls(name, limits):
    study = study_of(VARIANTS[name])
    assert choose_screen(study, "cpu") == "cpu"
    found, plain = study.run(), by_calls(study, limits)
    assert_same(found, plain)


@pytest.mark.slow
def test_designs_that_do_not_reach_are_counted_as_ordinary_calls_do(limits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = gough.make_study({"robot": pus(), **PUS})
    assert choose_screen(study, "cpu") == "cpu"
    found = study.run()
    assert_same(found, by_calls(study, limits))
    rods, far = SweepPoints(study.evaluator.space, "latin hypercube", 400, 3).at(0, 400)[:, 0], 0.0
    for x, y, roll, yaw in ((0, 0, 0, 0), (0.3, 0, 0.15, 0), (0, -0.25, 0, 0.4)):
        R = Rotation.from_euler("ZYX", [yaw, 0, roll]).as_matrix()
        for leg in study.robot.legs:
            ball = np.array([x, y, 0]) + R @ np.array(leg.on_platform.position, dtype=float)
            far = max(far, float(np.hypot(*(ball - np.array(leg.base.position, dtype=float))[:2])))
    assert 0 < found.robots == int((rods > far).sum()) < found.designs


def test_designs_of_which_none_reaches():
    """Rods shorter than any leg is far: no measure is computed of states that there are not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = gough.make_study({"robot": pus(), **PUS, "variables": {"rod": [0.2, 0.5]}})
        assert choose_screen(study, "cpu") == "cpu"
        found = study.run()
    assert (found.designs, found.robots, len(found)) == (400, 0, 0)


@pytest.mark.slow
def test_measures_of_the_front_are_those_of_rebuilt_robots():
    found = study_of(PLATFORM).run()
    for k in (0, len(found) // 2, len(found) - 1):
        again = found.evaluate_again(k)
        assert all(abs(again[name] - x) <= 1e-9 * abs(x) for name, x in found.values(k).items())


def test_numbers_of_a_screen_are_those_of_rebuilt_robots():
    """Every design of some, not the front alone: forces and strokes of the description with other variables, by its own model."""
    study = study_of(PLATFORM)
    e = study.evaluator
    x = np.random.default_rng(2).uniform(e.space.lower, e.space.upper, (3, 4))
    values = Screen.of(e, HostMachine()).evaluate(x)[0].values
    case = e.cases["ride"]
    for row, own in zip(x, values, strict=True):
        robot = study.robot.with_variables(dict(zip(study.variables, row.tolist(), strict=True)))
        model = gough.build(robot, free=["platform.*"])  # a payload moves what is 0 of its body
        P = model.parameters + case.added
        q = model.configuration(pose=case.position, parameters=P)
        assert case.sample is not None
        v = case.sample.velocity
        tau = model.inverse_dynamics(q, v, case.sample.acceleration, parameters=P).tau
        legs = q[:, model.drive_index]
        assert np.isclose(own[e.names.index("force")], np.abs(tau).max(), rtol=1e-10)
        assert np.isclose(own[e.names.index("stroke")], np.ptp(legs, axis=0).max(), rtol=1e-10)


@pytest.mark.parametrize("shape", [(3000, 2), (5000, 3), (2000, 5), (0, 3), (1, 2), (9000, 1)])
def test_what_may_be_first_is_what_nothing_beats(shape):
    """Beside every pair compared; with ties, with equal rows, with objectives of very different sizes."""
    rng = np.random.default_rng(1)
    plain = rng.random(shape)
    for F in (plain, np.round(plain, 1), plain * 10.0 ** rng.integers(-9, 9, shape[1]), -plain):
        left = set(may_be_first(F).tolist())
        beaten = [((f >= F).all(axis=1) & (f > F).any(axis=1)).any() for f in F[:400]]
        assert {k for k in left if k < 400} == set(np.flatnonzero(~np.array(beaten, dtype=bool)).tolist())
        assert set(np.flatnonzero(front_rows(F)).tolist()) <= left


def test_equal_numbers_stay_equal_when_they_are_rounded():
    """A design that another beats in all but a number which is the same, were it not for rounding, is on no front."""
    F = np.array([[1.0, 2.0 * (1 + 3e-16)], [1.5, 2.0], [0.5, 3.0], [1.0, 2.0]])
    assert front_rows(F).tolist() == [True, False, True, False]
    assert sorted(may_be_first(F).tolist()) == [0, 2, 3]
    assert front_rows(F * -1e-30 - 5.0).sum() == 1
    assert front_rows(np.zeros((3, 2))).tolist() == [True, False, False]


def test_numbers_that_are_not_those_of_calls_are_not_believed(limits, caplog):
    study = study_of(PLATFORM.replace("count: 700", "count: 150"))
    plain = by_calls(study, limits)
    honest = Screen.evaluate

    def off(self, x, tick=lambda part: None):
        found, doubtful = honest(self, x, tick)
        found.values[:, 0] *= 1.001
        return found, doubtful

    limits(screen_numbers=off)
    with caplog.at_level("WARNING", "gough.studies"):
        assert_same(study.run(), plain)
    assert "other numbers than calls" in caplog.text


REFUSED = {
    "keep": (PLATFORM + "keep: all\n", "keep: front or sample"),
    "method": (PLATFORM.replace("method: sobol, count: 700", "method: gradient, starts: 1"), "use a sweep"),
    "frequency": (
        PLATFORM.replace("  footprint: footprint", "  footprint: footprint\n  hz: {measure: frequency, case: ride}"),
        "hz",
    ),
}


@pytest.mark.quick_cases("keep")
@pytest.mark.parametrize("name", REFUSED)
def test_what_a_gpu_cannot_go_through_is_said(name):
    text, said = REFUSED[name]
    with pytest.raises(gough.UsageError, match=said):
        study_of(text).run(device="cuda")
    with pytest.raises(gough.UsageError, match="device"):
        study_of(text).run(device="gpu")
