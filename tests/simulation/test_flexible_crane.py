"""Idle freedoms beside flexible bodies: a load that swings from a boom that bends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough import laws, motions
from gough.errors import RunWarning
from gough.robot import loads

LOAD = "{name: load, mass: 0.5, center_of_mass: [0, 0, -0.5], inertia: {about: center_of_mass, yy: 0.01, xx: 0.01, zz: 0.002}}"
BEAM = "length: 1.0, section: {{circle: {{radius: 10 mm}}}}, material: {{E: {E}, nu: 0.3, density: 2700 kg/m3}}, elements: 4"
MODES = "modes: {{kind: clamped, number: 2, frame: origin}}, damping: {{ratio: 0.01}}"
BENDING = f"{{{{name: boom, flexible: {{{{beam: {{{{{{beam}}}}}}, {MODES}}}}}}}}}"
STIFF = "{{name: boom, mass: {mass}, center_of_mass: [0.5, 0, 0]}}"
CRANE = """
format: 2
name: crane
bodies: [{{name: trolley, mass: 20}}, {boom}, {load}{wheel}]
joints:
  - {{name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: trolley, drive: {{viscous: 2}}}}
  - {{name: hold, type: fixed, parent: trolley, child: boom}}
  - {{name: swing, type: revolute, axis: [0, 1, 0], parent: boom, child: load, pose: {{position: [1, 0, 0]}}}}
{spin}
velocities: [rail, swing{named}]
"""
WHEEL = ", {name: wheel, mass: 0.3, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}"
SPIN = "  - {name: spin, type: revolute, axis: [0, 1, 0], parent: load, child: wheel, pose: {position: [0, 0, -0.5]}}"


def crane(E: float | None = 70e9, wheel: bool = False, gravity: str = "") -> gough.Model:
    """Of a modulus of elasticity (Pa), or with a rigid boom. wheel: one that nothing moves and nothing holds under the load."""
    mass = 2700 * np.pi * 0.01**2
    boom = STIFF.format(mass=mass) if E is None else BENDING.format(beam=BEAM.format(E=E))
    more = {"wheel": WHEEL, "spin": SPIN, "named": ", spin"} if wheel else {"wheel": "", "spin": "", "named": ""}
    return gough.build(loads(CRANE.format(boom=boom, load=LOAD, **more) + gravity))


@pytest.mark.parametrize("wheel", [False, True])
def test_free_runs_are_those_of_another_integrator(wheel: bool) -> None:
    model = crane(wheel=wheel)
    layout = model.layout
    assert (model.mobility, layout.v_idle, layout.v_elastic) == (1, 1 + wheel, 2)
    q = model.integrate(model.home, np.eye(layout.nv)[1], 0.4)
    v = np.array([0.1, -0.5, 3.0, 0.0, 0.0] if wheel else [0.1, -0.5, 0.0, 0.0])
    with pytest.warns(RunWarning, match="accelerate boom.mode2 by"):
        run = gough.simulate(model, duration=0.2, q=q, v=v, step=1e-3, controller=laws.Free())
    own = [layout.q_names.index(name) for name in layout.v_names]

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        here = np.zeros(layout.nq)
        here[own] = x[: layout.nv]
        return np.concatenate([x[layout.nv :], model.forward_dynamics(here, x[layout.nv :], [0.0]).vdot])

    truth = solve_ivp(rates, (0, 0.2), np.concatenate([q[own], v]), method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    np.testing.assert_allclose(run.q[-1][own], truth[: layout.nv], atol=1e-9)
    sim = gough.Stepper(model, q=q, v=v, check="off")
    for _ in range(200):
        sim.step([0.0], 1e-3)
    np.testing.assert_allclose(sim.q, run.q[-1], atol=1e-9)


def test_what_shakes_at_the_start_is_what_the_equations_say() -> None:
    """Elastic accelerations with the rail held and the load free to swing, from M and h."""
    model = crane()
    q = model.integrate(model.home, np.eye(4)[1], 1.2)
    M, h = model.mass_matrix(q), model.bias_force(q, np.zeros(4))
    told = np.concatenate([[0.0], np.linalg.solve(M[1:, 1:], -h[1:])])
    k = 2 + int(np.abs(told[2:]).argmax())
    with pytest.warns(RunWarning, match=f"accelerate {model.layout.v_names[k]} by {told[k]:.3g} "):
        gough.simulate(model, duration=0.001, q=q, controller=laws.Free())


def test_quasi_static_forces_of_a_stiff_boom_are_those_of_a_rigid_one() -> None:
    """Idle freedoms accelerate as they are drawn, also where bodies bend: as in the rigid robot's inverse dynamics."""
    motion = motions.quintic(drives=[[0.0], [0.3]], durations=0.2)
    rigid, stiff, soft = (gough.check_motion(crane(E, wheel=True), motion, samples=40) for E in (None, 70e15, 70e9))
    assert not any(report.problems for report in (rigid, stiff, soft))
    size = np.abs(rigid.tau).max()
    np.testing.assert_allclose(stiff.tau, rigid.tau, atol=1e-6 * size)
    assert 1e-6 * size < np.abs(soft.tau - rigid.tau).max() < 0.05 * size


def test_zero_dynamics_tell_free_and_swinging_idle_freedoms_from_growth() -> None:
    swinging, spinning = (gough.zero_dynamics(crane(wheel=wheel)) for wheel in (False, True))
    assert swinging.stable and swinging.verdict.endswith("nothing grows; some of it swings without damping")
    assert not spinning.stable and spinning.verdict == "free: 1 motion without stiffness with the floating frame held"
    model = crane(gravity="gravity: [9.81, 0, 0]")  # along the boom, which stays straight
    standing = gough.zero_dynamics(model, model.integrate(model.home, np.eye(4)[1], np.pi / 2))
    assert not standing.stable and standing.verdict.startswith("unstable: tracking the floating frame exactly makes")
    arm, inertia = 0.5 * 0.5, 0.01 + 0.5 * 0.25
    assert np.real(standing.eigenvalues).max() == pytest.approx(np.sqrt(9.81 * arm / inertia), rel=0.05)
