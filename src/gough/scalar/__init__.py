"""The small vocabulary equations are written in; it works on floats, traced scalars, mpmath numbers and CasADi SX.

Array code (`R @ v`, `+ - * /`) comes from NumPy object arrays; what NumPy cannot do on them is here.
A traced scalar is any object with a `tracer` attribute (see `gough.program`); of gough this package imports only the errors.
"""

from gough.scalar._elementary import abs_, atan2, cos, round_, select, sign, sin, sqrt
from gough.scalar._linear import call, constant_matvec, dot, norm, product, solve, solve_constrained, solve_spd, zeros
from gough.scalar._replaying import replay
from gough.scalar._symbol import casadi_symbols, casadi_vector
from gough.scalar._varied import FormulaNode, VariedNumber, array_of, plain_number, variables_of
from gough.scalar.remarks import CheckError, check, note, recording_checks

__all__ = [
    "CheckError",
    "FormulaNode",
    "VariedNumber",
    "abs_",
    "array_of",
    "atan2",
    "call",
    "casadi_symbols",
    "casadi_vector",
    "check",
    "constant_matvec",
    "cos",
    "dot",
    "norm",
    "note",
    "plain_number",
    "product",
    "recording_checks",
    "replay",
    "round_",
    "select",
    "sign",
    "sin",
    "solve",
    "solve_constrained",
    "solve_spd",
    "sqrt",
    "variables_of",
    "zeros",
]
