"""Mistakes in trees, loops, branching legs, velocities and drives: place, what was found, what to do."""

import pytest

from gough.robot import Body, LoopEnd, Robot, TreeJoint
from robot.documents import VALID, problems, put, text
from robot.forms import FIVE_BAR, MIXED, form

ARM = "templates/arm"

CASES = [
    # form, place changed, new value ("-" deletes), path reported, words of the message, words of the remedy
    ("five_bar", "joints/0/parent", "crank", "joints[0].parent", "no body 'crank'", "'crank"),
    ("five_bar", "joints/0/parent", "-", "joints[0].parent", "missing", "parent"),
    ("five_bar", "joints/0/child", "rod", "joints[0].child", "no body 'rod' under bodies", "'rod"),
    ("five_bar", "joints/0/child", "world", "joints[0].child", "cannot be a child", "under bodies"),
    ("five_bar", "joints/3/child", "rod1", "joints[3].child", "already the child of joint 'elbow1'", "under loops"),
    ("five_bar", "joints/3/child", "rod1", "bodies[3].name", "body 'rod2' has no joint", "child: rod2"),
    ("five_bar", "joints/1/parent", "rod1", "joints[0].parent", "elbow1, motor1 carry one another", "under loops"),
    ("five_bar", "joints/0/parent", "rod1", "joints[0].parent", "joints elbow1 carry", "under loops"),
    ("five_bar", "joints/0/name", "motor1", "joints[1].name", "joint name 'motor1' is used twice", "of its own"),
    ("five_bar", "joints/0/name", "gravity", "joints[0].name", "reserved", "another name"),
    ("five_bar", "joints/0/type", "wheel", "joints[0].type", "not one of", "free"),
    ("five_bar", "joints/0/type", "constant_length", "joints[0].type", "not one of", "free"),
    ("five_bar", "joints/0/axis", [0, 0, 2], "joints[0].axis", "length 2", "unit vector"),
    ("five_bar", "joints/0/body", {"mass": 1}, "joints[0].body", "unknown key", "child"),
    ("five_bar", "joints/2/pose", {"position": [1, 0, 0]}, "joints[2].pose", "placed twice", "either pose or mdh"),
    ("five_bar", "joints/3/spring/stiffness", "3 N/m", "spring.stiffness", "another dimension", "N.m/rad"),
    ("five_bar", "joints", "-", "bodies[0].name", "no joint", "child: crank1"),
    ("five_bar", "joints", {}, "joints", "not a list", "a list"),
    ("five_bar", "bodies", "-", "joints[0].child", "no body 'rod1' under bodies", "one of"),
    ("five_bar", "bodies/0/name", "-", "bodies[0].name", "without a name", "refer to"),
    ("five_bar", "bodies/0/name", "world", "bodies[0].name", "reserved", "another name"),
    ("five_bar", "bodies/2/name", "crank1", "bodies[2].name", "body name 'crank1' is used twice", "of its own"),
    ("five_bar", "bodies/0/mass", -1, "bodies[0].mass", "negative mass", "not negative"),
    ("five_bar", "bodies/1/telescopic/joint", "elbw1", "telescopic.joint", "that there is not", "'elbow1'"),
    ("five_bar", "bodies/1/telescopic/inertia/yy", [0, "1 kg.m", 0], "inertia.yy[1]", "another dimension", "kg.m2/rad"),
    ("mixed", "bodies/0/telescopic", {"joint": "swing", "inertia": {}}, "joint", "no scalar coordinate", "lift"),
    ("five_bar", "loops/0/first/body", "rodd1", "loops[0].first.body", "no body 'rodd1'", "'rod1'"),
    ("five_bar", "loops/0/second/body", "rod1", "loops[0].second.body", "on the same body", "two bodies"),
    ("five_bar", "loops/0/second", "-", "loops[0].second", "missing", "second"),
    ("five_bar", "loops/0/second/position", [0, 0, 0], "loops[0].second.position", "did you mean 'pose'", "body"),
    ("five_bar", "loops/0/name", "motor1", "loops[0].name", "loop name 'motor1' is already a joint's", "of its own"),
    ("five_bar", "loops/0/name", "-", "loops[0].name", "missing", "name"),
    ("five_bar", "loops/0/type", "free", "loops[0].type", "not one of", "spherical"),
    ("five_bar", "loops/0/type", "universal", "loops[0].axes", "without its axes", "[first, second]"),
    ("five_bar", "loops/0/type", "constant_length", "loops[0].length", "constant_length loop without", "length in m"),
    ("five_bar", "loops/0/length", 1, "loops[0].length", "length on a revolute loop", "only on constant_length"),
    ("five_bar", "springs/0/to/body", "rod3", "springs[0].to.body", "no body 'rod3'", "'rod2'"),
    ("five_bar", "platform", "crank3", "platform", "no body 'crank3' under bodies", "'crank2'"),
    ("delta", "platform", "plate", "platform", "no body 'plate' under bodies", "a mapping with its mass"),
    ("delta", "platform", "-", "platform", "legs without a platform", "under bodies"),
    ("delta", "legs", "-", "legs", "missing", "bodies and joints"),
    ("five_bar", "home/pose", {}, "home.pose", "a pose without a platform", "joints"),
    ("five_bar", "initial", {"pose": {}}, "initial.pose", "a pose without a platform", "joints"),
    ("delta", "home/pose", "-", "home.pose", "home without a pose", "pose"),
    ("delta", "home", "-", "home", "missing", "home"),
    ("five_bar", "home/joints/motr1", 0, "home.joints.motr1", "no joint 'motr1'", "'motor1'"),
    ("five_bar", "home/joints/motor1", "3 mm", "home.joints.motor1", "another dimension", "angle"),
    ("five_bar", "velocities", "platform", "velocities", "a platform that there is not", "drives"),
    ("five_bar", "velocities", "motors", "velocities", "not a choice", "platform, drives"),
    ("five_bar", "velocities", [], "velocities", "not a choice", "platform, drives"),
    ("five_bar", "velocities", ["motor1", 3], "velocities[1]", "not a text", "a name"),
    ("five_bar", "velocities", ["motor1", "motor"], "velocities[1]", "no velocity 'motor'", "'motor"),
    ("five_bar", "velocities", ["motor1", "motor1"], "velocities[1]", "used twice", "of its own"),
    ("five_bar", "velocities", ["motor1", "vx"], "velocities[1]", "no velocity 'vx'", "one of"),
    ("mixed", "velocities", ["wrist_qx"], "velocities[0]", "no velocity 'wrist_qx'", "'wrist_w"),
    ("mixed", "velocities", ["swing"], "velocities[0]", "no velocity 'swing'", "'swing_"),
    ("five_bar", "drive_sharing", "equal", "drive_sharing", "not one of", "least_norm"),
    ("five_bar", "joints/1/drive/weight", 0, "joints[1].drive.weight", "zero", "positive"),
    ("five_bar", "joints/1/drive/weight", "-", "joints[1].drive.weight", "without a weight", "on every drive"),
    ("delta", "legs/1/joints", {"motor": {"drive": {"weight": 1}}}, "drive.weight", "without a weight", "on every"),
    ("mixed", "joints/0/name", "x", "joints[0].name", "-", "-"),
    ("mixed", "joints/1/name", "x", "joints[1].name", "'x' is part of the platform's pose", "another name"),
    ("mixed", "joints/1/name", "swing_1", "joints[2].name", "would be called 'swing_1'", "another name"),
    ("mixed", "joints/1/name", "wrist_wx", "joints[1].name", "would be called 'wrist_wx'", "another name"),
    ("mixed", "joints/1/name", "strut", "joints[1].name", "already a leg's", "of its own"),
    ("mixed", "bodies/0/name", "strut", "bodies[0].name", "already a leg's", "of its own"),
    ("mixed", "joints/1/child", "strut.lower", "joints[1].child", "has its joint already", "loops"),
    ("delta", f"{ARM}/chain/2/on", "moto", "chain[2].on", "no joint 'moto' in the leg", "'motor'"),
    ("delta", f"{ARM}/chain/1/on", "right", "chain[1].on", "not before it in the chain", "base"),
    ("delta", f"{ARM}/chain/0/on", "motor", "chain[0].on", "not before it in the chain", "base"),
    ("delta", f"{ARM}/chain/1/name", "motor_1", "chain[1].name", "-", "-"),
    ("delta", f"{ARM}/chain/0/name", "left_1", "chain[1].name", "would be called 'left_1'", "another name"),
    ("delta", f"{ARM}/loops/0/name", "motor", "loops[0].name", "loop name 'motor' is already a joint's", "of its own"),
    ("delta", f"{ARM}/loops/0/first/body", "lef_rod", "first.body", "in the leg or the robot", "'left_rod'"),
    ("delta", f"{ARM}/loops/0/second/body", "left_rod", "second.body", "on the same body", "two bodies"),
    ("delta", f"{ARM}/loops/0/seconds", {}, "loops[0].seconds", "did you mean 'second'", "one of"),
    ("delta", "legs/1/loops/left", {}, "legs[1].loops.left", "override of a loop 'left'", "'left_ball'"),
    ("delta", "legs/1/loops/left_ball", 3, "legs[1].loops.left_ball", "not a mapping", "keys to change"),
    ("delta", "legs/1/loops", 3, "legs[1].loops", "not a list", "a list"),
    ("five_bar", "loops/0/limits", {"lower": -0.1}, "loops[0].limits.lower", "has no coordinate", "in the tree"),
    ("five_bar", "loops/0/limits", {"speed": 2}, "loops[0].limits.speed", "has no coordinate", "in the tree"),
    ("delta", "legs/1/name", "plate", "legs[1].name", "leg name 'plate' is already the platform's", "of its own"),
    ("mixed", "home/joints/wrist", [0, 0, 0, 0], "home.joints.wrist", "a quaternion of norm 0", "norm 1"),
    ("mixed", "home/joints/wrist", [0.9, 0.1, 0, 0], "home.joints.wrist", "a quaternion of norm 0.90", "norm 1"),
    ("delta", "legs/1/loops/right_ball/limits/cone", -1, "legs[1].loops.right_ball.limits.cone", "negative", "angle"),
    ("delta", f"{ARM}/loops", "-", "legs[1].loops", "the leg has none", "a list of loops"),
    ("mixed", "legs/0/chain/0/body/name", "link", "loops[2].first.body", "of the leg and of the robot", "another name"),
    ("mixed", "legs/0/chain/0/name", "base", "chain[2].on", "and a joint of the leg", "another name"),
]


