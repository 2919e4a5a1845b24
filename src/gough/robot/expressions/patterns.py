"""Entries of a list that stand for several: `pattern` says how many, and words in angle brackets differ from copy to copy.

    pattern: {circular: 6, start: 10 deg}             <i> 0 … 5, <angle> 10 deg, 70 deg, …
    pattern: {mirrored: [left, right]}                <i> 0, 1, <side> 1, -1, <label> left, right
    pattern: {circular: 3, start: 10 deg, mirrored: [left, right]}
                                                      <i> 0 … 5, <turn> 0 0 1 1 2 2, <angle> 10 deg, -10 deg, 130 deg, 110 deg, …
    pattern: {listed: [{r: 3 mm}, {r: 5 mm}]}         <i> 0, 1, <r> 3 mm, 5 mm

The words stand in any text of the entry, names too ("rod<i>", "radius*cos(<angle>)"). What is put there is a text itself, in
brackets where it is more than a word or a whole number; copies keep the marks of what was written. A leg's words do not reach
into its template, whose lists have patterns of their own. With `about: z` copies of a circular pattern turn by themselves
(`_turning`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from gough.robot.errors import ABSENT
from gough.robot.expressions._turning import AXES, CopyTurn, turned_pose
from gough.robot.item import nearest, unknown_key
from gough.robot.reader import MOST_NODES, Map, Mark, Seq

LISTS = ("legs", "bodies", "joints", "loops", "couplings", "springs")
"""Keys of a document whose entries may be patterns."""
PARTS = ("chain", "loops", "couplings")
"""Keys of a template, and of a leg of its own, whose entries may be patterns."""
PATTERN = "pattern"
KINDS = ("circular", "mirrored", "listed")
SHARED = {"legs": ("base", "on_platform"), "joints": ("pose",), "loops": ("first", "second"), "springs": ("from", "to")}
"""Where the entries of a list say a pose in what copies may share."""
MOST_COPIES = 1000
NOT_REPLACED = ("source", PATTERN)
_WORD = re.compile(r"<([A-Za-z_][A-Za-z0-9_]*)>")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_IN_DEGREES = re.compile(r"([-+]?[0-9]+(?:\.[0-9]+)?) *deg")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")

Complain = Callable[[Mark, Any, str, str], None]
"""Takes where it is written, what, what is wrong, what is expected."""


def expand_patterns(document: Map, format: int, complain: Complain) -> Map:
    """The document with all copies of its patterns in their place."""
    result = Map(document)
    result.mark, result.marks = document.mark, document.marks
    room = [MOST_NODES]
    for key in LISTS:
        if _has_patterns(document.get(key)):
            result[key] = _expanded(key, document[key], format, complain, room)
    legs, templates = result.get("legs"), result.get("templates")
    count = len(legs) if isinstance(legs, Seq) else 1
    if isinstance(legs, Seq):
        result["legs"] = _seq_like(legs, [_with_parts(leg, format, complain, room) for leg in legs])
    if isinstance(templates, Map):
        result["templates"] = own = Map(templates)
        own.mark, own.marks = templates.mark, templates.marks
        for name, template in templates.items():
            own[name] = _with_parts(template, format, complain, room, count)
    return result


def _with_parts(part: Any, format: int, complain: Complain, room: list[int], times: int = 1) -> Any:
    """A template or leg with the copies of patterns in its own lists; times: how often it may be taken."""
    if not isinstance(part, Map) or not any(_has_patterns(part.get(key)) for key in PARTS):
        return part
    out = Map(part)
    out.mark, out.marks = part.mark, part.marks
    for key in PARTS:
        if _has_patterns(part.get(key)):
            out[key] = _expanded(key, part[key], format, complain, room, times)
    return out


def _has_patterns(entries: Any) -> bool:
    return isinstance(entries, Seq) and any(isinstance(entry, Map) and PATTERN in entry for entry in entries)


def _seq_like(written: Seq, entries: list[Any]) -> Seq:
    out = Seq(entries)
    out.mark, out.marks = written.mark, written.marks
    return out


def has_lost_entries(document: Map, expanded: Map) -> bool:
    """Whether a wrong pattern left nothing in its place: what refers to its copies has nothing to refer to."""
    pairs = [(document, expanded, key) for key in LISTS]
    if isinstance(document.get("templates"), Map):
        both = ((x, expanded["templates"][name]) for name, x in document["templates"].items() if isinstance(x, Map))
        pairs += [(before, after, key) for before, after in both for key in PARTS]
    return any(isinstance(old.get(key), Seq) and len(new[key]) < len(old[key]) for old, new, key in pairs)


def _expanded(key: str, entries: Seq, format: int, complain: Complain, room: list[int], times: int = 1) -> Seq:
    out, marks = Seq(), []
    for entry, mark in zip(entries, entries.marks, strict=True):
        if not isinstance(entry, Map) or PATTERN not in entry:
            out.append(entry)
            marks.append(mark)
            continue
        if format < 2:
            told = f"a key of format 2, and this file is of format {format}"
            complain(entry.marks[PATTERN], entry[PATTERN], told, "`format: 2` at the top of the file")
        inner = next((part for part in PARTS if _has_patterns(entry.get(part))), None)
        if inner is not None:
            told = f"a pattern inside of a pattern: whose words are meant in {inner}?"
            complain(entry.marks[inner], ABSENT, told, f"{inner} in a template, which has patterns of its own")
            continue
        copies = list(_copies(entry, complain))
        room[0] -= len(copies) * _size(entry) * times
        if room[0] < 0:
            complain(entry.marks[PATTERN], entry[PATTERN], f"more than {MOST_NODES} entries in all", "fewer copies")
            break
        for words, turn in copies:
            copied = _replaced(entry, mark, words, complain)
            del copied[PATTERN]
            if turn is not None:
                _turn_copy(key, copied, entry, turn, complain)
            out.append(copied)
            marks.append(mark)
    out.mark, out.marks = entries.mark, marks
    return out


Copies = Iterator[tuple[dict[str, str], CopyTurn | None]]


def _copies(entry: Map, complain: Complain) -> Copies:
    """The words of each copy, and how it turns by itself; of a wrong pattern none."""
    pattern, mark = entry[PATTERN], entry.marks[PATTERN]
    expected = "one of circular: COUNT, mirrored: [left, right], listed: [{…}, …], or circular and mirrored"
    if not isinstance(pattern, Map):
        complain(mark, pattern, "not a pattern", expected)
        return
    named = [kind for kind in KINDS if kind in pattern]
    strange = next((key for key in pattern if key not in (*KINDS, "start", "about")), None)
    if not named and strange is not None:
        fault = unknown_key(strange, pattern[strange], list(KINDS))
        complain(pattern.marks[strange], pattern[strange], fault.message, expected)
        return
    if len(named) != 1 and named != ["circular", "mirrored"]:
        complain(mark, pattern, f"{' and '.join(named) or 'none'} in one pattern", expected)
        return
    known = [*named, *(["start", "about"] if "circular" in named else [])]
    for key, value in pattern.items():
        if key not in known:
            fault = unknown_key(key, value, known)
            complain(pattern.marks[key], value, fault.message, fault.expected)
    if named == ["listed"]:
        yield from ((words, None) for words in _listed(pattern["listed"], pattern.marks["listed"], complain))
        return
    labels = pattern.get("mirrored", [""])
    good = isinstance(labels, list) and all(isinstance(x, str) and _NAME.fullmatch(x) for x in labels)
    if "mirrored" in named and not (good and len(labels) == 2):
        complain(pattern.marks["mirrored"], labels, "not two names", "[left, right], say")
    elif "circular" in named:
        yield from _circular(pattern, labels, complain)
    else:
        for i, side in enumerate(("1", "-1")):
            yield {"i": str(i), "side": side, "label": labels[i]}, None


def _circular(pattern: Map, labels: list[str], complain: Complain) -> Copies:
    """labels: of the two sides of every place, or one that is empty."""
    count, start, about = pattern["circular"], pattern.get("start"), pattern.get("about")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_COPIES:
        complain(pattern.marks["circular"], count, "not a number of copies", f"a whole number from 1 to {MOST_COPIES}")
        return
    if start is not None and not isinstance(start, str):
        complain(pattern.marks["start"], start, "not an angle with a unit", "start: 10 deg, or an expression")
        return
    if "about" in pattern and about not in AXES:
        complain(pattern.marks["about"], about, "not an axis", f"one of {', '.join(AXES)}")
        return
    for i in range(count * len(labels)):
        place, side = divmod(i, len(labels))
        turn = f"{360 * place // count} deg" if 360 * place % count == 0 else f"{place}*360 deg/{count}"
        begin = start if not side or start is None else f"-({start})"
        angle = turn if begin is None else f"{begin} + {turn}"
        words = {"i": str(i), "angle": angle}
        if labels[0]:
            words |= {"turn": str(place), "side": "-1" if side else "1", "label": labels[side]}
        degrees = _degrees(start)
        exact = None if degrees is None else 360.0 * place / count + (-degrees if side else degrees)
        yield words, None if about is None else CopyTurn(about, angle if exact is None else exact, bool(side))


def _degrees(start: str | None) -> float | None:
    """Where a circle begins, in degrees; None where it is another expression."""
    found = _IN_DEGREES.fullmatch(start.strip()) if start is not None else None
    return 0.0 if start is None else float(found[1]) if found else None


def _turn_copy(key: str, copied: Map, entry: Map, turn: CopyTurn, complain: Complain) -> None:
    """Turn the poses of a copy that stand on what all copies share."""
    places = list(_shared_poses(key, copied, entry))
    for owner, place in places:
        mark, written = owner.marks.get(place, entry.marks[PATTERN]), owner.get(place)
        if place == "position":
            owner[place] = _point(written, turn) if isinstance(written, Seq) else written
            continue
        if key == "joints" and owner.get("mdh") is not None:
            complain(owner.marks["mdh"], owner["mdh"], "mdh in a pattern that turns its copies", "a pose")
            continue
        pose, problem = turned_pose(written, turn, mark)
        if problem:
            complain(mark, written, *problem)
        elif pose is not None:
            owner[place] = pose
            owner.marks.setdefault(place, mark)
    if not places:
        message = f"about {turn.axis}: nothing here stands on what all copies share"
        expected = "legs, or joints, loops and springs on the world, the platform or another common body"
        complain(entry.marks[PATTERN], entry[PATTERN], message, expected)


def _shared_poses(key: str, copied: Map, entry: Map) -> Iterator[tuple[Map, str]]:
    """(mapping, key) of the poses and points that stand on the world, the platform, or a body without a word in its name."""
    for name in SHARED.get(key, ()):
        if key in ("legs", "joints"):
            if not _has_word(entry.get("parent")):
                yield copied, name
            continue
        end, before = copied.get(name), entry.get(name)
        common = isinstance(before, Map) and not _has_word(before.get("body"))
        if isinstance(end, Map) and common and (key == "loops" or "position" in end):
            yield end, "pose" if key == "loops" else "position"


def _point(position: Seq, turn: CopyTurn) -> Seq:
    if len(position) != 3:
        return position
    out = Seq(turn.position(position))
    out.mark, out.marks = position.mark, position.marks
    return out


def _has_word(text: Any) -> bool:
    return isinstance(text, str) and _WORD.search(text) is not None


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
    return _WORD.sub(lambda found: _bracketed(words[found[1]], text[: found.start()], text[found.end() :]), text)


def _bracketed(value: str, before: str, after: str) -> str:
    """A word's text in brackets, where it needs them: more than a name or a number, and not all that stands between brackets or
    commas."""
    alone = before.rstrip()[-1:] in ("", "(", ",") and after.lstrip()[:1] in ("", ")", ",")
    return value if alone or _PLAIN.fullmatch(value) else f"({value})"
