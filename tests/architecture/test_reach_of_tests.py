"""How far tests reach inside the library: these numbers may only fall, so that a redesign touches few tests.

A deep import is a statement `from gough.a.b import …`, or deeper; names that several tests need are in `tests/inner`.
A patch is a call of `setattr` of a monkeypatch, or of `mock.patch`; the limits that tests turn are in `reference/limits.py`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
DEEP_IMPORTS = 264
PATCHES = 41


def nodes() -> Iterator[ast.AST]:
    for path in TESTS.rglob("*.py"):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def is_deep_import(node: ast.AST) -> bool:
    module = node.module.split(".") if isinstance(node, ast.ImportFrom) and node.module else []
    return module[:1] == ["gough"] and len(module) > 2


def is_patch(node: ast.AST) -> bool:
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return called.endswith((".setattr", "mock.patch", "patch.object"))


def test_tests_reach_no_further_inside():
    found = list(nodes())
    deep, patches = sum(map(is_deep_import, found)), sum(map(is_patch, found))
    assert deep <= DEEP_IMPORTS, f"{deep} deep imports: ask a public name, or tests/inner"
    assert patches <= PATCHES, f"{patches} patches: show it by a public call, or add a limit to reference/limits.py"
