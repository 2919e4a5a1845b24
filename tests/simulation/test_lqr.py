"""Linear-quadratic regulators and filters against closed forms, python-control, and loops of matrices beside the runs."""

from __future__ import annotations

import json
from pathlib import Path

import control
import numpy as np
import pytest
from scipy.integrate import quad_vec
from scipy.linalg import expm

import gough
from gough import laws, motions, sensors
from gough.errors import UsageError
from gough.robot import loads
from laws.subjects import built
from simulation.sliders import MASS, settling, slider


def gain_of(law: laws.LQR, model: gough.Model, period: float | None = None) -> np.ndarray:
    """K of drives and their rates, of a robot that has nothing else."""
    n = len(model.mechanism.drives)
    tuned = law.tune(model, period).tuned
    assert tuned is not None
    return tuned[2 * n :].reshape(n, -1)


def test_the_regulator_of_a_mass_in_closed_form() -> None:
    """∫ (x/e)² + (F/f)² dt is least with K = (f/e, √(2 m f/e)): a spring and a damper of ratio 1/√2. Weight is carried."""
    law, model = laws.LQR(0.01, 4.0), slider(9.81)
    k, d = 4.0 / 0.01, np.sqrt(2 * MASS * 4.0 / 0.01)
    np.testing.assert_allclose(gain_of(law, model), [[k, d]], rtol=1e-9)
    run = gough.simulate(model, None, law, q=[0.05], duration=0.5, tolerance=1e-10)
    np.testing.assert_allclose(run.q[:, 0], settling(run.time, k, d, MASS, 0.05), atol=1e-9)


@pytest.mark.parametrize("name", ["five_bar", "lopes"])
def test_python_control_finds_the_same_gain(name: str) -> None:
    """u = -K x of its lqr, with costs of all states; where v are the platform's, x follows from drives by Sᵀ δ = y."""
    model, rng = built(gough.load(name)), np.random.default_rng(3)
    linear, n = gough.linear_model(model), len(model.mechanism.drives)
    Q, R = np.diag(rng.uniform(1, 1e4, 2 * model.layout.nv)), np.diag(rng.uniform(1e-3, 1e-2, n))
    theirs, _, _ = control.lqr(linear.to_control(), Q, R)
    back = np.kron(np.eye(2), np.linalg.inv(model.drive_map(model.home).T))
    found = gain_of(laws.LQR(state_cost=np.diag(Q), force_cost=R), model)
    np.testing.assert_allclose(found, theirs @ back, atol=1e-8 * np.abs(theirs @ back).max())
    np.testing.assert_allclose(gain_of(laws.LQR(gain=theirs), model), theirs @ back, rtol=1e-9, atol=1e-12)


def test_forces_that_are_held_have_their_own_regulator() -> None:
    """The same integral with forces held: its sums by quadrature, its gain by python-control's dlqr."""
    model, period, e, f = slider(), 0.05, 0.01, 4.0
    F = np.array([[0, 1, 0], [0, 0, 1 / MASS], [0, 0, 0]])
    W = np.diag([1 / e**2, 0, 1 / f**2])
    cost, _ = quad_vec(lambda t: expm(F * t).T @ W @ expm(F * t), 0.0, period, epsrel=1e-12)
    held = expm(F * period)
    theirs, _, _ = control.dlqr(held[:2, :2], held[:2, 2:], cost[:2, :2], cost[2:, 2:], cost[:2, 2:])
    np.testing.assert_allclose(gain_of(laws.LQR(e, f), model, period), theirs, rtol=1e-9)


def test_a_closed_robot_obeys_its_linear_model() -> None:
    """Small errors of a Delta's platform: x = exp((A - B K) t) x₀, A, B and K of python-control."""
    model = built(gough.load("delta"))
    linear = gough.linear_model(model)
    Q, R = np.diag([1e6, 2e6, 1.5e6, 0, 0, 0]), np.eye(3) / 25.0
    K, _, _ = control.lqr(linear.A, linear.B, Q, R)
    law, x0 = laws.LQR(state_cost=Q, force_cost=R), 1e-6 * np.array([1.0, -2.0, 1.5])
    q = model.integrate(model.home, x0, 1.0)
    run = gough.simulate(model, None, law, q=q, duration=0.1, tolerance=1e-12)
    expected = np.array([expm((linear.A - linear.B @ K) * t)[:3, :3] @ x0 for t in run.time])
    np.testing.assert_allclose(run.q[:, :3] - model.home[:3], expected, atol=2e-5 * np.abs(x0).max())


