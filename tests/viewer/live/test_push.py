"""The push of a hand: which directions move a robot, the mass a force feels, and a spring that pulls with it."""

import numpy as np
import pytest

import gough
from inner.viewer import PushedFrame
from simulation.sliders import MASS, slider


def test_a_mass_on_a_slider() -> None:
    pushed = PushedFrame.of(slider(), "block.tool")
    assert pushed.moves == (False, False, True, False, False, False) and pushed.can_be_dragged
    assert pushed.mass == pytest.approx(MASS) and pushed.inertia == 0.0
    assert pushed.stiffness == pytest.approx(MASS * (2 * np.pi * 3) ** 2, rel=0.05)
    force, moment = pushed.usual_loads()
    assert force == 200.0 and moment == 1.0  # 0.1 m on springs of 4 Hz: 126 N


def test_a_crank_is_turned_and_not_dragged() -> None:
    """A crank about z by its joint: its inertia about the axis by parallel axes, with what it drags along it is more."""
    model = gough.build("five_bar")
    pushed = PushedFrame.of(model, "left_crank")
    assert not pushed.can_be_dragged and pushed.moves[5] and pushed.inertia > 0.0
    tool = PushedFrame.of(model, "left_rod.tool")
    assert tool.moves[:3] == (True, True, False)


def test_the_spring_is_bounded_and_damped() -> None:
    pushed = PushedFrame("tool", (True,) * 6, 4.0, 1.0, 1.0)
    still = np.zeros(3)
    force = pushed.spring_force(np.array([0.1, 0.0, 0.0]), still, still, 100.0, 1e9)
    np.testing.assert_allclose(force, [10.0, 0.0, 0.0])
    force = pushed.spring_force(np.array([0.0, 3.0, 4.0]), still, still, 100.0, 50.0)
    np.testing.assert_allclose(force, [0.0, 30.0, 40.0])
    force = pushed.spring_force(still, still, np.array([0.0, 0.0, 1.0]), 100.0, 1e9)
    np.testing.assert_allclose(force, [0.0, 0.0, -2 * 0.7 * np.sqrt(100.0 * 4.0)])


def test_a_held_spring_loses_no_stability() -> None:
    """The stiffest spring on its mass, its force held for a step: the swing dies away (discrete states, exactly)."""
    pushed, step = PushedFrame("tool", (True,) * 6, 4.0, 1.0, 1.0), 5e-3
    k, d = pushed.stiffest(step), 2 * 0.7 * np.sqrt(pushed.stiffest(step) * pushed.mass)
    go_on = np.array([[1.0, step], [0.0, 1.0]])
    by_force = np.array([step**2 / 2, step]) / pushed.mass
    closed = go_on - np.outer(by_force, [k, d])
    assert np.abs(np.linalg.eigvals(closed)).max() < 0.95
