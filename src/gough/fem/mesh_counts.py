"""Counts that text formats of meshes state, against the size of the file, before a reader takes memory for them."""

import re
from collections.abc import Iterator
from pathlib import Path

from gough.errors import UsageError

COUNTED = re.compile(
    rb"^\s*(POINTS|CELLS|CELL_TYPES|POINT_DATA|CELL_DATA|VERTICES|LINES|POLYGONS|METADATA|FIELD|SCALARS)\b([^\n]*)",
    re.I | re.M,
)
SECTION = re.compile(rb"^\$(Nodes|Elements|Entities|PhysicalNames|Periodic|NodeData|ElementData)\s*\n([^\n]*)", re.M)
GENERATED = re.compile(rb"^\*[^\n]*generate[^\n]*\n((?:[^*\n][^\n]*\n?)*)", re.I | re.M)
NUMBER = re.compile(rb"(?<![\w.+-])\d{1,40}(?![\w.])")


def refuse_hostile(path: Path) -> None:
    """Refuse a mesh whose header counts more things than the file has bytes (VTK, Gmsh), or sets of more (Abaqus)."""
    data = path.read_bytes()
    for what, count in _counts(data):
        if count > len(data):
            raise UsageError(
                f"mesh file: {path} states {count} of {what}, but has {len(data)} bytes: it is cut off, or its header is wrong"
            )


def _counts(data: bytes) -> Iterator[tuple[str, int]]:
    for found in (*COUNTED.finditer(data), *SECTION.finditer(data)):
        for number in NUMBER.findall(found.group(2)[:200])[:2]:
            yield found.group(1).decode("latin-1"), int(number)
    for found in GENERATED.finditer(data):
        for line in found.group(1).splitlines():
            numbers = [int(n) for n in NUMBER.findall(line)]
            if len(numbers) >= 2:
                yield "GENERATE", abs(numbers[1] - numbers[0]) // max(1, numbers[2] if len(numbers) > 2 else 1)
