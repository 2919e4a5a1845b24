"""Words of URDF files that other programs take otherwise: what is meant is read, or said."""

import warnings

import numpy as np
import pinocchio as pin
import pytest

import gough
from interchange.reading import read_quietly, remarks
from interchange.urdf_files import LIMIT, four_bar, joint, link, robot, write
from interchange.urdf_peer import Tied, UrdfPeer, largest_difference

RNG = np.random.default_rng(3)
TENSOR = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = '<inertial><origin xyz="{x} 0 0"/><mass value="{m}"/>' + TENSOR + "</inertial>"


def test_names_that_are_legal_mean_their_own_joint(tmp_path):
    """Beside Pinocchio: gravity on the joint of each name."""
    body = "".join(
        f'<link name="{name}">{INERTIAL.format(x=x, m=m)}</link>' for name, x, m in (("a", 0.1, 1.0), ("b", 0.5, 20.0))
    )
    axis = '<axis xyz="0 1 0"/>'
    text = robot(
        '<link name="base"/>',
        body,
        joint("axis 1", "continuous", "base", "a", "", axis),
        joint("axis_1", "continuous", "base", "b", "", axis),
    )
    file = write(tmp_path, text)
    model = gough.build(read_quietly(file))
    peer = pin.buildModelFromUrdf(str(file))
    tau = pin.rnea(peer, peer.createData(), pin.neutral(peer), np.zeros(2), np.zeros(2))
    index = model.layout.drive_names.index("axis_1")
    gravity = model.inverse_dynamics(model.home, [0.0, 0.0], [0.0, 0.0]).tau[index]
    assert gravity == pytest.approx(tau[peer.joints[peer.getJointId("axis_1")].idx_v], rel=1e-12)
    assert gravity == pytest.approx(-20.0 * 9.81 * 0.5, rel=1e-12)


def chain(more: str) -> str:
    parts = [link("base"), *(link(name, RNG) for name in "abc")]
    ends = [("j1", "base", "a"), ("j2", "a", "b"), ("j3", "b", "c")]
    return robot(*parts, *(joint(n, "revolute", p, c, "", LIMIT) for n, p, c in ends), more)


def test_ros2_control_says_what_follows(tmp_path):
    words = '<param name="mimic">j1</param><param name="multiplier">-2</param><param name="offset">0.1</param>'
    led = '<joint name="j1"><command_interface name="effort"/></joint>'
    control = f'<ros2_control name="x" type="system">{led}<joint name="j2">{words}</joint></ros2_control>'
    made = read_quietly(write(tmp_path, chain(control)))
    (found,) = made.couplings
    assert (found.type, found.joint, found.of, found.ratio, found.offset) == ("mimic", "j2", "j1", -2.0, 0.1)
    assert [j.name for j in made.joints if j.drive] == ["j1"]
    with pytest.raises(gough.DescriptionError, match="'nobody', which is no other joint"):
        read_quietly(write(tmp_path, chain(control.replace(">j1</param>", ">nobody</param>"))))


def test_angles_of_many_turns_are_said(tmp_path):
    text = robot(link("base"), link("a", RNG), joint("j", "continuous", "base", "a", 'rpy="90 0 0"'))
    assert "rpy turns by 90 rad, 14.3 turns" in remarks(write(tmp_path, text))
    (tmp_path / "made.loops.yaml").write_text("home: {joints: {j1: 30, j2: 30 deg}}\n", encoding="utf-8")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        gough.load(write(tmp_path, chain("")))
    units = [str(w.message) for w in told if w.category.__name__ == "UnitWarning"]
    assert len(units) == 1 and "30 without a unit is 30 rad" in units[0] and "j1" in units[0]


def test_blocks_of_gazebo_for_nobody_and_blocks_that_disagree(tmp_path):
    def block(name: str, inside: str) -> str:
        return f'<gazebo reference="{name}">{inside}</gazebo>'

    stiff = "<springStiffness>5</springStiffness>"
    rest = "<springReference>0.2</springReference>"
    told = remarks(write(tmp_path, chain(block("joint_j2", stiff) + block("j22", stiff))))
    assert "<gazebo> of 'j22', which is no link and no joint, is left out; did you mean 'j2'?" in told
    assert "a spring at 'a', which is no joint that turns" in remarks(write(tmp_path, chain(block("a", stiff))))
    made = read_quietly(write(tmp_path, chain(block("j2", stiff) + block("j2", rest) + block("j2", stiff))))
    spring = next(j.spring for j in made.joints if j.name == "j2")
    assert (spring.stiffness, spring.rest) == (5.0, 0.2)
    with pytest.raises(gough.DescriptionError, match="<springStiffness> of 'j2' a second time and otherwise"):
        read_quietly(write(tmp_path, chain(block("j2", stiff) + block("j2", stiff.replace("5", "7")))))


