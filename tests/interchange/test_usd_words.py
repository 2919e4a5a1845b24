"""Words of MuJoCo, Newton and PhysX in USD: read as these programs have them, refused or said; none is passed over."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import gough
from interchange.reading import read_quietly, refusals, remarks, saved

pytest.importorskip("pxr")

DEGREE = math.radians(1.0)
MASS = "float physics:mass = 2\npoint3f physics:centerOfMass = (0.1, 0, 0)\nfloat3 physics:diagonalInertia = (0.1, 0.2, 0.25)\n"
MOVED = 'double3 xformOp:translate = (0.5, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
INERTIAL = '<inertial mass="2" pos="0.1 0 0" diaginertia="0.1 0.2 0.25"/>'
ANGULAR, LINEAR = "PhysicsDriveAPI:angular", "PhysicsDriveAPI:linear"


def body(name: str, words: str = "", schemas: tuple[str, ...] = ()) -> str:
    return prim("Xform", name, MASS + words, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *schemas))


def prim(kind: str, name: str, words: str = "", schemas: tuple[str, ...] = ()) -> str:
    applied = ", ".join(f'"{schema}"' for schema in schemas)
    head = f"(prepend apiSchemas = [{applied}])" if schemas else ""
    return f'def {kind} "{name}" {head}\n{{\n{words}\n}}\n'


def joint(
    name: str, ends: tuple[str, str], words: str = "", schemas: tuple[str, ...] = (), kind: str = "Revolute"
) -> str:
    rels = "".join(f"rel physics:body{k} = </rig/{end}>\n" for k, end in enumerate(ends) if end)
    axis = 'uniform token physics:axis = "Y"\n' if kind in ("Revolute", "Prismatic") else ""
    return prim(f"Physics{kind}Joint", name, rels + axis + words, schemas)


def stage(inside: str, scene: str = "", meters: float = 1.0) -> str:
    head = f'(\ndefaultPrim = "rig"\nmetersPerUnit = {meters}\nupAxis = "Z"\n)\n'
    return f'#usda 1.0\n{head}def Xform "rig"\n{{\n{prim("PhysicsScene", "scene", scene)}{inside}}}\n'


def arm(
    words: str = "",
    of_body: str = "",
    scene: str = "",
    schemas: tuple[str, ...] = (),
    apis: tuple[str, ...] = (ANGULAR,),
) -> str:
    """A body on a hinge."""
    return stage(body("a", of_body, schemas) + joint("j", ("", "a"), words, apis), scene)


def pair(
    follower: str,
    schemas: tuple[str, ...] = ("MjcEqualityJointAPI",),
    kind: str = "Revolute",
    more: str = "",
    scene: str = "",
) -> str:
    """Two bodies in a row; the second joint has the words."""
    at = "point3f physics:localPos0 = (0.5, 0, 0)\n"
    parts = body("a") + body("b", MOVED) + joint("lead", ("", "a"), schemas=(ANGULAR,))
    return stage(parts + joint("two", ("a", "b"), at + follower, schemas, kind) + more, scene)


@pytest.mark.parametrize("angle", ["degree", "radian", ""])
def test_springs_and_weights_as_in_mujoco(tmp_path, angle):
    """Springs from `mjc:ref`, in MuJoCo's unit of angles; what bodies are lifted by."""
    unit = 1.0 if angle == "radian" else DEGREE
    ref, rest = 0.3 / unit, 0.9 / unit
    turn = (
        f"double mjc:stiffness = 4\ndouble mjc:ref = {ref}\ndouble mjc:springref = {rest}\ndouble mjc:damping = 0.2\n"
    )
    slide = "double mjc:stiffness = 30\ndouble mjc:ref = 0.1\ndouble mjc:springref = 0.25\ndouble mjc:armature = 0.4\n"
    parts = body("a") + body("b", MOVED + "float mjc:gravcomp = 0.25\n") + joint("j", ("", "a"), turn, (ANGULAR,))
    parts += joint("k", ("a", "b"), "point3f physics:localPos0 = (0.5, 0, 0)\n" + slide, (LINEAR,), "Prismatic")
    text = stage(parts, f'uniform token mjc:compiler:angle = "{angle}"\n' if angle else "")
    model = gough.build(read_quietly(saved(tmp_path, text)))
    truth = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="{angle or "degree"}"/><worldbody><body>{INERTIAL}'
        f'<joint axis="0 1 0" stiffness="4" ref="{ref}" springref="{rest}" damping="0.2"/>'
        f'<body pos="0.5 0 0" gravcomp="0.25">{INERTIAL}'
        '<joint type="slide" axis="0 1 0" stiffness="30" ref="0.1" springref="0.25" armature="0.4"/>'
        "</body></body></worldbody></mujoco>"
    )
    data = mujoco.MjData(truth)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, v, a = rng.uniform(-1, 1, (3, 2))
        data.qpos[:], data.qvel[:], data.qacc[:] = q + [0.3, 0.1], v, a
        mujoco.mj_inverse(truth, data)
        assert model.inverse_dynamics(q, v, a).tau == pytest.approx(data.qfrc_inverse, rel=1e-9, abs=1e-9)


