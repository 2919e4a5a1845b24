"""Screws: closed forms, other engines, the same mechanism in other words; angles go over twenty turns either way."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import gough
from gough.joints.helical import Screw
from gough.robot import DescriptionError, loads
from inner.robot import description_doubts
from laws.mechanisms import relative
from laws.subjects import built, described
from reference.energies.lagrange import Reference
from reference.peers.mujoco import MujocoPeer
from reference.peers.pinocchio import PinocchioPeer

G = 9.81
TURN = 2.0 * np.pi
LEAD = 0.03
AXIS = np.array([2.0, -3.0, 6.0]) / 7.0
TENSOR = "{about: center_of_mass, xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01, yz: -0.02}"
BODY = f"mass: 2, center_of_mass: [0.03, 0.1, 0.02], inertia: {TENSOR}"
HEAD = "format: 1\nname: screws\n"


EFFECTS = """drive: {rotor_inertia: 0.02, gear: 3, viscous: 0.1}
    friction: {viscous: 0.2, coulomb: 0.4, smoothing: 0.01}
    spring: {stiffness: 0.7, damping: 0.1, rest: 4, preload: 0.2}"""


def chain(kind: str = f"type: helical\n    lead: {LEAD}", effects: str = EFFECTS) -> str:
    """An arm that carries a screw off every coordinate axis, which carries a link."""
    return f"""{HEAD}gravity: [1, 2, -9]
bodies: [{{name: arm, {BODY}}}, {{name: nut, {BODY}}}, {{name: hand, {BODY}}}]
joints:
  - {{name: base, type: revolute, parent: world, child: arm, axis: [0.6, 0, 0.8], drive: {{rotor_inertia: 0.1}}}}
  - name: s
    {kind}
    parent: arm
    child: nut
    axis: {AXIS.tolist()}
    pose: {{position: [0.1, 0.2, 0.3], rpy_zyx: [0.3, -0.5, 1.1]}}
    {effects}
    limits: {{lower: -20 rev, upper: 20 rev}}
  - {{name: wrist, type: revolute, parent: nut, child: hand, axis: [0, 1, 0], pose: {{position: [0, 0.1, 0.2]}}, drive: {{}}}}
