"""Orientations that follow variables, on bodies whose internal axes are tilted: right for all values of the variables.

Truth: robots that are read again with numbers in the places of the variables, differences of them, and MuJoCo.
"""

import mujoco
import numpy as np
import pytest

import gough
from gough.robot import loads

SEEN = (0.0, np.pi / 2, -np.pi / 2, np.pi, 1e-8, 2.0)
"""rad: where pitches of products are right angles, near it, and elsewhere."""
Q, V, TAU = np.array([0.3, 0.5]), np.array([1.0, -2.0]), np.array([0.5, 0.1])
ARM = """
format: 2
name: turned
variables: {ang: 0.7 rad, lean: 0.2 rad}
bodies:
  - name: base
    mass: 1
    inertia: {about: center_of_mass, xx: 0.1, yy: 0.2, zz: 0.15}
    frames: {tool: {position: [0.1, 0, 0.2], TURN}}
  - name: arm
    mass: 2
    center_of_mass: [0.3, 0.1, 0.05]
    inertia: {about: center_of_mass, xx: 0.02, yy: 0.06, zz: 0.07}
joints:
  - {name: h0, AXIS, parent: world, child: base, drive: {}}
  - {name: hinge, type: revolute, axis: [0, 1, 0], parent: base, child: arm, drive: {}, pose: {TURN}}
"""
REVOLUTE = "type: revolute, axis: [0, 0.6, 0.8]"
TURNS = [
    (REVOLUTE, "rpy_zyx: [ang, 0, lean]"),
    (REVOLUTE, "rpy_zyx: [0, ang, lean]"),
    (REVOLUTE, "bryant_xyz: [lean, 0, ang]"),
    ("type: prismatic, axis: [0.6, 0, -0.8]", "bryant_xyz: [0.2, ang, lean]"),
    ("type: revolute, axis: [1, 0, 0]", "bryant_xyz: [0, ang, lean]"),
    ("type: revolute, axis: [1, 0, 0]", "rpy_zyx: [lean, ang, 0.4]"),
]


def text_with(axis: str, turn: str) -> str:
    return ARM.replace("AXIS", axis).replace("TURN", turn)


def numbered(text: str, ang: float, lean: float = 0.2) -> gough.Model:
    """The robot with numbers: no formula stands in it."""
    head, body = text.split("bodies:")
    head = head.replace("variables: {ang: 0.7 rad, lean: 0.2 rad}\n", "")
    return gough.build(
        loads(
            f"{head}bodies:{body.replace('lean', repr(lean)).replace('ang,', f'{ang!r},').replace('ang]', f'{ang!r}]')}"
        )
    )


