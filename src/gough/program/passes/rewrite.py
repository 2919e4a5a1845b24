"""Replaying a program into a fresh graph, node by node; what most passes and derivatives are made of."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from gough.program.graph import Graph
from gough.program.ops import Block, Op
from gough.program.passes.outputs import remove_dead_code
from gough.program.program import NodeCheck, Program

BlockRule = Callable[[Graph, Block, tuple[int, ...]], Sequence[int]]


def copy_block(graph: Graph, block: Block, operands: tuple[int, ...]) -> Sequence[int]:
    """The rule that keeps a block as it is."""
    return graph.block(block, operands)


def replay(
    program: Program,
    graph: Graph,
    block_rule: BlockRule = copy_block,
    inputs: Mapping[int, int] | None = None,
    own: Collection[int] = (),
    rewrite: Callable[[int, list[int]], int] = lambda i, new: -1,
) -> list[int]:
    """Nodes in `graph` of all nodes of `program`. `inputs` maps input positions to nodes of the new graph; nodes in `own`
    (neither inputs nor blocks) become what `rewrite` makes of them and of the new nodes so far.

    Entries of BLOCK nodes are unused (-1); their results are found at their ITEMs.
    """
    ops, args = program.ops, program.args
    new = [-1] * len(ops)
    items: dict[int, Sequence[int]] = {}
    notes = program.notes
    for i, op in enumerate(ops):
        if notes:
            graph.note = notes[i]
        if op == Op.INPUT:
            position = args[i][0]
            new[i] = inputs[position] if inputs is not None and position in inputs else graph.raw(Op.INPUT, position)
        elif op == Op.CONST:
            new[i] = graph.const(args[i][0])
        elif op == Op.BLOCK:
            items[i] = block_rule(graph, args[i][0], tuple(new[k] for k in args[i][1:]))
        elif op == Op.ITEM:
            new[i] = items[args[i][0]][args[i][1]]
        elif i in own:
            new[i] = rewrite(i, new)
        else:
            new[i] = graph.build(op, tuple(new[k] for k in args[i]))
    graph.note = None
    return new


def finish(program: Program, graph: Graph, new: Sequence[int], **changes) -> Program:
    """The rewritten program: results and checks of `program` carried over, the checks of `graph` added."""
    checks = [NodeCheck(c.failure, new[c.node], c.minimum) for c in program.checks]
    checks += [NodeCheck(*c) for c in graph.checks]
    fields = {
        "ops": graph.ops,
        "args": graph.args,
        "notes": graph.notes,
        "results": tuple(new[i] for i in program.results),
        "checks": tuple(dict.fromkeys(checks)),
    }
    return remove_dead_code(replace(program, **{**fields, **changes}))


def rewrite_machine(program: Program, graph: Graph, rules: dict) -> Program:
    """Replace operations by rules; all others are copied without folding, so that a machine's tricks survive."""
    ops, args, notes = program.ops, program.args, program.notes
    new = [-1] * len(ops)
    for i, op in enumerate(ops):
        if notes:
            graph.note = notes[i]
        if op <= Op.CONST:
            new[i] = graph.raw(op, *args[i])
        elif op in rules:
            new[i] = rules[op](*(new[k] for k in args[i]))
        else:
            new[i] = graph.raw(op, *(new[k] for k in args[i]))
    graph.note = None
    return finish(program, graph, new)
