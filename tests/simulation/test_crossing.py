"""Singular poses on the way of a run, against pendulums in closed form: whatever the method, the step and what is stored."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.errors import RunWarning, Status
from gough.robot import loads
from inner.simulation import remedy
from laws.subjects import built

METHODS = (
    ("dp5", {"tolerance": 1e-10}),
    ("rk4", {"step": 5e-4}),
    ("cvode", {"tolerance": 1e-10}),
    ("esdirk4", {"step": 1e-3, "tolerance": 1e-9}),
    ("esdirk4", {"step": 5e-3, "every": 2}),
)
ROD_PENDULUM = """
format: 1
name: rod_pendulum
gravity: [0, 0, -9.80665]
bodies:
  - {name: bob, mass: 1, inertia: {about: center_of_mass, xx: 0.04, yy: 0.1, zz: 0.1}}
joints:
  - {name: f, type: free, parent: world, child: bob}
loops:
  - {name: l, type: constant_length, length: 2, first: {body: world}, second: {body: bob}}
velocities: [f_x, f_z, f_wx, f_wy, f_wz]
home: {joints: {f: [0, 2, 0, 1, 0, 0, 0]}}
"""


@pytest.fixture(scope="module")
def chain() -> gough.Model:
    return built(gough.load("four_bar_chain"))


@pytest.fixture(scope="module")
def weightless() -> gough.Model:
    """Without gravity its cranks turn evenly, and grid points may lie in flat poses."""
    return built(gough.load("four_bar_chain").model_copy(update={"gravity": (0.0, 0.0, 0.0)}))


def pendulum(n: int, end: float = 10.0):
    """A chain of n four-bars is a pendulum: [(n+1)/3 + n] θ̈ = [(n+1)/2 + n] g sin θ; its flat poses are where it is level."""

    def rates(_: float, x: np.ndarray) -> list[float]:
        return [x[1], ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81 * np.sin(x[0])]

    def level(_: float, x: np.ndarray) -> float:
        return np.cos(x[0])

    return solve_ivp(rates, (0, end), [0.0, 1.0], method="DOP853", rtol=1e-13, atol=1e-14, events=level)


@pytest.mark.parametrize(("method", "more"), METHODS)
def test_through_flat_poses(chain: gough.Model, method: str, more: dict) -> None:
    """B0 and its velocity at 10 s of the benchmark to 1e-6, and all ten crossings with their times."""
    run = gough.simulate(chain, duration=10.0, v=[1.0], method=method, **more)
    assert run.stopped == "finished"
    angle, rate = run.q[-1, 0], run.v[-1, 0]
    found = [np.sin(angle), np.cos(angle), rate * np.cos(angle), -rate * np.sin(angle)]
    limit = 5e-6 if method == "esdirk4" else 1e-6
    np.testing.assert_allclose(found, [0.3284581115, 0.9445185382, 1.4230514702, -0.4948688455], atol=limit)
    summary = run.summary()
    assert summary["energy_error"] * summary["energy_exchanged_J"] < 2e-6
    assert summary["closure_error"] < 1e-10
    assert summary["bad_states"] == 0
    flat = pendulum(2).t_events[0]
    assert len(flat) == 10
    np.testing.assert_allclose(summary["crossed"], flat, atol=2e-5)
    assert all(what == "crossed: a singularity of pin0, pin1" for _, what in run.crossings)
    behind = run.time[run["status"] == Status.CROSSED]
    assert len(behind) == 10
    assert (behind >= flat - 2e-5).all()
    assert (run["status"][run["status"] != Status.CROSSED] == 0).all()


def errors_of_steps(n: int, steps: np.ndarray) -> np.ndarray:
    """Error of a crank's angle after 10 s of a chain of n four-bars, for every step of rk4."""
    model = built(gough.robots.four_bar_chain(n))
    exact = pendulum(n).y[0, -1]
    runs = [gough.simulate(model, v=[1.0], duration=10.0, method="rk4", step=h, every=7) for h in steps]
    assert {run.stopped for run in runs} == {"finished"}
    return np.array([abs(run.q[-1, 0] - exact) for run in runs])


def within_order(steps: np.ndarray, errors: np.ndarray) -> bool:
    """Whether errors fall with the fourth power of the step, measured at the two longest, where that is so to a fifth, or are
    below 1e-8."""
    constant = (errors[:2] / steps[:2] ** 4).max()
    return bool((errors <= np.maximum(1.2 * constant * steps**4, 1e-8)).all())


