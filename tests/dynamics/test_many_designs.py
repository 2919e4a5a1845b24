"""All terms, energies, rates, reactions and laws over many random designs of every family; each is built once."""

import numpy as np
import pytest

from dynamics.comparisons import TERMS, compare_with_peer, compare_with_reference
from dynamics.test_energies import compare as compare_energies
from dynamics.test_rates import compare as compare_rates
from dynamics.test_reactions import balances
from laws.subjects import MANY, PEERS, Subject
from laws.test_identity import check as check_identity
from laws.test_mass_matrix import check as check_mass_matrix


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_design(name: str) -> None:
    s = Subject(name)
    assert (s.model.closure_error(s.batch.q) < 1e-12).all()
    for term in TERMS:
        compare_with_reference(term, s)
        for peer in PEERS:
            compare_with_peer(term, s, peer)
    compare_energies(s)
    compare_rates(s)
    for state, accepted in zip(s.states, s.tolerances, strict=True):
        left, size = balances(s.robot, s.reference, s.model, state)
        assert np.abs(left).max() < 10 * accepted * size
    check_mass_matrix(s)
    check_identity(s)