BALL = """<drake:ball_constraint>
  <drake:ball_constraint_body_A name="coupler"/><drake:ball_constraint_p_AP value="0.5 0 0"/>
  <drake:ball_constraint_body_B name="rocker"/><drake:ball_constraint_p_BQ value="0.37 0 -0.02"/>
</drake:ball_constraint>"""
SPRING = """<drake:linear_spring_damper>
  <drake:linear_spring_damper_body_A name="a"/><drake:linear_spring_damper_p_AP value="1 2 3"/>
  <drake:linear_spring_damper_body_B name="c"/><drake:linear_spring_damper_p_BQ value="4 5 6"/>
  <drake:linear_spring_damper_free_length value="0.7"/><drake:linear_spring_damper_stiffness value="80"/>
  <drake:linear_spring_damper_damping value="9"/>
</drake:linear_spring_damper>"""


def of_drake(text: str) -> str:
    return text.replace("<robot", '<robot xmlns:drake="http://drake.mit.edu"')


def test_a_ball_of_drake_closes_its_loop(tmp_path):
    file = write(tmp_path, of_drake(four_bar(BALL)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build(gough.load(file, drives="motor"))
    assert (model.mobility, model.robot.loops[0].type) == (1, "spherical")
    assert largest_difference(model, UrdfPeer(file, [Tied("end_a", "end_b", "spherical")])) < 1e-12


def test_a_spring_of_drake_acts_between_its_points(tmp_path):
    (spring,) = read_quietly(write(tmp_path, of_drake(chain(SPRING)))).springs
    assert (spring.from_.body, tuple(spring.from_.position)) == ("a", (1.0, 2.0, 3.0))
    assert (spring.to.body, tuple(spring.to.position)) == ("c", (4.0, 5.0, 6.0))
    assert (spring.stiffness, spring.damping, spring.rest_length) == (80.0, 9.0, 0.7)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("<drake:linear_bushing_rpy/>", "<drake:linear_bushing_rpy> changes the dynamics"),
        ("<drake:tendon_constraint/>", "<drake:tendon_constraint> changes the dynamics"),
        ('<loop_joint name="l"/>', "<loop_joint> changes the dynamics"),
        (SPRING.replace('name="c"', 'name="d"'), "no link 'd'"),
        (SPRING.replace('"0.7"', '"0"'), "free_length> is 0"),
        (SPRING.replace("body_A", "body_X"), "without <drake:linear_spring_damper_body_A>"),
        (BALL.replace("coupler", "a").replace("rocker", "a"), "from a link to itself"),
        (BALL.replace("coupler", "a").replace("rocker", "b").replace('value="0.5 0 0"', ""), "without value"),
        (
            '<link name="d"/><drake:joint name="u" type="universal"><parent link="c"/><child link="d"/></drake:joint>',
            "<drake:joint> of type 'universal' changes the dynamics",
        ),
    ],
)
def test_mechanics_of_drake_without_a_counterpart_is_refused(tmp_path, more, told):
    with pytest.raises(gough.DescriptionError) as found:
        read_quietly(write(tmp_path, of_drake(chain(more))))
    assert told in found.value.problems[0].message and len(found.value.problems) == 1


def test_attributes_of_drake_that_nothing_reads_are_said(tmp_path):
    text = of_drake(chain("")).replace("<limit", '<dynamics drake:coulomb="1"/><limit drake:acceleration="3"', 1)
    said = remarks(write(tmp_path, text))
    assert "'drake:coulomb' of <dynamics> is not known" in said and "acceleration" not in said


def test_pairs_of_frames_that_nothing_closes_are_told(tmp_path):
    ends = [("a_tip", "c", "closing_pin_1"), ("b_tip", "base", "closing_pin_2")]
    more = "".join(f'<link name="{child}"/>' + joint(name, "fixed", parent, child) for name, parent, child in ends)
    file = write(tmp_path, chain(more), "robot.urdf")
    said = remarks(file)
    assert "'closing_pin_1' and 'closing_pin_2' look like the two sides of a loop" in said
    assert "{name: pin, type: revolute, first: {body: closing_pin_1}, second: {body: closing_pin_2}}" in said
    write(tmp_path, "loops: [{name: pin, type: spherical, first: {body: closing_pin_1}, second: {body: closing_pin_2}}]",
          "robot.loops.yaml")  # fmt: skip
    assert "look like" not in remarks(file)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('<mass value="', '<mass value="1e200" old="', "value is too large"),
        ("<origin xyz=", '<origin xyz="0 1e200 0" old=', "xyz has a number that is too large"),
        ('<mass value="', '<mass value="heavy" old="', "value is no number"),
    ],
)
def test_numbers_that_are_too_large_are_numbers(tmp_path, old, new, told):
    body = f'<link name="a">{INERTIAL.format(x=1, m=2)}</link>'
    text = robot(link("base"), body, joint("j", "revolute", "base", "a", "", LIMIT)).replace(old, new, 1)
    with pytest.raises(gough.DescriptionError) as found:
        read_quietly(write(tmp_path, text))
    (problem,) = found.value.problems
    assert problem.message == told and ("at most 1e+30" in problem.expected) == ("large" in told)


def test_new_names_of_other_alphabets_are_told(tmp_path):
    text = robot(link("base"), link("a", RNG), joint("плечо-1", "continuous", "base", "a"))
    file = write(tmp_path, text)
    assert "names of joints have the letters A to Z, digits and _: 'плечо-1' is _1" in remarks(file)
    assert "letters A to Z" not in remarks(write(tmp_path, text.replace("плечо-1", "axis 1")))