def test_bounds_beside_a_reference_are_mujoco_s(tmp_path):
    words = "double mjc:ref = 20\nfloat physics:lowerLimit = -10\nfloat physics:upperLimit = 50\n"
    file = saved(tmp_path, arm(words))
    assert read_quietly(file).joints[0].drive.stroke == pytest.approx((-30 * DEGREE, 30 * DEGREE))
    assert "/rig/j: mjc:ref is 20: its bounds are MuJoCo's" in remarks(file)


def test_a_unit_of_angles_that_is_none(tmp_path):
    text = arm(scene='uniform token mjc:compiler:angle = "gon"\n')
    assert "mjc:compiler:angle is 'gon' (expected degree or radian)" in refusals(saved(tmp_path, text))


@pytest.mark.parametrize("word", ["mjc:gravcomp", "mjc:body:gravcomp"])
def test_what_lifts_all_bodies_alike_is_gravity_s(tmp_path, word):
    file = saved(tmp_path, arm(of_body=f"float {word} = 0.25\n"))
    robot = read_quietly(file)
    assert robot.bodies[0].weight_share == 1.0 and robot.gravity[2] == pytest.approx(-0.75 * 9.81)
    assert "all bodies have gravcomp 0.25: gravity is 0.75 of the stage's" in remarks(file)
    model = gough.build(read_quietly(saved(tmp_path, arm(of_body=f"float {word} = 1\n"))))
    assert model.gravity_force(model.home) == pytest.approx([0.0])


def test_gravcomp_that_actuators_apply(tmp_path):
    lifted, apply = body("b", MOVED + "float mjc:gravcomp = 1\n"), "bool mjc:actuatorgravcomp = 1\n"
    at = "point3f physics:localPos0 = (0.5, 0, 0)\n"
    texts = [
        stage(body("a") + lifted + joint("j", ("", "a"), first, (ANGULAR,)) + joint("k", ("a", "b"), at + apply))
        for first in (apply, "")
    ]
    file = saved(tmp_path, texts[0])
    assert [b.weight_share for b in read_quietly(file).bodies] == [1.0, 1.0]
    assert "/rig/b: gravcomp that actuators apply is part of the drives' force" in remarks(file)
    assert "/rig/b: gravcomp that actuators apply in some of the joints" in refusals(saved(tmp_path, texts[1]))


@pytest.mark.parametrize("word", ["mjc:flag:gravity", "newton:gravityEnabled"])
def test_gravity_that_is_switched_off(tmp_path, word):
    assert read_quietly(saved(tmp_path, arm(scene=f"bool {word} = 0\n"))).gravity == (0.0, 0.0, 0.0)


def test_equalities_of_joints_as_in_mujoco(tmp_path):
    words = "rel mjc:target = </rig/lead>\ndouble mjc:coef0 = 0.2\ndouble mjc:coef1 = -1.5\ndouble mjc:ref = 10\n"
    (found,) = read_quietly(saved(tmp_path, pair(words))).couplings
    assert dict(found.coefficients) == {"two": 1.0, "lead": 1.5} and found.offset == pytest.approx(0.2)
    truth = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body>{INERTIAL}<joint name="lead" axis="0 1 0"/><body pos="0.5 0 0">{INERTIAL}'
        '<joint name="two" axis="0 1 0" ref="10"/></body></body></worldbody><equality>'
        '<joint joint1="two" joint2="lead" polycoef="0.2 -1.5 0 0 0"/></equality></mujoco>'
    )
    data = mujoco.MjData(truth)
    data.qpos[:] = 0.4, 10 * DEGREE + found.offset - 1.5 * 0.4
    mujoco.mj_forward(truth, data)
    assert data.efc_pos == pytest.approx([0.0], abs=1e-12)


