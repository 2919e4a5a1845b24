"""Numbers with slopes: complex ones whose imaginary part is STEP times the change per unit of a variable.

Sums, products, quotients and roots of complex numbers carry slopes by themselves, exact to rounding: products of two imaginary
parts, 1e-60 and less, vanish beside the real ones. Nothing is subtracted, so no step is too small.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.scalar._replaying import OPERATIONS
from gough.scalar._varied import FormulaNode, ordered_nodes, value_by

STEP = 1e-30
"""Imaginary part of a number whose slope is 1."""


def as_number(x: Any) -> Any:
    """A plain float, or a number with its slope."""
    return np.complex128(x) if isinstance(x, complex) else float(x)


def has_slopes(*arrays: Any) -> bool:
    """Whether one of them, also sparse, carries slopes."""
    return any(np.iscomplexobj(x) for x in arrays)


def real_part(x: Any) -> Any:
    """Numbers, arrays, sparse matrices without their slopes."""
    return x.real


def slope_part(x: Any) -> Any:
    """Their slopes times STEP."""
    return x.imag


def join_slopes(values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Values with slopes, which are times STEP already."""
    out = np.empty(values.shape, dtype=complex)
    out.real, out.imag = values, slopes
    return out


def formula_slopes(nodes: Sequence[FormulaNode], values: Mapping[str, float], variable: str) -> list[float]:
    """Change of formulas per unit of a variable, at values of all variables."""
    known: dict[int, tuple[float, float]] = {}
    for node in ordered_nodes(nodes):
        if node.op == "variable":
            known[id(node)] = float(values[node.args[0]]), float(node.args[0] == variable)
            continue
        pairs = [x if isinstance(x, tuple) else (float(x), 0.0) for x in value_by(node, known)]
        x, dx = (list(part) for part in zip(*pairs, strict=True))
        known[id(node)] = float(OPERATIONS[node.op](*x)), _slope(node.op, x, dx)
    return [known[id(node)][1] for node in nodes]


def _slope(op: str, x: list[float], dx: list[float]) -> float:
    """Of an operation on numbers (values, slopes); a root of 0 has none."""
    match op:
        case "add":
            return dx[0] + dx[1]
        case "sub":
            return dx[0] - dx[1]
        case "mul":
            return dx[0] * x[1] + x[0] * dx[1]
        case "div":
            return (dx[0] - x[0] / x[1] * dx[1]) / x[1]
        case "neg":
            return -dx[0]
        case "abs":
            return dx[0] * float(np.sign(x[0]))
        case "sin":
            return dx[0] * float(np.cos(x[0]))
        case "cos":
            return -dx[0] * float(np.sin(x[0]))
        case "sqrt":
            return 0.0 if dx[0] == 0.0 else float(np.divide(dx[0], 2.0 * np.sqrt(x[0])))
        case "atan2":
            return (dx[0] * x[1] - x[0] * dx[1]) / (x[0] ** 2 + x[1] ** 2)
        case "select":
            return dx[1] if x[0] > 0 else dx[2]
    raise ValueError(f"no slope of {op!r} is known")
