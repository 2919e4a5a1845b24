"""Descriptions changed at random: bytes, lines, numbers, words, keys, and parts that are moved elsewhere.

A mutant is made of the name of its base and a number, so that a failure can be made again by these two.
"""

import copy
import re
import zlib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML

from robot.documents import VALID, text
from robot.flexible import flexible_documents
from robot.forms import FORMS
from robot.mutated_words import NUMBERS, VALUES, WORDS

Rng = np.random.Generator
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
KEY = re.compile(r"(?<=[{,\s])([A-Za-z_]\w*)(?=: )")


def bases() -> dict[str, str]:
    """Every description that tests and gallery have, by name."""
    found = gallery("gough.robot")
    tests = Path(__file__).parent.parent
    found |= {path.name: path.read_text(encoding="utf-8") for path in sorted(tests.rglob("*.yaml"))}
    forms = {f"form {name}": form for name, form in FORMS.items()}
    forms |= {"form legs": VALID, "form flexible": flexible_documents.VALID}
    return dict(sorted((found | forms).items()))


def gallery(package: str) -> dict[str, str]:
    """The files that come with a package, by name."""
    folder = resources.files(package) / "gallery"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
    return {entry.name: entry.read_text(encoding="utf-8") for entry in found}


def mutant(base: str, original: str, number: int, gentle: bool = False) -> str:
    """One to three changes of a base; the same number gives the same text. gentle: mostly such that it still loads."""
    rng = np.random.default_rng([zlib.crc32(base.encode()), number])
    changed = original
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        choice = GENTLE if gentle else CHANGES
        changed = choice[rng.integers(len(choice))](changed, rng)
    return changed


def some_byte(was: str, rng: Rng) -> str:
    """A byte flipped, taken away or put in; a chunk taken away or twice."""
    data = bytearray(was.encode("utf-8", errors="replace"))
    if not data:
        return was
    at, size = int(rng.integers(len(data))), int(rng.integers(1, 40))
    match rng.integers(5):
        case 0:
            data[at] ^= 1 << int(rng.integers(8))
        case 1:
            del data[at]
        case 2:
            data.insert(at, int(rng.integers(256)))
        case 3:
            del data[at : at + size]
        case _:
            data[at:at] = data[at : at + size]
    return data.decode("utf-8", errors="replace")


def some_line(was: str, rng: Rng) -> str:
    """A line taken away, twice, moved, or indented otherwise."""
    lines = was.split("\n")
    i, j = (int(k) for k in rng.integers(len(lines), size=2))
    match rng.integers(5):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case 3:
            lines[i] = " " * int(rng.integers(1, 5)) + lines[i]
        case _:
            lines[i] = lines[i].removeprefix(" ") if rng.integers(2) else "\t" + lines[i]
    return "\n".join(lines)


def some_number(was: str, rng: Rng) -> str:
    """A number by another one, or by something that is none."""
    places = list(NUMBER.finditer(was))
    if not places:
        return was
    place = places[rng.integers(len(places))]
    return was[: place.start()] + NUMBERS[rng.integers(len(NUMBERS))] + was[place.end() :]


def scaled_number(was: str, rng: Rng) -> str:
    """A number many times larger or smaller, or of the other sign."""
    places = list(NUMBER.finditer(was))
    if not places:
        return was
    place = places[rng.integers(len(places))]
    new = repr(float(place[0]) * 10.0 ** float(rng.normal(scale=4)) * (-1) ** int(rng.integers(2)))
    return was[: place.start()] + new + was[place.end() :]


def other_number(was: str, rng: Rng) -> str:
    """A number by a small whole one, by zero, or by another one of the text."""
    places = list(NUMBER.finditer(was))
    if not places:
        return was
    place, other = (places[k] for k in rng.integers(len(places), size=2))
    new = other[0] if rng.integers(2) else "0 1 -1 2 0.5 1e-9 1e9 1e150 1e-150".split()[rng.integers(9)]
    return was[: place.start()] + new + was[place.end() :]


def some_word(was: str, rng: Rng) -> str:
    """A word by another one of the same text, or by one that other tools use."""
    places = list(re.finditer(r"[A-Za-z_]\w*", was))
    if not places:
        return was
    place, other = (places[k] for k in rng.integers(len(places), size=2))
    new = other[0] if rng.integers(2) else WORDS[rng.integers(len(WORDS))]
    if rng.integers(3) == 0:
        new = place[0][:-1] if rng.integers(2) else place[0] + place[0][-1]
    return was[: place.start()] + new + was[place.end() :]


def some_key(was: str, rng: Rng) -> str:
    """Two keys change places."""
    places = list(KEY.finditer(was))
    if len(places) < 2:
        return was
    first, second = sorted((places[k] for k in rng.choice(len(places), 2, replace=False)), key=lambda m: m.start())
    between = was[first.end() : second.start()]
    return was[: first.start()] + second[0] + between + first[0] + was[second.end() :]


def some_part(was: str, rng: Rng) -> str:
    """A part of the tree taken away, replaced, renamed, copied or moved to another place."""
    try:
        data = YAML(typ="safe", pure=True).load(was)
    except Exception:  # an earlier change has made it something else than YAML
        return was
    everywhere = [place for place in _places(data) if place]
    if not everywhere:
        return was
    place, other = (everywhere[k] for k in rng.integers(len(everywhere), size=2))
    holder, value = _at(data, place[:-1]), copy.deepcopy(_at(data, place))
    match rng.integers(5):
        case 0:
            del holder[place[-1]]
        case 1:
            holder[place[-1]] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
        case 2 if isinstance(holder, dict):
            holder[WORDS[rng.integers(len(WORDS))]] = holder.pop(place[-1])
        case 3 if isinstance(holder, list):
            holder.insert(int(rng.integers(len(holder) + 1)), value)
        case _:
            _at(data, other[:-1])[other[-1]] = value
    try:
        return text(data)
    except Exception:  # a tree that the writer of the tests cannot write
        return was


CHANGES: list[Callable[[str, Rng], str]] = [some_byte, some_line, some_number, some_number, some_word, some_key]
CHANGES += [some_part, some_part, scaled_number]
GENTLE: list[Callable[[str, Rng], str]] = [scaled_number, scaled_number, other_number, some_part]


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *[place for key, value in inner for place in _places(value, (*path, key))]]


def _at(data: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        data = data[step]
    return data
