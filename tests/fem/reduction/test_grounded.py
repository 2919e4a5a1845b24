"""Stiffness matrices of other codes that hold their body: K x = 0 of every rigid motion x of a free body."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array

from fem.reduction_bodies import beam_frame
from gough.errors import ReductionWarning, UsageError
from gough.fem import (
    AttachmentModes,
    ClampedModes,
    CraigBampton,
    FreeModes,
    Guyan,
    Nodal,
    NodeTie,
    from_matrices,
    reduce,
)

EVERY = [
    ClampedModes("a", 4),
    FreeModes(4),
    FreeModes(4, frame="a"),
    Nodal("a"),
    CraigBampton(("a", "b"), 3),
    CraigBampton(("a", "b"), 3, frame="a"),
    Guyan(("a", "b"), frame="a"),
    AttachmentModes(("b",), 3),
    AttachmentModes(("b",), 3, frame="a"),
]
CORNERS = np.array([(0, 0, 0), (0.4, 0.1, 0), (0.5, 0.3, 0.4), (0.9, 0.2, 0.5)])


def bent(parts):
    """(nodes, K, M) of a crooked beam of three segments."""
    along = np.linspace(0, 1, parts, endpoint=False)[:, None]
    nodes = np.concatenate([*(a + along * (b - a) for a, b in pairwise(CORNERS)), CORNERS[3:]])
    body = beam_frame(nodes, [(k, k + 1) for k in range(len(nodes) - 1)], off=0.01)
    return body.nodes, body.K.toarray(), body.M.toarray()


def reduced(nodes, K, M, choice, place=None):
    n = len(nodes)
    freedoms = np.stack(np.divmod(np.arange(6 * n), 6), axis=1)
    given = from_matrices(
        csr_array(K), csr_array(M), nodes if place is None else place, freedoms, labels=np.arange(n) + 100
    )
    return reduce(given, choice, {"a": NodeTie(given.nodes[0]), "b": NodeTie(given.nodes[-1])})


def rounded(A, digits):
    """As written in a text file."""
    return np.array([[float(f"{x:.{digits - 1}e}") for x in row] for row in A])


@pytest.mark.parametrize("choice", EVERY, ids=lambda c: f"{type(c).__name__}-{getattr(c, 'frame', '')}")
def test_a_spring_to_ground_is_refused_where_it_is(choice):
    nodes, K, M = bent(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reduced(nodes, K, M, choice)
    held = K.copy()
    held[6 * 4 + 1, 6 * 4 + 1] += 1e4
    with pytest.raises(
        UsageError, match=r"resists rigid motion.* at node 104 at \[0.5, 0.3, 0.4\] m, y.*free and unloaded"
    ):
        reduced(nodes, held, M, choice)


@pytest.mark.parametrize("seed", range(6))
def test_springs_nobody_is_told_of_change_no_frequency(seed):
    """Of random size and place: what is taken without a word is right to a per cent, what is refused was wrong by 1e-4."""
    rng = np.random.default_rng(seed)
    nodes, K, M = bent(2)
    first = np.sqrt(eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True)[:3]) / (2 * np.pi)
    for exponent in np.arange(-1.0, 7.0):
        held, k = K.copy(), int(rng.integers(6, len(K)))
        held[k, k] += 10.0 ** (exponent - (2 if k % 6 > 2 else 0))
        wrong = np.sqrt(eigh(held[6:, 6:], M[6:, 6:], eigvals_only=True)[:3]) / (2 * np.pi)
        error = np.abs(wrong / first - 1).max()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", ReductionWarning)
                reduced(nodes, held, M, ClampedModes("a", 3))
        except ReductionWarning:
            assert error < 0.5
        except UsageError:
            assert error > 1e-4
        else:
            assert error < 0.01


def test_a_support_at_the_clamp_does_no_harm():
    nodes, K, M = bent(2)
    held = K.copy()
    held[:6, :6] += 1e12 * np.eye(6)
    exact = np.sqrt(eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True)[:4]) / (2 * np.pi)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = reduced(nodes, held, M, ClampedModes("a", 4))
    assert body.frequencies_hz == pytest.approx(exact, rel=1e-6)
    with pytest.raises(UsageError, match="resists"):
        reduced(nodes, held, M, FreeModes(4))


@pytest.mark.parametrize("choice", EVERY[:4], ids=lambda c: f"{type(c).__name__}-{getattr(c, 'frame', '')}")
def test_nodes_in_each_others_place_are_refused(choice):
    nodes, K, M = bent(2)
    swapped = nodes.copy()
    swapped[[1, 4]] = nodes[[4, 1]]
    with pytest.raises(UsageError, match=r"resists rigid motion.*misplaced, swapped"):
        reduced(nodes, K, M, choice, swapped)


@pytest.mark.parametrize("parts", [2, 8])
@pytest.mark.parametrize(("digits", "decimals"), [(17, 17), (10, 17), (17, 6), (17, 5)])
def test_digits_of_text_files_are_taken(parts, digits, decimals):
    """Frequencies to 1e-3 and no word; matrices of ten digits, nodes to 10 µm."""
    nodes, K, M = bent(parts)
    exact = np.sqrt(eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True)[:3]) / (2 * np.pi)
    K, M = (A if digits == 17 else rounded(A, digits) for A in (K, M))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = reduced(nodes, K, M, ClampedModes("a", 3), np.round(nodes, decimals))
    assert body.frequencies_hz == pytest.approx(exact, rel=1e-3)


def test_too_few_digits_are_told():
    """Four digits: the lowest frequencies of the free body are off by per cents."""
    nodes, K, M = bent(6)
    with pytest.raises(UsageError, match=r"too few digits|costs no energy"):
        reduced(nodes, rounded(K, 4), M, FreeModes(3))
