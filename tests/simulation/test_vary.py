"""Designs drawn from estimates and their covariance: the numbers asked for, and none that no robot has."""

from functools import cache

import numpy as np
import pytest

import gough
from gough.vary import draw_estimates

NAMES = ("left_crank.M", "left_crank.MX", "left_motor.friction.viscous")
MEANS = {"left_crank.M": 0.8, "left_crank.MX": 0.1, "left_motor.friction.viscous": 0.2}
R = np.array([[1.0, 0.8, -0.3], [0.8, 1.0, 0.1], [-0.3, 0.1, 1.0]])


@cache
def five_bar() -> gough.Model:
    return gough.build("five_bar", free=["left_motor.friction.viscous"])


def covariance(*deviations: float) -> np.ndarray:
    return np.outer(deviations, deviations) * R


def test_means_and_covariance_are_those_given() -> None:
    C = covariance(0.01, 0.002, 0.01)
    drawn = draw_estimates(five_bar(), MEANS, C, 20_000, seed=3)
    x = np.array([drawn.values[name] for name in NAMES])
    assert drawn.rejected == 0 and drawn.runs == 20_000
    d = np.sqrt(np.diag(C))
    assert np.allclose(x.mean(axis=1), list(MEANS.values()), atol=5 * d / np.sqrt(20_000))
    assert np.allclose(np.corrcoef(x), R, atol=0.03) and np.allclose(x.std(axis=1), d, rtol=0.03)


def test_more_runs_and_names_leave_numbers_as_they_were() -> None:
    C = covariance(0.3, 0.002, 0.15)  # many are rejected
    few, many = (draw_estimates(five_bar(), MEANS, C, runs, seed=4) for runs in (20, 200))
    assert few.rejected > 0 and all(np.array_equal(few.values[n], many.values[n][:20]) for n in NAMES)
    alone = draw_estimates(five_bar(), {"left_crank.M": 0.8}, [[1e-4]], 10)
    beside = draw_estimates(five_bar(), {"left_crank.M": 0.8, "right_crank.M": 0.8}, np.diag([1e-4, 1e-4]), 10)
    assert np.array_equal(alone.values["left_crank.M"], beside.values["left_crank.M"])


def test_what_no_robot_has_is_left_out_and_counted() -> None:
    drawn = draw_estimates(five_bar(), MEANS, covariance(0.3, 0.02, 0.2), 2000)
    assert drawn.rejected > 200
    assert all((drawn.values[n] >= 0).all() for n in ("left_crank.M", "left_motor.friction.viscous"))
    model = five_bar()
    design = drawn.parameters(model)
    assert design is not None
    own = [model.parameter_names.index(f"left_crank.{t}") for t in ("M", "MX", "MY", "MZ", "XX", "YY", "ZZ")]
    m, x, y, z, xx, yy, zz = design[:, own].T  # products of inertia are 0: central moments in closed form
    assert (y == 0).all() and (z == 0).all()
    central = np.array([xx, yy - x**2 / m, zz - x**2 / m])
    assert (central.min(axis=0) > 0).all() and (2 * central.max(axis=0) <= central.sum(axis=0)).all()


def test_tied_parameters_are_one_number() -> None:
    drawn = draw_estimates(five_bar(), {"*_crank.M": 0.8}, [[1e-4]], 5)
    assert np.array_equal(drawn.values["left_crank.M"], drawn.values["right_crank.M"]) and len(drawn.values) == 2


def test_runs_have_the_numbers_drawn() -> None:
    model = five_bar()
    drawn = draw_estimates(model, MEANS, covariance(0.01, 0.002, 0.01), 8, seed=1)
    found = gough.simulate_many(model, v=[1.0, -2.0], vary=drawn, duration=0.02, step=1e-3)
    assert np.array_equal(found.varied["left_crank.M"], drawn.values["left_crank.M"])
    assert len(np.unique(found.end_q[:, 0])) == 8


def test_a_body_that_cannot_be_at_the_mean_is_not_judged() -> None:
    drawn = draw_estimates(five_bar(), {"left_crank.M": 0.8, "left_crank.ZZ": -0.1}, np.diag([1e-4, 1e-6]), 50)
    assert drawn.rejected == 0


@pytest.mark.parametrize(
    ("means", "matrix", "said"),
    [
        ({"left_crank.M": 0.8}, np.eye(2), "covariance has shape"),
        ({"left_crank.M": 0.8, "left_rod.M": 1.0}, [[1.0, 2.0], [2.0, 1.0]], "eigenvalue"),
        ({"left_crank.M": 0.8, "left_rod.M": 1.0}, [[1.0, 0.5], [0.1, 1.0]], "symmetric"),
        ({"left_crank.mass": 0.8}, [[1.0]], "left_crank.M"),
        ({"left_crank.M": 0.8, "*_crank.M": 0.8}, np.eye(2), "drawn twice"),
        ({"left_crank.XX": 2e-4}, [[1e4]], "deviations are too large"),
    ],
)
def test_what_is_wrong_is_said(means: dict[str, float], matrix: object, said: str) -> None:
    with pytest.raises(gough.UsageError, match=said):
        draw_estimates(five_bar(), means, matrix, 20)
