"""USD as read: the dynamics of what a stage says is that of the mechanism it was written from, in all units and axes."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.errors import UsageError
from interchange.reading import read_quietly, refusals, remarks, saved
from interchange.usd_writing import Frame, UsdWriting
from reference.peers.facts import WORLD, BodyFact, Facts, JointFact, largest_difference

CLOSE = 1e-9
DRIVE = ("PhysicsDriveAPI:angular",)
UNITS = [(1.0, 1.0, "Z", 1.0), (0.01, 1.0, "Y", 1.0), (1.0, 0.5, "Z", 2.0), (0.01, 0.001, "Y", 0.5)]


def about(X: Frame, axis: int, angle: float) -> np.ndarray:
    """Displacement (4, 4) of a turn about an axis of a frame."""
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_rotvec(angle * np.eye(3)[axis]).as_matrix()
    return X.matrix @ turn @ np.linalg.inv(X.matrix)


@pytest.mark.parametrize(("meters", "kilograms", "up", "scale"), UNITS)
def test_a_four_bar_in_all_units(tmp_path, meters, kilograms, up, scale):
    rig = UsdWriting(4, meters, kilograms, up, scale)
    for name in ("crank", "coupler", "rocker"):
        rig.body(name)
    q = np.array([0.8, 0.6, 0, 0])
    points = [np.array(p) for p in ([0, 0, 0], [0.12, 0.3, 0.02], [0.6, 0.42, -0.04], [0.5, 0, 0.02])]
    turn = Rotation.from_quat(np.roll(q, -1)).as_matrix()
    pins = [Frame(turn @ p, q) for p in points]
    rig.joint("pin_a", "Revolute", WORLD, "crank", at=pins[0], schemas=DRIVE)
    rig.joint("pin_b", "Revolute", "crank", "coupler", at=pins[1])
    rig.joint("pin_c", "Revolute", "coupler", "rocker", at=pins[2])
    rig.joint("pin_d", "Revolute", "rocker", WORLD, at=pins[3], words="bool physics:excludeFromArticulation = true")
    robot = read_quietly(saved(tmp_path, rig.text()))
    assert [loop.name for loop in robot.loops] == ["pin_d"]
    assert [j.name for j in robot.joints if j.drive is not None] == ["pin_a"]
    assert largest_difference(gough.build(robot), rig.facts(), rig.zero()) < CLOSE


def test_a_tree_that_does_not_stand_at_zero(tmp_path):
    rig = UsdWriting(8)
    rig.body("carriage")
    slide = rig.frames["carriage"] @ rig.frame()
    rig.frames["arm"] = rig.frame()
    elbow = rig.frames["arm"] @ rig.frame()
    shown = about(elbow, 0, 0.4)
    arm = rig.frames.pop("arm")
    rig.frame = lambda: arm  # type: ignore[method-assign]
    rig.body("arm", turned=shown)
    rig.joint("slide", "Prismatic", WORLD, "carriage", "Y", slide)
    rig.joint("elbow", "Revolute", "carriage", "arm", "X", elbow, "float newton:armature = 0.02", armature=0.02)
    robot = read_quietly(saved(tmp_path, rig.text()))
    model = gough.build(robot)
    assert model.home[model.layout.index("elbow")] == pytest.approx(0.4, abs=1e-12)
    assert largest_difference(model, rig.facts(), rig.zero()) < CLOSE


def test_a_spatial_loop_with_joints_of_six_axes(tmp_path):
    rig = UsdWriting(15)
    for name in ("crank", "coupler", "rocker"):
        rig.body(name)
    locked = [f"limit:{k}:physics" for k in ("transX", "transY", "transZ", "rotZ")]
    words = "\n".join(f"float {k}:low = 1\nfloat {k}:high = -1" for k in locked)
    schemas = tuple(f"PhysicsLimitAPI:{k}" for k in ("transX", "transY", "transZ", "rotZ"))
    cross = rig.frames["coupler"] @ rig.frame()
    R = cross.matrix[:3, :3]
    rig.joint("motor", "Revolute", WORLD, "crank", "X", schemas=DRIVE)
    rig.joint("cross", "", "crank", "coupler", "Y", cross, words, schemas, type="universal", axis2=R[:, 0])
    rig.joint("ball", "Spherical", "coupler", "rocker")
    rig.joint("hinge", "Revolute", WORLD, "rocker", "Y")
    robot = read_quietly(saved(tmp_path, rig.text()))
    assert len(robot.loops) == 1 and robot.loops[0].name == "ball"
    assert largest_difference(gough.build(robot), rig.facts(), rig.zero()) < CLOSE


def test_what_nothing_holds_floats(tmp_path):
    rig = UsdWriting(21)
    rig.body("base")
    rig.body("arm")
    rig.joint("shoulder", "Revolute", "base", "arm", "Y")
    robot = read_quietly(saved(tmp_path, rig.text()))
    facts = rig.facts()
    floats = Facts(facts.bodies, {"base_floats": JointFact("free", WORLD, "base"), **facts.joints}, facts.gravity)
    assert [j.type for j in robot.joints] == ["free", "revolute"]
    assert largest_difference(gough.build(robot), floats, rig.zero()) < CLOSE


def test_axes_of_one_joint_in_a_row(tmp_path):
    rig = UsdWriting(33)
    rig.body("table")
    at = rig.frames["table"] @ rig.frame()
    R = at.matrix[:3, :3]
    keys = ("transZ", "rotX", "rotY")
    words = "\n".join(f"float limit:{k}:physics:low = 1\nfloat limit:{k}:physics:high = -1" for k in keys)
    schemas = tuple(f"PhysicsLimitAPI:{k}" for k in keys)
    rig.joint("plane", "", WORLD, "table", "Z", at, words, schemas)
    robot = read_quietly(saved(tmp_path, rig.text()))
    assert [j.name for j in robot.joints] == ["plane_transX", "plane_transY", "plane_rotZ"]
    cart = {f"plane_{k}_carriage": BodyFact(0.0, np.zeros(3), np.zeros((3, 3))) for k in ("transX", "transY")}
    row = [WORLD, *cart, "table"]
    kinds = (("transX", "prismatic", 0), ("transY", "prismatic", 1), ("rotZ", "revolute", 2))
    joints = {
        f"plane_{key}": JointFact(kind, row[k], row[k + 1], at.p, R[:, axis])
        for k, (key, kind, axis) in enumerate(kinds)
    }
    facts = Facts({**cart, **rig.bodies}, joints, (0.0, 0.0, -9.5))
    zero = {**rig.zero(), **dict.fromkeys(cart, at.matrix)}
    assert largest_difference(gough.build(robot), facts, zero) < CLOSE


def stage(inside: str, meters: float = 1.0, head: str = "") -> str:
    return f"""#usda 1.0
