"""Masses that colliders give: beside usd-core's own computation of them, on random stages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from interchange.reading import read_quietly, refusals, remarks, saved
from interchange.usd_writing import TURNS, listed

pytest.importorskip("pxr")

SINGLE = 2e-5
"""usd-core computes in single precision."""
HEAD = (
    '#usda 1.0\n(\ndefaultPrim = "rig"\nmetersPerUnit = 1\nkilogramsPerUnit = 1\nupAxis = "Z"\n)\ndef Xform "rig"\n{\n'
)
HINGE = 'def PhysicsRevoluteJoint "j"\n{\nrel physics:body1 = </rig/a>\n}\n}\n'


def mass_words(rng: np.random.Generator, chance: float) -> str:
    """Some of what MassAPI says."""
    said = {
        "float physics:mass": f"{rng.uniform(0.5, 3):.3g}",
        "float physics:density": f"{rng.uniform(300, 3000):.3g}",
        "point3f physics:centerOfMass": listed(np.round(rng.uniform(-0.3, 0.3, 3), 2)),
        "float3 physics:diagonalInertia": listed(np.round(rng.uniform(0.3, 0.5, 3), 3)),
    }
    if rng.random() < 0.5:
        said["quatf physics:principalAxes"] = listed(TURNS[rng.integers(len(TURNS))])
    return "".join(f"{key} = {value}\n" for key, value in said.items() if rng.random() < chance)


def prim(kind: str, name: str, schemas: str, inside: str) -> str:
    applied = f" (prepend apiSchemas = [{schemas}])" if schemas else ""
    return f'def {kind} "{name}"{applied}\n{{\n{inside}}}\n'


def random_stage(seed: int) -> str:
    rng = np.random.default_rng(seed)
    shapes = ""
    for k in range(3):
        at = f"double3 xformOp:translate = {listed(np.round(rng.uniform(-1, 1, 3), 2))}\n"
        at += f"quatd xformOp:orient = {listed(TURNS[rng.integers(len(TURNS))])}\n"
        at += f"float3 xformOp:scale = {listed(np.round(rng.uniform(0.5, 2.0, 3), 1))}\n"
        at += 'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]\n'
        at += f"double size = {rng.uniform(0.1, 0.4):.2g}\n"
        off = "bool physics:collisionEnabled = false\n" if k and rng.random() < 0.5 else ""
        inside = at + off + mass_words(rng, 0.25)
        shapes += prim("Cube", f"c{k}", '"PhysicsCollisionAPI", "PhysicsMassAPI"', inside)
    schemas = '"PhysicsRigidBodyAPI", "PhysicsMassAPI"'
    return HEAD + prim("Xform", "a", schemas, mass_words(rng, 0.25) + shapes) + HINGE


def weigh_by_usd(text: str) -> tuple[float, np.ndarray, np.ndarray]:
    """(mass, mass centre, central tensor) as usd-core has them, of boxes."""
    from pxr import Gf, Usd, UsdGeom, UsdPhysics  # pyright: ignore[reportMissingImports]

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)

    def box(shape: object) -> object:
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        X = Gf.Transform(UsdGeom.Xformable(shape).GetLocalTransformation())
        edges = UsdGeom.Cube(shape).GetSizeAttr().Get() * np.array(X.GetScale())
        found.volume = float(edges.prod())
        moments = found.volume * (edges @ edges - edges**2) / 12
        found.inertia = Gf.Matrix3f(*np.diag(moments).ravel().tolist())
        found.centerOfMass = Gf.Vec3f(0)
        found.localPos = Gf.Vec3f(X.GetTranslation())
        found.localRot = Gf.Quatf(X.GetRotation().GetQuat())
        return found

    body = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/rig/a"))
    mass, moments, center, axes = body.ComputeMassProperties(box)
    # Where mass, mass centre and moments are stated, usd-core 26.11 leaves axes that are not as memory happens to be.
    stated = abs(axes.GetLength() - 1.0) < 1e-3
    R = Rotation.from_quat([*axes.GetImaginary(), axes.GetReal()]).as_matrix() if stated else np.eye(3)
    return mass, np.array(center), R @ np.diag(moments) @ R.T


@pytest.mark.parametrize("seed", range(150))
def test_masses_as_usd_core_computes_them(tmp_path, seed):
    text = random_stage(seed)
    mass, center, tensor = weigh_by_usd(text)
    body = read_quietly(saved(tmp_path, text)).bodies[0]
    assert body.mass == pytest.approx(mass, rel=SINGLE)
    found = body.central_inertia()
    assert np.abs(found[1] - center).max() < SINGLE
    assert np.abs(found[2] - tensor).max() < SINGLE * np.abs(tensor).max()


def bound_stage(seed: int) -> str:
    """Materials bound at random to a shape and to all that stands above it, and masses with and without their schema."""
    rng = np.random.default_rng(1000 + seed)
    metals = "".join(
        prim(
            "Material",
            f"m{k}",
            *(('"PhysicsMaterialAPI"', f"float physics:density = {700 + 400 * k}\n") if k else ("", "")),
        )
        for k in range(4)
    )

    def bindings() -> str:
        found = ""
        for purpose in ("", ":physics"):
            if rng.random() < 0.4:
                strength = ' (bindMaterialAs = "strongerThanDescendants")' if rng.random() < 0.4 else ""
                found += f"rel material:binding{purpose} = </m{rng.integers(4)}>{strength}\n"
        return found

    def schemas(*own: str) -> str:
        names = [*own, *(["PhysicsMassAPI"] if rng.random() < 0.5 else []), "MaterialBindingAPI"]
        return ", ".join(f'"{name}"' for name in names)

    shape = prim(
        "Cube", "c", schemas("PhysicsCollisionAPI"), "double size = 0.2\n" + bindings() + mass_words(rng, 0.15)
    )
    held = prim("Xform", "a", schemas("PhysicsRigidBodyAPI"), bindings() + mass_words(rng, 0.15) + shape)
    head = HEAD.replace(
        'def Xform "rig"\n{\n', metals + 'def Xform "rig" (prepend apiSchemas = ["MaterialBindingAPI"])\n{\n'
    )
    return head + bindings() + held + HINGE


@pytest.mark.parametrize("seed", range(60))
def test_densities_of_materials_that_are_bound_anywhere(tmp_path, seed):
    text = bound_stage(seed)
    mass, center, tensor = weigh_by_usd(text)
    body = read_quietly(saved(tmp_path, text)).bodies[0]
    assert body.mass == pytest.approx(mass, rel=SINGLE)
    found = body.central_inertia()
    assert np.abs(found[1] - center).max() < SINGLE
    assert np.abs(found[2] - tensor).max() < SINGLE * np.abs(tensor).max()


def test_what_weighs_nothing_is_said(tmp_path):
    sphere = prim("Sphere", "near", '"PhysicsCollisionAPI", "PhysxTriggerAPI"', "double radius = 0.5\n")
    group = prim("Xform", "group", '"PhysicsCollisionAPI"', prim("Cube", "inner", "", "double size = 0.3\n"))
    box = prim("Cube", "c", '"PhysicsCollisionAPI"', "double size = 0.1\nfloat physics:mass = 3\n")
    file = saved(tmp_path, HEAD + prim("Xform", "a", '"PhysicsRigidBodyAPI"', box + sphere + group) + HINGE)
    assert read_quietly(file).bodies[0].mass == pytest.approx(1.0)
    said = remarks(file)
    assert "c: physics:mass without PhysicsMassAPI" in said and "near: a trigger weighs nothing" in said
    assert "group: PhysicsCollisionAPI on a prim without a shape" in said


def test_a_stated_mass_keeps_its_digits(tmp_path):
    words = "float physics:mass = 4\n"
    assert read_quietly(saved(tmp_path, one_body(words, "double size = 0.3\n" + ASIDE))).bodies[0].mass == 4.0


def one_body(words: str, *shapes: str) -> str:
    boxes = "".join(
        prim("Cube", f"c{k}", '"PhysicsCollisionAPI", "PhysicsMassAPI"', inside) for k, inside in enumerate(shapes)
    )
    return HEAD + prim("Xform", "a", '"PhysicsRigidBodyAPI", "PhysicsMassAPI"', words + boxes) + HINGE


OFF = "bool physics:collisionEnabled = false\n"
ASIDE = 'double3 xformOp:translate = (1, 0.5, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'


def test_what_is_switched_off_weighs_nothing_and_is_said(tmp_path):
    file = saved(tmp_path, one_body("", "double size = 0.1\n", "double size = 0.2\n" + OFF))
    assert "c1: a collider that is switched off weighs nothing" in remarks(file)
    assert read_quietly(file).bodies[0].mass == pytest.approx(1.0)
    alone = refusals(saved(tmp_path, one_body("", "double size = 0.2\n" + OFF)))
    assert "neither a mass nor colliders" in alone and "not switched off" in alone
    stated = (
        "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\npoint3f physics:centerOfMass = (0, 0, 0)\n"
    )
    assert "switched off" not in remarks(saved(tmp_path, one_body(stated, "double size = 0.2\n" + OFF)))


def test_a_mass_centre_that_is_not_stated_is_that_of_the_colliders(tmp_path):
    words = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\n"
    body = read_quietly(saved(tmp_path, one_body(words, "double size = 0.2\n" + ASIDE))).bodies[0]
    assert body.center_of_mass == pytest.approx((1, 0.5, 0)) and body.inertia.xx == 1
    alone = read_quietly(saved(tmp_path, one_body(words))).bodies[0]
    assert alone.center_of_mass == (0, 0, 0) and alone.inertia.yy == 2


def test_moments_without_axes_are_said(tmp_path):
    words = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\n"
    file = saved(tmp_path, one_body(words, "double size = 0.2\n" + ASIDE, "double size = 0.1\n"))
    assert "physics:diagonalInertia without physics:principalAxes" in remarks(file)
