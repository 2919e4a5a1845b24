"""Nastran: modes of a .bdf with the eigenvectors of its .op2, and matrices of DMIG cards or .op4 files.

Bulk data, .op2 and .op4 are read by pyNastran, which is loaded when first needed; DMIG cards in a punch file need nothing.
"""

from pathlib import Path

import numpy as np
from scipy.sparse import block_diag, csr_array

from gough.errors import UsageError
from gough.fem.finite_elements import FiniteElements
from gough.fem.given_matrices import from_matrices
from gough.fem.nastran_bulk import Grids, read_grids
from gough.fem.nastran_dmig import Dmig, read_dmig
from gough.fem.nastran_library import read_by
from gough.fem.node_table import NO_NODE, indexed, read_freedoms, read_nodes
from gough.fem.reading import guarded
from gough.fem.units import SI, Units

BULK = (".bdf", ".dat", ".nas", ".pch")


@guarded("DMIG matrices with their nodes", "punch real square matrices, and give the bulk data or a table of nodes")
def read_nastran_dmig(
    punch: str | Path, nodes: str | Path, stiffness: str = "KAAX", mass: str = "MAAX", units: Units = SI
) -> FiniteElements:
    """Elements from two DMIG matrices of a punch file. nodes: the bulk data, or a table `label x y z` (basic axes).

    Scalar points (component 0) are modal coordinates of a superelement.
    """
    matrices = read_dmig(punch)
    K, M = (_named(matrices, name, str(punch)) for name in (stiffness, mass))
    freedoms = np.unique(np.concatenate([K.freedoms, M.freedoms]), axis=0)
    placed = [_spread(dmig, freedoms) for dmig in (K, M)]
    return _elements(placed[0], placed[1], freedoms, _grids(nodes), str(punch), units)


@guarded("an .op4 file with its nodes", "write real matrices with OUTPUT4, and a table of freedoms")
def read_nastran_op4(
    op4: str | Path,
    nodes: str | Path,
    freedoms: str | Path,
    stiffness: str = "KAA",
    mass: str = "MAA",
    units: Units = SI,
) -> FiniteElements:
    """Elements from two matrices of an .op4 file. freedoms: a table `grid component` in the order of their rows."""
    found = read_by("pyNastran.op4.op4", "read_op4", op4)
    K, M = (_matrix(found, name, str(op4)) for name in (stiffness, mass))
    grids = _grids(nodes)
    table = read_freedoms(freedoms, grids.labels)
    own = table[:, 0] != NO_NODE
    labelled = np.zeros((len(table), 2), dtype=np.int64)
    labelled[own] = np.stack([grids.labels[table[own, 0]], table[own, 1] + 1], axis=1)
    if K.shape != (len(table), len(table)):
        raise UsageError(f"{op4}: {stiffness} is {K.shape}, but {freedoms} names {len(table)} freedoms")
    return _elements(K, M, labelled, grids, str(op4), units)


def _elements(
    K: csr_array, M: csr_array, freedoms: np.ndarray, grids: Grids, where: str, units: Units
) -> FiniteElements:
    own = freedoms[:, 1] != 0
    table = np.tile([NO_NODE, 0], (len(freedoms), 1))
    table[own] = indexed(freedoms[own, 0], freedoms[own, 1], grids.labels, where)
    if not own.any():
        raise UsageError(f"{where}: no freedom belongs to a grid")
    turned = [grids.axes[k] for k in np.unique(table[own, 0]) if not np.array_equal(grids.axes[k], np.eye(3))]
    if turned:
        K, M, table = _in_basic_axes(K, M, table, grids.axes, where)
    return from_matrices(K, M, grids.positions, table, units, labels=grids.labels)


def _in_basic_axes(
    K: csr_array, M: csr_array, table: np.ndarray, axes: np.ndarray, where: str
) -> tuple[csr_array, csr_array, np.ndarray]:
    """Freedoms of grids with displacement axes of their own, turned into basic axes; whole triples only."""
    order = np.lexsort((table[:, 1], table[:, 0]))
    table, triples = table[order], []
    k = 0
    while k < len(table):
        node, component = table[k]
        rest = table[k : k + 3]
        whole = (
            component % 3 == 0 and len(rest) == 3 and (rest[:, 0] == node).all() and (np.diff(rest[:, 1]) == 1).all()
        )
        plain = node == NO_NODE or np.array_equal(axes[node], np.eye(3))
        whole = whole and node != NO_NODE
        if not (whole or plain):
            raise UsageError(
                f"{where}: grid at index {node} has displacement axes of its own but not all three components there"
            )
        triples.append(axes[node] if whole else np.eye(1))
        k += 3 if whole else 1
    R = csr_array(block_diag(triples))
    K, M = (csr_array(R @ A[order][:, order] @ R.T) for A in (K, M))
    return K, M, table


def _spread(dmig: Dmig, freedoms: np.ndarray) -> csr_array:
    """A matrix on all freedoms: those it does not name are zero."""
    key = {tuple(f): k for k, f in enumerate(freedoms.tolist())}
    place = np.array([key[tuple(f)] for f in dmig.freedoms.tolist()])
    A = dmig.matrix.tocoo()
    return csr_array((A.data, (place[A.row], place[A.col])), shape=(len(freedoms), len(freedoms)))


def _named(matrices: dict[str, Dmig], name: str, where: str) -> Dmig:
    if name not in matrices:
        raise UsageError(f"{where} has no DMIG matrix {name}; it has {', '.join(matrices)}")
    return matrices[name]


def _matrix(found: dict, name: str, where: str) -> csr_array:
    if name not in found:
        raise UsageError(f"{where} has no matrix {name}; it has {', '.join(found)}")
    item = found[name]
    A = item.data if hasattr(item, "data") and not isinstance(item, np.ndarray) else item[1]
    if np.iscomplexobj(A):
        raise UsageError(f"{where}: {name} is complex; write real matrices")
    return csr_array(A)


def _grids(nodes: str | Path) -> Grids:
    if Path(nodes).suffix.lower() in BULK:
        return read_grids(nodes)
    labels, positions = read_nodes(nodes)
    return Grids(labels, positions, np.tile(np.eye(3), (len(labels), 1, 1)))
