"""Finite elements from matrices of another code: K, M, where nodes are, and which freedom is which.

The mass as points: where every direction has the same mass matrix S and none couples with another (solids, bars), the form
xᵀ S x = Σ_i (s_i - 2 Σ_j S_ij) x_i² + Σ_{i<j} 4 S_ij ((x_i + x_j)/2)², s_i the row sums, is one of points at nodes and at
midpoints, exact also for products with positions, so every integral is exact.
Otherwise (beams, shells, superelements) mass, mass centre, inertia and the couplings of shapes with rigid motion come from M
itself (couplings.py says what is exact), and only the products ∫ Φ_ka Φ_lb dm of single components, which M does not know, from
masses lumped to the nodes: they change the inertia to second order in the deflection.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array, eye_array, issparse

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem._couplings import couplings_of
from gough.fem._elements import FiniteElements, in_freedoms
from gough.fem._geometry import extent, hat
from gough.fem._reading import (
    SI,
    NumberTable,
    UnitFactors,
    doubtful_units,
    lines_of,
    real,
    real_numbers,
    shorten,
    whole_numbers,
)
from gough.fem._sparse import SMALL, on_each_axis, rows_of_blocks, stack_rows
from gough.fem.elastic_body import inertia_points

NEGATIVE = 1e-3
"""Part of its own entries that a matrix may be below zero: text of few digits."""
SMALLEST, LARGEST = 1e-100, 1e100
"""Between these lies the largest entry of a matrix; squares of others leave the range of doubles."""


def from_matrices(
    K: csr_array,
    M: csr_array,
    nodes: np.ndarray,
    freedoms: np.ndarray,
    units: UnitFactors = SI,
    cells: np.ndarray | None = None,
    held: np.ndarray | None = None,
    node_sets: Mapping[str, np.ndarray] | None = None,
    labels: np.ndarray | None = None,
) -> FiniteElements:
    """K, M (d, d); nodes (n, 3); freedoms (d, 2): node index and component (0…2 displacement, 3…5 rotation) of each row.

    A node index of -1 is a coordinate of no node: a mode of a superelement.
    held (d,): freedoms that do not move; they are left out, but their mass counts where the body moves as a whole.
    node_sets: nodes (indices) by name. labels (n,): the nodes' numbers in their file.
    Nodes without a row are no part of the body (those a superelement was condensed from, beside its own) and are left out.
    """
    freedoms = whole_numbers(np.asarray(freedoms), "freedoms", "nodes and components")
    nodes = real_numbers(nodes, "the table of nodes")
    K, M = _sparse(K, "K"), _sparse(M, "M")
    _demand_matrices(K, M, nodes, freedoms)
    node, component = freedoms.T
    modal = node < 0
    kept, place = _nodes_with_rows(node, len(nodes))
    node, nodes = np.where(modal, node, place[node]), nodes[kept]
    labels = None if labels is None else np.asarray(labels)[kept]
    cells = np.zeros((0, 2), dtype=int) if cells is None else place[cells]
    cells = cells[(cells >= 0).all(axis=1)]
    sets = {name: place[np.asarray(s, dtype=int)] for name, s in (node_sets or {}).items()}
    d, n = len(freedoms), len(nodes)
    moves, turns = ~modal & (component < 3), ~modal & (component >= 3)
    S = diags_array(np.where(moves, 1.0 / units.length, 1.0))
    K = csr_array(S @ K @ S) * (units.mass * units.length**2 / units.time**2)
    M = csr_array(S @ M @ S) * (units.mass * units.length**2)
    nodes = nodes * units.length
    column = np.arange(d)
    T, R = (
        csr_array(coo_array((np.ones(pick.sum()), ((3 * node + component % 3)[pick], column[pick])), shape=(3 * n, d)))
        for pick in (moves, turns)
    )
    rotation = R if turns.any() else None
    points, couplings = None if modal.any() else _exact_points(M, T, nodes, turns, component), None
    if points is None:
        points = _lumped_points(M, T, rotation, nodes)
        couplings = couplings_of(K, M, T, rotation, nodes, points)
    elements = FiniteElements(
        nodes,
        K,
        M,
        T,
        rotation,
        *points,
        cells=cells,
        couplings=couplings,
        node_sets={name: s[s >= 0] for name, s in sets.items()},
        labels=labels,
    )
    if held is not None and held.any():
        elements = in_freedoms(elements, csr_array(eye_array(d))[:, np.flatnonzero(~held)])
    for doubt in doubtful_units(float(elements.mass.sum()), nodes):
        warn(doubt, ModalDataWarning)
    return elements


def _nodes_with_rows(node: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(nodes that rows belong to, for each node its place among them or -1)."""
    kept = np.unique(node[node >= 0])
    if not len(kept):
        raise UsageError("no row of the matrices belongs to a node: say which node and component each row is")
    place = np.full(count, -1)
    place[kept] = np.arange(len(kept))
    return kept, place


