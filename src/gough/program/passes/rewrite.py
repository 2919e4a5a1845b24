"""Replaying a program into a fresh graph, node by node; what most passes and derivatives are made of."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from gough.program.graph import ADD, BLOCK, CONST, INPUT, ITEM, MUL, SUB, Graph
from gough.program.ops import Block
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
    direct = {MUL: graph.mul, ADD: graph.add, SUB: graph.sub}
    for i, (op, operands) in enumerate(zip(ops, args, strict=True)):
        if notes:
            graph.note = notes[i]
        if op <= CONST:
            payload = operands[0]
            if op == CONST:
                new[i] = graph.const(payload)
            else:
                new[i] = inputs[payload] if inputs is not None and payload in inputs else graph.raw(INPUT, payload)
        elif op == ITEM:
            new[i] = items[operands[0]][operands[1]]
        elif op == BLOCK:
            items[i] = block_rule(graph, operands[0], tuple([new[k] for k in operands[1:]]))
        elif own and i in own:
            new[i] = rewrite(i, new)
        elif op in direct:
            a, b = operands
            new[i] = direct[op](new[a], new[b])
        else:
            new[i] = graph.build(op, tuple([new[k] for k in operands]))
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
    notes, raw = program.notes, graph.raw
    new = [-1] * len(program.ops)
    for i, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
        if notes:
            graph.note = notes[i]
        if op <= CONST:
            new[i] = raw(op, *args)
        elif op in rules:
            new[i] = rules[op](*[new[k] for k in args])
        else:
            new[i] = raw(op, *[new[k] for k in args])
    graph.note = None
    return finish(program, graph, new)
