"""Tables of nodes and freedoms beside matrix files: plain text, commas or blanks, # for comments."""

from pathlib import Path

import numpy as np

from gough.errors import UsageError


def read_table(path: str | Path, columns: int, what: str) -> np.ndarray:
    """Numbers (rows, columns) of a text file, or an error that names file and line."""
    rows = []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as failure:
        raise UsageError(f"{path}: {failure.strerror or failure}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text file") from None
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#")[0].replace(",", " ").split()
        if not words:
            continue
        try:
            rows.append([float(word) for word in words])
        except ValueError:
            raise UsageError(f"{path}:{number}: {what} must be {columns} numbers, not {line.strip()!r}") from None
        if len(words) != columns:
            raise UsageError(f"{path}:{number}: {what} must be {columns} numbers, not {len(words)}")
    if not rows:
        raise UsageError(f"{path} is empty; expected {what}")
    return np.array(rows)


def read_nodes(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """(labels (n,), positions (n, 3)) of lines `label x y z`."""
    table = read_table(path, 4, "a node (label x y z)")
    labels = table[:, 0].astype(int)
    if len(np.unique(labels)) < len(labels):
        raise UsageError(f"{path}: a node label appears twice")
    return labels, table[:, 1:]


def read_freedoms(path: str | Path, labels: np.ndarray) -> np.ndarray:
    """(node index, component 0…5) (d, 2) of lines `label component`, components 1…6 as in most codes."""
    table = read_table(path, 2, "a freedom (node label, component 1…6)").astype(int)
    return indexed(table[:, 0], table[:, 1], labels, str(path))


def indexed(label: np.ndarray, component: np.ndarray, labels: np.ndarray, where: str) -> np.ndarray:
    """(node index, component 0…5) (d, 2) from labels and components 1…6."""
    order = np.argsort(labels)
    place = np.minimum(np.searchsorted(labels, label, sorter=order), len(labels) - 1)
    index = order[place]
    if (missing := label[labels[index] != label]).size:
        raise UsageError(f"{where}: node {missing[0]} has no position in the node table")
    if not np.isin(component, range(1, 7)).all():
        bad = component[~np.isin(component, range(1, 7))][0]
        raise UsageError(f"{where}: component {bad} is no displacement (1…3) or rotation (4…6)")
    return np.stack([index, component - 1], axis=1)


def regular_freedoms(size: int, nodes: int, where: str) -> np.ndarray:
    """(node, component) (d, 2) of matrices with all freedoms of the first node, then of the next: 3 or 6 a node."""
    each = size // nodes if nodes else 0
    if each not in (3, 6) or each * nodes != size:
        raise UsageError(
            f"{where}: {size} rows for {nodes} nodes are not 3 or 6 a node; give a table of freedoms (node label, component 1…6)"
        )
    return np.stack([np.repeat(np.arange(nodes), each), np.tile(np.arange(each), nodes)], axis=1)
