"""Laws that a live page offers, and their gains one by one."""

from typing import Any

import numpy as np
import pytest

import gough
from gough import laws
from inner.viewer import gains_of, offered_laws, reference_of, with_gains
from simulation.sliders import ARM, MASS, slider
from viewer.playback.runs import at_rest


def test_gains_of_drives_that_slide_and_that_turn_are_apart() -> None:
    model = gough.build(gough.robot.loads(ARM))
    law = laws.JointPD([100.0, 7.0], 3.0)
    gains = gains_of(model, law)
    assert [(g.label, g.value, g.top) for g in gains] == [
        ("Stiffness (N/m)", 100.0, 1000.0),
        ("Stiffness (N m/rad)", 7.0, 100.0),
        ("Damping (N s/m)", 3.0, 50.0),
        ("Damping (N m s/rad)", 3.0, 50.0),
    ]
    moved: Any = with_gains(law, gains, [1.0, 2.0, 3.0, 4.0])
    assert moved.stiffness == (1.0, 2.0) and moved.damping == (3.0, 4.0)


def test_gains_that_differ_move_together() -> None:
    model = gough.build("five_bar")
    law = laws.PID([10.0, 20.0], 2.0, 0.0, gravity=True, limit=5.0)
    gains = gains_of(model, law)
    assert [g.label for g in gains] == ["Stiffness (× as given)", "Damping (N m s/rad)", "Integral (N m/(rad s))"]
    moved: Any = with_gains(law, gains, [3.0, 1.0, 4.0])
    assert moved.stiffness == (30.0, 60.0) and moved.damping == 1.0 and moved.integral == 4.0
    assert moved.gravity and moved.limit == 5.0


@pytest.mark.parametrize("law", [laws.JointPD(bandwidth=5), laws.ComputedTorque(bandwidth=5, damping_ratio=0.7)])
def test_laws_by_bandwidth_are_moved_by_bandwidth(law: Any) -> None:
    gains = gains_of(gough.build("five_bar"), law)
    assert [g.label for g in gains] == ["Bandwidth (Hz)", "Damping ratio"]
    moved: Any = with_gains(law, gains, [10.0, 0.5])
    assert moved.bandwidth == 10.0 and moved.damping_ratio == 0.5
    same = type(law)(bandwidth=10.0, damping_ratio=0.5)
    assert moved == same


def test_a_sampled_law_has_those_of_its_law() -> None:
    model = slider()
    law = laws.Sampled(laws.JointPD(100.0, 10.0), 1e-3, seed=3)
    moved: Any = with_gains(law, gains_of(model, law), [50.0, 5.0])
    assert moved.law == laws.JointPD(50.0, 5.0) and moved.seed == 3
    assert gains_of(model, laws.GravityCompensation()) == gains_of(model, None) == ()


def test_what_is_offered_fits_the_robot() -> None:
    assert list(offered_laws(gough.build("four_bar_chain"))) == ["none"]
    model = slider(9.81)
    found = offered_laws(model, laws.LQR(1.0, 1.0))
    assert list(found) == ["as given", "joint PD", "PID", "computed torque", "gravity compensation", "none"]
    spring: Any = found["joint PD"]
    assert spring.stiffness == pytest.approx(MASS * (2 * np.pi * 4.0) ** 2, rel=0.05) and spring.gravity  # two digits
    hold = reference_of(model, spring, np.array([0.3]), None)
    assert hold is not None and hold.at([0.0, 99.0]).position.tolist() == [[0.3], [0.3]]
    assert reference_of(model, found["gravity compensation"], model.home, None) is None
    with pytest.raises(gough.UsageError, match="exactly"):
        gough.view(model, live=laws.Follow(), port=0)


def test_what_cannot_run_live() -> None:
    with pytest.raises(gough.UsageError, match="a run is played"):
        gough.view(at_rest("five_bar"), live=True, port=0)
    with pytest.raises(gough.UsageError, match="live"):
        gough.view("five_bar", live="joint PD", port=0)  # pyright: ignore[reportArgumentType]
