"""Channels of runs: what they are called, and whether they are what they are called."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import Run
from gough.cli.states import acceleration_columns, groups_of
from gough.errors import UsageError
from gough.simulation.results._recorded import WRENCH
from simulation.trajectories import INERTIA, PUSH, hexapod, model, slider_crank, swinging_platform, top, turning_top


@pytest.fixture(scope="module")
def falling() -> Run:
    x = hexapod()
    return Run.from_states(model("pedrammehr2012"), x.time, x.q, x.v, x.tau, wrench={"platform": PUSH})


@pytest.fixture(scope="module")
def crank() -> Run:
    x = slider_crank()
    return Run.from_states(model("flexible_slider_crank"), x.time, x.q, x.v, x.tau)


def rate(time: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Central differences of fourth order at all times but two at each end, equal spacing."""
    return (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * (time[1] - time[0]))


def near(found: np.ndarray, truth: np.ndarray, tolerance: float) -> None:
    assert np.abs(found - truth).max() <= tolerance * np.abs(truth).max()


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["pedrammehr2012", "flexible_slider_crank", "delta"])
def test_columns_are_called_as_in_files_of_states(name: str) -> None:
    m = model(name)
    run = Run.from_states(m, [0.0], m.home[None], np.zeros((1, m.layout.nv)), np.zeros((1, len(m.layout.drive_names))))
    groups = groups_of(m)
    assert run.channel("q").entries == groups["q"] and run.channel("v").entries == groups["v"]
    assert run.channel("tau").entries == groups["tau"] and run.channel("drives.position").entries == groups["drives"]
    assert run.channel("acceleration").entries[: m.mobility] == acceleration_columns(m)
    assert groups.get("wrench", WRENCH) == WRENCH
    for channel in run.channels():
        assert run[channel.name].shape == channel.shape and len(channel.units) == len(channel.entries)
        assert not run[channel.name].flags.writeable
    assert all(run[column].shape == (1,) for channel in run.channels() for column in channel.entries)


def test_one_quantity_has_one_value_under_all_its_names(falling: Run) -> None:
    assert (falling["x"] == falling["platform.x"]).all() and (falling["x"] == falling["pose.x"]).all()
    assert (falling["tau.leg2.slide"] == falling.tau[:, 2]).all()
    assert (falling["drives.force"] == falling["tau"]).all()
    assert falling.unit("platform.wz") == "rad/s" and falling.unit("leg0.ball.mx") == "N m"
    np.testing.assert_allclose(falling["platform.pose"], falling["pose"], atol=1e-12)
    assert "leg3.hip.reaction" in falling and "leg7.hip.reaction" not in falling


def test_an_elastic_coordinate_is_not_taken_for_a_position_of_its_frame() -> None:
    m = model("dualemps")
    q = m.configuration(drives=m.drives(m.home), elastic=np.linspace(1e-4, 9e-4, 9))
    run = Run.from_states(m, [0.0], q[None], np.zeros((1, 11)), np.zeros((1, 2)))
    assert run["link13.tip.x"] == q[m.layout.index("link13.tip.x")]
    assert run["link13.tip.pose.x"] == m.frame_pose(q, "link13.tip")[0][0]


def test_unknown_names_are_refused_with_the_nearest(falling: Run) -> None:
    with pytest.raises(UsageError, match=r"'leg0\.slid'.*pedrammehr2012.*'leg0\.slide'"):
        falling["leg0.slid"]
    with pytest.raises(UsageError, match=r"energy\.kinetic"):
        falling["energy.kinetc"]
    with pytest.raises(UsageError, match=r"channels\(\)"):
        falling["§"]
    with pytest.raises(UsageError, match="between"):
        falling[0.5]  # type: ignore[index]


# ---------------------------------------------------------------- what they hold


def test_rates_are_derivatives(falling: Run, crank: Run) -> None:
    for run, pairs in (
        (falling, {"drives.position": "drives.rate", "joints": "joints.rate", "x": "vx", "v": "acceleration"}),
        (crank, {"elastic": "elastic.rate", "joints": "joints.rate", "v": "acceleration"}),
    ):
        for value, change in pairs.items():
            near(run[change][2:-2], rate(run.time, run[value]), 1e-3 if value == "elastic" or run is crank else 1e-5)


