# pyright: reportAttributeAccessIssue=false
"""What bodies of UsdPhysics weigh.

What MassAPI does not say follows from the colliders below a body and their density, as UsdPhysics has it: the collider's own,
else the body's, else its physics material's, else 1000 kg/m³. A stated mass scales them; a stated mass centre moves the tensor;
principal moments without axes are about those of the colliders. Colliders that are switched off weigh nothing, as in usd-core
from 26.11 on (older ones counted them). `newton:inertia`, the whole tensor, counts before principal moments.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from gough.interchange import _solids as solids
from gough.interchange._placing import relative_placement, three
from gough.interchange._solids import Lump, sum_of_lumps
from gough.interchange.foreign import Placement
from gough.interchange.usd._bodies import UsdBody
from gough.interchange.usd._stage import UsdReading
from gough.interchange.usd.surfaces import triangles_of
from gough.spatial.poses import rotation_of_quaternion

WATER = 1000.0
OF_MASS = tuple(f"physics:{word}" for word in ("mass", "density", "diagonalInertia", "centerOfMass", "principalAxes"))
EXPECTED = "physics:mass, physics:diagonalInertia and physics:centerOfMass on the body"
TURN = {"X": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), "Y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])}
"""Rotations that take z of a round shape along another axis."""
AS_USD = """#usda 1.0
def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    def Cube "shape" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
    }
}
"""


def weigh(reading: UsdReading, body: UsdBody) -> Lump:
    """Mass, mass centre and tensor in the body's own axes."""
    tensor = _whole_tensor(reading, body.prim)
    if tensor is None:
        return _weigh(reading, body)
    mass, _, center = _stated(reading, body.prim)
    if mass > 0 and (center is not None or not body.colliders):
        return Lump(mass, three(np.zeros(3) if center is None else center * body.scales), tensor)
    found = _weigh(reading, body)
    return Lump(found.mass, found.center, tensor)


def _weigh(reading: UsdReading, body: UsdBody) -> Lump:
    """The same, of what UsdPhysics knows."""
    prim = body.prim
    mass, diagonal, center = _stated(reading, prim)
    if mass > 0 and diagonal is not None and center is not None:
        return Lump(mass, three(center * body.scales), _principal(reading, prim, diagonal))
    _refuse_shells(reading, body)
    for shape in body.triggers:
        reading.note(shape, "a trigger weighs nothing, as in PhysX (usd-core counts it)")
    for shape in body.switched_off:
        reading.note(shape, "a collider that is switched off weighs nothing, as in usd-core from 26.11 on")
    density = _density(reading, prim, "PhysicsMassAPI")
    parts = [_collider(reading, body, shape, density) for shape in body.colliders]
    total = sum_of_lumps([p for p in parts if p is not None])
    if not total.mass:
        return _without_shapes(reading, body, mass, diagonal, center)
    if mass > 0:
        total = replace(total.with_density(mass / total.mass), mass=mass)
    if center is not None:
        total = _with_center(total, center * body.scales)
    return Lump(total.mass, total.center, _with_stated_axes(reading, prim, diagonal, total.inertia))


def states_all(reading: UsdReading, body: UsdBody) -> bool:
    """Whether nothing of a body's mass follows from colliders."""
    mass, diagonal, center = _stated(reading, body.prim)
    tells = diagonal is not None or _whole_tensor(reading, body.prim) is not None
    return mass > 0 and tells and center is not None


def _whole_tensor(reading: UsdReading, prim: Any) -> np.ndarray | None:
    """Of NewtonMassAPI: xx, yy, zz, xy, xz, yz about the mass centre, in the body's axes; None where it has none."""
    found = reading.numbers(prim, "newton:inertia") if "NewtonMassAPI" in reading.schemas(prim) else []
    if len(found) not in (0, 6):
        reading.refuse(prim, f"newton:inertia has {len(found)} numbers", "six: xx, yy, zz, xy, xz, yz")
    if len(found) != 6:
        return None
    xx, yy, zz, xy, xz, yz = found
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) * reading.mass * reading.length**2


def _refuse_shells(reading: UsdReading, body: UsdBody) -> None:
    """Refuse colliders whose mass stands in their surface, where masses follow from them."""
    for prim in body.colliders:
        words = (("newton:massModel", "shell"), ("mjc:inertia", "shell"), ("mjc:shellinertia", "True"))
        for name, shell in words:
            if reading.word(prim, name) == shell:
                reading.refuse(prim, f"{name}: a mass in the collider's surface is not computed", EXPECTED)


def _with_center(lump: Lump, center: np.ndarray) -> Lump:
    """The same about another mass centre: what it resists to turns there."""
    moved = np.asarray(lump.center) - center
    spread = lump.mass * (moved @ moved * np.eye(3) - np.outer(moved, moved))
    return Lump(lump.mass, three(center), lump.inertia + spread)