def test_equalities_of_joints_beside_newton_s(tmp_path):
    """What MuJoCo's words do not say Newton's do, which have an offset in degrees; powers are refused, and contradictions."""
    newton = "rel newton:mimicJoint = </rig/lead>\nfloat newton:mimicCoef0 = 45\nfloat newton:mimicCoef1 = 2\n"
    both = ("NewtonMimicAPI", "MjcEqualityJointAPI")
    for schemas in (both, both[1:]):
        (found,) = read_quietly(saved(tmp_path, pair(newton, schemas))).couplings
        assert dict(found.coefficients) == {"two": 1.0, "lead": -2.0} and found.offset == pytest.approx(math.pi / 4)
    assert not read_quietly(saved(tmp_path, pair(newton + "bool newton:mimicEnabled = 0\n", both))).couplings
    (slide,) = read_quietly(saved(tmp_path, pair(newton + "double mjc:coef0 = 0.3\n", both[1:], "Prismatic"))).couplings
    assert dict(slide.coefficients) == {"two": 1.0, "lead": -2.0} and slide.offset == pytest.approx(0.3)
    said = refusals(saved(tmp_path, pair(newton + "double mjc:coef0 = 45\n", both)))
    assert "say different things" in said
    assert "mjc:coef2 is 0.1" in refusals(saved(tmp_path, pair(newton + "double mjc:coef2 = 0.1\n", both)))
    ball = refusals(saved(tmp_path, pair(newton, both[1:], "Spherical")))
    assert "/rig/two: it follows a joint that is not there, or that has several axes" in ball
    stray = prim("Scope", "e", schemas=("MjcEqualityJointAPI",))
    assert "/rig/e: MjcEqualityJointAPI on a prim that is no joint" in refusals(
        saved(tmp_path, pair("", (), more=stray))
    )


@pytest.mark.parametrize(("schema", "kind"), [("MjcEqualityConnectAPI", "spherical"), ("MjcEqualityWeldAPI", "fixed")])
def test_equalities_on_joints_of_six_axes(tmp_path, schema, kind):
    words = "bool physics:excludeFromArticulation = 1\npoint3f physics:localPos0 = (0.5, 0, 0)\n"
    robot = read_quietly(saved(tmp_path, pair("", (), more=joint("tie", ("a", "b"), words, (schema,), ""))))
    assert [(loop.name, loop.type) for loop in robot.loops] == [("tie", kind)]


def test_actuators_of_mujoco_are_drives(tmp_path):
    """Force and, of plain motors, control bound a drive, through the gear; two on a joint add."""
    motor = "rel mjc:target = </rig/two>\ndouble[] mjc:gear = [-10, 0, 0, 0, 0, 0]\n"
    one = motor + "double mjc:forceRange:min = -3\ndouble mjc:forceRange:max = 3\n"
    two = motor + "double mjc:ctrlRange:min = -1\ndouble mjc:ctrlRange:max = 1\ndouble[] mjc:gainPrm = [0.5]\n"
    file = saved(tmp_path, pair("", (), more=prim("MjcActuator", "m", one) + prim("MjcActuator", "n", two)))
    lead, other = read_quietly(file).joints
    assert lead.drive is not None and other.drive.force_limit == pytest.approx(30 + 5)
    law = prim("MjcActuator", "m", two + 'token mjc:biasType = "affine"\n')
    file = saved(tmp_path, pair("", (), more=law))
    assert read_quietly(file).joints[1].drive.force_limit is None and "gains of its drive" in remarks(file)
    manual = "bool mjc:compiler:autoLimits = 0\n"
    file = saved(tmp_path, pair("", (), more=prim("MjcActuator", "m", one), scene=manual))
    assert read_quietly(file).joints[1].drive.force_limit is None
    centimetres = pair("", (), more=prim("MjcActuator", "m", one)).replace(
        "metersPerUnit = 1.0", "metersPerUnit = 0.01"
    )
    assert read_quietly(saved(tmp_path, centimetres)).joints[1].drive.force_limit == pytest.approx(30e-4)


