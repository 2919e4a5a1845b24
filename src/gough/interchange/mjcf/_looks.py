"""Meshes for the viewer: which file, how large, where on its body.

MuJoCo moves a mesh's vertices to their mass centre and main axes and its geom with them; taken together they stand where the
geom is written, with the reference pose of the mesh subtracted. So nothing of the mesh itself is needed here.
"""

import os
from collections.abc import Mapping

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import Looks, Placement, Written
from gough.interchange.mjcf._compiling import CompiledModel, line_of
from gough.interchange.mjcf._document import REMEDIES, TROUBLES, MeshFile
from gough.interchange.mjcf._tree import placement_of, three

SUFFIXES = (".stl", ".obj", ".ply")


def read_looks(compiled: CompiledModel, findings: Findings) -> Mapping[int, tuple[Looks, ...]]:
    """{number of body: its meshes}; those that collide only where no others show the body."""
    model, document = compiled.model, compiled.document
    lines = {m.id: m.info for m in compiled.spec.meshes}
    files = _files_of_meshes(compiled, lines)
    found: dict[int, list[tuple[bool, int]]] = {}
    bad: dict[str, MeshFile] = {}
    for g in range(model.ngeom):
        body, mesh = int(model.geom_bodyid[g]), int(model.geom_dataid[g])
        if not body or mesh not in files or model.geom_type[g] != compiled.value("Geom", "MESH"):
            continue
        file = files[mesh]
        if file.trouble:
            bad[file.named] = file
        elif file.path.suffix.lower() in SUFFIXES:
            visual = not (model.geom_contype[g] or model.geom_conaffinity[g])
            found.setdefault(body, []).append((visual, g))
    here = Written(document.file, None, "")
    for trouble in dict.fromkeys(file.trouble for file in bad.values()):
        names = [file.named for file in bad.values() if file.trouble == trouble]
        some = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        findings.remark(here, f"meshes that are not drawn, {some}: {TROUBLES[trouble]}; {REMEDIES[trouble]}")
    out = {}
    for body, own in found.items():
        shown = [g for visual, g in own if visual] or [g for _, g in own]
        looks = [_looks(compiled, g, files) for g in shown]
        if None in looks:
            findings.remark(here, "meshes that are stretched along axes of a refquat are not drawn")
        out[body] = tuple(one for one in looks if one is not None)
    return out


def _files_of_meshes(compiled: CompiledModel, lines: Mapping[int, str]) -> dict[int, MeshFile]:
    """By number of mesh in the compiled model, found by the line it is written in."""
    written = {(m.at.file, m.at.line, m.element.get("name")): m for m in compiled.document.meshes}
    out = {}
    for number, info in lines.items():
        at = compiled.document.place(line_of(info), "")
        name = compiled.name("MESH", number)
        near = [
            m for (file, line, own), m in written.items() if (file, line) == (at.file, at.line) and (own or "") in name
        ]
        if near:
            out[number] = near[0]
    return out


def _looks(compiled: CompiledModel, g: int, files: Mapping[int, MeshFile]) -> Looks | None:
    model, mesh = compiled.model, int(compiled.model.geom_dataid[g])
    spec = next(m for m in compiled.spec.meshes if m.id == mesh)
    scale = np.array(spec.scale, dtype=float)
    uneven = bool((scale != scale[0]).any())
    if uneven and abs(abs(np.array(spec.refquat, dtype=float)[0]) - 1.0) > 1e-12:
        return None
    center = placement_of(model.mesh_pos[mesh], model.mesh_quat[mesh])
    geom = placement_of(model.geom_pos[g], model.geom_quat[g])
    back = placement_of(np.zeros(3), np.array(spec.refquat, dtype=float)).inverse()
    moved = Placement(three(-scale * np.array(spec.refpos, dtype=float)))  # it is subtracted before the scale
    at = moved.after(back).after(center.inverse().after(geom))
    rgba = model.geom_rgba[g] if model.geom_matid[g] < 0 else model.mat_rgba[model.geom_matid[g]]
    color = tuple(round(255 * min(max(float(x), 0.0), 1.0)) for x in rgba[:3])
    path = os.path.relpath(files[mesh].path, compiled.document.folder)
    return Looks.with_scales(path.replace(os.sep, "/"), scale.tolist(), _tidy(at), color=color)


def _tidy(at: Placement) -> Placement:
    """Without what rounding left where meshes were moved there and back."""
    position = np.where(np.abs(at.position) < 1e-12, 0.0, at.position)
    rotation = np.where(np.abs(at.rotation - np.round(at.rotation)) < 1e-12, np.round(at.rotation) + 0.0, at.rotation)
    return Placement(three(position), rotation)