velocities: [base, s, wrist]
"""


def states(n: int = 6) -> tuple[np.ndarray, ...]:
    """q, v, acceleration (n, 3) of the chain over twenty turns either way."""
    rng = np.random.default_rng(5)
    q, v, a = (rng.normal(size=(n, 3)) for _ in range(3))
    q[:, 1] = np.linspace(-20.0, 20.0, n) * TURN + 0.3
    return q, v, a


def test_energies_and_other_engines_agree_in_a_chain() -> None:
    model = built(loads(chain()))
    names = list(model.layout.v_names)
    exact = Reference(model.robot, names)
    peers = [PinocchioPeer(model.robot, names), MujocoPeer(model.robot, names)]
    for q, v, a in zip(*states(), strict=True):
        M, h = model.mass_matrix(q), model.bias_force(q, v)
        tau = model.inverse_dynamics(q, v, a).tau
        assert relative(M, exact.mass_matrix(q)) < 1e-12
        assert relative(h, exact.bias(q, v)) < 1e-11
        assert relative(tau, exact.inverse(q, v, a)) < 1e-11
        assert relative(model.forward_dynamics(q, v, tau).vdot, a) < 1e-10
        for peer in peers:
            assert relative(M, peer.mass_matrix(q)) < 1e-9


def test_pinocchio_has_the_same_screw() -> None:
    model = built(loads(chain(effects="drive: {rotor_inertia: 0.02, gear: 3}")))
    peer = PinocchioPeer(model.robot, list(model.layout.v_names))
    assert "Helical" in peer.model.joints[2].shortname()
    for q, v, a in zip(*states(), strict=True):
        tau = model.inverse_dynamics(q, v, a).tau
        assert relative(tau, pin.rnea(peer.model, peer.data, q, v, a)) < 1e-11
        assert relative(model.forward_dynamics(q, v, tau).vdot, pin.aba(peer.model, peer.data, q, v, tau)) < 1e-9


def test_mujocos_equality_of_a_hinge_and_a_slide_is_the_screws_coupling() -> None:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="nut", mass=1.0, inertia=[0.1, 0.2, 0.3], ipos=[0.1, 0.2, 0.3])
    body.explicitinertial = True
    for name, kind in (("turn", mujoco.mjtJoint.mjJNT_HINGE), ("slide", mujoco.mjtJoint.mjJNT_SLIDE)):
        body.add_joint(name=name, type=kind, axis=AXIS.tolist())
    tie = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT, name1="slide", name2="turn", objtype=mujoco.mjtObj.mjOBJ_JOINT
    )
    tie.data[:5] = [0.0, LEAD / TURN, 0.0, 0.0, 0.0]
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = [30.0, 30.0 * LEAD / TURN]
    mujoco.mj_forward(model, data)
    J = data.efc_J.reshape(-1, 2)
    linear, angular = Screw(2).unit_motions([LEAD])[0]
    assert linear is not None and angular is not None
    assert len(J) == 1 and abs(J @ [1.0, float(linear[2])]) < 1e-15
    assert np.abs(data.efc_pos).max() < 1e-14


def test_a_nut_falls_on_a_vertical_screw() -> None:
    joint = "{name: s, type: helical, parent: world, child: nut, lead: 300 mm}"
    text = f"{HEAD}bodies: [{{name: nut, {BODY}}}]\njoints: [{joint}]\n"
    model = built(loads(text + "velocities: [s]\n"))
    h, inertia = 0.3 / TURN, 0.25 + 2.0 * (0.03**2 + 0.1**2)
    found = model.forward_dynamics(np.array([77.0]), np.array([3.0]), np.zeros(0)).vdot
    assert found[0] == pytest.approx(-2.0 * G * h / (inertia + 2.0 * h * h), rel=1e-13)


def test_without_a_lead_it_is_a_hinge_in_as_many_operations() -> None:
    screw, hinge = built(loads(chain("type: helical\n    lead: 0"))), built(loads(chain("type: revolute")))
    q, v, a = states()
    assert relative(screw.inverse_dynamics(q, v, a).tau, hinge.inverse_dynamics(q, v, a).tau) < 1e-14
    assert screw.function("forward_dynamics").count() == hinge.function("forward_dynamics").count()


def test_the_lead_is_a_number_of_the_design() -> None:
    model, other = built(loads(chain())), built(loads(chain("type: helical\n    lead: -0.5")))
    at = model.mechanism.table.names.index("s.lead")
    numbers = model.parameters.copy()
    numbers[at] = -0.5
    q, v, a = states()
    ours = model.inverse_dynamics(q, v, a, parameters=numbers).tau
    assert relative(ours, other.inverse_dynamics(q, v, a).tau) < 1e-13
    slope = (
        model.function("mass_matrix")
        .derivative("parameters")(q=q[0], parameters=model.parameters)
        .outputs["M_parameters"]
    )
    step = 1e-5
    ends = []
    for sign in (-1, 1):
        numbers = model.parameters.copy()
        numbers[at] += sign * step
        ends.append(model.mass_matrix(q[0], parameters=numbers))
    assert relative(slope[..., at], (ends[1] - ends[0]) / (2 * step)) < 1e-7


def jack(lead: float, first: str = "spindle", second: str = "table") -> str:
    """A spindle and a table that slides along it, off every coordinate axis, closed by a screw."""
    pose = "{position: [0.3, -0.2, 0.5], rpy_zyx: [0.4, 0.8, -0.3]}"
    axis = AXIS.tolist()
    return f"""{HEAD}bodies: [{{name: spindle, {BODY}}}, {{name: table, {BODY}}}]
joints:
  - {{name: turn, type: revolute, parent: world, child: spindle, axis: {axis}, pose: {pose}, drive: {{rotor_inertia: 0.01}}}}
  - {{name: lift, type: prismatic, parent: world, child: table, axis: {axis}, pose: {pose}}}
loops:
  - {{name: screw, type: helical, lead: {lead}, axis: {axis}, first: {{body: {first}}}, second: {{body: {second}}},
     friction: {{viscous: 0.05}}}}
