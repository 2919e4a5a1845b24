"""Good poses stay, strange ones go, and what residuals say of the noise is said."""

import warnings

import numpy as np
import pytest

import gough
from gough.errors import CalibrationWarning, UsageError

from .plain_robots import noisy, numbers_of, plain_rrr, standing

POSITION, ROTATION, READINGS = 5e-5, 1e-4, 5e-6
SIGMA = {"position": POSITION, "rotation": ROTATION, "readings": READINGS}


class Planar:
    """A 3-RRR whose numbers are off, measured at poses that tell it well."""

    def __init__(self, poses: int, seed: int = 5):
        self.model, self.rng = gough.build("three_rrr"), np.random.default_rng(seed)
        true = plain_rrr(numbers_of(self.model))
        true.perturb(self.rng, 4e-4, 3e-3)
        self.drives = gough.measuring_poses(self.model, poses, seed=1).drives
        self.poses = true.stand(self.drives)[0]

    def measured(self, times: float = 1.0):
        d = self.drives + times * READINGS * self.rng.normal(size=self.drives.shape)
        return d, noisy(self.poses, self.rng, times * POSITION, times * ROTATION)

    def calibrated(self, d, poses, **options):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = gough.calibrate(self.model, gough.Measurements(d, poses, **options), sigma=SIGMA)
        return found, " ".join(str(w.message) for w in told)


@pytest.mark.quick_cases("15")
@pytest.mark.parametrize("poses", [8, 15])
def test_good_poses_stay(poses):
    shop = Planar(poses)
    found = [shop.calibrated(*shop.measured())[0] for _ in range(6)]
    assert not any(one.outliers for one in found)
    assert 0.8 < np.mean([one.noise for one in found]) < 1.2


@pytest.mark.slow
@pytest.mark.parametrize("poses", [8, 15, 40])
@pytest.mark.parametrize("given", [True, False])
def test_clean_measurements_seldom_lose_a_pose(poses, given):
    """60 runs with a probability of at most 0.02 each: more than 5 are seen once in 500."""
    shop, lost = Planar(poses), 0
    for _ in range(60):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = gough.calibrate(shop.model, gough.Measurements(*shop.measured()), sigma=SIGMA if given else None)
        lost += bool(found.outliers)
    assert lost <= 5


def test_a_pose_that_is_off_by_ten_sigma_goes():
    shop = Planar(15)
    for k in (2, 9):
        d, poses = shop.measured()
        poses[k, :2] += 10 * POSITION * np.array([0.6, 0.8])
        found, told = shop.calibrated(d, poses)
        assert set(found.outliers) == {k} and "left out 1 of 15" in told
        assert "good ones stay below" in found.outliers[k]


def test_misfit_that_is_more_than_chance_is_said():
    shop = Planar(40)
    found, told = shop.calibrated(*shop.measured(1.5))
    assert 1.3 < found.noise < 1.7 and "times what sigma says" in told and "not in them" in told
    assert "times what sigma" not in shop.calibrated(*shop.measured())[1]


def test_few_poses_are_counted_by_what_they_tell():
    """27 combinations, three of them (height and tilt) told by every pose again."""
    shop = Planar(12)
    d, poses = shop.measured()
    match = r"5 poses tell 2\d of the 27 combinations .* of the 75 unknowns\. Measure at least [89] different poses"
    with pytest.raises(UsageError, match=match):
        gough.calibrate(shop.model, gough.Measurements(d[:5], poses[:5]), sigma=SIGMA)
    assert gough.identifiable_geometry(shop.model).rank == 27


def test_components_of_a_plane_are_enough_for_a_planar_robot():
    shop = Planar(20)
    assert "not measured" not in shop.calibrated(*shop.measured(), components=("x", "y", "rz"))[1]


def test_a_gauge_along_one_axis_does_not_promise_the_others():
    model = gough.build("fried")
    d = standing(model, 60, 1)
    poses = model.configuration(drives=d)[:, :7]
    poses[:, :3] += 5e-5 * np.random.default_rng(0).normal(size=(60, 3))
    with pytest.warns(CalibrationWarning, match="x, y, .* of its pose were not measured, .* uncertain there by up to"):
        gough.calibrate(model, gough.Measurements(d, poses, components=("z",)), sigma=SIGMA)


@pytest.mark.parametrize("prior", [1e3, 1e7])
def test_a_wide_prior_leaves_deviations_that_are_numbers(prior):
    shop = Planar(20)
    m = gough.Measurements(*shop.measured())
    found, plain = (gough.calibrate(shop.model, m, sigma=SIGMA, prior=p) for p in ({"positions": prior}, None))
    wide, usual = (one.pose_deviations(shop.drives)[:, :2] for one in (found, plain))
    assert np.isfinite(wide).all() and np.allclose(wide, usual, rtol=0.05)