def _sparse(A: Any, name: str) -> csr_array:
    """A real sparse matrix, or an error."""
    entries = coo_array(A) if issparse(A) else coo_array(np.atleast_2d(np.asarray(A)))
    data = real_numbers(entries.data, name)
    return csr_array(coo_array((data, (entries.row, entries.col)), shape=entries.shape))


def _demand_matrices(K: csr_array, M: csr_array, nodes: np.ndarray, freedoms: np.ndarray) -> None:
    d = len(freedoms)
    if freedoms.ndim != 2 or freedoms.shape[1] != 2 or not d:
        raise UsageError(f"freedoms must be (d, 2): node and component of each row, not {freedoms.shape}")
    if nodes.ndim != 2 or nodes.shape[1] != 3 or not len(nodes) or not np.isfinite(nodes).all():
        raise UsageError(f"nodes must be finite positions (n, 3), not {nodes.shape}")
    for name, A in (("K", K), ("M", M)):
        if A.shape != (d, d):
            raise UsageError(
                f"{name} is {A.shape}, but there are {d} freedoms: say which node and component each row is"
            )
        if not np.isfinite(A.data).all():
            raise UsageError(f"{name} has entries that are not finite numbers")
        if not (largest := float(np.abs(A.data).max(initial=0.0))) or not SMALLEST < largest < LARGEST:
            raise UsageError(
                f"{name} has no entry of a size that can be worked with (its largest is {largest:g}); check its units"
            )
        if not _is_symmetric(A):
            raise UsageError(f"{name} is not symmetric; gyroscopic or follower terms do not belong into it")
        if (low := A.diagonal().min()) < 0.0:
            raise UsageError(f"{name} has the negative diagonal entry {low:g}")
        _demand_no_negative(A, name, freedoms)
    of_nodes = freedoms[freedoms[:, 0] != -1]
    if (
        (of_nodes[:, 0] < 0).any()
        or (of_nodes[:, 0] >= len(nodes)).any()
        or not np.isin(of_nodes[:, 1], range(6)).all()
    ):
        raise UsageError(
            f"freedoms must be (node 0…{len(nodes) - 1}, component 0…5), or (-1, 0) for a coordinate of no node"
        )
    if len(np.unique(of_nodes, axis=0)) < len(of_nodes):
        raise UsageError("a freedom (node, component) is named twice")


def _demand_no_negative(A: csr_array, name: str, freedoms: np.ndarray) -> None:
    """Refuse a matrix that has a negative energy: of two freedoms always, of all where they are few."""
    own = np.sqrt(np.abs(A.diagonal()))
    entries = coo_array(A)
    bound = own[entries.row] * own[entries.col]
    over = np.abs(entries.data) - (1.0 + NEGATIVE) * bound - 1e-12 * np.abs(entries.data).max()
    damaged = f"no energy is negative; was the file cut off, or are entries of {name} missing? Write it again"
    if (worst := int(np.argmax(over))) >= 0 and over[worst] > 0.0:
        i, j = (" ".join(str(int(x) + 1) for x in freedoms[k]) for k in (entries.row[worst], entries.col[worst]))
        raise UsageError(
            f"{name} couples two freedoms (node and component {i}, {j}, counted from 1) by {entries.data[worst]:g}, more than "
            f"their own entries allow (at most {bound[worst]:g}): {damaged}"
        )
    if len(own) <= SMALL:
        unit = np.where(own > 0.0, own, 1.0)
        lowest = float(np.linalg.eigvalsh(A.toarray() / np.outer(unit, unit))[0])
        if lowest < -NEGATIVE:
            raise UsageError(f"{name} has the negative eigenvalue {lowest:.3g} (of a unit diagonal): {damaged}")


def _is_symmetric(A: csr_array) -> bool:
    """To text precision; rows may be of forces or of moments, so entries are compared with their own diagonal ones."""
    odd = coo_array(A - A.T)
    own = np.sqrt(np.abs(A.diagonal()))
    return not np.any(np.abs(odd.data) > 1e-8 * own[odd.row] * own[odd.col] + 1e-14 * np.abs(A.data).max())


