"""[Long 2014] with its flexible platform: the transcription against the library, and what each misprint costs.

Both platforms of `long2014.robots`: the paper's plate, and a generic body because the plate hides several terms.
"""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from gough_papers.long2014 import rest
from papers.library import relative_error
from papers.long2014.legs import ALL_ON, INITIAL_POSITION
from papers.long2014.platform import State, direct_dynamics, inverse_dynamics, robot_model
from papers.long2014.robots import data, in_library, model, states
from papers.test_long2014 import COSTS as RIGID_COSTS
from reference.flexible.lagrange import FlexibleReference

TOLERANCE = 1e-10  # of the largest entry; chosen before any comparison
NAMES = ("plate", "generic")
COUNT = 4


@cache
def inverse(name, on=ALL_ON):
    """Γ (states, 6), q̈_e (states, N)."""
    found = [inverse_dynamics(s, data(name), on) for s in states(name, COUNT)]
    return tuple(np.array(part) for part in zip(*found, strict=True))


def error(name, on):
    """Largest relative error of Γ and of q̈_e against the corrected equations."""
    return tuple(relative_error(a, b) for a, b in zip(inverse(name, on), inverse(name), strict=True))


def off(name):
    return replace(ALL_ON, **{name: False})


@pytest.mark.parametrize("name", NAMES)
def test_inverse_model(name):
    these = states(name, COUNT)
    q, v = in_library(name, these)
    r = model(name).inverse_dynamics(q, v, np.array([s.acceleration for s in these]))
    Gamma, eddot = inverse(name)
    assert relative_error(r.tau, Gamma) <= TOLERANCE
    assert relative_error(r.eddot, eddot) <= TOLERANCE


@pytest.mark.parametrize("name", NAMES)
def test_direct_model(name):
    these = states(name, COUNT)
    q, v = in_library(name, these)
    Gamma = np.random.default_rng(0).normal(scale=500.0, size=(COUNT, 6))
    vdot = model(name).forward_dynamics(q, v, Gamma).vdot
    found = [direct_dynamics(s, G, data(name)) for s, G in zip(these, Gamma, strict=True)]
    assert relative_error(vdot[:, :6], np.array([x for x, _ in found])) <= TOLERANCE
    assert relative_error(vdot[:, 6:], np.array([x for _, x in found])) <= TOLERANCE


@pytest.mark.parametrize("name", NAMES)
def test_mass_matrix_bias_and_drive_map(name):
    """(41)-(45) before the elimination, and A, J_sys of (47), (48) as Schur complements."""
    these, m = states(name, COUNT), model(name)
    q, v = in_library(name, these)
    M, h, S = m.mass_matrix(q), m.bias_force(q, v), m.drive_map(q)
    for k, s in enumerate(these):
        ours = robot_model(s, data(name))
        to_world = np.eye(len(v[k]))
        to_world[:3, :3] = to_world[3:6, 3:6] = s.rotation
        A, c, J = ours.whole
        assert relative_error((to_world @ A @ to_world.T).ravel(), M[k].ravel()) <= TOLERANCE
        assert relative_error(to_world @ c, h[k]) <= TOLERANCE
        assert relative_error((to_world @ J).ravel(), S[k].ravel()) <= TOLERANCE
        turn, mixed = to_world[:6, :6], np.linalg.solve(M[k, 6:, 6:], M[k, 6:, :6]).T
        assert relative_error((turn @ ours.A @ turn.T).ravel(), (M[k, :6, :6] - mixed @ M[k, 6:, :6]).ravel()) <= 1e-10
        assert relative_error((turn @ ours.J_sys).ravel(), (S[k, :6] - mixed @ S[k, 6:]).ravel()) <= TOLERANCE