@pytest.mark.parametrize(("axis", "turn"), [*TURNS[:2], *(pytest.param(*t, marks=pytest.mark.slow) for t in TURNS[2:])])
def test_any_value_gives_the_robot_that_is_read_again(axis: str, turn: str) -> None:
    text = text_with(axis, turn)
    model = gough.build(loads(text))
    derived = model.function("forward_dynamics", variables=True).derivative("variables")
    for ang in SEEN:
        parameters = model.parameters_with(variables={"ang": ang})
        again = numbered(text, float(ang))
        moved = model.forward_dynamics(Q, V, TAU, parameters=parameters)
        np.testing.assert_allclose(moved.vdot, again.forward_dynamics(Q, V, TAU).vdot, rtol=1e-11, atol=1e-11)
        for x, y in zip(
            model.frame_pose(Q, "base.tool", parameters=parameters), again.frame_pose(Q, "base.tool"), strict=True
        ):
            np.testing.assert_allclose(x, y, atol=1e-13)
        h = 1e-5
        near = [numbered(text, float(ang + s * h)).forward_dynamics(Q, V, TAU).vdot for s in (2, 1, -1, -2)]
        slope = np.array([-1, 8, -8, 1]) @ np.array(near) / (12 * h)
        found = derived(q=Q, v=V, tau=TAU, force=np.zeros(2), variables=np.array([ang, 0.2]))
        assert found.status == 0
        np.testing.assert_allclose(found.outputs["vdot_variables"][:, 0], slope, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("ang", [0.0, 90.0])
def test_a_robot_described_where_a_product_is_pitched_by_a_right_angle(ang: float) -> None:
    """Described there, with the derivatives by the parameters that its placement has; against MuJoCo."""
    text = text_with(REVOLUTE, "rpy_zyx: [ang, 0, 0]").replace("ang: 0.7 rad", f"ang: {ang} deg")
    model = gough.build(loads(text))
    half = np.radians(ang) / 2
    data = mujoco.MjData(
        mj := mujoco.MjModel.from_xml_string(f"""<mujoco><option gravity="0 0 -9.81"/><worldbody><body>
            <joint axis="0 0.6 0.8"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.15"/>
            <body quat="{np.cos(half)} 0 0 {np.sin(half)}"><joint axis="0 1 0"/>
            <inertial pos="0.3 0.1 0.05" mass="2" diaginertia="0.02 0.06 0.07"/></body></body></worldbody></mujoco>""")
    )
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = Q, V, TAU
    mujoco.mj_forward(mj, data)
    np.testing.assert_allclose(model.forward_dynamics(Q, V, TAU).vdot, data.qacc, rtol=1e-9)
    function = model.function("forward_dynamics")
    state = {s.name: np.zeros(s.shape) for s in function.program.inputs} | {"q": Q, "v": V, "tau": TAU}
    own = [model.parameter_names.index(f"hinge.q{k}") for k in "wxyz"]
    slopes = function.derivative("parameters")(**state | {"parameters": model.parameters}).outputs["vdot_parameters"]
    for i in own:
        h = 1e-5
        moved = [model.parameters + s * h * (np.arange(len(model.parameters)) == i) for s in (2, 1, -1, -2)]
        near = [model.forward_dynamics(Q, V, TAU, parameters=p).vdot for p in moved]
        np.testing.assert_allclose(slopes[:, i], np.array([-1, 8, -8, 1]) @ np.array(near) / (12 * h), atol=1e-6)
    with pytest.raises(gough.UsageError, match=r"hinge.qw .* quaternion of length .* change those"):
        model.parameters_with({"hinge.qw": 3.0})


@pytest.mark.parametrize("place", ["pose: {rpy_zyx: [0.2, TURN, 0.4]}", "mdh: {alpha: 90 deg, theta: TURN}"])
def test_a_described_pitch_may_be_a_right_angle(place: str) -> None:
    text = text_with(REVOLUTE, "rpy_zyx: [0, 0, 0]").replace("type: revolute, axis: [0, 1, 0]", "type: revolute")
    text = text.replace("pose: {rpy_zyx: [0, 0, 0]}", place)
    model = gough.build(loads(text.replace("TURN", "ang + 90 deg").replace("ang: 0.7 rad", "ang: 0 rad")))
    for ang in (0.0, 0.3, np.pi):
        again = gough.build(loads(text.replace("TURN", repr(float(ang + np.pi / 2)))))
        moved = model.forward_dynamics(Q, V, TAU, parameters=model.parameters_with(variables={"ang": ang}))
        np.testing.assert_allclose(moved.vdot, again.forward_dynamics(Q, V, TAU).vdot, rtol=1e-11, atol=1e-11)


def test_runs_of_many_values_pass_through_it() -> None:
    model = gough.build(loads(text_with(REVOLUTE, "rpy_zyx: [ang, 0, 0]")))
    found = gough.simulate_many(model, vary=gough.vary.sweep({"ang": [0.0, 1e-9]}), duration=0.2, stored=2)
    assert np.isnan(found.failed).all()
    np.testing.assert_allclose(found.q[0, -1], found.q[1, -1], atol=1e-7)


LOOP = """
format: 2
name: closed
variables: {ang: 0.7 rad, lean: 0.2 rad}
bodies:
  - {name: b1, mass: 1, center_of_mass: [0.1, 0.2, 0.3], inertia: {about: center_of_mass, xx: 0.1, yy: 0.2, zz: 0.15}}
  - {name: b2, mass: 1, center_of_mass: [0.1, 0.2, 0.3], inertia: {about: center_of_mass, xx: 0.1, yy: 0.2, zz: 0.15}}
joints:
  - {name: h0, type: revolute, axis: [0, 0.6, 0.8], parent: world, child: b1, drive: {}}
  - {name: f, type: free, parent: world, child: b2}
loops:
  - name: l
    type: revolute
    first: {body: b1, pose: {position: [0.1, 0, 0.2], rpy_zyx: [ang, 0, lean]}}
    second: {body: b2, pose: {position: [0.1, 0, 0]}}
velocities: any
idle: [f_wz]
"""


@pytest.mark.parametrize("ang", [0.0, np.pi / 2, np.pi])
def test_a_loop_closes_where_the_robot_that_is_read_again_does(ang: float) -> None:
    model, again = gough.build(loads(LOOP)), numbered(LOOP, float(ang))
    parameters = model.parameters_with(variables={"ang": ang})
    assert model.layout.v_names == again.layout.v_names
    assert model.closure_error(again.home, parameters=parameters) < 1e-14
    v = np.ones(model.layout.nv)
    np.testing.assert_allclose(
        model.forward_dynamics(again.home, v, [1.0], parameters=parameters).vdot,
        again.forward_dynamics(again.home, v, [1.0]).vdot,
        rtol=1e-11,
    )
