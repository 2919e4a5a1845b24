"""MJCF files become robots with the dynamics that MuJoCo's own model of the same file has."""

import re
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import gough
from interchange import mjcf_files
from interchange.mujoco_truth import compare_with_mujoco

TOLERANCE = 1e-9
FILES = {
    name.lower(): getattr(mjcf_files, name)
    for name in ("CHAIN", "FROM_GEOMS", "FOUR_BAR", "SITES", "WELDS", "RELATIONS", "SPRING", "ROD", "ACTUATORS")
}
FILES |= {"hexapod": mjcf_files.hexapod(), "winches": mjcf_files.winches()}


def load(tmp_path, text, name="model.xml", **options):
    """(robot, remarks) of a text."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = gough.load(file, **options)
    return robot, [str(w.message) for w in caught]


def build(robot):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(robot)


def line_of(text, word):
    return text[: text.index(word)].count("\n") + 1


def refusals(tmp_path, text):
    with pytest.raises(gough.DescriptionError) as caught:
        load(tmp_path, text)
    return caught.value.problems


@pytest.mark.parametrize("name", FILES)
def test_dynamics_are_mujocos(tmp_path, name):
    robot, _ = load(tmp_path, FILES[name])
    found = compare_with_mujoco(tmp_path / "model.xml", build(robot))
    assert found.pop("freedoms") == 0
    assert max(found.values()) < TOLERANCE, found


def test_a_robot_from_a_file_can_be_written_and_read_again(tmp_path):
    from gough.robot import dumps, loads

    for text in FILES.values():
        robot, _ = load(tmp_path, text)
        assert loads(dumps(robot)).joints == robot.joints


def test_coordinates_are_mujocos_and_home_is_as_written(tmp_path):
    robot, _ = load(tmp_path, FILES["chain"])
    model = build(robot)
    assert dict(zip(model.layout.q_names, model.home, strict=True))["a_1"] == pytest.approx(np.radians(15))
    assert robot.source["renamed joints"]["a_1"] == "a-1"
    first = robot.joints[0]
    assert first.drive is not None and first.drive.force_limit == pytest.approx(6.0)
    assert first.drive.stroke == pytest.approx((-np.pi / 2, np.pi / 2))
    assert robot.joints[1].drive is not None and robot.joints[1].drive.force_limit == pytest.approx(8.0)


def test_the_platform_is_found_and_leads(tmp_path):
    robot, _ = load(tmp_path, FILES["hexapod"])
    model = build(robot)
    assert model.layout.v_names == ("vx", "vy", "vz", "wx", "wy", "wz")
    assert model.mobility == 6


def test_home_is_the_keyframe_called_home(tmp_path):
    keys = '<keyframe><key name="up" qpos="0 0 0"/><key name="home" qpos="0.3 -0.2 0.1" ctrl="4"/></keyframe></mujoco>'
    robot, _ = load(tmp_path, FILES["four_bar"].replace("</mujoco>", keys))
    assert robot.home.joints["motor"] == pytest.approx((0.3,))
    _, remarks = load(tmp_path, FILES["four_bar"].replace("</mujoco>", keys.replace('"home"', '"down"')))
    assert any("no keyframe is called home" in r for r in remarks)


def test_a_pulled_tendon_is_a_drive_along_its_length(tmp_path):
    robot, _ = load(tmp_path, FILES["winches"])
    model = build(robot)
    assert model.layout.v_names == ("vx", "vy", "vz", "wx", "wy", "wz")
    assert model.layout.drive_names == tuple(f"rope{k}" for k in range(6))
    slide = next(j for j in robot.joints if j.name == "rope2")
    assert slide.drive is not None
    assert (slide.drive.force_limit, slide.drive.stroke) == (pytest.approx(12.0), (0.1, 2.0))
    _, remarks = load(tmp_path, FILES["rod"])
    assert any("it holds tendon 'bar': no drive" in r for r in remarks)
    assert any("its sites do not move against each other" in r for r in remarks)


def test_limits_of_force_add_up_and_the_joints_own_bound_them(tmp_path):
    robot, _ = load(tmp_path, FILES["actuators"])
    assert robot.joints[0].drive is not None
    assert robot.joints[0].drive.force_limit == pytest.approx(7.0)  # 3*2 + 2*1, of which the joint lets 7 through


def test_unnamed_parts_get_names(tmp_path):
    ball = "<geom size='.1'/>"
    inner = f"<body><joint/><joint axis='0 1 0'/>{ball}<body>{ball}</body></body>"
    text = f"<mujoco><worldbody>{inner}</worldbody></mujoco>"
    robot, _ = load(tmp_path, text)
    assert [j.name for j in robot.joints] == ["body_1_joint", "body_1_joint_2", "body_2_fixed"]


@pytest.mark.parametrize("share", [1.0, 0.25])
def test_gravcomp_of_all_bodies_is_less_gravity(tmp_path, share):
    text = FILES["four_bar"].replace("<body ", f'<body gravcomp="{share}" ')
    robot, remarks = load(tmp_path, text)
    assert robot.gravity[2] == pytest.approx(-9.81 * (1 - share))
    assert any("gravcomp" in r for r in remarks)
    found = compare_with_mujoco(tmp_path / "model.xml", build(robot))
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("name", ["four_bar", "chain"])
def test_gravcomp_of_some_bodies_is_a_share_of_their_weight(tmp_path, name):
    """In a loop and in a tree; more than 1 lifts."""
    shares = iter([0.3, 0.0, 1.6, 1.0] * 5)
    text = re.sub("<body ", lambda _: f'<body gravcomp="{next(shares)}" ', FILES[name])
    robot, _ = load(tmp_path, text)
    assert robot.gravity[2] in (-9.81, -9.7)
    assert {0.7, 1.0, -0.6} <= {round(body.weight_share, 12) for body in robot.bodies}
    found = compare_with_mujoco(tmp_path / "model.xml", build(robot))
    assert max(found.values()) < TOLERANCE, found


def test_what_options_switch_off_is_off(tmp_path):
    flags = '<option><flag gravity="disable" spring="disable" damper="disable" equality="disable"/></option><worldbody>'
    text = FILES["four_bar"].replace("<worldbody>", flags).replace('frictionloss="0.1"', "")
    robot, remarks = load(tmp_path, text)
    assert robot.gravity == (0.0, 0.0, 0.0) and not robot.loops
    assert any("switched off" in r for r in remarks)
    file = tmp_path / "model.xml"
    file.write_text(text.replace("<connect ", '<connect active="false" '), encoding="utf-8")
    found = compare_with_mujoco(file, build(robot))
    assert max(found.values()) < TOLERANCE, found


def test_remarks_say_what_is_left_out_once(tmp_path):
    text = FILES["four_bar"].replace("</body>\n    <body", '<geom size="0.1"/><camera/><light/></body>\n    <body', 1)
    text = text.replace(
        "</mujoco>",
        "<sensor><jointpos joint='motor'/></sensor><contact><exclude body1='crank' body2='rocker'/></contact></mujoco>",
    )
    _, remarks = load(tmp_path, text)
    for words in (
        "1 cameras, 1 lights, 1 sensors",
        "equalities are soft",
        "contact and stops are not computed (1 geoms",
    ):
        assert sum(words in r for r in remarks) == 1, (words, remarks)


def test_inactive_equalities_and_mocap_bodies_are_remarked(tmp_path):
    _, remarks = load(tmp_path, FILES["welds"])
    assert any(f":{line_of(FILES['welds'], 'active=')}:" in r for r in remarks if "switched off in the file" in r)
    text = FILES["four_bar"].replace("<worldbody>", '<worldbody><body name="hand" mocap="true" pos="1 0 0"/>')
    _, remarks = load(tmp_path, text)
    assert any("mocap" in r for r in remarks)
    dragged = text.replace("</equality>", '<weld body1="hand" body2="crank"/></equality>')
    assert "mocap" in refusals(tmp_path, dragged)[0].message


BAD = """<mujoco model="bad">
  <option density="1.2"/>
  <worldbody>
    <site name="s0"/>
    <body name="a"><joint name="b" type="ball" frictionloss="1"/><geom size="0.1"/><site name="s1" pos="0 0 1"/>
      <body name="b" pos="0 0 1"><joint name="j1" axis="0 1 0"/><geom size="0.1"/><site name="s2" pos="0 1 1"/>
        <body name="c" gravcomp="0.5"><joint name="j2" actuatorgravcomp="true"/><geom size="0.1"/></body></body></body>
    <body name="soft"><composite type="cable" curve="s" count="3 1 1" size="1"/></body>
    <body name="p"><geom size="0.1"/><plugin plugin="some.force"/></body>
    <body name="free"><joint name="f" type="free" stiffness="3"/><geom size="0.1"/></body>
  </worldbody>
  <tendon>
    <spatial name="long" stiffness="3"><site site="s0"/><site site="s1"/><site site="s2"/></spatial>
    <spatial name="rope" stiffness="3" springlength="0.1 0.3"><site site="s0"/><site site="s1"/></spatial>
    <spatial name="cable"><site site="s0"/><site site="s1"/><site site="s2"/></spatial>
    <fixed name="slack" stiffness="3" springlength="0.1 0.3"><joint joint="j1" coef="1"/><joint joint="j2" coef="1"/></fixed>
    <fixed name="f2"><joint joint="j1" coef="1"/><joint joint="j2" coef="1"/></fixed>
  </tendon>
  <equality>
    <joint joint1="j1" joint2="j2" polycoef="0 1 0.5 0 0"/>
    <tendon tendon1="f2" tendon2="rope"/>
    <tendon tendon1="cable"/>
    <tendon tendon1="rope" polycoef="-9 0 0 0 0"/>
    <distance name="d" geom1="x" geom2="y"/>
  </equality>
  <actuator>
    <muscle name="biceps" joint="j1"/>
    <general name="triceps" joint="j1" dyntype="muscle"/>
    <motor name="winch" tendon="cable"/>
    <general name="crank" cranksite="s1" slidersite="s2" cranklength="3"/>
  </actuator>
