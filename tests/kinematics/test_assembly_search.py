"""Legs without a closed form: an assembly is found at home without a hint, kept away from home, and is the right one."""

import numpy as np
import pytest

import gough
from gough.robot import loads
from reference.energies.lagrange import Reference

HEAD = """
format: 1
name: crank_hexapod
platform: {mass: 2, center_of_mass: [0, 0, 0.01], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.02}}
templates:
  rus:
    chain:
      - name: motor
        type: revolute
        axis: [0, 1, 0]
        drive: {rotor_inertia: 1e-4, gear: 10}
        body: {mass: 0.2, center_of_mass: [0.05, 0, 0], inertia: {about: center_of_mass, xx: 1e-4, yy: 2e-4, zz: 2e-4}}
      - name: elbow
        type: universal
        pose: {position: [0.1, 0, 0]}
        axes: [[0, 1, 0], [1, 0, 0]]
        body: {mass: 0.1, center_of_mass: [0, 0, 0.15], inertia: {about: center_of_mass, xx: 1e-3, yy: 1e-3, zz: 1e-5}}
    cut: {type: spherical, on_leg: {position: [0, 0, 0.35]}}
home: {pose: {position: [0, 0, 0.33]}}
legs:
"""


def crank_hexapod() -> gough.Robot:
    legs = []
    for i in range(6):
        a = np.deg2rad(120 * (i // 2) + (25 if i % 2 else -25))
        b = np.deg2rad(120 * (i // 2) + (50 if i % 2 else -50))
        legs.append(
            f"  - like: rus\n"
            f"    base: {{position: [{0.3 * np.cos(a)}, {0.3 * np.sin(a)}, 0], rpy_zyx: [{a}, 0, 0]}}\n"
            f"    on_platform: {{position: [{0.15 * np.cos(b)}, {0.15 * np.sin(b)}, 0]}}\n"
        )
    return loads(HEAD + "".join(legs))


@pytest.fixture(scope="module")
def model() -> gough.Model:
    return gough.build(crank_hexapod())


def test_home_is_found_alike_for_alike_legs(model):
    """By symmetry all cranks stand at one angle; closure holds to 1e-10."""
    cranks = model.drives(model.home)
    assert np.ptp(cranks) < 1e-9
    assert model.closure_error(model.home) < 1e-10


def test_assembly_is_kept_far_from_home(model):
    """Heights in one call equal the same heights reached step by step."""
    heights = np.linspace(0.26, 0.40, 15)
    q = model.configuration(coordinates={"z": heights})
    step = model.home
    for z, there in sorted(zip(heights, q, strict=True), key=lambda pair: abs(pair[0] - 0.33)):
        step = model.configuration(coordinates={"z": z}, near=model.home)
        np.testing.assert_allclose(step, there, atol=1e-9)


def test_forces_equal_the_reference(model):
    reference = Reference(model.robot)
    rng = np.random.default_rng(5)
    for _ in range(3):
        q = model.integrate(model.home, rng.uniform(-0.05, 0.05, 6))
        v, a, w = rng.normal(size=(3, 6))
        truth = reference.inverse(q, v, a, w)
        np.testing.assert_allclose(
            model.inverse_dynamics(q, v, a, w).tau, truth, rtol=0, atol=1e-11 * np.abs(truth).max()
        )


def test_drives_lead_back_to_the_pose(model):
    rng = np.random.default_rng(6)
    q = model.integrate(model.home, rng.uniform(-0.04, 0.04, (5, 6)))
    np.testing.assert_allclose(model.forward_geometry(model.drives(q)), q, atol=1e-9)


def test_no_joint_is_a_whole_turn_away():
    """Home stands where horns are level: each at 0, and not at 360 degrees, where its stroke would forbid it."""
    robot = gough.load("hobby_6rss")
    home = robot.home.model_copy(update={"joints": {}})
    found = gough.build(robot.model_copy(update={"home": home}))
    np.testing.assert_allclose(found.drives(found.home), 0, atol=1e-9)
    assert found.limit_margins(found.home).margins.min() > 0