def _stated(reading: UsdReading, prim: Any) -> tuple[float, np.ndarray | None, np.ndarray | None]:
    """(mass or 0, principal moments or None, mass centre in the prim's units or None) of MassAPI."""
    if "PhysicsMassAPI" not in reading.schemas(prim):
        stated = [name for name in OF_MASS if reading.has(prim, name)]
        if stated:
            reading.note(prim, f"{', '.join(stated)} without PhysicsMassAPI: left out, as usd-core leaves it")
        return 0.0, None, None
    mass = reading.number(prim, "physics:mass") * reading.mass
    if mass < 0:
        reading.refuse(prim, f"physics:mass is {mass / reading.mass:g}", "0 or more; 0 is as if it were not stated")
    diagonal = reading.vector(prim, "physics:diagonalInertia")
    if diagonal is not None and not diagonal.any():
        diagonal = None
    center = reading.vector(prim, "physics:centerOfMass") if reading.has(prim, "physics:centerOfMass") else None
    return max(mass, 0.0), None if diagonal is None else diagonal * reading.mass * reading.length**2, center


def _principal(reading: UsdReading, prim: Any, diagonal: np.ndarray) -> np.ndarray:
    """The tensor of stated principal moments, about the stated axes or the prim's own."""
    q = reading.quaternion(prim, "physics:principalAxes")
    R = np.eye(3) if q is None else rotation_of_quaternion(np.array(q))
    return R @ np.diag(diagonal) @ R.T


def _with_stated_axes(
    reading: UsdReading, prim: Any, diagonal: np.ndarray | None, shapes: np.ndarray, own_axes: bool = False
) -> np.ndarray:
    """The tensor of shapes with what a prim states of it: moments, axes, or both. What it does not state of the two is that of
    the shapes, as usd-core has it; own_axes: axes that are not stated are the prim's."""
    stated = "PhysicsMassAPI" in reading.schemas(prim)
    q = reading.quaternion(prim, "physics:principalAxes") if stated else None
    if diagonal is None and q is None:
        return shapes
    own = np.eye(3) if _is_diagonal(shapes) or (own_axes and q is None) else principal_axes(shapes)
    moments = np.diag(own.T @ shapes @ own) if diagonal is None else diagonal
    R = own if q is None else rotation_of_quaternion(np.array(q))
    if (diagonal is None or q is None) and np.ptp(moments) > 0 and not np.array_equal(R, np.eye(3)):
        said, missing = ("diagonalInertia", "principalAxes") if q is None else ("principalAxes", "diagonalInertia")
        reading.note(prim, f"physics:{said} without physics:{missing}, which is that of its colliders, as in usd-core")
    return R @ np.diag(moments) @ R.T


def principal_axes(tensor: np.ndarray) -> np.ndarray:
    """Principal axes of a tensor (3, 3) as columns, in the order in which usd-core has them."""
    from pxr import Gf, Usd, UsdPhysics  # pyright: ignore[reportMissingImports]

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(AS_USD)
    shape = UsdPhysics.RigidBodyAPI.MassInformation()
    shape.volume, shape.localRot = 1.0 / WATER, Gf.Quatf(1.0)
    shape.inertia = Gf.Matrix3f(*(tensor / np.trace(tensor) / WATER).ravel().tolist())
    shape.centerOfMass = shape.localPos = Gf.Vec3f(0.0)
    axes = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/body")).ComputeMassProperties(lambda _: shape)[3]
    q = np.array([axes.GetReal(), *axes.GetImaginary()])
    return rotation_of_quaternion(q / np.linalg.norm(q))


def _is_diagonal(tensor: np.ndarray) -> bool:
    return bool(np.abs(tensor - np.diag(np.diag(tensor))).max() <= 1e-6 * np.trace(tensor))


def _without_shapes(
    reading: UsdReading, body: UsdBody, mass: float, diagonal: np.ndarray | None, center: np.ndarray | None
) -> Lump:
    """A body whose colliders have no volume."""
    at = three(np.zeros(3) if center is None else center * body.scales)
    if mass > 0 and diagonal is not None:
        return Lump(mass, at, _principal(reading, body.prim, diagonal))
    if mass > 0:
        reading.note(
            body.prim, "no moments of inertia and no colliders: those of a ball of 0.1 m, as UsdPhysics has it"
        )
        return Lump(mass, at, 0.4 * mass * 0.01 * np.eye(3))
    if not any(problem.path == str(body.prim.GetPath()) for problem in reading.findings.problems):
        expected = "physics:mass, or a collider with a volume, which is not switched off, below the body"
        reading.refuse(body.prim, "a body with neither a mass nor colliders to compute it from", expected)
    return Lump(1.0, at, np.eye(3) if diagonal is None else _principal(reading, body.prim, diagonal))


