"""Stiffness and mass in MatrixMarket files, with a table of nodes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem._elements import FiniteElements
from gough.fem._memory import demand
from gough.fem._reading import SI, UnitFactors, guard, regular_file, shorten, whole, whole_numbers
from gough.fem._sparse import order
from gough.fem.files.matrices import from_matrices, read_nodes, row_freedoms, symmetric_matrix

ENTRY = 120
"""Memory (bytes) an entry takes while a matrix is read and made symmetric."""
SHORTEST = {"coordinate": 6, "array": 2}
"""Layouts, and the bytes a line of data takes at least: `1 1 0`, `0`."""
FIELDS = ("real", "double", "integer")
SYMMETRIES = ("symmetric", "general")


@guard("MatrixMarket files and their tables", "write K and M again, real and symmetric, with a table of nodes")
def read_matrix_market(
    stiffness: str | Path,
    mass: str | Path,
    nodes: str | Path,
    freedoms: str | Path | None = None,
    units: UnitFactors = SI,
    modal: int = 0,
) -> FiniteElements:
    """Elements from K.mtx and M.mtx (any MatrixMarket layout, symmetric or general).

    nodes: lines `label x y z`. freedoms: lines `label component` (1…3 displacements, 4…6 rotations, `0 0` a coordinate of no
    node) in the order of the matrices' rows; without it 3 or 6 freedoms a node, node after node in the table's order, and
    then `modal` rows that are modes of a superelement. Nodes that no row belongs to are left out.
    """
    labels, positions = read_nodes(nodes)
    K, M = _matrix(stiffness), _matrix(mass)
    table = row_freedoms(freedoms, modal, labels, order(K), str(stiffness))
    return from_matrices(K, M, positions, table, units, labels=labels)


@dataclass(frozen=True)
class _Header:
    layout: str
    symmetry: str
    size: int
    entries: int
    lines: int
    """Lines of the header, its own included."""


def _matrix(path: str | Path) -> csr_array:
    """Own reading: scipy's reader ends the process on some damaged files."""
    header = _header(path)
    size, columns = header.size, 3 if header.layout == "coordinate" else 1
    try:
        numbers = np.loadtxt(path, comments="%", skiprows=header.lines, ndmin=2, encoding="latin-1")
    except ValueError as failure:
        raise UsageError(f"{path}: {shorten(str(failure))} (rows counted after line {header.lines})") from None
    if numbers.shape != (header.entries, columns):
        raise UsageError(
            f"{path}: {header.entries} lines of {columns} numbers are stated, but {len(numbers)} of {numbers.shape[1]} follow"
        )
    if not np.isfinite(numbers).all():
        raise UsageError(f"{path} has entries that are not finite numbers")
    if header.layout == "coordinate":
        place = whole_numbers(numbers[:, :2], str(path), "rows and columns") - 1
        if place.min() < 0 or place.max() >= size:
            bad = place[((place < 0) | (place >= size)).any(axis=1)][0] + 1
            raise UsageError(
                f"{path}: entry ({bad[0]}, {bad[1]}) lies outside the {size} × {size} matrix; rows count from 1"
            )
        i, j, values = place[:, 0], place[:, 1], numbers[:, 2]
    else:  # columns one after the other, of a symmetric matrix from the diagonal on
        j, i = np.divmod(np.arange(size * size), size)
        below = (i >= j) | (header.symmetry == "general")
        i, j, values = i[below], j[below], numbers[:, 0]
    return symmetric_matrix(i, j, values, size, half=header.symmetry != "general")


def _header(path: str | Path) -> _Header:
    """Refuse a file whose header states sizes that its bytes cannot hold, before any array of them is made."""
    size = regular_file(path)
    with Path(path).open("rb") as file:
        banner = [word.lower() for word in file.readline(1000).decode("latin-1").split()]
        if len(banner) != 5 or banner[:2] != ["%%matrixmarket", "matrix"]:
            raise UsageError(
                f"{path} is no MatrixMarket file: it does not begin with '%%MatrixMarket matrix coordinate real …'"
            )
        number, line = 2, file.readline(10000)
        while line.startswith(b"%") or (line and not line.strip()):
            number, line = number + 1, file.readline(10000)
    _, _, layout, field, symmetry = banner
    for word, known in ((layout, SHORTEST), (field, FIELDS), (symmetry, SYMMETRIES)):
        if word not in known:
            raise UsageError(
                f"{path}:1: {shorten(word, 40)!r} is not read; expected {' or '.join(known)} (export real, symmetric K and M)"
            )
    words, where = line.decode("latin-1").split(), f"{path}:{number}"
    if len(words) != (3 if layout == "coordinate" else 2):
        raise UsageError(f"{where}: expected the matrix' size (rows, columns{', entries' * (layout == 'coordinate')})")
    counts = [whole(word, where, "a size") for word in words]
    rows, columns = counts[:2]
    if rows != columns or rows < 1:
        raise UsageError(f"{where}: a matrix of {rows} × {columns}; K and M are square")
    if len(counts) == 3:
        entries = counts[2]
    else:
        entries = rows * columns if symmetry == "general" else rows * (rows + 1) // 2
    if entries < 1 or entries * SHORTEST[layout] > size:
        raise UsageError(
            f"{where}: {entries} entries are stated, but the file has {size} bytes: it is cut off, or its header is wrong"
        )
    if layout == "coordinate" and rows > 2 * entries:
        raise UsageError(
            f"{where}: {rows} rows, but {entries} entries: most freedoms would have none; is the size right?"
        )
    what = f"reading {path} ({rows} freedoms, {entries} entries)"
    demand(ENTRY * entries + 4.0 * size, what, "reduce it in the other program")
    return _Header(layout, symmetry, rows, entries, number)
