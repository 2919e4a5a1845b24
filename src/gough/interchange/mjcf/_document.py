"""The text that MuJoCo's parser is given: a stranger's files, read with care, put together and cleaned.

MuJoCo never sees the files themselves. They pass our own reader of XML; includes are put in their places; what does not
matter for the dynamics (textures, cameras, sensors, sizes of buffers, …) is taken out, and so is what is refused. The text
that is left has one element a line, so that every line MuJoCo speaks of is known again in the file it came from; texts of
models that are attached begin below the last line of the others. Files are looked for in the folder of the main file and in
those that are named, nowhere else.
"""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import quoteattr

from gough.interchange.findings import Findings
from gough.interchange.foreign import IN_MJCF, ReadingOptions, Written
from gough.interchange.meshes import is_pointer
from gough.interchange.mjcf._cleaning import (
    DEFORMABLE,
    EQUALITIES,
    LEFT_OUT,
    MOST_COPIES,
    MOST_PARAMETER,
    NOT_DYNAMICS,
    PATHS,
    check_numbers,
    drop_distance_field,
    has_large_parameter,
    keep_actuator,
    weight,
)
from gough.interchange.xml import MOST_DEPTH, MOST_ELEMENTS, Element, number_in, read_xml
from gough.robot.errors import DescriptionError

MOST_FILES = 500


@dataclass
class MeshFile:
    """A mesh of a file: its element, where the file should be, and what keeps it from being read ("" nothing)."""

    element: Element
    at: Written
    named: str
    path: Path
    trouble: str
    key: str


@dataclass
class _ModelPart:
    """One model's elements: the main one (key "") or one that is attached; first: its first line in the numbering of all."""

    key: str
    root: Element
    folder: Path
    meshdir: Path = field(default_factory=Path)
    strips: bool = False
    first: int = 0


@dataclass(frozen=True)
class MjcfDocument:
    """The cleaned model. places: {line: (file, line there)}. closure_tolerance: of loops (m), where the file says it.
    file_of: of elements, by their ids."""

    file: str
    folder: Path
    name: str
    parts: list[_ModelPart]
    meshes: list[MeshFile]
    places: dict[int, tuple[str, int]]
    left_out: Counter[str]
    pairs: int
    closure_tolerance: float | None = None
    file_of: Mapping[int, str] = field(default_factory=dict)

    def written(self, element: Element) -> Written:
        """Where an element stands."""
        return element.at(self.file_of.get(id(element), self.file))

    def texts(self, mesh: Callable[[MeshFile], Mapping[str, str]]) -> tuple[str, dict[str, bytes]]:
        """(the main text, {name: attached text}); mesh: attributes of a mesh in place of its file."""
        known = {id(m.element): m for m in self.meshes}
        out: dict[str, str] = {}
        for part in self.parts:
            lines = ["" for _ in range(part.first)]
            _write(part.root, lines, lambda e: dict(mesh(known[id(e)])) if id(e) in known else {})
            out[part.key] = "\n".join(lines)
        return out.pop(""), {key: text.encode() for key, text in out.items()}

    def place(self, line: int | None, path: str) -> Written:
        """Where something stands that MuJoCo has in a line of the text."""
        found = self.places.get(line) if line is not None else None
        return Written(self.file, None, path) if found is None else Written(*found, path)


def _write(element: Element, lines: list[str], replacing: Callable[[Element], dict[str, str]]) -> None:
    new = replacing(element)
    attributes = {k: v for k, v in element.attributes.items() if not (new and k in ("file", "content_type"))} | new
    words = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    lines.append(f"<{element.tag}{words}{'' if element.children else '/'}>")
    for child in element.children:
        _write(child, lines, replacing)
    if element.children:
        lines.append(f"</{element.tag}>")


def gather(path: Path, options: ReadingOptions, findings: Findings) -> MjcfDocument:
    """Read a file and all that belongs to it; raises DescriptionError where the file itself cannot be read."""
    gathering = _Gathering(path, options, findings)
    root = read_xml(path)
    gathering.add(root, path, "")
    gathering.count_copies()
    return MjcfDocument(
        str(path),
        path.parent,
        root.get("model") or path.stem,
        gathering.parts,
        gathering.meshes,
        gathering.number_lines(),
        gathering.left_out,
        gathering.pairs,
        gathering.closure_tolerance,
        gathering.file_of,
    )


