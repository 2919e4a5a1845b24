"""Modal amplitudes of frames: closed forms, and eigenvectors of robots built again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import linalg

import gough
from inner.analysis import RestForces

from .flexible_robots import FLEXIBLE_FIVE_BAR
from .rebuilding import built, closed_at, rebuilt_slope
from .test_repeated import CROSSED

MASS_ON_SPRING = """
format: 2
name: axis
variables: {k: 1000 N/m, load: 2.5 kg}
bodies: [{name: head, mass: load}]
joints: [{name: x, type: prismatic, parent: world, child: head, axis: [-1, 0, 0], spring: {stiffness: k}}]
velocities: [x]
"""


def test_a_mass_on_a_spring() -> None:
    found = gough.sensitivity(built(MASS_ON_SPRING), "mode:0@head")
    m = 2.5
    assert np.allclose(found.values, [m**-0.5, 0, 0, 0, 0, 0], rtol=1e-12)
    assert np.allclose(found["load"], [-0.5 * m**-1.5, 0, 0, 0, 0, 0], rtol=1e-10, atol=1e-15)
    assert np.abs(found["k"]).max() < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("drives", ["locked", "free", {"stiffness": 3e3}])
def test_an_uneven_five_bar_built_again(drives: Any) -> None:
    """Eigenvectors by another way, with the drives' motions taken out by their null space, under a load with moments."""
    model = built(FLEXIBLE_FIVE_BAR)
    wrench = {"rod.middle": np.array([3.0, -4.0, 1.0, 0.1, 0.2, 0.3])}
    modes = (2, 3)

    def measure(made: gough.Model) -> np.ndarray:
        whole = made.unlocked
        rest = gough.static_equilibrium(whole, q=closed_at(whole, model.home), wrench=wrench)
        forces = RestForces(whole, whole.parameters, wrench)
        here, tau = rest.q[None], rest.tau[None]
        K, M, S = forces.stiffness(here, tau)[0], forces.mass(here)[0], forces.drive_map(here)[0]
        J = forces.frame_jacobian(here, "head.pen")[0]
        K = 0.5 * (K + K.T) + (0.0 if isinstance(drives, str) else drives["stiffness"] * S @ S.T)
        N = linalg.null_space(S.T) if drives == "locked" else np.eye(len(K))
        _, shapes = linalg.eigh(N.T @ K @ N, N.T @ M @ N)
        found = (J @ N @ shapes[:, list(modes)]).T
        size = found * ([1.0] * 3 + [model.size] * 3)
        signs = np.sign(size[np.arange(len(modes)), np.abs(size).argmax(axis=1)])
        return (found * signs[:, None]).ravel()

    found = gough.sensitivity(model, "mode:2,3@head.pen", wrench=wrench, drives=drives)
    assert np.allclose(found.values, measure(model), rtol=1e-8, atol=1e-9)
    for name in found.by:
        size = 0.1 if name != "stiff" else 500.0
        truth = rebuilt_slope(model, name, measure, size)
        scale = max(np.abs(found.values).max(), size * np.abs(found[name]).max())
        assert np.abs(found[name] - truth).max() * size < 1e-8 * scale, name


def test_modes_that_are_equally_fast_are_refused() -> None:
    with pytest.raises(gough.UsageError, match="modes 0, 1 are equally fast"):
        gough.sensitivity(built(CROSSED), "mode:1@head", by=["k"])
    with pytest.raises(gough.UsageError, match="count modes from 0 and name a frame"):
        gough.sensitivity(built(CROSSED), "mode:1@nowhere", by=["k"])
    with pytest.raises(gough.UsageError, match="mode 9: there are 2"):
        gough.sensitivity(built(CROSSED), "mode:9@head", by=["k"])
