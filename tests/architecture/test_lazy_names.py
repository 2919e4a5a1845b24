"""Names that a package loads when first used are no names of its modules: importing the module would take the name's place."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import gough


@pytest.mark.parametrize("package", ["gough", "gough.fem"])
def test_lazy_names_and_modules_do_not_clash(package: str) -> None:
    found = importlib.import_module(package)
    modules = {m.name for m in pkgutil.iter_modules(found.__path__)}
    lazy = {name for name in found.__all__ if not inspect.ismodule(getattr(found, name))}
    assert not lazy & modules


@pytest.mark.quick_cases("gough.vary", "gough.robot")
@pytest.mark.parametrize(
    "statement",
    ["gough.vary", "gough.laws", "gough.motions", "gough.robots", "gough.robot", "gough.viewer", "gough.export"],
)
def test_named_modules_can_be_imported(statement: str) -> None:
    """In a fresh interpreter, before anything else has loaded them, and as the same object as the attribute."""
    code = f"import {statement}; from {statement} import *; import gough; print({statement}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == statement, done.stderr


@pytest.mark.parametrize("package", ["gough", "gough.fem"])
def test_public_names_stand_once_and_are_what_they_name(package: str) -> None:
    """The imports under TYPE_CHECKING are the list: each name as itself, none twice."""
    whole = importlib.import_module(package)
    [listing] = [node for node in ast.parse(inspect.getsource(whole)).body if isinstance(node, ast.If)]
    found = [
        (str(node.module), alias) for node in listing.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    names = [alias.name for _, alias in found]
    assert sorted(names) == whole.__all__ and len(set(names)) == len(names)
    for module, alias in found:
        home = importlib.import_module(module if module != package else f"{package}.{alias.name}")
        assert alias.asname == alias.name, "pyright takes `X as X` for public"
        assert getattr(whole, alias.name) is (home if module == package else getattr(home, alias.name))
    assert set(names) <= set(dir(whole))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        whole.nonsense  # noqa: B018


def test_the_types_are_there_for_who_uses_the_library() -> None:
    """`py.typed` beside the code: the wheel takes whole packages."""
    assert (Path(gough.__path__[0]) / "py.typed").is_file()


def test_a_named_module_loads_when_it_is_first_used() -> None:
    """`import gough` is enough to write gough.export.export_law(…), and loads nothing of it before."""
    code = "import sys, gough; a = 'gough.export' in sys.modules; print(a, gough.export.export_law.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "export_law"], done.stderr


def test_star_names_are_the_same_things() -> None:
    from gough.motions import circle
    from gough.vary import normal

    assert gough.motions.circle is circle and gough.vary.normal is normal
    assert gough.laws.ComputedTorque is importlib.import_module("gough.laws").ComputedTorque
