"""Linear models against closed forms, Pinocchio's derivatives, python-control, and the modes they must have."""

from __future__ import annotations

import json
import sys

import control
import numpy as np
import pytest

import gough
from gough.errors import UsageError
from gough.robot import loads
from laws.subjects import built
from simulation.sliders import ARM, MASS, slider


def test_a_mass_is_a_double_integrator() -> None:
    """m ẍ = F: A_d = [1 T; 0 1], B_d = (T²/2m, T/m), exactly."""
    found = gough.linear_model(slider())
    np.testing.assert_allclose(found.A, [[0, 1], [0, 0]])
    np.testing.assert_allclose(found.B, [[0], [1 / MASS]])
    assert (found.states, found.state_units) == (("dslide", "slide"), ("m", "m/s"))
    assert (found.inputs, found.input_units) == (("slide",), ("N",))
    assert (found.outputs, found.output_units) == (("slide", "d/dt slide"), ("m", "m/s"))
    period = 0.02
    sampled = found.discrete(period)
    np.testing.assert_allclose(sampled.A, [[1, period], [0, 1]], rtol=1e-15)
    np.testing.assert_allclose(sampled.B, [[period**2 / 2 / MASS], [period / MASS]], rtol=1e-14)
    np.testing.assert_allclose(found.response([0.5])[0, 0, 0], -1 / MASS / np.pi**2, rtol=1e-12)
    z = np.exp(2j * np.pi * 0.5 * period)
    np.testing.assert_allclose(
        sampled.response([0.5])[0, 0, 0], period**2 / 2 / MASS * (z + 1) / (z - 1) ** 2, rtol=1e-9
    )
    with pytest.raises(UsageError, match=r"a period of 0\.02 s"):
        sampled.discrete(0.01)


@pytest.mark.parametrize("name", ["five_bar", "lopes", "delta_flexible", "flexible_slider_crank"])
def test_poles_are_those_of_the_modes(name: str) -> None:
    """λ² M + λ C + K = 0 of `natural_frequencies`, with drives free."""
    model = built(gough.load(name))
    found, modes = gough.linear_model(model), gough.natural_frequencies(model, drives="free")
    moving = np.abs(modes.eigenvalues) > 1e-3 * np.abs(modes.eigenvalues).max()
    for pole in modes.eigenvalues[moving]:
        assert np.abs(found.poles - pole).min() < 1e-8 * np.abs(modes.eigenvalues).max()
    np.testing.assert_array_equal(found.q, modes.q)
    np.testing.assert_array_equal(found.tau, modes.tau)


@pytest.mark.skipif(sys.platform == "win32", reason="no wheels of Pinocchio there")
def test_pinocchio_has_the_same_derivatives() -> None:
    """A cart and a rod: analytic derivatives of Pinocchio's forward dynamics at a tilted rest, forces that hold it kept."""
    import pinocchio as pin

    model, peer = (
        built(loads(ARM.replace("name: pin, type: revolute,", "name: pin, type: revolute, axis: [0, 0.6, 0.8],"))),
        pin.Model(),
    )
    cart = peer.addJoint(0, pin.JointModelPX(), pin.SE3.Identity(), "slide")
    peer.appendBodyToJoint(cart, pin.Inertia(3.0, np.zeros(3), np.diag([0.1, 0.2, 0.3])), pin.SE3.Identity())
    pin_joint = peer.addJoint(cart, pin.JointModelRevoluteUnaligned(np.array([0, 0.6, 0.8])), pin.SE3.Identity(), "pin")
    rod = pin.Inertia(2.0, np.array([0.3, 0.1, 0.05]), np.diag([0.02, 0.03, 0.04]))
    peer.appendBodyToJoint(pin_joint, rod, pin.SE3.Identity())
    q = np.array([0.2, 0.7])
    found = gough.linear_model(model, q)
    data = peer.createData()
    pin.computeABADerivatives(peer, data, q, np.zeros(2), found.tau)
    assert np.abs(data.ddq_dq).max() > 1.0
    np.testing.assert_allclose(found.A[2:, :2], data.ddq_dq, atol=1e-12 * np.abs(data.ddq_dq).max())
    np.testing.assert_allclose(found.A[2:, 2:], data.ddq_dv, atol=1e-12)
    pin.computeMinverse(peer, data, q)
    minverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    np.testing.assert_allclose(found.B[2:], minverse, rtol=1e-12, atol=1e-14)


ROTOR = {
    "format": 1,
    "name": "rotor",
    "gravity": [0, 0, 0],
    "bodies": [
        {"name": "arm", "inertia": {"about": "center_of_mass", "xx": 0.3, "yy": 0.3, "zz": 0.5}, "mass": 1},
        {"name": "bead", "mass": 2, "inertia": {"about": "center_of_mass", "xx": 1e-9, "yy": 1e-9, "zz": 1e-9}},
    ],
    "joints": [
        {"name": "turn", "type": "revolute", "axis": [0, 0, 1], "parent": "world", "child": "arm", "drive": {}},
        {"name": "out", "type": "prismatic", "axis": [1, 0, 0], "parent": "arm", "child": "bead", "drive": {}},
    ],
    "home": {"joints": {"turn": 0, "out": 0.3}},
}


