"""Entries of a list that stand for several: `pattern` says how many, and words in angle brackets differ from copy to copy.

    pattern: {circular: 6, start: 10 deg}             <i> 0 … 5, <angle> 10 deg, 70 deg, …
    pattern: {mirrored: [left, right]}                <i> 0, 1, <side> 1, -1, <label> left, right
    pattern: {listed: [{r: 3 mm}, {r: 5 mm}]}         <i> 0, 1, <r> 3 mm, 5 mm

The words stand in any text of the entry, names too ("rod<i>", "radius*cos(<angle>)"). What is put there is a text itself, in
brackets where it is more than a word or a whole number; copies keep the marks of what was written.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from gough.robot.item import nearest, unknown_key
from gough.robot.reader import MOST_NODES, Map, Mark, Seq

LISTS = ("legs", "bodies", "joints", "loops", "couplings", "springs")
"""Keys of a document whose entries may be patterns."""
PATTERN = "pattern"
KINDS = ("circular", "mirrored", "listed")
MOST_COPIES = 1000
NOT_REPLACED = ("source", PATTERN)
_WORD = re.compile(r"<([A-Za-z_][A-Za-z0-9_]*)>")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")

Complain = Callable[[Mark, Any, str, str], None]
"""Takes where it is written, what, what is wrong, what is expected."""


def expand_patterns(document: Map, format: int, complain: Complain) -> Map:
    """The document with all copies of its patterns in their place."""
    result = Map(document)
    result.mark, result.marks = document.mark, document.marks
    room = [MOST_NODES]
    for key in LISTS:
        entries = document.get(key)
        if isinstance(entries, Seq) and any(isinstance(entry, Map) and PATTERN in entry for entry in entries):
            result[key] = _expanded(entries, format, complain, room)
    return result


def _expanded(entries: Seq, format: int, complain: Complain, room: list[int]) -> Seq:
    out, marks = Seq(), []
    for entry, mark in zip(entries, entries.marks, strict=True):
        if not isinstance(entry, Map) or PATTERN not in entry:
            out.append(entry)
            marks.append(mark)
            continue
        if format < 2:
            told = f"a key of format 2, and this file is of format {format}"
            complain(entry.marks[PATTERN], entry[PATTERN], told, "`format: 2` at the top of the file")
        copies = list(_copies(entry, complain))
        room[0] -= len(copies) * _size(entry)
        if room[0] < 0:
            complain(entry.marks[PATTERN], entry[PATTERN], f"more than {MOST_NODES} entries in all", "fewer copies")
            break
        for words in copies:
            copied = _replaced(entry, mark, words, complain)
            del copied[PATTERN]
            out.append(copied)
            marks.append(mark)
    out.mark, out.marks = entries.mark, marks
    return out


def _copies(entry: Map, complain: Complain) -> Iterator[dict[str, str]]:
    """The words of each copy; of a wrong pattern none."""
    pattern, mark = entry[PATTERN], entry.marks[PATTERN]
    expected = "one of circular: COUNT, mirrored: [left, right], listed: [{…}, …]"
    if not isinstance(pattern, Map):
        complain(mark, pattern, "not a pattern", expected)
        return
    named = [kind for kind in KINDS if kind in pattern]
    if len(named) != 1:
        complain(mark, pattern, f"{' and '.join(named) or 'none'} in one pattern", expected)
        return
    kind, known = named[0], [named[0], *(["start"] if named[0] == "circular" else [])]
    for key, value in pattern.items():
        if key not in known:
            fault = unknown_key(key, value, known)
            complain(pattern.marks[key], value, fault.message, fault.expected)
    value, place = pattern[kind], pattern.marks[kind]
    if kind == "circular":
        yield from _circular(pattern, complain)
    elif kind == "mirrored":
        labels = value if isinstance(value, list) else []
        if len(labels) != 2 or not all(isinstance(x, str) and _NAME.fullmatch(x) for x in labels):
            complain(place, value, "not two names", "[left, right], say")
            return
        yield from ({"i": str(i), "side": side, "label": labels[i]} for i, side in enumerate(("1", "-1")))
    else:
        yield from _listed(value, place, complain)


def _circular(pattern: Map, complain: Complain) -> Iterator[dict[str, str]]:
    count, start = pattern["circular"], pattern.get("start")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_COPIES:
        complain(pattern.marks["circular"], count, "not a number of copies", f"a whole number from 1 to {MOST_COPIES}")
        return
    if start is not None and not isinstance(start, str):
        complain(pattern.marks["start"], start, "not an angle with a unit", "start: 10 deg, or an expression")
        return
    for i in range(count):
        turn = f"{360 * i // count} deg" if 360 * i % count == 0 else f"{i}*360 deg/{count}"
        yield {"i": str(i), "angle": turn if start is None else f"{start} + {turn}"}


def _listed(rows: Any, mark: Mark, complain: Complain) -> Iterator[dict[str, str]]:
    keys = list(rows[0]) if isinstance(rows, Seq) and rows and isinstance(rows[0], Map) else []
    if not keys or not isinstance(rows, Seq) or len(rows) > MOST_COPIES:
        complain(mark, rows, "not a list of mappings", f"[{{r: 3 mm}}, {{r: 5 mm}}], at most {MOST_COPIES}")
        return
    for i, row in enumerate(rows):
        if not isinstance(row, Map) or list(row) != keys:
            complain(rows.marks[i], row, "other words than the first", f"a mapping with {', '.join(keys)}")
            return
        for key, value in row.items():
            good = isinstance(value, str | int | float) and not isinstance(value, bool)
            if not good or not _NAME.fullmatch(key) or key == "i":
                complain(row.marks[key], value, f"not a word <{key}>", "a name (not i) and a number or a text")
                return
        yield {"i": str(i), **{key: value if isinstance(value, str) else repr(value) for key, value in row.items()}}


def _size(data: Any) -> int:
    inside = data.values() if isinstance(data, Map) else data if isinstance(data, Seq) else ()
    return 1 + sum(map(_size, inside))


def _replaced(data: Any, mark: Mark, words: dict[str, str], complain: Complain) -> Any:
    """A copy of raw data with the words in their place, and the marks of what was written."""
    if isinstance(data, Map):
        out = Map()
        out.mark, out.marks = data.mark, {}
        for key, value in data.items():
            own = data.marks[key]
            name = key if key in NOT_REPLACED else _text(key, own, words, complain)
            if str(name) in out:
                told = f"a key that becomes {str(name)!r} in a copy, which is written there already"
                complain(own, key, told, "keys that differ in every copy")
            out[str(name)] = value if key in NOT_REPLACED else _replaced(value, own, words, complain)
            out.marks[str(name)] = own
        return out
    if isinstance(data, Seq):
        both = Seq(_replaced(value, own, words, complain) for value, own in zip(data, data.marks, strict=True))
        both.mark, both.marks = data.mark, data.marks
        return both
    return _text(data, mark, words, complain) if isinstance(data, str) else data


def _text(text: str, mark: Mark, words: dict[str, str], complain: Complain) -> Any:
    """A text with words in it; one that is a word alone becomes what it stands for, a number too."""
    for word in _WORD.findall(text):
        if word not in words:
            complain(mark, text, f"no word <{word}> in this pattern", nearest(word, list(words)))
            return text
    whole = _WORD.fullmatch(text.strip())
    if whole:
        value = words[whole[1]]
        try:
            return int(value) if re.fullmatch(r"-?[0-9]+", value) else float(value)
        except ValueError:
            return value
    return _WORD.sub(lambda found: _bracketed(words[found[1]]), text)


def _bracketed(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else f"({value})"
