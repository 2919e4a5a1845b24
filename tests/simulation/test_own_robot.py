"""Controllers compute with the robot they were made for, not with the one that runs: closed forms, SciPy, the model's calls."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough import laws, motions
from gough.errors import UsageError
from gough.vary import monte_carlo, sweep, within
from inner.simulation import tracking_errors
from laws.subjects import built
from simulation.sliders import MASS, settling, slider

G = 9.81
EXTRA = 4.0


@cache
def heavy() -> gough.Model:
    return slider(G)


@cache
def named(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return built(gough.load(name))


def number(model: gough.Model, name: str) -> float:
    return float(model.parameters[model.parameter_names.index(name)])


def stand(x: float, duration: float) -> gough.Motion:
    return motions.function(lambda t: [x + 0.0 * t], duration, kind="drives", names=["slide"])


def loaded(model: gough.Model, extra: float = EXTRA, body: str = "block") -> np.ndarray:
    return model.parameters_with({f"{body}.M": number(model, f"{body}.M") + extra})


LAWS = {
    "computed torque": lambda **own: laws.ComputedTorque(100.0, 20.0, **own),
    "joint PD": lambda **own: laws.JointPD(200.0, 40.0, gravity=True, **own),
}


@pytest.mark.quick_cases("None-computed torque", "0.01-joint PD")
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("clock", [None, 1e-2])
def test_a_load_that_the_controller_does_not_know_sags(name: str, clock: float | None) -> None:
    """Extra mass m on a mass M: x - x_ref settles at -m g/k, k = M K_p of computed torque (whose inertia is the believed M)."""
    made = LAWS[name]
    stiffness, damping = (100.0 * MASS, 20.0 * MASS) if name == "computed torque" else (200.0, 40.0)
    for own, sag in (
        ({}, EXTRA * G / stiffness),
        ({"nominal": {"block.M": MASS + 1.0}}, None),
        ({"nominal": "actual"}, 0.0),
        ({"nominal": tuple(loaded(heavy()))}, 0.0),
    ):
        law = made(**own)
        law = law if clock is None else laws.Sampled(law, clock)
        run = gough.simulate(heavy(), stand(0.2, 6.0), law, q=[0.2], parameters=loaded(heavy()), every=50)
        if sag is None:
            believed = MASS + 1.0
            k = 100.0 * believed if name == "computed torque" else stiffness
            sag = (EXTRA - 1.0) * G / k
        assert abs(run.q[-1, 0] - (0.2 - sag)) < 1e-5
        if not own and clock is None:
            exact = 0.2 - sag + settling(run.time, stiffness, damping, MASS + EXTRA, sag)
            np.testing.assert_allclose(run.q[:, 0], exact, atol=1e-6)


def test_gravity_compensation_carries_what_it_knows() -> None:
    """The unknown part of the weight falls: x = -m g t²/(2 (M + m))."""
    run = gough.simulate(heavy(), None, laws.GravityCompensation(), duration=0.5, parameters=loaded(heavy()))
    np.testing.assert_allclose(run.q[:, 0], -EXTRA * G * run.time**2 / (2 * (MASS + EXTRA)), atol=1e-9)
    other = laws.GravityCompensation(model=slider(G / 2))
    run = gough.simulate(heavy(), None, other, duration=0.5)
    np.testing.assert_allclose(run.q[:, 0], -G * run.time**2 / 4, atol=1e-9)


def test_a_run_says_what_its_controller_believed() -> None:
    run = gough.simulate(heavy(), stand(0.2, 0.1), LAWS["computed torque"](), q=[0.2], parameters=loaded(heavy()))
    assert run.info.settings["believed"] == {
        "robot": "slider",
        "numbers": "description",
        "differs": {"block.M": {"believed": MASS, "actual": MASS + EXTRA}},
    }
    law = laws.ComputedTorque(nominal={"block.M": 2.5})
    run = gough.simulate(heavy(), stand(0.2, 0.1), law, q=[0.2])
    assert run.info.settings["believed"]["differs"] == {"block.M": {"believed": 2.5, "actual": MASS}}
    assert run.info.controller["nominal"] == {"block.M": 2.5}
    assert "believed" not in gough.simulate(heavy(), duration=0.1).info.settings


def commanded(model: gough.Model, move: gough.Motion, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """a = a_ref + 40 (V_ref - V) + 400 (x_ref - x), of a platform that only translates."""
    at = move.at(t)
    return at.acceleration[:3] + 40.0 * (at.velocity[:3] - v) + 400.0 * (at.position[:3] - q[:3])


@pytest.mark.slow
def test_four_kilograms_under_computed_torque_against_scipy() -> None:
    """The Delta with a load its controller does not know: SciPy integrates forward dynamics of the loaded robot under the
    inverse dynamics of the nominal one."""
    model = named("delta")
    home, design = model.home_pose, loaded(named("delta"), body="platform")
    move = motions.quintic(poses=[home, home + [0.06, 0.03, -0.04, 0, 0, 0, 0]], durations=0.3)
    run = gough.simulate(model, move, laws.ComputedTorque(400.0, 40.0), parameters=design, tolerance=1e-10)
    nq = model.layout.nq

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, v = model.project(y[:nq]), y[nq:]
        tau = model.inverse_dynamics(q, v, commanded(model, move, t, q, v)).tau
        vdot = model.forward_dynamics(q, v, tau, parameters=design).vdot
        return np.concatenate([model.configuration_rate(q, v), vdot])

    start = np.concatenate([model.home, np.zeros(model.layout.nv)])
    found = solve_ivp(rates, (0.0, 0.3), start, rtol=1e-7, atol=1e-9, t_eval=[0.1, 0.2, 0.3])
    np.testing.assert_allclose(run.resample(found.t).q[:, :3], found.y[:3].T, atol=1e-7)
    error = tracking_errors(run, move)["m"]
    assert error > 0.02  # and not the 2e-9 m of a controller that knows the load
    known = laws.ComputedTorque(400.0, 40.0, nominal="actual")
    assert tracking_errors(gough.simulate(model, move, known, parameters=design), move)["m"] < 1e-7


def test_ensembles_have_a_controller_of_the_nominal_robot() -> None:
    """±20 % mass: every run sags by its own unknown weight, as one simulation of it does."""
    varied = monte_carlo({"block.M": within(0.2)}, runs=20, seed=3)
    design = heavy().parameters_with({"block.M": MASS * varied.values["block.M"]})
    k = heavy().parameter_names.index("block.M")
    law = LAWS["computed torque"]()
    found = gough.simulate_many(
        heavy(), [0.2], motion=stand(0.2, 3.0), controller=law, vary=varied, step=2e-3, stored=10
    )
    exact = 0.2 - (design[:, k] - MASS) * G / (100.0 * MASS)
    np.testing.assert_allclose(found.end_q[:, 0], exact, atol=1e-8)
    one = gough.simulate(heavy(), stand(0.2, 3.0), law, q=[0.2], method="rk4", step=2e-3, parameters=design[7])
    assert abs(found.end_q[7, 0] - one.q[-1, 0]) < 1e-12
    perfect = gough.simulate_many(
        heavy(),
        [0.2],
        motion=stand(0.2, 3.0),
        controller=LAWS["computed torque"](nominal="actual"),
        vary=varied,
        step=2e-3,
    )
    np.testing.assert_allclose(perfect.end_q[:, 0], 0.2, atol=1e-9)
    kept = found.run(7).info
    assert kept.settings["believed"]["differs"]["block.M"]["believed"] == MASS
    assert kept.controller["stiffness"] == 100.0
    assert kept.motion["kind"] == "drives"


def test_the_kernel_of_a_gpu_is_written_with_a_robot_of_its_own() -> None:
    from gough.simulation.control.own_robot import own_robot
    from gough.simulation.integration.methods.rk4 import RK4
    from inner.backends import CudaMarch
    from inner.simulation import MotionRows, Plant, explicit_step

    law = LAWS["computed torque"]()
    own = own_robot(law, heavy(), loaded(heavy())[None])
    plant = Plant(heavy(), law, MotionRows("drives", 1, 3), own=own)
    text = CudaMarch(explicit_step(plant, RK4, uniform=False)).source
    assert "march" in text


def drive_law(own: gough.Model, run: gough.Run, move: gough.Motion, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Computed torque of a motion of the drives, with the public calls of the controller's own model."""
    at = move.at(run.time)
    order = [own.layout.drive_names.index(n.removeprefix("v.")) for n in own.layout.v_names[: own.mobility]]
    measured = run.q[:, run.model.drive_index], run["drives.rate"]
    a = at.acceleration + 40.0 * (at.velocity - measured[1]) + 400.0 * (at.position - measured[0])
    return own.inverse_dynamics(q, v, a[:, order]).tau