@pytest.mark.parametrize(
    ("name", "place", "value", "path", "message", "expected"), CASES, ids=[f"{c[0]}-{c[1]}={c[2]}" for c in CASES]
)
def test_problem(name, place, value, path, message, expected):
    document = text(put(form(name), place, value))
    found = problems(document)
    if message == "-":
        assert not any("would be called" in p.message for p in found)
        return
    hit = [p for p in found if message in p.message and p.path.endswith(path) and expected in p.expected]
    assert hit, "\n".join(map(str, found))
    assert hit[0].file == "robot.yaml"
    assert hit[0].line


def test_all_problems_at_once():
    data = form("mixed")
    for place, value in [
        ("platform", "plat"),
        ("joints/0/parent", "nothing"),
        ("joints/2/axes", [[1, 0, 0], [1, 0, 0]]),
        ("bodies/0/mass", -1),
        ("loops/0/length", -1),
        ("loops/1/first/body", "strut.lover"),
        ("legs/0/loops/0/first/body", "uper"),
        ("velocities", ["vq"]),
        ("home/joints/lif", 1),
    ]:
        put(data, place, value)
    found = problems(text(data))
    others = {"no body 'plate' in the leg or the robot"}
    assert len([p for p in found if p.message not in others]) == 9, "\n".join(map(str, found))


