"""Consistent inertias: against bodies made of points, and one way against the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough import Samples
from gough.errors import UsageError
from inner.identification import PSEUDO, Prior, consistent_values, inconsistent_names, whole_bodies

TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")


def root_of(covariance: np.ndarray) -> np.ndarray:
    return np.linalg.inv(np.linalg.cholesky(covariance))


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
    signed = [k for k, n in enumerate(names) if n.endswith((".viscous", ".coulomb"))]
    weight = np.ones(len(names))
    weight[[k for k in base.unseen if names[k].rsplit(".", 1)[-1] in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")]] = 1e-3
    found = [consistent_values(base, phi, root_of(covariance), prior, way) for way in ("log-cholesky", "lmi")]

    def cost(values: np.ndarray) -> float:
        off = base.matrix @ values - phi
        apart = weight * (values - prior.values) / prior.spreads
        return float(off @ np.linalg.solve(covariance, off) + 1e-4 * (apart**2).sum())

    for values in found:
        assert inconsistent_names(names, values) == []
        for body in whole_bodies(names):
            assert np.linalg.eigvalsh(body.pseudo_inertia(values))[0] > 0
    assert all(values[n] >= 0 for n in signed for values in found)
    assert cost(found[0]) == pytest.approx(cost(found[1]), rel=1e-4)


def test_consistent_numbers_stay_where_data_and_description_agree(base: gough.BaseParameters) -> None:
    prior = a_prior(base)
    covariance = np.eye(base.rank) * (1e-4 * np.abs(base.values).max()) ** 2
    for way in ("log-cholesky", "lmi"):
        found = consistent_values(base, base.values, root_of(covariance), prior, way)
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
    found = consistent_values(base, phi, np.diag(1.0 / deviations), prior, way)
    assert inconsistent_names(names, found) == []
    assert np.abs((base.matrix @ found - phi) / deviations).max() < 1e-3


@pytest.mark.parametrize("way", ["log-cholesky", "lmi"])
def test_estimates_without_noise_are_made_consistent(base: gough.BaseParameters, way: str) -> None:
    phi = base.values - 0.05 * np.abs(base.values).max()
    found = consistent_values(base, phi, 1e12 * np.eye(base.rank), a_prior(base), way)
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
    found = consistent_values(base, phi, 1e5 * root_of(S), prior, way)
    assert inconsistent_names(names, found) == []
    seen = [k for k in range(len(names)) if k not in base.unseen]
    assert np.abs((found - mean)[seen] / (spread + 1e-3 * prior.spreads)[seen]).max() < 0.05
    assert np.abs(mean[names.index("platform.M")] - truth["platform.M"]) < 2 * spread[names.index("platform.M")]


def badly_excited(size: float, noise: float) -> tuple[gough.Model, Samples]:
    """A Delta along a motion so small that its base parameters are hardly told apart, and the forces of a robot of matter whose
    bodies have other densities than described."""
    rng, model = np.random.default_rng(5), gough.build("delta")
    values = dict(zip(model.parameter_names, model.parameters, strict=True))
    changed: dict[str, float] = {}
    for body in sorted({n.removesuffix(".M") for n in values if n.endswith(".M")}):
        grown = float(np.exp(0.3 * rng.normal()))
        changed |= {f"{body}.{ten}": grown * values[f"{body}.{ten}"] for ten in TEN if f"{body}.{ten}" in values}
    t = np.linspace(0.0, 2 * np.pi, 800)
    home, shares = model.drives(model.home), rng.normal(size=(2, 3, len(model.layout.drive_names)))
    waves = np.outer(t, [1, 2, 3])
    told = home + size * (np.sin(waves) @ shares[0] + (np.cos(waves) - 1) @ shares[1])
    motion = gough.motions.spline(times=t, drives=told, names=model.layout.drive_names, degree=5)
    s = gough.motions.states_along(model, motion, t)
    force = model.inverse_dynamics(s.q, s.v, s.acceleration, parameters=model.parameters_with(changed)).tau
    force = force + noise * rng.normal(size=force.shape)
    run = np.zeros(len(t), dtype=int)
    return model, Samples(model, t, s.q, s.v, s.acceleration, force, None, run, ("run",))


@pytest.mark.quick_cases("lmi")
@pytest.mark.filterwarnings(
    "ignore::gough.IdentificationWarning", "ignore::gough.robot.errors.UnphysicalInertiaWarning"
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("way", ["log-cholesky", "lmi"])
def test_consistent_numbers_of_badly_conditioned_data_have_their_forces(way: str) -> None:
    """Forces are those of a robot of matter: the robot that is found, built anew, has them but for the noise."""
    model, data = badly_excited(1e-3, 1e-3)
    found = gough.identify(model, data, parameters="inertia", consistent=way)
    assert found.condition > 1e6 and found.inconsistent == () and found.distance < 1.5
    again = gough.build(found.robot).inverse_dynamics(data.q, data.v, data.acceleration).tau
    assert (np.sqrt(np.mean((again - data.force) ** 2, axis=0)) < 1.05e-3).all()
    assert not any("consistent numbers" in text for text in found.warnings)


def test_numbers_that_miss_the_data_are_far_from_the_estimate() -> None:
    """The described numbers in the place of those found: their distance is that of the forces in noises, over the parameters."""
    model, data = badly_excited(1e-3, 1e-3)
    found = gough.identify(model, data, parameters="inertia", consistent=False)
    names = found.base.regressor.names
    described = np.array([dict(zip(model.parameter_names, model.parameters, strict=True))[n] for n in names])
    away = replace(found, standard=replace(found.standard, values=described))
    own = model.inverse_dynamics(data.q, data.v, data.acceleration).tau
    apart = np.sum(((own - found.predict(data)) / 1e-3) ** 2)
    assert away.distance == pytest.approx(
        np.sqrt(apart / found.base.rank), rel=0.5
    )  # sums over blocks are noises' estimates
