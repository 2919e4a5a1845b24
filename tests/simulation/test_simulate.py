"""Time integration against closed forms, published numbers, and SciPy on the same robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough import simulate
from gough.errors import Status, UsageError
from gough.laws import Follow, Free
from laws.subjects import built


@pytest.fixture(scope="module")
def four_bars() -> gough.Model:
    return built(gough.load("four_bar_chain"))


def swing(model: gough.Model, **more) -> gough.Run:
    return simulate(model, duration=more.pop("duration", 10.0), v=[1.0], **more)


def test_four_bars_through_singular_poses(four_bars: gough.Model) -> None:
    """Two four-bars (IFToMM A02): one pendulum while the cranks stay parallel; B0 at 10 s of the benchmark."""
    run = swing(four_bars, tolerance=1e-10)
    assert run.info.stopped == "finished"
    angle, rate = run.q[-1, 0], run.v[-1, 0]
    assert abs(np.sin(angle) - 0.3284581115) < 1e-6
    assert abs(np.cos(angle) - 0.9445185382) < 1e-6
    assert abs(rate * np.cos(angle) - 1.4230514702) < 1e-6
    assert abs(-rate * np.sin(angle) + 0.4948688455) < 1e-6
    summary = run.summary()
    assert summary["energy_error"] * summary["energy_exchanged_J"] < 1e-6
    assert summary["closure_error"] < 1e-10


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("esdirk4", 4), ("sdirk2", 2)])
def test_orders(four_bars: gough.Model, method: str, order: int) -> None:
    """Measured against the pendulum [(N+1)/3 + N] θ̈ = [(N+1)/2 + N] g sin θ, N = 2."""

    def pendulum(_: float, x: np.ndarray) -> list[float]:
        return [x[1], (1.5 + 2) / (1 + 2) * 9.81 * np.sin(x[0])]

    truth = solve_ivp(pendulum, (0, 0.5), [0.0, 1.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    errors = []
    for step in (0.005, 0.0025, 0.00125):
        run = swing(four_bars, duration=0.5, method=method, step=step, tolerance=1e-9)
        assert run.info.stopped == "finished"
        errors.append(abs(run.q[-1, 0] - truth[0]) + abs(run.v[-1, 0] - truth[1]))
    found = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (abs(found - order) < 0.25).all(), found


def test_andrews() -> None:
    """Andrews' squeezing mechanism at 0.03 s, IVP Test Set."""
    model = built(gough.load("andrews"))
    run = simulate(model, None, Free((0.033,)), duration=0.03, tolerance=1e-12)
    found = dict(zip(model.layout.q_names, run.q[-1], strict=True))
    truth = {"beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101}
    truth |= {"delta": 0.5244099658805304, "epsilon": 1.048080741042263}
    for name, value in truth.items():
        assert abs(found[name] - value) < 1e-8, name


def test_a_hexapod_falls_as_in_scipy() -> None:
    """A platform turning in space under drive forces: the group, the closures and v against DOP853 on the same functions."""
    model = built(gough.load("pedrammehr2012"))
    rng = np.random.default_rng(3)
    tau = tuple(300.0 + 40.0 * rng.normal(size=6))
    v0 = rng.normal(size=6) * 0.3
    run = simulate(model, None, Free(tau), duration=0.1, v=v0, tolerance=1e-10)
    nq = model.layout.nq

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:nq].copy(), x[nq:]
        q[3:7] /= np.linalg.norm(q[3:7])
        known = {"q": q, "v": v, "parameters": model.parameters}
        qdot = model.function("configuration_rate").values(**known)["qdot"]
        vdot = model.function("forward_dynamics").values(**known, tau=np.array(tau), wrench=np.zeros(6))["vdot"]
        return np.concatenate([qdot, vdot])

    truth = solve_ivp(rates, (0, 0.1), [*model.home, *v0], method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    assert np.abs(run.q[-1] - truth[:nq]).max() < 1e-8
    assert np.abs(run.v[-1] - truth[nq:]).max() < 1e-7
    assert run.summary()["closure_error"] < 1e-10
    assert run.summary()["energy_error"] < 1e-8
    assert abs(np.linalg.norm(run.q[:, 3:7], axis=1) - 1).max() < 1e-14


@pytest.mark.slow
def test_prescribed_drives_of_a_flexible_robot() -> None:
    """DualEMPS without Coulomb friction, half a second of its square: explicit and implicit methods agree; drive
    forces are those of the inverse model; the power balance closes."""
    robot = gough.load("dualemps_refined")
    joints = tuple(_without_coulomb(j) for j in robot.joints)
    loops = tuple(_without_coulomb(x) for x in robot.loops)
    model = built(robot.model_copy(update={"joints": joints, "loops": loops}))
    one = simulate(model, "briot2014_square", duration=0.5, method="rk4", step=5e-5, every=20)
    two = simulate(model, "briot2014_square", duration=0.5, method="esdirk4", step=1e-4, tolerance=1e-7)
    assert one.info.stopped == two.info.stopped == "finished"
    size = np.abs(one.q[:, :9]).max()
    assert np.abs(one.q[-1, :9] - two.q[-1, :9]).max() < 1e-3 * size
    assert one.summary()["energy_error"] < 1e-6
    k = len(one.time) // 2
    needed = model.inverse_dynamics(one.q[k], one.v[k], one["acceleration"][k, : model.mobility])
    np.testing.assert_allclose(one.tau[k], needed.tau, rtol=1e-8)


def _without_coulomb(joint):
    update = {}
    if joint.friction is not None and joint.friction.coulomb:
        update["friction"] = joint.friction.model_copy(update={"coulomb": 0.0})
    if getattr(joint, "drive", None) is not None and joint.drive.coulomb:
        update["drive"] = joint.drive.model_copy(update={"coulomb": 0.0})
    return joint.model_copy(update=update)


def test_a_run_that_cannot_go_on_keeps_what_it_has() -> None:
    """Legs without force let the platform fall until a joint folds or a step gets too small: the run says when."""
    model = built(gough.load("five_bar"))
    run = simulate(model, None, Free((3.0, -3.0)), duration=3.5, tolerance=1e-8)
    if run.info.stopped != "finished":
        assert " at t = " in run.info.stopped
        assert 0 < run.time[-1] < 3.5
    assert np.isfinite(run.q).all()
    assert sum(what.startswith("velocities:") for _, what in run.info.events) > 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "duration"),
        ({"duration": -1.0}, "positive"),
        ({"duration": 1.0, "method": "euler"}, "rk4"),
        ({"duration": 1.0, "step": 0.0}, "positive"),
        ({"duration": 1.0, "tolerance": 2.0}, "between"),
        ({"duration": 1.0, "start": "anywhere"}, "static"),
        ({"duration": 1.0, "v": [1.0, 2.0]}, "1 finite"),
        ({"duration": 1.0, "controller": Follow()}, "needs a motion"),
        ({"duration": 1.0, "q": [0.0, 0.3, 0.0, 0.0, 0.0]}, "open"),
    ],
)
def test_bad_input(four_bars: gough.Model, more: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        simulate(four_bars, **more)


@pytest.mark.parametrize(("method", "step"), [("rk4", 1e-6), ("leapfrog", 1e-6), ("esdirk4", 1e-5), ("dp5", 2e-6)])
def test_ctrl_c_is_heard_however_seldom_states_are_kept(method: str, step: float) -> None:
    """A timer interrupts a run of minutes that keeps next to nothing: it ends, with the state it had reached."""
    import signal

    model, law = built(gough.load("five_bar")), Free((0.02, -0.01))
    simulate(model, None, law, duration=1e-3, method=method)  # compiled

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    reached = []
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0, 0.5)  # again: Python drops one that meets a weak reference
        run = simulate(
            model,
            None,
            law,
            duration=300.0,
            method=method,
            step=step,
            every=10**9,
            most_steps=10**9,
            progress=lambda t, end: reached.append(t),
        )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert run.stopped.startswith("interrupted after t = ")
    assert len(run) == 2
    assert 0.0 < run.time[-1] < 300.0
    assert run.summary()["energy_error"] < 1e-6


