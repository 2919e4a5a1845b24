"""Matrices in Nastran's DMIG cards, as EXTSEOUT or DMIGPCH punch them: small field, large field (DMIG*), or commas."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from gough.errors import UsageError


@dataclass(frozen=True)
class Dmig:
    """A matrix (d, d) and the freedoms of its rows: freedoms (d, 2) grid labels and components 1…6 (0: a scalar point)."""

    matrix: csr_array
    freedoms: np.ndarray


def read_dmig(path: str | Path) -> dict[str, Dmig]:
    """All square real DMIG matrices of a punch or bulk data file, by name; symmetric ones with both triangles."""
    forms: dict[str, int] = {}
    entries: dict[str, list[tuple[int, int, int, int, float]]] = {}
    for number, fields in _cards(Path(path)):
        name = fields[1]
        if fields[2] == "0":
            if fields[4] not in ("1", "2"):
                raise UsageError(f"{path}:{number}: DMIG {name} is complex; write real matrices")
            forms[name] = int(fields[3])
            entries[name] = []
            continue
        if name not in forms:
            raise UsageError(f"{path}:{number}: DMIG {name} has no header card before its columns")
        column = int(fields[2]), int(fields[3] or 0)
        for k in range(5, len(fields) - 2, 4):
            if fields[k]:
                entries[name].append((int(fields[k]), int(fields[k + 1] or 0), *column, _number(fields[k + 2])))
    if not entries:
        raise UsageError(f"{path} has no DMIG matrix")
    square = {name: rows for name, rows in entries.items() if rows and forms[name] in (1, 6)}
    return {name: _assembled(rows, forms[name]) for name, rows in square.items()}


def _assembled(rows: list[tuple[int, int, int, int, float]], form: int) -> Dmig:
    table = np.array(rows)
    labels, values = table[:, :4].astype(int), table[:, 4]
    freedoms, place = np.unique(np.concatenate([labels[:, :2], labels[:, 2:]]), axis=0, return_inverse=True)
    i, j = place.ravel()[: len(rows)], place.ravel()[len(rows) :]
    if form == 6:  # symmetric: one triangle is written
        off = i != j
        i, j, values = np.r_[i, j[off]], np.r_[j, i[off]], np.r_[values, values[off]]
    d = len(freedoms)
    return Dmig(csr_array(coo_array((values, (i, j)), shape=(d, d))), freedoms)


def _number(word: str) -> float:
    """Nastran's reals: 1.5, 1.5D+3, 1.5+3."""
    word = word.upper().replace("D", "E")
    for sign in "+-":
        cut = word.rfind(sign)
        if cut > 0 and word[cut - 1] != "E":
            word = f"{word[:cut]}E{word[cut:]}"
            break
    return float(word)


def _cards(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line number, fields) of DMIG cards, continuations joined; field k of a card is fields[k]."""
    try:
        lines = path.read_text(encoding="latin-1").splitlines()
    except OSError as failure:
        raise UsageError(f"{path}: {failure.strerror or failure}") from None
    card: list[str] = []
    start = 0
    for number, raw in enumerate(lines, start=1):
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