class _Gathering:
    """Files as they are met."""

    def __init__(self, path: Path, options: ReadingOptions, findings: Findings) -> None:
        self.findings = findings
        self.parts: list[_ModelPart] = []
        self.meshes: list[MeshFile] = []
        self.left_out: Counter[str] = Counter()
        self.pairs = 0
        self.closure_tolerance: float | None = None
        self._roots = [Path(os.path.realpath(p)) for p in (path.parent, *options.packages)]
        self.file_of: dict[int, str] = {}
        self._elements = 0
        self._files = 0
        self._above: list[Path] = []
        """Models that are being gathered: one must not attach itself."""

    # -- files ---------------------------------------------------------------------------------------------------

    def _at(self, element: Element) -> Written:
        return element.at(self.file_of[id(element)])

    def locate(self, folder: Path, name: str) -> tuple[Path, str]:
        """(where a file is, what keeps it from being read or "")."""
        try:
            path = Path(folder, name.replace("\\", "/"))
            real = Path(os.path.realpath(path))
            if not any(real.is_relative_to(root) for root in self._roots):
                return path, "outside"
            if not real.is_file():
                return path, "missing"
            return path, "pointer" if is_pointer(real) else ""
        except (OSError, ValueError):
            return Path(folder, "?"), "missing"

    def _complain(self, element: Element, name: str, trouble: str) -> None:
        self.findings.refuse(self._at(element), f"{name!r}: {TROUBLES[trouble]}", REMEDIES[trouble])

    def add(self, root: Element, path: Path, key: str) -> None:
        """A model, with what it includes and attaches."""
        part = _ModelPart(key, root, path.parent)
        self._above.append(Path(os.path.realpath(path)))
        self._note(root, str(path))
        self._include(root, str(path), part, {Path(os.path.realpath(path))}, 0)
        if root.child("compiler") is None:
            root.children.append(self._made("compiler", root))
        for compiler in root.all("compiler"):
            for word in ("assetdir", "meshdir"):
                if (folder := compiler.get(word)) is not None and not (word == "assetdir" and compiler.get("meshdir")):
                    part.meshdir = Path(folder.replace("\\", "/"))
            part.strips = compiler.get("strippath", str(part.strips).lower()) == "true"
            compiler.attributes = {k: v for k, v in compiler.attributes.items() if k not in PATHS}
            compiler.attributes["usethread"] = "false"
            compiler.children = [self._made("lengthrange", compiler, mode="none")]
        root.children = [c for c in root.children if self._keep_section(c, part)]
        self.parts.append(part)
        self._above.pop()

    def _made(self, tag: str, beside: Element, **attributes: str) -> Element:
        """An element of our own, which is said to stand where another does."""
        made = Element(tag, attributes, beside.line)
        self.file_of[id(made)] = self.file_of[id(beside)]
        return made

    def _note(self, element: Element, file: str) -> None:
        for each in element.walk():
            self._elements += 1
            self.file_of[id(each)] = file
        if self._elements > MOST_ELEMENTS:
            self.findings.refuse(
                element.at(file), f"more than {MOST_ELEMENTS} elements in all files", "a smaller model"
            )
            self.findings.tell_problems()

    def _include(self, element: Element, file: str, part: _ModelPart, seen: set[Path], depth: int) -> None:
        """Put the children of included files' roots in the place of `include`."""
        if depth > MOST_DEPTH:
            self.findings.refuse(element.at(file), f"elements nested more than {MOST_DEPTH} deep", "a flatter model")
            self.findings.tell_problems()
        new: list[Element] = []
        for child in element.children:
            if child.tag != "include":
                self._include(child, self.file_of[id(child)], part, seen, depth + 1)
                new.append(child)
                continue
            found = self._open(child, (part.folder, Path(file).parent), seen)
            if found is not None:
                inner, path = found
                self._include(inner, path, part, seen, depth + 1)
                new += inner.children
        element.children = new

    def _open(self, element: Element, folders: tuple[Path, ...], seen: set[Path]) -> tuple[Element, str] | None:
        """The root of an included file: of the main file's folder, or of the including one's."""
        name = element.get("file") or ""
        found = [self.locate(folder, name) for folder in folders]
        path, trouble = next((f for f in found if not f[1]), found[0])
        if trouble:
            self._complain(element, name, trouble)
            return None
        if (real := Path(os.path.realpath(path))) in seen:
            self.findings.refuse(self._at(element), f"{name!r} is included twice", "each file once")
            return None
        seen.add(real)
        return self._read(path)

    def _read(self, path: Path) -> tuple[Element, str] | None:
        self._files += 1
        if self._files > MOST_FILES:
            return None
        try:
            root = read_xml(path)
        except DescriptionError as error:
            self.findings.problems += error.problems
            return None
        self._note(root, str(path))
        return root, str(path)

    # -- what stays ----------------------------------------------------------------------------------------------

    def _keep_section(self, section: Element, part: _ModelPart) -> bool:
        match section.tag:
            case "sensor":
                self.left_out["sensors"] += len(section.children)
            case "contact":
                self.pairs += len(section.all("pair"))
            case "custom" if not part.key:
                self._read_custom(section)
            case "keyframe":
                for key in section.children:
                    key.attributes = {k: v for k, v in key.attributes.items() if k in ("name", "qpos")}
        if section.tag in NOT_DYNAMICS:
            return False
        self._clean(section, section.tag, part)
        return section.tag != "deformable"

    def _read_custom(self, section: Element) -> None:
        """The tolerance of loops that gough writes."""
        for element in section.all("numeric"):
            if element.get("name") != IN_MJCF:
                continue
            found = number_in(element.get("data") or "")
            if found is None or found <= 0:
                self.findings.refuse(self._at(element), f"{IN_MJCF} is no length", "m, positive", element.get("data"))
            else:
                self.closure_tolerance = found

    def _clean(self, element: Element, section: str, part: _ModelPart) -> None:
        kept = []
        check_numbers(element, self._at(element), self.findings)
        for child in element.children:
            if self._keep(child, section, part):
                self._clean(child, section, part)
                kept.append(child)
        element.children = kept

    def _keep(self, element: Element, section: str, part: _ModelPart) -> bool:
        """Whether an element stays; what does not is counted, or refused."""
        tag = element.tag
        if drop_distance_field(element):
            self.left_out["signed distance fields"] += 1
        if tag in LEFT_OUT and section != "default":
            self.left_out[LEFT_OUT[tag]] += 1
            return False
        if tag in DEFORMABLE:
            self.findings.refuse(self._at(element), f"{tag}: bodies that bend", "rigid bodies, or a flexible body here")
            return False
        if section == "actuator":
            return keep_actuator(element, self._at(element), self.findings)
        if tag == "plugin":
            self.findings.refuse(self._at(element), "a plugin: a program of its own", "the model without it")
            return False
        if section == "equality" and tag not in EQUALITIES:
            self.findings.refuse(self._at(element), f"an equality of kind {tag}", f"one of {', '.join(EQUALITIES)}")
            return False
        match tag:
            case "material":
                element.attributes.pop("texture", None)
                element.children = []
            case "geom" if element.get("type") == "hfield" or element.get("hfield") is not None:
                return False
            case "mesh" if section == "asset":
                return self._keep_mesh(element, part)
            case "model" if section == "asset":
                return self._keep_model(element, part)
        return True

    def _keep_mesh(self, element: Element, part: _ModelPart) -> bool:
        name = element.get("file")
        if has_large_parameter(element):
            message = f"a mesh that MuJoCo makes with a parameter above {MOST_PARAMETER}"
            self.findings.refuse(self._at(element), message, "a coarser mesh")
            return False
        if name is not None:
            plain = name.replace("\\", "/")
            element.attributes.setdefault("name", Path(plain).stem)
            path, trouble = self.locate(part.folder / part.meshdir, Path(plain).name if part.strips else plain)
            key = f"mesh_{len(self.meshes)}{path.suffix.lower()}"
            self.meshes.append(MeshFile(element, self._at(element), name, path, trouble, key))
        return True

    def _keep_model(self, element: Element, part: _ModelPart) -> bool:
        name = element.get("file") or ""
        path, trouble = self.locate(part.folder, name)
        if trouble:
            self._complain(element, name, trouble)
            return False
        if Path(os.path.realpath(path)) in self._above:
            self.findings.refuse(self._at(element), f"{name!r} attaches itself", "models that do not run in a circle")
            return False
        found = self._read(path)
        if found is None:
            return False
        if found[0].tag != "mujoco":
            self.findings.refuse(self._at(element), f"{name!r} is a file of <{found[0].tag}>", "a file of <mujoco>")
            return False
        key = f"model_{self._files}.xml"
        self.add(found[0], path, key)
        element.attributes["file"] = key
        element.attributes.pop("content_type", None)
        return True

    # -- the whole -----------------------------------------------------------------------------------------------

    def count_copies(self) -> None:
        """Refuse models that copies make too large."""
        largest = 0
        for part in self.parts:  # attached models come before those that attach them
            largest = max(largest, weight(part.root, largest))
        if largest > MOST_COPIES:
            root = self.parts[-1].root
            self.findings.refuse(self._at(root), f"more than {MOST_COPIES} elements with all copies", "fewer copies")
            self.findings.tell_problems()

    def number_lines(self) -> dict[int, tuple[str, int]]:
        """Give each part its own lines, and say where each comes from."""
        places: dict[int, tuple[str, int]] = {}
        line = 0
        for part in self.parts:
            part.first = line
            line = self._number(part.root, line + 1, places) - 1
        return places

    def _number(self, element: Element, line: int, places: dict[int, tuple[str, int]]) -> int:
        places[line] = (self.file_of[id(element)], element.line)
        line += 1
        for child in element.children:
            line = self._number(child, line, places)
        return line + bool(element.children)


TROUBLES = {
    "missing": "there is no such file",
    "outside": "outside the model's folder, where nothing is read unless it is allowed",
    "pointer": "a pointer of Git LFS, not the file itself",
}
REMEDIES = {
    "missing": "the file beside the model, or its path corrected",
    "outside": "its folder named (packages=[…]), or the file copied below the model's folder",
    "pointer": "`git lfs pull` in its repository",
}
