"""Chains of four-bar linkages: with parallel cranks they are one pendulum, for any number of linkages.

[(N+1)/3 + N] th'' = [(N+1)/2 + N] g sin th for uniform rods of 1 kg and 1 m (the N-four-bar benchmark, IFToMM A02).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gough
from gough.robots import four_bar_chain

G = 9.81
ANGLES = np.concatenate([np.random.default_rng(7).uniform(-1.4, 1.4, 6), [2.2, -2.9]])
RATES = np.random.default_rng(8).uniform(-3, 3, 8)
COUNTS = [1, 2, 10, pytest.param(40, marks=pytest.mark.slow)]


@cache
def model(n: int) -> gough.Model:
    return gough.build(four_bar_chain(n))


def parallel(n: int, angles: np.ndarray) -> np.ndarray:
    """q (..., 2n + 1) with all cranks at one angle."""
    return np.concatenate([np.repeat(angles[:, None], n + 1, 1), np.repeat(-angles[:, None], n, 1)], axis=1)


@pytest.mark.parametrize("n", COUNTS)
def test_pendulum(n: int) -> None:
    m = model(n)
    assert (m.mobility, m.layout.v_names, len(m.redundant_closures)) == (1, ("foot0",), 3 * n)
    q = parallel(n, ANGLES)
    assert m.closure_error(q).max() < 1e-12
    found = m.forward_dynamics(q, RATES[:, None], np.zeros((len(q), 0))).vdot[:, 0]
    expected = ((n + 1) / 2 + n) * G * np.sin(ANGLES) / ((n + 1) / 3 + n)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("n", COUNTS)
def test_energies(n: int) -> None:
    energies = model(n).energies(parallel(n, ANGLES), RATES[:, None])
    np.testing.assert_allclose(energies.kinetic, ((n + 1) / 3 + n) * RATES**2 / 2, rtol=1e-12)
    np.testing.assert_allclose(energies.potential, ((n + 1) / 2 + n) * G * np.cos(ANGLES), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(energies.losses, 0.0)


def test_assembly_follows_the_first_crank() -> None:
    """From the upright home, where other assemblies (crossed cranks) exist too."""
    q = model(2).configuration(coordinates={"foot0": ANGLES[:6]})
    np.testing.assert_allclose(q, parallel(2, ANGLES[:6]), atol=1e-9)


def test_gallery_file_is_the_builder_s_chain_of_two() -> None:
    built, written = model(2).robot, gough.load("four_bar_chain")
    for name in ("gravity", "bodies", "joints", "loops", "velocities"):
        assert getattr(built, name) == getattr(written, name)
    assert built.home.joints == written.home.joints


def test_no_inverse_dynamics_without_drives() -> None:
    with pytest.raises(gough.UsageError, match="0 drives for 1 freedoms"):
        model(1).inverse_dynamics(model(1).home, [0.0], [0.0])
