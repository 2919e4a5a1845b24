"""Words of MuJoCo, Newton and PhysX on bodies, joints and scenes: those that are read elsewhere, those that change nothing here,
those that would change the dynamics and are refused. All others are said.
"""

from typing import Any

import numpy as np

from gough.interchange.usd._bodies import BodiesRead, UsdBody
from gough.interchange.usd._joints import KINDS
from gough.interchange.usd._stage import UsdReading

FAMILIES = ("mjc", "newton", "physx", "state")
SHAPES = "mjc:group mjc:priority mjc:condim mjc:solmix mjc:solref mjc:solimp mjc:margin mjc:gap mjc:maxhullvert"
SHAPES += " mjc:shellinertia mjc:inertia newton:massModel newton:shellThickness newton:inertia newton:contactMargin"
SHAPES += (
    " newton:contactGap newton:maxHullVertices newton:contact_ke newton:contact_kd newton:contact_kf newton:contact_ka"
)
OF_BODY = {*SHAPES.split(), "mjc:gravcomp", "mjc:body:gravcomp", "newton:selfCollisionEnabled"}
OF_BODY |= {"newton:jointsAddMobility", "newton:articulation_index"}
OF_BODY |= {
    f"physxRigidBody:{word}"
    for word in (
        "disableGravity linearDamping angularDamping lockedPosAxis lockedRotAxis enableGyroscopicForces sleepThreshold "
        "stabilizationThreshold solverPositionIterationCount solverVelocityIterationCount enableCCD enableSpeculativeCCD "
        "maxLinearVelocity maxAngularVelocity maxDepenetrationVelocity maxContactImpulse contactSlopCoefficient cfmScale "
        "solveContact retainAccelerations"
    ).split()
}
OF_JOINT = {
    f"mjc:{word}"
    for word in (
        "armature damping frictionloss stiffness springref ref springdamper actuatorfrcrange:min actuatorfrcrange:max "
        "actuatorfrclimited actuatorgravcomp coef0 coef1 coef2 coef3 coef4 torqueScale group margin solref solimp solreflimit "
        "solimplimit solreffriction solimpfriction"
    ).split()
}
OF_JOINT |= {
    f"newton:{word}"
    for word in "armature damping friction velocityLimit limitStiffness limitDamping mimicEnabled mimicCoef0 mimicCoef1".split()
}
OF_JOINT |= {f"physxJoint:{word}" for word in ("armature", "maxJointVelocity", "jointFriction", "enableProjection")}
OF_JOINT |= {f"physxPhysicsDistanceJoint:spring{word}" for word in ("Enabled", "Stiffness", "Damping")}
OF_AXIS = {
    "physxJointAxis": (
        "armature maxJointVelocity staticFrictionEffort dynamicFrictionEffort viscousFrictionCoefficient".split()
    ),
    "physxMimicJoint": "gearing offset referenceJointAxis naturalFrequency dampingRatio".split(),
    "state": "position velocity appliedForce".split(),
    "newton": "limitStiffness limitDamping".split(),
}
"""Words of an axis, which stands between: `physxMimicJoint:rotX:gearing`."""
OF_SCENE = {f"newton:{word}" for word in ("maxSolverIterations", "timeStepsPerSecond", "gravityEnabled")}
OF_SCENE |= {
    f"mjc:option:{word}"
    for word in (
        "timestep apirate impratio wind magnetic density viscosity o_margin o_solref o_solimp o_friction integrator cone "
        "jacobian solver iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance ccd_iterations "
        "ccd_tolerance sdf_iterations sdf_initpoints actuatorgroupdisable"
    ).split()
}
OF_SCENE |= {
    f"mjc:flag:{word}"
    for word in (
        "constraint equality frictionloss limit contact spring damper passive gravity clampctrl warmstart filterparent "
        "actuation refsafe sensor midphase nativeccd eulerdamp autoreset override energy fwdinv invdiscrete multiccd island"
    ).split()
}
OF_SCENE |= {
    f"mjc:compiler:{word}"
    for word in (
        "autoLimits boundMass boundInertia setTotalMass useThread balanceInertia angle fitAABB fuseStatic inertiaFromGeom "
        "alignFree inertiaGroupRange:min inertiaGroupRange:max saveInertial"
    ).split()
}
HARMLESS = (
    "physxScene:",
    "physxArticulation:",
    "physxLimit:",
    "physxMaterial:",
    "physxContactReport:",
    "physxTrigger:",
)
HARMLESS += ("physxCookedData:", "physxResidualReporting:", "newton:sdf", "newton:hydroelastic", "newton:xpbd:")
HARMLESS += ("newton:kamino:", "newton:mpm:")
"""How words begin that are settings of solvers, contacts, or limits that yield."""
KNOWN = {
    *(f"Physx{word}API" for word in "RigidBody Scene Articulation Joint JointAxis Limit MimicJoint Material".split()),
    *(f"Physx{word}API" for word in "ContactReport CookedData ResidualReporting VehicleContext".split()),
    *(f"Physx{word}API" for word in ("PhysicsDistanceJoint", "Trigger", "TriggerState", "Force")),
    *(f"Mjc{word}API" for word in "Joint Scene Body Site Imageable Material".split()),
    *(f"MjcEquality{word}API" for word in ("", "Joint", "Connect", "Weld")),
    *(f"Newton{word}API" for word in "Scene XpbdScene KaminoScene MPMScene ArticulationRoot Joint".split()),
    *(f"Newton{word}API" for word in "Mass Site Material Mimic".split()),
}
TENDONS = ("PhysxTendonAxis", "PhysxTendonAttachment")


