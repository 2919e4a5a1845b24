"""Public names that load when first used.

A package lists them once, as imports that type checkers read and the interpreter skips:

    if TYPE_CHECKING:
        from gough.model import Model as Model
    else:
        __getattr__, __dir__, __all__ = lazy_names(__name__)
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """(__getattr__, __dir__, __all__) of a package, from the imports under its `if TYPE_CHECKING:`."""
    homes = _homes(package)

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        value = import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted({*vars(sys.modules[package]), *homes}), sorted(homes)


def _homes(package: str) -> dict[str, str]:
    """By public name: the module it is in; of a module, the package itself."""
    spec: Any = sys.modules[package].__spec__
    [listing] = [
        node
        for node in ast.parse(spec.loader.get_data(spec.origin)).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    imports = [node for node in listing.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}
