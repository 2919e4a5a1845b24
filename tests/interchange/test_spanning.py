"""Trees of joints that are given in any order and direction; turned and moved joints are the same joints."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.interchange import findings, foreign, spanning
from interchange.mechanisms import four_bar
from interchange.reading import read_quietly, saved
from interchange.sdf_writing import SdfWriting
from interchange.usd_writing import TURNS, Frame, UsdWriting
from reference.peers.facts import WORLD, largest_difference

AT = foreign.Written("f", 1, "")


def made(joints, bodies="abcd", **more):
    parts = tuple(foreign.ForeignBody(name, AT) for name in bodies)
    return foreign.ForeignRobot("r", "f", "URDF", parts, tuple(joints), **more)


def edge(name, parent, child, kind="revolute", **more):
    return foreign.ForeignJoint(name, kind, parent, child, AT, **more)


def ends(joints):
    return [(j.name, j.parent, j.child) for j in joints]


def test_joints_point_outwards_from_the_world():
    robot = made([edge("3", "c", "b"), edge("1", "a", "world"), edge("2", "b", "a"), edge("4", "c", "d")])
    found = spanning.span_tree(robot, findings.Findings())
    assert ends(found.tree) == [("1", "world", "a"), ("2", "a", "b"), ("3", "b", "c"), ("4", "c", "d")]
    assert not found.loops


def test_islands_are_tied_under_a_name_that_is_free():
    robot = made([edge("1", "a", "b"), edge("a_base", "c", "d")])
    for floating, kind in ((False, "fixed"), (True, "free")):
        robot = made([edge("1", "a", "b"), edge("a_base", "c", "d")], floating=floating)
        tree = spanning.span_tree(robot, findings.Findings()).tree
        tied = [j for j in tree if j.parent == "world"]
        assert [j.type for j in tied] == [kind, kind]
        assert len({j.name for j in tree}) == 4


def test_passive_joints_with_many_freedoms_are_cut():
    ring = [
        edge("1", "world", "a"),
        edge("2", "a", "b"),
        edge("ball", "b", "c", "spherical"),
        edge("4", "world", "c", driven=True),
    ]
    found = spanning.span_tree(made(ring, "abc"), findings.Findings())
    assert [j.name for j in found.loops] == ["ball"]
    wanted = spanning.span_tree(
        made([edge(str(k), *e) for k, e in enumerate(["ab", "bc", "ca"])], "abc"), findings.Findings(), {"2"}
    )
    assert "2" in [j.name for j in wanted.tree]


def test_friction_may_be_cut_and_drives_springs_and_bounds_may_not():
    damped = foreign.Effects(viscous=0.1)
    for last, needed in ((edge("x", "c", "world", effects=damped), {"x"}), (edge("x", "c", "world", driven=True), ())):
        ring = [edge(f"{k}", *ends, effects=damped) for k, ends in enumerate((("world", "a"), "ab", "bc"))]
        found = spanning.span_tree(made([*ring, last], "abc"), findings.Findings(), needed)
        assert [j.name for j in found.loops] == ["2"] and not found.halves
    bounded = edge("y", "c", "world", effects=foreign.Effects(lower=-1.0))
    found = spanning.span_tree(made([*ring, bounded], "abc"), findings.Findings())
    assert [j.name for j in found.loops] == ["2"]


@pytest.mark.parametrize(
    "joint",
    [
        edge("x", "a", "world", "free", closes=True),
        edge("x", "a", "world", closes=True, effects=foreign.Effects(stiffness=2.0)),
        edge("x", "world", "a", effects=foreign.Effects(armature=2.0)),
        edge("x", "world", "a", "ball_screw", lead=0.1, closes=True, effects=foreign.Effects(viscous=2.0)),
    ],
)
def test_where_no_joint_can_be_cut_a_body_is(joint):
    first = edge("1", "world", "a", effects=foreign.Effects(stiffness=1.0))
    found = spanning.span_tree(made([first, joint], "a"), findings.Findings())
    (weld,), (half,) = found.loops, found.halves
    assert weld.type == "fixed" and {weld.parent, weld.child} == {half.name, joint.child} and half.mass == 0.0
    assert [(j.name, j.type) for j in found.tree] == [("1", "revolute"), ("x", joint.type)]
    assert half.name in (found.tree[1].parent, found.tree[1].child)


@pytest.mark.parametrize("first", ["pin_a", "pin_b", "pin_c", "pin_d"])
def test_a_damped_loop_is_read_whatever_comes_first(tmp_path, first):
    """Beside the same mechanism of free bodies in MuJoCo."""
    facts = four_bar()
    for name in facts.joints:
        facts = facts.with_joint(name, viscous=0.2 + 0.1 * len(name), stiffness=0.0)
    others = [name for name in facts.joints if name != first]
    order = {name: facts.joints[name] for name in (*others, first)}
    writing = SdfWriting(replace(facts, joints=order), seed=3)
    robot = read_quietly(saved(tmp_path, writing.text()), drives=first)
    assert len(robot.loops) == 1 and robot.loops[0].name != first
    assert largest_difference(gough.build(robot), facts, writing.frames) < 1e-9


@pytest.mark.parametrize("drive", ["pin_a", "pin_d"])
def test_a_loop_of_springs_is_cut_inside_a_body(tmp_path, drive):
    facts = four_bar()
    for k, name in enumerate(facts.joints):
        facts = facts.with_joint(name, stiffness=3.0 + k, rest=0.1 * k, viscous=0.1)
    writing = SdfWriting(facts, seed=4)
    robot = read_quietly(saved(tmp_path, writing.text()), drives=drive)
    assert [loop.type for loop in robot.loops] == ["fixed"] and len(robot.joints) == 4
    model = gough.build(robot)
    assert model.mobility == 1 and largest_difference(model, facts, writing.frames) < 1e-9


def test_a_loop_of_drives_and_armatures_is_cut_inside_a_body(tmp_path):
    writing = UsdWriting(seed=2)
    for name in ("crank", "coupler", "rocker"):
        writing.body(name)
    apis = ("PhysxJointAPI", "PhysicsDriveAPI:angular")
    ends = [(WORLD, "crank"), ("crank", "coupler"), ("coupler", "rocker"), (WORLD, "rocker")]
    frame = writing.frames["crank"]
    for k, (parent, child) in enumerate(ends):
        at = frame @ Frame(np.array([[0, 0, 0], [0.1, 0.3, 0], [0.6, 0.4, 0], [0.5, 0, 0]][k], float), TURNS[0])
        words = f"float physxJoint:armature = {0.1 + 0.05 * k}\n bool physics:excludeFromArticulation = {int(k == 1)}"
        writing.joint(f"pin{k}", "Revolute", parent, child, at=at, words=words, schemas=apis, armature=0.1 + 0.05 * k)
    robot = read_quietly(saved(tmp_path, writing.text()))
    assert [loop.type for loop in robot.loops] == ["fixed"]
    assert {j.name for j in robot.joints if j.drive} == {"pin0", "pin1", "pin2", "pin3"}
    model = gough.build(robot)
    assert model.mobility == 1 and largest_difference(model, writing.facts(), writing.zero()) < 1e-9


def placed(rng):
    rotation = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    return foreign.Placement(tuple(rng.normal(size=3)), rotation)


def homogeneous(at):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = at.rotation, at.position
    return X


def motion(joint, q):
    """Of the child in the parent, by its own formula."""
    X = np.eye(4)
    axis = np.array(joint.axis)
    if joint.type in ("revolute", "cylindrical"):
        X[:3, :3] = Rotation.from_rotvec(axis * q[0]).as_matrix()
    if joint.type == "prismatic":
        X[:3, 3] = axis * q[0]
    if joint.type == "cylindrical":
        X[:3, 3] = axis * q[1]
    if joint.type == "universal":
        X[:3, :3] = (
            Rotation.from_rotvec(np.array(joint.axes[0]) * q[0]) * Rotation.from_rotvec(np.array(joint.axes[1]) * q[1])
        ).as_matrix()
    if joint.type == "spherical":
        X[:3, :3] = Rotation.from_quat(np.roll(q, -1)).as_matrix()
    if joint.type == "free":
        X[:3, 3], X[:3, :3] = q[:3], Rotation.from_quat(np.roll(q[3:], -1)).as_matrix()
    return homogeneous(joint.on_parent) @ X @ np.linalg.inv(homogeneous(joint.on_child))


KINDS = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 4, "free": 7}


def coordinates(kind, rng):
    q = rng.normal(size=KINDS[kind])
    if kind in ("spherical", "free"):
        q[-4:] /= np.linalg.norm(q[-4:])
    return q


def example(kind, rng):
    axis = rng.normal(size=3)
    other = np.cross(axis, rng.normal(size=3))
    axes = tuple(tuple(x / np.linalg.norm(x)) for x in (axis, other))
    q = coordinates(kind, rng)
    return edge(
        "j",
        "a",
        "b",
        kind,
        on_parent=placed(rng),
        on_child=placed(rng),
        axis=axes[0],
        axes=axes if kind == "universal" else None,
        start=tuple(q),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_seen_from_its_child_is_the_same_joint(kind, rng):
    joint = example(kind, rng)
    turned = spanning.turn_joint(joint)
    np.testing.assert_allclose(motion(turned, turned.start), np.linalg.inv(motion(joint, joint.start)), atol=1e-12)
    again = spanning.turn_joint(turned)
    np.testing.assert_allclose(motion(again, again.start), motion(joint, joint.start), atol=1e-12)
    if kind not in ("universal", "spherical", "free"):
        assert turned.start == joint.start


@pytest.mark.parametrize("kind", KINDS)
def test_the_origin_of_a_body_moves_to_its_joint(kind, rng):
    joint = example(kind, rng)
    own, moved = spanning.anchor_joint(joint)
    assert moved.on_child.is_identity
    expected = motion(joint, joint.start) @ homogeneous(own)
    np.testing.assert_allclose(motion(moved, moved.start), expected, atol=1e-12)


def test_what_slides_keeps_its_origin(rng):
    joint = example("prismatic", rng)
    assert spanning.anchor_joint(joint)[0].is_identity
