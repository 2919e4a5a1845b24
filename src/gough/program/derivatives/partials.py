"""Derivatives of single operations by their operands."""

from gough.program.graph import Graph
from gough.program.ops import Op


def partials(g: Graph, op: int, y: int, x: tuple[int, ...]) -> tuple[int, ...]:
    """∂y/∂x as nodes, one an operand, of y = op(x). A division is written a / b with ∂/∂a = 1/b, ∂/∂b = -y/b."""
    one = g.const(1.0)
    match Op(op):
        case Op.ADD:
            return one, one
        case Op.SUB:
            return one, g.const(-1.0)
        case Op.NEG:
            return (g.const(-1.0),)
        case Op.MUL:
            return x[1], x[0]
        case Op.DIV:
            share = g.div(one, x[1])
            return share, g.neg(g.mul(y, share))
        case Op.SQRT:
            return (g.div(g.const(0.5), y),)
        case Op.SIN:
            return (g.unary(Op.COS, x[0]),)
        case Op.COS:
            return (g.neg(g.unary(Op.SIN, x[0])),)
        case Op.ATAN2:
            share = g.div(one, g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1])))
            return g.mul(x[1], share), g.neg(g.mul(x[0], share))
        case Op.ABS:
            return (g.unary(Op.SIGN, x[0]),)
        case Op.SIGN:
            return (g.const(0.0),)
        case Op.SELECT:
            zero = g.const(0.0)
            return zero, g.select(x[0], one, zero), g.select(x[0], zero, one)
        case Op.FMA:
            return x[1], x[0], one
        case Op.FMS:
            return x[1], x[0], g.const(-1.0)
        case Op.FNMA:
            return g.neg(x[1]), g.neg(x[0]), one
    raise ValueError(f"no derivative rule for {Op(op).name}: differentiate before lowering")
