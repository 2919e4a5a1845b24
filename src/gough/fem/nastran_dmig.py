"""Matrices in Nastran's DMIG cards, as EXTSEOUT or DMIGPCH punch them: small field, large field (DMIG*), or commas."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from gough.errors import UsageError
from gough.fem.reading import Table, guarded, lines_of, real, shortened, whole


@dataclass(frozen=True)
class Dmig:
    """A matrix (d, d) and the freedoms of its rows: freedoms (d, 2) grid labels and components 1…6 (0: a scalar point)."""

    matrix: csr_array
    freedoms: np.ndarray


@guarded("DMIG cards", "punch the matrices again (EXTSEOUT, DMIGPCH), real and square")
def read_dmig(path: str | Path) -> dict[str, Dmig]:
    """All square real DMIG matrices of a punch or bulk data file, by name; symmetric ones with both triangles."""
    forms: dict[str, int] = {}
    entries: dict[str, Table] = {}
    for number, fields in _cards(path):
        where = f"{path}:{number}"
        fields = [*fields, *[""] * (9 - len(fields))]
        name = fields[1]
        if fields[2] == "0":
            if fields[4] not in ("1", "2"):
                raise UsageError(f"{where}: DMIG {shortened(name, 20)} is complex; write real matrices")
            if name in forms:
                raise UsageError(f"{where}: DMIG {shortened(name, 20)} has a second header card")
            forms[name] = whole(fields[3], where, "the form of a matrix (1 square, 6 symmetric)")
            entries[name] = Table(5)
            continue
        if name not in forms:
            raise UsageError(f"{where}: DMIG {shortened(name, 20)} has no header card before its columns")
        column = [_label(fields[2], where), _component(fields[3], where)]
        for k in range(5, len(fields) - 2, 4):
            if fields[k]:
                row = [_label(fields[k], where), _component(fields[k + 1], where)]
                entries[name].add([*row, *column, _number(fields[k + 2], where)])
    if not entries:
        raise UsageError(f"{path} has no DMIG matrix")
    square = {name: table.rows() for name, table in entries.items() if len(table.numbers) and forms[name] in (1, 6)}
    return {name: _assembled(rows, forms[name]) for name, rows in square.items()}


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


def _assembled(table: np.ndarray, form: int) -> Dmig:
    labels, values = table[:, :4].astype(int), table[:, 4]
    freedoms, place = np.unique(np.concatenate([labels[:, :2], labels[:, 2:]]), axis=0, return_inverse=True)
    i, j = place.ravel()[: len(table)], place.ravel()[len(table) :]
    if form == 6:  # symmetric: one triangle is written
        off = i != j
        i, j, values = np.r_[i, j[off]], np.r_[j, i[off]], np.r_[values, values[off]]
    d = len(freedoms)
    return Dmig(csr_array(coo_array((values, (i, j)), shape=(d, d))), freedoms)


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