(
    defaultPrim = "rig"
    metersPerUnit = {meters}
    upAxis = "Z"
    {head}
)
def Xform "rig"
{{
{inside}
}}
"""


def body(name: str, inside: str = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (0.1, 0.2, 0.25)") -> str:
    schemas = '["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
    return f'def Xform "{name}" (prepend apiSchemas = {schemas})\n{{\n{inside}\n}}\n'


def hinge(name: str, first: str, second: str, words: str = "", schemas: str = "", kind: str = "Revolute") -> str:
    ends = "".join(f"rel physics:body{k} = </rig/{b}>\n" for k, b in enumerate((first, second)) if b)
    applied = f"(prepend apiSchemas = [{schemas}])" if schemas else ""
    axis = 'uniform token physics:axis = "Z"' if kind in ("Revolute", "Prismatic") else ""
    return f'def Physics{kind}Joint "{name}" {applied}\n{{\n{axis}\n{ends}{words}\n}}\n'


def collider(kind: str, words: str, density: str = "") -> str:
    schemas = '["PhysicsCollisionAPI", "PhysicsMassAPI"]'
    return f'def {kind} "{kind.lower()}" (prepend apiSchemas = {schemas})\n{{\n{words}\n{density}\n}}\n'


def scaled(x: float, y: float, z: float) -> str:
    return f'float3 xformOp:scale = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'


TETRAHEDRON = (
    "point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4)]\nint[] faceVertexCounts = [3, 3, 3, 3]\n"
    "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]"
)


@pytest.mark.parametrize(
    ("shape", "mass", "zz"),
    [
        (collider("Cube", scaled(0.1, 0.2, 0.3)), 48, 48 * (0.2**2 + 0.4**2) / 12),
        (collider("Sphere", "double radius = 0.2"), 4188.79020478639 * 0.008, 4188.79020478639 * 0.008 * 0.4 * 0.04),
        (
            collider("Cylinder", 'double radius = 0.2\ndouble height = 0.5\nuniform token axis = "Z"'),
            20 * math.pi,
            0.4 * math.pi,
        ),
        (
            collider("Cylinder", 'double radius = 0.2\ndouble height = 0.5\nuniform token axis = "X"'),
            20 * math.pi,
            20 * math.pi * (0.01 + 0.25 / 12),
        ),
        (
            collider("Cone", 'double radius = 0.2\ndouble height = 0.3\nuniform token axis = "Z"'),
            4 * math.pi,
            4 * math.pi * 0.012,
        ),
        (
            collider("Capsule", 'double radius = 0.1\ndouble height = 0.3\nuniform token axis = "Z"'),
            13 / 3 * math.pi,
            3 * math.pi * 0.005 + 4 / 3 * math.pi * 0.004,
        ),
        (collider("Mesh", TETRAHEDRON), 4000, 4000 * (3 / 80) * (4 + 9)),
        (collider("Cube", scaled(0.1, 0.2, 0.3), "float physics:density = 100"), 4.8, 4.8 * (0.2**2 + 0.4**2) / 12),
        (collider("Cube", scaled(0.1, 0.2, 0.3), "float physics:mass = 6"), 6, 6 * (0.2**2 + 0.4**2) / 12),
    ],
)
def test_masses_of_colliders(tmp_path, shape, mass, zz):
    robot = read_quietly(saved(tmp_path, stage(body("a", shape) + hinge("j", "", "a"))))
    assert robot.bodies[0].mass == pytest.approx(mass, rel=1e-6)
    assert robot.bodies[0].inertia.zz == pytest.approx(zz, rel=1e-6)


def test_a_stated_mass_scales_shapes_and_a_stated_centre_moves_their_tensor(tmp_path):
    words = "float physics:mass = 3\npoint3f physics:centerOfMass = (0.5, 0, 0)\n" + collider(
        "Cube", scaled(0.1, 0.2, 0.3)
    )
    found = read_quietly(saved(tmp_path, stage(body("a", words) + hinge("j", "", "a")))).bodies[0]
    assert found.mass == 3 and found.center_of_mass == (0.5, 0, 0)
    assert found.inertia.zz == pytest.approx(3 * (0.2**2 + 0.4**2) / 12 + 3 * 0.25, rel=1e-6)
    assert found.inertia.xx == pytest.approx(3 * (0.4**2 + 0.6**2) / 12, rel=1e-6)


def test_densities_of_bodies_and_materials(tmp_path):
    material = (
        'def Material "steel" (prepend apiSchemas = ["PhysicsMaterialAPI"])\n{\nfloat physics:density = 7800\n}\n'
    )
    bound = collider("Cube", scaled(0.1, 0.2, 0.3) + "rel material:binding:physics = </rig/steel>")
    one = body("a", bound) + body("b", "float physics:density = 500\n" + bound)
    robot = read_quietly(saved(tmp_path, stage(material + one + hinge("j", "", "a") + hinge("k", "a", "b"))))
    assert [b.mass for b in robot.bodies] == pytest.approx([7800 * 0.048, 500 * 0.048], rel=1e-6)


def test_bounds_in_degrees_and_forces_in_the_stage_s_units(tmp_path):
    words = (
        "float physics:lowerLimit = -30\nfloat physics:upperLimit = 60\nfloat drive:angular:physics:maxForce = 2e4\n"
    )
    words += "float drive:angular:physics:stiffness = 100"
    turn = hinge("turn", "", "a", words, '"PhysicsDriveAPI:angular"')
    slide = hinge("slide", "a", "b", "float physics:lowerLimit = -30\nfloat physics:upperLimit = 60", kind="Prismatic")
    robot = read_quietly(saved(tmp_path, stage(body("a") + body("b") + turn + slide, 0.01)))
    turn, slide = robot.joints
    assert turn.drive.stroke == pytest.approx((math.radians(-30), math.radians(60)))
    assert turn.drive.force_limit == pytest.approx(2.0) and slide.drive is None
    assert (slide.limits.lower, slide.limits.upper) == pytest.approx((-0.3, 0.6))


def test_what_physx_says_of_an_axis(tmp_path):
    """Counts before PhysxJointAPI; friction and speeds are a degree's."""
    words = (
        "float physxJointAxis:angular:armature = 0.1\nfloat physxJoint:armature = 7\n"
        "float physxJointAxis:angular:dynamicFrictionEffort = 0.3\nfloat physxJointAxis:angular:staticFrictionEffort = 0.4\n"
        "float physxJointAxis:angular:viscousFrictionCoefficient = 0.02\nfloat physxJointAxis:angular:maxJointVelocity = 90\n"
        "float physxJoint:somethingNew = 3\nfloat physxJointAxis:linear:armature = 5\n"
    )
    file = saved(
        tmp_path, stage(body("a") + hinge("j", "", "a", words, '"PhysxJointAPI", "PhysxJointAxisAPI:angular"'))
    )
    joint = read_quietly(file, drives=[]).joints[0]
    assert (joint.armature, joint.friction.coulomb) == (0.1, 0.3)
    assert joint.friction.viscous == pytest.approx(0.02 * 180 / math.pi) and joint.limits.speed == pytest.approx(
        math.pi / 2
    )
    said = remarks(file)
    assert "staticFrictionEffort 0.4 holds the joint at rest" in said and "physxJoint:somethingNew is left out" in said
    assert "physxJointAxis:linear:armature is left out: PhysxJointAxisAPI:linear is not applied" in said


