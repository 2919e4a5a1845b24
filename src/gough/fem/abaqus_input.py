"""Nodes and node sets of an Abaqus input file (flat, without moved part instances)."""

from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.fem.reading import guarded, lines_of, real, shortened, whole

Members = list[int | str | range]
"""Labels of nodes, names of other sets, and ranges of labels."""


@guarded("an Abaqus input file", "write the flat input, or give a table of nodes (label x y z)")
def read_abaqus_input(path: str | Path) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """(labels (n,), positions (n, 3), node sets by name as indices into them) of *NODE and *NSET blocks.

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
    return labels, np.array(list(found.values())), _resolved(sets, index, str(path))


def _keyword(text: str) -> tuple[str, dict[str, str]]:
    """A keyword in small letters without blanks, and its options (values as written)."""
    words = [word.strip() for word in text.split(",")]
    pairs = [word.partition("=") for word in words[1:] if word]
    options = {name.strip().lower(): value.strip().strip('"') for name, _, value in pairs}
    return words[0].lower().replace(" ", ""), options


def _node(text: str, where: str) -> tuple[int, list[float]]:
    words = [word for word in text.split(",") if word.strip()]
    if not 2 <= len(words) <= 7:
        raise UsageError(f"{where}: a node must be `label, x, y, z`, not {shortened(text, 60)!r}")
    place = [real(word.strip(), where, "a coordinate") for word in words[1:4]]
    return whole(words[0].strip(), where, "a node label"), place + [0.0] * (3 - len(place))


def _members(text: str, where: str, generate: bool) -> Members:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not generate:
        return [whole(word, where, "a node label") if word[:1].isdigit() else word.strip('"') for word in words]
    numbers = [whole(word, where, "a node label") for word in words]
    first, last, step = (*numbers, 1)[:3] if len(numbers) in (2, 3) else (0, -1, 1)
    if first < 1 or last < first or step < 1:
        raise UsageError(f"{where}: with GENERATE a set is `first, last, step`, not {shortened(text, 60)!r}")
    return [range(first, last + 1, step)]


def _resolved(sets: dict[str, Members], index: dict[int, int], where: str) -> dict[str, np.ndarray]:
    """Indices of each set's nodes; a set that names another holds its nodes."""
    names = {name.lower(): name for name in sets}
    done: dict[str, list[int]] = {}
    for name, members in sets.items():
        labels: list[int] = []
        shown = repr(shortened(name, 40))
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
                raise UsageError(f"{where}: set {shown} names {shortened(member, 40)!r}, which is no set before it")
        if missing := [label for label in labels if label not in index]:
            raise UsageError(f"{where}: set {shown} names node {missing[0]}, which has no position")
        done[name] = labels
    return {name: np.array(sorted({index[label] for label in labels}), dtype=int) for name, labels in done.items()}
