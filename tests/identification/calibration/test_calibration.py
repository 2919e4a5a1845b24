"""Total derivatives of poses by geometry, loops closed, against differences of a forward kinematics that shares no formula."""

import numpy as np
import pytest

import gough

from .plain_robots import numbers_of, plain_delta, plain_hexapod, plain_pus, pose_differences, standing

STEP = 5e-4
"""Of fourth-order central differences; m, rad."""
ROBOTS = {
    "fried": (plain_hexapod, ["*.hip.?", "*.ball.on_platform.?", "zeros"]),
    "lopes": (
        plain_pus,
        ["*.slide.?", "*.slide.pitch", "*.slide.roll", "*.ball.on_leg.z", "*.ball.on_platform.?", "zeros", "scales"],
    ),
    "delta": (plain_delta, ["*.arm.?", "*.arm.yaw", "*.arm.roll", "*_ball.on_leg.z", "*_ball.on_platform.?", "zeros"]),
}


def plain_robot(plain, unknowns, values, numbers):
    """The plain robot with these values of the unknowns."""
    own = dict(zip(unknowns, values, strict=True))
    robot = plain(numbers | {u.name: x for u, x in own.items() if u.encoder is None})
    for u, x in own.items():
        if u.encoder is not None:
            (robot.scales if u.is_scale else robot.zeros)[robot.encoders.index(u.encoder)] = x
    return robot


@pytest.mark.quick_cases("True-lopes", "False-fried")
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("described", [True, False])
def test_poses_by_geometry_as_differences_of_plain_forward_kinematics(name, described):
    """At the described design, whose zeros and right angles other programs fold, and at one that has none of them."""
    model, (plain, words) = gough.build(name), ROBOTS[name]
    patterns = [w.replace("?", c) for w in words for c in ("xyz" if "?" in w else "x")]
    near, numbers = np.concatenate([model.home[:3], np.zeros(3)]), numbers_of(model)
    true = plain(numbers)
    if not described:
        true.perturb(np.random.default_rng(5), 2e-3 * model.size, 3e-3)
    d = standing(model, 25, 1)
    found = gough.calibrate(model, gough.Measurements(d, true.poses(d, near)), unknowns=patterns)
    assert found.settled
    new = standing(model, 3, 2)
    robot = plain_robot(plain, found.unknowns, found.values, numbers)
    p, r = pose_differences(robot.poses(new, near), found.pose(new))
    assert np.abs(p).max() < 1e-11 and np.abs(r).max() < 1e-11
    slopes = found.pose_slopes(new)
    for j in range(int(described), len(found.values), 9):  # some are enough
        e = np.eye(len(found.values))[j] * STEP
        moved = [
            plain_robot(plain, found.unknowns, found.values + k * e, numbers).poses(new, near) for k in (1, -1, 2, -2)
        ]
        one, two = (np.concatenate(pose_differences(a, b), axis=1) for a, b in (moved[:2], moved[2:]))
        wanted = (8.0 * one - two) / (12.0 * STEP)
        assert np.abs(slopes[:, :, j] - wanted).max() < 1e-7 * max(1.0, np.abs(wanted).max()), found.names[j]


def test_offset_across_a_leg_counts_by_its_square():
    """A ball e beside its slide's axis: the leg is √(d² + e²) long: e counts e/d times what the zero of the encoder does."""
    model = gough.build("fried")
    d = standing(model, 25, 3)
    poses = plain_hexapod(numbers_of(model)).poses(d, np.concatenate([model.home[:3], np.zeros(3)]))
    m = gough.Measurements(d, poses)
    found = gough.calibrate(model, m, unknowns=["leg0.ball.on_leg.y", "leg0.slide.zero"], robust=False)
    slopes, e = found.pose_slopes(d[:4]), found.values[0]
    assert np.allclose(slopes[:, :, 0], slopes[:, :, 1] * (e / (d[:4, :1] + found.values[1])), atol=1e-12)
    assert np.abs(slopes[:, :, 1]).max() > 0.1


def test_report_and_what_it_says_of_itself():
    model = gough.build("fried")
    d = standing(model, 25, 3)
    true = plain_hexapod(numbers_of(model))
    true.perturb(np.random.default_rng(1), 1e-3, 0.0)
    m = gough.Measurements(d, true.poses(d, np.concatenate([model.home[:3], np.zeros(3)])))
    found = gough.calibrate(model, m, unknowns=["leg*.hip.x", "zeros"], prior={"zeros": 1e-3})
    assert repr(found) == "<gough.Calibration fried: 12 numbers from 25 poses>"
    text = found.report()
    assert "leg3.hip.x" in text and "before" in text and "no sigma was given" in text
    assert set(found.zeros) == set(model.layout.drive_names) and found.scales["leg0.slide"] == 1.0


@pytest.mark.filterwarnings("ignore")
def test_the_calibrated_robot_is_a_description_again():
    model, (plain, _) = gough.build("fried"), ROBOTS["fried"]
    near, numbers = np.concatenate([model.home[:3], np.zeros(3)]), numbers_of(model)
    true = plain(numbers)
    true.perturb(np.random.default_rng(5), 2e-3 * model.size, 3e-3)
    d = standing(model, 25, 1)
    wanted = ["*.hip.x", "*.hip.y", "*.hip.z", "*.ball.on_platform.x", "*.ball.on_platform.y", "*.ball.on_platform.z"]
    found = gough.calibrate(model, gough.Measurements(d, true.poses(d, near)), unknowns=wanted)
    again = gough.build(found.robot)
    new = dict(zip(again.parameter_names, again.parameters, strict=True))
    assert all(abs(new[name] - x) < 1e-10 for name, x in found.changes.items())
    assert "calibrated: leg0.hip.x" in str(found.robot.model_dump())