def test_actuators_that_drive_nothing(tmp_path):
    motor = "rel mjc:target = </rig/two>\nint mjc:group = 2\n"
    for scene in ("bool mjc:flag:actuation = 0\n", "int[] mjc:option:actuatorgroupdisable = [2]\n"):
        file = saved(tmp_path, pair("", (), more=prim("MjcActuator", "m", motor), scene=scene))
        assert read_quietly(file).joints[1].drive is None
        assert "/rig/m: switched off in the scene: no drive" in remarks(file)
    site = prim("MjcActuator", "m", "rel mjc:target = </rig/a>\n")
    assert "/rig/m: it acts on a Xform, no single coordinate" in remarks(saved(tmp_path, pair("", (), more=site)))
    ball = prim("MjcActuator", "m", motor)
    said = remarks(saved(tmp_path, pair("", (), "Spherical", ball)))
    assert "/rig/m: it acts on a PhysicsSphericalJoint, no single coordinate: no drive" in said
    for words, said in (
        ('token mjc:gainType = "muscle"\n', "/rig/m: a muscle"),
        ("double mjc:crankLength = 0.2\n", "/rig/m: a slider-crank"),
    ):
        file = saved(tmp_path, pair("", (), more=prim("MjcActuator", "m", motor + words)))
        assert said in refusals(file)
    lost = prim("MjcActuator", "m", "rel mjc:target = </rig/none>\n")
    assert "mjc:target is /rig/none, which is not there" in refusals(saved(tmp_path, pair("", (), more=lost)))


def test_actuators_of_newton_are_drives(tmp_path):
    words = "rel newton:targets = </rig/two>\nfloat newton:kp = 100\nfloat newton:maxEffort = 50\n"
    motor = prim("NewtonActuator", "m", words, ("NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"))
    file = saved(tmp_path, pair("", (), more=motor))
    assert read_quietly(file).joints[1].drive.force_limit == 50 and "gains of its drive" in remarks(file)


def test_what_mujoco_lets_act_on_a_joint(tmp_path):
    words = "double mjc:actuatorfrcrange:min = -2\ndouble mjc:actuatorfrcrange:max = 3\n"
    words += "float drive:angular:physics:maxForce = 7\n"
    file = saved(tmp_path, arm(words))
    assert read_quietly(file).joints[0].drive.force_limit == 3.0
    assert "mjc:actuatorfrcrange is -2 to 3; a drive's force_limit is the same both ways: 3 is taken" in remarks(file)
    off = saved(tmp_path, arm(words + 'token mjc:actuatorfrclimited = "false"\n'))
    assert read_quietly(off).joints[0].drive.force_limit == 7.0


def test_the_first_that_is_stated_counts_if_it_is_zero_too(tmp_path):
    file = saved(tmp_path, arm("float newton:damping = 0\ndouble mjc:damping = 0.3\n", apis=()))
    assert read_quietly(file, drives=[]).joints[0].friction.viscous == 0.0
    assert "/rig/j: mjc:damping 0.3 is left out: newton:damping 0 counts before it" in remarks(file, drives=[])
    alike = f"float newton:damping = {0.3 * DEGREE:.9g}\ndouble mjc:damping = 0.3\n"
    file = saved(tmp_path, arm(alike, apis=()))
    assert read_quietly(file, drives=[]).joints[0].friction.viscous == pytest.approx(0.3)
    assert "counts before" not in remarks(file, drives=[])


def test_states_of_joints_are_home(tmp_path):
    words = "float state:angular:physics:position = 30\nfloat state:angular:physics:velocity = 3\n"
    file = saved(tmp_path, arm(words, apis=(ANGULAR, "PhysicsJointStateAPI:angular")))
    model = gough.build(read_quietly(file))
    assert model.home == pytest.approx([math.pi / 6])
    said = remarks(file)
    assert "state:angular:physics:position is 0.523599 rad, the stage places its bodies at 0" in said
    assert "state:angular:physics:velocity is left out: it is a state" in said
    bare = saved(tmp_path, arm(words))
    assert "PhysicsJointStateAPI:angular is not applied" in remarks(bare)
    assert gough.build(read_quietly(bare)).home == pytest.approx([0.0])
    slide = pair("float state:linear:physics:position = 0.2\n", ("PhysicsJointStateAPI:linear", LINEAR), "Prismatic")
    assert gough.build(read_quietly(saved(tmp_path, slide))).home == pytest.approx([0.0, 0.2])