@pytest.mark.parametrize("method", ["rk4", "dp5", "esdirk4", "leapfrog"])
@pytest.mark.parametrize("step", [1e-300, 1e-17, 1e-13])
def test_steps_that_lead_nowhere_are_refused(four_bars: gough.Model, method: str, step: float) -> None:
    with pytest.raises(UsageError, match=r"step=1e-\d+ s.*longer"):
        simulate(four_bars, v=[1.0], duration=1.0, method=method, step=step, every=10**9)


def test_states_that_do_not_go_into_memory_are_refused(four_bars: gough.Model) -> None:
    with pytest.raises(UsageError, match=r"GB are the most; keep fewer: every="):
        simulate(four_bars, v=[1.0], duration=500.0, method="rk4", step=1e-6)


def test_energy_errors_have_a_scale_where_nothing_is_exchanged() -> None:
    """At rest all that is exchanged is rounding; a body that turns without forces exchanges nothing, but has energy."""
    robot = gough.load("five_bar")
    still = simulate(built(robot), duration=0.5).summary()
    assert still["energy_error"] < 1e-6 and still["energy_scale_J"] > 0
    weightless = built(robot.model_copy(update={"gravity": (0.0, 0.0, 0.0)}))
    run = simulate(weightless, v=[1.0, 1.0], duration=0.5)
    moving = run.summary()
    assert moving["energy_scale_J"] >= 0.999 * float(run["energy.kinetic"].max())
    assert moving["energy_error"] == pytest.approx(np.abs(run["energy.error"]).max() / moving["energy_scale_J"])
    assert moving["energy_error"] < 1e-6


WRONG = [
    "a",
    -1,
    1.5,
    [],
    {},
    [1, 2, 3],
    [[1], [2, 3]],
    float("nan"),
    10**400,
    lambda: 1,
    b"x",
    1j,
    object(),
    ["a", "b"],
]


