"""What files of matrices have in common: tables of nodes and freedoms beside them (plain text, # for comments), triangles."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from gough.errors import UsageError
from gough.fem.reading import NumberTable, lines_of, real, shorten, whole_numbers

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