def test_a_steady_motion_in_closed_form() -> None:
    """A bead at r on an arm that turns at ω: r̈ = ω² r + F/m, (I + m r²) θ̈ = T - 2 m r ṙ ω; at rest both are integrators."""
    model, w, r, m = built(loads(json.dumps(ROTOR))), 3.0, 0.3, 2.0
    inertia = 0.5 + m * r**2 + 1e-9
    found = gough.linear_model(model, v=[w, 0.0])
    expected = np.zeros((4, 4))
    expected[0, 2] = expected[1, 3] = 1.0
    expected[3, 1], expected[3, 2] = w**2, 2 * r * w
    expected[2, 3] = -2 * m * r * w / inertia
    np.testing.assert_allclose(found.A, expected, atol=1e-12)
    np.testing.assert_allclose(found.tau, [0, -m * r * w**2], atol=1e-12)


def test_what_is_no_steady_motion_is_refused() -> None:
    bends, loose = built(gough.load("dualemps")), json.loads(json.dumps(ROTOR))
    with pytest.raises(UsageError, match=r"v=: no steady motion of dualemps, .* is accelerated by"):
        gough.linear_model(bends, v=np.eye(bends.layout.nv)[0])
    loose["joints"][1].pop("drive")
    with pytest.raises(UsageError, match=r"v=: no steady motion of rotor, out is accelerated by 0.3 while"):
        gough.linear_model(built(loads(json.dumps(loose))), v=[1.0, 0.0])
    tilted = ROTOR | {"gravity": [0, -9.81, 0]}  # weight that turns against the arm
    with pytest.raises(UsageError, match="the forces that keep it up change on its way"):
        gough.linear_model(built(loads(json.dumps(tilted))), v=[1.0, 0.0])
    with pytest.raises(UsageError, match="the forces that keep it up change on its way"):
        gough.linear_model(built(loads(json.dumps(ROTOR))), v=[1.0, 0.2])  # farther out, more inertia
    with pytest.raises(UsageError, match="a steady motion is about the forces"):
        gough.linear_model(slider(), v=[1.0], about="undeformed")


def test_frames_push_and_are_seen() -> None:
    """A force on the block's frame is one of its drive, a moment moves nothing; the frame moves as the block."""
    found = gough.linear_model(slider(), inputs=("drives", "block.tool"), outputs=("block.tool", "states"))
    np.testing.assert_allclose(found.B[1], [1 / MASS, 0, 0, 1 / MASS, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(found.C[:6], np.outer([0, 0, 1, 0, 0, 0], [1, 0]), atol=1e-15)
    np.testing.assert_array_equal(found.C[6:], np.eye(2))
    assert found.inputs[1:3] == ("block.tool.fx", "block.tool.fy") and found.input_units[-1] == "N m"
    assert found.outputs[2] == "block.tool.z" and found.output_units[2:4] == ("m", "rad")
    for wrong in ("tool", (), ("drives", "drives")):
        with pytest.raises(UsageError, match=r"outputs=.*: give some of drives, rates, states, .*block\.tool"):
            gough.linear_model(slider(), outputs=wrong)


@pytest.mark.parametrize("name", ["five_bar", "dualemps"])
def test_python_control_agrees(name: str) -> None:
    """Its exact hold, and its frequency responses; names are carried over."""
    found = gough.linear_model(built(gough.load(name)))
    system, hz = found.to_control(), np.array([0.3, 7.0, 40.0])
    assert isinstance(system, control.StateSpace) and system.dt == 0
    assert system.input_labels == [x.replace(".", "_") for x in found.inputs]
    own, theirs = found.response(hz), np.moveaxis(system(2j * np.pi * hz), -1, 0)
    np.testing.assert_allclose(own, theirs, rtol=1e-8, atol=1e-9 * np.abs(theirs).max())
    sampled, held = found.discrete(1e-3), control.sample_system(system, 1e-3, "zoh")
    for a, b in ((sampled.A, held.A), (sampled.B, held.B)):
        np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(b).max())
    assert sampled.to_control().dt == 1e-3


def test_many_states_at_once() -> None:
    model = built(gough.load("five_bar"))
    q = np.stack([model.home, model.configuration(drives=model.drives(model.home) + 0.1)])
    none = np.zeros(model.layout.nv)
    many, one = model.linearize(q, none, [0.0, 0.0]), model.linearize(q[1], none, [0.0, 0.0])
    np.testing.assert_array_equal(many.discrete(0.01).A[1], one.discrete(0.01).A)
    np.testing.assert_array_equal(many.response([1.0, 2.0])[1], one.response([1.0, 2.0]))
    with pytest.raises(UsageError, match=r"a batch \(2,\)"):
        many.to_control()


def test_growth_beyond_all_numbers_is_said() -> None:
    """An arm upright falls with e^{λ t}, λ² = m g r / (I + m r²) = 8.66: in a thousand seconds there is no number for that."""
    found = gough.linear_model(built(loads(json.dumps(ROTOR | {"gravity": [-9.81, 0, 0]}))))
    assert np.abs(found.poles.real).max() == pytest.approx(np.sqrt(2 * 9.81 * 0.3 / 0.68), rel=1e-6)
    with pytest.raises(UsageError, match="grows beyond all numbers"):
        found.discrete(1e3)
