"""Functions of the user's that are formulas: they branch on no value, read nothing but numbers, arrays, modules of mathematics
and functions of that kind, and store nothing outside of themselves. Such a function is recorded once on traced scalars instead
of called again and again.
"""

import hashlib
import pickle
from collections.abc import Hashable
from dis import get_instructions
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from gough.program import Program

Vector = np.ndarray
MODULES = ("numpy", "math", "gough.scalar")
BUILTINS = ("abs", "len", "range", "zip", "enumerate", "sum", "tuple", "list", "reversed", "isinstance", "map")
STORES = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME", "YIELD_VALUE")


def foreign_to_formulas(function: Any) -> str:
    """What a function does that a formula does not, as far as its text tells; "" for nothing."""
    if not isinstance(function, FunctionType):
        return "it is an object, which may remember something"
    return _foreign(function, set())


def _foreign(function: FunctionType, seen: set[int]) -> str:
    """What a function reads or stores outside of itself that a formula does not; "" for nothing."""
    if id(function) in seen:
        return ""
    seen.add(id(function))
    code, names = function.__code__, set[str]()
    for one in _codes(code):
        free = set(code.co_freevars)
        for step in get_instructions(one):
            if step.opname in STORES or (step.opname == "STORE_DEREF" and step.argval in free):
                return "it stores something outside of itself"
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(step.argval)
            if step.argval == "random":
                return "it draws random numbers"
    cells = {name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)}
    known = function.__globals__
    values = cells | {name: known[name] for name in names if name in known}
    foreign = [name for name in names if name not in known and name not in BUILTINS]
    if foreign:
        return f"it calls {foreign[0]}"
    defaults = dict(enumerate(function.__defaults__ or ())) | (function.__kwdefaults__ or {})
    for name, value in (values | {str(k): x for k, x in defaults.items()}).items():
        if isinstance(value, FunctionType) and not _is_mathematics(value.__module__):
            why = _foreign(value, seen)
            if why:
                return why
        elif not _is_plain(value):
            return f"it reads {name}, which may be something else at every sample"
    return ""


def _codes(code: CodeType) -> list[CodeType]:
    inner = [x for x in code.co_consts if isinstance(x, CodeType)]
    return [code, *(more for x in inner for more in _codes(x))]


def _is_mathematics(module: str | None) -> bool:
    return any(module == known or str(module).startswith(f"{known}.") for known in MODULES)


def _is_plain(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return _is_mathematics(value.__name__)
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiub"
    if value is None or isinstance(value, bool | int | float | str | np.floating | np.integer):
        return True
    return callable(value) and _is_mathematics(getattr(value, "__module__", None))


def arrays_around(function: FunctionType) -> list[Vector]:
    """Arrays that it reads from around it."""
    around = [cell.cell_contents for cell in function.__closure__ or ()]
    around += [function.__globals__.get(name) for name in function.__code__.co_names]
    return [x for x in (*around, *(function.__defaults__ or ())) if isinstance(x, np.ndarray)]


def digest_of(program: Program) -> Hashable:
    """A number that two programs share only if they are the same."""
    try:
        text = pickle.dumps((program.inputs, program.ops, program.args, program.results, program.checks))
    except Exception:  # something in it that cannot be written: it is like no other
        return object()
    return hashlib.blake2b(text, digest_size=20).digest()
