"""Universal joints with axes not perpendicular, a hinge and a ball on a massless link: the same mechanism written out."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import gough
from gough.robot import DescriptionError, dumps, loads
from reference.designs import description
from reference.energies.lagrange import Reference
from reference.energies.states import random_states

AGREES = 1e-12
"""Of two ways of writing one mechanism, over the largest entry."""


def apart(a: Any, b: Any) -> float:
    a, b = np.asarray(a), np.asarray(b)
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))


def build(data: dict[str, Any]) -> gough.Model:
    return gough.build(loads(json.dumps(data)))


def in_series(data: dict[str, Any]) -> dict[str, Any]:
    """Every universal joint of the tree as two revolute ones with a massless body between."""
    out = copy.deepcopy(data)
    home, joints = out["home"]["joints"], []
    for joint in out["joints"]:
        if joint["type"] != "universal":
            joints.append(joint)
            continue
        name, axes = joint["name"], joint.pop("axes")
        ends = [(f"{name}_1", joint["parent"], f"{name}_mid"), (f"{name}_2", f"{name}_mid", joint["child"])]
        for k, (own, parent, child) in enumerate(ends):
            pose = joint["pose"] if k == 0 else {}
            place = {"name": own, "type": "revolute", "parent": parent, "child": child, "axis": axes[k], "pose": pose}
            joints.append(place | {key: joint[key] for key in ("friction", "spring", "armature") if key in joint})
            home[own] = home[name][k]
        del home[name]
        out["bodies"].append({"name": f"{name}_mid", "mass": 0.0})
    return out | {"joints": joints}


@pytest.mark.quick_cases("0")
@pytest.mark.parametrize("seed", range(2))
def test_a_skewed_universal_joint_is_two_hinges_in_series(seed: int) -> None:
    data = description("skewed", seed)
    model, other = build(data), build(in_series(data))
    reference = Reference(model.robot)
    names = other.layout.q_names
    order = [names.index(n) for n in model.layout.q_names]
    for q, v, a, _, tau in random_states(reference, 3, seed):
        twin = np.zeros(len(names))
        twin[order] = q
        assert apart(other.inverse_dynamics(twin, v, a).tau, model.inverse_dynamics(q, v, a).tau) < AGREES
        assert apart(other.forward_dynamics(twin, v, tau).vdot, model.forward_dynamics(q, v, tau).vdot) < AGREES
        ours, theirs = model.joint_reactions(q, v, a), other.joint_reactions(twin, v, a)
        assert apart(theirs.cuts, ours.cuts) < AGREES
        known = {n: k for k, n in enumerate(theirs.joint_names)}
        whole = [known[n] if n in known else known[f"{n}_2"] for n in ours.joint_names]
        assert apart(theirs.joints[whole], ours.joints) < AGREES


def hinged(radius: float) -> dict[str, Any]:
    """A crank, a rocker that swings two ways, and between them a massless link with a hinge on the crank and a ball."""
    body = {"mass": 1.3, "center_of_mass": [0.1, 0.05, -0.02]}
    body["inertia"] = {"about": "center_of_mass", "xx": 0.02, "yy": 0.03, "zz": 0.04, "xy": 0.003}
    axes = [[1, 0, 0], [0, 0.6, 0.8]]
    joints = [
        {"name": "crank", "type": "revolute", "parent": "world", "child": "a", "axis": [0, 0, 1], "drive": {}},
        {"name": "rocker", "type": "universal", "parent": "world", "child": "b", "axes": axes, "armature": [0.1, 0.2]},
    ]
    joints[1]["pose"] = {"position": [0.9, 0.1, 0.2]}
    first = {"body": "a", "pose": {"position": [0.3, 0, 0.05], "rpy_zyx": [0.3, 0.2, -0.4]}}
    second = {"body": "b", "pose": {"position": [-0.1, 0.5, 0.1], "rpy_zyx": [1.0, 0.5, 0.2]}}
    loop = {"name": "rod", "type": "revolute_spherical", "length": radius, "first": first, "second": second}
    bodies = [{"name": n} | body for n in "ab"]
    head = {"format": 2, "name": "hinged", "bodies": bodies, "joints": joints, "loops": [loop], "velocities": "drives"}
    return head | {"home": {"joints": {"crank": 0.2, "rocker": [0.1, 0.2]}}}


def test_a_hinge_and_a_ball_on_a_massless_link_are_two_rows() -> None:
    data = hinged(0.6)
    model = build(data)
    assert loads(dumps(model.robot)) == model.robot
    assert (model.mechanism.rows, model.layout.nu) == (2, 3)
    written = copy.deepcopy(data)
    link = {"name": "hinge", "type": "revolute", "parent": "a", "child": "link", "axis": [0, 0, 1]}
    written["joints"].append(link | {"pose": data["loops"][0]["first"]["pose"]})
    written["bodies"].append({"name": "link", "mass": 0.0})
    ball = {"name": "rod", "type": "spherical", "first": {"body": "link", "pose": {"position": [0.6, 0, 0]}}}
    written["loops"] = [ball | {"second": data["loops"][0]["second"]}]
    X = first_frame(model)
    d = X[:3, :3].T @ (second_point(model) - X[:3, 3])
    assert abs(d[2]) < 1e-10
    written["home"]["joints"] = dict(zip(("crank", "rocker"), (model.home[0], model.home[1:3].tolist()), strict=True))
    written["home"]["joints"] |= {"hinge": float(np.arctan2(d[1], d[0]))}
    other = build(written)
    rng = np.random.default_rng(5)
    for drive in (0.05, 0.2, 0.35):
        q, twin = (m.configuration(drives=[drive]) for m in (model, other))
        assert np.allclose(twin[:3], q, atol=1e-10)
        v, a, tau = rng.normal(size=(3, 1))
        assert apart(other.inverse_dynamics(twin, v, a).tau, model.inverse_dynamics(q, v, a).tau) < 1e-9
        assert apart(other.forward_dynamics(twin, v, tau).vdot, model.forward_dynamics(q, v, tau).vdot) < 1e-9
        assert apart(other.mass_matrix(twin), model.mass_matrix(q)) < 1e-9
        ours, theirs = (m.joint_reactions(x, v, a).cuts[0] for m, x in ((model, q), (other, twin)))
        assert apart(theirs, ours) < 1e-8


def first_frame(model: gough.Model) -> np.ndarray:
    """Pose (4, 4) of the hinge at home."""
    p, R = model.frame_pose(model.home, "a")
    pose = model.robot.loops[0].first.pose
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R @ np.array(pose.rotation()), p + R @ np.array(pose.position)
    return X


def second_point(model: gough.Model) -> np.ndarray:
    p, R = model.frame_pose(model.home, "b")
    return p + R @ np.array(model.robot.loops[0].second.pose.position)


@pytest.mark.parametrize("seed", range(2))
def test_legs_with_skewed_joints_follow_a_pose(seed: int) -> None:
    """Six UPS legs whose universal joints are made skew: poses are led to, and the loops close; the reference agrees."""
    data = description("generic", seed)
    rng = np.random.default_rng(seed)
    for leg in data["legs"]:
        for joint in leg["chain"]:
            if joint["type"] == "universal":
                first, second = np.array(joint["axes"])
                angle = rng.uniform(0.9, 1.3)
                joint["axes"] = [first.tolist(), (np.sin(angle) * second + np.cos(angle) * first).tolist()]
    data["format"] = 2
    model = build(data)
    reference = Reference(model.robot)
    q0 = np.array(model.home)
    for k in range(3):
        pose = q0[:7].copy()
        pose[:3] += rng.uniform(-0.03, 0.03, 3)
        q = model.configuration(pose=pose, near=q0) if k else q0
        assert np.abs(reference.closure(q)).max() < 1e-10
        v, a = rng.normal(size=(2, 6))
        assert apart(model.inverse_dynamics(q, v, a).tau, reference.inverse(q, v, a)) < 1e-9


def test_the_tilt_of_a_skewed_joint_is_that_of_the_normal_of_its_axes() -> None:
    data = hinged(0.6)
    data["joints"][1] |= {"axes": [[1, 0, 0], [0.6, 0.8, 0]], "limits": {"cone": 1.5}}
    model = build(data)
    q = model.home[1:3]
    turns = [Rotation.from_rotvec(a * np.array(e)) for a, e in zip(q, data["joints"][1]["axes"], strict=True)]
    tilt = np.arccos((turns[0] * turns[1]).as_matrix()[2, 2])
    assert model.limit_margins(model.home).margins[0] == pytest.approx(1.5 - tilt, rel=1e-12)


RUBBING = {
    "none": {},
    "both": {"friction": {"viscous": 0.4, "coulomb": 0.3, "smoothing": 0.05}},
    "each": {"friction": [{"viscous": 0.7}, {"coulomb": 0.9}]},
}


@pytest.mark.parametrize("rubbing", RUBBING)
def test_an_inclined_cut_is_a_joint_of_the_tree_cut_elsewhere(rubbing: str) -> None:
    """A loop with one skewed universal joint, cut there and cut at its other end; friction about its axes counts alike."""
    base = hinged(0.6)
    bodies = [*base["bodies"], {**base["bodies"][0], "name": "c"}]
    axes = [[0.6, 0.8, 0], [0, 0.6, 0.8]]
    angle = float(np.arccos(np.dot(axes[0], axes[1])))
    crank, ball = (
        base["joints"][0],
        {"name": "s", "parent": "a", "child": "c", "type": "spherical", "pose": {"position": [0.3, 0, 0]}},
    )
    slide = {
        "name": "p",
        "type": "prismatic",
        "parent": "world",
        "child": "b",
        "axis": [0, 0, 1],
        "pose": {"position": [0.45, 0.3, 0.2]},
    }
    tip = {"position": [0.4, 0.1, 0.2], "rpy_zyx": [0.2, -0.3, 0.5]}
    head = {key: base[key] for key in ("format", "name", "velocities")} | {"bodies": bodies}
    universal = {"name": "u", "type": "universal", "axes": axes} | RUBBING[rubbing]
    loop = universal | {"angle": angle, "first": {"body": "c", "pose": tip}, "second": {"body": "b"}}
    cut = build(head | {"joints": [crank, ball, slide], "loops": [loop]})
    # the same joint in the tree, between c and the slide's body, and the slide cut
    tree = universal | {"parent": "c", "child": "b", "pose": tip}
    closing = {"name": "p", "type": "prismatic", "axis": [0, 0, 1], "first": {"body": "world", "pose": slide["pose"]}}
    other = build(
        head | {"joints": [crank, ball, tree], "loops": [closing | {"second": {"body": "b"}}], "home": _home(cut)}
    )
    assert other.mobility == cut.mobility
    ours, theirs = (m.energies(m.home, np.full(m.layout.nv, 0.7)) for m in (cut, other))
    assert theirs.potential == pytest.approx(ours.potential, rel=1e-9)
    assert theirs.kinetic == pytest.approx(ours.kinetic, rel=1e-9)
    assert theirs.losses == pytest.approx(ours.losses, rel=1e-9)
    assert (ours.losses > 0.01) == (rubbing != "none")
    assert other.bias_force(other.home, [0.7]) == pytest.approx(cut.bias_force(cut.home, [0.7]), rel=1e-8)


@pytest.mark.parametrize("angle", [20.0, 60.0, 90.0, 140.0])
def test_friction_in_a_cut_acts_against_the_rates_about_its_axes(angle: float) -> None:
    """A body on a skewed universal joint, in the tree and as a cut: losses c1 r1² + c2 r2², and the same accelerations."""
    b = [np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0]
    joint = {"name": "u", "type": "universal", "axes": [[1, 0, 0], b], "friction": [{"viscous": 0.4}, {"viscous": 1.1}]}
    body = {"name": "a", "mass": 1, "inertia": {"about": "center_of_mass", "xx": 1.0, "yy": 2.0, "zz": 2.5}}
    head = {"format": 2, "name": "hung", "gravity": [0, 0, 0], "bodies": [body]}
    tree = build(
        head | {"joints": [joint | {"parent": "world", "child": "a"}], "velocities": ["u_1", "u_2"], "home": {}}
    )
    loop = joint | {"angle": f"{angle} deg", "first": {"body": "world"}, "second": {"body": "a"}}
    free = {"name": "f", "type": "free", "parent": "world", "child": "a"}
    cut = build(head | {"joints": [free], "loops": [loop], "velocities": ["f_wx", "f_wy"]})
    rates, still = np.array([0.8, -0.5]), np.array([0.0, 0.0])
    turned = rates[0] * np.array([1.0, 0, 0]) + rates[1] * np.array(b)
    ours, theirs = cut.energies(cut.home, turned[:2]), tree.energies(tree.home, rates)
    assert theirs.losses == pytest.approx(0.4 * 0.8**2 + 1.1 * 0.5**2, rel=1e-12)
    assert ours.losses == pytest.approx(theirs.losses, rel=1e-12)
    slowed = [m.forward_dynamics(m.home, v, []).vdot for m, v in ((cut, turned[:2]), (tree, rates))]
    gyration = [m.forward_dynamics(m.home, v, []).vdot for m, v in ((cut, still), (tree, still))]
    spun = (
        slowed[1][0] * np.array([1.0, 0, 0]) + slowed[1][1] * np.array(b) + rates[0] * rates[1] * np.cross([1, 0, 0], b)
    )
    assert slowed[0] == pytest.approx(spun[:2], rel=1e-10)
    assert np.abs(np.concatenate(gyration)).max() < 1e-12


def _home(cut: gough.Model) -> dict[str, Any]:
    """Joint coordinates of the tree with the universal joint, from a model in which it is cut."""
    (_, R), (_, Q) = (cut.frame_pose(cut.home, body) for body in "cb")
    loop = cut.robot.loops[0]
    turn = (R @ np.array(loop.first.pose.rotation())).T @ Q  # R(a1, q1) R(a2, q2)
    a, b = np.array(loop.axes)

    def apart_by(x: np.ndarray) -> np.ndarray:
        made = Rotation.from_rotvec(x[0] * a) * Rotation.from_rotvec(x[1] * b)
        return (made.inv() * Rotation.from_matrix(turn)).as_rotvec()

    found = min((least_squares(apart_by, s, xtol=1e-15, ftol=1e-15, gtol=1e-15) for s in STARTS), key=lambda r: r.cost)
    assert found.cost < 1e-18
    names = cut.layout.q_names
    ball = [float(cut.home[names.index(f"s_{k}")]) for k in ("qw", "qx", "qy", "qz")]
    return {"joints": {"crank": float(cut.home[names.index("crank")]), "s": ball, "u": found.x.tolist()}}


STARTS = [(a, b) for a in (-2.0, 0.0, 2.0) for b in (-2.0, 0.0, 2.0)]


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        ({"axes": [[1, 0, 0], [0.999, 0.0447, 0]]}, "joints[1].axes", "all but parallel"),
        ({"angle": 1.0}, "joints[1].angle", "unknown key 'angle'"),
    ],
)
def test_joints_that_are_refused(change: dict[str, Any], place: str, message: str) -> None:
    data = hinged(0.6)
    if "axes" in change:
        a = np.array(change["axes"][1])
        change = {"axes": [[1, 0, 0], (a / np.linalg.norm(a)).tolist()]}
    data["joints"][1] |= change
    with pytest.raises(DescriptionError) as caught:
        build(data)
    assert place in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"length": None}, "without its length"),
        ({"length": -1}, "negative"),
        ({"angle": 1.0}, "angle on a revolute_spherical joint"),
        ({"friction": {"viscous": 1}}, "friction on a revolute_spherical loop"),
        ({"armature": 1.0}, "an armature on a loop's joint"),
        ({"type": "universal", "axes": [[1, 0, 0], [0, 1, 0]], "length": None, "angle": "2 deg"}, "all but parallel"),
        ({"type": "universal_spherical"}, "did you mean 'constant_length'?"),
    ],
)
def test_loops_that_are_refused(change: dict[str, Any], message: str) -> None:
    data = hinged(0.6)
    data["loops"][0] |= change
    with pytest.raises(DescriptionError) as caught:
        build(data)
    assert message in str(caught.value)
    old = hinged(0.6) | {"format": 1}
    with pytest.raises(DescriptionError, match="format 2"):
        build(old)
