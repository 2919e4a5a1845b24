"""URDF against Pinocchio's own reading of the same file, and what is said of what cannot be carried over."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.interchange import ConversionWarning
from interchange.urdf_files import LIMIT, OWN, PLUS, arm, four_bar, hexapod, joint, link, robot, write
from interchange.urdf_peer import Tied, UrdfPeer, largest_difference

PIN = Tied("coupler", "rocker", "revolute", ((0.5, 0, 0), np.eye(3)), ((0.37, 0, -0.02), np.eye(3)))
TWO = link("a") + link("b", np.random.default_rng(1))


def load(folder, text, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = gough.load(write(folder, text), **options)
    return made, [str(w.message) for w in caught if issubclass(w.category, ConversionWarning)]


def problems(folder, text, **options):
    with pytest.raises(gough.DescriptionError) as found:
        gough.load(write(folder, text), **options)
    return found.value.problems


def one_joint(more="", kind="revolute", at=""):
    return robot(TWO, joint("j", kind, "a", "b", at, more))


# -- dynamics -----------------------------------------------------------------------------------------------------------


def test_a_tree_with_losses_and_a_follower(tmp_path):
    file = write(tmp_path, arm())
    model = gough.build(file)
    assert model.layout.drive_names == ("shoulder", "lift", "spin", "close")
    assert largest_difference(model, UrdfPeer(file, couplings=[{"follow": 1.0, "close": 1.5}])) < 1e-12
    assert model.home.tolist() == [0, 0, 0, 0, 0.2]  # what leads stays at zero


def test_an_asymmetric_four_bar_of_urdf_plus(tmp_path):
    file = write(tmp_path, four_bar(PLUS))
    model = gough.build(gough.load(file, drives=["motor"]))
    assert largest_difference(model, UrdfPeer(file, [PIN])) < 1e-12


def test_a_hexapod_with_loops_of_its_own_file(tmp_path):
    text, loops = hexapod()
    file, beside = write(tmp_path, text), write(tmp_path, loops, "balls.yaml")
    made = gough.load(file, loops=beside)
    assert made.platform == "top_plate"
    model = gough.build(made, velocities="drives")
    points = [loop.second.pose.position for loop in made.loops]
    ties = [
        Tied(f"rod{k}", "top_plate", "spherical", ((0, 0, 0.02), np.eye(3)), (points[k], np.eye(3))) for k in range(6)
    ]
    assert largest_difference(model, UrdfPeer(file, ties)) < 1e-11
    np.testing.assert_allclose(model.home[:3], [0.02, -0.01, 0.6], atol=1e-12)  # where the floating joint puts it
    assert made.joints[-1].drive is not None and made.joints[-1].drive.stroke == (0.1, 0.7)


def test_a_floating_base_is_free_and_planar_joints_slide(tmp_path):
    rng = np.random.default_rng(2)
    text = robot(
        link("world"),
        link("torso", rng),
        link("leg", rng),
        joint("base", "floating", "world", "torso", 'xyz="0 0 1" rpy="0.1 0.2 0.3"'),
        joint("hip", "revolute", "torso", "leg", 'xyz="0 0.1 0"', LIMIT),
    )
    file = write(tmp_path, text)
    model = gough.build(file)
    assert model.layout.idle_names[:3] == ("base_x", "base_y", "base_z")
    assert [body.name for body in model.robot.bodies] == ["torso", "leg"]  # the root called world is the world
    assert largest_difference(model, UrdfPeer(file)) < 1e-12
    made, _ = load(tmp_path, one_joint('<axis xyz="0 0 1"/>', "planar"))
    assert made.joints[1].type == "planar"


def test_springs_of_gazebo_act(tmp_path):
    spring = '<gazebo reference="j"><springStiffness>3</springStiffness><springReference>0.1</springReference></gazebo>'
    made, said = load(tmp_path, robot(TWO, joint("j", "revolute", "a", "b", "", LIMIT), spring))
    model, plain = gough.build(made), gough.build(load(tmp_path, one_joint(LIMIT))[0])
    torque = [m.inverse_dynamics([0.5], [0.0], [0.0]).tau for m in (model, plain)]
    np.testing.assert_allclose(torque[0] - torque[1], [3 * 0.4], rtol=1e-12)
    assert not said


@pytest.mark.parametrize("kind", ["revolute", "ball", "fixed"])
def test_joints_that_gazebo_adds_close_loops_where_zero_has_them(tmp_path, kind):
    """A triangle of three bars that is closed at zero."""
    rng = np.random.default_rng(4)
    text = robot(
        link("ground"),
        link("left", rng),
        link("right", rng),
        joint("a", "continuous", "ground", "left", 'rpy="0 0 0.5"', '<axis xyz="0 0 1"/>'),
        joint("b", "continuous", "ground", "right", 'xyz="1 0 0" rpy="0 0 2"', '<axis xyz="0 0 1"/>'),
        f'<gazebo><joint name="tie" type="{kind}"><parent>left</parent><child>right</child><pose>0.3 0.1 0 0 0 0.7</pose>'
        "<axis><xyz>0 0 1</xyz></axis></joint></gazebo>",
    )
    made, _ = load(tmp_path, text)
    loop = made.loops[0]
    assert (loop.type, loop.second.pose.position) == ({"ball": "spherical"}.get(kind, kind), (0.3, 0.1, 0.0))
    at = np.array([np.cos(2), np.sin(2)]) * 0.3 + np.array([-np.sin(2), np.cos(2)]) * 0.1 + [1, 0]
    turn = np.array([[np.cos(0.5), np.sin(0.5)], [-np.sin(0.5), np.cos(0.5)]])
    np.testing.assert_allclose(loop.first.pose.position[:2], turn @ at, atol=1e-14)


def test_a_link_that_two_joints_carry_closes_a_loop(tmp_path):
    rng = np.random.default_rng(6)
    text = robot(
        link("ground"),
        *(link(name, rng) for name in ("left", "bar", "right")),
        joint("a", "revolute", "ground", "left", "", LIMIT + '<axis xyz="0 0 1"/>'),
        joint("b", "continuous", "left", "bar", 'xyz="0 1 0"', '<axis xyz="0 0 1"/>'),
        joint("c", "continuous", "ground", "right", 'xyz="2 0.1 0"', '<axis xyz="0 0 1"/>'),
        link("tip"),
        joint("weld", "fixed", "bar", "tip", 'xyz="2.2 0 0"'),
        joint("d", "continuous", "right", "tip", 'xyz="0.2 0.9 0"', '<axis xyz="0 0 1"/>'),
    )
    made, said = load(tmp_path, text, drives="a")
    assert len(made.loops) == 1
    assert any("two joints carry" in text for text in said)
    model = gough.build(made)
    np.testing.assert_allclose((model.mobility, *model.home), (1, 0, 0, 0), atol=1e-12)


def test_the_platforms_frame_is_the_links_though_the_tree_reaches_it_from_its_child(tmp_path):
    """The ball between crank and plate is cut, so the rocker carries the plate; its origin is the ball's centre all the same."""
    rng, axis, c, s = np.random.default_rng(3), '<axis xyz="{}"/>'.format, np.cos(0.3), np.sin(0.3)
    text = robot(
        link("base"),
        *(link(name, rng) for name in ("crank", "plate", "rocker", "mid")),
        joint("motor", "continuous", "base", "crank", 'xyz="0 0 0.1"', axis("0 1 0")),
        joint("ball", "spherical", "crank", "plate", 'xyz="0.2 0 0.05" rpy="0.1 0.2 0.3"'),
        joint("knee", "continuous", "plate", "rocker", 'xyz="0.4 0.02 0.1" rpy="0.2 0.1 0"', axis("0 1 0.1")),
        joint("foot", "continuous", "base", "mid", 'xyz="0.6 0.1 0"', axis("0 1 0")),
        joint("hip", "continuous", "mid", "rocker", 'xyz="0.1 0 0.3"', axis("1 0 0")),
    )
    made, _ = load(tmp_path, text, platform="plate", drives="motor")
    assert [loop.name for loop in made.loops] == ["ball"]
    model = gough.build(made, velocities="drives")
    pose = model.configuration(drives=[0.3])[:7]
    np.testing.assert_allclose(pose[:3], [0.2 * c + 0.05 * s, 0.0, 0.1 - 0.2 * s + 0.05 * c], atol=1e-12)
    tip = model.frame_pose(model.configuration(drives=[0.3]), "rocker")[0] - pose[:3]  # where the knee is on the plate
    turn = Rotation.from_quat(np.roll(pose[3:], -1))
    np.testing.assert_allclose(turn.inv().apply(tip), [0.4, 0.02, 0.1], atol=1e-12)


