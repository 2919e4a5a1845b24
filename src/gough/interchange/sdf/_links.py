"""Links of SDF: mass, mass centre and tensor, with SDF's defaults; frames on them; a surface for the viewer.

A link without <inertial> weighs 1 kg and has moments of 1 kg·m²: the format says so, and so do the programs that read it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gough.interchange import _solids as solids
from gough.interchange._solids import Lump, sum_of_lumps
from gough.interchange.foreign import ForeignBody, Looks
from gough.interchange.matching import meant_hint
from gough.interchange.meshes import DRAWN, IN_PACKAGES, POINTERS, find_mesh, is_pointer, mesh_path
from gough.interchange.sdf._scopes import SdfScope
from gough.interchange.sdf._values import SdfText, word_in
from gough.interchange.sdf._words import check_wind
from gough.interchange.xml import Element

LEFT_OUT = {
    "collision": "contact shapes are left out",
    "sensor": "sensors are left out",
    "light": "lights are left out",
    "battery": "batteries are left out",
    "projector": "projectors are left out",
    "particle_emitter": "particles are left out",
    "audio_sink": "sound is left out",
    "audio_source": "sound is left out",
    "plugin": "plugins of links are left out",
    "self_collide": "contact is left out",
}
OF_INERTIAL = ("mass", "inertia", "pose", "density", "fluid_added_mass", "auto_inertia_params")
OF_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
SILENT = {
    "pose",
    "inertial",
    "visual",
    "gravity",
    "kinematic",
    "velocity_decay",
    "must_be_base_link",
    "frame",
    "enable_wind",
}


def read_link(scope: SdfScope, name: str, element: Element, path: Path, packages: Sequence[Path]) -> ForeignBody:
    """The body of a link; path: the robot's file, from which surfaces are named; packages: folders in which they are looked up.

    What changes its dynamics and has no counterpart is refused.
    """
    text = scope.text
    inertial = element.child("inertial")
    lump = _inertial(text, element, inertial)
    for child in element.children:
        if child.tag in LEFT_OUT and not (child.tag == "self_collide" and child.text.strip() not in ("1", "true")):
            text.note(element, LEFT_OUT[child.tag])
        elif "deformable" in child.tag:
            text.refuse(child, "a soft body", "a rigid link")
        elif child.tag not in SILENT and child.tag not in LEFT_OUT:
            near = meant_hint(child.tag, [tag for tag in (*SILENT, *LEFT_OUT) if element.child(tag) is None], "<{}>")
            text.note(child, f"<{child.tag}> of a link is left out{near}")
    check_wind(text, element)
    if text.says(element, "kinematic"):
        text.refuse(element, "a kinematic link moves without forces", "<kinematic>false</kinematic>, or a static model")
    decay = element.child("velocity_decay")
    if decay is not None and (text.number(decay, "linear", 0.0) or text.number(decay, "angular", 0.0)):
        text.refuse(decay, "a link slowed by <velocity_decay>", "damping in joints")
    if inertial is not None and inertial.child("fluid_added_mass") is not None:
        added = inertial.children[[c.tag for c in inertial.children].index("fluid_added_mass")]
        if any(text.number(added, entry.tag, 0.0) for entry in added.children):
            text.refuse(added, "the mass of a fluid around a link", "the link's own mass alone")
    looks = _looks(text, element, path, packages)
    return ForeignBody(scope.path + name, text.at(element), lump.mass, lump.center, lump.inertia, looks=looks)


def feels_gravity(scope: SdfScope, element: Element) -> bool:
    """Whether a link has weight."""
    return scope.text.says(element, "gravity", True)


def _inertial(text: SdfText, link: Element, inertial: Element | None) -> Lump:
    if inertial is None:
        text.note(link, "no <inertial>: SDF gives the link 1 kg and moments of 1 kg·m²")
        return Lump(1.0, inertia=np.eye(3))
    if text.truth(inertial, inertial.get("auto"), False):
        return _of_collisions(text, link, inertial)
    text.check_children(inertial, OF_INERTIAL)
    base = text.relative_to(inertial)
    if base not in ("", (link.get("name") or "").strip()):
        message = f"the <pose> of <inertial> is relative to {base[:80]!r}: SDF has it in the link's own frame"
        text.refuse(
            inertial.child("pose") or inertial, message, "the pose in the link, without relative_to", "inertial"
        )
    if not word_in(inertial, "mass"):
        text.note(inertial, "no <mass>: SDF gives the link 1 kg", "inertial")
    mass = text.number(inertial, "mass", 1.0, least=0.0)
    tensor = inertial.child("inertia")
    if tensor is None:
        text.note(inertial, "no <inertia>: SDF gives the link moments of 1 kg·m²", "inertial")
    else:
        text.check_children(tensor, OF_TENSOR)
        for key in ("ixx", "iyy", "izz"):
            if tensor.child(key) is None:
                text.note(tensor, f"no <{key}>: SDF gives the link a moment of 1 kg·m²", "inertia")
    entries = {
        key: text.number(tensor, key, float(key[1] == key[2])) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    }
    I = np.array(
        [
            [entries["ixx"], entries["ixy"], entries["ixz"]],
            [entries["ixy"], entries["iyy"], entries["iyz"]],
            [entries["ixz"], entries["iyz"], entries["izz"]],
        ]
    )
    return Lump(mass, inertia=I).lump_at(text.pose(inertial))


def _of_collisions(text: SdfText, link: Element, inertial: Element) -> Lump:
    """`auto`: the collision shapes with their density, scaled to the mass where one is stated."""
    density = text.number(inertial, "density", 1000.0, least=0.0)
    parts = []
    for collision in link.all("collision"):
        own = text.number(collision, "density", density, least=0.0)
        shape = _shape(text, collision)
        if shape is not None:
            if text.relative_to(collision):
                text.refuse(collision, "a collision shape placed relative to another frame", "its pose in the link")
            parts.append(shape.with_density(own).lump_at(text.pose(collision)))
    total = sum_of_lumps(parts)
    if not total.mass:
        text.refuse(inertial, 'auto="true" without a collision shape that has a volume', "mass and inertia as numbers")
        return Lump(1.0, inertia=np.eye(3))
    if inertial.child("mass") is not None:
        total = total.with_density(text.number(inertial, "mass", total.mass, least=0.0) / total.mass)
    return total


def _shape(text: SdfText, collision: Element) -> Lump | None:
    geometry = collision.child("geometry")
    found = None if geometry is None else next(iter(geometry.children), None)
    if found is None:
        return None

    def size(tag: str) -> float:
        return text.number(found, tag, 1.0, least=0.0)

    if found.tag in ("box", "ellipsoid"):
        entry = found.child("size" if found.tag == "box" else "radii")
        edges = (1.0, 1.0, 1.0) if entry is None else text.vector(entry)
        if edges is None:
            return None
        return solids.box(*edges) if found.tag == "box" else solids.ellipsoid(*edges)
    match found.tag:
        case "sphere":
            return solids.ellipsoid(size("radius"), size("radius"), size("radius"))
        case "cylinder":
            return solids.cylinder(size("radius"), size("length"))
        case "capsule":
            return solids.capsule(size("radius"), size("length"))
        case "cone":
            return solids.cone(size("radius"), size("length"))
        case "plane" | "empty":
            return None
    text.refuse(found, f"the mass of a <{found.tag}> is not computed", "mass and inertia as numbers")
    return None


def _looks(text: SdfText, link: Element, path: Path, packages: Sequence[Path]) -> tuple[Looks, ...]:
    """Visuals that are meshes which the viewer reads and that are found."""
    looks = []
    for visual in link.all("visual"):
        geometry = visual.child("geometry")
        found = None if geometry is None else geometry.child("mesh")
        if found is None:
            continue
        uri = word_in(found, "uri")
        drawn = Path(uri).suffix.lower() in DRAWN
        file = find_mesh(uri, Path(text.file), packages) if drawn else None
        if file is None and drawn and uri.startswith(IN_PACKAGES):  # the model itself, in a folder of another name
            file = find_mesh(uri.partition("://")[2].partition("/")[2], Path(text.file), packages)
        if file is not None and is_pointer(file):
            text.note(link, POINTERS)
            file = None
        elif file is None and drawn:
            remedy = "; give the folder that holds it: packages=, --packages" if "://" in uri else ""
            text.note(link, f"surfaces that are not found are not drawn{remedy}", value=uri)
        factor = found.child("scale")
        scale = (1.0, 1.0, 1.0) if factor is None else text.vector(factor)
        if file is None or scale is None or text.relative_to(visual):
            continue
        made = Looks.with_scales(mesh_path(file, path), scale, text.pose(visual), color=_colour(text, visual))
        looks += [] if made is None else [made]
    if len(looks) < len(link.all("visual")):
        text.note(link, "visuals other than a mesh that is found (.stl, .obj, .ply) are left out")
    return tuple(looks)


def _colour(text: SdfText, visual: Element) -> tuple[int, int, int] | None:
    """The diffuse colour of a visual."""
    material = visual.child("material")
    said = None if material is None else word_in(material, "diffuse")
    try:
        red, green, blue = (round(255 * min(1.0, max(0.0, float(x)))) for x in (said or "").split()[:3])
    except ValueError:  # none, or no numbers
        return None
    return red, green, blue


def add_frames_to(bodies: dict[str, ForeignBody], scopes: list[SdfScope]) -> None:
    """Frames of the file, on the links they are attached to."""
    for scope in scopes:
        for name, frame in scope.frames.items():
            if frame.kind != "frame":
                continue
            found = scope.link_of(name, frame.element)
            if found is None or found[0].path + found[1] not in bodies:
                continue
            owner, link = found
            here = scope.pose_of(name).after(scope.at)
            there = owner.pose_of(link).after(owner.at)
            body = bodies[owner.path + link]
            placed = here.after(there.inverse())
            if all(math.isfinite(x) for x in placed.position):
                bodies[owner.path + link] = replace(body, frames={**body.frames, scope.path + name: placed})
