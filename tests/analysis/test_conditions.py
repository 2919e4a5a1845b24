"""Fast condition numbers against the singular value decomposition."""

import numpy as np
import pytest

from gough.analysis.conditions import determinant_signs, reciprocal_conditions


def with_condition(rng, n, k, condition):
    """Random matrices (n, k, k) whose reciprocal condition number is given (n,)."""
    u, _ = np.linalg.qr(rng.normal(size=(n, k, k)))
    v, _ = np.linalg.qr(rng.normal(size=(n, k, k)))
    s = np.sort(rng.uniform(condition[:, None], 1.0, size=(n, k)), axis=1)
    s[:, 0], s[:, -1] = condition, 1.0
    return np.einsum("nij,nj,nkj->nik", u, s, v) * rng.uniform(1e-3, 1e3, size=(n, 1, 1))


@pytest.mark.parametrize("k", [2, 3, 4, 6, 9])
def test_reciprocal_conditions(rng, k):
    condition = 10.0 ** rng.uniform(-12, 0, size=4000)
    found = reciprocal_conditions(with_condition(rng, 4000, k, condition))
    assert np.allclose(found, condition, rtol=2e-5, atol=1e-14)


def test_double_singular_values(rng):
    q, _ = np.linalg.qr(rng.normal(size=(500, 3, 3)))
    for s in ([1, 1, 1], [1, 1, 0.3], [1, 0.3, 0.3], [1, 0.06, 0.06]):
        a = np.einsum("nij,j->nij", q, np.array(s, float))
        assert np.allclose(reciprocal_conditions(a), min(s), rtol=2e-5)


def test_rectangles_and_bad_entries(rng):
    wide = rng.normal(size=(50, 3, 5))
    s = np.linalg.svd(wide, compute_uv=False)
    assert np.allclose(reciprocal_conditions(wide), s[:, -1] / s[:, 0], rtol=2e-5)
    assert (reciprocal_conditions(wide.transpose(0, 2, 1)) == 0).all()
    assert reciprocal_conditions(np.zeros((2, 3, 3))).tolist() == [0, 0]
    wide[3, 1, 1] = np.nan
    assert np.isnan(reciprocal_conditions(wide)).sum() == 1
    assert (reciprocal_conditions(np.zeros((4, 0, 0))) == 1).all()
    assert reciprocal_conditions(np.array([[[-0.3]], [[2.0]], [[np.nan]]])).tolist()[:2] == [0.3, 1.0]


def test_signs(rng):
    a = rng.normal(size=(300, 4, 4))
    assert np.array_equal(determinant_signs(a), np.sign(np.linalg.det(a)))
    a[7] = np.inf
    assert determinant_signs(a)[7] == 0