def test_rpy_keeps_its_digits_and_axes_their_direction(tmp_path):
    made, _ = load(
        tmp_path, one_joint(LIMIT + '<axis xyz="0 3 -4"/>', at='xyz="0.1 0.2 0.3" rpy="0.1 0.20000000000000001 1.5708"')
    )
    pose = made.joints[1].placement
    assert (pose.position, pose.rpy_zyx) == ((0.1, 0.2, 0.3), (1.5708, 0.2, 0.1))
    assert made.joints[1].axis == (0.0, 0.6, -0.8)
    quaternion, _ = load(tmp_path, one_joint(LIMIT, at='quat_xyzw="0 0 0.6 0.8"'))
    assert quaternion.joints[1].placement.quaternion_wxyz == (0.8, 0.0, 0.0, 0.6)


# -- motors -------------------------------------------------------------------------------------------------------------


def motors(folder, *parts):
    made, said = load(
        folder,
        robot(
            TWO,
            link("c", np.random.default_rng(8)),
            joint("j", "revolute", "a", "b", "", LIMIT),
            joint("k", "prismatic", "b", "c", "", LIMIT),
            *parts,
        ),
    )
    return {j.name: j.drive for j in made.joints if j.drive is not None}, said


def test_transmissions_drive_joints_with_rotors_behind_gears(tmp_path):
    found, said = motors(
        tmp_path,
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="k">'
        "<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name='m'>"
        "<mechanicalReduction>30</mechanicalReduction><rotorInertia>2e-5</rotorInertia></actuator></transmission>",
    )
    assert list(found) == ["k"] and not said
    assert (found["k"].rotor_inertia, found["k"].gear) == (2e-5, 30.0)