def test_twists_of_frames_are_derivatives_of_their_poses(crank: Run) -> None:
    pose, twist = crank["rod.pin.pose"], crank["rod.pin.twist"]
    near(twist[2:-2, :3], rate(crank.time, pose[:, :3]), 1e-4)
    R = Rotation.from_quat(pose[:, 3:], scalar_first=True)
    turning = (R[2:] * R[:-2].inv()).as_rotvec() / (2 * (crank.time[1] - crank.time[0]))
    near(twist[1:-1, 3:], turning, 1e-3)


def test_energy_is_balanced_by_works_that_were_integrated_along(falling: Run, crank: Run) -> None:
    for run, x in ((falling, hexapod()), (crank, slider_crank())):
        scale = np.ptp(x.drives)
        change = run["energy.total"] - run["energy.total"][0]
        assert np.abs(change - x.drives + x.losses - x.wrench).max() < 1e-7 * scale
        for name, work in (("drives", x.drives), ("losses", x.losses), ("wrench", x.wrench)):
            assert np.abs(run[f"work.{name}"] - work).max() < 3e-7 * scale
        assert run.summary()["energy_error"] < 3e-7
        assert run.summary()["closure_error"] < 1e-12
    assert falling["work.losses"][-1] > 1e-4 and abs(falling["work.wrench"][-1]) > 1e-2  # there is something to balance


def test_recorded_works_take_the_place_of_integrals(crank: Run) -> None:
    x = slider_crank()
    few = slice(None, None, 20)
    states = (crank.model, x.time[few], x.q[few], x.v[few], x.tau[few])
    bare = Run.from_states(*states)
    told = Run.from_states(*states, recorded={"work.drives": (x.drives[few], "J")})
    assert 100 * told.summary()["energy_error"] < bare.summary()["energy_error"]


def test_energy_of_the_free_top() -> None:
    time = np.linspace(0, 1, 30)
    q, w, _ = turning_top(time)
    run = Run.from_states(top(), time, q, w)
    np.testing.assert_allclose(run["energy.kinetic"], 0.5 * (w**2 @ INERTIA), rtol=1e-13)
    assert "drives.force" not in run and run.tau.shape == (30, 0)
    np.testing.assert_allclose(run["joints.rate"], w, rtol=1e-14)


def test_strain_is_what_is_left_of_the_potential_without_gravity(crank: Run) -> None:
    m = model("spin_up_beam")  # no gravity, no springs
    q = np.tile(m.home, (5, 1))
    q[:, m.layout.elastic] = np.random.default_rng(0).normal(size=(5, 7)) * 1e-2
    run = Run.from_states(m, np.arange(5.0), q, np.zeros((5, 8)), np.zeros((5, 1)))
    np.testing.assert_allclose(run["energy.strain"], run["energy.potential"], rtol=1e-12)
    assert (run["energy.strain"] > 0).all()


@pytest.mark.parametrize(
    ("name", "body", "frame"), [("spin_up_beam", "beam", "beam.tip"), ("long2014", "platform", "vertex")]
)
def test_deflection_is_the_frame_seen_from_the_body(name: str, body: str, frame: str) -> None:
    m = model(name)
    rng = np.random.default_rng(1)
    e = np.concatenate([np.zeros((1, m.layout.n_elastic)), rng.normal(size=(4, m.layout.n_elastic)) * 3e-3])
    target: dict[str, Any] = {"pose": m.home_pose} if m.mechanism.has_platform else {"drives": [0.4]}
    q = m.configuration(**target, elastic=e)
    run = Run.from_states(m, np.arange(5.0), q, np.zeros((5, m.layout.nv)), np.zeros((5, len(m.layout.drive_names))))
    (P, R), (B, A) = m.frame_pose(q, frame), m.frame_pose(q, body)
    seen, turn = np.einsum("nji,nj->ni", A, P - B), np.einsum("nji,njk->nik", A, R)
    found = run[f"{frame}.deflection"]
    np.testing.assert_allclose(found[:, :3], seen - seen[0], atol=1e-13)
    np.testing.assert_allclose(found[:, 3:], Rotation.from_matrix(turn @ turn[0].T).as_rotvec(), atol=1e-13)
    assert np.abs(found[1:]).max() > 1e-3


