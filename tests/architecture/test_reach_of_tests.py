"""How far tests reach inside the library: these numbers may only fall, so that a redesign touches few tests.

A deep import is a statement `from gough.a.b import …`, or deeper; names that several tests need are in `tests/inner`.
A patch is a call of `setattr` of a monkeypatch, or of `mock.patch`; the limits that tests turn are in `reference/limits.py`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
DEEP_IMPORTS = 264
PATCHES = 41


def nodes() -> Iterator[ast.AST]:
    """Of the files in whose text such an import or call can be."""
    for path in TESTS.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if re.search(r"from gough\.\w+\.|setattr|patch", text):
            yield from ast.walk(ast.parse(text))


def is_deep_import(node: ast.AST) -> bool:
    module = node.module.split(".") if isinstance(node, ast.ImportFrom) and node.module else []
    return module[:1] == ["gough"] and len(module) > 2


def is_patch(node: ast.AST) -> bool:
    called = ast.unparse(node.func) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return called.endswith((".setattr", "mock.patch", "patch.object"))


def test_tests_reach_no_further_inside():
    deep = patches = 0
    for node in nodes():
        deep, patches = deep + is_deep_import(node), patches + is_patch(node)
    assert deep <= DEEP_IMPORTS, f"{deep} deep imports: ask a public name, or tests/inner"
    assert patches <= PATCHES, f"{patches} patches: show it by a public call, or add a limit to reference/limits.py"