@pytest.mark.parametrize("sizes", [{"left_crank.M": 0.1, "left_rod.M": 0.7}, {"left_elbow.x": 0.305}])
def test_the_forces_of_a_run_are_those_of_the_nominal_robot(sizes: dict[str, float]) -> None:
    """At every stored state, by the public calls of the nominal robot; where its geometry differs, closed at measured drives."""
    model = named("five_bar")
    start = model.home[model.drive_index]
    move = motions.quintic(drives=[start, start + [0.3, -0.2]], durations=0.3)
    run = gough.simulate(
        model, move, laws.ComputedTorque(400.0, 40.0), parameters=model.parameters_with(sizes), tolerance=1e-10
    )
    believed = model.project(run.q)
    np.testing.assert_allclose(run.tau, drive_law(model, run, move, believed, run.v), atol=1e-7)
    assert run.summary()["closure_error"] < 1e-10
    assert np.abs(run["drives.position"] - move.at(run.time).position).max() > 1e-6


@pytest.mark.slow
def test_a_rigid_model_for_a_flexible_robot() -> None:
    """A flexible Delta under the computed torque of the rigid one: forces at every stored state by the rigid model's calls."""
    flexible, rigid = named("delta_flexible"), named("delta_fast")
    start = flexible.home[flexible.drive_index]
    move = motions.quintic(drives=[start, start + [0.2, 0.1, -0.1]], durations=0.2)
    law = laws.ComputedTorque(400.0, 40.0, model=rigid)
    run = gough.simulate(flexible, move, law, duration=0.05, method="esdirk4", step=1e-3, check="off")
    places = [flexible.layout.q_names.index(n) for n in rigid.layout.q_names]
    q = rigid.project(run.q[:, places])
    u = flexible.function("tree_rates").values(q=run.q, v=run.v, parameters=flexible.parameters)["u"]
    v = u[:, [flexible.layout.u_names.index(n) for n in rigid.layout.v_names]]
    np.testing.assert_allclose(run.tau, led(rigid, run, move, q, v), rtol=1e-5, atol=1e-5)
    assert run.info.settings["believed"]["robot"] == rigid.robot.name
    assert run.info.controller["model"] == rigid.robot.name