def test_armatures_of_balls_are_read(tmp_path):
    ball = hinge("j", "", "a", "float physxJoint:armature = 0.1\n", '"PhysxJointAPI"', "Spherical")
    assert read_quietly(saved(tmp_path, stage(body("a") + ball))).joints[0].armature == 0.1


def test_axes_whose_bounds_are_both_zero_are_locked(tmp_path):
    axes = ("transX", "transY", "transZ", "rotX", "rotZ")
    words = "".join(f"float limit:{a}:physics:{end} = 0\n" for a in axes for end in ("low", "high"))
    apis = ", ".join(f'"PhysicsLimitAPI:{a}"' for a in axes)
    good = read_quietly(saved(tmp_path, stage(body("a") + hinge("j", "", "a", words, apis, ""))))
    assert [(j.type, j.axis) for j in good.joints] == [("revolute", (0, 1, 0))]
    bad = refusals(
        saved(
            tmp_path,
            stage(
                body("a")
                + hinge(
                    "j",
                    "",
                    "a",
                    words.replace("rotZ:physics:low = 0", "rotZ:physics:low = 5").replace(
                        "rotZ:physics:high = 0", "rotZ:physics:high = 5"
                    ),
                    apis,
                    "",
                )
            ),
        )
    )
    assert "rotZ: both bounds are 5" in bad and "locks rotZ at 0" in bad


