"""Rigid bodies of UsdPhysics: those that move, where they stand, which colliders and meshes are theirs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.interchange._placing import relative_placement
from gough.interchange.foreign import FRAME_IN_USD, Placement
from gough.interchange.usd._stage import UsdReading


@dataclass
class UsdBody:
    """A body that moves: its prim, its frame in the world, the scales of its prim, colliders and meshes that are its own."""

    name: str
    prim: Any
    at: Placement
    scales: np.ndarray
    colliders: list[Any] = field(default_factory=list)
    switched_off: list[Any] = field(default_factory=list)
    triggers: list[Any] = field(default_factory=list)
    meshes: list[Any] = field(default_factory=list)
    frames: dict[str, Placement] = field(default_factory=dict)
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

    def end_name(self, paths: list[Any], stage: Any) -> str:
        """The name of the body that the first of some paths leads to, "" for the world."""
        prim = stage.GetPrimAtPath(paths[0].GetPrimPath()) if paths else None
        body = self.body_of(prim) if prim else None
        return "" if body is None else body.name


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
            on = reading.truth(prim, "physics:collisionEnabled", True)
            sensing = any(schema.startswith("PhysxTrigger") for schema in reading.schemas(prim))
            (owner.triggers if sensing else owner.colliders if on else owner.switched_off).append(prim)
        if owner is not None and drawn:
            owner.meshes.append(prim)
        if reading.has(prim, FRAME_IN_USD) and (owner := found.body_of(prim)) is not None:
            owner.frames[reading.word(prim, FRAME_IN_USD)] = relative_placement(reading.place(prim)[0], owner.at)
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
