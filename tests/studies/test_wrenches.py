"""Wrenches at frames that the design moves."""

import numpy as np
import pytest

import gough

from .rebuilding import UNEVEN, built, closed_at, rebuilt_slope


@pytest.mark.slow
def test_forces_and_reactions_under_wrenches_at_frames_built_again() -> None:
    model = built(UNEVEN)
    wrench = {"tool": np.array([30.0, -20, 50, 2, -3, 4]), "leg1.rod": np.array([3.0, -2, 5, 1, -1, 0.4])}
    rng = np.random.default_rng(0)
    v, a = 0.2 * rng.normal(size=6), rng.normal(size=6)
    found = [
        gough.sensitivity(model, quantity, v=v, acceleration=a, wrench=wrench, by=["ball", "wide"])
        for quantity in ("tau", "reaction:leg2.hip,leg1.ball")
    ]

    def measure(made: gough.Model) -> np.ndarray:
        q = closed_at(made, model.home)
        r = made.unlocked.joint_reactions(q, v, a, wrench)
        joint, cut = r.joint_names.index("leg2.hip"), r.cut_names.index("leg1.ball")
        return np.concatenate([made.unlocked.inverse_dynamics(q, v, a, wrench).tau, r.joints[joint], r.cuts[cut]])

    assert np.allclose(np.concatenate([f.values for f in found]), measure(model), rtol=1e-10, atol=1e-9)
    for name in ("ball", "wide"):
        slopes, truth = np.concatenate([f[name] for f in found]), rebuilt_slope(model, name, measure, 1.0)
        assert np.abs(slopes - truth).max() < 1e-8 * np.abs(truth).max()