def test_relations_that_yield_are_said(tmp_path):
    words = "rel physxMimicJoint:rotZ:referenceJoint = </rig/lead>\nfloat physxMimicJoint:rotZ:naturalFrequency = 25\n"
    parts = body("a") + body("b") + hinge("lead", "", "a") + hinge("one", "a", "b", words, '"PhysxMimicJointAPI:rotZ"')
    assert "naturalFrequency and dampingRatio are left out" in remarks(saved(tmp_path, stage(parts)))


def test_a_tilt_is_told_as_an_angle(tmp_path):
    turned = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 2)\nfloat xformOp:rotateX = 90\n"
    turned += 'uniform token[] xformOpOrder = ["xformOp:rotateX"]\n'
    assert "0 m and 1.571 rad beside" in remarks(saved(tmp_path, stage(body("a", turned) + hinge("j", "", "a"))))


def test_joints_that_follow_others(tmp_path):
    physx = (
        "rel physxMimicJoint:rotZ:referenceJoint = </rig/lead>\nfloat physxMimicJoint:rotZ:gearing = 2\n"
        "float physxMimicJoint:rotZ:offset = 90"
    )
    newton = "rel newton:mimicJoint = </rig/lead>\nfloat newton:mimicCoef0 = 90\nfloat newton:mimicCoef1 = 2"
    parts = body("a") + body("b") + body("c") + hinge("lead", "", "a", schemas='"PhysicsDriveAPI:angular"')
    parts += hinge("one", "a", "b", physx, '"PhysxMimicJointAPI:rotZ"') + hinge(
        "two", "b", "c", newton, '"NewtonMimicAPI"'
    )
    one, two = read_quietly(saved(tmp_path, stage(parts))).couplings
    assert dict(one.coefficients) == {"one": 1.0, "lead": 2.0} and one.offset == pytest.approx(-math.pi / 2)
    assert dict(two.coefficients) == {"two": 1.0, "lead": -2.0} and two.offset == pytest.approx(math.pi / 2)


