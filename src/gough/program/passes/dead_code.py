"""Remove nodes that no result and no check needs, from the end [Briot 2014, §4.4]; inputs keep their positions."""

from dataclasses import replace

from gough.program.ops import Op
from gough.program.program import NodeCheck, Program


def remove_dead_code(program: Program) -> Program:
    """The same program without dead nodes."""
    ops, args = program.ops, program.args
    live = bytearray(len(ops))
    for i in program.results:
        live[i] = 1
    for check in program.checks:
        live[check.node] = 1
    block = Op.BLOCK
    for i in range(len(ops) - 1, -1, -1):
        if live[i] and ops[i] > Op.CONST:
            for k in args[i] if ops[i] < block else program.operands(i):
                live[k] = 1
    new = [-1] * len(ops)
    new_ops, new_args, new_notes = [], [], []
    for i, op in enumerate(ops):
        if not live[i]:
            continue
        new[i] = len(new_ops)
        new_ops.append(op)
        if op <= Op.CONST:
            new_args.append(args[i])
        elif op == block:
            new_args.append((args[i][0], *(new[k] for k in args[i][1:])))
        elif op == Op.ITEM:
            new_args.append((new[args[i][0]], args[i][1]))
        else:
            new_args.append(tuple([new[k] for k in args[i]]))
        if program.notes:
            new_notes.append(program.notes[i])
    return replace(
        program,
        ops=new_ops,
        args=new_args,
        notes=new_notes,
        results=tuple(new[i] for i in program.results),
        checks=tuple(NodeCheck(c.failure, new[c.node], c.minimum) for c in program.checks),
    )
