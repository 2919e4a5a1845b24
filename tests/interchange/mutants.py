"""Texts broken at random: bytes, numbers, words and whole lines exchanged, doubled, lost."""

from __future__ import annotations

import re

import numpy as np

NASTY = [
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-1e308",
    "1e-320",
    "0",
    "-1",
    "",
    "0x10",
    "1_0",
    "١",
    "9" * 400,
    "1,5",
    "--1",
    "\\0",
]
WORDS = ["world", "__model__", "x", "", "a::b::c", "../../etc", "true", "false", "🤖", "<", "&", '"', "None", "[" * 50]
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
WORD = re.compile(r"[A-Za-z_:]+")
VALUE = re.compile(r'(?<=")[^"<>=]+(?=")|(?<=>)[^<>"]+(?=<)|(?<= = )[^"\n]+')
"""What stands in quotes, between tags or after a sign of equality."""


def mutant(text: str, rng: np.random.Generator) -> str:
    """The text with one to four breaks."""
    for _ in range(int(rng.integers(1, 4))):
        text = _broken(text, rng)
    return text


def _broken(text: str, rng: np.random.Generator) -> str:
    if not text:
        return "x"
    way = int(rng.integers(8)) if rng.integers(8) else 8
    what = VALUE if rng.integers(6) else WORD
    at, end = sorted(int(x) for x in rng.integers(0, len(text) + 1, 2))
    if way == 8:
        return text[:at] + chr(int(rng.integers(1, 300))) + text[at + 1 :]
    if way in (1, 2):
        return _exchanged(text, NUMBER, NASTY, rng)
    if way == 3:
        return _exchanged(text, what, WORDS, rng)
    if way in (0, 4, 5):  # a word of the text itself in place of another
        words = what.findall(text)
        return _exchanged(text, what, [words[int(rng.integers(len(words)))]] if words else WORDS, rng)
    parts = re.split(r"(?<=>)(?=<)|\n", text) if "<" in text else text.split("\n")
    k, m = (int(x) for x in rng.integers(0, len(parts), 2))
    if way == 6:
        del parts[k : k + int(rng.integers(1, 4))]
    else:
        parts.insert(m, parts[k])
    return "\n".join(parts) if rng.integers(10) else text[:at] + text[min(end, at + 40) :]


def _exchanged(text: str, what: re.Pattern[str], choices: list[str], rng: np.random.Generator) -> str:
    found = list(what.finditer(text))
    if not found:
        return text
    spot = found[int(rng.integers(len(found)))]
    return text[: spot.start()] + choices[int(rng.integers(len(choices)))] + text[spot.end() :]
