"""Consistent inertias: against bodies made of points, and one way against the other."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from inner.identification import PSEUDO, Prior, consistent_values, inconsistent_names, whole_bodies


def ten_of_points(masses: np.ndarray, points: np.ndarray) -> np.ndarray:
    first = masses @ points
    tensor = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    return np.array([masses.sum(), *first, *np.asarray(tensor)[np.triu_indices(3)]])


def test_pseudo_inertia_is_the_second_moment_of_points() -> None:
    rng = np.random.default_rng(0)
    masses, points = rng.uniform(0.1, 1, 6), rng.normal(size=(6, 3))
    lifted = np.column_stack([points, np.ones(6)])
    assert np.allclose(PSEUDO @ ten_of_points(masses, points), np.einsum("k,ki,kj->ij", masses, lifted, lifted))


@pytest.fixture(scope="module")
def base() -> gough.BaseParameters:
    return gough.base_parameters(gough.build("five_bar"), ("inertia", "friction"))


def a_prior(base: gough.BaseParameters) -> Prior:
    return Prior.of(base.regressor.model, base, None)


@pytest.mark.parametrize("seed", range(4))
def test_both_ways_find_the_same_consistent_numbers(base: gough.BaseParameters, seed: int) -> None:
    rng = np.random.default_rng(seed)
    prior = a_prior(base)
    root = rng.normal(size=(base.rank, base.rank)) * 0.02 * np.abs(base.values).max()
    covariance = root @ root.T + 1e-6 * np.eye(base.rank)
    phi = base.values + rng.normal(size=base.rank) * 0.3 * np.abs(base.values).max()
    names = base.regressor.names
    weight = np.ones(len(names))
    weight[[k for k in base.unseen if names[k].rsplit(".", 1)[-1] in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")]] = 1e-3
    found = [consistent_values(base, phi, covariance, prior, way) for way in ("log-cholesky", "lmi")]

    def cost(values: np.ndarray) -> float:
        off = base.matrix @ values - phi
        apart = weight * (values - prior.values) / prior.spreads
        return float(off @ np.linalg.solve(covariance, off) + 1e-4 * (apart**2).sum())

    for values in found:
        assert inconsistent_names(names, values) == []
        for body in whole_bodies(names):
            assert np.linalg.eigvalsh(body.pseudo_inertia(values))[0] > 0
    assert cost(found[0]) == pytest.approx(cost(found[1]), rel=1e-4)


def test_consistent_numbers_stay_where_data_and_description_agree(base: gough.BaseParameters) -> None:
    prior = a_prior(base)
    covariance = np.eye(base.rank) * (1e-4 * np.abs(base.values).max()) ** 2
    for way in ("log-cholesky", "lmi"):
        found = consistent_values(base, base.values, covariance, prior, way)
        assert np.abs(base.matrix @ found - base.values).max() < 3e-4 * np.abs(base.values).max()


def test_what_no_robot_can_have_is_named(base: gough.BaseParameters) -> None:
    values = np.array(base.regressor.values)
    values[base.regressor.names.index("left_rod.ZZ")] *= -1
    assert inconsistent_names(base.regressor.names, values) == ["left_rod"]
    with pytest.raises(UsageError, match="log-cholesky, lmi"):
        consistent_values(base, base.values, np.eye(base.rank), a_prior(base), "magic")


@pytest.mark.parametrize("way", ["log-cholesky", "lmi"])
def test_where_bodies_have_the_estimate_the_description_moves_nothing(base: gough.BaseParameters, way: str) -> None:
    """A robot far from the description, its masses elsewhere: consistent numbers have its base parameters."""
    rng, prior, names = np.random.default_rng(3), a_prior(base), base.regressor.names
    values = np.abs(np.array(base.regressor.values)) + 0.1 * prior.spreads
    for body in whole_bodies(names):
        points = 0.3 * rng.normal(size=(6, 3)) + 0.2 * rng.normal(size=3)
        values[list(body.places)] = ten_of_points(rng.uniform(0.05, 0.4, 6), points)
    phi, deviations = base.matrix @ values, 0.01 * np.sqrt(base.matrix**2 @ prior.spreads**2)
    found = consistent_values(base, phi, np.diag(deviations**2), prior, way)
    assert inconsistent_names(names, found) == []
    assert np.abs((base.matrix @ found - phi) / deviations).max() < 1e-3


@pytest.mark.parametrize("way", ["log-cholesky", "lmi"])
def test_estimates_without_noise_are_made_consistent(base: gough.BaseParameters, way: str) -> None:
    phi = base.values - 0.05 * np.abs(base.values).max()
    found = consistent_values(base, phi, 1e-24 * np.eye(base.rank), a_prior(base), way)
    assert inconsistent_names(base.regressor.names, found) == []


@pytest.mark.filterwarnings("ignore::gough.robot.errors.UnphysicalInertiaWarning")
@pytest.mark.parametrize("way", ["log-cholesky", "lmi"])
def test_moments_that_no_motion_tells_do_not_hold_others_down(way: str) -> None:
    """A planar robot whose platform states zz alone: what is found is the mean of normal distributions in closed form, as if
    there were no xx and yy, which together have to be zz at least."""
    robot = gough.load("three_rrr").with_parameters({"platform.XX": 0.0, "platform.YY": 0.0})
    model = gough.build(robot)
    base = gough.base_parameters(model, tied="legs")
    names = base.regressor.names
    truth = dict(zip(names, base.regressor.values, strict=True))
    truth |= {"platform.M": 1.5, "platform.MX": 0.02, "platform.ZZ": 0.010, "leg*.rod.MX": 0.07, "leg*.rod.ZZ": 0.012}
    phi = base.matrix @ np.array([truth[n] for n in names])
    prior = Prior.of(model, base, 0.2)
    W, B = np.diag(prior.spreads**2), base.matrix
    S = B @ W @ B.T
    mean = prior.values + W @ B.T @ np.linalg.solve(S, phi - B @ prior.values)
    spread = np.sqrt(np.diag(W - W @ B.T @ np.linalg.solve(S, B @ W)).clip(0.0))
    assert inconsistent_names(names, mean) != []
    found = consistent_values(base, phi, 1e-10 * S, prior, way)
    assert inconsistent_names(names, found) == []
    seen = [k for k in range(len(names)) if k not in base.unseen]
    assert np.abs((found - mean)[seen] / (spread + 1e-3 * prior.spreads)[seen]).max() < 0.05
    assert np.abs(mean[names.index("platform.M")] - truth["platform.M"]) < 2 * spread[names.index("platform.M")]
