"""A 3-PRS: the platform's x, y and yaw follow from the planes of its legs, slides from circles in them, forces from energies."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough import motions
from mechanisms.models import model
from papers.vectors import rotation_x, rotation_y, rotation_z
from reference.energies.lagrange import Reference

SIZES = {"rail_radius": 0.3, "ball_radius": 0.18, "link": 0.4}
OTHER = {"rail_radius": 0.2, "ball_radius": 0.26, "link": 0.5}
ENDS = [[0.55, -0.2, 0.1], [0.66, 0.25, -0.3]]
"""z, pitch, roll [m, rad]."""


def platform(z: float, pitch: float, roll: float, r: float) -> tuple[np.ndarray, np.ndarray, float]:
    """(position, rotation, yaw) with every ball joint in the upright plane of its leg, as Carretero and others have it.

    Three balls evenly on a circle stay in their planes where R12 = R21, x = r (R11 - R22) / 2 and y = -r R21.
    """
    yaw = np.arctan(np.sin(pitch) * np.sin(roll) / (np.cos(pitch) + np.cos(roll)))
    R = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
    return np.array([r * (R[0, 0] - R[1, 1]) / 2, -r * R[1, 0], z]), R, yaw


def slides(p: np.ndarray, R: np.ndarray, sizes: dict[str, float]) -> np.ndarray:
    """(3,) slide positions: in its plane the link is the longest side of a right triangle, slide below."""
    out = []
    for angle in np.radians([0, 120, 240]):
        outwards = np.array([np.cos(angle), np.sin(angle), 0.0])
        ball = p + R @ (sizes["ball_radius"] * outwards)
        assert abs(ball @ [-outwards[1], outwards[0], 0.0]) < 1e-14  # in the plane of its leg
        out.append(ball[2] - np.sqrt(sizes["link"] ** 2 - (sizes["rail_radius"] - ball @ outwards) ** 2))
    return np.array(out)


def asked(seed: int = 2, n: int = 8) -> np.ndarray:
    """(n, 3) of z, pitch, roll."""
    return np.array([0.63, 0, 0]) + np.random.default_rng(seed).uniform(-1, 1, (n, 3)) * [0.08, 0.35, 0.35]


@pytest.mark.parametrize("sizes", [SIZES, OTHER], ids=["gallery", "other"])
def test_parasitic_motion_and_slides(sizes: dict[str, float]) -> None:
    """Also of a robot whose platform is wider than the circle of its rails."""
    m = model("three_prs")
    if sizes is OTHER:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # its home follows the variables, joints too
            m = gough.build(m.robot.with_variables(sizes))
    assert (m.mobility, m.layout.v_names) == (3, ("vz", "wx", "wy"))
    largest = 0.0
    for z, pitch, roll in asked():
        q = m.configuration(coordinates={"z": z, "pitch": pitch, "roll": roll})
        p, R, yaw = platform(z, pitch, roll, sizes["ball_radius"])
        largest = max(largest, np.linalg.norm(p[:2]) / sizes["ball_radius"], abs(yaw))
        position, rotation = m.frame_pose(q, "platform")
        np.testing.assert_allclose(position, p, rtol=0, atol=1e-11)
        np.testing.assert_allclose(rotation, R, rtol=0, atol=1e-11)
        np.testing.assert_allclose(m.drives(q), slides(p, R, sizes), rtol=0, atol=1e-11)
    assert largest > 0.03  # it does move where nobody asked it to


def test_along_a_motion() -> None:
    """Rates of what follows and speeds of the slides are differences of the closed form; forces are those of energies."""
    m, h = model("three_prs"), 1e-5
    motion = motions.quintic(joints=ENDS, names=("z", "pitch", "roll"), durations=1.0)
    t = np.array([0.13, 0.4, 0.71])
    at = motions.states_along(m, motion, t)
    reference = Reference(m.robot, m.layout.v_names)
    tau = m.inverse_dynamics(at.q, at.v, at.acceleration).tau

    def closed(time: float) -> tuple[np.ndarray, np.ndarray]:
        z, pitch, roll = np.asarray(motion.at(np.array([time])).position)[0].tolist()
        p, R, yaw = platform(z, pitch, roll, SIZES["ball_radius"])
        return np.r_[p, yaw], slides(p, R, SIZES)

    for k, time in enumerate(t.tolist()):
        (after, s1), (here, s0), (before, s2) = (closed(time + s * h) for s in (1, 0, -1))
        np.testing.assert_allclose(at.q[k, :3], here[:3], rtol=0, atol=1e-11)
        np.testing.assert_allclose(m.drives(at.q[k]), s0, rtol=0, atol=1e-11)
        np.testing.assert_allclose(m.twist(at.q[k], at.v[k])[:3], (after - before)[:3] / (2 * h), rtol=0, atol=1e-8)
        np.testing.assert_allclose(m.drive_rates(at.q[k], at.v[k]), (s1 - s2) / (2 * h), rtol=0, atol=1e-8)
        needed = reference.inverse(at.q[k], at.v[k], at.acceleration[k])
        np.testing.assert_allclose(tau[k], needed, rtol=0, atol=1e-11 * np.abs(needed).max())
    report: Any = motions.check_motion(m, motion)
    assert not report.problems


@pytest.mark.slow
def test_a_run_ends_where_the_closed_form_is() -> None:
    """Under computed torque of the slides, which the motion of z, pitch and roll is turned into."""
    m = model("three_prs")
    motion = motions.quintic(joints=ENDS, names=("z", "pitch", "roll"), durations=1.0)
    law = gough.laws.ComputedTorque(400.0, 40.0)
    with pytest.raises(gough.UsageError, match=r"not 'joints'; gough\.laws\.drives_of\(model, motion\)"):
        gough.simulate(m, motion=motion, controller=law)
    run = gough.simulate(m, motion=gough.laws.drives_of(m, motion), controller=law)
    p, R, _ = platform(ENDS[1][0], ENDS[1][1], ENDS[1][2], SIZES["ball_radius"])
    position, rotation = m.frame_pose(run.q[-1], "platform")
    np.testing.assert_allclose(position, p, rtol=0, atol=1e-7)
    np.testing.assert_allclose(rotation, R, rtol=0, atol=1e-6)


def test_weight_on_three_slides() -> None:
    """At home each slide bears a third of all that it lifts."""
    m = model("three_prs")
    masses = 5 + 3 + 3 * (2.5 + 1.2)
    tau = m.inverse_dynamics(m.home, np.zeros(3), np.zeros(3)).tau
    np.testing.assert_allclose(tau, 9.81 * masses / 3, rtol=1e-11)
