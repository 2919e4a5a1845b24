"""Stiffness and mass in MatrixMarket files, with a table of nodes."""

from pathlib import Path

import numpy as np
from scipy.io import mmread
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem.finite_elements import FiniteElements
from gough.fem.given_matrices import from_matrices
from gough.fem.node_table import read_freedoms, read_nodes, regular_freedoms
from gough.fem.sparse_parts import order
from gough.fem.units import SI, Units


def read_matrix_market(
    stiffness: str | Path,
    mass: str | Path,
    nodes: str | Path,
    freedoms: str | Path | None = None,
    units: Units = SI,
) -> FiniteElements:
    """Elements from K.mtx and M.mtx (any MatrixMarket layout, symmetric or general).

    nodes: lines `label x y z`. freedoms: lines `label component` (1…3 displacements, 4…6 rotations) in the order of the
    matrices' rows; without it 3 or 6 freedoms a node, node after node in the table's order.
    """
    labels, positions = read_nodes(nodes)
    K, M = _matrix(stiffness), _matrix(mass)
    if freedoms is None:
        table = regular_freedoms(order(K), len(labels), str(stiffness))
    else:
        table = read_freedoms(freedoms, labels)
    return from_matrices(K, M, positions, table, units)


def _matrix(path: str | Path) -> csr_array:
    try:
        A = mmread(path, spmatrix=False)
    except OSError as failure:
        raise UsageError(f"{path}: {failure.strerror or failure}") from None
    except (ValueError, TypeError) as failure:
        raise UsageError(f"{path} is no MatrixMarket file: {failure}") from None
    if np.iscomplexobj(A):
        raise UsageError(f"{path} is complex: export real K and M (damping apart)")
    return csr_array(A)
