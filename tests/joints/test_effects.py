"""Armature, springs, dampers, friction and limits of every freedom of a joint: MuJoCo's own, closed forms, what is refused."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import DescriptionError, dumps, loads
from inner.robot import change_friction

TENSOR = "{about: center_of_mass, xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01, yz: -0.02}"
BODY = f"mass: 2, center_of_mass: [0.03, 0.1, 0.02], inertia: {TENSOR}"
REST = (0.8, 0.1, -0.5, np.sqrt(1 - 0.64 - 0.01 - 0.25))
JOINTS = {
    "revolute": "axis: [0.6, 0, 0.8], spring: {stiffness: 7, damping: 0.3, rest: 0.4}, armature: 0.2",
    "universal": "axes: [[0, 1, 0], [1, 0, 0]], armature: [0.2, 0.3], "
    "spring: [{stiffness: 7, damping: 0.3, rest: 0.4}, {stiffness: 5, damping: 0.1, rest: -0.7}]",
    "spherical": f"armature: 0.2, spring: {{stiffness: 7, damping: 0.3, rest_quaternion_wxyz: [{', '.join(map(str, REST))}]}}",
    "cylindrical": "axis: [0, 0, 1], armature: [0.2, 3 kg], "
    "spring: [{stiffness: 7, damping: 0.3, rest: 0.4}, {stiffness: 5 N/m, damping: 0.1, rest: -70 mm}]",
    "planar": "armature: 0.2, spring: [{stiffness: 7, damping: 0.3, rest: 0.4}, null, {stiffness: 5, damping: 0.1, rest: -0.7}]",
}
FIRST = 'stiffness="7" damping="0.3"'
MUJOCO = {
    "revolute": f'<joint axis=".6 0 .8" springref="0.4" armature="0.2" {FIRST}/>',
    "universal": f'<joint axis="0 1 0" springref="0.4" armature="0.2" {FIRST}/>'
    '<joint axis="1 0 0" springref="-0.7" armature="0.3" stiffness="5" damping="0.1"/>',
    "spherical": f'<joint type="ball" armature="0.2" {FIRST}/>',
    "cylindrical": f'<joint axis="0 0 1" springref="0.4" armature="0.2" {FIRST}/>'
    '<joint type="slide" axis="0 0 1" springref="-0.07" armature="3" stiffness="5" damping="0.1"/>',
    "planar": f'<joint type="slide" axis="1 0 0" springref="0.4" armature="0.2" {FIRST}/>'
    '<joint type="slide" axis="0 1 0" armature="0.2"/>'
    '<joint axis="0 0 1" springref="-0.7" armature="0.2" stiffness="5" damping="0.1"/>',
}


def text(kind: str, effects: str) -> str:
    velocities = {
        "revolute": "[j]",
        "universal": "[j_1, j_2]",
        "spherical": "[j_wx, j_wy, j_wz]",
        "cylindrical": "[j_angle, j_offset]",
        "planar": "[j_x, j_y, j_angle]",
    }[kind]
    return f"""
format: 2
name: one
gravity: [1, 2, -9]
bodies: [{{name: a, {BODY}}}]
joints: [{{name: j, type: {kind}, parent: world, child: a, {effects}}}]
velocities: {velocities}
"""


@pytest.mark.parametrize("kind", JOINTS)
def test_armature_springs_and_dampers_are_those_of_mujoco(kind: str) -> None:
    """M, h and accelerations at random states to 1e-11 of the largest; MuJoCo's own forces, not ones composed here."""
    robot = loads(text(kind, JOINTS[kind]))
    assert loads(dumps(robot)) == robot
    model = gough.build(robot)
    inertia = 'mass="2" pos=".03 .1 .02" fullinertia=".1 .2 .25 .01 0 -.02"'
    head = '<mujoco><compiler angle="radian"/><option gravity="1 2 -9"/>'
    xml = f"{head}<worldbody><body>{MUJOCO[kind]}<inertial {inertia}/></body></worldbody></mujoco>"
    other = mujoco.MjModel.from_xml_string(xml)
    if kind == "spherical":
        other.qpos_spring[:] = REST
    data, rng = mujoco.MjData(other), np.random.default_rng(3)
    for _ in range(8):
        q, v = rng.normal(size=model.layout.nq), rng.normal(size=model.layout.nv)
        if kind == "spherical":
            q /= np.linalg.norm(q)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(other, data)
        columns = [np.zeros(other.nv) for _ in range(other.nv)]
        for e, column in zip(np.eye(other.nv), columns, strict=True):
            mujoco.mj_mulM(other, data, column, e)
        M = np.array(columns)
        h = data.qfrc_bias - data.qfrc_passive
        assert np.allclose(model.mass_matrix(q), M, rtol=0, atol=1e-11 * np.abs(M).max())
        assert np.allclose(model.bias_force(q, v), h, rtol=0, atol=1e-11 * np.abs(h).max())
        found = model.forward_dynamics(q, v, np.zeros(0)).vdot
        assert np.allclose(found, data.qacc, rtol=0, atol=1e-10 * np.abs(data.qacc).max())


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 1.9e-4, 2.1e-4, 0.3, 3.0, np.pi - 1e-6])
def test_a_ball_is_turned_back_along_the_shortest_way(angle: float) -> None:
    """Moment and energy near rest, where the formula is a series, and near half a turn; q and -q are the same."""
    model = gough.build(loads(text("spherical", JOINTS["spherical"]).replace("[1, 2, -9]", "[0, 0, 0]")))
    n = np.array([2.0, -3.0, 6.0]) / 7.0
    turned = (Rotation.from_quat(np.roll(REST, -1)) * Rotation.from_rotvec(angle * n)).as_quat()
    for sign in (1.0, -1.0):
        q = sign * np.roll(turned, 1)
        assert np.allclose(model.bias_force(q, np.zeros(3)), 7 * angle * n, rtol=1e-9, atol=1e-14)
        energy = model.energies(q, np.zeros(3)).potential
        assert energy == pytest.approx(3.5 * angle**2, rel=1e-6, abs=1e-15)


