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
    ],
)
def test_what_is_wrong_is_said(means: dict[str, float], matrix: object, said: str) -> None:
    with pytest.raises(gough.UsageError, match=said):
        draw_estimates(five_bar(), means, matrix, 20)


def test_where_hardly_any_draw_is_possible_it_is_the_distribution_cut_off() -> None:
    """Eight numbers at their border: half normal each, by a closed form; two far from it keep mean and covariance."""
    joints = ("left_motor", "right_motor", "left_elbow", "right_elbow")
    near = [f"{joint}.friction.{kind}" for joint in joints for kind in ("viscous", "coulomb")]
    C = np.diag([1.0] * 8 + [1e-4, 1e-4])
    C[8, 9] = C[9, 8] = 0.7e-4
    means = dict.fromkeys(near, 0.0) | {"left_rod.M": 1.0, "right_rod.M": 1.0}
    drawn = draw_estimates(five_bar(), means, C, 4000, seed=2)
    x = np.array([drawn.values[name] for name in means])
    assert drawn.rejected == 0 and (x[:8] >= 0).all()
    assert np.allclose(x[:8].mean(axis=1), np.sqrt(2 / np.pi), atol=5 * 0.603 / np.sqrt(4000))
    assert np.allclose(x[:8].std(axis=1), np.sqrt(1 - 2 / np.pi), rtol=0.06)
    assert np.abs(np.corrcoef(x) - np.eye(10))[:8].max() < 0.09
    assert np.allclose(x[8:].mean(axis=1), 1.0, atol=5 * 0.01 / np.sqrt(4000))
    assert np.allclose(np.cov(x[8:]), C[8:, 8:], rtol=0.12)
    few = draw_estimates(five_bar(), means, C, 20, seed=2)
    assert all(np.array_equal(few.values[n], drawn.values[n][:20]) for n in means)


def test_walks_stay_within_bodies_of_matter() -> None:
    drawn = draw_estimates(five_bar(), {"left_crank.XX": 2e-4}, [[1e4]], 300)
    model = five_bar()
    yy, zz = (float(model.parameters[model.parameter_names.index(f"left_crank.{t}")]) for t in ("YY", "ZZ"))
    x = drawn.values["left_crank.XX"]
    assert (x <= yy + zz).all() and (x >= 0).all()
    share = (x - x.min()) / np.ptp(x)  # a normal number of deviation 100 is as likely everywhere in there
    assert abs(share.mean() - 0.5) < 0.1 and abs(share.std() - 1 / np.sqrt(12)) < 0.05


def test_offsets_become_preloads_and_tied_names_all_their_members() -> None:
    means = {"left_motor.offset": 0.5, "{left_crank,right_crank}.M": 0.8}
    drawn = draw_estimates(five_bar(), means, np.diag([1e-2, 1e-4]), 50)
    assert set(drawn.values) == {"left_motor.spring.preload", "left_crank.M", "right_crank.M"}
    assert np.array_equal(drawn.values["left_crank.M"], drawn.values["right_crank.M"])
    assert abs(drawn.values["left_motor.spring.preload"].mean() + 0.5) < 0.1
    with pytest.raises(gough.UsageError, match=r"with_parameters\(\{'left_motor.offset': 0.0\}\)"):
        drawn.parameters(five_bar())
    sprung = five_bar().robot.with_parameters({"left_motor.offset": 0.0})
    model = gough.build(sprung, free=["left_motor.spring.preload"])
    design = drawn.parameters(model)
    assert design is not None
    place = model.parameter_names.index("left_motor.spring.preload")
    assert np.array_equal(design[:, place], drawn.values["left_motor.spring.preload"])