def check_words(reading: UsdReading, bodies: BodiesRead, members: list[UsdBody], scene: Any) -> None:
    """Say words of bodies, of joints between them and of the scene that are not known here."""
    names = {body.name for body in members}
    if scene is not None:
        _tell_unknown(reading, scene, OF_SCENE)
    for body in members:
        _tell_unknown(reading, body.prim, OF_BODY)
        _check_body(reading, body.prim)
    for prim in reading.prims():
        if str(prim.GetTypeName()) in KINDS and reading.truth(prim, "physics:jointEnabled", True):
            ends = [bodies.end_name(reading.targets(prim, f"physics:body{k}"), reading.stage) for k in (0, 1)]
            if names & set(ends):
                _tell_unknown(reading, prim, OF_JOINT)
                _check_joint(reading, prim)


def refuse_engines(reading: UsdReading, bodies: BodiesRead, members: list[UsdBody]) -> None:
    """Refuse what acts on bodies and joints by other laws than theirs: tendons, forces, vehicles, soft bodies."""
    names = {body.name for body in members}
    for prim in reading.prims():
        kind, schemas = str(prim.GetTypeName()), reading.schemas(prim)
        if kind == "MjcTendon":
            reading.refuse(prim, "a tendon of MuJoCo", "springs, drives and relations in joints")
        elif kind == "MjcKeyframe":
            reading.note(prim, "keyframes are left out: home is where the stage places the bodies")
        if any(schema.startswith(TENDONS) for schema in schemas):
            reading.refuse(prim, "a tendon of PhysX", "springs in joints, PhysxMimicJointAPI for relations of them")
        if "PhysxVehicleAPI" in schemas:
            reading.refuse(prim, "a vehicle of PhysX", "wheels as bodies and joints")
        if any("Deformable" in schema or "ParticleSystem" in schema for schema in schemas):
            reading.refuse(prim, "soft bodies or particles", "rigid bodies")
        if "MjcEqualityJointAPI" in schemas and kind not in KINDS:
            reading.refuse(prim, "MjcEqualityJointAPI on a prim that is no joint", "it on the joint that follows")
        if "PhysxForceAPI" in schemas and (owner := bodies.body_of(prim)) is not None and owner.name in names:
            _check_force(reading, prim)


