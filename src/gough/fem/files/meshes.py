"""Solids from mesh files of other programs, through meshio."""

import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import MeshWarning, UsageError, warn
from gough.fem._elements import FiniteElements
from gough.fem._material import Material
from gough.fem._reading import doubtful_units, guard, real_numbers, regular_file, shorten, whole_numbers
from gough.fem.solids.cells import repeated_cells
from gough.fem.solids.elements import solid_elements

METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
SOLIDS = ("tetra", "tetra10", "hexahedron", "hexahedron20", "hexahedron27")
GROWS = 15
"""Memory that meshio and the lists it makes take, a byte of a file."""
COUNTED = re.compile(
    rb"^\s*(POINTS|CELLS|CELL_TYPES|POINT_DATA|CELL_DATA|VERTICES|LINES|POLYGONS|METADATA|FIELD|SCALARS)\b([^\n]*)",
    re.I | re.M,
)
SECTION = re.compile(rb"^\$(Nodes|Elements|Entities|PhysicalNames|Periodic|NodeData|ElementData)\s*\n([^\n]*)", re.M)
GENERATED = re.compile(rb"^\*[^\n]*generate[^\n]*\n((?:[^*\n][^\n]*\n?)*)", re.I | re.M)
NUMBER = re.compile(rb"(?<![\w.+-])\d{1,40}(?![\w.])")
OTHER_SOLIDS = ("pyramid", "wedge", "polyhedron", "voxel", "VTK_LAGRANGE", "tetra", "hexahedron")


@guard("a mesh", "write it again, for instance in Gmsh's format 4.1 or as VTK, with solid cells")
def read_mesh(path: str | Path, material: Material, units: str = "m") -> tuple[FiniteElements, dict[str, np.ndarray]]:
    """(elements, node sets by name) of a mesh file (Gmsh, Abaqus, Nastran, VTK and what else meshio reads).

    units: the file's unit of length, one of m, cm, mm, um, in, ft. Node sets are what the format has: Abaqus' node and
    element sets, Gmsh's physical groups, as indices into `elements.nodes`. Faces and lines in the file only name nodes.
    Nodes of no cell are left out with a warning, cells that are written again are taken once with one, and sizes that no robot
    has give one too.
    """
    if units not in METRES:
        raise UsageError(f"mesh file: units = {units!r}; choose one of {', '.join(METRES)}")
    mesh = _read(Path(path))
    blocks = _solid_blocks(mesh, path)
    points = METRES[units] * _in_space(real_numbers(mesh.points, f"{path}: the nodes"), path)
    wrong = [i for b in blocks for i in (b.min(), b.max()) if not 0 <= i < len(points)]
    if wrong:
        raise UsageError(f"{path}: a cell names node {wrong[0]} (from 0), but there are {len(points)}")
    blocks = _without_repeats(blocks, path)
    used = np.unique(np.concatenate([b.ravel() for b in blocks]))
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    if len(used) < len(points):
        warn(
            f"{path}: {len(points) - len(used)} nodes belong to no solid cell and are left out",
            MeshWarning,
        )
    try:
        elements = solid_elements(points[used], [number[b] for b in blocks], material)
    except UsageError as error:
        raise UsageError(
            f"{path}: {error} (cells and nodes counted from 0 in the file's order of solid cells)"
        ) from None
    for doubt in doubtful_units(float(np.sum(elements.mass)), elements.nodes):
        warn(f"{path}: {doubt}; {size_report(elements)}", MeshWarning)
    sets = _node_sets(mesh, number)
    return replace(elements, node_sets=sets), sets


def size_report(elements: FiniteElements) -> str:
    """One line to judge units by: mass (kg), extent (m), mass centre (m)."""
    mass = float(np.sum(elements.mass))
    extent = " × ".join(f"{s:.4g}" for s in np.ptp(elements.nodes, axis=0))
    centre = ", ".join(f"{c:.4g}" for c in elements.mass @ elements.position / mass)
    return f"mass {mass:.6g} kg, extent {extent} m, mass centre ({centre}) m, {len(elements.nodes)} nodes"


