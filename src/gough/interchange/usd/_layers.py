# pyright: reportAttributeAccessIssue=false
"""Layers of a stage looked at one by one before USD composes them: where they lie, how large and how nested the whole becomes.

USD itself follows any path, crashes on text that is nested some thousand times deep, and composes references to references
of references without an end in sight.
"""

import os
import re
import zipfile
from pathlib import Path
from typing import Any

from gough.interchange.findings import Findings
from gough.interchange.foreign import Written
from gough.interchange.meshes import is_pointer

MOST_BYTES = 256_000_000
MOST_LAYERS = 1000
MOST_PRIMS = 500_000
DEEPEST = 500
TEXT = b"#usda"
NESTING = re.compile(
    rb'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*|@[^@\n]*@|[(){}\[\]]'
)


def check_layers(path: Path, findings: Findings) -> bool:
    """Whether every layer that the file refers to lies below its folder, or is missing, and together they are no more than a
    stage can hold."""
    from pxr import Sdf  # pyright: ignore[reportMissingImports]

    folder = os.path.realpath(path.parent)
    seen: set[str] = set()
    stack, size, fine = [os.path.realpath(path)], 0, True
    while stack:
        name = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        plain = name.partition("[")[0]
        if not os.path.isfile(plain):
            continue
        size += os.path.getsize(plain)
        here = Written(name, None, "")
        if size > MOST_BYTES or len(seen) > MOST_LAYERS:
            findings.refuse(here, "too many or too large layers", f"at most {MOST_BYTES} bytes")
            return False
        if is_pointer(Path(plain)):
            findings.refuse(here, "a pointer of Git LFS in the place of the file", "the file itself: `git lfs pull`")
            fine = False
            continue
        if _nesting(plain) > DEEPEST:
            findings.refuse(here, f"its brackets are nested more than {DEEPEST} times", "a flatter layer")
            return False
        wrong = _wrong_text(plain)
        if wrong is not None:
            findings.refuse(Written(name, wrong[0], ""), *wrong[1:])
            return False
        layer = Sdf.Layer.FindOrOpen(name)
        if not layer:
            kind = (
                "a package of layers that are not compressed, the first file a layer"
                if _is_package(plain)
                else "a USD file"
            )
            findings.refuse(here, "the layer cannot be opened", kind)
            return False
        layer.Reload()  # what is on the disk now, whoever else holds the layer
        for asset in layer.GetCompositionAssetDependencies():
            if not asset:  # a prim of the layer itself
                continue
            found = str(layer.ComputeAbsolutePath(asset))
            if not os.path.isabs(found):  # a name that USD looks up here first, and did not find
                found = os.path.join(os.path.dirname(plain), found)
            inside = os.path.realpath(found.partition("[")[0])
            if "://" in asset or os.path.commonpath([folder, inside]) != folder:
                findings.refuse(here, f"it refers to {asset[:120]!r}", "layers below the file's folder")
                fine = False
            else:
                stack.append(found if "[" in found else inside)
    if fine and _Census().layer_size(os.path.realpath(path)) > MOST_PRIMS:
        findings.refuse(Written(str(path), None, ""), f"more than {MOST_PRIMS} prims", "a smaller stage")
        return False
    return fine


def _is_package(file: str) -> bool:
    return file.lower().endswith(".usdz")


def _wrong_text(file: str) -> tuple[int, str, str] | None:
    """(line, what is wrong, what is expected) of a layer of text that USD cannot hold; None of a good or a binary one."""
    with open(file, "rb") as opened:
        text = opened.read() if opened.read(len(TEXT)) == TEXT else b""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        return line, f"not UTF-8: the byte 0x{text[error.start]:02x}", "a layer saved as UTF-8"
    return None


def _nesting(file: str) -> int:
    """How deep brackets of a text are nested; of a package the deepest of its texts; 0 of binary layers."""
    if zipfile.is_zipfile(file):
        deepest = 0
        with zipfile.ZipFile(file) as package:
            for member in package.infolist():
                if member.compress_type == zipfile.ZIP_STORED and member.file_size <= MOST_BYTES:
                    with package.open(member) as part:
                        deepest = max(deepest, _text_nesting(part.read() if part.read(len(TEXT)) == TEXT else b""))
        return deepest
    with open(file, "rb") as text:
        return _text_nesting(text.read() if text.read(len(TEXT)) == TEXT else b"")


def _text_nesting(text: bytes) -> int:
    depth = deepest = 0
    for found in NESTING.finditer(text):
        sign = found.group()
        if sign in b"({[":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in b")}]":
            depth = max(0, depth - 1)
    return deepest


class _Census:
    """Counts the prims that layers compose to, each reference with all that it brings; no more than what is too many."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], int] = {}
        self.open: set[tuple[str, str]] = set()

    def layer_size(self, name: str) -> int:
        """Of a layer with its sublayers."""
        from pxr import Sdf  # pyright: ignore[reportMissingImports]

        layer = Sdf.Layer.FindOrOpen(name)
        return 0 if not layer else self._size(layer, "", 0)

    def _size(self, layer: Any, path: str, depth: int) -> int:
        """Of a prim ("" for all of the layer) with what stands below it and what it refers to."""
        from pxr import Sdf  # pyright: ignore[reportMissingImports]

        key = (str(layer.identifier), path)
        if key in self.known:
            return self.known[key]
        if depth > DEEPEST:
            return MOST_PRIMS + 1
        if key in self.open:  # a cycle, which USD itself reports
            return 0
        self.open.add(key)
        total, others = 1, []
        if path:
            spec = layer.GetPrimAtPath(path)
            specs = [spec] if spec else []
            while specs and total <= MOST_PRIMS:
                one = specs.pop()
                total += sum(self._size(layer, str(child.path), depth + 1) for child in one.nameChildren)
                specs += [variant.primSpec for group in one.variantSets for variant in group.variants]
                for arcs in (one.referenceList, one.payloadList):
                    others += [(arc.assetPath, str(arc.primPath)) for arc in arcs.GetAddedOrExplicitItems()]
                for arcs in (one.inheritPathList, one.specializesList):
                    others += [("", str(arc)) for arc in arcs.GetAddedOrExplicitItems()]
        else:
            total += sum(self._size(layer, str(child.path), depth + 1) for child in layer.rootPrims)
            others = [(asset, "all") for asset in layer.subLayerPaths]
        for asset, target in others:
            if total > MOST_PRIMS:
                break
            other = Sdf.Layer.FindOrOpenRelativeToLayer(layer, asset) if asset else layer
            if other:
                aim = "" if target == "all" else target or f"/{other.defaultPrim}"
                total += self._size(other, aim, depth + 1) if aim != "/" else 0
        self.open.discard(key)
        self.known[key] = min(total, MOST_PRIMS + 1)
        return self.known[key]
