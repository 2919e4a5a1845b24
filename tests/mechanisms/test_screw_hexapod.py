"""The hexapod with ball screws and belts against the same one with linear drives and reflected inertia, and in its numbers."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import dumps, loads
from inner.robot import document
from mechanisms.models import model
from mechanisms.test_gallery import states
from reference.peers.mujoco import MujocoPeer
from reference.peers.pinocchio import PinocchioPeer

LEAD, REDUCTION = 0.01, 1.5
ROTOR, SCREW = 1.2e-4, 6e-5
MOTOR_FRICTION, SCREW_FRICTION = 2e-4, 1e-3
PER_METRE = 2 * np.pi * REDUCTION / LEAD
"""Of motor angle (rad)."""


@cache
def linear() -> gough.Model:
    """Slides in the place of screws, driven directly; what turns is felt as a mass, its friction as the slide's."""
    data = json.loads(json.dumps(document(gough.load("screw_hexapod"))))
    screw = 2 * np.pi / LEAD
    for leg in [*data["templates"].values(), *data["legs"]]:
        leg.pop("couplings", None)
        if "chain" not in leg:
            continue
        hip, _, slide = leg["chain"]
        for key in ("on", "lead", "armature", "friction", "limits"):
            slide.pop(key, None)
        slide |= {
            "type": "prismatic",
            "drive": {
                "rotor_inertia": SCREW * screw**2 + ROTOR * PER_METRE**2,
                "viscous": SCREW_FRICTION * screw**2 + MOTOR_FRICTION * PER_METRE**2,
            },
        }
        leg["chain"] = [hip, slide]
    return gough.build(loads(json.dumps(data)))


def test_motor_torques_are_linear_forces_over_the_transmission() -> None:
    m, other = model("screw_hexapod"), linear()
    q, v, _ = states(m)
    a = np.random.default_rng(4).normal(size=v.shape) * [2, 2, 2, 5, 5, 5]
    wrench = np.random.default_rng(6).normal(size=v.shape) * [200, 200, 200, 30, 30, 30]
    slides = other.configuration(pose=q[:, :7])
    np.testing.assert_allclose(m.drives(q), other.drives(slides) * PER_METRE, rtol=1e-11)
    np.testing.assert_allclose(m.drive_rates(q, v), other.drive_rates(slides, v) * PER_METRE, rtol=1e-10, atol=1e-9)
    force = other.inverse_dynamics(slides, v, a, wrench).tau
    torque = m.inverse_dynamics(q, v, a, wrench).tau
    np.testing.assert_allclose(torque * PER_METRE, force, rtol=0, atol=1e-10 * np.abs(force).max())
    np.testing.assert_allclose(m.mass_matrix(q), other.mass_matrix(slides), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(m.bias_force(q, v), other.bias_force(slides, v), rtol=1e-10, atol=1e-8)
    found = m.forward_dynamics(q, v, torque, wrench).vdot
    np.testing.assert_allclose(
        found, other.forward_dynamics(slides, v, force, wrench).vdot, rtol=0, atol=1e-10 * np.abs(a).max()
    )
    np.testing.assert_allclose(found, a, rtol=0, atol=1e-9 * np.abs(a).max())


@pytest.mark.parametrize("peer", [MujocoPeer, PinocchioPeer])
def test_the_linear_hexapod_is_that_of_other_engines(peer: Any) -> None:
    """Which have no ball screws: what the first test compares with is theirs."""
    m = linear()
    other = peer(m.robot, list(m.layout.v_names))
    q, v, _ = states(m)
    for k in range(2):
        M, h = other.mass_matrix(q[k]), other.bias(q[k], v[k])
        np.testing.assert_allclose(m.mass_matrix(q[k]), M, rtol=0, atol=1e-9 * np.abs(M).max())
        np.testing.assert_allclose(m.bias_force(q[k], v[k]), h, rtol=0, atol=1e-9 * np.abs(h).max())


def test_belts_carry_what_the_rotors_do_not_take() -> None:
    m = model("screw_hexapod")
    q, v, _ = states(m)
    a = np.ones_like(v)
    for k in range(len(q)):
        found = m.joint_reactions(q[k], v[k], a[k])
        tau = m.inverse_dynamics(q[k], v[k], a[k]).tau
        speed = m.drive_rates(q[k], v[k])
        moved = m.function("joint_motion")(q=q[k], v=v[k], vdot=a[k], parameters=m.parameters).outputs
        turned = moved["ud"][[m.layout.u_names.index(name) for name in m.layout.drive_names]]
        left = tau - ROTOR * turned - MOTOR_FRICTION * speed  # through the belt, at the motor
        # along the screw, which turns once for 1.5 turns of the motor
        np.testing.assert_allclose(found.couplings, REDUCTION * left, rtol=1e-9, atol=1e-10)


def test_another_screw_is_the_robot_read_again_with_it() -> None:
    m = model("screw_hexapod")
    values = {"lead": 0.005, "reduction": 2.0, "screw_inertia": 9e-5, "base_radius": 0.65}
    fresh, numbers = gough.build(m.robot.with_variables(values)), m.parameters_with(variables=values)
    q = m.configuration(pose=([0.02, -0.01, 0.66], np.eye(3)), parameters=numbers)
    np.testing.assert_allclose(q, fresh.configuration(pose=([0.02, -0.01, 0.66], np.eye(3))), rtol=1e-11, atol=1e-11)
    v, a = np.array([0.1, -0.2, 0.1, 0.3, 0.2, -0.4]), np.array([1.0, 2.0, -1.0, 0.5, 3.0, 2.0])
    ours = m.inverse_dynamics(q, v, a, parameters=numbers).tau
    np.testing.assert_allclose(ours, fresh.inverse_dynamics(q, v, a).tau, rtol=1e-11)


def test_torques_follow_the_lead_by_formula() -> None:
    """At rest and at one pose a torque is proportional to lead and 1/reduction. Derivatives are at the same q, where
    another lead would move the rods: the turns that keep their lengths are added."""
    m, rest = model("screw_hexapod"), np.zeros(6)
    function = m.function("inverse_dynamics", variables=True)
    state = {"q": m.home, "v": rest, "acceleration": rest, "wrench": rest, "variables": m.variables.values}
    tau = function(**state).outputs["tau"]
    slopes = function.derivative("variables")(**state).outputs["tau_variables"]
    names = m.variables.names
    turned = np.zeros(m.layout.nq)
    places = [k for k, name in enumerate(m.layout.q_names) if name.endswith((".motor", ".screw"))]
    turned[places] = -m.home[places] / LEAD
    by_q = function.derivative("q")(**state).outputs["tau_q"]
    np.testing.assert_allclose(slopes[:, names.index("lead")] + by_q @ turned, tau / LEAD, rtol=1e-11)
    np.testing.assert_allclose(slopes[:, names.index("reduction")], -tau / REDUCTION, rtol=1e-11)
    assert not slopes[:, names.index("rotor_inertia")].any()  # nothing turns


def test_home_is_found_without_guesses_of_many_turns() -> None:
    m = model("screw_hexapod")
    length = np.sqrt(0.6**2 + 0.4**2 - 2 * 0.6 * 0.4 * np.cos(np.radians(60 - 14 - 12)) + 0.65**2)
    np.testing.assert_allclose(m.drives(m.home), np.full(6, length * PER_METRE), rtol=1e-12)
    assert m.singularity(m.home).serial.min() > 0.1  # turns of motors are measured by what their screws slide
    assert loads(dumps(m.robot)) == m.robot
