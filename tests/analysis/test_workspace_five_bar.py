"""A five-bar: annuli that its tip reaches, and singularities where its distal links are in line."""

import numpy as np
import pytest

import gough
from analysis.mapped_robots import CRANK, HALF_BASE, ROD, five_bar, five_bar_tip
from inner.analysis import Verdict


@pytest.fixture(scope="module")
def by_tip():
    side = (-1.37, 1.37, 41)
    return gough.workspace(five_bar_tip(), {"x": side, "y": side}, keep_q=True)


@pytest.fixture(scope="module")
def by_motors():
    return gough.workspace(five_bar(), {"m1": (0.0, 3.1, 31), "m2": (0.0, 3.1, 31)}, condition=0.05, keep_q=True)


def inside(x, y):
    """How far a point is inside both annuli around the motors; negative outside."""
    d = [np.hypot(x + HALF_BASE, y), np.hypot(x - HALF_BASE, y)]
    return np.min([m for r in d for m in (CRANK + ROD - r, r - abs(CRANK - ROD))], axis=0)


def test_the_tip_reaches_the_common_part_of_two_annuli(by_tip):
    margin = inside(*by_tip.coordinates.T)
    clear = np.abs(margin) > 1e-6
    assert np.array_equal(by_tip.reachable[clear], (margin > 0)[clear])


def test_area(by_tip):
    x = np.linspace(-1.37, 1.37, 2001)
    exact = (inside(*np.meshgrid(x, x)) > 0).mean() * by_tip.volume.box
    edge = 2 * np.pi * (2 * CRANK + 2 * ROD)  # more than the length of the boundary
    assert by_tip.volume.unit == "m2"
    assert by_tip.volume.reachable == pytest.approx(exact, abs=edge * by_tip.samples.axes[0].spacing / 4)


def test_the_tip_is_lost_where_the_distal_links_are_in_line(by_tip):
    """Drive rate of each crank: v · rod / (rod · crank turned by 90° · length); det S = sin of the angle between rods."""
    good = np.flatnonzero(by_tip.singularity_free)
    q = dict(zip(five_bar_tip().layout.q_names, by_tip.q[good].T, strict=True))
    rods = [np.stack([np.cos(q[m] + q[e]), np.sin(q[m] + q[e])], axis=1) for m, e in (("m1", "e1"), ("m2", "e2"))]
    cranks = [np.stack([-np.sin(q[m]), np.cos(q[m])], axis=1) * CRANK for m in ("m1", "m2")]
    rows = [r / np.sum(r * c, axis=1)[:, None] for r, c in zip(rods, cranks, strict=True)]
    S = np.stack(rows, axis=2)
    s = np.linalg.svd(S, compute_uv=False)
    assert np.allclose(by_tip.parallel[good], s[:, 1] / s[:, 0], rtol=1e-6)
    sine = rods[0][:, 0] * rods[1][:, 1] - rods[0][:, 1] * rods[1][:, 0]
    home = np.argmin(np.abs(by_tip.coordinates[good] - [0.0, 0.88]).sum(axis=1))
    assert np.array_equal(by_tip.aspect[good], np.sign(sine * sine[home]))


def test_regions_do_not_cross_the_singularity(by_tip):
    home = by_tip.home_region
    assert home is not None
    assert set(by_tip.aspect[home.mask]) == {1}
    assert sum(r.points for r in by_tip.regions) == by_tip.singularity_free.sum()
    assert home.volume == max(r.volume for r in by_tip.regions)
    assert {r.aspect for r in by_tip.regions} == {1, -1}


def test_motors_reach_until_the_rods_are_stretched(by_motors):
    """The elbows may be at most two rods apart; the loop's condition is the tangent of half the rods' angle."""
    m1, m2 = by_motors.coordinates.T
    apart = np.hypot(2 * HALF_BASE + CRANK * (np.cos(m2) - np.cos(m1)), CRANK * (np.sin(m2) - np.sin(m1)))
    clear = (np.abs(apart - 2 * ROD) > 1e-6) & (apart > 1e-6)
    assert np.array_equal((by_motors.verdict <= Verdict.SINGULAR)[clear], (apart < 2 * ROD)[clear])
    good = clear & (by_motors.verdict <= Verdict.SINGULAR)
    t = np.tan(np.arcsin(apart[good] / (2 * ROD)))
    assert np.allclose(by_motors.serial[good], np.minimum(t, 1 / t), rtol=1e-5)
    assert np.array_equal(by_motors.parallel[good], by_motors.serial[good])  # locked motors do not hold stretched rods
    assert np.allclose(five_bar().singularity(by_motors.q[good]).parallel, by_motors.parallel[good], rtol=1e-5)
    assert (by_motors.aspect[by_motors.singularity_free] == 1).mean() > 0.99
    assert by_motors.samples.unit == "rad2"


def test_random_samples_agree_with_the_grid(by_motors):
    cloud = gough.workspace(five_bar(), {"m1": (0.0, 3.1), "m2": (0.0, 3.1)}, random=1500, seed=2)
    m1, m2 = cloud.coordinates.T
    apart = np.hypot(2 * HALF_BASE + CRANK * (np.cos(m2) - np.cos(m1)), CRANK * (np.sin(m2) - np.sin(m1)))
    clear = np.abs(apart - 2 * ROD) > 1e-6
    assert np.array_equal(cloud.reachable[clear], (apart < 2 * ROD)[clear])
    assert cloud.volume.reachable == pytest.approx(
        by_motors.volume.reachable, abs=4 * cloud.volume.reachable_error + 0.05
    )