def test_states_of_joints_of_six_axes_are_home(tmp_path):
    locked = ("transX", "transY", "transZ", "rotZ")
    words = "".join(f"float limit:{k}:physics:low = 1\nfloat limit:{k}:physics:high = -1\n" for k in locked)
    words += "float state:rotY:physics:position = 30\nfloat state:rotX:physics:position = -45\n"
    apis = (*(f"PhysicsLimitAPI:{k}" for k in locked), "PhysicsJointStateAPI:rotY", "PhysicsJointStateAPI:rotX")
    robot = read_quietly(saved(tmp_path, stage(body("a") + joint("j", ("", "a"), words, apis, ""))))
    assert robot.joints[0].type == "universal" and robot.home.joints["j"] == pytest.approx((math.pi / 6, -math.pi / 4))


def test_joints_of_an_articulation_that_add_mobility(tmp_path):
    """Two hinges between the same bodies follow each other where Newton's root says so."""
    two = joint("j", ("", "a"), schemas=(ANGULAR,)) + joint("k", ("", "a"), schemas=(LINEAR,), kind="Prismatic")
    file = saved(
        tmp_path, stage(body("a", "bool newton:jointsAddMobility = 1\n", ("NewtonArticulationRootAPI",)) + two)
    )
    robot = read_quietly(file)
    assert not robot.loops and [(j.name, j.parent, j.child) for j in robot.joints] == [
        ("j", "world", "j_carriage"),
        ("k", "j_carriage", "a"),
    ]


def test_the_whole_tensor_of_newton(tmp_path):
    words = "double[] newton:inertia = [0.3, 0.4, 0.5, 0.01, -0.02, 0.03]\n"
    found = read_quietly(saved(tmp_path, arm(of_body=words, schemas=("NewtonMassAPI",)))).bodies[0]
    tensor = found.inertia
    assert (tensor.xx, tensor.yy, tensor.zz) == (0.3, 0.4, 0.5) and (tensor.xy, tensor.xz, tensor.yz) == (
        0.01,
        -0.02,
        0.03,
    )
    bad = words.replace(", 0.03]", "]")
    said = refusals(saved(tmp_path, arm(of_body=bad, schemas=("NewtonMassAPI",))))
    assert "newton:inertia has 5 numbers (expected six" in said


@pytest.mark.parametrize("words", ['token newton:massModel = "shell"\n', "bool mjc:shellinertia = 1\n"])
def test_masses_in_surfaces_are_refused(tmp_path, words):
    shape = prim("Cube", "box", words, ("PhysicsCollisionAPI",))
    parts = prim("Xform", "a", shape, ("PhysicsRigidBodyAPI",)) + joint("j", ("", "a"))
    assert "a mass in the collider's surface is not computed" in refusals(saved(tmp_path, stage(parts)))