def test_a_slide_that_follows_a_turn(tmp_path):
    """PhysX calls a slide's axis rotX and counts the turn in degrees, Newton counts it in radians."""
    physx = (
        "rel physxMimicJoint:rotX:referenceJoint = </rig/lead>\nfloat physxMimicJoint:rotX:gearing = 0.01\n"
        "float physxMimicJoint:rotX:offset = 0.2"
    )
    newton = "rel newton:mimicJoint = </rig/lead>\nfloat newton:mimicCoef0 = 0.2\nfloat newton:mimicCoef1 = 0.5"
    both = newton.replace("0.5", f"{-0.01 * 180 / math.pi:.9g}").replace("0.2", "-0.2")
    parts = body("a") + body("b") + body("c") + body("d") + hinge("lead", "", "a", schemas='"PhysicsDriveAPI:angular"')
    parts += hinge("one", "a", "b", physx, '"PhysxMimicJointAPI:rotX"', "Prismatic")
    parts += hinge("two", "a", "c", newton, '"NewtonMimicAPI"', "Prismatic")
    twice = '"PhysxMimicJointAPI:rotX", "NewtonMimicAPI"'
    good = parts + hinge("three", "a", "d", f"{physx}\n{both}", twice, "Prismatic")
    one, two, three = read_quietly(saved(tmp_path, stage(good))).couplings
    degree = pytest.approx(0.01 * 180 / math.pi)
    assert dict(one.coefficients) == {"one": 1.0, "lead": degree} and one.offset == pytest.approx(-0.2)
    assert dict(two.coefficients) == {"two": 1.0, "lead": -0.5} and two.offset == pytest.approx(0.2)
    assert dict(three.coefficients) == {"three": 1.0, "lead": degree} and three.offset == pytest.approx(-0.2)
    bad = parts + hinge("three", "a", "d", f"{physx}\n{newton}", twice, "Prismatic")
    assert "say different things" in refusals(saved(tmp_path, stage(bad)))


def test_a_rod_of_constant_length(tmp_path):
    rod = hinge(
        "rod",
        "a",
        "b",
        "float physics:minDistance = 0.5\nfloat physics:maxDistance = 0.5\n"
        "point3f physics:localPos0 = (0.3, 0, 0)\npoint3f physics:localPos1 = (0.3, 0.4, 0)",
        kind="Distance",
    )
    parts = (
        body("a") + body("b") + hinge("one", "", "a") + hinge("two", "", "b", "point3f physics:localPos0 = (0, 0.3, 0)")
    )
    loop = read_quietly(saved(tmp_path, stage(parts + rod)), drives=["one"]).loops[0]
    assert loop.type == "constant_length" and loop.length == 0.5


def test_bodies_that_are_the_world(tmp_path):
    still = body("a", "bool physics:kinematicEnabled = true") + body("c", "bool physics:rigidBodyEnabled = false")
    parts = still + body("b") + hinge("j", "a", "b", "point3f physics:localPos0 = (0, 0, 2)")
    robot = read_quietly(saved(tmp_path, stage(parts)))
    assert [b.name for b in robot.bodies] == ["b"]
    assert robot.joints[0].parent == "world" and robot.joints[0].placement.position == (0.0, 0.0, 2.0)