CART = {
    "format": 1,
    "name": "cart_and_pole",
    "gravity": [0, 0, -9.81],
    "bodies": [
        {"name": "cart", "mass": 1.5, "inertia": {"about": "center_of_mass", "xx": 1, "yy": 1, "zz": 1}},
        {
            "name": "pole",
            "mass": 0.4,
            "center_of_mass": [0, 0, 0.6],
            "inertia": {"about": "center_of_mass", "xx": 0.05, "yy": 0.05, "zz": 0.001},
        },
    ],
    "joints": [
        {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "cart", "drive": {}},
        {"name": "pin", "type": "revolute", "axis": [0, 1, 0], "parent": "cart", "child": "pole"},
    ],
    "home": {"joints": {"slide": 0, "pin": 0}},
}


def cart_matrices() -> tuple[np.ndarray, np.ndarray]:
    """[M+m, m l; m l, I + m l²] (ẍ, θ̈) = (F, m g l θ) about the pole upright; x = (x, θ, ẋ, θ̇)."""
    m, length, total, turned = 0.4, 0.6, 1.9, 0.05 + 0.4 * 0.36
    inverse = np.linalg.inv([[total, m * length], [m * length, turned]])
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1], B[2:, 0] = inverse @ [0, m * 9.81 * length], inverse @ [1, 0]
    return A, B


def test_a_pole_is_held_upright() -> None:
    """One drive, two freedoms: the textbook's matrices, the gain of python-control, and the pole comes back."""
    model = built(loads(json.dumps(CART)))
    A, B = cart_matrices()
    linear = gough.linear_model(model)
    np.testing.assert_allclose(linear.A, A, atol=1e-12)
    np.testing.assert_allclose(linear.B, B, atol=1e-12)
    Q = np.diag([100.0, 10.0, 1.0, 1.0])
    K, _, _ = control.lqr(A, B, Q, [[0.1]])
    tuned = laws.LQR(state_cost=Q, force_cost=0.1).tune(model).tuned
    assert tuned is not None
    np.testing.assert_allclose(tuned[3:], K[0], rtol=1e-8)
    law = laws.LQR(state_cost=Q, force_cost=0.1)
    run = gough.simulate(model, None, law, q=[0.0, 0.2], duration=6.0)
    assert np.abs(run.q[-1]).max() < 1e-3
    goal = motions.function(lambda t: [0.3 + 0.0 * t], 6.0, kind="drives", names=["slide"])
    assert np.abs(gough.simulate(model, goal, law, q=[0.0, 0.0]).q[-1] - [0.3, 0]).max() < 2e-3


def test_the_filter_of_python_control() -> None:
    """dlqe foresees the next state, its gain is A_d L; forces at the drives, readings of the drives."""
    model, period = built(gough.load("five_bar")), 2e-3
    tuned = laws.LQG(1e-3, 5.0, [1e-5, 3e-5], [0.5, 0.2]).tune(model, period).tuned
    assert tuned is not None
    held = gough.linear_model(model, outputs=["drives"]).discrete(period)
    theirs, _, _ = control.dlqe(held.A, held.B, held.C, np.diag([0.25, 0.04]), np.diag([1e-10, 9e-10]))
    np.testing.assert_allclose(held.A @ tuned.parts["L"], theirs, rtol=1e-6, atol=1e-8 * np.abs(theirs).max())


TWO = {
    "format": 1,
    "name": "two_masses",
    "gravity": [0, 0, 0],
    "bodies": [
        {"name": name, "mass": m, "inertia": {"about": "center_of_mass", "xx": 1, "yy": 1, "zz": 1}}
        for name, m in (("first", 1.0), ("second", 0.5))
    ],
    "joints": [
        {"name": "drive", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "first", "drive": {}},
        {
            "name": "spring",
            "type": "prismatic",
            "axis": [1, 0, 0],
            "parent": "first",
            "child": "second",
            "spring": {"stiffness": 200, "damping": 0.1},
        },
    ],
    "home": {"joints": {"drive": 0, "spring": 0}},
}


