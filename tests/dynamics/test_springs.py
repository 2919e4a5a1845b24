"""Springs between two points against the virtual work of their force, also where the points meet."""

import numpy as np
import pytest

import gough
from gough.errors import BadStateError, GoughError, UsageError
from gough.robot import loads

K, A, B = 10.0, 0.1, 0.13
"""N/m; distances (m) of the spring's points from the joint's axis."""


def pendulum(spring: str, at: float = A, on: float = A) -> gough.Model:
    """A mass on a pin about z, gravity along z, and a spring from (on, 0, 0) of the ground to (at, 0, 0) of the body."""
    text = f"""
format: 2
name: pendulum
bodies: [{{name: a, mass: 1, center_of_mass: [0.1, 0, 0]}}]
joints: [{{name: R, type: revolute, parent: world, child: a, drive: {{}}}}]
springs: [{{name: k, from: {{body: world, position: [{on}, 0, 0]}}, to: {{body: a, position: [{at}, 0, 0]}}, {spring}}}]
"""
    return gough.build(loads(text))


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, -2.0])
def test_a_spring_without_rest_length_is_regular_where_its_points_meet(angle: float) -> None:
    """L² = a² + b² - 2 a b cos θ, so that U = k L²/2 has the moment k a b sin θ, and the stiffness k a b cos θ."""
    m = pendulum(f"stiffness: {K}")
    assert m.bias_force([angle], [0.0])[0] == pytest.approx(K * A * A * np.sin(angle), rel=1e-12, abs=1e-18)
    assert m.energies([angle], [0.0]).potential == pytest.approx(K * A * A * (1 - np.cos(angle)), rel=1e-9, abs=1e-17)
    if angle == 0.0:  # and it swings with ω² = k a² / (m r²)
        free = gough.natural_frequencies(m, drives="free")
        assert free.frequencies_hz[0] == pytest.approx(np.sqrt(K) / (2 * np.pi), rel=1e-9)
        assert gough.simulate(m, duration=0.1).info.finished


@pytest.mark.quick_cases("damping: 3")
@pytest.mark.parametrize("spring", ["rest_length: 0.02", "damping: 3", "preload: 2"])
def test_springs_that_need_a_direction_are_named_where_they_have_none(spring: str) -> None:
    m = pendulum(f"stiffness: {K}, {spring}")
    for call in (
        lambda: m.bias_force(m.home, [0.0]),
        lambda: m.inverse_dynamics(m.home, [0.0], [0.0]),
        lambda: m.forward_dynamics(np.zeros((60, 1)), [0.0], [0.0]),
        lambda: gough.static_equilibrium(m),
    ):
        with pytest.raises(BadStateError, match=r"NOT_FINITE at spring k[\s\S]*points coincide"):
            call()
    for method in ({}, {"method": "esdirk4", "step": 1e-3}, {"method": "leapfrog", "step": 1e-3}):
        with pytest.raises(UsageError, match="cannot begin: not_finite:spring k: the two points"):
            gough.simulate(m, duration=0.01, **method)
    length = 2 * A * np.sin(0.2)  # and right elsewhere: moment = tension · dL/dθ
    numbers = {"rest_length: 0.02": K * (length - 0.02), "damping: 3": K * length, "preload: 2": K * length + 2}
    assert m.bias_force([0.4], [0.0])[0] == pytest.approx(numbers[spring] * A * np.cos(0.2), rel=1e-12)


def test_points_that_always_coincide_are_no_raw_error() -> None:
    for spring in ("stiffness: 10", "stiffness: 10, damping: 1"):
        with pytest.raises(GoughError, match=r"spring k: its two points coincide wherever the robot is"):
            pendulum(spring, at=0.0, on=0.0)


def test_losses_of_a_damper() -> None:
    """c (dL/dt)² with dL/dθ = a b sin θ / L."""
    m, angle, rate = pendulum("damping: 3", at=B), 0.8, 1.7
    length = np.sqrt(A * A + B * B - 2 * A * B * np.cos(angle))
    speed = A * B * np.sin(angle) / length * rate
    assert m.energies([angle], [rate]).losses == pytest.approx(3 * speed**2, rel=1e-12)


def test_a_clearance_keeps_the_direction_where_the_points_meet() -> None:
    """L = √(d² + c²): moment k (L - rest) dL/dθ with dL/dθ = a b sin θ / L, 0 where they meet, and losses c (dL/dt)²."""
    m = pendulum(f"stiffness: {K}, rest_length: 0.02, preload: 2, damping: 3, clearance: 0.01")
    for angle in (0.0, 1e-8, 0.4, -2.0):
        length = np.sqrt(2 * A * A * (1 - np.cos(angle)) + 0.01**2)
        moment = (K * (length - 0.02) + 2) * A * A * np.sin(angle) / length
        assert m.bias_force([angle], [0.0])[0] == pytest.approx(moment, rel=1e-12, abs=1e-17)
        stored = K * (length - 0.02) ** 2 / 2 + 2 * length
        assert m.energies([angle], [1.0]).potential == pytest.approx(stored, rel=1e-12)
        lost = 3 * (A * A * np.sin(angle) / length) ** 2
        assert m.energies([angle], [1.0]).losses == pytest.approx(lost, rel=1e-12, abs=1e-17)
    assert gough.simulate(m, duration=0.1).info.finished


@pytest.mark.parametrize("more", ["", ", damping: 3", ", rounding: 0.01, damping: 3"])
def test_a_slack_cable_needs_no_direction(more: str) -> None:
    m = pendulum(f"stiffness: {K}, rest_length: 0.02, tension_only: true{more}")
    assert m.bias_force([0.0], [1.0])[0] == 0.0
    assert m.energies([0.0], [1.0]).losses == 0.0
    length = 2 * A * np.sin(0.2)
    assert m.bias_force([0.4], [0.0])[0] == pytest.approx(K * (length - 0.02) * A * np.cos(0.2), rel=1e-12)
    taut = pendulum(f"stiffness: {K}, rest_length: 0, tension_only: true{more}")
    with pytest.raises(BadStateError, match="NOT_FINITE at spring k"):
        taut.bias_force([0.0], [1.0])


def test_the_energy_of_a_spring_without_rest_length_has_a_slope_where_its_points_meet() -> None:
    m = pendulum(f"stiffness: {K}")
    slope = m.function("energies").derivative("q", "jvp")
    state = {"q": np.zeros(1), "v": np.zeros(1), "parameters": m.parameters, "d_q": np.ones(1)}
    assert slope(**state).outputs["d_potential"] == 0.0
