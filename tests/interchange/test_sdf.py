"""SDF as read: the dynamics of what a file says is that of the mechanism it was written from, however its frames lie."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.errors import UsageError
from interchange.mechanisms import floater, four_bar, spatial_loop, tree
from interchange.reading import read_quietly, refusals, remarks, saved
from interchange.sdf_writing import SdfWriting
from reference.peers.facts import WORLD, BodyFact, Facts, JointFact, largest_difference

CLOSE = 1e-9
VERSIONS = ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"]


MECHANISMS = [(four_bar, "pin_a"), (spatial_loop, "motor"), (tree, None)]
SPREAD = [
    pytest.param(version, *m, marks=() if k % 3 == i or version in ("1.4", "1.9") else pytest.mark.slow)
    for k, version in enumerate(VERSIONS)
    for i, m in enumerate(MECHANISMS)
]
"""Every version and every mechanism, all of them together in the slow tests."""


@pytest.mark.parametrize(("version", "facts", "drives"), SPREAD)
def test_a_mechanism_is_the_same_however_its_frames_lie(tmp_path, version, facts, drives):
    writing = SdfWriting(facts(), version, seed=VERSIONS.index(version))
    text = writing.text()
    robot = read_quietly(saved(tmp_path, text), drives=drives)
    assert len(robot.loops) == (0 if facts is tree else 1)
    assert largest_difference(gough.build(robot), facts(), writing.frames) < CLOSE


@pytest.mark.parametrize(("name", "drive"), [("crank", "hinge"), ("coupler", "motor"), ("coupler", "hinge")])
def test_the_platforms_frame_is_the_links_whichever_way_it_is_reached(tmp_path, name, drive):
    writing = SdfWriting(spatial_loop(), "1.9", seed=5)
    robot = read_quietly(saved(tmp_path, writing.text()), drives=drive, platform=name)
    model = gough.build(robot, velocities="drives")
    pose = model.home[:7]
    np.testing.assert_allclose(pose[:3], writing.frames[name][:3, 3], atol=1e-12)
    turn = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix()
    np.testing.assert_allclose(turn, writing.frames[name][:3, :3], atol=1e-12)
    assert largest_difference(model, spatial_loop(), writing.frames) < CLOSE


@pytest.mark.parametrize("version", ["1.4", "1.9"])
def test_what_nothing_holds_floats(tmp_path, version):
    writing = SdfWriting(floater(), version, seed=3)
    robot = read_quietly(saved(tmp_path, writing.text()))
    assert [j.type for j in robot.joints] == ["free", "revolute", "revolute", "revolute"]
    assert largest_difference(gough.build(robot), floater(), writing.frames) < CLOSE


def link(name: str, pose: str = "", more: str = "", mass: float = 2.0) -> str:
    tensor = "<ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz>"
    inertial = f"<inertial><mass>{mass}</mass><inertia>{tensor}</inertia></inertial>"
    return f'<link name="{name}"><pose>{pose}</pose>{inertial}{more}</link>'


def hinge(name: str, parent: str, child: str, more: str = "", axis: str = "", kind: str = "revolute") -> str:
    own = f"<parent>{parent}</parent><child>{child}</child>{more}"
    return f'<joint name="{name}" type="{kind}">{own}<axis><xyz>0 0 1</xyz>{axis}</axis></joint>'


def sdf(inside: str, version: str = "1.9", name: str = "rig") -> str:
    return f'<sdf version="{version}"><model name="{name}">{inside}</model></sdf>'


def test_limits_and_what_acts(tmp_path):
    axis = (
        "<limit><lower>-0.5</lower><upper>0.75</upper><effort>30</effort><velocity>2</velocity></limit><dynamics>"
        "<damping>0.3</damping><friction>0.1</friction><spring_stiffness>5</spring_stiffness>"
        "<spring_reference>0.2</spring_reference></dynamics>"
    )
    endless = "<limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>1e13</velocity></limit>"
    text = sdf(link("a") + link("b") + hinge("one", "world", "a", axis=axis) + hinge("two", "a", "b", axis=endless))
    one, two = read_quietly(saved(tmp_path, text), drives=["one"]).joints
    assert one.drive.stroke == (-0.5, 0.75) and one.drive.force_limit == 30 and one.drive.speed_limit == 2
    assert (one.drive.viscous, one.drive.coulomb, one.spring.stiffness, one.spring.rest) == (0.3, 0.1, 5, 0.2)
    assert two.limits.lower is None and two.limits.upper is None and two.limits.speed is None and two.drive is None


@pytest.mark.parametrize(
    ("words", "lead"),
    [
        ("<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02),
        ("<thread_pitch>100</thread_pitch>", -2 * math.pi / 100),
        ("<thread_pitch>-209.44</thread_pitch><screw_thread_pitch>0.03</screw_thread_pitch>", 0.03),
        ("", 1.0),
    ],
)
def test_threads_in_both_units(tmp_path, words, lead):
    robot = read_quietly(saved(tmp_path, sdf(link("a") + hinge("screw", "world", "a", words, kind="screw"))))
    assert robot.joints[0].type == "helical" and robot.joints[0].lead == pytest.approx(lead, rel=1e-15)


def test_drives_are_what_plugins_move(tmp_path):
    plugins = (
        '<plugin name="gz::sim::systems::JointPositionController" filename="f"><joint_name>two</joint_name></plugin>'
        '<plugin name="gz::sim::systems::JointStatePublisher" filename="f"><joint_name>one</joint_name></plugin>'
    )
    parts = link("a") + link("b") + hinge("one", "world", "a") + hinge("two", "a", "b")
    robot = read_quietly(saved(tmp_path, sdf(parts + plugins)))
    assert [j.name for j in robot.joints if j.drive is not None] == ["two"]
    assert "it drives two" in remarks(tmp_path / "robot.sdf")


def test_an_effort_of_nothing_is_a_passive_joint(tmp_path):
    none = "<limit><effort>0</effort></limit>"
    parts = link("a") + link("b") + hinge("one", "world", "a") + hinge("two", "a", "b", axis=none)
    robot = read_quietly(saved(tmp_path, sdf(parts)))
    assert [j.name for j in robot.joints if j.drive is not None] == ["one"]


def test_a_gearbox_couples_its_hinges(tmp_path):
    box = (
        '<joint name="box" type="gearbox"><parent>a</parent><child>b</child><gearbox_ratio>3</gearbox_ratio>'
        "<gearbox_reference_body>base</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis>"
        "<axis2><xyz>0 0 -1</xyz></axis2></joint>"
    )
    parts = link("base") + link("a") + link("b", "0.3 0 0 0 0 0") + hinge("in", "base", "a") + hinge("out", "b", "base")
    robot = read_quietly(
        saved(tmp_path, sdf(parts + hinge("hold", "world", "base", kind="revolute") + box)), drives=["in"]
    )
    # theta_1 = q_in; out turns base against b about +z, so theta_2, of b against base about -z, is q_out; theta_2 = -3 theta_1
    assert dict(robot.couplings[0].coefficients) == {"in": 3.0, "out": 1.0}
    assert "needs a revolute joint" in refusals(saved(tmp_path, sdf(link("base") + link("a") + link("b") + box)))


def test_a_gearbox_and_a_mimic_in_the_dynamics(tmp_path):
    mimic = '<mimic joint="out"><multiplier>-0.4</multiplier></mimic>'
    box = (
        '<joint name="box" type="gearbox"><parent>a</parent><child>b</child><gearbox_ratio>3</gearbox_ratio>'
        "<gearbox_reference_body>base</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis></joint>"
    )
    places = {"base": (0.1, 0.2, 0.0), "a": (0.3, 0.1, 0.2), "b": (0.6, -0.2, 0.1), "c": (0.9, 0.1, 0.3)}
    parts = "".join(link(name, f"{x} {y} {z} 0 0 0") for name, (x, y, z) in places.items())
    offset = "<pose>0.05 -0.1 0 1.5707963267948966 0 0</pose>"
    hold = hinge("hold", "world", "base", offset)
    joints = hold + hinge("in", "base", "a") + hinge("out", "base", "b") + hinge("last", "b", "c", axis=mimic) + box
    robot = read_quietly(saved(tmp_path, sdf(parts + joints, "1.11")), drives=["hold", "in"])
    z, tensor = np.array([0.0, 0.0, 1.0]), np.diag([0.1, 0.2, 0.25])
    bodies = {name: BodyFact(2.0, np.array(at), tensor) for name, at in places.items()}
    pins = {
        "hold": JointFact("revolute", WORLD, "base", np.array([0.15, 0.1, 0.0]), np.array([0.0, -1.0, 0.0])),
        "in": JointFact("revolute", "base", "a", bodies["a"].center, z),
        "out": JointFact("revolute", "base", "b", bodies["b"].center, z),
        "last": JointFact("revolute", "b", "c", bodies["c"].center, z),
    }
    facts = Facts(bodies, pins, couplings=({"out": 1.0, "in": 3.0}, {"last": 1.0, "out": 0.4}))
    frames = {name: np.block([[np.eye(3), np.array(at)[:, None]], [np.zeros(3), 1.0]]) for name, at in places.items()}
    assert largest_difference(gough.build(robot), facts, frames) < CLOSE


def test_an_xml_file_of_sdf_and_a_world(tmp_path):
    text = sdf(link("a") + hinge("j", "world", "a"))
    names = [read_quietly(saved(tmp_path, text, f"robot.{end}")).joints[0].name for end in ("xml", "world", "sdf")]
    assert names == ["j", "j", "j"]


def test_mimic_axes(tmp_path):
    mimic = '<mimic joint="lead"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>'
    parts = link("a") + link("b") + hinge("lead", "world", "a") + hinge("follow", "a", "b", axis=mimic)
    robot = read_quietly(saved(tmp_path, sdf(parts, "1.11")))
    (coupling,) = robot.couplings
    assert (coupling.type, coupling.joint, coupling.of, coupling.ratio) == ("mimic", "follow", "lead", 2.0)
    assert coupling.offset == pytest.approx(0.3)
    assert [j.name for j in robot.joints if j.drive] == ["lead"]


def test_what_is_left_out_or_made_up_is_said(tmp_path):
    axis = "<use_parent_model_frame>1</use_parent_model_frame><dynamics><dampin>3</dampin></dynamics>"
    part = '<link name="a"><pose>0 0 0 90 0 0</pose><inertial><inertia><ixx>0.1</ixx></inertia></inertial></link>'
    file = saved(tmp_path, sdf(part + hinge("j", "world", "a", axis=axis)))
    said = remarks(file)
    assert "<use_parent_model_frame> is of SDF 1.5 and 1.6" in said and 'expressed_in="__model__"' in said
    assert "<dampin> of <dynamics> is not known" in said and "turns by 90 rad" in said
    assert "no <mass>: SDF gives the link 1 kg" in said and "no <izz>: SDF gives" in said
    old = remarks(
        saved(tmp_path, sdf(link("a") + hinge("j", "world", "a", axis=axis.partition("<dynamics>")[0]), "1.6"))
    )
    assert "use_parent_model_frame" not in old
    assert "its <child> is the world" in refusals(saved(tmp_path, sdf(link("a") + hinge("j", "a", "world"))))


def test_static_models_are_the_world(tmp_path):
    base = f'<model name="frame"><static>true</static><pose>1 0 0 0 0 0</pose>{link("post", "0 2 0 0 0 0")}</model>'
    text = sdf(base + link("arm", "1 2 3 0 0 0") + hinge("pin", "frame::post", "arm"))
    robot = read_quietly(saved(tmp_path, text))
    assert [b.name for b in robot.bodies] == ["arm"]
    assert robot.joints[0].parent == "world" and robot.joints[0].placement.position == (1.0, 2.0, 3.0)


@pytest.fixture
def models(tmp_path):
    """A folder of models: an arm with a frame at its end."""
    frame = '<frame name="tip" attached_to="lower"><pose>0 0 -0.5 0 0 0.4</pose></frame>'
    parts = link("upper") + link("lower", "0 0 -1 0.2 0 0") + hinge("elbow", "upper", "lower") + frame
    saved(tmp_path, sdf(parts, name="arm"), "models/arm/model-1_9.sdf")
    saved(tmp_path, sdf(parts, "1.99", name="arm"), "models/arm/new.sdf")
    config = '<model><name>arm</name><sdf version="1.99">new.sdf</sdf><sdf version="1.9">model-1_9.sdf</sdf></model>'
    saved(tmp_path, config, "models/arm/model.config")
    return tmp_path / "models"


@pytest.mark.parametrize("merge", [False, True])
def test_included_models_stand_by_their_placement_frame(models, tmp_path, merge):
    include = (
        f'<include merge="{str(merge).lower()}"><uri>model://arm</uri><name>left</name>'
        '<placement_frame>tip</placement_frame><pose relative_to="base">0 0 1 0 0 0</pose></include>'
    )
    name = "upper" if merge else "left::upper"
    joint = hinge("shoulder", "base", name)
    text = sdf(link("base", "3 0 0 0 0 0") + include + joint + hinge("hold", "world", "base"))
    robot = read_quietly(saved(tmp_path, text, "elsewhere/robot.sdf"), packages=[models])
    model = gough.build(robot)
    tip = "lower.tip" if merge else "left_lower.left_tip"
    position, rotation = model.frame_pose(model.home, tip)
    assert position == pytest.approx([3, 0, 1], abs=1e-12) and rotation == pytest.approx(np.eye(3), abs=1e-12)


def test_models_that_cannot_be_included_are_named(models, tmp_path):
    parts = "".join(f"<include><uri>{uri}</uri></include>" for uri in ("https://x.org/arm", "model://leg", "../../arm"))
    text = refusals(saved(tmp_path, sdf(link("a") + parts)))
    assert "nothing is fetched from the network" in text and "'leg' in packages=" in text and "without '..'" in text
    saved(tmp_path, sdf("<include><uri>model://ring</uri></include>"), "models/ring/model.sdf")
    assert "nested more than" in refusals(models / "ring" / "model.sdf")


def test_one_of_several_models(tmp_path):
    def model(name: str) -> str:
        return f'<model name="{name}">{link("a") + link("b") + hinge("j", "a", "b")}</model>'

    crate = f'<model name="crate">{link("c")}</model>'
    one = f'<sdf version="1.9"><world name="w"><gravity>0 0 -1.6</gravity>{model("left")}{crate}</world></sdf>'
    robot = read_quietly(saved(tmp_path, one))
    assert robot.name == "left" and robot.gravity == (0, 0, -1.6) and len(robot.bodies) == 2
    two = one.replace(crate, crate + model("right"))
    assert "model=, one of left, crate, right" in refusals(saved(tmp_path, two))
    assert read_quietly(tmp_path / "robot.sdf", model="right").name == "right"
    with pytest.raises(UsageError, match="'middle' is not in the file"):
        gough.load(tmp_path / "robot.sdf", model="middle")
    tie = '<joint name="tie" type="fixed"><parent>left::b</parent><child>right::a</child></joint>'
    robot = read_quietly(saved(tmp_path, two.replace("</world>", tie + "</world>")))
    assert {b.name for b in robot.bodies} == {"left_a", "left_b", "right_a", "right_b"}


def test_links_without_weight(tmp_path):
    lofty = link("a", more="<gravity>0</gravity>")
    robot = read_quietly(saved(tmp_path, sdf(lofty + link("b"))))
    assert [body.weight_share for body in robot.bodies] == [0.0, 1.0]
    robot = read_quietly(saved(tmp_path, sdf(lofty + lofty.replace('"a"', '"b"'))))
    assert robot.gravity == (0.0, 0.0, 0.0)


def test_masses_of_collision_shapes(tmp_path):
    shapes = (
        '<collision name="c"><density>300</density><pose>0 0 1 0 0 0</pose><geometry><box><size>0.1 0.2 0.3</size></box>'
        '</geometry></collision><collision name="d"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'
    )
    one = f'<link name="a"><inertial auto="true"><density>500</density></inertial>{shapes}</link>'
    body = read_quietly(saved(tmp_path, sdf(one + hinge("j", "world", "a")))).bodies[0]
    box, ball = 300 * 0.006, 500 * 4 / 3 * math.pi * 1e-3
    assert body.mass == pytest.approx(box + ball)
    assert body.center_of_mass == pytest.approx([0, 0, box / (box + ball)])
    gap = box * ball / (box + ball)
    assert body.inertia.xx == pytest.approx(box * (0.04 + 0.09) / 12 + ball * 0.4 * 0.01 + gap)
    assert body.inertia.zz == pytest.approx(box * (0.01 + 0.04) / 12 + ball * 0.4 * 0.01)


def test_a_link_without_inertia_is_sdf_s(tmp_path):
    robot = read_quietly(saved(tmp_path, sdf('<link name="a"/>' + hinge("j", "world", "a"))))
    assert robot.bodies[0].mass == 1 and robot.bodies[0].inertia.zz == 1
    assert "1 kg" in remarks(tmp_path / "robot.sdf")


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (link("a", more="<kinematic>true</kinematic>"), "a kinematic link"),
        (link("a", more="<velocity_decay><linear>0.1</linear></velocity_decay>"), "velocity_decay"),
        ('<link name="a"><inertial><fluid_added_mass><xx>2</xx></fluid_added_mass></inertial></link>', "a fluid"),
        (link("a") + hinge("j", "a", "nowhere"), "no link or frame 'nowhere'"),
        (link("a") + hinge("j", "a", "a"), "both sides are 'a'"),
        (link("a") + hinge("j", "world", "a", kind="spline"), "type 'spline'"),
        (link("a") + link("a"), "a second 'a'"),
        (link("a", "1 2 3 x 5 6"), "'1 2 3 x 5 6'"),
        (link("a", "1 2 3"), "6 numbers"),
        (
            link("a")
            + '<frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame>'
            + hinge("j", "world", "f"),
            "relative to itself",
        ),
        (
            link("a") + hinge("j", "world", "a", axis="<limit><lower>1</lower><upper>-1</upper></limit>"),
            "above the upper",
        ),
        (link("a") + hinge("j", "world", "a", axis="<dynamics><damping>-1</damping></dynamics>"), "at least 0"),
        (link("a") + "<joint name='j' type='universal'><parent>world</parent><child>a</child></joint>", "no <axis>"),
        (link("a") + "<drake:linear_bushing_rpy/>", "no counterpart"),
        (link("a") + "<drake:linear_spring_damper/>", "no counterpart"),
    ],
)
def test_what_is_refused(tmp_path, inside, said):
    text = sdf(inside).replace("<model", "\n<model").replace("<sdf", '<sdf xmlns:drake="d"')
    found = refusals(saved(tmp_path, text))
    assert said in found and "robot.sdf:" in found


def test_every_problem_at_once(tmp_path):
    parts = link("a", more="<kinematic>1</kinematic>") + link("b", "1") + hinge("j", "a", "c")
    assert len(refusals(saved(tmp_path, sdf(parts))).splitlines()) == 3


@pytest.mark.parametrize(
    ("version", "said"), [("1.2", "1.4 to 1.12"), ("1.13", "1.12 or older"), ("", "its version is")]
)
def test_other_versions(tmp_path, version, said):
    assert said in refusals(saved(tmp_path, sdf(link("a"), version)))


def test_names_shared_by_links_and_joints_in_old_files(tmp_path):
    parts = link("arm") + hinge("arm", "world", "arm")
    assert read_quietly(saved(tmp_path, sdf(parts, "1.6"))).joints[0].child == "arm"
    assert "a second 'arm'" in refusals(saved(tmp_path, sdf(parts, "1.8")))


def test_a_drive_with_one_bound_keeps_it(tmp_path):
    parts = link("a") + hinge("j", "world", "a", axis="<limit><lower>-2</lower></limit>")
    joint = read_quietly(saved(tmp_path, sdf(parts))).joints[0]
    assert joint.drive is not None and joint.limits.lower == -2 and joint.limits.upper is None


def test_both_bounds_zero_is_a_fixed_joint(tmp_path):
    locked = "<limit><lower>0</lower><upper>0</upper></limit>"
    parts = link("a") + link("b") + hinge("j", "world", "a") + hinge("k", "a", "b", axis=locked)
    assert [j.type for j in read_quietly(saved(tmp_path, sdf(parts))).joints] == ["revolute", "fixed"]
