"""Runs at other times: measured orders against motions known in closed form, jumps, held forces, bad times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gough
from gough import Run
from gough.errors import RunWarning, UsageError
from inner.robot import change_friction
from simulation.trajectories import integrated, model, swinging_platform, top, turning_top

COARSE = (9, 17, 33)


def orders(errors: list[np.ndarray]) -> np.ndarray:
    """Measured order of every quantity (k,) from errors (k,) at spacings halved."""
    e = np.array(errors)
    return np.log2(e[-2] / np.where(e[-1] > 0, e[-1], np.nan))


def measured(made: Callable[[np.ndarray], Run], truth: Callable[[np.ndarray], Run], duration: float) -> np.ndarray:
    """Orders of q, v, acceleration, tau."""
    wanted = np.linspace(0.0, duration, 401)[1:-1]
    exact, errors = truth(wanted), []
    for n in COARSE:
        found = made(np.linspace(0.0, duration, n)).resample(wanted)
        pairs = [
            (found.q, exact.q),
            (found.v, exact.v),
            (found.acceleration, exact.acceleration),
            (found.tau, exact.tau),
        ]
        errors.append(np.array([np.abs(a - b).max(initial=0.0) for a, b in pairs]))
    assert found["closure_error"].max() < 1e-12
    return orders(errors)


def test_orders_of_a_hexapod() -> None:
    m = model("pedrammehr2012")

    def run(time: np.ndarray) -> Run:
        q, v, a = swinging_platform(m, time)
        return Run.from_states(m, time, q, v, acceleration=a)

    q, v, a, tau = measured(run, run, 1.0)
    assert q > 5.6 and v > 4.6 and a > 3.6 and tau > 3.2


def test_orders_of_a_turning_top_whose_accelerations_are_computed() -> None:
    def run(time: np.ndarray) -> Run:
        q, w, _ = turning_top(time)
        return Run.from_states(top(), time, q, w)

    def truth(time: np.ndarray) -> Run:
        q, w, a = turning_top(time)
        return Run.from_states(top(), time, q, w, acceleration=a)

    wanted = np.linspace(0.0, 1.0, 200)
    found = run(np.linspace(0.0, 1.0, 33)).resample(wanted)
    np.testing.assert_allclose(np.linalg.norm(found.q, axis=1), 1.0, atol=1e-14)
    signs = np.sign((found.q * truth(wanted).q).sum(axis=1))
    np.testing.assert_allclose(found.q * signs[:, None], truth(wanted).q, atol=1e-5)
    q, v, a, _ = measured(run, truth, 0.3)
    assert q > 5.6 and v > 4.6 and a > 3.6


def test_stored_states_come_back_as_they_are() -> None:
    m = model("pedrammehr2012")
    time = np.linspace(0, 0.4, 9)
    q, v, a = swinging_platform(m, time)
    run = Run.from_states(m, time, q, v, acceleration=a, recorded={"sensor": (time**2, "V")})
    again = run.resample(time[[0, 3, 8]])
    for name in ("q", "v", "acceleration", "tau"):
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name)[[0, 3, 8]])
    between = run.resample(rate=100.0)
    np.testing.assert_allclose(between["sensor"], between.time**2, atol=1e-15)  # cubics hold squares exactly
    assert len(between) == 41 and between.unit("sensor") == "V"


@pytest.fixture(scope="module")
def steps() -> list[Run]:
    """A flexible beam under a torque that is held for a while, then another."""
    m = model("spin_up_beam")
    runs, q, v, t = [], m.home, np.zeros(8), 0.0
    for torque in (20.0, -30.0, 10.0):
        x = integrated(m, 0.02, 11, lambda _, torque=torque: np.array([torque]), start=q, v0=v)
        runs.append(Run.from_states(m, t + x.time, x.q, x.v, x.tau, recorded={"work.along": x.drives}))
        q, v, t = x.q[-1], x.v[-1], t + x.time[-1]
    return runs


def test_jumps_of_forces_are_kept_and_cost_nothing(steps: list[Run]) -> None:
    run = Run.concatenate(steps)
    assert len(run) == 33 and (np.diff(run.time) == 0).sum() == 2  # both sides of two jumps
    assert run.summary()["energy_error"] < 1e-7
    fine = run.resample(rate=5000.0)
    assert set(np.unique(fine.tau)) == {20.0, -30.0, 10.0}
    np.testing.assert_array_equal(fine.resample([0.02]).tau, [[-30.0]])  # the state after the jump
    x = integrated(run.model, 0.02, 101, lambda _: np.array([-30.0]), start=run.q[11], v0=run.v[11])
    inside = fine.between(0.0205, 0.0395)
    exact = x.q[np.round((inside.time - 0.02) / 2e-4).astype(int)]
    assert np.abs(inside.q - exact).max() < 3e-4 * np.abs(exact).max()  # two samples a swing


def test_a_jump_at_the_end_is_kept() -> None:
    m = model("pedrammehr2012")
    run = Run.from_states(m, [0.0, 1.0, 1.0], [m.home] * 3, np.zeros((3, 6)), np.arange(18.0).reshape(3, 6))
    np.testing.assert_array_equal(run.resample([0.0, 1.0]).tau, run.tau[[0, 2]])


def test_held_forces_need_no_jumps(steps: list[Run]) -> None:
    jumps = Run.concatenate(steps)
    kept = np.append(np.diff(jumps.time) > 0, True)  # the states after the jumps
    held = Run.from_states(jumps.model, jumps.time[kept], jumps.q[kept], jumps.v[kept], jumps.tau[kept], tau_held=True)
    assert held.summary()["energy_error"] < 1e-9
    works = np.concatenate([[0.0], *(np.diff(run["work.along"]) for run in steps)]).cumsum()
    np.testing.assert_allclose(held["work.drives"], works, atol=1e-9 * np.abs(works).max())
    wanted = np.linspace(0.001, 0.059, 97)
    a, b = held.resample(wanted), jumps.resample(wanted)
    assert np.abs(a.q - b.q).max() < 1e-12 and (a.tau == b.tau).all()


def test_a_state_without_rates_is_bridged() -> None:
    """An open loop has no rates: its two intervals are straight, the others as ever, and the status says so."""
    m = model("pedrammehr2012")
    time = np.linspace(0, 0.4, 9)
    q, v, a = swinging_platform(m, time)
    tau = m.inverse_dynamics(q, v, a).tau
    q = q.copy()
    q[4, 8] += 1e-3
    run = Run.from_states(m, time, q, v, tau)
    found = run.resample(np.linspace(0, 0.4, 65))
    assert np.isfinite(found.q).all()
    exact, _, _ = swinging_platform(m, found.time)
    error = np.abs(found.q - exact).max(axis=1)
    touched = np.abs(found.time - 0.2) < 0.05 - 1e-12
    assert error[~touched].max() < 1e-4 < error[touched].max() < 1e-2
    assert (found.status[touched] != 0).all() and not found.status[~touched].any()


def test_one_stored_state_is_enough() -> None:
    m = model("pedrammehr2012")
    run = Run.from_states(m, [1.0], m.home[None], np.zeros((1, 6)), np.zeros((1, 6)))
    np.testing.assert_array_equal(run.resample([1.0]).q, run.q)
    assert run.summary()["simulated_s"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either times or rate"),
        ({"times": [0.1], "rate": 10.0}, "either times or rate"),
        ({"times": [0.0, 2.0]}, r"0 … 2 s, but the run has 0 … 1 s"),
        ({"times": [0.5, 0.2]}, "increase"),
        ({"times": [np.nan]}, "finite"),
        ({"rate": -1.0}, "rate=-1"),
        ({"rate": 1e12}, "states"),
    ],
)
def test_times_that_cannot_be_are_refused(arguments: dict, message: str) -> None:
    m = model("pedrammehr2012")
    run = Run.from_states(m, [0.0, 1.0], [m.home] * 2, np.zeros((2, 6)), np.zeros((2, 6)))
    with pytest.raises(UsageError, match=message):
        run.resample(**arguments)


def test_forces_at_reversals_are_those_the_motion_needs() -> None:
    """A mass that slides to and fro against smoothed Coulomb friction: F = m a + C v/√(v² + s²) at any time, in closed form."""
    import gough
    from simulation.sliders import MASS, slider

    C, s = 30.0, 1e-3
    robot = slider(coulomb=C, smoothing=s)
    swing = gough.motions.function(lambda t: [0.1 * np.sin(7.0 * t)], 2.0, kind="drives", names=["slide"])
    run = gough.simulate(robot, swing, method="rk4", step=1e-3, every=20)
    fine = run.resample(rate=997.0)
    v, a = 0.7 * np.cos(7.0 * fine.time), -4.9 * np.sin(7.0 * fine.time)
    np.testing.assert_allclose(fine.tau[:, 0], MASS * a + C * v / np.hypot(v, s), atol=0.05)


def test_what_stored_states_do_not_resolve_is_told() -> None:
    """A vibration of 40 Hz stored 33 times a second: nothing brings it back, and the run says by how much it is off."""
    import gough
    from gough.errors import RunWarning
    from simulation.sliders import MASS, slider

    stiff = gough.laws.JointPD(MASS * (2 * np.pi * 40.0) ** 2, 0.0)
    stay = gough.motions.function(lambda t: [0.0 * t], 1.0, kind="drives", names=["slide"])
    robot = slider()
    run = gough.simulate(robot, stay, stiff, q=[0.01], method="rk4", step=1e-3, every=30, check="off")
    with pytest.warns(
        RunWarning, match=r"resample: stored states are too far apart .*slide by about .* m \(.* % of its range"
    ):
        found = run.resample(rate=1000.0)
    true = 0.01 * np.cos(2 * np.pi * 40.0 * found.time)
    off = np.abs(found.q[:, 0] - true).max()
    told = found.info.settings["interpolation_error"]["q"]
    assert told["column"] == "slide" and told["unit"] == "m"
    assert off / 10 < told["error"] < 10 * off
    fine = gough.simulate(robot, stay, stiff, q=[0.01], method="rk4", step=1e-4, every=10, check="off").resample(
        rate=3000.0
    )
    true = 0.01 * np.cos(2 * np.pi * 40.0 * fine.time)
    assert np.abs(fine.q[:, 0] - true).max() < 1e-5
    assert fine.info.settings["interpolation_error"]["q"]["relative"] < 1e-3


@pytest.mark.parametrize(
    "given", [{"times": "a"}, {"times": {}}, {"rate": "a"}, {"rate": True}, {"times": [[1], [2, 3]]}, {"rate": 1j}]
)
def test_times_that_are_no_numbers_are_refused(given: dict) -> None:
    time, (q, w, _) = np.linspace(0.0, 1.0, 5), turning_top(np.linspace(0.0, 1.0, 5))
    with pytest.raises(UsageError, match="resample"):
        Run.from_states(top(), time, q, w).resample(**given)


@pytest.mark.parametrize("method", ["esdirk4", "generalised_alpha", "leapfrog", "sdirk2"])
def test_pieces_of_a_motion_end_at_one_time(method: str) -> None:
    """Equal steps sum up to a rounding error beside the end of a piece: nothing is interpolated across 1e-16 s."""
    five_bar = model("five_bar")
    start = five_bar.drives(five_bar.home)
    motion = gough.motions.quintic(drives=[start, start + [0.3, -0.2]], durations=[0.35])
    run = gough.simulate(five_bar, motion, gough.laws.JointPD(300, 8, gravity=True), method=method, step=1e-3)
    gaps = np.diff(run.time)
    assert not ((gaps > 0) & (gaps < 1e-9)).any() and run.time[-1] == 0.35
    assert np.abs(run.resample(rate=2000).tau).max() < 1.05 * np.abs(run.tau).max()


@pytest.mark.quick_cases("three_rrr-platform-v1")
@pytest.mark.parametrize(
    ("name", "velocities", "v"),
    [
        ("delta", "drives", [0.3, 0.2, 0.1]),
        ("three_rrr", "platform", [0.5, 0.3, 0.4]),
        pytest.param("delta", "platform", [0.02, 0.03, -0.1], marks=pytest.mark.slow),
    ],
)
def test_runs_that_change_their_velocities(name: str, velocities: str, v: list[float]) -> None:
    """A robot let go keeps its energy between its stored states, too, whatever leads it."""
    robot = gough.build(change_friction(gough.load(name), coulomb=0.0, viscous=0.0), velocities=velocities)
    run = gough.simulate(robot, v=v, duration=0.6, tolerance=1e-10, smoothing="described")
    assert run.info.finished and any(what.startswith("velocities:") for _, what in run.info.events)
    fine = run.resample(np.linspace(0.0, 0.6, 6001))
    lost = fine["losses"].sum(axis=1) if "losses" in fine else 0.0
    energy = fine["energy.total"]
    assert np.abs(lost).max() == 0.0 and np.abs(energy - energy[0]).max() < 1e-5 * fine["energy.kinetic"].max()


def test_more_than_half_a_turn_between_stored_states_is_told() -> None:
    time = np.linspace(0.0, 1.0, 3)
    q, w, _ = turning_top(time)
    spun = Run.from_states(top(), time, q, np.full_like(w, 5.0))
    with pytest.warns(RunWarning, match="half a turn"):
        spun.resample([0.1, 0.7])


def test_forces_of_prescribed_drives_under_loads_on_frames() -> None:
    five_bar = model("five_bar")
    start = five_bar.drives(five_bar.home)
    motion = gough.motions.quintic(drives=[start, start + [0.3, -0.2]], durations=[0.5])
    load = {"left_rod.tool": [5.0, -3.0, 0, 0, 0, 0]}
    run = gough.simulate(five_bar, motion, wrench=load)
    fine = run.resample(rate=500)
    truth = five_bar.inverse_dynamics(fine.q, fine.v, fine.acceleration, load).tau
    assert np.abs(fine.tau - truth).max() < 1e-3 * np.abs(truth).max()
