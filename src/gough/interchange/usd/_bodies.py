"""Rigid bodies of UsdPhysics: those that move, where they stand, what they weigh.

What MassAPI does not say follows from the colliders below a body and their density, as UsdPhysics has it: the collider's own,
else the body's, else its physics material's, else 1000 kg/m³. A stated mass scales them; a stated mass centre moves the tensor.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.interchange import _solids as solids
from gough.interchange._placing import relative_placement, three
from gough.interchange._solids import Lump, sum_of_lumps
from gough.interchange.foreign import Placement
from gough.interchange.usd._stage import UsdReading
from gough.interchange.usd.surfaces import triangles_of
from gough.spatial.poses import rotation_of_quaternion

WATER = 1000.0
TURN = {"X": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), "Y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])}
"""Rotations that take z of a round shape along another axis."""


@dataclass
class UsdBody:
    """A body that moves: its prim, its frame in the world, the scales of its prim, colliders and meshes that are its own."""

    name: str
    prim: Any
    at: Placement
    scales: np.ndarray
    colliders: list[Any] = field(default_factory=list)
    meshes: list[Any] = field(default_factory=list)
    weightless: bool = False


@dataclass
class BodiesRead:
    """Bodies by path; still: paths of bodies that stand in the world."""

    bodies: dict[str, UsdBody] = field(default_factory=dict)
    still: set[str] = field(default_factory=set)

    def body_of(self, prim: Any) -> UsdBody | None:
        """The body that a prim belongs to: itself or the next above; None for the world."""
        while prim and not prim.IsPseudoRoot():
            path = str(prim.GetPath())
            if path in self.bodies:
                return self.bodies[path]
            if path in self.still:
                return None
            prim = prim.GetParent()
        return None


def find_bodies(reading: UsdReading) -> BodiesRead:
    """All rigid bodies of a stage with their colliders."""
    found = BodiesRead()
    for prim in reading.prims():
        if "PhysicsRigidBodyAPI" not in reading.schemas(prim):
            continue
        path = str(prim.GetPath())
        if not reading.truth(prim, "physics:rigidBodyEnabled", True):
            reading.note(prim, "its rigid body is switched off: it stands in the world")
            found.still.add(path)
        elif reading.truth(prim, "physics:kinematicEnabled", False):
            if any(a.ValueMightBeTimeVarying() for a in prim.GetAttributes() if a.GetName().startswith("xformOp")):
                reading.refuse(prim, "a body that is led through time", "a body that moves by its joints")
            reading.note(prim, "a kinematic body that nothing leads: it stands in the world")
            found.still.add(path)
        else:
            at, scales = reading.place(prim)
            found.bodies[path] = UsdBody(prim.GetName(), prim, at, scales)
    _name_once(found)
    for prim in reading.prims():
        collides, drawn = "PhysicsCollisionAPI" in reading.schemas(prim), prim.GetTypeName() == "Mesh"
        owner = found.body_of(prim) if collides or drawn else None
        if owner is not None and collides:
            owner.colliders.append(prim)
        if owner is not None and drawn:
            owner.meshes.append(prim)
    for body in found.bodies.values():
        _check_engine_words(reading, body)
    return found


def _name_once(found: BodiesRead) -> None:
    """Names by prims; by their whole path where two share one."""
    counts: dict[str, int] = {}
    for body in found.bodies.values():
        counts[body.name] = counts.get(body.name, 0) + 1
    for path, body in found.bodies.items():
        if counts[body.name] > 1 or body.name == "world":
            body.name = path.strip("/").replace("/", "_")


def _check_engine_words(reading: UsdReading, body: UsdBody) -> None:
    prim = body.prim
    body.weightless = reading.truth(prim, "physxRigidBody:disableGravity", False)
    for name in ("physxRigidBody:linearDamping", "physxRigidBody:angularDamping"):
        if reading.has(prim, name) and reading.number(prim, name):
            reading.note(prim, f"{name} is left out: a setting of PhysX, damping stands in joints")
    for name in ("physics:velocity", "physics:angularVelocity"):
        speed = reading.vector(prim, name)
        if speed is not None and speed.any():
            reading.note(prim, f"{name} is left out: it is a state, not the robot")
    if body.colliders:
        reading.note(prim, "contact shapes are left out")


def weigh(reading: UsdReading, body: UsdBody) -> Lump:
    """Mass, mass centre and tensor in the body's own axes."""
    prim = body.prim
    mass, diagonal, center = _stated(reading, prim)
    if mass > 0 and diagonal is not None:
        at = np.zeros(3) if center is None else center * body.scales
        return Lump(mass, three(at), _principal(reading, prim, diagonal))
    density = max(reading.number(prim, "physics:density"), 0.0) * reading.mass / reading.length**3
    parts = [_collider(reading, body, shape, density) for shape in body.colliders]
    total = sum_of_lumps([p for p in parts if p is not None])
    if not total.mass:
        return _without_shapes(reading, body, mass, diagonal, center)
    if mass > 0:
        total = total.with_density(mass / total.mass)
    if diagonal is not None:
        total = Lump(total.mass, total.center, _principal(reading, prim, diagonal))
    if center is not None:
        moved = np.asarray(total.center) - center * body.scales
        spread = total.mass * (moved @ moved * np.eye(3) - np.outer(moved, moved))
        inertia = total.inertia if diagonal is not None else total.inertia + spread
        total = Lump(total.mass, three(center * body.scales), inertia)
    return total