def two_masses() -> tuple[gough.Model, np.ndarray, np.ndarray]:
    """The robot, and A, B of x = (x₁, s, ẋ₁, ṡ), x₂ = x₁ + s: [m₁+m₂, m₂; m₂, m₂] (ẍ₁, s̈) = (F, -k s - d ṡ)."""
    model = built(loads(json.dumps(TWO)))
    inverse = np.linalg.inv([[1.5, 0.5], [0.5, 0.5]])
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1], A[2:, 3], B[2:, 0] = inverse @ [0, -200], inverse @ [0, -0.1], inverse @ [1, 0]
    return model, A, B


@pytest.mark.parametrize("limit", [None, 1.5])
def test_a_loop_of_matrices_beside_the_run(limit: float | None) -> None:
    """Plant and filter as matrices in NumPy, with python-control's gains: the same samples; only the drive is read."""
    model, A, B = two_masses()
    period, n = 5e-3, 120
    big = expm(np.block([[A, B], [np.zeros((1, 5))]]) * period)
    Ad, Bd, C = big[:4, :4], big[:4, 4:], np.array([[1.0, 0, 0, 0]])
    K, _, _ = control.dlqr(Ad, Bd, np.diag([1e4, 1e3, 1, 1]), [[0.1]])
    ahead, _, _ = control.dlqe(Ad, Bd, C, [[0.25]], [[1e-10]])
    L = np.linalg.solve(Ad, ahead)
    x, seen, xs, estimates = np.array([0.02, 0.01, 0.0, 0.0]), np.array([0.02, 0, 0, 0]), [], []
    for _ in range(n):
        xs.append(x)
        now = seen + L[:, 0] * (x[0] - seen[0])
        u = -K @ now if limit is None else np.clip(-K @ now, -limit, limit)
        x, seen = Ad @ x + Bd @ u, Ad @ now + Bd @ u
        estimates.append(seen)  # foreseen for the next sample
    law = laws.LQG(gain=K, noise=1e-5, disturbance=0.5, limit=limit)
    clocked = laws.Sampled(law, period, sensors=sensors.Encoders())
    run = gough.simulate(model, None, clocked, q=[0.02, 0.01], duration=n * period, tolerance=1e-12)
    at = np.searchsorted(run.time, np.arange(n) * period - 1e-9)
    np.testing.assert_allclose(run.q[at], np.array(xs)[:, :2], atol=2e-8)
    assert run.stopped == "finished" and (limit is None or np.abs(run.tau).max() == limit)
    np.testing.assert_allclose(run["controller.states"][at], estimates, atol=2e-8)
    assert list(run.info.controller["of"]["hardly_seen"]) == ["spring (3.183 Hz)"]
    tuned = laws.LQG(gain=K, noise=1e-5, disturbance=0.05).tune(model, period).tuned
    assert tuned is not None and not tuned.hardly_seen


def triplet(damping: float) -> gough.Model:
    """A driven mass between two equal ones on equal springs: when these swing against each other it stands still."""
    data = json.loads(json.dumps(TWO))
    data["joints"][1]["spring"]["damping"] = damping
    data["bodies"].append({**data["bodies"][1], "name": "third"})
    data["joints"].append({**data["joints"][1], "name": "other", "child": "third"})
    data["home"]["joints"]["other"] = 0
    return built(loads(json.dumps(data)))


def test_what_the_drives_do_not_show_is_named() -> None:
    """With the drive held both swing at √(k/m)/2π = 3.183 Hz. Where its forces are known well readings tell of the outer masses
    together, but never of the one against the other: with damping that is the model's word, without it there is no filter."""
    known, law = (laws.LQG(1e-3, 5.0, 1e-5, force) for force in (0.05, 50.0))
    for made, count in ((known, 1), (law, 2)):
        tuned = made.tune(triplet(0.1), 5e-3).tuned
        assert tuned is not None and len(tuned.hardly_seen) == count
        assert set(tuned.hardly_seen) <= {"spring (3.183 Hz)", "other (3.183 Hz)"}
    with pytest.raises(
        UsageError, match=r"LQG: the drives do not move (spring|other) \(3\.183 Hz\)\. Give these motions damping"
    ):
        law.tune(triplet(0.0), 5e-3)
    with pytest.raises(UsageError, match=r"LQG: encoders do not see (spring|other) \(3\.183 Hz\)"):
        laws.LQG(gain=np.zeros((1, 6)), noise=1e-5, disturbance=0.5).tune(triplet(0.0), 5e-3)


