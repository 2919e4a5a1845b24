"""Stiffness and mass from Abaqus: .mtx files of *MATRIX GENERATE, *MATRIX OUTPUT, and node positions of the .inp file.

FORMAT=MATRIX INPUT (the default) and LABELS have lines `node, component, node, component, value`; COORDINATE has lines
`row column value`, whose freedoms the file does not name. Of a symmetric matrix one triangle may be written.
"""

import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from gough.errors import ModalDataWarning, UsageError
from gough.fem.finite_elements import FiniteElements
from gough.fem.given_matrices import from_matrices
from gough.fem.node_table import indexed, read_freedoms, read_nodes, regular_freedoms
from gough.fem.units import SI, Units

HELD = 1e30
"""Abaqus writes about 1e36 on the diagonal of a freedom that a boundary condition holds."""


def read_abaqus_matrices(
    stiffness: str | Path,
    mass: str | Path,
    nodes: str | Path,
    freedoms: str | Path | None = None,
    units: Units = SI,
) -> FiniteElements:
    """Elements from *_STIF1.mtx and *_MASS1.mtx. nodes: the .inp file, or a table `label x y z`.

    freedoms (COORDINATE only): a table `label component` in row order; without it 3 or 6 a node in the order of labels.
    Freedoms that boundary conditions hold are left out with a warning.
    """
    labels, positions = read_abaqus_nodes(nodes) if Path(nodes).suffix.lower() == ".inp" else read_nodes(nodes)
    entries = {name: _entries(path) for name, path in (("K", stiffness), ("M", mass))}
    widths = {name: table.shape[1] for name, table in entries.items()}
    if len(set(widths.values())) > 1:
        raise UsageError("stiffness and mass are in different formats; write both with the same FORMAT")
    if widths["K"] == 5:
        if freedoms is not None:
            raise UsageError("these .mtx files name their freedoms; leave freedoms= out")
        K, M, table = _labelled(entries["K"], entries["M"], labels, str(stiffness))
    else:
        size = int(max(table[:, :2].max() for table in entries.values()))
        order = np.argsort(labels)
        labels, positions = labels[order], positions[order]
        K, M = (_symmetric(t[:, 0].astype(int) - 1, t[:, 1].astype(int) - 1, t[:, 2], size) for t in entries.values())
        table = (
            regular_freedoms(size, len(labels), str(stiffness)) if freedoms is None else read_freedoms(freedoms, labels)
        )
    held = _held(K)
    loose = diags_array(np.where(held, 0.0, 1.0))
    return from_matrices(csr_array(loose @ K @ loose), M, positions, table, units, held=held)


def _held(K: csr_array) -> np.ndarray:
    held = K.diagonal() > HELD
    if held.any():
        warnings.warn(
            f"{int(held.sum())} freedoms are held by boundary conditions and left out; for a free body generate the matrices "
            "in a step without them",
            ModalDataWarning,
            stacklevel=3,
        )
    return held


def _entries(path: str | Path) -> np.ndarray:
    """Data lines (rows, 5 or 3) of one matrix."""
    rows, width = [], 0
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise UsageError(f"{path}: cannot be read as text ({failure})") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(("*", "%")) or not line.strip():
            continue
        words = line.replace(",", " ").replace("D", "E").replace("d", "e").split()
        width = width or len(words)
        if width not in (3, 5) or len(words) != width:
            raise UsageError(f"{path}:{number}: expected 5 (labels) or 3 (coordinate) entries a line, not {len(words)}")
        try:
            rows.append([float(word) for word in words])
        except ValueError:
            raise UsageError(f"{path}:{number}: not numbers: {line.strip()!r}") from None
    if not rows:
        raise UsageError(f"{path} holds no matrix")
    return np.array(rows)


def _labelled(K: np.ndarray, M: np.ndarray, labels: np.ndarray, where: str) -> tuple[csr_array, csr_array, np.ndarray]:
    ends = np.concatenate([table[:, pair] for table in (K, M) for pair in ((0, 1), (2, 3))]).astype(int)
    if (ends[:, 0] < 1).any():
        raise UsageError(
            f"{where}: node {ends[:, 0].min()} is internal (hybrid elements, multipliers): use elements without them"
        )
    freedoms, place = np.unique(ends, axis=0, return_inverse=True)
    place = place.ravel()
    matrices, start = [], 0
    for table in (K, M):
        n = len(table)
        i, j = place[start : start + n], place[start + n : start + 2 * n]
        matrices.append(_symmetric(i, j, table[:, 4], len(freedoms)))
        start += 2 * n
    return matrices[0], matrices[1], indexed(freedoms[:, 0], freedoms[:, 1], labels, where)


def _symmetric(i: np.ndarray, j: np.ndarray, values: np.ndarray, size: int) -> csr_array:
    """Both triangles, of a matrix written with one or with both."""
    A = csr_array(coo_array((values, (i, j)), shape=(size, size)))
    if (i > j).any() and (i < j).any() and abs(A - A.T).max() <= 1e-8 * abs(A).max():
        return A
    low, high = np.minimum(i, j), np.maximum(i, j)
    half = csr_array(coo_array((values, (low, high)), shape=(size, size)))
    off = csr_array(coo_array((values[low < high], (high[low < high], low[low < high])), shape=(size, size)))
    return csr_array(half + off)


def read_abaqus_nodes(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """(labels (n,), positions (n, 3)) of the *NODE blocks of an input file without moved part instances."""
    found: dict[int, list[float]] = {}
    inside = False
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        word = line.strip().lower().replace(" ", "")
        if word.startswith("**") or not word:
            continue
        if word.startswith("*"):
            key = word.split(",")[0]
            inside = key == "*node"
            if key == "*include":
                raise UsageError(f"{path}:{number}: *INCLUDE is not followed; give a table of nodes (label x y z)")
            continue
        if inside:
            parts = [p for p in line.split(",") if p.strip()]
            label, place = int(parts[0]), [float(x) for x in parts[1:4]]
            if label in found:
                raise UsageError(
                    f"{path}:{number}: node {label} again (several parts): write the flat input, or give a table"
                )
            found[label] = place + [0.0] * (3 - len(place))
    if not found:
        raise UsageError(f"{path} has no *NODE block")
    return np.array(list(found)), np.array(list(found.values()))