def test_the_line_of_a_loop_in_a_leg():
    (problem,) = problems(MIXED.replace("first: {body: upper}", "first: {body: uper}"))
    assert "first: {body: upper}" in MIXED.splitlines()[(problem.line or 0) - 1]
    assert problem.path == "legs[0].loops[0].first.body"
    assert "'upper'" in problem.expected


def test_a_mistake_in_the_loops_of_a_template_is_reported_once():
    data = put(form("delta"), "templates/arm/loops/0/first/body", "lef_rod")
    (problem,) = problems(text(data))
    assert problem.path == "templates.arm.loops[0].first.body"


def test_two_circles_are_two_problems():
    document = FIVE_BAR.replace("parent: world\n    child: crank1", "parent: rod1\n    child: crank1")
    document = document.replace("parent: world, child: crank2", "parent: rod2, child: crank2")
    found = [p for p in problems(document) if "circle" in p.message]
    assert [p.path for p in found] == ["joints[0].parent", "joints[2].parent"]


def test_velocities_of_a_robot_without_drives():
    document = MIXED.replace(", drive: {}", "").replace(
        "velocities: [vz, lift, wrist_wx, swing_2]", "velocities: drives"
    )
    assert [p.message for p in problems(document)] == ["the velocities of drives that there are not"]


def test_nothing_at_all():
    (problem,) = problems("format: 1\nname: nothing\n")
    assert "legs or joints" in problem.message
    (problem,) = problems("format: 1\nname: nothing\njoints: []\n")
    assert (problem.path, problem.message) == ("joints", "no joints")


@pytest.mark.parametrize("velocities", ["platform", "drives", "[vx, leg0.slide, leg0.hip_1, back.hip_2]"])
def test_velocities_of_legs(velocities):
    assert problems(VALID.replace("home:\n", f"velocities: {velocities}\nhome:\n")) == []


def test_python_reports_in_the_same_way():
    block, end = Body(name="block", mass=1), LoopEnd(body="block")
    joint = TreeJoint(name="slider", type="prismatic", parent="world", child="block")
    with pytest.raises(ValueError, match="already the child of joint 'slider'"):
        Robot(name="a", bodies=(block,), joints=(joint, joint.model_copy(update={"name": "other"})))
    with pytest.raises(ValueError, match="on the same body"):
        Robot.model_validate(
            {
                "name": "a",
                "bodies": [block],
                "joints": [joint],
                "loops": [{"name": "l", "type": "spherical", "first": end, "second": end}],
            }
        )
    with pytest.raises(ValueError, match="legs without a platform"):
        Robot.model_validate({"name": "a", "legs": [{"name": "l", "chain": [{"name": "j", "type": "revolute"}]}]})