def _read(path: Path) -> Any:
    try:
        import meshio
    except ImportError:
        raise UsageError(
            "mesh files are read through meshio, which is not installed: pip install 'gough[fem]'"
        ) from None
    regular_file(path, GROWS)
    _refuse_hostile(path)
    try:
        said = io.StringIO()  # meshio prints its own errors
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), np.errstate(all="ignore"):
            return meshio.read(path)
    except SystemExit:  # meshio's way of saying that it does not know the format
        raise UsageError(f"mesh file: {path} is in no format that meshio knows by its name") from None
    except Exception as error:
        reason = shorten(f"{type(error).__name__}: {error}")
        raise UsageError(f"mesh file: meshio could not read {path}: {reason}") from error


def _in_space(points: np.ndarray, path: object) -> np.ndarray:
    if points.ndim != 2 or not 1 <= points.shape[1] <= 3 or not np.isfinite(points).all():
        raise UsageError(f"{path}: nodes must be finite numbers (n, 3), not {points.shape}")
    return points if points.shape[1] == 3 else np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])


def _solid_blocks(mesh: Any, path: object) -> list[np.ndarray]:
    """Solid cells in the file's order; other solid kinds are refused, faces, lines and points passed over."""
    unknown = sorted({b.type for b in mesh.cells if b.type not in SOLIDS and b.type.startswith(OTHER_SOLIDS)})
    if unknown:
        raise UsageError(
            f"{path}: cells of kind {', '.join(unknown)} are not supported; remesh with {', '.join(SOLIDS)}"
        )
    blocks = [whole_numbers(b.data, str(path), "cells") for b in mesh.cells if b.type in SOLIDS and len(b.data)]
    if not blocks:
        found = ", ".join(sorted({b.type for b in mesh.cells})) or "none"
        raise UsageError(f"{path}: no solid cells (found: {found}); write the volume's cells: {', '.join(SOLIDS)}")
    return blocks


def _without_repeats(blocks: list[np.ndarray], path: object) -> list[np.ndarray]:
    """Blocks without the cells that were there before: Gmsh writes a cell once for every group it is in."""
    kept, count = [], 0
    for nodes in dict.fromkeys(b.shape[1] for b in blocks):  # one block a kind
        cells = np.concatenate([b for b in blocks if b.shape[1] == nodes])
        again = repeated_cells(cells)
        kept.append(np.delete(cells, again, axis=0))
        count += len(again)
    if not count:
        return blocks
    warn(
        f"{path}: {count} of {sum(map(len, blocks))} solid cells are written again (groups that overlap?) and taken once",
        MeshWarning,
    )
    return kept


def _node_sets(mesh: Any, number: np.ndarray) -> dict[str, np.ndarray]:
    """Named sets of nodes, renumbered, those of no solid cell left out; a set of cells stands for its nodes."""
    out = {name: _numbers_of(np.asarray(members), number) for name, members in mesh.point_sets.items()}
    for name, members in _cell_sets(mesh).items():
        key = name if name not in out else f"{name} (cells)"
        out[key] = _numbers_of(members, number)
    return {name: members for name, members in out.items() if len(members)}


def _cell_sets(mesh: Any) -> dict[str, np.ndarray]:
    """Nodes of each named set of cells: Abaqus' element sets, Gmsh's physical groups."""
    groups = mesh.cell_data.get("gmsh:physical")
    named: dict[str, list[np.ndarray]] = {}
    for name, members in mesh.cell_sets.items():
        if name.startswith("gmsh:"):
            continue
        for block, chosen in zip(mesh.cells, members, strict=True):
            if chosen is not None and len(chosen):
                named.setdefault(name, []).append(np.asarray(block.data)[np.asarray(chosen, dtype=int)].ravel())
    for name, (tag, dimension) in mesh.field_data.items():
        if name in named or groups is None:
            continue
        for block, tags in zip(mesh.cells, groups, strict=True):
            if block.dim == dimension:
                named.setdefault(name, []).append(np.asarray(block.data)[np.asarray(tags) == tag].ravel())
    return {name: np.concatenate(parts) for name, parts in named.items()}


def _numbers_of(members: np.ndarray, number: np.ndarray) -> np.ndarray:
    known = members[(members >= 0) & (members < len(number))]
    kept = np.unique(number[known.astype(int)])
    return kept[kept >= 0]


def _refuse_hostile(path: Path) -> None:
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