FORCE = ("PhysxForceAPI",)
REFUSED = {
    "a tendon of MuJoCo": pair("", (), more=prim("MjcTendon", "t", "rel mjc:path = [</rig/lead>]\n")),
    "a tendon of PhysX": arm(apis=("PhysxTendonAxisRootAPI:t",)),
    "lockedPosAxis is 1": arm(of_body="int physxRigidBody:lockedPosAxis = 1\n"),
    "lockedRotAxis is 7": arm(of_body="int physxRigidBody:lockedRotAxis = 7\n"),
    "mjc:springdamper [0.1, 1]": arm("double[] mjc:springdamper = [0.1, 1]\n"),
    "mjc:option:density is 1.2": arm(scene="double mjc:option:density = 1.2\n"),
    "mjc:option:viscosity is 0.3": arm(scene="double mjc:option:viscosity = 0.3\n"),
    "mjc:flag:equality is off": arm(scene="bool mjc:flag:equality = 0\n"),
    "mjc:flag:spring is off": arm(scene="bool mjc:flag:spring = 0\n"),
    "setTotalMass scales all masses": arm(scene="double mjc:compiler:setTotalMass = 3\n"),
    "boundMass raises masses": arm(scene="double mjc:compiler:boundMass = 3\n"),
    "a force that always acts": arm(of_body="vector3f physxForce:force = (0, 0, 10)\n", schemas=FORCE),
    "a vehicle of PhysX": pair("", (), more=prim("Xform", "v", schemas=("PhysxVehicleAPI",))),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_changes_the_dynamics_is_refused(tmp_path, said):
    assert said in refusals(saved(tmp_path, REFUSED[said]))


SAID = {
    "/rig/j: mjc:stiffnes is left out: it is not known here": arm("double mjc:stiffnes = 3\n"),
    "/rig/j: newton:dampng is left out: it is not known here": arm("float newton:dampng = 3\n"),
    "/rig/j: physxJoint:dampng is left out: it is not known here": arm("float physxJoint:dampng = 3\n"),
    "/rig/a: newton:linearDamping is left out: it is not known here": arm(of_body="float newton:linearDamping = 1\n"),
    "/rig/a: mjc:ref is left out: it is not known here": arm(of_body="double mjc:ref = 1\n"),
    "/rig/a: physxRigidBody:enableGyroscopicForces is left out": arm(
        of_body="bool physxRigidBody:enableGyroscopicForces = 0\n"
    ),
    "/rig/a: PhysxSurfaceVelocityAPI is left out: it is not known here": arm(schemas=("PhysxSurfaceVelocityAPI",)),
    "/rig/j: NewtonSpringAPI is left out: it is not known here": arm(apis=(ANGULAR, "NewtonSpringAPI")),
    "/rig/scene: mjc:option:densty is left out: it is not known here": arm(scene="double mjc:option:densty = 1\n"),
    "/rig/scene: mjc:flag:limit is off": arm(scene="bool mjc:flag:limit = 0\n"),
    "/rig/k: keyframes are left out": pair("", (), more=prim("MjcKeyframe", "k")),
    "/rig/j: PhysicsDriveAPI:linear is left out: its drive is PhysicsDriveAPI:angular": arm(apis=(ANGULAR, LINEAR)),
    "/rig/j: state:linear:physics:position is left out: the joint has no such coordinate": arm(
        "float state:linear:physics:position = 1\n", apis=(ANGULAR, "PhysicsJointStateAPI:linear")
    ),
}


@pytest.mark.parametrize("said", SAID)
def test_words_that_are_not_known_are_said(tmp_path, said):
    assert said in remarks(saved(tmp_path, SAID[said]))


def test_settings_of_solvers_and_contacts_are_passed_over(tmp_path):
    joints = "double[] mjc:solreflimit = [0.03, 0.8]\nint mjc:group = 3\nfloat newton:limitStiffness = 10\n"
    joints += (
        "double mjc:margin = 1\nfloat physxLimit:angular:stiffness = 3\nfloat state:angular:physics:position = 0\n"
    )
    joints += "double[] mjc:springdamper = [0, 0]\n"
    bodies = "float physxRigidBody:sleepThreshold = 1\nint mjc:condim = 1\nfloat physxCollision:contactOffset = 0.1\n"
    bodies += "int physxRigidBody:lockedPosAxis = 0\nbool physxForce:forceEnabled = 0\nvector3f physxForce:force = (1, 0, 0)\n"
    scene = (
        'double mjc:option:timestep = 0.01\ntoken physxScene:solverType = "TGS"\nint newton:maxSolverIterations = 9\n'
    )
    scene += "double mjc:option:density = 0\nbool mjc:flag:warmstart = 0\nbool mjc:flag:contact = 0\n"
    text = arm(joints, bodies, scene, ("PhysxRigidBodyAPI", *FORCE), (ANGULAR, "MjcJointAPI", "PhysxLimitAPI:angular"))
    assert remarks(saved(tmp_path, text)) == ""


def test_layers_that_are_pointers_of_git_lfs_are_named(tmp_path):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"
    saved(tmp_path, pointer, "parts.usda")
    file = saved(tmp_path, arm().replace('upAxis = "Z"', 'upAxis = "Z"\nsubLayers = [@./parts.usda@]'))
    said = refusals(file)
    assert "parts.usda: document: a pointer of Git LFS in the place of the file" in said and "git lfs pull" in said
    assert "a pointer of Git LFS" in refusals(saved(tmp_path, pointer, "whole.usd"))
