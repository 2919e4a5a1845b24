"""Linear controllers of python-control as laws: closed loops of matrices beside the runs, names, clocks, what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import control
import numpy as np
import pytest
from scipy.linalg import expm

import gough
from gough import laws, motions
from gough.errors import RunWarning, UsageError
from gough.robot import loads
from inner.simulation import read_scenario
from laws.subjects import built
from simulation.sliders import ARM, MASS, slider

LEAD = control.tf([40.0, 200.0], [0.02, 1.0])
"""It leads in phase: 200 (1 + s/5)/(1 + s/50)."""


def stand(model: gough.Model, duration: float) -> gough.Motion:
    at = model.drives(model.home)
    return motions.function(
        lambda t: [x + 0.0 * t for x in at], duration, kind="drives", names=list(model.layout.drive_names)
    )


def test_a_lead_on_a_mass_moves_as_its_matrices_say() -> None:
    """m ẍ = τ of the controller that leads: exp(A t) of the closed loop, by python-control's feedback."""
    plant = control.ss([[0, 1], [0, 0]], [[0], [1 / MASS]], [[1, 0]], [[0]])
    lead: Any = control.ss(LEAD)
    loop: Any = control.feedback(plant, lead)
    run = gough.simulate(slider(), stand(slider(), 0.6), laws.StateSpace(LEAD), q=[0.01], tolerance=1e-11)
    x0 = np.concatenate([[0.01, 0.0], np.zeros(loop.nstates - 2)])
    expected = [(expm(loop.A * t) @ x0)[0] for t in run.time]
    np.testing.assert_allclose(run.q[:, 0], expected, atol=1e-9)
    assert run.channel("controller.states").entries == ("controller.x1",)


def test_a_sampled_one_from_sample_to_sample() -> None:
    """Its difference equation with the mass under held forces, by hand; the bilinear rule is python-control's."""
    T = 0.01
    c = control.ss(control.sample_system(LEAD, T, "bilinear"))
    A, B = np.array([[1, T], [0, 1]]), np.array([T * T / 2, T]) / MASS
    B_c, D = np.asarray(c.B), np.asarray(c.D)
    z, x, expected = np.zeros(c.nstates), np.array([0.01, 0.0]), []
    for _ in range(40):
        expected.append(x[0])
        tau = (c.C @ z + D[:, 0] * -x[0])[0]
        z, x = c.A @ z + B_c[:, 0] * -x[0], A @ x + B * tau
    for law in (laws.StateSpace(c), laws.StateSpace(LEAD)):
        run = gough.simulate(
            slider(), stand(slider(), 0.4), laws.Sampled(law, T), q=[0.01], method="rk4", step=T, check="off"
        )
        found = [run.q[np.searchsorted(run.time, k * T - 1e-9), 0] for k in range(40)]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_gains_of_all_drives_are_a_joint_pd() -> None:
    """D of errors and rates, one for each drive or all, by names in another order: the run of `JointPD`."""
    model = built(gough.load("delta"))
    move = motions.quintic(
        drives=[model.drives(model.home), model.drives(model.home) + [0.1, 0.0, -0.1]], durations=0.3
    )
    k, d = 1900.0, 50.0
    plain = gough.simulate(model, move, laws.JointPD(k, d, gravity=True), method="rk4", step=1e-3)
    names = model.layout.drive_names
    order = [2, 0, 1]
    several = (
        laws.StateSpace(D=[[k, d]], gravity=True),
        laws.StateSpace(D=np.kron([[k, d]], np.eye(3)), gravity=True),
        laws.StateSpace(
            control.ss(
                [], [], [], np.kron([[k, d]], np.eye(3)),
                inputs=[names[j].replace(".", "_") for j in order] + [f"d/dt {names[j].replace('.', '_')}" for j in order],
                outputs=[names[j].replace(".", "_") for j in order],
            ),
            gravity=True,
        ),
    )  # fmt: skip
    for law in several:
        run = gough.simulate(model, move, law, method="rk4", step=1e-3)
        np.testing.assert_allclose(run.q, plain.q, atol=1e-10)


