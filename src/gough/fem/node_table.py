"""Tables of nodes and freedoms beside matrix files: plain text, commas or blanks, # for comments."""

from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.fem.reading import Table, lines_of, real, shortened, whole_numbers

NO_NODE = -1
"""Node index of a coordinate that belongs to none: a mode of a superelement."""


def read_table(path: str | Path, columns: int, what: str) -> np.ndarray:
    """Numbers (rows, columns) of a text file, or an error that names file and line."""
    table = Table(columns)
    for number, line in lines_of(path):
        words = line.split("#")[0].replace(",", " ").split()
        if not words:
            continue
        if len(words) != columns:
            raise UsageError(
                f"{path}:{number}: {what} must be {columns} numbers, not {len(words)} ({shortened(line, 60)!r})"
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
    modal = (table == 0).all(axis=1)
    out = np.tile([NO_NODE, 0], (len(table), 1))
    out[~modal] = indexed(table[~modal, 0], table[~modal, 1], labels, str(path))
    return out


def indexed(label: np.ndarray, component: np.ndarray, labels: np.ndarray, where: str) -> np.ndarray:
    """(node index, component 0…5) (d, 2) from labels and components 1…6."""
    if not len(label):
        return np.zeros((0, 2), dtype=int)
    order = np.argsort(labels)
    place = np.minimum(np.searchsorted(labels, label, sorter=order), len(labels) - 1)
    index = order[place]
    if (missing := label[labels[index] != label]).size:
        raise UsageError(f"{where}: node {missing[0]} has no position in the node table")
    if not np.isin(component, range(1, 7)).all():
        bad = component[~np.isin(component, range(1, 7))][0]
        raise UsageError(f"{where}: component {bad} is no displacement (1…3) or rotation (4…6)")
    return np.stack([index, component - 1], axis=1)


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
