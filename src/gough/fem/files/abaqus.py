"""Stiffness and mass from Abaqus: .mtx files of *MATRIX GENERATE, *MATRIX OUTPUT, and nodes of the .inp file.

FORMAT=MATRIX INPUT (the default) and LABELS have lines `node, component, node, component, value`; COORDINATE has lines
`row column value`, whose freedoms the file does not name. Of a symmetric matrix one triangle may be written. Labels below 1 are
no nodes: generalised coordinates of a substructure where they have stiffness and mass.
"""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, diags_array

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem._elements import FiniteElements
from gough.fem._memory import demand
from gough.fem._reading import SI, NumberTable, UnitFactors, guard, lines_of, real, shorten, whole, whole_numbers
from gough.fem.files.matrices import (
    common_freedoms,
    freedom_table,
    from_matrices,
    read_nodes,
    row_freedoms,
    symmetric_matrix,
)

HELD = 1e30
"""Abaqus writes about 1e36 on the diagonal of a freedom that a boundary condition holds."""
ENTRY = 150
"""Memory (bytes) an entry takes while matrices are put together."""


@guard("Abaqus matrices", "write them again with *MATRIX GENERATE and *MATRIX OUTPUT")
def read_abaqus_matrices(
    stiffness: str | Path,
    mass: str | Path,
    nodes: str | Path,
    freedoms: str | Path | None = None,
    units: UnitFactors = SI,
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
    K, M = _entries(stiffness), _entries(mass)
    demand(ENTRY * (len(K) + len(M)), f"{stiffness} and {mass}", "reduce them in Abaqus")
    if K.shape[1] != M.shape[1]:
        raise UsageError("stiffness and mass are in different formats; write both with the same FORMAT")
    if K.shape[1] == 5:
        if freedoms is not None or modal:
            raise UsageError("these .mtx files name their freedoms; leave freedoms= and modal= out")
        K, M, table = _of_labels(K, M, labels, str(stiffness))
    else:
        order = np.argsort(labels)
        labels, positions = labels[order], positions[order]
        place = np.argsort(order)
        sets = {name: place[members] for name, members in sets.items()}
        K, M, size = _of_rows(K, M, str(stiffness))
        table = row_freedoms(freedoms, modal, labels, size, str(stiffness))
    held = _held_freedoms(K)
    loose = diags_array(np.where(held, 0.0, 1.0))
    return from_matrices(
        csr_array(loose @ K @ loose), M, positions, table, units, held=held, node_sets=sets, labels=labels
    )


def _held_freedoms(K: csr_array) -> np.ndarray:
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
    table: NumberTable | None = None
    for number, line in lines_of(path):
        if line.startswith(("*", "%")) or not line.strip():
            continue
        words = line.replace(",", " ").split()
        table = table or NumberTable(len(words))
        if table.width not in (3, 5) or len(words) != table.width:
            raise UsageError(f"{path}:{number}: expected 5 (labels) or 3 (coordinate) entries a line, not {len(words)}")
        table.add([real(word, f"{path}:{number}") for word in words])
    if table is None:
        raise UsageError(f"{path} holds no matrix")
    return table.rows()


def _of_rows(K: np.ndarray, M: np.ndarray, where: str) -> tuple[csr_array, csr_array, int]:
    """Matrices of lines `row column value`, rows from 1; every row must have an entry of K."""
    places = [whole_numbers(table[:, :2], where, "rows and columns") for table in (K, M)]
    lowest, size = int(np.min(np.concatenate(places))), int(np.max(np.concatenate(places)))
    rows = len(np.unique(places[0]))
    if lowest < 1 or size > rows:
        bad = lowest if lowest < 1 else size
        raise UsageError(
            f"{where}: row {bad} is named, but the stiffness has {rows} rows; rows count from 1 without gaps"
        )
    made = [_both_triangles(p[:, 0] - 1, p[:, 1] - 1, t[:, 2], size) for p, t in zip(places, (K, M), strict=True)]
    return made[0], made[1], size


def _of_labels(K: np.ndarray, M: np.ndarray, labels: np.ndarray, where: str) -> tuple[csr_array, csr_array, np.ndarray]:
    freedoms, entries = common_freedoms((K, M), where)
    stiffness, mass = (_both_triangles(*part, len(freedoms)) for part in entries)
    inner = freedoms[:, 0] < 1
    massless = inner & ~((stiffness.diagonal() > 0.0) & (mass.diagonal() > 0.0))
    if massless.any():
        raise UsageError(
            f"{where}: node {freedoms[massless][0, 0]} is internal without stiffness or mass (hybrid elements, multipliers; a "
            "substructure's coordinates have both): use elements without them"
        )
    return stiffness, mass, freedom_table(freedoms, ~inner, labels, where)


def _both_triangles(i: np.ndarray, j: np.ndarray, values: np.ndarray, size: int) -> csr_array:
    """Both triangles, of a matrix written with one or with both."""
    A = symmetric_matrix(i, j, values, size, half=False)
    if (i > j).any() and (i < j).any() and abs(A - A.T).max() <= 1e-8 * abs(A).max():
        return A
    return symmetric_matrix(np.minimum(i, j), np.maximum(i, j), values, size, half=True)


Members = list[int | str | range]
"""Labels of nodes, names of other sets, and ranges of labels."""


@guard("an Abaqus input file", "write the flat input, or give a table of nodes (label x y z)")
def read_abaqus_input(path: str | Path) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """(labels (n,), positions (n, 3), node sets by name as indices into them) of *NODE and *NSET blocks of a flat input file.

    Names of sets are as written; Abaqus does not mind their case, and neither is it minded where one set names another.
    """
    found: dict[int, list[float]] = {}
    sets: dict[str, Members] = {}
    key, options, collected = "", {}, None
    for number, line in lines_of(path, "latin-1"):
        where, text = f"{path}:{number}", line.strip()
        if text.startswith("**") or not text:
            continue
        if text.startswith("*"):
            key, options = _keyword(text)
            if key == "*include":
                raise UsageError(
                    f"{where}: *INCLUDE is not followed; write one file, or give a table of nodes (label x y z)"
                )
            name = options.get("nset") if key in ("*node", "*nset") else None
            if key == "*nset" and not name:
                raise UsageError(f"{where}: *NSET without a name (nset=…)")
            collected = None if not name else sets.setdefault(name, [])
        elif key == "*node":
            label, place = _node(text, where)
            if label in found:
                raise UsageError(f"{where}: node {label} again (several parts): write the flat input, or give a table")
            found[label] = place
            if collected is not None:
                collected.append(label)
        elif key == "*nset" and collected is not None:
            collected += _members(text, where, "generate" in options)
    if not found:
        raise UsageError(f"{path} has no *NODE block")
    labels = np.array(list(found), dtype=np.int64)
    index = {label: k for k, label in enumerate(found)}
    return labels, np.array(list(found.values())), _set_indices(sets, index, str(path))


def _keyword(text: str) -> tuple[str, dict[str, str]]:
    """A keyword in small letters without blanks, and its options (values as written)."""
    words = [word.strip() for word in text.split(",")]
    pairs = [word.partition("=") for word in words[1:] if word]
    options = {name.strip().lower(): value.strip().strip('"') for name, _, value in pairs}
    return words[0].lower().replace(" ", ""), options


def _node(text: str, where: str) -> tuple[int, list[float]]:
    words = [word for word in text.split(",") if word.strip()]
    if not 2 <= len(words) <= 7:
        raise UsageError(f"{where}: a node must be `label, x, y, z`, not {shorten(text, 60)!r}")
    place = [real(word.strip(), where, "a coordinate") for word in words[1:4]]
    return whole(words[0].strip(), where, "a node label"), place + [0.0] * (3 - len(place))


def _members(text: str, where: str, generate: bool) -> Members:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not generate:
        return [whole(word, where, "a node label") if word[:1].isdigit() else word.strip('"') for word in words]
    numbers = [whole(word, where, "a node label") for word in words]
    first, last, step = (*numbers, 1)[:3] if len(numbers) in (2, 3) else (0, -1, 1)
    if first < 1 or last < first or step < 1:
        raise UsageError(f"{where}: with GENERATE a set is `first, last, step`, not {shorten(text, 60)!r}")
    return [range(first, last + 1, step)]


def _set_indices(sets: dict[str, Members], index: dict[int, int], where: str) -> dict[str, np.ndarray]:
    """Indices of each set's nodes; a set that names another holds its nodes."""
    names = {name.lower(): name for name in sets}
    done: dict[str, list[int]] = {}
    for name, members in sets.items():
        labels: list[int] = []
        shown = repr(shorten(name, 40))
        for member in members:
            if isinstance(member, int):
                labels.append(member)
            elif isinstance(member, range):
                if len(member) > len(index):
                    raise UsageError(
                        f"{where}: set {shown} generates {len(member)} nodes, but the file has {len(index)}"
                    )
                labels += member
            elif member.lower() in names and names[member.lower()] in done:
                labels += done[names[member.lower()]]
            else:
                raise UsageError(f"{where}: set {shown} names {shorten(member, 40)!r}, which is no set before it")
        if missing := [label for label in labels if label not in index]:
            raise UsageError(f"{where}: set {shown} names node {missing[0]}, which has no position")
        done[name] = labels
    return {name: np.array(sorted({index[label] for label in labels}), dtype=int) for name, labels in done.items()}
