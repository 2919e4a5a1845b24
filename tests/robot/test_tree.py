"""Both forms in one view: joints with their parents, loops with their frames, bodies by full name."""

import pytest

from gough.robot import Body, ChainJoint, Loop, LoopEnd, Pose, Robot, TreeJoint, load, loads
from inner.robot import bodies, placed_joints, placed_loops, platform_body, platform_name
from robot.documents import VALID, cut_of
from robot.forms import DELTA, FIVE_BAR, MIXED


def test_legs_and_platform():
    robot = loads(VALID)
    joints = placed_joints(robot)
    assert [joint.name for joint in joints[:3]] == ["leg0.hip", "leg0.slide", "leg1.hip"]
    assert [joint.parent for joint in joints[:3]] == ["world", "leg0.lower", "world"]
    assert [joint.body_name for joint in joints[-2:]] == ["back.lower", "back.upper"]
    assert [joint.base for joint in joints[:2]] == [robot.legs[0].base, None]
    assert [joint.leg for joint in joints] == [0, 0, 1, 1, 2, 2]
    loops = placed_loops(robot)
    assert [loop.name for loop in loops] == ["leg0.ball", "leg1.ball", "back.ball"]
    last = loops[2]
    assert (last.first, last.first_base, last.first_pose) == ("back.upper", None, cut_of(robot.legs[2]).on_leg)
    assert (last.second, last.second_base, last.second_pose) == ("platform", None, robot.legs[2].on_platform)
    assert (last.type, last.leg, last.friction.viscous) == ("spherical", 2, 2e-4)
    assert list(bodies(robot))[:3] == ["platform", "leg0.lower", "leg0.upper"]


def test_bodies_and_joints():
    robot = loads(FIVE_BAR)
    joints = placed_joints(robot)
    assert [joint.name for joint in joints] == ["motor1", "elbow1", "motor2", "elbow2"]
    assert [joint.parent for joint in joints] == ["world", "crank1", "world", "crank2"]
    assert [joint.body.name for joint in joints] == [joint.body_name for joint in joints]
    assert {(joint.base, joint.leg) for joint in joints} == {(None, -1)}
    assert joints[2].joint.placement == Pose(position=(0.5, 0, 0))
    (pin,) = placed_loops(robot)
    assert (pin.name, pin.first, pin.second, pin.leg) == ("pin", "rod1", "rod2", -1)
    assert (pin.first_base, pin.second_base, pin.axis) == (None, None, (0.0, 0.0, 1.0))
    assert pin.first_pose.position == (0.5, 0.0, 0.0)
    assert platform_body(robot) is None
    assert platform_name(robot) is None
    assert list(bodies(robot)) == ["crank1", "rod1", "crank2", "rod2"]


def test_a_leg_that_branches():
    robot = loads(DELTA)
    left, right = placed_joints(robot)[1:3]
    assert (left.parent, right.parent) == ("leg0.arm", "leg0.arm")
    assert (left.base, right.base) == (None, None)
    loops = placed_loops(robot)
    assert [loop.name for loop in loops[:3]] == ["leg0.left_ball", "leg0.right_ball", "leg1.left_ball"]
    assert (loops[0].first, loops[0].first_base) == ("leg0.left_rod", None)
    assert (loops[0].second, loops[0].second_base) == ("plate", robot.legs[0].on_platform)
    assert loops[0].second_pose.position == (0.0, 0.03, 0.0)


def test_forms_mixed():
    robot = loads(MIXED)
    joints = {joint.name: joint for joint in placed_joints(robot)}
    assert list(joints) == [
        "strut.hip",
        "strut.slide",
        "strut.idler",
        "lift",
        "swing",
        "wrist",
        "hanger",
    ]
    assert (joints["strut.idler"].parent, joints["strut.idler"].base) == ("world", robot.legs[0].base)
    assert joints["hanger"].parent == "strut.upper"
    loops = {loop.name: loop for loop in placed_loops(robot)}
    assert list(loops) == ["strut.ball", "strut.rod", "strut.tie", "rope", "cross"]
    assert (loops["strut.ball"].second, loops["strut.ball"].second_base) == ("plate", robot.legs[0].on_platform)
    assert (loops["strut.rod"].first, loops["strut.rod"].first_base) == ("world", robot.legs[0].base)
    assert (loops["strut.tie"].first, loops["strut.tie"].second) == ("link", "strut.wheel")
    assert (loops["rope"].first_base, loops["rope"].length) == (None, 2.0)
    assert (loops["cross"].first, loops["cross"].second_base) == ("strut.lower", None)
    assert platform_body(robot) == robot.bodies[1]
    assert platform_name(robot) == "plate"
    assert list(bodies(robot)) == ["strut.lower", "strut.upper", "strut.wheel", "column", "plate", "tip", "link"]


@pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")
@pytest.mark.parametrize("text", [FIVE_BAR, DELTA, MIXED, "pedrammehr2012"])
def test_parents_come_first(text):
    robot = load(text) if text.isalnum() else loads(text)
    known = {"world"} | ({platform_name(robot)} if not isinstance(robot.platform, str) else set())
    for joint in placed_joints(robot):
        assert joint.parent in known
        known.add(joint.body_name)
    for loop in placed_loops(robot):
        assert {loop.first, loop.second} <= known
    assert known - {"world", None} == set(bodies(robot))


def test_in_python():
    slider = TreeJoint(name="slider", type="prismatic", parent="world", child="block", pose=Pose(position=(0, 0, 1)))
    end = LoopEnd(body="block")
    robot = Robot(
        name="slider",
        bodies=(Body(name="block", mass=1),),
        joints=(slider,),
        loops=(Loop(name="rod", type="constant_length", length=1, first=end, second=LoopEnd(body="world")),),
    )
    assert robot.home.joints == {}
    assert robot.home.pose is None
    assert robot.legs == ()
    assert (slider.axis, slider.placement.position) == ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    assert placed_joints(robot)[0].joint is robot.joints[0]


def test_a_chain_joint_on_another():
    first = ChainJoint(name="a", type="revolute")
    assert first.on is None
    assert ChainJoint(name="b", type="revolute", on="a").on == "a"
