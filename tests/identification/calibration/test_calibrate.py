"""Calibrations of robots whose truth is plain distances between points: another forward kinematics, all numbers perturbed."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.errors import CalibrationWarning, UsageError

from .plain_robots import (
    compose,
    noisy,
    numbers_of,
    plain_delta,
    plain_hexapod,
    plain_pus,
    plain_rrr,
    pose_differences,
    standing,
)

PLAIN = {"fried": plain_hexapod, "lopes": plain_pus, "delta": plain_delta}
POSITION, ROTATION, READINGS = 5e-5, 1e-4, 5e-6
SIGMA = {"position": POSITION, "rotation": ROTATION, "readings": READINGS}
BASE = np.array([1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5])
TOOL = np.array([0.05, 0.02, 0.1, 0.8, 0.6, 0.0, 0.0])


class Workshop:
    """A true robot, somebody who measures it, and its description."""

    def __init__(self, name, seed=3, away=1.0):
        self.model = gough.build(name)
        self.rng = np.random.default_rng(seed)
        self.true = PLAIN[name](numbers_of(self.model))
        self.true.perturb(self.rng, away * 2e-3 * self.model.size, away * 3e-3)
        self.near = np.concatenate([self.model.home[:3], np.zeros(3)])

    def readings(self, n, seed):
        return standing(self.model, n, seed)

    def poses(self, readings):
        return self.true.poses(readings, self.near)

    def measured(self, n=40, seed=1, see=lambda x: x):
        d = self.readings(n, seed)
        poses = noisy(see(self.poses(d)), self.rng, POSITION, ROTATION)
        return d + self.rng.normal(size=d.shape) * READINGS, poses

    def errors(self, calibration, see=lambda x: x, n=60):
        """(position, rotation) of the calibrated robot at new readings, rms per axis over the noise of a measured pose."""
        d = self.readings(n, 77)
        p, r = pose_differences(calibration.pose(d), see(self.poses(d)))
        return np.sqrt(np.mean(p**2)) / POSITION, np.sqrt(np.mean(r**2)) / ROTATION


def seen(x):
    return compose(BASE, compose(x, np.broadcast_to(TOOL, x.shape)))


@pytest.mark.quick_cases("lopes")
@pytest.mark.parametrize("name", PLAIN)
def test_pose_after_calibration_is_as_good_as_a_measured_one(name):
    shop = Workshop(name)
    before = shop.readings(60, 77)
    nominal = pose_differences(shop.model.configuration(drives=before)[:, :7], shop.poses(before))
    assert np.sqrt(np.mean(nominal[0] ** 2)) > 8 * POSITION
    found = gough.calibrate(shop.model, gough.Measurements(*shop.measured(60)), sigma=SIGMA)
    assert found.settled and not found.outliers
    assert max(shop.errors(found)) <= 1.2
    assert 0.85 < found.noise < 1.15
    deviations = found.pose_deviations(before)
    error = np.concatenate(pose_differences(found.pose(before), shop.poses(before)), axis=1)
    assert 0.5 < np.sqrt(np.mean((error / deviations) ** 2)) < 1.6


@pytest.mark.quick_cases("fried")
@pytest.mark.parametrize("name", PLAIN)
def test_instrument_and_target_may_stand_anywhere(name):
    shop = Workshop(name, seed=5)
    d, poses = shop.measured(60, see=seen)
    found = gough.calibrate(shop.model, gough.Measurements(d, poses, base="unknown", tool="unknown"), sigma=SIGMA)
    assert max(shop.errors(found, seen)) <= 1.2
    assert found.told.gauges == {"frame of the base": 6, "frame of the platform": 6}
    if name != "delta":  # whose platform does not turn: where the target sits on it is then not told
        assert np.linalg.norm(found.base[:3] - BASE[:3]) < 0.05 * shop.model.size


def test_positions_of_a_reflector_alone():
    shop = Workshop("fried", seed=8)
    d, poses = shop.measured(80, see=seen)
    found = gough.calibrate(
        shop.model, gough.Measurements(d, poses[:, :3], base="unknown", tool="unknown"), sigma=SIGMA
    )
    new = shop.readings(50, 77)
    error = found.pose(new)[:, :3] - seen(shop.poses(new))[:, :3]
    assert np.sqrt(np.mean(error**2)) <= 1.2 * POSITION


@pytest.mark.slow
def test_some_components_an_inclinometer_and_two_gauges():
    shop = Workshop("lopes", seed=9)
    d, poses = shop.measured(120)
    m = gough.Measurements(d, poses, components=("x", "z", "rx", "ry"))
    found = gough.calibrate(shop.model, m, sigma=SIGMA)
    new = shop.readings(50, 77)
    p, r = pose_differences(found.pose(new), shop.poses(new))
    assert np.sqrt(np.mean(p[:, [0, 2]] ** 2)) <= 1.2 * POSITION
    assert np.sqrt(np.mean(r[:, :2] ** 2)) <= 1.2 * ROTATION


@pytest.mark.slow
def test_scales_of_encoders():
    shop = Workshop("fried", seed=10)
    shop.true.scales = shop.true.scales + shop.rng.normal(size=6) * 2e-3
    m = gough.Measurements(*shop.measured(60))
    with pytest.warns(CalibrationWarning, match="times what sigma says"):
        gough.calibrate(shop.model, m, sigma=SIGMA)
    found = gough.calibrate(shop.model, m, unknowns=("geometry", "scales"), sigma=SIGMA)
    assert max(shop.errors(found)) <= 1.2


@pytest.mark.slow
def test_deviations_are_those_of_repeated_measurements():
    """42 numbers of the hexapod, all told: errors over deviations of 12 calibrations are of variance 1 (504 numbers: ± 0.13)."""
    shop = Workshop("fried", seed=11)
    d = shop.readings(30, 2)
    poses = shop.poses(d)
    words = [f"*.{p}.{c}" for p in ("hip", "ball.on_platform") for c in "xyz"] + ["zeros"]
    true = np.concatenate(
        [np.concatenate([shop.true.base.reshape(-1)]), shop.true.platform.reshape(-1), shop.true.zeros]
    )
    squares = []
    for _ in range(12):
        m = gough.Measurements(d + shop.rng.normal(size=d.shape) * READINGS, noisy(poses, shop.rng, POSITION, ROTATION))
        found = gough.calibrate(shop.model, m, unknowns=words, sigma=SIGMA)
        assert len(found.told.names) == 42 and found.told.rank == 42
        own = {u.name: (x, s) for u, x, s in zip(found.unknowns, found.values, found.deviations, strict=True)}
        names = [f"leg{k}.{p}.{c}" for p in ("hip", "ball.on_platform") for k in range(6) for c in "xyz"]
        names += [f"leg{k}.slide.zero" for k in range(6)]
        squares.append([((own[n][0] - t) / own[n][1]) ** 2 for n, t in zip(names, true, strict=True)])
    assert 0.6 < np.mean(squares) < 1.4


def test_redundant_encoders_alone():
    """Planar 3-RRR: its cranks and its elbows have encoders, nothing else is measured. What gauge-free: elbows of new poses."""
    model = gough.build("three_rrr")
    rng = np.random.default_rng(4)
    true = plain_rrr(numbers_of(model))
    true.perturb(rng, 4e-4, 3e-3)
    d, new = (standing(model, n, n) for n in (60, 50))
    noise = 2e-5
    _, elbows = true.stand(d)
    readings = {f"leg{k}.motor": d[:, k] + rng.normal(size=len(d)) * noise for k in range(3)}
    readings |= {f"leg{k}.elbow": elbows[:, k] + rng.normal(size=len(d)) * noise for k in range(3)}
    found = gough.calibrate(model, gough.Measurements(readings), sigma={"readings": noise})
    assert found.settled and 0.85 < found.noise < 1.15
    assert found.told.gauges["unit of length"] == 1
    q = found.configuration(new)
    told = np.stack([q[:, model.layout.index(f"leg{k}.elbow")] + 0.0 for k in range(3)], axis=1)
    told = told - np.array([found.zeros[f"leg{k}.elbow"] for k in range(3)])
    error = (told - true.stand(new)[1] + np.pi) % (2 * np.pi) - np.pi
    assert np.sqrt(np.mean(error**2)) <= 1.2 * noise
    before = model.configuration(drives=new)[:, [model.layout.index(f"leg{k}.elbow") for k in range(3)]]
    assert np.sqrt(np.mean((before - true.stand(new)[1]) ** 2)) > 20 * noise


def test_planar_robot_keeps_its_redundant_closures():
    model = gough.build("three_rrr")
    rng = np.random.default_rng(6)
    true = plain_rrr(numbers_of(model))
    true.perturb(rng, 4e-4, 3e-3)
    d, new = (standing(model, n, n) for n in (40, 50))
    poses = noisy(true.stand(d)[0], rng, POSITION, ROTATION)
    found = gough.calibrate(model, gough.Measurements(d, poses), sigma=SIGMA)
    p, r = pose_differences(found.pose(new), true.stand(new)[0])
    assert np.sqrt(np.mean(p**2)) <= 1.2 * POSITION and np.sqrt(np.mean(r**2)) <= 1.2 * ROTATION
    assert model.with_(free=("*",)).closure_error(found.configuration(new), parameters=found.parameters).max() < 1e-9
    assert found.told.locked == 21


@pytest.mark.slow
def test_strange_poses_are_left_out_and_named():
    shop = Workshop("fried", seed=12)
    d, poses = shop.measured(50)
    poses[7, 0] += 2e-3
    d[20, 3] += 1e-3
    poses[31] = poses[32]
    with pytest.warns(CalibrationWarning, match="3 of 50 poses that do not fit: 7, 20, 31"):
        found = gough.calibrate(shop.model, gough.Measurements(d, poses), sigma=SIGMA)
    assert set(found.outliers) == {7, 20, 31} and "misses by" in found.outliers[7]
    assert max(shop.errors(found)) <= 1.2
    assert "left out: pose 20" in found.report()


@pytest.mark.slow
def test_without_sigma_the_residuals_say_it():
    shop = Workshop("fried", seed=13)
    m = gough.Measurements(*shop.measured(50))
    found, told = gough.calibrate(shop.model, m), gough.calibrate(shop.model, m, sigma=SIGMA)
    assert max(shop.errors(found)) <= 1.2
    k = [u.name for u in found.unknowns].index("leg0.hip.x")
    assert 0.5 < found.deviations[k] / told.deviations[k] < 2.0


def test_parameters_go_back_into_a_model():
    shop = Workshop("lopes", seed=14)
    found = gough.calibrate(shop.model, gough.Measurements(*shop.measured(40)), sigma=SIGMA)
    d = shop.readings(20, 77)
    q = found.calibrated.configuration(drives=found.coordinates(d), parameters=found.parameters)
    p, r = pose_differences(q[:, :7], found.pose(d))
    assert np.abs(p).max() < 1e-10 and np.abs(r).max() < 1e-10
    assert found.changes["leg0.slide.x"] == found.parameters[shop.model.parameter_names.index("leg0.slide.x")]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d, p: (1e3 * d, p), "are they in mm, not m"),
        (lambda d, p: (d, np.concatenate([1e3 * p[:, :3], p[:, 3:]], axis=1)), "are they in mm, not m"),
        (lambda d, p: (d, seen(p)), "base='unknown' and tool='unknown'"),
        (
            lambda d, p: (d[:6], p[:6]),
            "6 poses tell 36 of the 42 combinations .* at least 8 different poses, better 14",
        ),
        (lambda d, p: (d + np.array([5.0, 0.0, 0.0, 0.0, 0.0, 0.0]), p), "30 of 30 poses do not close"),
    ],
)
def test_bad_data_is_named(spoil, message):
    shop = Workshop("fried", seed=15)
    with pytest.raises(UsageError, match=message):
        gough.calibrate(shop.model, gough.Measurements(*spoil(*shop.measured(30))), sigma=SIGMA)


def test_repeats_of_one_pose_are_not_different_poses():
    shop = Workshop("fried", seed=3)
    d = np.repeat(shop.readings(1, 1), 30, axis=0)
    poses = noisy(shop.poses(d[:1])[[0] * 30], shop.rng, POSITION, ROTATION)
    with pytest.raises(
        UsageError, match=r"30 poses are 1 different one.*tell 6 of the 42 combinations.*at least 8 diff"
    ):
        gough.calibrate(shop.model, gough.Measurements(d, poses), sigma=SIGMA)


def test_poses_close_together_may_make_the_robot_worse():
    shop = Workshop("fried", seed=3)
    d = shop.readings(1, 1) + shop.rng.uniform(-1e-4, 1e-4, (30, 6))
    m = gough.Measurements(d, noisy(shop.poses(d), shop.rng, POSITION, ROTATION))
    with pytest.warns(CalibrationWarning, match="mm: it may have become worse.*measuring_poses") as told:
        found = gough.calibrate(shop.model, m, sigma=SIGMA)
    assert not any("order of the drives" in str(w.message) for w in told)
    new = shop.readings(40, 77)
    before = pose_differences(shop.model.configuration(drives=new)[:, :7], shop.poses(new))[0]
    after = pose_differences(found.pose(new), shop.poses(new))[0]
    assert np.sqrt(np.mean(after**2)) > np.sqrt(np.mean(before**2))


@pytest.mark.slow
def test_strange_poses_do_not_keep_it_from_settling():
    shop = Workshop("fried", seed=3)
    d, poses = shop.measured(30)
    rng = np.random.default_rng(1)
    strange = rng.choice(30, 3, replace=False)
    poses[strange, :3] += 5e-3 * np.sign(rng.normal(size=(3, 3)))
    with pytest.warns(CalibrationWarning, match="left out 3 of 30"):
        found = gough.calibrate(shop.model, gough.Measurements(d, poses), sigma=SIGMA)
    assert found.settled and set(found.outliers) == set(strange.tolist()) and max(shop.errors(found)) <= 1.2


@pytest.mark.parametrize("order", [lambda d: d[:, [1, 0, 2, 3, 4, 5]], lambda d: np.roll(d, 1, axis=0)])
def test_another_order_of_drives_or_poses_is_said_first(order):
    shop = Workshop("fried", seed=3)
    d, poses = shop.measured(30)
    with pytest.raises(UsageError, match="of the motion would be left: look at the order of the drives"):
        gough.calibrate(shop.model, gough.Measurements(order(d), poses), sigma=SIGMA)


def test_a_calibration_that_ended_nowhere_has_no_poses():
    """Numbers that no legs fulfil: every leg 10 m longer on a platform of less than 2 m."""
    shop = Workshop("fried", seed=3)
    found = gough.calibrate(shop.model, gough.Measurements(*shop.measured(30)), sigma=SIGMA)
    lost = replace(found, zeros=dict(found.zeros) | {"leg0.slide": 10.0}, settled=False)
    d = shop.readings(3, 77)
    for call in (lost.pose, lost.pose_deviations):
        with pytest.raises(UsageError, match=r"3 of 3 readings .* does not close.*did not converge"):
            call(d)
    d[1, 0] = 100.0
    with pytest.warns(CalibrationWarning, match="NaN at rows 1"):
        deviations = found.pose_deviations(d)
    assert np.isnan(deviations[1]).all() and np.isfinite(deviations[[0, 2]]).all()


def test_angles_in_degrees_are_suspected():
    shop = Workshop("delta", seed=15)
    d, poses = shop.measured(30)
    with pytest.raises(UsageError, match="are they in degrees, not rad"):
        gough.calibrate(shop.model, gough.Measurements(np.degrees(d), poses), sigma=SIGMA)


def test_what_cannot_be_asked():
    model = gough.build("fried")
    d = standing(model, 10, 1)
    with pytest.raises(UsageError, match="nothing is left over for its geometry"):
        gough.calibrate(model, gough.Measurements(d))
    with pytest.raises(UsageError, match=r"no readings of the drive leg5\.slide"):
        gough.calibrate(model, gough.Measurements({f"leg{k}.slide": d[:, k] for k in range(5)}))
    with pytest.raises(UsageError, match="names nothing of fried"):
        gough.calibrate(model, gough.Measurements(d, np.tile(model.home[:7], (10, 1))), unknowns="leg0.hop.x")
    with pytest.raises(UsageError, match="moves no joint"):
        gough.calibrate(model, gough.Measurements(d, np.tile(model.home[:7], (10, 1))), unknowns="platform.frame.x")
    with pytest.raises(UsageError, match="prior: 'axis'"):
        gough.calibrate(model, gough.Measurements(d, np.tile(model.home[:7], (10, 1))), prior={"axis": 1.0})
    flexible = gough.build("delta_flexible")
    with pytest.raises(UsageError, match="flexible"):
        gough.calibrate(flexible, gough.Measurements(d[:, :3]))


def test_whole_turns_copies_and_nothing_asked_for_are_said():
    model = gough.build("three_rrr")
    plan = gough.measuring_poses(model, 12)
    d, poses = plan.drives.copy(), np.asarray(plan.pose)
    with pytest.warns(CalibrationWarning, match="12 poses are copies of others"):
        gough.calibrate(
            model,
            gough.Measurements(np.repeat(d, 2, axis=0), np.repeat(poses, 2, axis=0)),
            unknowns="zeros",
            sigma=SIGMA,
        )
    with pytest.raises(UsageError, match=r"unknowns=\(\): name what is to be found"):
        gough.calibrate(model, gough.Measurements(d, poses), unknowns=())
    with pytest.raises(UsageError, match="standard deviations are positive"):
        gough.calibrate(model, gough.Measurements(d, poses), sigma=1e-200)
    with pytest.raises(UsageError, match="readings of no pose"):
        gough.Measurements(d[:0], poses[:0])
    d[:, 0] += 2 * np.pi
    with pytest.raises(UsageError, match=r"leg0.motor lead to no assembly .* do without whole turns"):
        gough.calibrate(model, gough.Measurements(d, poses), unknowns="zeros", sigma=SIGMA)
