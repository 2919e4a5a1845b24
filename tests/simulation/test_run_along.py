"""A robot along a motion without a simulation: poses of a motion of drives in closed form, what runs have of it, how it ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough import motions
from papers.library import model
from simulation.test_motion_limits import BASE, TEXT, TOP

FAR = np.linalg.norm(BASE[0] - TOP[0])
"""Of a foot from the point above it, seen from above: all legs alike."""


@pytest.fixture(scope="module")
def hexapod() -> gough.Model:
    legs = [
        f"  - like: ups\n    base: {{position: {a.tolist()}}}\n    on_platform: {{position: {b.tolist()}}}\n"
        for a, b in zip(BASE, TOP, strict=True)
    ]
    return gough.build(gough.robot.loads(TEXT + "".join(legs)))


def lengthened(robot: gough.Model) -> gough.Motion:
    """All legs at once, from those of z = 0.6 m to those of 0.7 m."""
    ends = [float(np.hypot(z, FAR)) for z in (0.6, 0.7)]
    return motions.quintic(drives=dict.fromkeys(robot.layout.drive_names, ends), durations=1.0)


def test_poses_of_a_motion_of_drives(hexapod: gough.Model) -> None:
    """Straight up: z = √(L² - d²), ż = L L̇/z, and six massless legs carry a mass."""
    motion = lengthened(hexapod)
    report = gough.check_motion(hexapod, motion)
    assert report.poses is not None and report.unreached == 0 and report.reach == ""
    at = motion.at(report.t)
    length, rate, change = at.position[:, 0], at.velocity[:, 0], at.acceleration[:, 0]
    z = np.sqrt(length**2 - FAR**2)
    zd = length * rate / z
    zdd = (rate**2 + length * change - zd**2) / z
    assert report.poses == pytest.approx(np.stack([0 * z, 0 * z, z, 0 * z + 1, *[0 * z] * 3], axis=1), abs=1e-9)
    run = motions.run_along(hexapod, motion)
    assert run["pose"] == pytest.approx(report.poses, abs=1e-12) and run.stopped == "finished"
    assert run["twist"][:, 2] == pytest.approx(zd, abs=1e-8)
    assert run["drives.force"] == pytest.approx(
        (5 * (zdd + 9.81) * length / z / 6)[:, None].repeat(6, axis=1), abs=1e-6
    )
    assert run.tracking.largest["m"] < 1e-9 and run.info.motion["kind"] == "drives"
    again = motions.spline(poses=report.poses, times=report.t, degree=5)
    assert again.at(0.37).position[2] == pytest.approx(np.sqrt(motion.at(0.37).position[0] ** 2 - FAR**2), abs=1e-8)


def test_a_motion_without_a_platform_has_no_poses() -> None:
    robot = model("five_bar")
    start = robot.drives(robot.home)
    report = gough.check_motion(robot, motions.quintic(drives=[start, start + 0.1], durations=0.5), samples=11)
    assert report.poses is None
    run = motions.run_along(robot, report.motion, samples=11)
    left = np.array([-0.12, 0.0]) + 0.25 * np.stack([np.cos(run["left_motor"]), np.sin(run["left_motor"])], axis=1)
    tip = run["left_rod.tool.pose"][:, :3]
    flat = tip[:, [k for k in range(3) if np.ptp(tip[:, k]) > 1e-12]]
    assert np.linalg.norm(flat - left, axis=1) == pytest.approx(np.full(len(flat), 0.35), abs=1e-9)


def test_it_ends_where_the_robot_cannot_follow(hexapod: gough.Model, tmp_path: Path) -> None:
    bars = model("five_bar")
    start = bars.drives(bars.home)
    apart = motions.quintic(drives=[start, start + [1.5, -1.2]], durations=0.8)
    report = gough.check_motion(bars, apart)
    run = motions.run_along(bars, apart)
    assert len(run) == int(np.flatnonzero(report.status)[0]) and run.failure.status == report.status[len(run)]
    assert np.isfinite(run.q).all() and run.info.events[-1].kind == "motion"
    again = gough.Run.load(run.save(tmp_path / "along.npz"))
    assert again.stopped == run.stopped and (again["drives.force"] == run.tau).all()
    away = motions.quintic(poses=[{"position": [30, 0, 2]}, {"position": [31, 0, 2]}], durations=1.0)
    lopes = model("lopes")
    with pytest.raises(gough.BadStateError, match="nowhere along the motion: out of reach: 400 of 400 samples"):
        motions.run_along(lopes, away)


def test_loads_designs_and_samples(hexapod: gough.Model) -> None:
    """A load straight up carries its share; five samples and no more."""
    motion = lengthened(hexapod)
    plain, lifted = (motions.run_along(hexapod, motion, samples=5, wrench=w) for w in (None, [0, 0, 10.0, 0, 0, 0]))
    z = plain["z"]
    share = np.hypot(z, FAR) / z * 10 / 6
    assert len(plain) == 5 and plain["drives.force"] - lifted["drives.force"] == pytest.approx(
        share[:, None].repeat(6, 1)
    )
    heavy = motions.run_along(hexapod, motion, samples=5, parameters={"platform.M": 10.0})
    assert heavy["drives.force"] == pytest.approx(2 * plain["drives.force"], rel=1e-9)


def test_a_robot_with_fewer_drives_than_freedoms() -> None:
    """A four-bar parallelogram, nobody driving: the coupler's end goes around with the crank, and nothing is wrong."""
    chain = model("four_bar_chain")
    turn = motions.quintic(joints={"foot0": [1.0, 1.3]}, durations=1.0)
    report = gough.check_motion(chain, turn, samples=21)
    assert report.ok and any("fewer drives than freedoms" in note for note in report.notes)
    run = motions.run_along(chain, turn, samples=21)
    assert run["foot1"] - run["foot1"][0] == pytest.approx(run["foot0"] - run["foot0"][0], abs=1e-9)
    assert run.tau.shape == (21, 0) and run.tracking.largest["rad"] < 1e-12
