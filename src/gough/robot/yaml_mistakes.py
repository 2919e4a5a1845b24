"""Texts that are not YAML: what people meant, in their words, with the line that is to be mended."""

import re
from typing import Any

from gough.robot.errors import ABSENT, Problem

MOST_QUOTED = 60
INDENTATION = "check the indentation"
REMEDIES = {
    "mapping values are not allowed": "keys of a mapping in one column, a space after each colon, quotes around a text with ': '",
    "did not find expected": "keys of one mapping in one column, dashes of one list in one column",
    "document start": "the first key in the same column as the others",
    "block end": "keys of one mapping in one column, dashes of one list in one column",
    "sequence entries are not allowed": "dashes of a list on lines of their own, in one column",
    "simple key": "a colon and a space after each key",
}


def explained(error: Any, text: str, file: str) -> Problem:
    """A MarkedYAMLError of ruamel as a problem: tabs, indentation and open brackets by their names."""
    at = error.problem_mark or error.context_mark
    said = " ".join(str(error.problem or error.context or "").split())
    lines = text.splitlines()
    number = None if at is None else min(at.line + 1, max(len(lines), 1))
    if number is None:
        return Problem(file, None, "", ABSENT, f"not YAML: {said}", "YAML 1.2")
    line = lines[number - 1] if lines else ""
    tab = _tab(lines, number)
    if tab is not None:
        return Problem(file, tab, "", ABSENT, "a tab in the indentation, where YAML has spaces", "spaces")
    started = error.context_mark
    if started is not None and "flow" in str(error.context) and started.line < len(lines):
        bracket = lines[started.line][started.column : started.column + 1]
        message = f"not YAML: {bracket!r} of line {started.line + 1} is not closed here, or a comma is missing: {said}"
        return Problem(file, number, "", ABSENT, message, "brackets in pairs, commas between entries")
    if started is not None and "quoted" in str(error.context):
        message = f"not YAML: a quote of line {started.line + 1} is not closed: {said}"
        return Problem(file, started.line + 1, "", ABSENT, message, "quotes in pairs")
    remedy = next((remedy for words, remedy in REMEDIES.items() if words in said), None)
    if remedy is None:
        return Problem(file, number, "", ABSENT, f"not YAML: {said}", "YAML 1.2")
    before = _before(lines, number)
    beside = f" and of the line before, {before[0]}: {before[1]!r}" if before else ""
    message = f"not YAML: {said}; {INDENTATION} of this line, {_cut(line)!r},{beside}"
    return Problem(file, number, "", ABSENT, message.rstrip(","), remedy)


def _tab(lines: list[str], number: int) -> int | None:
    """The line with a tab in its indentation, this one or the one before it."""
    for k in (number, number - 1):
        if 1 <= k <= len(lines) and re.match(r" *\t", lines[k - 1]):
            return k
    return None


def _before(lines: list[str], number: int) -> tuple[int, str] | None:
    """The last line above that says something."""
    for k in range(number - 1, max(number - 1000, 0), -1):
        if lines[k - 1].strip() and not lines[k - 1].lstrip().startswith("#"):
            return k, _cut(lines[k - 1])
    return None


def _cut(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= MOST_QUOTED else line[: MOST_QUOTED - 3] + "..."
