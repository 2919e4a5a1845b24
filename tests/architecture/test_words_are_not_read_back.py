"""Places of failures and ends of runs are words for people: code asks for `failure.site`, `run.info.ending` and `event.kind`."""

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src"
WORDS = {"place", "stopped", "why"}
"""Attributes that hold a sentence, or the name of something of the robot."""
SEARCHES = {
    "startswith", "endswith", "find", "index", "partition", "rpartition", "split", "rsplit", "removeprefix", "removesuffix",
}  # fmt: skip
BORDER = {"gough/errors.py", "gough/simulation/events.py"}
"""Where texts of users and of files become data."""


def searches(tree: ast.AST) -> list[int]:
    """Lines in which words are searched, or compared with a literal."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in SEARCHES and _is_words(node.func.value):
                found.append(node.lineno)
            if node.func.attr == "parse" and isinstance(node.func.value, ast.Name) and node.func.value.id == "Failure":
                found.append(node.lineno)
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            literal = any(isinstance(x, ast.Constant) and isinstance(x.value, str) and x.value for x in sides)
            if literal and any(map(_is_words, sides)):
                found.append(node.lineno)
    return found


def _is_words(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return _is_words(node.value)
    return isinstance(node, ast.Attribute) and node.attr in WORDS


def test_no_code_reads_words_back():
    files = [p for p in sorted(SOURCES.rglob("*.py")) if p.relative_to(SOURCES).as_posix() not in BORDER]
    texts = {path: path.read_text("utf-8") for path in files}
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for path, text in texts.items()
        if any(f".{word}" in text for word in (*WORDS, "parse"))
        for line in searches(ast.parse(text))
    ]
    assert not found, found


@pytest.mark.parametrize(
    "text",
    [
        'failure.place.startswith("spring ")',
        '", turned by " in failure.place',
        'failure.place[:3] == "New"',
        'run.stopped.split(" at t")[0]',
        'Failure.parse("singular:drives")',
    ],
)
def test_it_is_seen(text):
    assert searches(ast.parse(text))