</mujoco>"""


def test_all_refusals_come_at_once_with_their_lines(tmp_path):
    found = {(p.line, p.message) for p in refusals(tmp_path, BAD)}
    wanted = {
        (None, "a fluid"),
        (7, "gravcomp that actuators apply in some"),
        (5, "frictionloss in a joint of several freedoms"),
        (8, "composite"),
        (9, "plugin"),
        (13, "more than a straight line between two sites"),
        (14, "pushes below one length and pulls above another"),
        (16, "does nothing between two lengths"),
        (20, "not linear"),
        (21, "two tendons along paths"),
        (22, "not a straight line between two sites"),
        (23, "a rod without length"),
        (24, "equality of kind distance"),
        (27, "muscle"),
        (28, "muscle"),
        (29, "more than a straight line between two sites"),
        (30, "slider-crank"),
    }
    missed = {w for w in wanted if not any(line == w[0] and w[1] in message for line, message in found)}
    assert not missed, sorted(found, key=str)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('damping="0.02"', 'damping="0.02 0.3 0"', "damping with terms of higher order"),
        ('stiffness="1.5"', 'stiffness="1.5 0.3 0"', "stiffness with terms of higher order"),
        ('stiffness="1.5"', 'stiffness="1.5" springyield="0.3"', "yields"),
        ('gear="5"', 'gear="5" damping="0 1 0"', "not proportional"),
    ],
)
def test_newer_laws_are_refused(tmp_path, old, new, words):
    (problem,) = refusals(tmp_path, FILES["four_bar"].replace(old, new))
    assert words in problem.message and problem.line == line_of(FILES["four_bar"], old)


def test_actuators_without_a_coordinate_are_left_out(tmp_path):
    text = FILES["sites"].replace(
        "</actuator>", '<motor joint="j3" gear="1 0 0"/>\n<motor site="end" gear="0 0 1 0 0 0"/></actuator>'
    )
    robot, remarks = load(tmp_path, text)
    assert any("acts on no single coordinate" in r and "and in 1 more place" in r for r in remarks)
    assert sum(j.drive is not None for j in robot.joints) == 2


def test_what_mujoco_refuses_is_told_with_our_line(tmp_path):
    text = FILES["four_bar"].replace('axis="0 1 0" frictionloss', 'axis="0 0 0" frictionloss')
    (problem,) = refusals(tmp_path, text)
    assert problem.line == 4 and "MuJoCo does not take it: axis" in problem.message
    (problem,) = refusals(tmp_path, "<mujoco>\n<worldbody>\n<body><jiont/></body></worldbody></mujoco>")
    assert problem.line == 3 and "jiont" in str(problem)
    assert "no bodies" in refusals(tmp_path, "<mujoco><worldbody/></mujoco>")[0].message


def test_without_mujoco_the_remedy_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(gough.errors.UsageError, match=r"pip install 'gough\[mjcf\]'"):
        load(tmp_path, FILES["chain"])


def test_contradicting_equalities_are_refused(tmp_path):
    text = FILES["relations"].replace("</equality>", '<joint joint1="j3" polycoef="0.5"/></equality>')
    assert any("contradict" in p.message for p in refusals(tmp_path, text))


SPRUNG = """<mujoco>
  <worldbody><body name="base" pos="0.1 0.2 1" quat="0.9 0.1 0.3 0.2">
    <joint name="root" type="free" stiffness="7" damping="0.3" armature="0.02"/>
    <inertial pos="0.02 -0.01 0.03" mass="2" fullinertia="0.02 0.03 0.025 0.001 0.002 -0.001"/>
    <body name="arm" pos="0 0 0.1"><joint name="h" axis="0 1 0"/>
      <inertial pos="0.1 0 0" mass="0.5" diaginertia="1e-3 2e-3 3e-3"/></body>
  </body></worldbody>
  <actuator><motor joint="h"/></actuator>