def test_errors_fall_with_the_step_through_flat_poses() -> None:
    steps = np.array([4e-3, 2.9e-3, 1.13e-3, 4.7e-4, 2.5e-4, 1.3e-4])
    assert within_order(steps, errors_of_steps(1, steps))


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 10, 40])
def test_errors_fall_with_any_step(n: int) -> None:
    steps = np.geomspace(4e-3, 1e-4, 20)
    assert all(abs(a / b - round(a / b)) > 1e-3 for a, b in pairwise(steps))
    assert within_order(steps, errors_of_steps(n, steps))
    model = built(gough.robots.four_bar_chain(n))
    run = gough.simulate(model, v=[1.0], duration=10.0, method="dp5", tolerance=1e-10)
    assert run.stopped == "finished"
    assert abs(run.q[-1, 0] - pendulum(n).y[0, -1]) < 1e-7


@pytest.mark.parametrize("method", ["dp5", "rk4", "esdirk4", "sdirk2"])
def test_grid_points_in_a_flat_pose(weightless: gough.Model, tmp_path, method: str) -> None:
    """The fifth of equal steps ends where the chain is flat: that state is not stored, and the cranks turn on evenly."""
    start = weightless.configuration(coordinates={"foot0": np.pi / 2 - 0.5})
    run = gough.simulate(weightless, duration=2.0, q=start, v=[1.0], method=method, step=0.1, tolerance=1e-8)
    assert run.stopped == "finished"
    np.testing.assert_allclose(run.q[:, 0], np.pi / 2 - 0.5 + run.time, atol=1e-7)
    np.testing.assert_allclose(run.v[:, 0], 1.0, atol=1e-7)
    assert [t for t, _ in run.crossings] == pytest.approx([0.5], abs=1e-6)
    assert 0.5 not in run.time.round(9)
    again = gough.Run.load(run.save(tmp_path / "run.npz"), weightless)
    assert again.crossings == run.crossings
    assert (again["status"] == run["status"]).all()
    assert again.between(1.0, 2.0).crossings == ()


@pytest.mark.parametrize("every", [1, 3, 1000])
def test_what_is_stored_changes_nothing(chain: gough.Model, every: int) -> None:
    full = gough.simulate(chain, duration=3.0, v=[1.0], method="rk4", step=1e-3)
    run = gough.simulate(chain, duration=3.0, v=[1.0], method="rk4", step=1e-3, every=every)
    assert (run.stopped, run.crossings) == (full.stopped, full.crossings)
    np.testing.assert_array_equal(run.q[-1], full.q[-1])


@pytest.mark.parametrize("more", [{"tolerance": 1e-10}, {"method": "rk4", "step": 1e-3, "every": 7}])
def test_a_run_that_ends_within_a_passage_keeps_the_way_to_there(chain: gough.Model, limits, more: dict) -> None:
    limits(passage_most=1, passage_left=np.inf)
    run = gough.simulate(chain, duration=3.0, v=[1.0], check="off", **more)
    when = float(run.stopped.split("t = ")[1].split(" s")[0])
    assert run.failure.status == Status.FOLDED and run.time[-1] == pytest.approx(when, abs=1e-8)
    assert [what for _, what in run.crossings] == ["crossed: a singularity of pin0, pin1"]
    assert np.diff(run.time).max() < 0.1 and (run.time > run.crossings[0][0]).any()
    assert run.summary()["closure_error"] < 1e-10
    np.testing.assert_allclose([run.q[-1, 0], run.v[-1, 0]], pendulum(2, when).y[:, -1], atol=1e-6)