@pytest.mark.parametrize(
    "name",
    ["motion", "controller", "duration", "q", "v", "start", "wrench", "method", "step", "tolerance", "every"]
    + ["most_steps", "smoothing", "parameters", "check"],
)
def test_no_wrong_argument_ends_in_a_raw_error(four_bars: gough.Model, name: str) -> None:
    for value in WRONG:
        given = {"v": [1.0], "duration": 1e-3, "method": "rk4", "step": 1e-3, name: value}
        try:
            run = simulate(four_bars, **given)
        except gough.errors.GoughError:
            continue
        assert run.stopped == "finished", (name, value)


@pytest.mark.parametrize("model", ["file.yaml", None, 3, gough.load("five_bar")])
def test_only_models_are_simulated(model: object) -> None:
    for call in (gough.simulate, gough.simulate_many):
        with pytest.raises(UsageError, match=r"expected a gough\.Model; make one with gough\.build"):
            call(model, duration=1.0)  # pyright: ignore[reportArgumentType]


def test_parameters_by_name() -> None:
    model = built(gough.load("five_bar"))
    run = simulate(model, duration=0.01, parameters={"left_rod.M": 0.7})
    assert run.design[model.parameter_names.index("left_rod.M")] == 0.7
    with pytest.raises(UsageError, match=r"left_rod\.N"):
        simulate(model, duration=0.01, parameters={"left_rod.N": 0.7})


def test_a_design_of_another_geometry_begins_closed() -> None:
    """Home of the description is open for a longer crank: the run begins where its own loops are closed."""
    model = built(gough.load("five_bar"))
    run = simulate(model, duration=0.05, parameters={"left_elbow.x": 0.26})
    assert run["closure_error"].max() < 1e-10
    assert run.summary()["energy_error"] < 1e-6


def test_a_law_of_one_number() -> None:
    """One force for all drives, and the same in what is kept of the run."""
    model = built(gough.load("five_bar"))
    one, each = (gough.simulate(model, None, gough.laws.Free(tau), duration=0.05) for tau in (0.3, [0.3, 0.3]))
    np.testing.assert_array_equal(one.q, each.q)
    assert one.info.controller == {"law": "free", "tau": [0.3]}


@pytest.mark.parametrize("method", ["dp5", "cvode"])
def test_as_many_steps_as_are_allowed(method: str) -> None:
    model = built(gough.load("five_bar"))
    for most in (1, 5, 20):
        run = gough.simulate(model, v=[1.0, 0.0], duration=1.0, most_steps=most, method=method, tolerance=1e-10)
        assert run.info.settings["steps"] == most and run.stopped.startswith(f"step:more than {most} steps")
        assert run.stopped.endswith(f"at t = {run.time[-1]:.9g} s")


def test_short_runs() -> None:
    model = built(gough.load("five_bar"))
    run = gough.simulate(model, v=[1.0, 0.0], duration=1e-9)
    assert run.time.tolist() == [0.0, 1e-9]
    with pytest.raises(UsageError, match="shortest"):
        gough.simulate(model, v=[1.0, 0.0], duration=1e-12)


def test_names_of_channels_are_taken() -> None:
    model = built(gough.load("five_bar"))
    for name in ("q", "left_motor", "energies", "energy.total"):
        with pytest.raises(UsageError, match="another name"):
            gough.Run.from_states(
                model, [0.0], model.home[None], np.zeros((1, 2)), np.zeros((1, 2)), recorded={name: np.zeros(1)}
            )


def test_texts_about_a_run_can_be_read_again(tmp_path: Path) -> None:
    model = built(gough.load("five_bar"))
    run = gough.Run.from_states(model, [0.0], model.home[None], np.zeros((1, 2)), np.zeros((1, 2)), notes="a\n\u202eb")
    for suffix in (".csv", ".npz"):
        assert gough.Run.load(run.save(tmp_path / f"run{suffix}")).info.notes == "a\n\\u202eb"


def test_negative_masses_are_refused() -> None:
    model = built(gough.load("five_bar"))
    with pytest.raises(UsageError, match="a mass is not negative"):
        model.parameters_with({"left_rod.M": -1.0})
    with pytest.raises(UsageError, match=r"'left_rod\.M'"):
        model.parameters_with({"left_rd.M": 1.0})


def test_what_ended_a_run_is_a_status_and_a_place(tmp_path):
    """For programs, in files too; where only the text is kept, the time is no part of the place."""
    run = gough.simulate(gough.build("five_bar"), duration=1.0, tolerance=1e-11, most_steps=20)
    assert run.failure == Status.STEP.at("most_steps") and " at t = " in run.stopped
    run.save(tmp_path / "run.npz")
    assert gough.Run.load(tmp_path / "run.npz").failure == run.failure
    told = run.described(stopped="folded:arm at t = 1 s", settings={})
    assert told.failure == Status.FOLDED.at("arm")
    assert not gough.simulate(gough.build("five_bar"), duration=0.01, method="rk4", step=1e-3).failure
