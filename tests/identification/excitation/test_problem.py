"""Objective and gradient against a five-bar made of Pinocchio's tree, its loop closed by hand, by central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .robots import problem_of

PERIOD, HARMONICS, SAMPLES, H = 3.0, 2, 40, 1e-6
CRANK, ROD, HALF = 0.25, 0.35, 0.12
TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")
"""In the order of Pinocchio."""
POWER, LOST = 24, 30.0
"""As the code has them: the power of the smooth condition number, the objective of what cannot be followed."""


def problem(family: str, objective: str) -> Any:
    made = problem_of(
        "five_bar", family=family, objective=objective, period=PERIOD, harmonics=HARMONICS, samples=SAMPLES
    )
    made.measure.scale_by(made.states(unknowns(made)))
    return made


def unknowns(p: Any) -> np.ndarray:
    return 0.08 * np.random.default_rng(3).normal(size=p.size)


def closed(a: np.ndarray, ad: np.ndarray, add: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Elbows (n, 2) and rates from motors (n, 2): circles about the cranks' ends meet; the loop and its derivatives."""
    base = np.array([-HALF, HALF])
    knees = base + CRANK * np.exp(1j * a)
    between = knees[:, 1] - knees[:, 0]
    half = np.abs(between) / 2
    pin = (knees[:, 0] + knees[:, 1]) / 2 + 1j * between / (2 * half) * np.sqrt(ROD**2 - half**2)
    rods = np.angle(pin[:, None] - knees)  # world angles of the rods
    arm, leg = 1j * CRANK * np.exp(1j * a), 1j * ROD * np.exp(1j * rods)
    sign = np.array([1.0, -1.0])

    def rates(push: np.ndarray) -> np.ndarray:
        """Σ sign leg ω = - push, of complex numbers."""
        matrix = np.stack([(sign * leg).real, (sign * leg).imag], axis=1)
        return np.linalg.solve(matrix, -np.stack([push.real, push.imag], axis=1)[:, :, None])[:, :, 0]

    w = rates((sign * arm * ad).sum(axis=1))
    wd = rates((sign * (arm * add + 1j * arm * ad**2 + 1j * leg * w**2)).sum(axis=1))
    wrap = (rods - a + np.pi) % (2 * np.pi) - np.pi
    return np.stack([a, wrap], axis=2), np.stack([ad, w - ad], axis=2), np.stack([add, wd - add], axis=2)


def foreign_regressor(a: np.ndarray, ad: np.ndarray, add: np.ndarray) -> np.ndarray:
    """Y (n, 2, 40) of the bodies left crank, left rod, right crank, right rod, ten numbers each."""
    import pinocchio as pin

    tree = pin.Model()
    tree.gravity.linear = np.array([0.0, 0.0, -9.81])
    for side in (-1, 1):
        place = pin.SE3(np.eye(3), np.array([side * HALF, 0.0, 0.0]))
        crank = tree.addJoint(0, pin.JointModelRZ(), place, f"motor{side}")
        tree.addJoint(crank, pin.JointModelRZ(), pin.SE3(np.eye(3), np.array([CRANK, 0.0, 0.0])), f"elbow{side}")
    for i in range(1, 5):
        tree.appendBodyToJoint(i, pin.Inertia.Random(), pin.SE3.Identity())
    data = tree.createData()
    q, v, vd = (x.reshape(-1, 4) for x in closed(a, ad, add))
    elbows = np.stack(
        [closed(a, step, np.zeros_like(a))[1][:, :, 1] for step in np.eye(2)[:, None] * np.ones((len(a), 1))], axis=2
    )
    out = np.empty((len(a), 2, 40))
    for k in range(len(a)):
        tree_rows = pin.computeJointTorqueRegressor(tree, data, q[k], v[k], vd[k])
        project = np.zeros((4, 2))  # rates of motors and elbows for those of the motors
        project[[0, 2], [0, 1]] = 1.0
        project[[1, 3]] = elbows[k]
        out[k] = project.T @ tree_rows
    return out


def foreign_objective(p: Any, x: np.ndarray, objective: str) -> float:
    w, c = 2 * np.pi / PERIOD * np.arange(1, HARMONICS + 1), p.coefficients(x)
    t = p.times[:, None]
    cosines, sines = c[1 : HARMONICS + 1], c[HARMONICS + 1 :]
    a = c[0] + np.cos(w * t) @ cosines + np.sin(w * t) @ sines
    ad = -(w * np.sin(w * t)) @ cosines + (w * np.cos(w * t)) @ sines
    add = -(w**2 * np.cos(w * t)) @ cosines - (w**2 * np.sin(w * t)) @ sines
    Y = foreign_regressor(a, ad, add)
    bodies = ("left_crank", "left_rod", "right_crank", "right_rod")
    places = [
        10 * bodies.index(u.name.split(".")[0]) + TEN.index(u.name.split(".")[1]) for u in p.measure.regressor.unknowns
    ]
    W = (Y[:, :, places] * p.measure.columns).reshape(-1, len(places)) / np.sqrt(len(Y))
    lam = np.linalg.eigvalsh(W.T @ W)
    if objective == "d-optimal":
        return float(-np.log(lam).sum() / (2 * len(lam)))
    return float((np.log((lam ** (POWER / 2)).sum()) + np.log((lam ** (-POWER / 2)).sum())) / POWER)


@pytest.mark.parametrize("objective", ["condition", "d-optimal"])
def test_objective_and_gradient_are_those_of_a_foreign_model(objective: str) -> None:
    p = problem("fourier", objective)
    x = unknowns(p)
    point = p.point(x)
    assert point.objective == pytest.approx(foreign_objective(p, x, objective), abs=1e-8)
    wanted = [
        (foreign_objective(p, x + H * e, objective) - foreign_objective(p, x - H * e, objective)) / (2 * H)
        for e in np.eye(p.size)
    ]
    assert point.gradient == pytest.approx(np.array(wanted), abs=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("family", ["fourier", "spline"])
def test_jacobian_is_that_of_differences(family: str) -> None:
    p = problem(family, "condition")
    x, step = unknowns(p), np.random.default_rng(4).normal(size=p.size)
    point, there, back = p.point(x), p.point(x + H * step), p.point(x - H * step)
    assert point.jacobian @ step == pytest.approx((there.constraints - back.constraints) / (2 * H), abs=1e-7)
    assert point.gradient @ step == pytest.approx((there.objective - back.objective) / (2 * H), rel=1e-6)


def test_what_the_robot_cannot_follow_is_worse_than_all() -> None:
    p = problem("fourier", "condition")
    point = p.point(np.random.default_rng(5).normal(0.0, 3.0, p.size))
    assert point.objective == LOST and point.worst == -1.0 and not point.gradient.any()


def test_condition_lies_within_its_smooth_bounds() -> None:
    p = problem("fourier", "condition")
    x = unknowns(p)
    condition, rank = p.measure.measure(p.states(x)).condition, p.measure.base.rank
    assert np.log(condition) <= p.point(x).objective <= np.log(condition) + 2 * np.log(rank) / POWER


def test_samples_of_one_state_do_not_matter() -> None:
    """Rows are over √n: twice the samples tell the same of a motion."""
    p = problem("fourier", "condition")
    x = unknowns(p)
    few = p.measure.measure(p.states(x))
    many = p.measure.measure(p.states(x, np.arange(4 * SAMPLES) * PERIOD / (4 * SAMPLES)))
    assert few.log_det == pytest.approx(many.log_det, abs=1e-2)
