"""Contract products that are used once into the sum that uses them (multiply-add, one rounding)."""

from dataclasses import replace

from gough.program.ops import Op
from gough.program.passes.dead_code import remove_dead_code
from gough.program.program import Program


def contract_multiply_add(program: Program) -> Program:
    """The same program with a·b + c, a·b - c and c - a·b as single operations where the product has no other use."""
    uses = [0] * len(program.ops)
    for i in range(len(program.ops)):
        for k in program.operands(i):
            uses[k] += 1
    for i in (*program.results, *(c.node for c in program.checks)):
        uses[i] += 1
    ops, args = list(program.ops), list(program.args)
    depth = [0] * len(ops)
    for i in range(len(ops)):
        depth[i] = 1 + max((depth[k] for k in program.operands(i)), default=0)
        if ops[i] not in (Op.ADD, Op.SUB):
            continue
        a, b = args[i]
        free = [k for k in (a, b) if ops[k] == Op.MUL and uses[k] == 1 and a != b]
        if not free:
            continue
        product = max(free, key=lambda k: depth[k])
        other = b if product == a else a
        if ops[i] == Op.ADD:
            kind = Op.FMA
        else:
            kind = Op.FMS if product == a else Op.FNMA
        ops[i], args[i] = kind, (*args[product], other)
    return remove_dead_code(replace(program, ops=ops, args=args))