def led(own: gough.Model, run: gough.Run, move: gough.Motion, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """tau for wanted accelerations of the drives where v are not theirs: forward dynamics is affine in tau."""
    at = move.at(run.time)
    a = at.acceleration + 40.0 * (at.velocity - run["drives.rate"])
    a = a + 400.0 * (at.position - run.q[:, run.model.drive_index])
    nd = len(own.mechanism.drives)
    columns = [own.mechanism.links[d.link].u for d in own.mechanism.drives]

    def drive_accelerations(tau: np.ndarray) -> np.ndarray:
        vdot = own.forward_dynamics(q, v, np.broadcast_to(tau, (len(q), nd))).vdot
        f = own.function("joint_motion").values(q=q, v=v, vdot=vdot, parameters=own.parameters)
        return f["ud"][:, columns]

    base = drive_accelerations(np.zeros(nd))
    slopes = np.stack([drive_accelerations(e) - base for e in np.eye(nd)], axis=2)
    return np.linalg.solve(slopes, (a - base)[..., None])[..., 0]


@pytest.mark.slow
def test_references_are_those_of_the_believed_geometry() -> None:
    """Springs at the drives go where the believed robot's drives would be: a robot with another leg ends elsewhere."""
    model = named("delta")
    home = model.home_pose
    place = next(
        n for n in model.parameter_names if n.startswith("leg0.") and n.endswith(".x") and number(model, n) > 0.05
    )
    other = model.parameters_with({place: number(model, place) + 2e-3})
    move = motions.function(lambda t: [home[k] + 0.0 * t for k in range(3)] + [0.0 * t] * 3, 0.05, kind="pose")
    stiff = {"stiffness": 5e4, "damping": 300.0, "gravity": True}
    wrong = laws.JointPD(**stiff, nominal={place: number(model, place) + 2e-3})
    wanted = model.configuration(home, parameters=other)[model.drive_index]
    run = gough.simulate(model, move, wrong, method="esdirk4", step=1e-3)
    assert np.abs(wanted - model.home[model.drive_index]).max() > 1e-3
    np.testing.assert_allclose(run.q[-1, model.drive_index], wanted, atol=2e-4)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: laws.ComputedTorque(nominal={"nothing.M": 1.0}), "nothing.M"),
        (lambda: laws.ComputedTorque(nominal=[1.0, 2.0]), "2 numbers"),
        (lambda: laws.ComputedTorque(nominal="other"), "nominal"),
        (lambda: laws.ComputedTorque(nominal={"block.M": float("nan")}), "finite"),
        (lambda: laws.ComputedTorque(nominal={"block.M": "much"}), "numbers"),  # pyright: ignore[reportArgumentType]
        (lambda: laws.ComputedTorque(model="stiff"), "flexible"),
        (lambda: laws.ComputedTorque(model=3), "gough.build"),  # pyright: ignore[reportArgumentType]
        (lambda: laws.JointPD(1.0, 1.0, model="slider"), "gough.build"),  # pyright: ignore[reportArgumentType]
        (lambda: laws.Free(nominal={"block.M": 1.0}), "no model"),
        (lambda: laws.Sampled(laws.ComputedTorque(), 1e-3, nominal={"block.M": 1.0}), "law that is sampled"),
        (lambda: laws.ComputedTorque(model=named("five_bar")), "drives"),
    ],
)
def test_what_a_controller_cannot_believe_is_told(make: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        gough.simulate(heavy(), stand(0.2, 0.1), make(), q=[0.2])


def test_a_file_says_what_a_controller_believes(tmp_path: Any) -> None:
    from gough.robot import dump
    from inner.simulation import read_scenario

    dump(heavy().robot, tmp_path / "slider.yaml")
    dump(slider(G / 2).robot, tmp_path / "light.yaml")
    text = """
format: 1
robot: slider.yaml
changes: {parameters: {block.M: 6}}
motion: {quintic: {drives: {slide: [0.2, 0.2]}, durations: 6 s}}
start: {coordinates: {slide: 0.2}}
every: 20
controller: {computed_torque: {stiffness: 100, damping: 20OWN}}
"""

    def end(own: str) -> float:
        made = read_scenario(text.replace("OWN", own), str(tmp_path / "scenario.yaml"))
        return float(made.run().q[-1, 0])

    assert abs(end("") - (0.2 - EXTRA * G / (100 * MASS))) < 1e-5
    assert abs(end(", nominal: {block.M: 6}") - 0.2) < 1e-5
    assert abs(end(", nominal: actual") - 0.2) < 1e-5
    assert abs(end(", model: light.yaml, nominal: {block.M: 6}") - (0.2 - 0.5 * G / 100)) < 1e-5
    with pytest.raises(gough.DescriptionError, match="no_such"):
        end(", model: no_such.yaml")
    with pytest.raises(gough.DescriptionError, match="controller"):
        end(", nominal: {block.M: heavy}")


def test_a_sweep_over_designs_keeps_the_nominal_numbers() -> None:
    """As many numbers as there are designs: each sags by its own weight."""
    masses = np.array([1.5, 2.0, 3.0])
    found = gough.simulate_many(
        heavy(),
        [0.2],
        motion=stand(0.2, 6.0),
        controller=LAWS["joint PD"](),
        vary=sweep({"block.M": masses}),
        step=2e-3,
    )
    np.testing.assert_allclose(found.end_q[:, 0], 0.2 - (masses - MASS) * G / 200.0, atol=1e-4)