"""


@pytest.mark.parametrize(("lead", "first", "second"), [(0.005, "spindle", "table"), (-0.04, "table", "spindle")])
def test_a_cut_screw_counts_its_turns(lead: float, first: str, second: str) -> None:
    model = built(loads(jack(lead, first, second)))
    h, way = lead / TURN, -1.0 if first == "spindle" else 1.0
    assert model.layout.q_names == ("turn", "lift", "screw") and model.layout.v_names == ("turn",)
    drives = np.linspace(-20.0, 20.0, 9)[:, None] * TURN
    q = model.configuration(drives=drives)
    expected = np.column_stack([drives, -h * drives, way * drives])
    assert np.abs(q - expected).max() < 1e-9
    steps = [model.home]
    for angle in np.arange(0.0, 20.0 * TURN, 2.5):  # one after the other, each from the last
        steps.append(model.configuration(drives=[angle], near=steps[-1]))
    assert np.abs(np.array(steps)[1:, 2] - way * np.arange(0.0, 20.0 * TURN, 2.5)).max() < 1e-9
    axis = model.robot.joints[0].placement.rotation() @ AXIS
    J = np.array([[0.1, 0.01, 0], [0.01, 0.2, -0.02], [0, -0.02, 0.25]])
    c = np.array([0.03, 0.1, 0.02])
    about = AXIS @ (J + 2.0 * (c @ c * np.eye(3) - np.outer(c, c))) @ AXIS
    M = model.mass_matrix(q)
    assert np.abs(M - (about + 0.01 + 2.0 * h * h)).max() < 1e-10
    lifted = 2.0 * G * axis[2] * -h  # how the table's weight pulls, felt at the spindle
    still = model.inverse_dynamics(q, np.zeros((9, 1)), np.zeros((9, 1))).tau[:, 0]
    swing = [G * 2.0 * (model.frame_pose(x, "spindle")[1] @ np.cross(AXIS, c))[2] for x in q]
    assert np.abs(still - (lifted + np.array(swing))).max() < 1e-9
    moving = model.inverse_dynamics(q, np.full((9, 1), 3.0), np.zeros((9, 1))).tau[:, 0]
    assert np.abs(moving - still - 3.0 * 0.05).max() < 1e-9


def test_a_run_drives_a_cut_screw_through_twenty_turns() -> None:
    even = "mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1, about: origin}"
    model = built(loads(jack(0.005).replace("viscous: 0.05", "viscous: 0").replace(BODY, even)))
    h, pull = 0.005 / TURN, -2.0 * G * (model.robot.joints[0].placement.rotation() @ AXIS)[2] * 0.005 / TURN
    push = 4.0
    acceleration = (push - pull) / (0.11 + 2.0 * h * h)
    end = np.sqrt(2.0 * 20.0 * TURN / acceleration)
    run = gough.simulate(
        model, controller=gough.laws.Free(tau=[push]), duration=float(end), q=model.home, v=np.zeros(1)
    )
    assert run.q[-1, 0] == pytest.approx(20.0 * TURN, rel=1e-6)
    assert run.q[-1, 2] == pytest.approx(-20.0 * TURN, rel=1e-6)


def test_a_leg_may_be_cut_at_a_screw() -> None:
    text = f"""{HEAD}platform: {{name: table, {BODY}}}
legs:
  - name: guide
    chain: [{{name: slide, type: prismatic, body: {{mass: 1}}}}]
    cut: {{type: fixed}}
  - name: lift
    chain: [{{name: turn, type: revolute, drive: {{}}, body: {{name: spindle, {BODY}}}}}]
    cut: {{type: helical, lead: 10 mm}}
home: {{pose: {{position: [0, 0, 0.2]}}, joints: {{lift.cut: 20 rev}}}}
velocities: drives
"""
    model = built(loads(text))
    assert model.home[model.layout.index("lift.cut")] == pytest.approx(20.0 * TURN, abs=1e-9)
    assert model.layout.mobility == 1
    tau = model.inverse_dynamics(model.home, np.zeros(1), np.zeros(1)).tau
    assert tau[0] == pytest.approx(-3.0 * G * 0.01 / TURN, rel=1e-9)


def screw_driven(robot: Any, lead: float) -> Any:
    """A hexapod whose driven slides are moved by spindles."""
    data = robot.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True)
    for leg in data["legs"]:
        for joint in leg["chain"]:
            if "drive" in joint:
                joint |= {"type": "ball_screw", "lead": lead, "drive": {}, "friction": None}
    data.pop("home", None)
    return type(robot).model_validate(data | {"home": {"pose": robot.home.pose}})


@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes"])
def test_a_ball_screw_asks_for_the_torque_of_its_slides_force(name: str) -> None:
    robot = described(name)
    lead = 0.005
    plain = built(screw_driven(robot, TURN))  # a metre a radian
    model = built(screw_driven(robot, lead))
    assert model.layout.drive_units == ("N m",) * 6
    q, slid = model.home, plain.home
    h = lead / TURN
    assert relative(model.drives(q) * h, plain.drives(slid)) < 1e-12
    rng = np.random.default_rng(1)
    v, a = rng.normal(size=(2, 6))
    force = plain.inverse_dynamics(slid, v, a).tau
    tau = model.inverse_dynamics(q, v, a).tau
    assert relative(tau, h * force) < 1e-11
    assert relative(model.drive_rates(q, v) @ tau, plain.drive_rates(slid, v) @ force) < 1e-11
    assert all(link.motion.measure.unit == "rad" for link in model.mechanism.links if link.drive is not None)


def test_the_rotor_of_a_ball_screw_is_felt_as_a_mass() -> None:
    text = f"""{HEAD}bodies: [{{name: table, {BODY}}}]
