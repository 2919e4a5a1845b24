"""Equations are written in the vocabulary of gough.scalar, so that they run on every scalar.

On traced, mpmath and CasADi scalars the functions below fail, or give a wrong program without a word.
Free to use them is a function of numbers: one that passes each of its arguments through np.asarray(x, dtype=float),
which refuses every other scalar. So are whole files of batches of numbers.
"""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src" / "gough"
OF_NUMBERS = {SRC / "spatial" / name for name in ("charts.py", "euler.py", "poses.py")}
FILES = sorted(
    path
    for package in ("dynamics", "spatial", "joints")
    for path in (SRC / package).rglob("*.py")
    if path not in OF_NUMBERS
)

ALLOWED = {"math.pi", "math.inf"}
BANNED_MODULES = ("math", "cmath", "numpy.linalg", "scipy")
BANNED = {
    f"numpy.{name}"
    for name in (
        "abs absolute fabs sign where select piecewise maximum minimum clip hypot sqrt cbrt power exp log "
        "sin cos tan arcsin arccos arctan arctan2 asin acos atan atan2 sinc"
    ).split()
}


def is_banned(name: str) -> bool:
    if name in ALLOWED:
        return False
    return name in BANNED or any(name == module or name.startswith(module + ".") for module in BANNED_MODULES)


def dotted(node: ast.AST, names: dict[str, str]) -> str | None:
    """The full name an expression stands for: `la.norm` after `import numpy.linalg as la` is numpy.linalg.norm."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value, names)):
        return f"{owner}.{node.attr}"
    return None


def is_of_numbers(function: ast.AST, names: dict[str, str]) -> bool:
    """Whether each argument goes through np.asarray(argument, dtype=float)."""
    if not isinstance(function, ast.FunctionDef):
        return False
    arguments = {a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    converted = {
        node.args[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and dotted(node.func, names) == "numpy.asarray"
        and [ast.unparse(k) for k in node.keywords] == ["dtype=float"]
        and isinstance(node.args[0], ast.Name)
    }
    return bool(arguments) and arguments <= converted


def strangers(source: str) -> list[tuple[int, str]]:
    """(line, full name) of every use of a banned function."""
    tree = ast.parse(source)
    names: dict[str, str] = {}
    found: set[tuple[int, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                names[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                names[alias.asname or alias.name] = full
                if is_banned(full):
                    found.add((node.lineno, full))
    free = {id(node) for function in ast.walk(tree) if is_of_numbers(function, names) for node in ast.walk(function)}
    for node in ast.walk(tree):
        if id(node) in free:
            continue
        if isinstance(node, ast.Attribute) and (name := dotted(node, names)) and is_banned(name):
            found.add((node.lineno, name))
    # np.linalg.norm contains np.linalg: keep the longest name of a line.
    return sorted((n, name) for n, name in found if not any(m == n and x.startswith(name + ".") for m, x in found))


def test_equations_use_the_scalar_vocabulary():
    uses = [(path, *use) for path in FILES for use in strangers(path.read_text(encoding="utf-8"))]
    assert not uses, "".join(
        f"\n{path.relative_to(SRC.parent)}:{line}: {name} does not work on every scalar; use gough.scalar "
        "(sin cos sqrt atan2 abs sign select dot norm solve solve_spd), "
        "or convert every argument by np.asarray(x, dtype=float)"
        for path, line, name in uses
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import numpy as np\ny = np.linalg.norm(x)", [(2, "numpy.linalg.norm")]),
        ("import numpy as np\ny = np.where(x > 0, 1, 0)", [(2, "numpy.where")]),
        ("import numpy\ny = numpy.sin(x)", [(2, "numpy.sin")]),
        ("from numpy import hypot as h", [(1, "numpy.hypot")]),
        ("from numpy import linalg", [(1, "numpy.linalg")]),
        ("import numpy.linalg as la\ny = la.solve(A, b)", [(2, "numpy.linalg.solve")]),
        ("def f(x):\n    import math\n    return math.sqrt(x)", [(3, "math.sqrt")]),
        ("import numpy as np\ndef f(x):\n    x = np.asarray(x, dtype=float)\n    return np.sqrt(x)", []),
        ("import numpy as np\ndef f(x):\n    x = np.asarray(x)\n    return np.sqrt(x)", [(4, "numpy.sqrt")]),
        ("import math\ny = 2 * math.pi", []),
        ("import numpy as np\nfrom gough.scalar import sin\ny = np.array([sin(x), 0.0])", []),
    ],
)
def test_the_rule_itself(source, expected):
    assert strangers(source) == expected