@pytest.mark.quick_cases("rk4-more1")
@pytest.mark.parametrize(("method", "more"), [("dp5", {"tolerance": 1e-10}), ("rk4", {"step": 1e-3})])
def test_where_drives_do_not_lead(method: str, more: dict) -> None:
    """A free five-bar swings through poses in which its motors do not determine it: it keeps its energy, and goes where a run
    with the elbows as velocities goes."""
    model = built(gough.load("five_bar"))
    run = gough.simulate(model, v=[3.0, -2.0], duration=4.0, method=method, **more)
    assert run.stopped == "finished"
    assert any(what.startswith("velocities: ") for _, what in run.info.events)
    assert run.v.shape[1] == 2
    kinetic = run["energy.kinetic"]
    assert np.abs(run["energy.error"]).max() < 1e-8 * kinetic.max()
    assert run["closure_error"].max() < 1e-10
    elbows = gough.build(gough.load("five_bar"), velocities=["left_elbow", "right_elbow"])
    u = model.function("tree_rates")(q=run.q[0], v=run.v[0], parameters=model.parameters).outputs["u"]
    own = [model.layout.u_names.index(name) for name in elbows.layout.v_names]
    other = gough.simulate(elbows, q=run.q[0], v=u[own], duration=2.0, method="dp5", tolerance=1e-12)
    np.testing.assert_allclose(run.resample([2.0]).q[0], other.q[-1], atol=1e-6)