def _stated(reading: UsdReading, prim: Any) -> tuple[float, np.ndarray | None, np.ndarray | None]:
    """(mass or 0, principal moments or None, mass centre in the prim's units or None) of MassAPI."""
    if "PhysicsMassAPI" not in reading.schemas(prim):
        return 0.0, None, None
    mass = reading.number(prim, "physics:mass") * reading.mass
    diagonal = reading.vector(prim, "physics:diagonalInertia")
    if diagonal is not None and not diagonal.any():
        diagonal = None
    center = reading.vector(prim, "physics:centerOfMass") if reading.has(prim, "physics:centerOfMass") else None
    return max(mass, 0.0), None if diagonal is None else diagonal * reading.mass * reading.length**2, center


def _principal(reading: UsdReading, prim: Any, diagonal: np.ndarray) -> np.ndarray:
    q = reading.quaternion(prim, "physics:principalAxes")
    R = np.eye(3) if q is None else rotation_of_quaternion(np.array(q))
    return R @ np.diag(diagonal) @ R.T


def _without_shapes(
    reading: UsdReading, body: UsdBody, mass: float, diagonal: np.ndarray | None, center: np.ndarray | None
) -> Lump:
    """A body whose colliders have no volume."""
    at = three(np.zeros(3) if center is None else center * body.scales)
    if mass > 0:
        reading.note(
            body.prim, "no moments of inertia and no colliders: those of a ball of 0.1 m, as UsdPhysics has it"
        )
        return Lump(mass, at, 0.4 * mass * 0.01 * np.eye(3))
    expected = "physics:mass, or a collider with a volume below the body"
    reading.refuse(body.prim, "a body with neither a mass nor colliders to compute it from", expected)
    return Lump(1.0, at, np.eye(3) if diagonal is None else _principal(reading, body.prim, diagonal))


def _collider(reading: UsdReading, body: UsdBody, prim: Any, density: float) -> Lump | None:
    """A collider's share in the body's axes; None where it has no volume."""
    shape = _shape(reading, body, prim)
    if shape is None or not shape.mass:
        return None
    mass, diagonal, center = _stated(reading, prim)
    own = max(reading.number(prim, "physics:density"), 0.0) * reading.mass / reading.length**3
    used = own or density or _material_density(reading, prim) or WATER
    lump = shape.with_density(mass / shape.mass if mass > 0 else used)
    if diagonal is not None or center is not None:
        at, scales = reading.place(prim)
        here = relative_placement(at, body.at)
        if diagonal is not None:
            R = here.rotation
            lump = Lump(lump.mass, lump.center, R @ _principal(reading, prim, diagonal) @ R.T)
        if center is not None:
            lump = Lump(lump.mass, Placement(three(center * scales)).after(here).position, lump.inertia)
    return lump


def _material_density(reading: UsdReading, prim: Any) -> float:
    for name in ("material:binding:physics", "material:binding"):
        for path in reading.targets(prim, name)[:1]:
            material = reading.stage.GetPrimAtPath(path.GetPrimPath())
            if material and "PhysicsMaterialAPI" in reading.schemas(material):
                return max(reading.number(material, "physics:density"), 0.0) * reading.mass / reading.length**3
    return 0.0


def _shape(reading: UsdReading, body: UsdBody, prim: Any) -> Lump | None:
    """A shape of density 1 in the body's axes."""
    kind = str(prim.GetTypeName())
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
        reading.refuse(prim, f"the mass of a {kind} is not computed", "physics:mass and physics:diagonalInertia")
        return None
    if abs(across[0] - across[1]) > 1e-6 * across[0] or (kind == "Capsule" and np.ptp(scales) > 1e-6 * scales[0]):
        reading.refuse(prim, f"a {kind} of uneven scales", "scales that leave it round")
        return None
    lump = makers[kind](radius * across[0], height * scales[along])
    return lump.lump_at(Placement(rotation=TURN[axis]) if axis in TURN else Placement()).lump_at(here)


def _mesh(reading: UsdReading, body: UsdBody, prim: Any) -> Lump | None:
    """What a closed mesh encloses, whatever its collider makes of it."""
    expected = "physics:mass and physics:diagonalInertia on the body"
    found = triangles_of(reading, prim)
    if found is None or not len(found[1]):
        reading.refuse(prim, "a mesh without faces to compute a mass from", expected)
        return None
    corners, triangles = found
    merged, where = np.unique(corners, axis=0, return_inverse=True)
    faces = where.ravel()[triangles]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    if not np.isfinite(merged).all() or not solids.is_closed(faces):
        reading.refuse(prim, "a mesh that is not closed has no volume to compute a mass from", expected)
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
