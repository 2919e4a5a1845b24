"""Stiffness and mass from Abaqus: .mtx files of *MATRIX GENERATE, *MATRIX OUTPUT, and nodes of the .inp file.

FORMAT=MATRIX INPUT (the default) and LABELS have lines `node, component, node, component, value`; COORDINATE has lines
`row column value`, whose freedoms the file does not name. Of a symmetric matrix one triangle may be written. Labels below 1 are
no nodes: generalised coordinates of a substructure where they have stiffness and mass.
"""

from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem.abaqus_input import read_abaqus_input
from gough.fem.finite_elements import FiniteElements
from gough.fem.given_matrices import from_matrices
from gough.fem.memory import demand
from gough.fem.node_table import NO_NODE, indexed, read_freedoms, read_nodes, regular_freedoms
from gough.fem.reading import Table, guarded, lines_of, real, whole_numbers
from gough.fem.units import SI, Units

HELD = 1e30
"""Abaqus writes about 1e36 on the diagonal of a freedom that a boundary condition holds."""
ENTRY = 150
"""Memory (bytes) an entry takes while matrices are put together."""


@guarded("Abaqus matrices", "write them again with *MATRIX GENERATE and *MATRIX OUTPUT")
def read_abaqus_matrices(
    stiffness: str | Path,
    mass: str | Path,
    nodes: str | Path,
    freedoms: str | Path | None = None,
    units: Units = SI,
    modal: int = 0,
) -> FiniteElements:
    """Elements from *_STIF1.mtx and *_MASS1.mtx. nodes: the .inp file, or a table `label x y z`.

    freedoms (COORDINATE only): a table `label component` (`0 0`: a coordinate of no node) in row order; without it 3 or 6 a
    node in the order of labels, and then `modal` rows that are modes of a substructure. Node sets of the .inp are kept.
    Freedoms that boundary conditions hold are left out with a warning.
    """
    sets: dict[str, np.ndarray] = {}
    if Path(nodes).suffix.lower() == ".inp":
        labels, positions, sets = read_abaqus_input(nodes)
    else:
        labels, positions = read_nodes(nodes)
    entries = {name: _entries(path) for name, path in (("K", stiffness), ("M", mass))}
    demand(ENTRY * sum(map(len, entries.values())), f"{stiffness} and {mass}", "reduce them in Abaqus")
    widths = {name: table.shape[1] for name, table in entries.items()}
    if len(set(widths.values())) > 1:
        raise UsageError("stiffness and mass are in different formats; write both with the same FORMAT")
    if widths["K"] == 5:
        if freedoms is not None or modal:
            raise UsageError("these .mtx files name their freedoms; leave freedoms= and modal= out")
        K, M, table = _labelled(entries["K"], entries["M"], labels, str(stiffness))
    else:
        if freedoms is not None and modal:
            raise UsageError(f"{freedoms}: a table of freedoms says by `0 0` which rows are modes; leave modal= out")
        order = np.argsort(labels)
        labels, positions = labels[order], positions[order]
        place = np.argsort(order)
        sets = {name: place[members] for name, members in sets.items()}
        K, M, size = _numbered(entries["K"], entries["M"], str(stiffness))
        if freedoms is None:
            table = regular_freedoms(size, len(labels), modal, str(stiffness))
        else:
            table = read_freedoms(freedoms, labels)
    held = _held(K)
    loose = diags_array(np.where(held, 0.0, 1.0))
    return from_matrices(
        csr_array(loose @ K @ loose), M, positions, table, units, held=held, node_sets=sets, labels=labels
    )


def _held(K: csr_array) -> np.ndarray:
    held = K.diagonal() > HELD
    if held.any():
        warn(
            f"{int(held.sum())} freedoms are held by boundary conditions and left out; for a free body generate the matrices "
            "in a step without them",
            ModalDataWarning,
        )
    return held


def _entries(path: str | Path) -> np.ndarray:
    """Data lines (rows, 5 or 3) of one matrix."""
    table: Table | None = None
    for number, line in lines_of(path):
        if line.startswith(("*", "%")) or not line.strip():
            continue
        words = line.replace(",", " ").split()
        table = table or Table(len(words))
        if table.width not in (3, 5) or len(words) != table.width:
            raise UsageError(f"{path}:{number}: expected 5 (labels) or 3 (coordinate) entries a line, not {len(words)}")
        table.add([real(word, f"{path}:{number}") for word in words])
    if table is None:
        raise UsageError(f"{path} holds no matrix")
    return table.rows()


def _numbered(K: np.ndarray, M: np.ndarray, where: str) -> tuple[csr_array, csr_array, int]:
    """Matrices of lines `row column value`, rows from 1; every row must have an entry of K."""
    places = [whole_numbers(table[:, :2], where, "rows and columns") for table in (K, M)]
    lowest, size = (int(f(x)) for f, x in ((np.min, np.concatenate(places)), (np.max, np.concatenate(places))))
    if lowest < 1 or size > len(np.unique(places[0])):
        bad = lowest if lowest < 1 else size
        raise UsageError(
            f"{where}: row {bad} is named, but the stiffness has {len(np.unique(places[0]))} rows; rows count from 1 without gaps"
        )
    made = [_symmetric(p[:, 0] - 1, p[:, 1] - 1, t[:, 2], size) for p, t in zip(places, (K, M), strict=True)]
    return made[0], made[1], size


def _labelled(K: np.ndarray, M: np.ndarray, labels: np.ndarray, where: str) -> tuple[csr_array, csr_array, np.ndarray]:
    ends = np.concatenate([table[:, pair] for table in (K, M) for pair in ((0, 1), (2, 3))])
    ends = whole_numbers(ends, where, "node labels and components")
    freedoms, place = np.unique(ends, axis=0, return_inverse=True)
    place = place.ravel()
    matrices, start = [], 0
    for table in (K, M):
        n = len(table)
        i, j = place[start : start + n], place[start + n : start + 2 * n]
        matrices.append(_symmetric(i, j, table[:, 4], len(freedoms)))
        start += 2 * n
    inner = freedoms[:, 0] < 1
    massless = inner & ~((matrices[0].diagonal() > 0.0) & (matrices[1].diagonal() > 0.0))
    if massless.any():
        raise UsageError(
            f"{where}: node {freedoms[massless][0, 0]} is internal without stiffness or mass (hybrid elements, multipliers; a "
            "substructure's coordinates have both): use elements without them"
        )
    table = np.tile([NO_NODE, 0], (len(freedoms), 1))
    table[~inner] = indexed(freedoms[~inner, 0], freedoms[~inner, 1], labels, where)
    return matrices[0], matrices[1], table


def _symmetric(i: np.ndarray, j: np.ndarray, values: np.ndarray, size: int) -> csr_array:
    """Both triangles, of a matrix written with one or with both."""
    A = csr_array(coo_array((values, (i, j)), shape=(size, size)))
    if (i > j).any() and (i < j).any() and abs(A - A.T).max() <= 1e-8 * abs(A).max():
        return A
    low, high = np.minimum(i, j), np.maximum(i, j)
    half = csr_array(coo_array((values, (low, high)), shape=(size, size)))
    off = csr_array(coo_array((values[low < high], (high[low < high], low[low < high])), shape=(size, size)))
    return csr_array(half + off)