</mujoco>"""


def test_a_free_joint_with_springs(tmp_path):
    """Coordinates are qpos; accelerations as MuJoCo has them."""
    model = build(load(tmp_path, SPRUNG)[0])
    mujoco: Any = pytest.importorskip("mujoco")
    mj = mujoco.MjModel.from_xml_string(SPRUNG)
    data, rng = mujoco.MjData(mj), np.random.default_rng(0)
    order = [model.layout.v_names.index(f"root_{x}") for x in ("x", "y", "z", "wx", "wy", "wz")]
    order.append(model.layout.v_names.index("h"))
    np.testing.assert_allclose(model.home, mj.qpos0, atol=1e-15)
    for _ in range(3):
        q, v, tau = model.integrate(model.home, rng.normal(size=7) * 0.7), rng.normal(size=7), rng.normal(size=1)
        data.qpos[:] = q
        data.qvel[:], data.ctrl[:] = v[order], tau
        mujoco.mj_forward(mj, data)
        np.testing.assert_allclose(
            model.forward_dynamics(q, v, tau).vdot[order], data.qacc, atol=1e-12 * np.abs(data.qacc).max()
        )


OPEN = """<mujoco>
  <default><geom type="capsule" size="0.01" contype="0" conaffinity="0" density="1000"/></default>
  <worldbody>
    <body name="a"><joint name="ja" axis="0 1 0"/><geom fromto="0 0 0 0.15 0 0"/>
      <body name="b" pos="0.15 0 0"><joint name="jb" axis="0 1 0"/><geom fromto="0 0 0 0.3 0 0"/>
        <site name="s" pos="0.3 0 0"/></body>
    </body>
    <body name="c" pos="0.35 0 0"><joint name="jc" axis="0 1 0"/><geom fromto="0 0 0 0.25 0 0"/>
      <site name="t" pos="0.25 0 0"/></body>
  </worldbody>
  <equality><connect site1="s" site2="t"/></equality>
  <actuator><motor joint="ja"/></actuator>
  <keyframe><key name="home" qpos="0 0 0.5"/></keyframe>
