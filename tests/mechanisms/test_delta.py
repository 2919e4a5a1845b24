"""Delta robots: two real rods a leg, one rod for two, and the textbook's point masses give one physics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import Cut, Robot
from gough.robots import delta
from mechanisms.delta import Delta
from mechanisms.models import model

SIZES = (0.16, 0.045, 0.52, 1.24)
HOME = (0.0, 0.0, -1.1)
AXES = [[1, 0, 0], [0, 1, 0]]
ARM = {
    "mass": 1.4,
    "center_of_mass": [0.2, 0, 0],
    "inertia": {"about": "center_of_mass", "xx": 2e-3, "yy": 0.035, "zz": 0.036},
}
ROD = {
    "mass": 0.19,
    "center_of_mass": [0, 0, -0.62],
    "inertia": {"about": "center_of_mass", "xx": 0.0243, "yy": 0.0243, "zz": 8e-6},
}
PLATFORM = {
    "mass": 0.9,
    "center_of_mass": [0, 0, -0.02],
    "inertia": {"about": "center_of_mass", "xx": 1.2e-3, "yy": 1.2e-3, "zz": 2.2e-3},
}
DRIVE = {"rotor_inertia": 9e-5, "gear": 33}
OPTIONS: dict[str, Any] = {"width": 0.13, "home": HOME, "drive": DRIVE}
N = 5


def motion(seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions in a cylinder around home, velocities to 5 m/s, accelerations to 100 m/s2."""
    rng = np.random.default_rng(seed)
    p = HOME + rng.uniform(-1, 1, (N, 3)) * [0.35, 0.35, 0.15]
    return p, rng.uniform(-5, 5, (N, 3)), rng.uniform(-100, 100, (N, 3))


def poses(p: np.ndarray) -> np.ndarray:
    return np.concatenate([p, np.tile([1.0, 0, 0, 0], (len(p), 1))], axis=1)


def same(ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-10) -> None:
    assert np.abs(ours - theirs).max() < tolerance * np.abs(theirs).max()


@pytest.mark.parametrize("name", ["delta", "delta_fast"])
def test_the_platform_only_translates(name: str) -> None:
    m = model(name)
    assert m.layout.v_names == ("vx", "vy", "vz")
    assert m.redundant_closures == ()
    p, v, _ = motion()
    q = m.configuration(pose=poses(p))
    np.testing.assert_allclose(q[:, :7], poses(p), rtol=0, atol=1e-12)
    twist = m.twist(q, v)
    np.testing.assert_allclose(twist[:, :3], v, atol=1e-12)
    np.testing.assert_allclose(twist[:, 3:], 0, atol=1e-12)


def test_two_rods_and_one_are_the_same() -> None:
    two, one = model("delta"), model("delta_fast")
    p, v, a = motion()
    q2, q1 = two.configuration(pose=poses(p)), one.configuration(pose=poses(p))
    np.testing.assert_allclose(two.drives(q2), one.drives(q1), atol=1e-12)
    wrench = np.random.default_rng(1).normal(size=(N, 6)) * 20
    tau = one.inverse_dynamics(q1, v, a, wrench).tau
    same(two.inverse_dynamics(q2, v, a, wrench).tau, tau)
    same(two.mass_matrix(q2), one.mass_matrix(q1))
    same(two.forward_dynamics(q2, v, tau, wrench).vdot, a)
    same(one.forward_dynamics(q1, v, tau, wrench).vdot, a)
    energies = two.energies(q2, v), one.energies(q1, v)
    same(energies[0].total, energies[1].total)


@pytest.mark.slow
def test_two_rods_cost_little_more_than_one() -> None:
    """That they swing alike, and that the platform does not turn, is structure."""
    one, two = (model(name).count(baked=True).operations for name in ("delta_fast", "delta"))
    assert one < 1000 and one < two < 1.2 * one


@pytest.mark.slow
def test_rods_push_along_themselves_when_they_have_no_mass() -> None:
    """Loop reactions of the pair: no moment in a ball, the force of a rod without mass lies along it."""
    rod = {"frames": {"tip": {"position": [0, 0, -SIZES[3]]}}}
    m = gough.build(delta(*SIZES, platform=PLATFORM, arm=ARM, rod=rod, **OPTIONS))
    p, v, a = motion()
    q = m.configuration(pose=poses(p[:1]))[0]
    reactions = m.joint_reactions(q, v[0], a[0])
    assert reactions.cut_names[:2] == ("leg0.left_ball", "leg0.right_ball")
    largest = np.abs(reactions.cuts).max()
    for k, side in enumerate(("left", "right")):
        along = m.frame_pose(q, f"leg0.{side}_rod.tip")[0] - m.frame_pose(q, f"leg0.{side}_rod")[0]
        force, moment = reactions.cuts[k, :3], reactions.cuts[k, 3:]
        assert np.abs(np.cross(force, along)).max() < 1e-10 * largest
        assert np.abs(moment).max() < 1e-10 * largest


@pytest.mark.slow
def test_universal_joints_on_the_platform_keep_it_from_turning() -> None:
    """The same physics with a universal joint at both ends of the one rod and no guide."""
    single = delta(*SIZES, platform=PLATFORM, arm=ARM, rod=ROD, rods="single", **OPTIONS)
    cut = {"name": "cross", "type": "universal", "on_leg": {"position": [0, 0, -SIZES[3]]}, "axes": AXES}
    legs = tuple(leg.model_copy(update={"cut": Cut.model_validate(cut)}) for leg in single.legs)
    joints = {name: value for name, value in single.home.joints.items() if name.startswith("leg")}
    home = {"pose": {"position": HOME}, "joints": joints}
    robot = Robot.model_validate({"name": "ruu", "platform": PLATFORM, "legs": legs, "home": home})
    ruu, fast = gough.build(robot), model("delta_fast")
    assert ruu.layout.v_names == ("vx", "vy", "vz")
    p, v, a = motion()
    q, q_fast = ruu.configuration(pose=poses(p)), fast.configuration(pose=poses(p))
    same(ruu.inverse_dynamics(q, v, a).tau, fast.inverse_dynamics(q_fast, v, a).tau)
    same(ruu.mass_matrix(q), fast.mass_matrix(q_fast))


@pytest.mark.parametrize("rods", ["single", pytest.param("pair", marks=pytest.mark.slow)])
def test_closed_form_with_point_masses(rods: Any) -> None:
    """Massless rods; 2/3 of both rods' mass at the elbow, 1/3 at the platform."""
    share = 2 * ROD["mass"]
    arm = {**ARM, "payload": {"mass": 2 / 3 * share, "at": {"position": (SIZES[2], 0, 0)}}}
    platform = {"mass": PLATFORM["mass"] + 3 * share / 3}
    m = gough.build(delta(*SIZES, platform=platform, arm=arm, rods=rods, **OPTIONS))
    inertia = ARM["inertia"]["yy"] + ARM["mass"] * 0.2**2 + DRIVE["rotor_inertia"] * DRIVE["gear"] ** 2
    closed = Delta(*SIZES, platform["mass"], ARM["mass"], 0.2, inertia, 2 / 3 * share)
    p, v, a = motion(11)
    q = m.configuration(pose=poses(p))
    expected = np.array([closed.torques(*x) for x in zip(p, v, a, strict=True)])
    same(m.inverse_dynamics(q, v, a).tau, expected)
    same(m.forward_dynamics(q, v, expected).vdot, a)