def test_many_runs_and_steps_and_files() -> None:
    """The same controller in an ensemble, in a loop of one's own and in a scenario."""
    model, law = slider(), laws.Sampled(laws.StateSpace(LEAD), 0.01)
    motion = stand(model, 0.2)
    one = gough.simulate(model, motion, law, q=[0.01], method="rk4", step=0.01)
    many = gough.simulate_many(model, q=[[0.01], [0.02]], motion=motion, controller=law, step=0.01)
    np.testing.assert_allclose(many.q[:, -1, 0], [one.q[-1, 0], 2 * one.q[-1, 0]], atol=1e-12)
    stepper = gough.Stepper(model, law, motion=motion, q=[0.01], method="rk4", longest_step=0.01)
    stepper.advance(0.2)
    np.testing.assert_allclose(stepper.q, one.q[-1], atol=1e-12)
    text = (
        "controller: {sampled: {law: {state_space: {A: [[-50]], B: [[1]], C: [[-9800]], D: [[2000]]}}, period: 2 ms}}"
    )
    made = read_scenario(f"format: 1\nname: s\nrobot: five_bar\nduration: 0.1\n{text}", "test.yaml")
    inner = laws.StateSpace(A=[[-50]], B=[[1]], C=[[-9800]], D=[[2000]])
    assert made.controller == laws.Sampled(inner, 2e-3)


def test_a_wrong_sign_is_told_before_the_run() -> None:
    with pytest.warns(RunWarning, match=r"the loop of state space is unstable .* other gains or signs"):
        gough.simulate(slider(), stand(slider(), 0.5), laws.StateSpace(D=[[-100.0, -20.0]]), q=[1e-6])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gough.simulate(slider(), stand(slider(), 0.1), laws.StateSpace(D=[[100.0, 20.0]]), q=[1e-6])
    assert not gough.control_loop(slider(), laws.StateSpace(D=[[-100.0, -20.0]])).stable


def test_margins_of_python_controls_controller() -> None:
    plant = control.tf([1.0], [MASS, 0.0, 0.0])
    _, phase, *_ = control.stability_margins(plant * LEAD)  # pyright: ignore[reportOptionalOperand]
    found = gough.control_loop(slider(), laws.StateSpace(LEAD))
    assert found.phase_margin_deg[0] == pytest.approx(phase, rel=1e-6)


REFUSED = [
    ({"system": control.tf([1.0, 1.0, 1.0], [1.0, 2.0])}, "differentiates its input"),
    ({"system": control.tf([1.0], [1.0, 2.0], True)}, "without a period"),
    ({"system": control.ss(-1, 1, 1, 0, 0.01), "period": 0.02}, "the system's dt is 0.01"),
    ({"system": 3.0}, "no linear system"),
    ({"system": ([[1.0]], [[1.0]], [[1.0]])}, "3 matrices"),
    ({}, "give a system"),
    ({"A": [[1.0]], "D": [[1.0]]}, "give B and C"),
    ({"A": [[1.0]], "B": [[1.0]], "C": [[1.0, 2.0]]}, r"C has shape \(1, 2\)"),
    ({"D": [[np.nan]]}, "finite"),
    ({"D": [[1.0, 1.0]], "inputs": ["slide"]}, "1 names of inputs for 2"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_what_is_no_controller_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        laws.StateSpace(**given)


def test_what_does_not_fit_to_a_robot_is_refused() -> None:
    two = built(loads(ARM))
    with pytest.raises(UsageError, match="3 inputs; give 2"):
        gough.control_loop(two, laws.StateSpace(D=np.ones((2, 3))))
    with pytest.raises(UsageError, match=r"inputs 'slip'; there are slide, pin, d/dt slide"):
        gough.control_loop(two, laws.StateSpace(D=np.eye(2), inputs=["slip", "pin"], outputs=["slide", "pin"]))
    with pytest.raises(UsageError, match="no force of pin"):
        gough.control_loop(two, laws.StateSpace(D=[[1.0]], inputs=["slide"], outputs=["slide"]))
    discrete = laws.StateSpace(control.ss(0.5, 1, 1, 0, 0.01))
    with pytest.raises(UsageError, match="runs on a clock"):
        gough.simulate(slider(), stand(slider(), 0.1), discrete)
    with pytest.raises(UsageError, match=r"sample to sample of 0\.01 s, the clock samples every 0\.02 s"):
        gough.simulate(slider(), stand(slider(), 0.1), laws.Sampled(discrete, 0.02), method="rk4")


def test_names_of_some_channels_are_not_passed_over() -> None:
    """Inputs of which one has the name of a drive are no counted ones: which the other is, is asked."""
    model = built(loads(ARM))
    start = model.drives(model.home)
    stay = motions.quintic(drives=[start, start], durations=0.1)
    partly = control.ss([], [], [], np.diag([100.0, 300.0]), inputs=["pin", "u[1]"], outputs=["pin", "slide"])
    with pytest.raises(UsageError, match=r"inputs 'u\[1\]'; there are slide, pin"):
        gough.simulate(model, stay, laws.StateSpace(partly))