</mujoco>"""


def test_a_drive_that_the_file_has_at_zero_stays_there(tmp_path):
    model = build(load(tmp_path, OPEN)[0])
    assert model.home[model.layout.q_names.index("ja")] == 0.0


ACTED = """<mujoco>{}
  <worldbody><body name="a"><joint name="j" axis="0 1 0"{}/><geom size="0.1" pos="0.2 0 0"/>
    <body name="b" pos="0.3 0 0"><joint name="k" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
  <actuator><motor joint="j" {}/></actuator>
</mujoco>"""


@pytest.mark.parametrize(
    ("words", "of_joint", "limit", "said"),
    [
        ('forcerange="0 5"', "", 5.0, "forcerange is 0 to 5"),
        ('forcerange="-5 5"', "", 5.0, ""),
        ('ctrlrange="-1 3" ctrllimited="true" gear="2"', "", 6.0, "ctrlrange is -1 to 3"),
        ("", ' actuatorfrcrange="-4 1"', 4.0, "actuatorfrcrange is -4 to 1"),
    ],
)
def test_forces_bounded_one_way_are_said(tmp_path, words, of_joint, limit, said):
    robot, told = load(tmp_path, ACTED.format("", of_joint, words))
    assert [j.drive.force_limit for j in robot.joints if j.drive] == [limit]
    text = "\n".join(str(t) for t in told)
    assert said in text and ("same both ways" in text) == bool(said)


def test_actuators_that_are_switched_off_drive_nothing(tmp_path):
    off = '<option><flag actuation="disable"/></option>'
    robot, told = load(tmp_path, ACTED.format(off, "", ""))
    assert not [j for j in robot.joints if j.drive] and "no drive" in "\n".join(str(t) for t in told)


@pytest.mark.parametrize(("joints", "apart"), [(("j", "s"), True), (("j", "k"), False)])
def test_armatures_of_tendons_between_branches_are_said(tmp_path, joints, apart):
    """MuJoCo's mass matrix has no entry for two joints of which none carries the other; here c² m and c d m are in it."""
    other = (
        '<body name="c" pos="0 0 1"><joint name="s" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>'
    )
    terms = "".join(f'<joint joint="{name}" coef="{c}"/>' for name, c in zip(joints, (1.5, -0.7), strict=True))
    tendon = f'<tendon><fixed name="t" armature="0.5">{terms}</fixed></tendon></mujoco>'
    text = ACTED.format("", "", "").replace("</worldbody>", other).replace("</mujoco>", tendon)
    robot, told = load(tmp_path, text)
    assert ("couples joints of different branches" in "\n".join(str(t) for t in told)) == apart
    mujoco: Any = pytest.importorskip("mujoco")
    model = gough.build(robot, velocities=["j", "k", "s"])
    mj = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    M = np.zeros((3, 3))
    mujoco.mj_fullM(mj, data, M)
    order = [model.layout.v_names.index(name) for name in ("j", "k", "s")]
    mine = model.mass_matrix(model.home)[np.ix_(order, order)]
    if apart:
        M[0, 2] = M[2, 0] = 1.5 * -0.7 * 0.5
    np.testing.assert_allclose(mine, M, atol=1e-12)