def test_generic_platform_by_energies():
    """Energies with automatic differentiation decide which equations are right, not the library alone."""
    reference = FlexibleReference(model("generic").robot)
    these = states("generic", 2)
    for s, q, v in zip(these, *in_library("generic", these), strict=True):
        to_world = np.eye(len(v))
        to_world[:3, :3] = to_world[3:6, 3:6] = s.rotation
        A, c, _ = robot_model(s, data("generic")).whole
        assert relative_error((to_world @ A @ to_world.T).ravel(), reference.mass_matrix(q).ravel()) <= TOLERANCE
        assert relative_error(to_world @ c, reference.bias(q, v)) <= TOLERANCE


def test_generic_platform_hides_nothing():
    body = data("generic").body
    arm = np.linalg.norm(body.MS_r) / body.m
    assert arm > 0.05
    for integral in (
        body.MS_de,
        body.beta,
        body.cross[~np.eye(body.N, dtype=bool)],
        body.M_ee - np.diag(np.diag(body.M_ee)),
    ):
        assert np.abs(integral).max() > 0.1


def test_the_plate_hides_the_coupling():
    """MS_de is zero, MS_re and A_re are so up to the plate's thickness."""
    body = data("plate").body
    assert not body.MS_de.any() and np.abs(body.MS_r).max() < 1e-13
    assert np.abs(body.beta).max() < 1e-9 and np.abs(body.cross).max() < 1e-2


# Largest error of Γ and of q̈_e that a switch must make at least; docs/papers/long2014.md states the measured sizes.
COSTS = {
    "eq12_coordinate": ((1.0, 1.0), (1.0, 1.0)),
    "eq24_twice": ((1e-3, 1e-3), (0.05, 0.05)),
    "eq31_sign": ((0.5, 0.5), (0.5, 0.5)),
    "deformed_W": ((0.05, 0.02), (0.05, 0.05)),
    "eq34_deformed": ((1e-6, 1e-6), (1e-3, 1e-3)),
    "eq34_cross": ((1e-3, 1e-3), (0.01, 0.01)),
    "eq34_order": ((1e-6, 1e-6), (0.01, 0.01)),
    "eq34_rates": ((1e-6, 1e-6), (0.1, 0.1)),
    "elastic_gravity": ((0.0, 0.0), (0.1, 0.1)),
    "into_platform": ((0.1, 0.1), (0.1, 0.1)),
    "gravity_once": ((0.05, 0.01), (0.05, 0.05)),
    "gravity_rotated": ((0.01, 1e-3), (0.01, 0.05)),
    "vector_rate": ((1e-3, 1e-3), (0.01, 0.01)),
}


@pytest.mark.parametrize("switch", COSTS)
@pytest.mark.parametrize("name", NAMES)
def test_misprints_are_visible(switch, name):
    for found, least in zip(error(name, off(switch)), COSTS[switch][NAMES.index(name)], strict=True):
        assert found > least if least else found == 0.0


def test_every_switch_is_tested():
    assert {f.name for f in fields(ALL_ON)} == {*COSTS, *RIGID_COSTS}


def test_static_forces_and_sag():
    """At rest in the initial pose: forces to the digits known from an energy model, sag too."""
    plate, still = data("plate"), np.zeros(6)
    q_e, Gamma = np.zeros(plate.body.N), still
    s = State(INITIAL_POSITION, np.eye(3), still, still, q_e, 0 * q_e)
    for _ in range(40):  # (43) at rest: its rigid part gives Γ, its elastic part the next q_e
        _, c, J = robot_model(s, plate).whole
        Gamma = np.linalg.solve(J[:6], c[:6])
        s = replace(s, q_e=s.q_e + np.linalg.solve(plate.body.K_ee, J[6:] @ Gamma - c[6:]))
    moved, eddot = inverse_dynamics(s, plate)
    assert np.max(np.abs(eddot)) < 1e-8
    assert np.max(np.abs(moved - Gamma)) < 1e-8
    assert np.max(np.abs(Gamma - rest.FORCES)) <= 0.005
    assert abs(1000 * np.max(np.abs(plate.Phi_d[:, 2] @ s.q_e)) - rest.SAG_MM) <= 0.0005
