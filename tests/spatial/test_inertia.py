"""Wrench and kinetic energy of a rigid body against a cloud of point masses."""

import numpy as np
import pytest

from gough.spatial import RigidInertia, inertia_wrench
from gough.spatial.inertia import kinetic_energy


def cloud(seed: int) -> tuple[np.ndarray, np.ndarray, RigidInertia]:
    rng = np.random.default_rng(seed)
    m, r = rng.uniform(0.1, 2, 12), rng.normal(size=(12, 3))
    J = np.sum([mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True)], axis=0)
    ms = m @ r
    return m, r, RigidInertia.from_ten([m.sum(), *ms, J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])


@pytest.mark.parametrize("seed", range(4))
def test_sum_over_points(seed: int) -> None:
    m, r, inertia = cloud(seed)
    w, alpha, a, v = np.random.default_rng([seed, 1]).normal(size=(4, 3))
    each = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    f, n = inertia_wrench(inertia, w, alpha, a)
    np.testing.assert_allclose(f.astype(float), m @ each, rtol=1e-12)
    np.testing.assert_allclose(n.astype(float), (m[:, None] * np.cross(r, each)).sum(0), rtol=1e-11)
    speeds = v + np.cross(w, r)
    assert float(kinetic_energy(inertia, w, v)) == pytest.approx((m * (speeds**2).sum(1)).sum() / 2, rel=1e-12)


def test_massless() -> None:
    assert RigidInertia.from_ten([0.0] * 10).massless
    assert not RigidInertia.from_ten([0.0, 0.0, 0.0, 1e-9, *[0.0] * 6]).massless
