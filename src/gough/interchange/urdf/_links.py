"""Links: mass, mass centre and tensor in the link's axes, and surfaces to be drawn."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gough.interchange.foreign import ForeignBody, Looks
from gough.interchange.meshes import DRAWN, POINTERS, find_mesh, is_pointer, mesh_path
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element, number_in

Colour = tuple[int, int, int]
ENTRIES = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
PARTS = ("inertial", "visual", "collision")
OTHERS = (".dae", ".glb", ".gltf", ".fbx", ".3ds", ".usd")
"""Surfaces of other kinds, which people know by these endings."""


class LinkReader:
    """packages: folders in which meshes are looked up; colours: materials of the file by their names."""

    def __init__(self, sheet: Sheet, path: Path, packages: Sequence[Path], root: Element) -> None:
        self.sheet, self.path, self.packages = sheet, path, packages
        self.colours: dict[str, Colour] = {}
        for material in (m for e in (root, *root.all("link")) for m in _materials(e)):
            colour = self._colour(material)
            if colour is not None and material.get("name"):
                self.colours.setdefault(str(material.get("name")), colour)

    def read_link(self, link: Element, name: str, called: str) -> ForeignBody:
        """A body; called: its name in the robot."""
        self.sheet.check_keys(link, ("name", "type"))
        self.sheet.check_children(link, PARTS)
        inertial = self.sheet.only(link, "inertial")
        mass, center, inertia = (0.0, (0.0, 0.0, 0.0), np.zeros((3, 3)))
        if inertial is not None:
            mass, center, inertia = self._inertial(link, inertial)
        if link.child("collision") is not None:
            self.sheet.say(link, "shapes for collisions are left out: nothing collides here")
        return ForeignBody(called, self.sheet.at(link), mass, center, inertia, looks=self._looks(link))

    def _inertial(self, link: Element, inertial: Element) -> tuple[float, tuple[float, float, float], np.ndarray]:
        self.sheet.check_children(inertial, ("origin", "mass", "inertia"))
        at = self.sheet.origin(inertial, link)
        mass, tensor = self.sheet.only(inertial, "mass"), self.sheet.only(inertial, "inertia")
        if mass is None:
            self.sheet.refuse(inertial, "an inertial without a mass", '<mass value="…"/>', owner=link)
        if tensor is None:
            self.sheet.refuse(inertial, "an inertial without a tensor", "<inertia ixx=… />", owner=link)
        I = np.zeros((3, 3))
        for key, (i, j) in ENTRIES.items():
            if tensor is not None:
                I[i, j] = I[j, i] = self.sheet.number(tensor, key, owner=link)
        kg = 0.0 if mass is None else self.sheet.number(mass, "value", owner=link)
        if kg < 0 and mass is not None:
            self.sheet.refuse(mass, "a negative mass", "kg, not negative", kg, link)
        return kg, at.position, at.rotation @ I @ at.rotation.T if at.turns else I

    def _looks(self, link: Element) -> tuple[Looks, ...]:
        """Surfaces that can be drawn; other shapes are for the viewer to make up."""
        found = []
        for visual in link.all("visual"):
            geometry = visual.child("geometry")
            mesh = None if geometry is None else geometry.child("mesh")
            looks = None if mesh is None else self._mesh(link, visual, mesh)
            found += [] if looks is None else [looks]
        if any(g.child("mesh") is None for v in link.all("visual") for g in v.all("geometry")):
            drawn = "its surfaces alone are" if found else "shapes made up from its joints are"
            self.sheet.say(link, f"boxes, cylinders and spheres of <visual> are not drawn; {drawn}")
        return tuple(found)

    def _mesh(self, link: Element, visual: Element, mesh: Element) -> Looks | None:
        uri = mesh.get("filename") or ""
        suffix = Path(uri).suffix.lower()
        if suffix not in DRAWN:
            kind = suffix if suffix in OTHERS else "of this kind"
            self.sheet.say(mesh, f"surfaces {kind} are not drawn; {', '.join(DRAWN)} are", link, uri)
            return None
        file = find_mesh(uri, self.path, self.packages)
        if file is None:
            remedy = "; give the folder that holds the package: packages=, --packages" if "://" in uri else ""
            self.sheet.say(mesh, f"surfaces that are not found are not drawn{remedy}", link, uri)
            return None
        if is_pointer(file):
            self.sheet.say(mesh, POINTERS, link)
            return None
        sizes = [number_in(word) or 0.0 for word in (mesh.get("scale") or "1 1 1").split()]
        if len(sizes) != 3:
            self.sheet.say(mesh, "surfaces whose scale is not 3 numbers are not drawn", link)
            return None
        colour = next((self._colour(m) or self.colours.get(m.get("name") or "") for m in visual.all("material")), None)
        looks = Looks.with_scales(mesh_path(file, self.path), sizes, self.sheet.origin(visual, link), color=colour)
        if looks is None:
            self.sheet.say(mesh, "surfaces with a scale of 0 are not drawn", link)
        return looks

    def _colour(self, material: Element) -> Colour | None:
        colour = material.child("color")
        if colour is None or colour.get("rgba") is None:
            return None
        red, green, blue, _ = self.sheet.numbers(colour, "rgba", (0.5, 0.5, 0.5, 1.0), material)
        return tuple(round(255 * min(1.0, max(0.0, x))) for x in (red, green, blue))  # type: ignore[return-value]


def _materials(element: Element) -> list[Element]:
    inside = [material for visual in element.all("visual") for material in visual.all("material")]
    return inside + element.all("material") if element.tag == "robot" else inside
