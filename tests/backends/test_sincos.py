"""Vector sine and cosine in units of the last place against 50-digit values, over large ranges and near multiples of pi/2."""

from __future__ import annotations

from functools import lru_cache

import mpmath as mp
import numpy as np
import pytest

from backends.kernels import run
from gough import scalar
from gough.program import Slot, trace
from inner.backends import Kernel

PI_HALF = float(mp.pi / 2)


@lru_cache(maxsize=1)
def kernel() -> Kernel:
    return Kernel(trace(lambda x: {"s": scalar.sin(x[0]), "c": scalar.cos(x[0])}, [Slot("x", (1,))]))


def worst_ulp(x: np.ndarray) -> float:
    (s, c), _ = run(kernel(), [np.ascontiguousarray(x.reshape(-1, 1))], x.size)
    worst = 0.0
    with mp.workdps(60):
        for value, sine, cosine in zip(x.ravel(), s.ravel(), c.ravel(), strict=True):
            for found, truth in ((sine, mp.sin(float(value)).real), (cosine, mp.cos(float(value)).real)):
                unit = np.spacing(max(abs(float(truth)), 2.0**-1000))
                worst = max(worst, float(abs(mp.mpf(float(found)) - truth) / unit))
    return worst


@pytest.mark.parametrize("size", [1e-300, 1e-8, 0.5, 1.0, 10.0, 1e3, 1e6])
def test_within_one_unit_in_the_last_place(size: float) -> None:
    rng = np.random.default_rng(int(size) if size >= 1 else 0)
    assert worst_ulp(rng.uniform(-size, size, 700)) < 1.5


def test_next_to_multiples_of_a_right_angle() -> None:
    """Where sine or cosine nearly vanish, relative accuracy needs the third part of pi/2."""
    k = np.concatenate([np.arange(-40, 41), np.array([355 * 2, 103993 * 2, 833719 * 2])])
    centre = k * PI_HALF
    x = np.concatenate([centre, np.nextafter(centre, np.inf), np.nextafter(centre, -np.inf), centre + 1e-9])
    assert worst_ulp(x) < 1.5


def test_exact_values() -> None:
    (s, c), _ = run(kernel(), [np.array([[0.0], [-0.0]])], 2)
    np.testing.assert_array_equal(s.ravel(), [0.0, -0.0])
    np.testing.assert_array_equal(c.ravel(), [1.0, 1.0])


@pytest.mark.parametrize("x", [1e9, 1e12, 1e15, 1e16, 1e18, 1e22, 1e300])
def test_angles_beyond_any_joint_are_right_or_flagged(x: float) -> None:
    """An angle too large to be reduced gives a status, or the right number; not one that looks fine."""
    near = np.array([x, np.nextafter(x, np.inf), -x])
    (s, c), status = run(kernel(), [near[:, None]], 3)
    with mp.workdps(400):
        truth = np.array([[float(mp.sin(v).real), float(mp.cos(v).real)] for v in near.tolist()])
    wrong = np.abs(np.stack([s.ravel(), c.ravel()], axis=1) - truth).max(axis=1)
    assert ((wrong < 1e-9) | (status != 0)).all(), wrong


def test_not_finite_angles_are_flagged() -> None:
    _, status = run(kernel(), [np.array([[np.nan], [np.inf], [-np.inf], [1.0]])], 4)
    assert (status[:3] != 0).all() and status[3] == 0