def held(law: laws.Law) -> None:
    gough.simulate(slider(), None, law, duration=0.1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: laws.LQR(), "LQR: nothing is given; give error= and force="),
        (lambda: laws.LQR(0.1), "LQR: error= is given"),
        (lambda: laws.LQR(0.1, 1.0, gain=[[1, 2]]), "LQR: error=, force=, gain= is given"),
        (lambda: laws.LQR(gain=[[1.0, np.nan]]), r"LQR: gain\[0\]\[1\] is nan; give finite numbers"),
        (lambda: laws.LQR(state_cost=[np.inf, 1], force_cost=1), r"LQR: state_cost\[0\] is inf"),
        (lambda: laws.LQR(0.1, -1.0), r"force=-1\.0: must not be below 0"),
        (lambda: laws.LQR(0.0, 1.0), r"LQR: error=0\.0: must be above 0"),
        (lambda: held(laws.LQR([0.1, 0.2], 1.0)), "error: 2 numbers are given, the robot has 1 drives"),
        (lambda: held(laws.LQR(gain=[[1, 2, 3]])), r"LQR: gain has shape \(1, 3\); give \(1, 2\), a row each drive"),
        (lambda: held(laws.LQR(state_cost=[1, 2, 3], force_cost=1)), r"state_cost has shape \(3,\); give \(2, 2\)"),
        (lambda: held(laws.LQR(state_cost=[[1, 2], [0, 1]], force_cost=1)), "state_cost is not symmetric"),
        (lambda: held(laws.LQR(state_cost=[1, -1], force_cost=1)), "state_cost is negative in some direction"),
        (lambda: held(laws.LQR(state_cost=[1, 1], force_cost=0)), "force_cost is not positive definite"),
        (lambda: held(laws.LQR(0.1, 1.0, at=[0.1, 0.2])), r"LQR: at has 2 numbers; give one configuration \(1,\)"),
        (lambda: held(laws.LQR(state_cost=[0, 0], force_cost=1)), "LQR: no gain makes everything die out"),
        (lambda: laws.LQG(0.1, 1.0), r"LQG: give noise=, a standard deviation \(m, rad\)"),
        (lambda: laws.LQG(0.1, 1.0, 0.0, 1.0), r"LQG: noise=0\.0: must be above 0"),
        (lambda: held(laws.LQG(0.1, 1.0, 1e-3, 1.0)), r"LQG runs on a clock: give gough\.laws\.Sampled"),
    ],
)
def test_what_is_no_design_is_refused(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]


def test_elastic_coordinates_are_not_read_from_encoders() -> None:
    model = two_masses()[0]
    law = laws.Sampled(laws.LQR(1e-3, 5.0), 5e-3, sensors=sensors.Encoders())
    with pytest.raises(UsageError, match=r"encoders do not show spring of two_masses; gough\.laws\.LQG estimates them"):
        gough.simulate(model, None, law, duration=0.1)


def test_a_file_names_them(tmp_path: Path) -> None:
    text = """
format: 1
robot: five_bar
duration: 0.1
method: rk4
controller: {sampled: {law: {lqg: {error: 1 mrad, force: 5 N.m, noise: 0.01 mrad, disturbance: 0.5 N.m}}, period: 1 ms,
  sensors: [{encoders: {noise: 0.01 mrad}}]}}
"""
    file = tmp_path / "lqg.yaml"
    file.write_text(text)
    run = gough.load_scenario(file).run()
    assert run.stopped == "finished" and np.abs(run.q[-1] - run.q[0]).max() < 1e-3
    assert (
        run.channel("controller.states").entries[0] == "controller.estimate.dleft_motor"
        or "controller.states" not in run
    )