@pytest.mark.parametrize(
    ("method", "more", "limit"),
    [
        ("dp5", {"tolerance": 1e-10}, 1e-6),
        ("rk4", {"step": 1e-3}, 1e-6),
        pytest.param("cvode", {"tolerance": 1e-10}, 1e-5, marks=pytest.mark.slow),
        pytest.param("esdirk4", {"step": 1e-3}, 1e-5, marks=pytest.mark.slow),
    ],
)
def test_a_pendulum_past_its_coordinates(method: str, more: dict, limit: float) -> None:
    """A bob on a rod of constant length: where it is lowest its height does not determine it, where it turns its way aside does
    not. θ̈ = -g/l cos θ, θ from the horizontal downwards."""
    model = built(loads(ROD_PENDULUM))
    run = gough.simulate(model, duration=10.0, method=method, **more)
    assert run.stopped == "finished"
    exact = solve_ivp(
        lambda _, x: [x[1], -9.80665 / 2 * np.cos(x[0])], (0, 10), [0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-14
    ).y[0, -1]
    place = model.layout.q_names.index("f_x")
    found = run.q[-1, place : place + 3]
    np.testing.assert_allclose(found, [0.0, 2 * np.cos(exact), 2 * np.sin(exact)], atol=limit)
    assert run.summary()["energy_error"] < limit


def test_pushed_through_a_stretched_pose() -> None:
    """Motors push a five-bar into a pose in which it is stretched: drive rates are no velocities there, but it goes on, and the
    work of the motors is its energy."""
    model = built(gough.load("five_bar"))
    run = gough.simulate(model, None, gough.laws.Free((3.0, -3.0)), duration=1.0, tolerance=1e-10)
    assert run.stopped == "finished"
    assert any(what.startswith("velocities: ") for _, what in run.info.events)
    gained = run["energy.kinetic"][-1] - run["energy.kinetic"][0]
    by_hand = (run.tau[0] * (run["drives.position"][-1] - run["drives.position"][0])).sum()
    assert gained == pytest.approx(by_hand, rel=1e-8)


def test_prescribed_drives_end_where_they_do_not_lead() -> None:
    """Drives that turn apart stretch a five-bar until it cannot follow: the run says where and why it ends."""
    model = built(gough.load("five_bar"))
    start = model.drives(model.home)
    motion = gough.motions.quintic(drives=np.stack([start, start + np.array([1.5, -1.5])]), durations=1.0)
    run = gough.simulate(model, motion, check="off")
    assert not run.info.finished
    assert "pin" in run.stopped
    assert 0.0 < run.time[-1] < 1.0


def test_runs_that_lose_energy_are_told(chain: gough.Model) -> None:
    """Steps of a twentieth of a second are too long for a five-bar that spins; the same with short ones is silent."""
    model = built(gough.load("five_bar"))
    with pytest.warns(RunWarning, match=r"energy: off by .* of what the run exchanges; take a shorter step"):
        run = gough.simulate(model, v=[3.0, -2.0], duration=2.0, method="rk4", step=0.05)
    assert any(what.startswith("energy: off by") for _, what in run.info.events)
    assert run.summary()["energy_error"] > 1e-3
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        gough.simulate(model, v=[3.0, -2.0], duration=2.0, method="rk4", step=1e-3)
        gough.simulate(chain, v=[1.0], duration=2.0, method="rk4", step=1e-3)


def test_many_runs_at_once_tell_which_are_to_be_doubted(weightless: gough.Model) -> None:
    start = weightless.configuration(coordinates={"foot0": np.pi / 2 - 0.5})
    with pytest.warns(RunWarning, match="singular poses: 1 of 2 runs went through one, run 1 the first of them"):
        found = gough.simulate_many(weightless, q=start, v=np.array([[0.1], [1.03]]), duration=1.0, step=0.0117)
    assert found.crossed.tolist() == [False, True]
    assert found.energy_error[0] < 1e-6


PARALLELOGRAM = """
format: 1
name: parallelogram
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.15, 0, 0], inertia: {about: center_of_mass, yy: 0.0075, zz: 0.0075}}
  - {name: coupler, mass: 1, center_of_mass: [0.25, 0, 0], inertia: {about: center_of_mass, yy: 0.02, zz: 0.02}}
  - {name: rocker, mass: 1, center_of_mass: [0.15, 0, 0], inertia: {about: center_of_mass, yy: 0.0075, zz: 0.0075}}
joints:
  - {name: A, type: revolute, parent: world, child: crank, drive: {}}
  - {name: B, type: revolute, parent: crank, child: coupler, pose: {position: [0.3, 0, 0]}}
  - {name: D, type: revolute, parent: world, child: rocker, pose: {position: [0.5, 0, 0]}}
loops:
  - name: C
    type: revolute
    first: {body: coupler, pose: {position: [0.5, 0, 0]}}
    second: {body: rocker, pose: {position: [0.3, 0, 0]}}
home: {joints: {A: 1, B: -1, D: 1}}
"""


@pytest.mark.parametrize(("method", "more"), [("dp5", {"tolerance": 1e-10}), ("rk4", {"step": 1e-3})])
def test_runs_that_end_shortly_behind_a_flat_pose(method: str, more: dict) -> None:
    """A parallelogram is a pendulum: [2 (0.0075 + 0.15²) + 0.3²] Ä = -(2·0.15 + 0.3) g cos A."""
    model = built(loads(PARALLELOGRAM))
    inertia, pull = 2 * (0.0075 + 0.15**2) + 0.3**2, 0.6 * 9.81
    for end in (0.281, 0.282, 0.285, 1.9972, 1.9975, 1.999, 2.0):
        truth = solve_ivp(
            lambda _, x: [x[1], -pull / inertia * np.cos(x[0])], (0, end), [1.0, 0.0], rtol=1e-12, atol=1e-13,
            events=lambda _, x: np.sin(x[0]),
        )  # fmt: skip
        run = gough.simulate(model, duration=end, method=method, **more)
        assert run.info.finished, (end, run.stopped)
        assert abs(run.q[-1, 0] - truth.y[0, -1]) < 1e-6
        assert len(run.crossings) == len(truth.t_events[0])


@pytest.mark.quick_cases("0.005", "0.01")
@pytest.mark.parametrize("period", [0.02, 0.01, 0.005, 0.001])
def test_controllers_on_a_clock_pass_flat_poses(period: float) -> None:
    """Or the run says that it does not: forces that change in the pose itself cannot be told from its rounding."""
    model = built(loads(PARALLELOGRAM.replace("-9.81", "0")))
    motion = gough.motions.quintic(drives={"A": [1.0, -1.0]}, durations=[1.5])
    run = gough.simulate(model, motion, gough.laws.Sampled(gough.laws.JointPD(50, 8), period))
    if run.info.finished:
        smooth = gough.simulate(model, motion, gough.laws.JointPD(50, 8))
        assert abs(run.q[-1, 0] - smooth.q[-1, 0]) < 20 * period and len(run.crossings) == 1
    else:
        assert "singular pose" in run.stopped and "period" in remedy(run)
    assert run.info.finished or period < 0.005


@pytest.mark.slow
def test_a_large_robot_that_folds_says_what_would_hold() -> None:
    """It is not led by other velocities by itself; those that it names bring it through, to where rods are parallel (0.463 s)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = gough.simulate(gough.build("delta_flexible"), duration=0.455)
        whole = gough.simulate(gough.build("delta_flexible", velocities="drives"), duration=0.455)
    told = "where vx vy vz and 30 elastic rates do not determine the robot (leg0.arm leg1.arm leg2.arm in v would)"
    assert told in stopped.stopped and "velocities:" in remedy(stopped)
    assert whole.info.finished