def test_ros2_control_drives_what_it_commands(tmp_path):
    found, _ = motors(
        tmp_path,
        '<ros2_control name="r" type="system"><joint name="j"><state_interface name="position"/></joint>'
        '<joint name="k"><command_interface name="position"/></joint></ros2_control>',
    )
    assert list(found) == ["k"]


def test_transmissions_of_several_joints_and_of_none_are_said(tmp_path):
    found, said = motors(
        tmp_path,
        '<transmission name="d"><type>a/DifferentialTransmission</type><joint name="j"/><joint name="k"/>'
        '<actuator name="1"/><actuator name="2"/></transmission>',
        '<transmission name="e"><joint name="no"/><actuator name="1"/></transmission>',
        '<transmission name="f"><joint name="j"/></transmission>',
    )
    assert list(found) == ["j", "k"]
    assert all(any(word in text for text in said) for word in ("DifferentialTransmission", "'no'", "without a joint"))


def test_without_motors_everything_that_leads_is_driven(tmp_path):
    assert list(motors(tmp_path)[0]) == ["j", "k"]


def test_a_motor_of_a_follower_is_left_out(tmp_path):
    mimic = LIMIT + '<mimic joint="j"/>'
    text = robot(
        TWO,
        link("c", np.random.default_rng(8)),
        joint("j", "revolute", "a", "b", "", LIMIT),
        joint("k", "revolute", "b", "c", "", mimic),
        *(f'<transmission name="{n}"><joint name="{n}"/><actuator name="a"/></transmission>' for n in "jk"),
    )
    made, said = load(tmp_path, text)
    assert [j.name for j in made.joints if j.drive is not None] == ["j"]
    assert any("needs no motor" in text for text in said)


# -- what is left out, and what is refused ------------------------------------------------------------------------------


