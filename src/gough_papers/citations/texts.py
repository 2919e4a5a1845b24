"""Texts of a source file, in which citations stand: docstrings, other strings, comments; lines of a gallery file."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 260
"""Characters of a sentence; longer ones are derivations."""


@dataclass(frozen=True)
class Text:
    """A piece of text; `lines[k]` is what stands in line `first + k` of the file, without quotes and comment signs."""

    first: int
    lines: tuple[str, ...]


def python_texts(source: str) -> Iterator[Text]:
    """Strings and comments of a Python file; comments alone on consecutive lines are one text."""
    block: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip()
            if block and (not alone or token.start[0] != block[-1][0] + 1):
                yield _block(block)
                block = []
            block.append((token.start[0], token.string.lstrip("#").strip()))
            if not alone:
                yield _block(block)
                block = []
    if block:
        yield _block(block)
    for first, string in _strings(source):
        inner = re.sub(r"^[A-Za-z]*('''|\"\"\"|'|\")|('''|\"\"\"|'|\")$", "", string)
        yield Text(first, tuple(inner.split("\n")))


def _strings(source: str) -> Iterator[tuple[int, str]]:
    """(line, literal) of every string; f-strings whole, which Python tokenises in parts from 3.12 on."""
    begin, end = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)
    lines = source.splitlines(keepends=True)
    depth, start = 0, (1, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == begin:
            start = token.start if depth == 0 else start
            depth += 1
        elif token.type == end:
            depth -= 1
            if depth == 0:
                yield start[0], _slice(lines, start, token.end)
        elif token.type == tokenize.STRING and depth == 0:
            yield token.start[0], token.string


def _slice(lines: list[str], start: tuple[int, int], stop: tuple[int, int]) -> str:
    if start[0] == stop[0]:
        return lines[start[0] - 1][start[1] : stop[1]]
    middle = lines[start[0] : stop[0] - 1]
    return "".join([lines[start[0] - 1][start[1] :], *middle, lines[stop[0] - 1][: stop[1]]])


def _block(block: list[tuple[int, str]]) -> Text:
    return Text(block[0][0], tuple(line for _, line in block))


def yaml_texts(source: str) -> Iterator[Text]:
    """Lines of a gallery file, each by itself."""
    for number, line in enumerate(source.splitlines(), 1):
        bare = re.sub(r"^[-#\s]*(?:\w+:\s+)?[\"']?|[\"'}\s]*$", "", line)
        yield Text(number, (bare,))


def owners(source: str) -> list[tuple[int, int, str]]:
    """(first line, last line, name) of every function and class, outer ones first; names are dotted."""
    found: list[tuple[int, int, str]] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                first = min([child.lineno, *[d.lineno for d in child.decorator_list]])
                found.append((first, child.end_lineno or child.lineno, name))
                visit(child, f"{name}.")
            else:
                visit(child, prefix)

    visit(ast.parse(source), "")
    return found


def owner(line: int, found: list[tuple[int, int, str]]) -> str:
    """The innermost function or class around a line; empty at the head of a file."""
    around = [name for first, last, name in found if first <= line <= last]
    return around[-1] if around else ""


def sentence(text: Text, start: tuple[int, int], stop: tuple[int, int]) -> str:
    """The sentence of a text around a citation at (index of line, column) to the same of its end.

    A paragraph ends at an empty line; headings of a derivation ("Sources   …") count as the start of a sentence.
    """
    top, bottom = start[0], stop[0]
    while top > 0 and text.lines[top - 1].strip() and not _heading(text.lines[top]):
        top -= 1
    while bottom + 1 < len(text.lines) and text.lines[bottom + 1].strip() and not _heading(text.lines[bottom + 1]):
        bottom += 1
    before = _joined([*text.lines[top : start[0]], text.lines[start[0]][: start[1]]])
    after = _joined([text.lines[stop[0]][stop[1] :], *text.lines[stop[0] + 1 : bottom + 1]])
    middle = _cited(text, start, stop)
    ends = [m.end() for m in re.finditer(r"(?<=[^\s.][^\s.][.;:!?])\s+(?=[\[A-Z(\"'])", before)]
    head = before[ends[-1] :] if ends else before
    tail = re.match(r".*?[^\s.][^\s.][.;!?](?=\s+[A-Z\[]|\s*$)|.*", after)
    gap = "" if text.lines[start[0]][: start[1]].strip() else " "  # a citation at the start of a line
    whole = " ".join(f"{head}{gap}{middle}{tail[0] if tail else after}".split()).strip(" ;,")
    if len(whole) > LONGEST:  # a derivation: the line says enough
        whole = " ".join(" ".join(text.lines[start[0] : stop[0] + 1]).split())
    return whole


def _joined(lines: list[str]) -> str:
    return " ".join(
        line.strip() if k and k < len(lines) - 1 else line.lstrip() if k else line for k, line in enumerate(lines)
    ).replace("\\n", " ")


def _cited(text: Text, start: tuple[int, int], stop: tuple[int, int]) -> str:
    if start[0] == stop[0]:
        return text.lines[start[0]][start[1] : stop[1]]
    parts = [text.lines[start[0]][start[1] :], *text.lines[start[0] + 1 : stop[0]], text.lines[stop[0]][: stop[1]]]
    return " ".join(part.strip() for part in parts)


def _heading(line: str) -> bool:
    return re.match(r"[A-Z][a-z]+(?: [a-z]+)?\s{2,}\S", line) is not None
