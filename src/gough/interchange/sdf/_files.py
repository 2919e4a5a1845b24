"""Files of SDF and the models they include: found beside the file or in the folders that are named, never fetched."""

import re
from pathlib import Path

from gough.interchange.findings import Findings
from gough.interchange.foreign import Placement, Written
from gough.interchange.sdf._scopes import SdfScope
from gough.interchange.sdf._values import SdfText, word_in
from gough.interchange.xml import Element, read_xml
from gough.robot.errors import DescriptionError
from gough.text import exists

OLDEST, NEWEST = (1, 4), (1, 12)
MOST_FILES = 200
MOST_NESTED = 30


class SdfLibrary:
    """Opens files, each once; packages: folders in which `model://` is looked up, before those beside the file."""

    def __init__(self, packages: tuple[Path, ...], findings: Findings) -> None:
        self.packages, self.findings = packages, findings
        self._open: dict[Path, tuple[Element, SdfText] | None] = {}

    def open(self, path: Path) -> tuple[Element, SdfText] | None:
        """(the root element, its text); None where it is no SDF that can be read, and it is refused."""
        if path in self._open:
            return self._open[path]
        self._open[path] = None
        try:
            root = read_xml(path)
        except DescriptionError as error:
            self.findings.problems.extend(error.problems)
            return None
        here = Written(str(path), root.line, root.tag)
        if root.tag != "sdf":
            self.findings.refuse(here, f"the root element is <{root.tag}>", "<sdf version=…>")
            return None
        said = (root.get("version") or "").strip()
        found = re.fullmatch(r"(\d{1,4})\.(\d{1,4})(\.\d+)?", said)
        if found is None:
            self.findings.refuse(here, f"its version is {said[:20]!r}", 'version="1.4" to version="1.12"')
            return None
        version = (int(found[1]), int(found[2]))
        if not OLDEST <= version <= NEWEST:
            remedy = (
                "`gz sdf --print` of the file, which writes a newer version" if version < OLDEST else "1.12 or older"
            )
            self.findings.refuse(here, f"SDF {said}: versions 1.4 to 1.12 are read", remedy)
            return None
        self._open[path] = root, SdfText(str(path), version, self.findings)
        return self._open[path]

    def find_model(self, uri: str, beside: Path) -> tuple[Path | None, str]:
        """(the file that a URI means, '') or (None, why not)."""
        if re.match(r"https?://|ssh://|ftp://", uri):
            return (
                None,
                "nothing is fetched from the network; the folder of the downloaded model in packages= (--packages)",
            )
        name = re.sub(r"^(model|package|file)://", "", uri)
        if uri.startswith("file://"):
            name = name.lstrip("/") if not Path(name).is_absolute() else name
        parts = Path(name).parts
        if not parts or Path(name).is_absolute() or ".." in parts or "\0" in name or ":" in name:
            return None, "not the name of a folder; a model's folder, without '..' and not from the root of the disk"
        folders = []
        for folder in self.packages:
            folders.append(folder / name)
            if folder.name == parts[0]:
                folders.append(folder.joinpath(*parts[1:]))
        folders += [beside / name, beside.parent / name]
        for found in folders:
            file = _model_file(found)
            if file is not None:
                return file, ""
        return None, f"no such folder beside the file; the folder that holds {parts[0]!r} in packages= (--packages)"

    def read_scope(self, element: Element, text: SdfText, depth: int = 0, name: str | None = None) -> SdfScope:
        """A model's scope with all that is nested and included in it."""
        scope = SdfScope(
            name or (element.get("name") or "").strip() or "model",
            element,
            text,
            is_world=element.tag == "world",
            static=text.says(element, "static"),
            pose=text.pose(element) if element.tag == "model" else Placement(),
            relative_to=text.relative_to(element),
            placement_frame=(element.get("placement_frame") or "").strip(),
            canonical=(element.get("canonical_link") or "").strip(),
        )
        if depth > MOST_NESTED:
            text.refuse(element, f"models nested more than {MOST_NESTED} deep", "models that do not include themselves")
            return scope
        for child in element.children:
            if child.tag == "model":
                self._add_nested(scope, child, self.read_scope(child, text, depth + 1), merged=False)
            elif child.tag == "include" and not scope.is_world:
                made = self.read_include(child, text, depth)
                if made is not None:
                    self._add_nested(scope, child, made[0], made[1])
        scope.add_frames()
        return scope

    def _add_nested(self, scope: SdfScope, element: Element, inner: SdfScope, merged: bool) -> None:
        if merged:
            scope.merged.append(inner)
        elif inner.name in scope.nested:
            scope.text.refuse(element, f"a second model {inner.name!r} in {scope.name!r}", "names that stand once")
        else:
            scope.nested[inner.name] = inner

    def read_include(self, element: Element, text: SdfText, depth: int = 0) -> tuple[SdfScope, bool] | None:
        """(the included model's scope, whether it is merged); None where it is refused."""
        found = self.locate(element, text)
        if isinstance(found, str):
            refuse_include(element, text, found)
            return None
        if len(self._open) > MOST_FILES:
            text.refuse(element, f"more than {MOST_FILES} files included", "a smaller world")
            return None
        opened = self.open(found)
        if opened is None:
            return None
        root, inner_text = opened
        models = root.all("model")
        if len(models) != 1:
            what = "a light or an actor" if not models else f"{len(models)} models"
            text.refuse(element, f"the included file holds {what}", "one model in an included file")
            return None
        if any(":" in child.tag and child.tag.endswith("params") for child in element.children):
            text.refuse(element, "changes to an included model (experimental:params)", "a file with the changes made")
        merged = text.truth(element, element.get("merge"), False)
        name = word_in(element, "name") or (models[0].get("name") or "").strip()
        scope = self.read_scope(models[0], inner_text, depth + 1, name)
        if element.child("pose") is not None:
            scope.pose, scope.relative_to = text.pose(element), text.relative_to(element)
        if element.child("placement_frame") is not None:
            scope.placement_frame = word_in(element, "placement_frame")
        scope.static = text.says(element, "static", scope.static)
        return scope, merged

    def locate(self, element: Element, text: SdfText) -> Path | str:
        """The file of an <include>, or why there is none."""
        uri = word_in(element, "uri")
        if not uri:
            return "there is no <uri>; <uri>model://NAME</uri>"
        file, why = self.find_model(uri, Path(text.file).parent)
        return why if file is None else file


def refuse_include(element: Element, text: SdfText, found: str) -> None:
    """Refuse an <include>; found: "why; what is expected"."""
    why, _, remedy = found.partition("; ")
    text.refuse(element, f"<include> of {word_in(element, 'uri')[:120]!r}: {why}", remedy)


def _model_file(found: Path) -> Path | None:
    """The file itself, or the newest readable one that a model's folder names."""
    if found.suffix in (".sdf", ".world", ".xml") and exists(found):
        return found
    config = found / "model.config"
    if exists(config):
        try:
            listed = read_xml(config).all("sdf")
        except DescriptionError:
            listed = []
        best: tuple[tuple[int, int], Path] | None = None
        for entry in listed:
            version = re.fullmatch(r"\s*(\d+)\.(\d+)\s*", entry.get("version") or "1.4")
            file = Path(entry.text.strip())
            if version is None or not file.name or file.is_absolute() or ".." in file.parts or "\0" in entry.text:
                continue
            key = (int(version[1]), int(version[2]))
            if key <= NEWEST and exists(found / file) and (best is None or key > best[0]):
                best = key, found / file
        if best is not None:
            return best[1]
    return found / "model.sdf" if exists(found / "model.sdf") else None