def test_what_does_not_matter_is_said_once_with_its_line(tmp_path):
    collision = "<collision><geometry><sphere radius='1'/></geometry></collision>"
    text = robot(
        link("a", more=collision),
        link("b", np.random.default_rng(1), collision),
        joint("j", "revolute", "a", "b", "", LIMIT + '<safety_controller k_velocity="1"/><calibration rising="0"/>'),
        '<gazebo reference="a"><mu1>0.2</mu1><turnGravityOff>true</turnGravityOff></gazebo>',
        "<gazebo><plugin name='p' filename='x.so'/></gazebo><sensor/><weird/>",
    )
    _, said = load(tmp_path, text)
    words = ("collisions", "safety_controller", "calibration", "settings", "weigh", "sensors are", "<weird>")
    assert all(sum(word in text for text in said) == 1 for word in words)
    assert (
        "made.urdf:3: link 'a': shapes for collisions are left out: nothing collides here (and in 1 more place)"
        in said[0].replace(str(tmp_path) + "/", "")
    )


REFUSED = {
    "no number": ('<mass value="heavy"/>', "value is no number"),
    "no mass": ("", "without a mass"),
    "infinite": ('<mass value="1e999"/>', "value is too large"),
    "negative": ('<mass value="-1"/>', "a negative mass"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_masses(tmp_path, case):
    mass, told = REFUSED[case]
    tensor = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    text = robot(link("a"), f'<link name="b"><inertial>{mass}{tensor}</inertial></link>', joint("j", "fixed", "a", "b"))
    assert [p.message for p in problems(tmp_path, text) if told in p.message]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (one_joint(kind="screw"), "of type 'screw'"),
        (one_joint('<axis xyz="0 0 0"/>'), "length 0"),
        (one_joint('<axis xyz="0 0"/>'), "not 3 numbers"),
        (one_joint('<limit lower="x"/>'), "lower is no number"),
        (one_joint('<dynamics damping="-1"/>'), "negative damping"),
        (one_joint('<mimic joint="j"/>'), "follows itself"),
        (one_joint('<mimic joint="k"/>'), "'k', which is no joint"),
        (one_joint(at='rpy="0 0 0" quat_xyzw="0 0 0 1"'), "by rpy and by quat"),
        (one_joint(at='xyz="nan 0 0"'), "not 3 numbers"),
        (one_joint('<origin xyz="0 0 0"/><origin/>'), "second time"),
        (robot(TWO), "a second root"),
        (robot(TWO, joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")), "circle"),
        (robot(TWO, joint("j", "fixed", "a", "c")), "no link 'c'"),
        (robot(TWO, joint("j", "fixed", "a", "a")), "to itself"),
        (robot(TWO, link("a"), joint("j", "fixed", "a", "b")), "the link 'a' a second time"),
        (robot(TWO, joint("j", "fixed", "a", "b"), joint("j", "fixed", "a", "b")), "the joint 'j' a second time"),
        (robot(), "without links"),
        (robot('<link name="x\u202ey"/>'), "cannot be shown"),
        (robot(TWO, '<joint name="j" type="fixed"/>'), "without <parent>"),
        (robot(TWO, "<xacro:macro/>"), "xacro"),
        (one_joint('<limit lower="${a}"/>'), "xacro"),
        ('<sdf version="1.7"/>', "in the place of <robot>"),
        ("<robot", "not XML"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", "document type"),
        (four_bar(PLUS.replace("revolute", "helical")), "a loop of type 'helical'"),
        (four_bar(PLUS.replace('"rocker"', '"coupler"')), "from a link to itself"),
        (four_bar(PLUS.replace('name="pin"', 'name="foot"')), "a second time"),
        (
            four_bar('<coupling name="c"><predecessor link="crank"/><successor link="tilted"/></coupling>'),
            "fewer than two joints",
        ),
        (four_bar('<gazebo><joint name="g" type="gearbox"><parent>a</parent></joint></gazebo>'), "'gearbox'"),
    ],
)
def test_refused_in_words(tmp_path, text, told):
    found = problems(tmp_path, text)
    assert any(told in p.message for p in found), [str(p) for p in found]
    assert all(p.file.endswith("made.urdf") for p in found)


def test_all_problems_are_told_at_once_with_their_lines(tmp_path):
    text = robot(
        link("a"),
        link("b"),
        joint("j", "revolute", "a", "b", 'xyz="0 0 x"', '<limit lower="no" upper="1"/>'),
        joint("k", "bent", "a", "c"),
    )
    found = problems(tmp_path, text)
    assert [(p.line, p.path) for p in found] == [
        (5, "joint 'j'.origin"),
        (5, "joint 'j'.limit"),
        (6, "joint 'k'"),
        (6, "joint 'k'.child"),
    ]


def test_bounds_that_bound_nothing_are_left_out(tmp_path):
    made, said = load(tmp_path, one_joint('<limit lower="1" upper="-1" effort="-1" velocity="0"/>'))
    drive = made.joints[1].drive
    assert drive is not None and (drive.stroke, drive.force_limit, drive.speed_limit) == (None, None, None)
    assert len(said) == 2
    far = '<limit lower="-inf" upper="1.7976931348623157e308" effort="1e999" velocity="1e6"/>'
    made, said = load(tmp_path, one_joint(far))
    assert made.joints[1].drive == drive and not said


def test_properties_of_old_are_left_out(tmp_path):
    made, said = load(tmp_path, one_joint(LIMIT + '<joint_properties damping="0.7"/>'))
    assert made.joints[1].drive is not None and made.joints[1].drive.viscous == 0
    assert len(said) == 1 and "<dynamics>" in said[0]
    assert not load(tmp_path, one_joint(LIMIT + '<joint_properties friction="0.0"/>'))[1]


def test_a_world_that_is_not_written_down(tmp_path):
    made, _ = load(tmp_path, robot(link("b", np.random.default_rng(1)), joint("j", "continuous", "world", "b")))
    assert [(j.name, j.parent) for j in made.joints] == [("j", "world")]


def test_a_namespace_of_xacro_alone_is_let_pass(tmp_path):
    text = one_joint(LIMIT).replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ')
    assert load(tmp_path, text)[0].joints[1].name == "j"


def test_the_independent_joints_of_urdf_plus_are_driven(tmp_path):
    text = four_bar(PLUS)
    for name in ("elbow", "foot"):
        text = text.replace(f'name="{name}" ', f'name="{name}" independent="false" ')
    made, _ = load(tmp_path, text)
    assert [j.name for j in made.joints if j.drive is not None] == ["motor"]


def test_the_ratio_of_a_coupling_is_between_ways_from_the_common_ancestor(tmp_path):
    """As of a motor on the thigh that turns the ankle by a belt over the knee: 4 (knee + ankle) = rotor."""
    rng = np.random.default_rng(7)
    text = robot(
        link("hip"),
        *(link(n, rng) for n in ("thigh", "shank", "foot", "rotor")),
        joint("hips", "continuous", "hip", "thigh"),
        joint("knee", "continuous", "thigh", "shank", 'xyz="0 0 -0.4"'),
        joint("ankle", "continuous", "shank", "foot", 'xyz="0 0 -0.4"'),
        joint("motor", "continuous", "thigh", "rotor", 'xyz="0 0 -0.1"'),
        '<coupling name="belt" type="rolling"><predecessor link="foot"/><successor link="rotor"/><ratio value="4"/></coupling>',
    )
    file = write(tmp_path, text)
    made = gough.load(file, drives=["hips", "knee", "motor"])
    assert made.couplings[0].coefficients == {"ankle": 4.0, "knee": 4.0, "motor": -1.0}
    model = gough.build(made)
    assert largest_difference(model, UrdfPeer(file, couplings=[{"ankle": 4, "knee": 4, "motor": -1}])) < 1e-12


def test_names_that_a_description_cannot_have_are_changed_and_known(tmp_path):
    made, _ = load(tmp_path, arm())
    assert made.name == "an_arm_7"
    assert made.source == {
        "file": "made.urdf",
        "format": "URDF",
        "renamed bodies": {"base_link": "base-link", "upper_arm": "upper/arm"},
        "renamed joints": {"base_link_base": "base-link_base"},
    }


def test_loops_beside_are_taken_and_said(tmp_path):
    write(tmp_path, OWN, "made.loops.yaml")
    made, said = load(tmp_path, four_bar())
    assert len(made.loops) == 1
    assert any("made.loops.yaml beside it" in text for text in said)