joints:
  - {{name: s, type: ball_screw, parent: world, child: table, lead: 5 mm, axis: {AXIS.tolist()}, drive: {{rotor_inertia: 0.001}}}}
velocities: [s]
"""
    model = built(loads(text))
    h = 0.005 / TURN
    M = model.mass_matrix(np.array([3.0]))[0, 0]
    assert M / h**2 == pytest.approx(2.0 + 0.001 / h**2, rel=1e-12)
    assert model.bias_force(np.array([3.0]), np.zeros(1))[0] == pytest.approx(2.0 * G * AXIS[2] * h, rel=1e-12)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("type: helical", "a helical joint without its lead"),
        ("type: revolute, lead: 5 mm", "lead on a revolute joint"),
        ("type: helical, lead: 5 N", "lead"),
        ("type: helical, lead: 5 N/rev", "another dimension"),
        ("type: helical, lead: 5 kg/rad", "a length a turn, as 5 mm or 5 mm/rev"),
        (
            "type: ball_screw, lead: 0",
            r"joints\[0\].lead: lead is zero: no turn moves a ball_screw joint .*other than 0",
        ),
        ("type: ball_screw, lead: 0 mm/rev", r"joints\[0\].lead: lead is zero"),
        ("type: ballscrew, lead: 5 mm", "did you mean 'ball_screw'"),
        ("type: helical, lead: 5 mm, limits: {upper: 3 m}", "upper"),
    ],
)
def test_what_is_wrong_with_a_screw_is_said(line: str, said: str) -> None:
    with pytest.raises(DescriptionError, match=said):
        loads(f"{HEAD}bodies: [{{name: nut, mass: 1}}]\njoints: [{{name: s, parent: world, child: nut, {line}}}]\n")


@pytest.mark.parametrize(
    ("written", "lead"),
    [
        ("5 mm", 0.005),
        ("5 mm/rev", 0.005),
        ("0.005 m/turn", 0.005),
        ("5 mm per turn", 0.005),
        ("-5 mm / revolution", -0.005),
        ("0.2 in/rev", 0.00508),
        ("1 mm/rad", 2 * np.pi * 1e-3),
    ],
)
def test_a_lead_may_be_written_for_a_turn(written: str, lead: float) -> None:
    joint = f"{{name: s, type: ball_screw, parent: world, child: nut, lead: {written}}}"
    assert loads(f"{HEAD}bodies: [{{name: nut, mass: 1}}]\njoints: [{joint}]\n").joints[0].lead == lead


@pytest.mark.parametrize("kind", ["ball_screw", "helical"])
def test_a_gear_that_repeats_the_lead_is_doubted(kind: str) -> None:
    def doubts(gear: float) -> list[str]:
        drive = f"{{rotor_inertia: 0.001, gear: {gear}}}"
        joint = f"{{name: s, type: {kind}, parent: world, child: nut, lead: 5 mm, drive: {drive}}}"
        return description_doubts(loads(f"{HEAD}bodies: [{{name: nut, mass: 1}}]\njoints: [{joint}]\n"))

    for gear in (TURN / 0.005, -1257.0):
        [doubt] = doubts(gear)
        assert doubt.startswith("s: drive.gear") and "125" in doubt and "0.005 m" in doubt and "Leave gear out" in doubt
    assert doubts(1.0) == doubts(5.0) == []


@pytest.mark.parametrize("lead", [0.005, -2e-5])
def test_a_fine_screw_makes_no_pose_singular(lead: float) -> None:
    """What a leg can do is that of its slide: neither measures of singularity nor a choice of v depend on its lead."""
    slides = gough.load("pedrammehr2012")
    screws = screw_driven(slides, lead)
    for velocities in (None, "drives"):
        plain, made = (gough.build(robot, velocities=velocities) for robot in (slides, screws))
        poses = plain.home[:7] + np.array([[0, 0, 0, 0, 0, 0, 0], [0.03, -0.02, 0.04, 0, 0, 0, 0]])
        a, b = (m.singularity(m.configuration(pose=poses)) for m in (plain, made))
        np.testing.assert_allclose(b.parallel, a.parallel, rtol=1e-9)
        np.testing.assert_allclose(b.serial, a.serial, rtol=1e-9)
        np.testing.assert_allclose(b.manipulability, a.manipulability, rtol=1e-9)