HELD = """<mujoco><worldbody>
<body name="a"><joint name="a" axis="0 1 0"/><geom type="box" size=".1 .2 .3" pos="0.3 0 0"/>
<body name="b" pos="0.6 0 0"><joint name="b" axis="0 1 0"/><geom size=".1" pos="0.3 0.1 0"/></body></body></worldbody>
<tendon><fixed name="t"><joint joint="a" coef="0.4"/><joint joint="b" coef="-0.4"/></fixed></tendon>
<equality><tendon tendon1="t"/></equality>
<actuator><motor joint="a"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    "words", ['stiffness="3" springlength="0.2"', 'damping="3"', 'armature="2"', 'stiffness="3" springlength="0 1"']
)
def test_what_acts_along_a_fixed_tendon_of_constant_length_does_no_work(tmp_path, words):
    plain = gough.build(load(tmp_path, HELD)[0])
    made = gough.build(load(tmp_path, HELD.replace('name="t"', f'name="t" {words}'))[0])
    state = plain.home, [0.7], [1.3]
    np.testing.assert_allclose(made.inverse_dynamics(*state).tau, plain.inverse_dynamics(*state).tau, rtol=1e-12)
    driven = HELD.replace("<motor", '<motor tendon="t"/><motor', 1)
    assert any("it holds tendon 't': no drive" in told for told in load(tmp_path, driven)[1])


DRIFT = """<mujoco><worldbody><body name="root" pos="0 0 .45">
<joint name="sx" type="slide" axis="1 0 0"/><joint name="sz" type="slide" axis="0 0 1"/>
<geom size=".05"/>{legs}</body></worldbody>
<equality><connect site1="lt" site2="rt"/></equality><actuator><motor joint="hl"/><motor joint="hr"/></actuator></mujoco>"""
LEG = """<body name="{s}1" pos="{x} 0 0"><joint name="h{s}" axis="0 -1 0"/>
<geom type="capsule" fromto="0 0 0 .297 0 0" size=".01"/>
<body name="{s}2" pos=".297 0 0"><joint name="k{s}" axis="0 -1 0"/><geom type="capsule" fromto="0 0 0 .302 0 0" size=".01"/>
<site name="{s}t" pos=".302 0 0"/></body></body>"""


@pytest.mark.parametrize("platform", [None, "root"])
def test_joints_that_no_loop_contains_stay_and_none_is_wound_up(tmp_path, platform):
    """A five-bar that is open at zero, carried by two slides: only its knees move, by less than half a turn."""
    legs = LEG.format(s="l", x=-0.0625) + LEG.format(s="r", x=0.0625)
    robot, _ = load(tmp_path, DRIFT.format(legs=legs), platform=platform)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build(robot)
    home = dict(zip(model.layout.q_names, model.home.tolist(), strict=True))
    assert [home[name] for name in ("sx", "sz", "hl", "hr")] == [0.0, 0.0, 0.0, 0.0]
    assert max(abs(home[name]) for name in ("kl", "kr")) < np.pi
    assert model.closure_error(model.home) < 1e-10


DEAD = """<mujoco><worldbody>
<body name="crank"><joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .1 0 0" size=".01"/>
<body name="rod" pos=".1 0 0"><joint name="rod" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 .3 0 0" size=".01"/></body></body>
<body name="piston" pos=".4 0 0"><joint name="piston" type="slide" axis="1 0 0"/><geom size=".03"/></body></worldbody>
<equality><connect body1="piston" body2="rod" anchor="0 0 0"/></equality><actuator><motor joint="piston"/></actuator></mujoco>"""


def test_a_dead_centre_is_told_with_the_keyframe_that_mends_it(tmp_path):
    with pytest.raises(gough.StructureError, match=r"a dead centre of the drive piston.* a keyframe called `home`"):
        gough.build(load(tmp_path, DEAD)[0])
    # the crank at 60 degrees: sin 60 · 0.1 = sin(rod) · 0.3 below it
    turn, bend = np.pi / 3, -np.pi / 3 - np.arcsin(np.sin(np.pi / 3) / 3)
    away = 0.1 * np.cos(turn) + 0.3 * np.cos(turn + bend) - 0.4
    key = f'<keyframe><key name="home" qpos="{turn!r} {float(bend)!r} {float(away)!r}"/></keyframe></mujoco>'
    assert gough.build(load(tmp_path, DEAD.replace("</mujoco>", key))[0]).mobility == 1
