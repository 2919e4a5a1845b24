"""Matrices of Nastran: .op4 files, and DMIG cards as EXTSEOUT or DMIGPCH punch them: small field, large field (DMIG*), commas.

Bulk data and .op4 are read by pyNastran, which is loaded when first needed; DMIG cards in a punch file need nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import block_diag, csr_array

from gough.errors import UsageError
from gough.fem._elements import FiniteElements
from gough.fem._reading import SI, NumberTable, UnitFactors, guard, lines_of, real, shorten, whole
from gough.fem.files.matrices import (
    NO_NODE,
    common_freedoms,
    freedom_table,
    from_matrices,
    read_freedoms,
    read_nodes,
    symmetric_matrix,
)
from gough.fem.files.nastran._bulk import Grids, read_by, read_grids

BULK = (".bdf", ".dat", ".nas", ".pch")


@dataclass(frozen=True)
class Dmig:
    """A matrix as entries (k, 5): grid label and component 1…6 (0: a scalar point) of the row, of the column, value; half: of one
    triangle alone."""

    entries: np.ndarray
    half: bool


@guard("DMIG matrices with their nodes", "punch real square matrices, and give the bulk data or a table of nodes")
def read_nastran_dmig(
    punch: str | Path, nodes: str | Path, stiffness: str = "KAAX", mass: str = "MAAX", units: UnitFactors = SI
) -> FiniteElements:
    """Elements from two DMIG matrices of a punch file. nodes: the bulk data, or a table `label x y z` (basic axes).

    Scalar points (component 0) are modal coordinates of a superelement.
    """
    matrices = read_dmig(punch)
    K, M = (_entry(matrices, name, f"{punch} has no DMIG matrix") for name in (stiffness, mass))
    freedoms, (of_K, of_M) = common_freedoms((K.entries, M.entries), str(punch))
    K, M = (symmetric_matrix(*part, len(freedoms), dmig.half) for part, dmig in ((of_K, K), (of_M, M)))
    return _elements(K, M, freedoms, _grids(nodes), str(punch), units)


@guard("an .op4 file with its nodes", "write real matrices with OUTPUT4, and a table of freedoms")
def read_nastran_op4(
    op4: str | Path,
    nodes: str | Path,
    freedoms: str | Path,
    stiffness: str = "KAA",
    mass: str = "MAA",
    units: UnitFactors = SI,
) -> FiniteElements:
    """Elements from two matrices of an .op4 file. freedoms: a table `grid component` in the order of their rows."""
    found = read_by("pyNastran.op4.op4", "read_op4", op4)
    K, M = (_op4_matrix(_entry(found, name, f"{op4} has no matrix"), f"{op4}: {name}") for name in (stiffness, mass))
    grids = _grids(nodes)
    table = read_freedoms(freedoms, grids.labels)
    own = table[:, 0] != NO_NODE
    labelled = np.zeros((len(table), 2), dtype=np.int64)
    labelled[own] = np.stack([grids.labels[table[own, 0]], table[own, 1] + 1], axis=1)
    if K.shape != (len(table), len(table)):
        raise UsageError(f"{op4}: {stiffness} is {K.shape}, but {freedoms} names {len(table)} freedoms")
    return _elements(K, M, labelled, grids, str(op4), units)


def _elements(
    K: csr_array, M: csr_array, freedoms: np.ndarray, grids: Grids, where: str, units: UnitFactors
) -> FiniteElements:
    own = freedoms[:, 1] != 0
    table = freedom_table(freedoms, own, grids.labels, where)
    if not own.any():
        raise UsageError(f"{where}: no freedom belongs to a grid")
    if (grids.axes[table[own, 0]] != np.eye(3)).any():
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


def _entry(found: dict, name: str, missing: str) -> Any:
    if name not in found:
        raise UsageError(f"{missing} {name}; it has {', '.join(found)}")
    return found[name]


def _op4_matrix(item: Any, where: str) -> csr_array:
    A = item.data if hasattr(item, "data") and not isinstance(item, np.ndarray) else item[1]
    if np.iscomplexobj(A):
        raise UsageError(f"{where} is complex; write real matrices")
    return csr_array(A)


def _grids(nodes: str | Path) -> Grids:
    if Path(nodes).suffix.lower() in BULK:
        return read_grids(nodes)
    labels, positions = read_nodes(nodes)
    return Grids(labels, positions, np.tile(np.eye(3), (len(labels), 1, 1)))


@guard("DMIG cards", "punch the matrices again (EXTSEOUT, DMIGPCH), real and square")
def read_dmig(path: str | Path) -> dict[str, Dmig]:
    """All square real DMIG matrices of a punch or bulk data file, by name."""
    forms: dict[str, int] = {}
    entries: dict[str, NumberTable] = {}
    for number, fields in _cards(path):
        where = f"{path}:{number}"
        fields = [*fields, *[""] * (9 - len(fields))]
        name = fields[1]
        if fields[2] == "0":
            if fields[4] not in ("1", "2"):
                raise UsageError(f"{where}: DMIG {shorten(name, 20)} is complex; write real matrices")
            if name in forms:
                raise UsageError(f"{where}: DMIG {shorten(name, 20)} has a second header card")
            forms[name] = whole(fields[3], where, "the form of a matrix (1 square, 6 symmetric)")
            entries[name] = NumberTable(5)
            continue
        if name not in forms:
            raise UsageError(f"{where}: DMIG {shorten(name, 20)} has no header card before its columns")
        column = [_label(fields[2], where), _component(fields[3], where)]
        for k in range(5, len(fields) - 2, 4):
            if fields[k]:
                row = [_label(fields[k], where), _component(fields[k + 1], where)]
                entries[name].add([*row, *column, _number(fields[k + 2], where)])
    if not entries:
        raise UsageError(f"{path} has no DMIG matrix")
    square = {name: table.rows() for name, table in entries.items() if len(table.numbers) and forms[name] in (1, 6)}
    return {name: Dmig(rows, half=forms[name] == 6) for name, rows in square.items()}


def _label(word: str, where: str) -> int:
    label = whole(word, where, "a grid label")
    if label < 1:
        raise UsageError(f"{where}: {label} is no grid label; they count from 1")
    return label


def _component(word: str, where: str) -> int:
    component = whole(word, where, "a component") if word else 0
    if not 0 <= component <= 6:
        raise UsageError(f"{where}: component {component} is no displacement (1…3), rotation (4…6) or scalar point (0)")
    return component


def _number(word: str, where: str) -> float:
    """Nastran's reals: 1.5, 1.5D+3, 1.5+3."""
    text = word.upper().replace("D", "E")
    for sign in "+-":
        cut = text.rfind(sign)
        if cut > 0 and text[cut - 1] != "E":
            text = f"{text[:cut]}E{text[cut:]}"
            break
    return real(text, where, "an entry of the matrix")


def _cards(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """(line number, fields) of DMIG cards, continuations joined; field k of a card is fields[k]."""
    card: list[str] = []
    start = 0
    for number, raw in lines_of(path, "latin-1"):
        line = raw.split("$")[0].rstrip()
        if not line:
            continue
        head = line[:8].strip().upper()
        goes_on = head[:1] in ("*", "+") or not head or line[:1] == ","
        if not goes_on:
            if card:
                yield start, card
            card, start = ([head.rstrip("*").split(",")[0]], number) if head.startswith("DMIG") else ([], number)
        if card:
            card += _fields(line)
    if card:
        yield start, card


def _fields(line: str) -> list[str]:
    if "," in line:
        words = [word.strip() for word in line.split(",")][1:9]
        return words + [""] * (8 - len(words))
    width, count = (16, 4) if "*" in line[:8] else (8, 8)
    return [line[8 + width * k : 8 + width * (k + 1)].strip() for k in range(count)]