Points = tuple[np.ndarray, np.ndarray, csr_array]


def _exact_points(
    M: csr_array, T: csr_array, nodes: np.ndarray, turns: np.ndarray, component: np.ndarray
) -> Points | None:
    """Points of a mass that is the same in each direction, or None where it is not."""
    n = len(nodes)
    full = coo_array(T @ M @ T.T)
    if turns.any():
        apart = diags_array(np.where(turns, 1.0 / max(extent(nodes), 1e-30), 1.0))
        scaled = abs(apart @ M @ apart)
        if scaled[turns].max() > 1e-12 * scaled.max():
            return None
    same = full.row % 3 == full.col % 3
    if np.abs(full.data[~same]).max(initial=0.0) > 1e-9 * np.abs(full.data).max():
        return None
    blocks = []
    for c in np.unique(component[~turns]):
        pick = (full.row % 3 == c) & (full.col % 3 == c)
        blocks.append(csr_array((full.data[pick], (full.row[pick] // 3, full.col[pick] // 3)), shape=(n, n)))
    S = blocks[0]
    if any(abs(block - S).max() > 1e-9 * abs(S).max() for block in blocks[1:]):
        return None
    links = coo_array(S)
    upper = links.row < links.col
    i, j, link = links.row[upper], links.col[upper], links.data[upper]
    own = S.sum(axis=1)
    np.subtract.at(own, i, 2.0 * link)
    np.subtract.at(own, j, 2.0 * link)
    k = np.arange(len(i))
    middle = csr_array(coo_array((np.full(2 * len(i), 0.5), (np.r_[k, k], np.r_[i, j])), shape=(len(i), n)))
    spread = stack_rows(eye_array(n), middle)
    field = csr_array(on_each_axis(spread) @ T)
    return np.concatenate([own, 4.0 * link]), spread @ nodes, field


def _lumped_points(M: csr_array, T: csr_array, R: csr_array | None, nodes: np.ndarray) -> Points:
    """Row sums of the displacements as masses; rotations' own blocks as inertias where M does not couple the two."""
    n = len(nodes)
    present = np.asarray(T.sum(axis=1)).reshape(n, 3) > 0.0
    push = np.stack(
        [(T @ (M @ (T.T @ np.tile(unit, n)))).reshape(n, 3)[:, a] for a, unit in enumerate(np.eye(3))], axis=1
    )
    masses = np.where(present, push, 0.0).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    inertias = None
    if R is not None and abs(R @ M @ T.T).max() <= 1e-9 * max(extent(nodes), 1e-30) * abs(T @ M @ T.T).max():
        block = coo_array(R @ M @ R.T)
        inertias = np.zeros((n, 3, 3))
        own = block.row // 3 == block.col // 3
        inertias[block.row[own] // 3, block.row[own] % 3, block.col[own] % 3] = block.data[own]
    mass, owner, arm = inertia_points(masses, inertias)
    pick = csr_array(coo_array((np.ones(len(owner)), (np.arange(len(owner)), owner)), shape=(len(owner), n)))
    field = on_each_axis(pick) @ T
    if R is not None and np.any(arm):
        field = field + rows_of_blocks(-hat(arm), 3 * owner[:, None] + np.arange(3), 3 * n) @ R
    return mass, nodes[owner] + arm, csr_array(field)


# What files of matrices have in common: tables of nodes and freedoms beside them (plain text, # for comments), triangles.

NO_NODE = -1
"""Node index of a coordinate that belongs to none: a mode of a superelement."""


def read_table(path: str | Path, columns: int, what: str) -> np.ndarray:
    """Numbers (rows, columns) of a text file, or an error that names file and line."""
    table = NumberTable(columns)
    for number, line in lines_of(path):
        words = line.split("#")[0].replace(",", " ").split()
        if not words:
            continue
        if len(words) != columns:
            raise UsageError(
                f"{path}:{number}: {what} must be {columns} numbers, not {len(words)} ({shorten(line, 60)!r})"
            )
        table.add([real(word, f"{path}:{number}", what) for word in words])
    if not len(table.numbers):
        raise UsageError(f"{path} is empty; expected {what}")
    return table.rows()


def read_nodes(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """(labels (n,), positions (n, 3)) of lines `label x y z`."""
    table = read_table(path, 4, "a node (label x y z)")
    labels = whole_numbers(table[:, 0], str(path), "node labels")
    if len(np.unique(labels)) < len(labels):
        raise UsageError(f"{path}: a node label appears twice")
    return labels, table[:, 1:]


def read_freedoms(path: str | Path, labels: np.ndarray) -> np.ndarray:
    """(node index, component 0…5) (d, 2) of lines `label component`, components 1…6 as in most codes.

    A line `0 0` is a coordinate of no node (a mode of a superelement): NO_NODE, 0.
    """
    table = read_table(path, 2, "a freedom (node label, component 1…6, or 0 0 for a mode)")
    table = whole_numbers(table, str(path), "labels and components")
    return freedom_table(table, (table != 0).any(axis=1), labels, str(path))


def row_freedoms(freedoms: str | Path | None, modal: int, labels: np.ndarray, size: int, where: str) -> np.ndarray:
    """(node index, component) (d, 2) of a matrix' rows: of a table where there is one, else in regular order."""
    if freedoms is None:
        return regular_freedoms(size, len(labels), modal, where)
    if modal:
        raise UsageError(f"{freedoms}: a table of freedoms says by `0 0` which rows are modes; leave modal= out")
    return read_freedoms(freedoms, labels)


def freedom_table(freedoms: np.ndarray, own: np.ndarray, labels: np.ndarray, where: str) -> np.ndarray:
    """(node index, component 0…5) (d, 2) from labels and components 1…6 (d, 2); NO_NODE, 0 where own (d,) is False."""
    out = np.tile([NO_NODE, 0], (len(freedoms), 1))
    if not own.any():
        return out
    label, component = freedoms[own].T
    order = np.argsort(labels)
    place = np.minimum(np.searchsorted(labels, label, sorter=order), len(labels) - 1)
    index = order[place]
    if (missing := label[labels[index] != label]).size:
        raise UsageError(f"{where}: node {missing[0]} has no position in the node table")
    if not np.isin(component, range(1, 7)).all():
        bad = component[~np.isin(component, range(1, 7))][0]
        raise UsageError(f"{where}: component {bad} is no displacement (1…3) or rotation (4…6)")
    out[own] = np.stack([index, component - 1], axis=1)
    return out


def regular_freedoms(size: int, nodes: int, modal: int, where: str) -> np.ndarray:
    """(node, component) (d, 2) of matrices with all freedoms of the first node, then of the next: 3 or 6 a node; then modes."""
    rows = size - modal
    each = rows // nodes if nodes else 0
    if rows < 0 or each not in (3, 6) or each * nodes != rows:
        beside = f" beside {modal} modal coordinates" if modal else ""
        raise UsageError(
            f"{where}: {size} rows for {nodes} nodes{beside} are not 3 or 6 a node; say how many of the last rows are modes of a "
            "superelement (modal=), or give a table of freedoms (node label, component 1…6, or 0 0 for a mode)"
        )
    own = np.stack([np.repeat(np.arange(nodes), each), np.tile(np.arange(each), nodes)], axis=1)
    return np.concatenate([own, np.tile([NO_NODE, 0], (modal, 1))])


Entries = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Rows, columns and values (k,) of a matrix' entries."""


def common_freedoms(tables: Sequence[np.ndarray], where: str) -> tuple[np.ndarray, list[Entries]]:
    """(freedoms (d, 2): label and component, entries of each matrix by them) of tables (k, 5) whose lines are a row's label and
    component, a column's, and a value."""
    ends = np.concatenate([table[:, pair] for table in tables for pair in ((0, 1), (2, 3))])
    ends = whole_numbers(ends, where, "node labels and components")
    freedoms, place = np.unique(ends, axis=0, return_inverse=True)
    parts = np.split(place.ravel(), np.cumsum([len(table) for table in tables for _ in (0, 1)])[:-1])
    return freedoms, [(parts[2 * k], parts[2 * k + 1], table[:, 4]) for k, table in enumerate(tables)]


def symmetric_matrix(i: np.ndarray, j: np.ndarray, values: np.ndarray, size: int, half: bool) -> csr_array:
    """A matrix (size, size) of entries; half: one triangle is written, the other follows."""
    if half:
        off = i != j
        i, j, values = np.r_[i, j[off]], np.r_[j, i[off]], np.r_[values, values[off]]
    return csr_array(coo_array((values, (i, j)), shape=(size, size)))
