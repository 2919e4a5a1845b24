"""Forward dynamics: platform acceleration against energies with automatic differentiation, MuJoCo and Pinocchio."""

import pytest

from dynamics.comparisons import compare_with_peer, compare_with_reference
from laws.subjects import FEW, PEERS, subject


@pytest.mark.parametrize("name", FEW)
def test_reference(name: str) -> None:
    compare_with_reference("forward", subject(name))


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", FEW)
def test_peers(name: str, peer: str) -> None:
    compare_with_peer("forward", subject(name), peer)