def test_reactions_carry_the_platform() -> None:
    """At rest the legs push on the platform with its weight, and about its mass centre with nothing."""
    m = model("pedrammehr2012")
    rest = m.inverse_dynamics(m.home, np.zeros(6), np.zeros(6)).tau
    run = Run.from_states(m, [0.0, 1.0], [m.home] * 2, np.zeros((2, 6)), [rest] * 2)
    total = sum(run[f"leg{k}.ball.reaction"][:, :3] for k in range(6))
    mass = m.robot.platform.body.mass  # type: ignore[union-attr]
    np.testing.assert_allclose(total, [[0, 0, 9.81 * mass]] * 2, atol=1e-9)
    np.testing.assert_allclose(run.acceleration, 0.0, atol=1e-9)


def test_forces_follow_from_accelerations() -> None:
    m = model("pedrammehr2012")
    time = np.linspace(0, 0.3, 4)
    q, v, a = swinging_platform(m, time)
    run = Run.from_states(m, time, q, v, acceleration=a)
    np.testing.assert_allclose(m.forward_dynamics(q, v, run.tau).vdot, a, atol=1e-9)


def test_angles_do_not_jump_at_half_a_turn() -> None:
    m = model("three_rrr")
    q, yaw = np.tile(m.home, (5, 1)), np.linspace(3.0, 3.4, 5)
    q[:, 3:7] = np.stack([np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], axis=1)
    run = Run.from_states(m, np.arange(5.0), q, np.zeros((5, m.layout.nv)), np.zeros((5, 3)), status=np.zeros(5))
    np.testing.assert_allclose(run["yaw"], yaw, atol=1e-12)


# ---------------------------------------------------------------- making them


def test_a_bad_state_is_told_and_does_not_spoil_the_others(falling: Run) -> None:
    q = falling.q.copy()
    q[7, 10] += 0.01  # an open loop
    run = Run.from_states(falling.model, falling.time, q, falling.v, falling.tau, stopped="singular at t=0.06: leg0")
    assert run.status[7] == gough.Status.OPEN_LOOP and not np.delete(run.status, 7).any()
    assert np.isnan(run["energy.kinetic"][7]) and np.isfinite(np.delete(run["energy.kinetic"], 7)).all()
    told = run.summary()
    assert told["bad_states"] == 1 and told["stopped"] == "singular at t=0.06: leg0" and told["closure_error"] > 1e-4
    assert not run.info.finished and "singular" in repr(run)


def test_arrays_that_do_not_fit_are_refused() -> None:
    m = model("pedrammehr2012")
    q, v, tau = np.tile(m.home, (3, 1)), np.zeros((3, 6)), np.zeros((3, 6))
    for wrong, message in (
        ({"time": [0, 1]}, r"q has shape \(3, 25\); expected \(2, 25\)"),
        ({"time": [0, 2, 1]}, "backwards from 2 s"),
        ({"time": [1, 1, 1]}, "more than twice"),
        ({"time": [0, np.nan, 1]}, "index 1"),
        ({"time": []}, "at least one"),
        ({"tau": None}, "acceleration="),
        ({"tau": np.zeros((3, 5))}, "tau"),
        ({"wrench": {"nose": np.zeros(6)}}, "no frame 'nose'"),
        ({"wrench": np.zeros(5)}, "wrench has shape"),
        ({"recorded": {"error": np.zeros(2)}}, "recorded 'error'"),
        ({"parameters": np.zeros(3)}, "one design"),
        ({"stoped": "x"}, "'stoped'.*stopped"),
        ({"settings": {"step": object()}}, "plain data"),
        ({"status": [0, 0.5, 0]}, "status"),
    ):
        arguments: dict[str, Any] = {"time": [0, 1, 2], "q": q, "v": v, "tau": tau} | wrong
        with pytest.raises(UsageError, match=message):
            Run.from_states(m, **arguments)
    with pytest.raises(UsageError, match="no platform"):
        Run.from_states(top(), [0.0], [[1, 0, 0, 0]], np.zeros((1, 3)), wrench=np.zeros(6))


def test_accelerations_that_no_forces_give_are_refused(crank: Run) -> None:
    with pytest.raises(UsageError, match="elastic part"):
        Run.from_states(crank.model, crank.time, crank.q, crank.v, acceleration=np.ones_like(crank.v))


