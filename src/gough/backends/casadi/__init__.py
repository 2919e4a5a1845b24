"""A program as a `casadi.Function` of SX scalars, for optimal control and design with CasADi's solvers.

Blocks are written out in the program's own elimination order, so the function has no branches and CasADi differentiates
it as any other. A fixed order cannot pivot: where a pivot comes near zero (a singularity, or far from the states the
order was made for) the numbers lose digits. The checks, which flag such states elsewhere, become an extra output on
request: one margin each, negative where the check fails.
"""

import re
from collections.abc import Sequence
from typing import Any

from gough.backends.backend import Backend
from gough.errors import UsageError
from gough.program.ops import Op
from gough.program.passes.expand_blocks import expand_blocks
from gough.program.passes.outputs import drop_checks
from gough.program.program import Program, Slot

CHECKS = "checks"
"""Name of the extra output: margins (k, 1), value - minimum of every check."""


def to_casadi(program: Program, checks: bool = False) -> Any:
    """`casadi.Function` with the program's slots as inputs and outputs, by name.

    Shapes: (n,) is a column n x 1, (r, c) a matrix, () a 1 x 1; of more axes all but the last are joined.
    """
    ca = _casadi()
    program = expand_blocks(program, checks=True) if checks else expand_blocks(drop_checks(program), checks=False)
    scalars: list[Any] = []
    arguments = []
    for slot in program.inputs:
        symbol = ca.SX.sym(slot.name, slot.size)
        scalars += ca.vertsplit(symbol)
        arguments.append(_shaped(ca, ca.vertsplit(symbol), slot))
    nodes = _nodes(ca, program, scalars)
    results, k = [], 0
    for slot in program.outputs:
        results.append(_shaped(ca, [nodes[i] for i in program.results[k : k + slot.size]], slot))
        k += slot.size
    names = [slot.name for slot in program.outputs]
    if checks:
        margins = [nodes[c.node] - c.minimum for c in program.checks]
        results.append(_shaped(ca, margins, Slot(CHECKS, (len(margins),))))
        names.append(CHECKS)
    return ca.Function(_identifier(program.name), arguments, results, [s.name for s in program.inputs], names)


def _casadi() -> Any:
    try:
        import casadi
    except ImportError:
        raise UsageError('to_casadi needs CasADi: install it with  pip install "gough[casadi]"') from None
    return casadi


def _nodes(ca: Any, program: Program, scalars: Sequence[Any]) -> list[Any]:
    rules = {
        Op.ADD: lambda a, b: a + b,
        Op.SUB: lambda a, b: a - b,
        Op.MUL: lambda a, b: a * b,
        Op.DIV: lambda a, b: a / b,
        Op.NEG: lambda a: -a,
        Op.SQRT: ca.sqrt,
        Op.SIN: ca.sin,
        Op.COS: ca.cos,
        Op.ATAN2: ca.atan2,
        Op.ABS: ca.fabs,
        Op.SIGN: ca.sign,
        Op.ROUND: lambda a: ca.floor(a + 0.5),
        Op.SELECT: lambda c, a, b: ca.if_else(c > 0, a, b),
    }
    nodes: list[Any] = []
    for op, args in zip(program.ops, program.args, strict=True):
        if op == Op.INPUT:
            nodes.append(scalars[args[0]])
        elif op == Op.CONST:
            nodes.append(ca.SX(args[0]))
        else:
            rule = rules.get(Op(op))
            if rule is None:
                raise ValueError(f"{Op(op).name} is an operation of machines: give CasADi the program before lowering")
            nodes.append(rule(*[nodes[k] for k in args]))
    return nodes


def _shaped(ca: Any, entries: Sequence[Any], slot: Slot) -> Any:
    """Entries in row-major order as a matrix."""
    columns = slot.shape[-1] if len(slot.shape) > 1 else 1
    rows = slot.shape[0] if slot.shape else 1
    if not entries:
        return ca.SX(rows, columns)
    return ca.reshape(ca.vertcat(*entries), columns, rows).T


def _identifier(name: str) -> str:
    """A name CasADi accepts: letters, digits and single underscores, a letter first, no trailing underscore."""
    plain = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_")
    return plain if plain[:1].isalpha() else f"f_{plain}"


class CasadiBackend(Backend):
    """compile: see `to_casadi`."""

    name = "casadi"

    def compile(self, program: Program, **options: Any) -> Any:
        """A `casadi.Function` of SX; checks: one more output, margins of the checks."""
        return to_casadi(program, **options)


BACKEND = CasadiBackend()
