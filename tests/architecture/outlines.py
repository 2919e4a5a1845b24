"""What tests of the house read of every file of src, which is parsed once for all of them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SRC = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Outline:
    """members: functions and classes of a file, inner: classes inside of these, functions with their docstring alone (trees
    that are kept whole make the garbage collector dear); imports: late ones too."""

    members: list[ast.stmt]
    inner: list[ast.ClassDef]
    imports: list[ast.Import | ast.ImportFrom]


@cache
def outlines() -> dict[Path, Outline]:
    """Of all files."""
    return {path: outline(ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(SRC.rglob("*.py"))}


def outline(tree: ast.Module) -> Outline:
    """Of one file, whose tree is cut."""
    found = list(statements(tree))
    members: list[ast.stmt] = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    inner = [node for node in found if isinstance(node, ast.ClassDef) and node not in members]
    for node in found:
        if isinstance(node, ast.FunctionDef):
            node.body = node.body[:1]
    return Outline(members, inner, [node for node in found if isinstance(node, (ast.Import, ast.ImportFrom))])


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """At any depth, without their expressions, which are nine tenths of a tree."""
    for block in ("body", "handlers", "cases", "orelse", "finalbody"):
        for node in getattr(tree, block, ()):
            if isinstance(node, ast.stmt):
                yield node
            yield from statements(node)