def _collider(reading: UsdReading, body: UsdBody, prim: Any, density: float) -> Lump | None:
    """A collider's share in the body's axes; None where it has no volume."""
    shape = _shape(reading, body, prim)
    if shape is None or not shape.mass:
        return None
    mass, diagonal, center = _stated(reading, prim)
    own = _density(reading, prim, "PhysicsMassAPI")
    used = own or density or _material_density(reading, prim) or WATER
    lump = shape.with_density(mass / shape.mass if mass > 0 else used)
    at, scales = reading.place(prim)
    here = relative_placement(at, body.at)
    R = here.rotation
    inside = R.T @ lump.inertia @ R
    stated = _with_stated_axes(reading, prim, diagonal, inside, own_axes=True)
    if stated is not inside:
        lump = Lump(lump.mass, lump.center, R @ stated @ R.T)
    if center is not None:
        there = Placement(three(center * scales)).after(here).position
        moved = _with_center(lump, np.asarray(there))
        lump = Lump(lump.mass, there, lump.inertia if diagonal is not None else moved.inertia)
    return lump


def _material_density(reading: UsdReading, prim: Any) -> float:
    """Of the material that USD binds to a collider for physics, or for all: its own, or one from above it."""
    from pxr import UsdShade  # pyright: ignore[reportMissingImports]

    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    return _density(reading, material.GetPrim(), "PhysicsMaterialAPI") if material else 0.0


def _density(reading: UsdReading, prim: Any, schema: str) -> float:
    """What a schema of a prim says (kg/m³), 0 where it does not."""
    stated = reading.number(prim, "physics:density") if schema in reading.schemas(prim) else 0.0
    return max(stated, 0.0) * reading.mass / reading.length**3


def _shape(reading: UsdReading, body: UsdBody, prim: Any) -> Lump | None:
    """A shape of density 1 in the body's axes."""
    kind = str(prim.GetTypeName())
    if kind in ("Xform", "Scope", ""):
        reading.note(
            prim, "PhysicsCollisionAPI on a prim without a shape weighs nothing: it belongs to the shapes below"
        )
    if kind in ("Plane", "Xform", "Scope", ""):
        return None
    if kind == "Mesh":
        return _mesh(reading, body, prim)
    at, scales = reading.place(prim)
    here = relative_placement(at, body.at)
    if kind == "Cube":
        edge = reading.number(prim, "size", 2.0)
        return solids.box(*(abs(edge) * scales)).lump_at(here)
    radius, height = abs(reading.number(prim, "radius", 1.0)), abs(reading.number(prim, "height", 2.0))
    if kind == "Sphere":
        return solids.ellipsoid(*(radius * scales)).lump_at(here)
    axis = reading.word(prim, "axis", "Z")
    along = "XYZ".index(axis) if axis in ("X", "Y", "Z") else 2
    across = [s for k, s in enumerate(scales) if k != along]
    makers = {"Cylinder": solids.cylinder, "Cone": solids.cone, "Capsule": solids.capsule}
    if kind not in makers:
        reading.refuse(prim, f"the mass of a {kind} is not computed", EXPECTED)
        return None
    if abs(across[0] - across[1]) > 1e-6 * across[0] or (kind == "Capsule" and np.ptp(scales) > 1e-6 * scales[0]):
        reading.refuse(prim, f"a {kind} of uneven scales", "scales that leave it round")
        return None
    lump = makers[kind](radius * across[0], height * scales[along])
    return lump.lump_at(Placement(rotation=TURN[axis]) if axis in TURN else Placement()).lump_at(here)


def _mesh(reading: UsdReading, body: UsdBody, prim: Any) -> Lump | None:
    """What a closed mesh encloses, whatever its collider makes of it."""
    found = triangles_of(reading, prim)
    if found is None or not len(found[1]):
        reading.refuse(prim, "a mesh without faces to compute a mass from", EXPECTED)
        return None
    corners, triangles = found
    merged, where = np.unique(corners, axis=0, return_inverse=True)
    faces = where.ravel()[triangles]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    if not np.isfinite(merged).all() or not solids.is_closed(faces):
        reading.refuse(prim, "a mesh that is not closed has no volume to compute a mass from", EXPECTED)
        return None
    approximation = reading.word(prim, "physics:approximation", "none")
    if approximation not in ("none", "", "meshSimplification", "sdf"):
        reading.note(prim, f"its mass is that of the mesh itself, not of its approximation {approximation!r}")
    X = np.linalg.inv(_matrix_of(body.at)) @ reading.matrix(prim)
    with np.errstate(all="ignore"):
        lump = solids.mesh(merged @ X[:3, :3].T + X[:3, 3], faces)
    return lump if np.isfinite(lump.inertia).all() and lump.mass < 1e12 else None


def _matrix_of(at: Placement) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = at.rotation, at.position
    return X