def test_another_design_is_kept(falling: Run) -> None:
    m = falling.model
    heavy = m.parameters_with({"platform.M": 3.0})
    run = Run.from_states(m, falling.time, falling.q, falling.v, falling.tau, parameters={"platform.M": 3.0})
    np.testing.assert_array_equal(run.design, heavy)
    expected = m.energies(falling.q, falling.v, parameters=heavy).kinetic
    np.testing.assert_array_equal(run["energy.kinetic"], expected)


def test_runs_travel_between_processes(falling: Run) -> None:
    falling["energies"]
    again = pickle.loads(pickle.dumps(falling))
    np.testing.assert_array_equal(again["energies"], falling["energies"])


def test_no_wrong_argument_of_a_run_ends_in_a_raw_error() -> None:
    """Every argument of runs, laws, motions and draws with texts, ragged lists, functions, endless and missing numbers."""
    import gough
    from gough import vary
    from gough.errors import GoughError

    robot = gough.build("five_bar")
    start = robot.home[robot.drive_index]
    move = gough.motions.quintic(drives=[start, start + 0.1], durations=[0.1])
    run = gough.simulate(robot, move)
    laws, motions, made = gough.laws, gough.motions, gough.Run.from_states
    states = {"time": run.time, "q": run.q, "v": run.v, "tau": run.tau}
    wrong = [
        "a",
        -1,
        True,
        [],
        {},
        [1, 2, 3],
        [[1], [2, 3]],
        np.array(3.0),
        float("nan"),
        10**400,
        1e-300,
        int,
        b"x",
        1j,
        None,
    ]
    calls = [
        lambda x: run.resample(x),
        lambda x: run.resample(rate=x),
        lambda x: run.between(x, x),
        lambda x: run[x],
        lambda x: run.unit(x),
        lambda x: run.compare(x),
        lambda x: run.compare(run, x),
        lambda x: gough.Run.concatenate(x),
        lambda x: gough.Run.concatenate([run, x]),
        lambda x: gough.Run.load(x),
        lambda x: run.described(events=x),
        lambda x: made(x, **states),  # pyright: ignore[reportArgumentType]
        *(lambda x, k=k: made(robot, **states | {k: x}) for k in states),  # pyright: ignore[reportArgumentType]
        *(
            lambda x, k=k: made(robot, **states, **{k: x})
            for k in ("acceleration", "wrench", "status", "parameters", "recorded")
        ),
        lambda x: laws.ComputedTorque(x, x, nominal=x),
        lambda x: laws.ComputedTorque(model=x),
        lambda x: laws.JointPD(x, 1.0),
        lambda x: laws.Free(x),
        lambda x: laws.Sampled(x, 1e-3),
        lambda x: laws.Sampled(laws.JointPD(1, 1), x, x),
        lambda x: laws.forces(x, x),
        lambda x: laws.forces([0, 1], [[1], [1]], names=x),
        lambda x: laws.forces_of(x),
        lambda x: laws.drives_of(robot, x),
        lambda x: laws.drives_of(x, move),
        lambda x: motions.quintic(drives=x, durations=1),
        lambda x: motions.quintic(drives=[start, start], durations=x),
        lambda x: motions.quintic(drives=[start, start], durations=1, names=x),
        lambda x: motions.quintic(poses=x, durations=1),
        lambda x: motions.function(x, 1.0),
        lambda x: motions.function(lambda t: [x], x, kind=x),
        lambda x: move.at(x),
        lambda x: move.at(0.0, x),
        lambda x: gough.check_motion(robot, move, samples=x),
        lambda x: gough.check_motion(robot, move, condition=x, duration=x),
        lambda x: gough.check_motion(robot, move, near=x),
        lambda x: gough.check_motion(robot, move, parameters=x),
        lambda x: vary.monte_carlo(x, 2),
        lambda x: vary.monte_carlo({"left_rod.M": vary.within(0.1)}, x),
        lambda x: vary.monte_carlo({"left_rod.M": vary.within(0.1)}, 2, x),
        lambda x: vary.sweep({"left_rod.M": x}),
        *(lambda x, f=f: f(x) for f in (vary.sweep, vary.spread, vary.within)),
        *(lambda x, f=f: f(x, x) for f in (vary.normal, vary.uniform)),
    ]
    for k, call in enumerate(calls):
        for value in wrong:
            try:
                call(value)
            except GoughError:
                continue
            except Exception as error:
                raise AssertionError((k, value)) from error