def _check_force(reading: UsdReading, prim: Any) -> None:
    loads = [reading.vector(prim, f"physxForce:{word}") for word in ("force", "torque")]
    acts = any(load is not None and load.any() for load in loads)
    if acts and reading.truth(prim, "physxForce:forceEnabled", True):
        reading.refuse(
            prim, "PhysxForceAPI: a force that always acts", "physxForce:forceEnabled = 0; forces are inputs"
        )


def _check_body(reading: UsdReading, prim: Any) -> None:
    for word in ("lockedPosAxis", "lockedRotAxis"):
        if reading.number(prim, f"physxRigidBody:{word}"):
            number = reading.number(prim, f"physxRigidBody:{word}")
            reading.refuse(
                prim, f"physxRigidBody:{word} is {number:g}", "0, and a joint that leaves the other axes free"
            )
    if not reading.truth(prim, "physxRigidBody:enableGyroscopicForces", True):
        reading.note(prim, "physxRigidBody:enableGyroscopicForces is left out: they act")


def _check_joint(reading: UsdReading, prim: Any) -> None:
    kind = str(prim.GetTypeName())
    if kind == "PhysicsDistanceJoint" and reading.truth(prim, "physxPhysicsDistanceJoint:springEnabled", False):
        reading.refuse(
            prim, "physxPhysicsDistanceJoint:springEnabled: a distance that yields", "a rod, without a spring"
        )
    axis = reading.word(prim, "physics:axis", "X")
    one = {"PhysicsRevoluteJoint": ("angular", f"rot{axis}"), "PhysicsPrismaticJoint": ("linear", f"trans{axis}")}
    for schema in reading.schemas(prim):
        api, _, own = schema.partition(":")
        if (
            kind in one
            and api in ("PhysicsDriveAPI", "PhysicsLimitAPI")
            and (api, own) != ("PhysicsDriveAPI", one[kind][0])
        ):
            has = (
                "its drive is PhysicsDriveAPI:"
                if api == "PhysicsDriveAPI"
                else "its bounds are physics:lowerLimit, not of "
            )
            reading.note(prim, f"{schema} is left out: {has}{one[kind][0]}")
    for attribute in prim.GetAuthoredAttributes():
        name = str(attribute.GetName())
        family, _, rest = name.partition(":")
        own = rest.partition(":")[0]
        if family == "physxJointAxis" and f"PhysxJointAxisAPI:{own}" not in reading.schemas(prim):
            reading.note(prim, f"{name} is left out: PhysxJointAxisAPI:{own} is not applied")
        if family != "state" or name.endswith(":appliedForce") or not np.any(reading.value(prim, name)):
            continue
        if name.endswith(":velocity"):
            reading.note(prim, f"{name} is left out: it is a state, not the robot")
        elif f"PhysicsJointStateAPI:{own}" not in reading.schemas(prim):
            reading.note(prim, f"{name} is left out: PhysicsJointStateAPI:{own} is not applied")
        elif kind != "PhysicsJoint" and own not in one.get(kind, ()):
            reading.note(prim, f"{name} is left out: the joint has no such coordinate")


def _tell_unknown(reading: UsdReading, prim: Any, known: set[str]) -> None:
    for schema in reading.schemas(prim):
        kind = schema.partition(":")[0]
        ours = kind.startswith(("Mjc", "Newton", "Physx"))
        if ours and kind not in KNOWN and not kind.endswith("CollisionAPI") and not kind.startswith(TENDONS):
            reading.note(prim, f"{schema} is left out: it is not known here")
    for attribute in prim.GetAuthoredAttributes():
        name = str(attribute.GetName())
        family = name.partition(":")[0]
        if name in known or not name.startswith(FAMILIES) or ":" not in name or not attribute.HasAuthoredValue():
            continue
        if family not in ("mjc", "newton", "state") and not family.startswith("physx"):
            continue
        collides = family.startswith("physx") and "Collision" in family
        if collides or name.startswith((*HARMLESS, "physxForce:", "physxTendon:")):
            continue
        if name.count(":") >= 2 and name.rpartition(":")[2] in OF_AXIS.get(family, ()):
            continue
        reading.note(prim, f"{name} is left out: it is not known here")