def test_instances_references_and_variants(tmp_path):
    part = stage(body("arm")).replace('"rig"', '"part"')
    saved(tmp_path, part, "parts/part.usda")
    variants = (
        """
    def Xform "two" (
        instanceable = true
        references = @parts/part.usda@
    ) {}
    def Xform "one" (
        references = @parts/part.usda@
        variants = { string size = "big" }
        prepend variantSets = "size"
    ) {
        variantSet "size" = {
            "small" { over "arm" { float physics:mass = 1 } }
            "big" { over "arm" { float physics:mass = 9 } }
        }
    }
    """.replace("{ over", "{\nover")
        .replace("1 } }", "1\n}\n}")
        .replace("9 } }", "9\n}\n}")
        .replace("{}", "{\n}")
    )
    tie = hinge("tie", "one/arm", "two/arm")
    robot = read_quietly(saved(tmp_path, stage(variants + tie)))
    assert {b.name: b.mass for b in robot.bodies} == {"rig_one_arm": 9.0, "rig_two_arm": 2.0}


@pytest.mark.parametrize("asset", ["../outside.usda", "/etc/hosts", "https://x.org/a.usda"])
def test_layers_elsewhere_are_refused(tmp_path, asset):
    saved(tmp_path, stage(body("arm")), "outside.usda")
    text = stage(f'def "x" (references = @{asset}@)\n{{\n}}\n' + body("a"))
    assert "layers below the file's folder" in refusals(saved(tmp_path, text, "inner/robot.usda"))


def test_one_of_several_robots(tmp_path):
    pair = body("a") + body("b") + hinge("j", "a", "b").replace("/rig/", "/rig/NAME/")
    two = "".join(f'def Xform "{n}"\n{{\n{pair.replace("NAME", n)}\n}}\n' for n in ("left", "right"))
    file = saved(tmp_path, stage(two))
    assert "2 robots" in refusals(file) and "/rig/left/a" in refusals(file)
    assert {b.name for b in read_quietly(file, model="right").bodies} == {"rig_right_a", "rig_right_b"}
    assert read_quietly(file, model="/rig/left").name == "left"
    with pytest.raises(UsageError, match="no body below"):
        gough.load(file, model="middle")


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("", "no rigid body that moves"),
        (body("a", "") + hinge("j", "", "a"), "neither a mass nor colliders"),
        (
            body("a", collider("Mesh", TETRAHEDRON.replace(", 0, 3, 2]", "]").replace("3, 3, 3, 3", "3, 3, 3"))),
            "not closed",
        ),
        (body("a", collider("Cylinder", scaled(1, 2, 3))), "uneven scales"),
        (
            body("a") + hinge("j", "", "a", "float physics:lowerLimit = 2\nfloat physics:upperLimit = -2"),
            "above the upper",
        ),
        (body("a") + body("b") + hinge("j", "a", "a"), "both sides"),
        (body("a") + hinge("j", "", "nowhere"), "which is not there"),
        (body("a") + hinge("j", "", "a", kind="Distance"), "a distance between"),
        (body("a") + hinge("j", "", "a", "float physxJoint:jointFriction = 0.1"), "grows with the load"),
        (body("a") + hinge("j", "", "a").replace("PhysicsRevoluteJoint", "PhysxPhysicsGearJoint"), "no counterpart"),
        (
            body(
                "a",
                "float physics:mass = 2\nmatrix4d xformOp:transform = ((1,0,0,0),(1,1,0,0),(0,0,1,0),(0,0,0,1))\n"
                'uniform token[] xformOpOrder = ["xformOp:transform"]',
            ),
            "sheared",
        ),
        (body("a", "float physics:mass = 2\n" + scaled(1, 1, -1)), "mirrored"),
    ],
)
def test_what_is_refused(tmp_path, inside, said):
    assert said in refusals(saved(tmp_path, stage(inside)))


def test_bodies_without_weight(tmp_path):
    lofty = body("a", "bool physxRigidBody:disableGravity = true\nfloat physics:mass = 1")
    robot = read_quietly(saved(tmp_path, stage(lofty + body("b") + hinge("j", "a", "b"))))
    assert [part.weight_share for part in robot.bodies] == [0.0, 1.0]


def test_no_usd_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(UsageError, match=r"pip install 'gough\[usd\]'"):
        gough.load(saved(tmp_path, stage(body("a"))))


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        gough.load(tmp_path / "none.usda")
