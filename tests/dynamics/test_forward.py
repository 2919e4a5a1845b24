"""Forward dynamics: platform acceleration against energies with automatic differentiation, MuJoCo and Pinocchio."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import gough
from dynamics.comparisons import compare_with_peer, compare_with_reference
from inner.dynamics import Numbers, forward_dynamics
from laws.subjects import FEW, PEERS, subject


@pytest.mark.parametrize("name", FEW)
def test_reference(name: str) -> None:
    compare_with_reference("forward", subject(name))


@pytest.mark.parametrize("name", ["dualemps", "dualemps_8", pytest.param("hexapod_flexible", marks=pytest.mark.slow)])
def test_a_tree_at_once_and_part_by_part(name: str, limits: Callable[..., None]) -> None:
    """Solved with the closures in one go, part after part, and with the mass matrix of v: the same accelerations."""
    model = gough.build(name)
    assert model.mechanism.selection.solves_tree
    rng = np.random.default_rng(1)
    numbers = Numbers(model.mechanism, np.array(model.parameters, dtype=object))
    q = model.integrate(model.home, 1e-3 * rng.normal(size=model.layout.nv), 1.0).astype(object)
    v, tau = 1e-2 * rng.normal(size=model.layout.nv), rng.normal(size=len(model.mechanism.drives))
    found = []
    for at_once in (10**6, 0):
        limits(tree_at_once=at_once)
        found.append(np.array(forward_dynamics(numbers, q, v.astype(object), tau.astype(object))["vdot"], dtype=float))
    plain = replace(model.mechanism, selection=replace(model.mechanism.selection, solves_tree=False))
    numbers = Numbers(plain, numbers.parameters)
    found.append(np.array(forward_dynamics(numbers, q, v.astype(object), tau.astype(object))["vdot"], dtype=float))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0, atol=1e-8 * np.abs(found[0]).max())


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", FEW)
def test_peers(name: str, peer: str) -> None:
    compare_with_peer("forward", subject(name), peer)
