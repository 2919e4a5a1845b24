"""Inverse dynamics: drive forces against energies with automatic differentiation, MuJoCo and Pinocchio."""

import numpy as np
import pytest

import gough
from dynamics.comparisons import compare_with_peer, compare_with_reference
from laws.subjects import FEW, PEERS, subject


@pytest.mark.parametrize("name", FEW)
def test_reference(name: str) -> None:
    compare_with_reference("inverse", subject(name))


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", FEW)
def test_peers(name: str, peer: str) -> None:
    compare_with_peer("inverse", subject(name), peer)


def test_no_drives() -> None:
    """No drive forces give an arbitrary motion: the call is refused, and the program says so at every state."""
    model = gough.build("four_bar_chain")
    with pytest.raises(gough.UsageError, match="0 drives for 1 freedoms"):
        model.inverse_dynamics(model.home, np.zeros(1), np.ones(1))
    function = model.function("inverse_dynamics")
    given = {"q": np.tile(model.home, (3, 1)), "v": np.ones((3, 1)), "acceleration": np.zeros((3, 1))}
    for f in (function, function.compile()):
        found = f(**given, wrench=np.zeros(1), parameters=model.parameters)
        assert found.outputs["tau"].shape == (3, 0) and len(found.bad) == 3
