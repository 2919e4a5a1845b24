"""Names that a package loads when first used are no names of its modules: importing the module would take the name's place."""

import importlib
import pkgutil

import pytest


@pytest.mark.parametrize("package", ["gough", "gough.fem"])
def test_lazy_names_and_modules_do_not_clash(package: str) -> None:
    found = importlib.import_module(package)
    modules = {m.name for m in pkgutil.iter_modules(found.__path__)}
    lazy = {name for name, place in found._LAZY.items() if not (isinstance(place, tuple) and place[1] is None)}
    assert not lazy & modules
