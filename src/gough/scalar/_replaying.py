"""Varied numbers computed again, for other values of their variables and on any scalar."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gough.scalar._elementary import abs_, atan2, cos, select, sin, sqrt
from gough.scalar._varied import FormulaNode, ordered_nodes, value_by

OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "abs": abs_,
    "sin": sin,
    "cos": cos,
    "sqrt": sqrt,
    "atan2": atan2,
    "select": select,
}


def replay(nodes: Sequence[FormulaNode], values: Mapping[str, Any]) -> list[Any]:
    """The values of nodes, {variable: scalar} given."""
    known: dict[int, Any] = {}
    for node in ordered_nodes(nodes):
        if node.op == "variable":
            known[id(node)] = values[node.args[0]]
        else:
            known[id(node)] = OPERATIONS[node.op](*value_by(node, known))
    return [known[id(node)] for node in nodes]