def test_limits_and_friction_of_every_coordinate() -> None:
    effects = (
        "axes: [[0, 1, 0], [1, 0, 0]], limits: {lower: [-30 deg, null], upper: [0.5, 0.7], speed: [null, 2], cone: 1}, "
        "friction: [{viscous: 0.3}, {coulomb: 0.5, smoothing: 0.1}]"
    )
    robot = loads(text("universal", effects))
    assert loads(dumps(robot)) == robot
    model = gough.build(robot)
    found = model.limit_margins([0.1, 0.2], [1.0, -1.5])
    margins = dict(zip(found.names, found.margins, strict=True))
    assert list(margins.values()) == pytest.approx(
        [np.pi / 6 + 0.1, 0.4, 0.5, 0.5, 1 - np.arccos(np.cos(0.1) * np.cos(0.2))]
    )
    smooth, bare = (gough.build(change_friction(robot, coulomb=x, viscous=x)) for x in (1.0, 0.0))
    rubbed = smooth.bias_force([0.1, 0.2], [1.0, -1.5]) - bare.bias_force([0.1, 0.2], [1.0, -1.5])
    assert rubbed == pytest.approx([0.3, -0.5 * 1.5 / np.hypot(1.5, 0.1)], rel=1e-12)
    assert smooth.energies([0.1, 0.2], [1.0, -1.5]).losses == pytest.approx(rubbed @ [1.0, -1.5], rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "effects", "place", "message"),
    [
        ("universal", "spring: {stiffness: 3}", "joints[0].spring", "one spring on a universal joint"),
        ("universal", "spring: [{stiffness: 3}]", "joints[0].spring", "1 entries for the 2 freedoms"),
        ("universal", "spring: [{stiffness: 3}, {stiffness: 3 N/m}]", "joints[0].spring[1].stiffness", "dimension"),
        ("universal", "spring: [{stiffness: 3}, {stiffnes: 3}]", "joints[0].spring[1].stiffnes", "did you mean"),
        ("universal", "friction: [{}, {viscous: -1}]", "joints[0].friction[1].viscous", "negative"),
        ("universal", "armature: [1, 2, 3]", "joints[0].armature", "3 entries for the 2 freedoms"),
        ("universal", "armature: [1, -2]", "joints[0].armature[1]", "negative"),
        ("universal", "limits: {lower: [1, 2], upper: [2, 1]}", "joints[0].limits.upper[1]", "empty range"),
        ("universal", "limits: {speed: [1, 3 m/s]}", "joints[0].limits.speed[1]", "dimension"),
        ("cylindrical", "armature: 1 kg", "joints[0].armature", "along its axes and about them"),
        ("cylindrical", "armature: [1 kg, 1]", "joints[0].armature[0]", "dimension"),
        ("cylindrical", "spring: [{table: [[0, 0], [1 m, 1]]}, null]", "joints[0].spring[0].table[1][0]", "dimension"),
        ("spherical", "spring: {stiffness: 3, rest: 1}", "joints[0].spring.rest", "of a spring in a ball"),
        ("spherical", "spring: [{stiffness: 3}, null, null]", "joints[0].spring", "a list on a spherical joint"),
        ("spherical", "spring: {rest_quaternion_wxyz: [1, 1, 0, 0]}", "rest_quaternion_wxyz", "a quaternion of norm"),
        ("spherical", "limits: {lower: 1}", "joints[0].limits.lower", "lower on a spherical joint"),
        ("revolute", "spring: {rest_quaternion_wxyz: [1, 0, 0, 0]}", "rest_quaternion_wxyz", "is a number"),
        ("revolute", "limits: {lower: [1]}", "joints[0].limits.lower", "a list on a revolute joint"),
        ("fixed", "armature: 1", "joints[0].armature", "armature on a fixed joint"),
        ("fixed", "spring: {}", "joints[0].spring", "spring on a fixed joint"),
    ],
)
def test_what_is_refused(kind: str, effects: str, place: str, message: str) -> None:
    axes = "axes: [[0, 1, 0], [1, 0, 0]], " if kind == "universal" else ""
    with pytest.raises(DescriptionError) as caught:
        loads(
            text("revolute", axes + effects).replace("type: revolute", f"type: {kind}").replace("velocities: [j]", "")
        )
    told = str(caught.value)
    assert place in told
    assert message in told


@pytest.mark.parametrize(
    "effects", ["armature: 1", "friction: [{}, {}]", "spring: [{}, {}]", "limits: {lower: [1, 2]}"]
)
def test_newer_words_in_an_older_file_are_named(effects: str) -> None:
    axes = "axes: [[0, 1, 0], [1, 0, 0]], "
    with pytest.raises(DescriptionError, match="format 2, and this file is of format 1"):
        loads(text("universal", axes + effects).replace("format: 2", "format: 1"))
    kept = loads(text("universal", JOINTS["universal"]))
    assert dumps(kept).startswith("format: 2")
    assert dumps(loads(text("revolute", "spring: {stiffness: 3}"))).startswith("format: 1")
