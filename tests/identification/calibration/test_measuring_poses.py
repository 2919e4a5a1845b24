"""Poses that tell more than others."""

from itertools import combinations

import numpy as np
import pytest

import gough
from gough.errors import UsageError

from .plain_robots import standing


@pytest.mark.parametrize("name", ["fried", "lopes", "delta"])
def test_chosen_poses_are_better_than_random_ones(name):
    model = gough.build(name)
    found = gough.measuring_poses(model, 20, base="unknown", tool="unknown")
    assert len(found) == 20 == len(set(found.chosen))
    assert found.after.log_det > found.before.log_det + 10
    assert found.after.position < 0.85 * found.before.position and found.after.rotation < 0.85 * found.before.rotation
    assert found.drives.shape == (20, len(model.mechanism.drives))
    assert model.limit_margins(found.q).within.all()
    assert "chosen:" in str(found)


def test_exchange_comes_close_to_the_best_of_all_subsets():
    model = gough.build("fried")
    q = model.configuration(drives=standing(model, 6, 3))
    asked = ["leg*.hip.x", "leg*.hip.y", "leg*.hip.z"]

    def volume(own):
        return gough.measuring_poses(model, len(own), candidates=own, unknowns=asked).after.log_det

    best = max(volume(q[list(c)]) for c in combinations(range(6), 3))
    found = gough.measuring_poses(model, 3, candidates=q, unknowns=asked)
    assert found.after.log_det == pytest.approx(volume(q[list(found.chosen)]))
    assert best - 1.0 < found.after.log_det <= best + 1e-9


def test_promised_deviations_are_those_of_a_calibration():
    """What a plan promises is what a calibration then states for the same poses."""
    model = gough.build("fried")
    sigma = {"position": 5e-5, "rotation": 1e-4, "readings": 5e-6}
    plan = gough.measuring_poses(model, 25, sigma=sigma)
    rng = np.random.default_rng(2)
    pose = plan.q[:, :7].copy()
    pose[:, :3] += rng.normal(size=(25, 3)) * 5e-5
    found = gough.calibrate(model, gough.Measurements(plan.drives, pose), sigma=sigma, robust=False)
    some = gough.measuring_poses(model, 40, sigma=sigma, seed=5).drives
    stated = np.sqrt(np.mean(found.pose_deviations(some)[:, :3] ** 2)) / max(found.noise, 1.0)
    assert 0.7 < stated / plan.after.position < 1.5


def test_candidates_are_counted():
    model = gough.build("fried")
    with pytest.raises(UsageError, match="1 candidates for 3 poses"):
        gough.measuring_poses(model, 3, candidates=model.home)
    with pytest.raises(UsageError, match=r"no coordinate leg9\.x"):
        gough.measuring_poses(model, 3, encoders=["leg9.x"])
