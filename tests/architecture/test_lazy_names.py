"""Names that a package loads when first used are no names of its modules: importing the module would take the name's place."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import gough


@pytest.mark.parametrize("package", ["gough", "gough.fem"])
def test_lazy_names_and_modules_do_not_clash(package: str) -> None:
    found = importlib.import_module(package)
    modules = {m.name for m in pkgutil.iter_modules(found.__path__)}
    lazy = {name for name, place in found._LAZY.items() if not (isinstance(place, tuple) and place[1] is None)}
    assert not lazy & modules


@pytest.mark.parametrize(
    "statement", ["gough.vary", "gough.laws", "gough.motions", "gough.robots", "gough.robot", "gough.viewer"]
)
def test_named_modules_can_be_imported(statement: str) -> None:
    """In a fresh interpreter, before anything else has loaded them, and as the same object as the attribute."""
    code = f"import {statement}; from {statement} import *; import gough; print({statement}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == statement, done.stderr


def test_star_names_are_the_same_things() -> None:
    from gough.motions import circle
    from gough.vary import normal

    assert gough.motions.circle is circle and gough.vary.normal is normal
    assert gough.laws.ComputedTorque is importlib.import_module("gough.laws").ComputedTorque
