"""How far the runs of an ensemble were from their motion at most, where a mass on a spring has it in closed form."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough
from gough.errors import RunWarning
from laws.subjects import built
from simulation.sliders import MASS, slider


def swing(stored: int) -> gough.Ensemble:
    """A mass on a PD controller, undamped, pushed off at v = 1 and 2 m/s: errors v sin(ω t) / ω, ω = 10 /s, ω t < 1.3 π."""
    still = gough.motions.quintic(drives=[[0.0], [0.0]], durations=[0.13 * np.pi])
    law = gough.laws.JointPD(stiffness=100.0 * MASS, damping=0.0)
    return gough.simulate_many(
        slider(), v=np.array([[1.0], [2.0]]), motion=still, controller=law, step=1e-3, stored=stored
    )


def test_states_far_apart_miss_the_summit_and_say_so() -> None:
    found = swing(4)
    with pytest.warns(
        RunWarning, match=r"of the \d stored states; between them one is about 0\.\d+ m .*larger stored="
    ):
        largest = found.tracking.m
    stored = np.abs(np.sin(10 * found.time)).max() / 10  # the closed form, where it was looked at
    np.testing.assert_allclose(largest, [stored, 2 * stored], rtol=1e-6)
    assert largest[1] < 0.97 * 0.2
    assert f"each at {len(found.time)} stored states" in repr(found.tracking)


def test_states_close_together_have_it() -> None:
    found = swing(200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(found.tracking.m, [0.1, 0.2], rtol=1e-3)


def test_what_cannot_turn_has_no_panel_of_turns() -> None:
    """The platform of a Delta robot keeps its orientation, and so its errors are lengths alone; asked for, all is drawn."""
    model = built(gough.load("delta"))
    move = gough.motions.quintic(poses=[model.home_pose, model.home_pose + [0.02, 0, 0, 0, 0, 0, 0]], durations=0.05)
    law = gough.laws.ComputedTorque(900.0, 60.0)
    found = gough.simulate_many(model, motion=move, controller=law, q=np.tile(model.home, (3, 1)), stored=10)
    shown = [ax.get_ylabel() for ax in found.plot().axes]
    assert "tracking (m)" in shown and "tracking (rad)" not in shown
    assert "tracking (rad)" in [ax.get_ylabel() for ax in found.plot("tracking").axes]
