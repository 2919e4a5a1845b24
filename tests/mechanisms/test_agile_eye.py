"""The Agile Eye: drive angles in closed form, redundant closures, the camera alone by Euler's equations, its assemblies."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from mechanisms.models import model

TILT = np.arctan(np.sqrt(2.0))
E = np.array([[np.sin(TILT) * np.cos(a), np.sin(TILT) * np.sin(a), np.cos(TILT)] for a in np.radians([0, 120, 240])]).T
"""Columns: the three motor axes, perpendicular to each other."""


def rotation(turn: np.ndarray) -> np.ndarray:
    """R (3, 3) of a rotation vector, by Rodrigues' formula."""
    angle = np.linalg.norm(turn)
    K = np.array([[0, -turn[2], turn[1]], [turn[2], 0, -turn[0]], [-turn[1], turn[0], 0]]) / angle
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def drive_angles(R: np.ndarray) -> np.ndarray:
    """Of an orientation. With Q = R in motor axes, the elbow of leg 0 lies along w = e2 cos θ - e1 sin θ, its pin along -Q e1;
    both are perpendicular, Q21 cos θ = Q11 sin θ; the other legs by cyclic exchange."""
    Q = E.T @ R @ E
    return np.array([np.arctan2(Q[(k + 2) % 3, (k + 1) % 3], Q[(k + 1) % 3, (k + 1) % 3]) for k in range(3)])


def axes(R: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(motor, elbow, pin) axes (legs, 3) in the world."""
    u = E.T
    w = np.array([np.cos(theta[k]) * u[(k + 2) % 3] - np.sin(theta[k]) * u[(k + 1) % 3] for k in range(3)])
    return u, w, np.array([-R @ u[(k + 1) % 3] for k in range(3)])


def rates(R: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """J (3, 3): drive rates are J ω, from d(w·v)/dt = 0."""
    u, w, v = axes(R, theta)
    return np.cross(w, v) / np.einsum("ki,ki->k", np.cross(u, w), v)[:, None]


TURNS = np.random.default_rng(5).normal(size=(12, 3)) * 0.45


def test_six_of_fifteen_closures_are_redundant() -> None:
    m = model("agile_eye")
    assert m.mechanism.rows == 15 and len(m.redundant_closures) == 6 and m.mobility == 3
    assert m.singularity(m.home).parallel == pytest.approx(1.0, abs=1e-12)  # isotropic, which it is made for


@pytest.mark.parametrize("turn", TURNS)
def test_drive_angles_are_those_of_the_closed_form(turn: np.ndarray) -> None:
    m, R = model("agile_eye"), rotation(turn)
    q = m.configuration(pose=(np.zeros(3), R))
    np.testing.assert_allclose(m.drives(q), drive_angles(R), rtol=0, atol=1e-11)
    omega = np.array([0.7, -1.1, 0.4])
    np.testing.assert_allclose(m.drive_rates(q, omega), rates(R, m.drives(q)) @ omega, rtol=1e-10, atol=1e-11)
    back = m.configuration(drives=drive_angles(R), near=q)
    np.testing.assert_allclose(m.frame_pose(back, "platform")[1], R, rtol=0, atol=1e-11)


def test_the_centre_stands_still_in_a_far_workspace() -> None:
    """60 degrees about any axis and more can be reached; the closed form has no end there, and neither has the model."""
    m = model("agile_eye")
    for direction in np.random.default_rng(2).normal(size=(8, 3)):
        R = rotation(np.radians(60.0) * direction / np.linalg.norm(direction))
        q = m.configuration(pose=(np.zeros(3), R))
        assert m.closure_error(q) < 1e-11
        np.testing.assert_allclose(m.drives(q), drive_angles(R), rtol=0, atol=1e-11)
    with pytest.raises(gough.BadStateError, match="OUT_OF_REACH at platform"):
        m.configuration(pose=([0.0, 0.0, 0.01], np.eye(3)))


@pytest.mark.parametrize("turn", TURNS[:4])
def test_the_camera_alone_obeys_eulers_equations(turn: np.ndarray) -> None:
    """Without the links' masses, rotors and friction the motors carry a rigid body about a fixed point: no mechanism in it."""
    m, R = model("agile_eye"), rotation(turn)
    names = ("motor.rotor_inertia", "motor.drive.friction.viscous", "elbow.friction.viscous")
    nothing = {f"leg{k}.{name}": 0.0 for k in range(3) for name in names}
    light = m.parameters_with(nothing, variables={"proximal_mass": 0.0, "distal_mass": 0.0})
    q = m.configuration(pose=(np.zeros(3), R))
    omega, alpha = np.array([1.3, -0.8, 2.1]), np.array([-9.0, 14.0, 6.0])
    camera, ring, radius = 0.4, 0.05, 0.04
    across = camera * (3 * 0.025**2 + 0.06**2) / 12 + camera * 0.005**2 + ring * radius**2 / 2
    inertia = R @ np.diag([across, across, camera * 0.025**2 / 2 + ring * radius**2]) @ R.T
    weight = np.cross(R @ [0, 0, 0.005], [0, 0, -9.81 * camera])
    moment = inertia @ alpha + np.cross(omega, inertia @ omega) - weight
    tau = np.linalg.solve(rates(R, m.drives(q)).T, moment)
    np.testing.assert_allclose(m.inverse_dynamics(q, omega, alpha, parameters=light).tau, tau, rtol=1e-10, atol=1e-12)


def test_variables_move_what_they_say() -> None:
    """A heavier camera on larger links, by formulas and read again; the closed form of the drives does not know sizes."""
    m = model("agile_eye")
    values = {"camera_mass": 0.7, "elbow_radius": 0.09, "pin_radius": 0.04, "motor_radius": 0.12}
    other, R = gough.build(m.robot.with_variables(values)), rotation(TURNS[0])
    numbers = m.parameters_with(variables=values)
    q = m.configuration(pose=(np.zeros(3), R), parameters=numbers)
    np.testing.assert_allclose(m.drives(q), drive_angles(R), rtol=0, atol=1e-11)
    ours = m.inverse_dynamics(q, [1.0, 2.0, -1.0], [5.0, 0.0, 3.0], parameters=numbers).tau
    theirs = other.inverse_dynamics(q, [1.0, 2.0, -1.0], [5.0, 0.0, 3.0]).tau
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


def test_four_assemblies_and_four_that_no_motor_turns() -> None:
    """Pins along the motors' axes are at right angles to every elbow: four orientations that fit all drive angles, beside four
    that follow them [Bonev 2006]."""
    m, theta = model("agile_eye"), np.array([0.3, -0.2, 0.4])
    found = [m.frame_pose(q, "platform")[1] for q in gough.assemblies(m, theta).q]
    along = 0
    for R in found:
        u, w, v = axes(R, theta)
        np.testing.assert_allclose(np.einsum("ki,ki->k", w, v), 0.0, atol=1e-10)
        along += bool(np.allclose(np.abs(np.einsum("ki,ki->k", u, v)), 1.0, atol=1e-9))
    assert (len(found), along) == (8, 4)
