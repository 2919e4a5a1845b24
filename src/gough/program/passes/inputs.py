"""What a program is given: inputs that get their numbers for good, and work on uniform inputs set apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gough.program._sums import Term, count_uses, inner_sums, sum_terms
from gough.program.graph import BLOCK, CONST, INPUT, Graph
from gough.program.ops import Op
from gough.program.passes.outputs import remove_dead_code
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program, Slot


def fix_input(program: Program, name: str, numbers: np.ndarray) -> Program:
    """The program without the slot `name`, whose flat entries are `numbers`: what depends on them alone folds. Positions of
    later inputs move up."""
    start = program.input_offset(name)
    size = next(s.size for s in program.inputs if s.name == name)
    graph = Graph()
    places = {start + k: graph.const(float(x)) for k, x in enumerate(numbers)}
    places |= {k: graph.raw(INPUT, k - size) for k in range(start + size, program.n_inputs)}
    new = replay(program, graph, inputs=places)
    return finish(program, graph, new, inputs=tuple(s for s in program.inputs if s.name != name))


def fold_entries(program: Program, name: str, numbers: Mapping[int, float]) -> Program:
    """The program with some flat entries {k: number} of the slot `name` put in; the slot stays, and does not read them."""
    start, graph = program.input_offset(name), Graph()
    places = {start + k: graph.const(float(x)) for k, x in numbers.items()}
    return finish(program, graph, replay(program, graph, inputs=places))


HOISTED = "hoisted"


def split_uniform(program: Program) -> tuple[Program, Program]:
    """(once, each): work once per design, and once per state. `each` has one more uniform input slot, `hoisted`, which `once`
    computes from uniform inputs.

    Without work to hoist, `once` has no results and `each` is the program itself. Blocks are not hoisted.
    """
    program = gather_uniform(program)
    level = _levels(program)
    wanted: dict[int, int] = {}
    for i, args in enumerate(program.args):
        if level[i] == 3:
            for k in args if CONST < program.ops[i] < BLOCK else program.operands(i):
                if level[k] == 2:
                    wanted.setdefault(k, len(wanted))
    for i in (*program.results, *(c.node for c in program.checks)):
        if level[i] == 2:
            wanted.setdefault(i, len(wanted))
    slot = Slot(HOISTED, (len(wanted),), uniform=True)
    once = remove_dead_code(replace(program, outputs=(slot,), results=tuple(wanted), checks=()))
    if not wanted:
        return once, program
    return once, replace(_replay_cut(program, wanted, program.n_inputs), inputs=(*program.inputs, slot))


def _levels(program: Program) -> bytearray:
    """Of every node: 0 a number, 1 a uniform input, 2 work on these alone, 3 varies with the state."""
    uniform = program.uniform_inputs().tolist()
    level = bytearray(len(program.ops))
    for i, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
        if op == INPUT:
            level[i] = 1 if uniform[args[0]] else 3
        elif op == CONST:
            level[i] = 0
        elif op >= BLOCK:
            level[i] = 3
        else:
            level[i] = 3 if max([level[k] for k in args]) == 3 else 2
    return level


def gather_uniform(program: Program) -> Program:
    """The same program with the terms of each sum that depend on uniform inputs alone added up first, once per design."""
    ops, args = program.ops, program.args
    level = _levels(program)
    inner = inner_sums(program, count_uses(program))
    fixed = [0] * len(ops)  # uniform terms of a sum that varies
    for i, op in enumerate(ops):
        if level[i] == 3 and op in (Op.ADD, Op.SUB, Op.NEG):
            fixed[i] = sum(1 if level[k] < 3 else fixed[k] if inner[k] else 0 for k in args[i])
    roots = {i for i, op in enumerate(ops) if fixed[i] > 1 and not inner[i] and op in (Op.ADD, Op.SUB)}
    if not roots:
        return program
    for i in range(len(ops)):
        inner[i] = inner[i] and level[i] == 3
    graph = Graph()

    def rewrite(i: int, new: list[int]) -> int:
        terms = sorted(sum_terms(program, i, inner), key=lambda term: (level[term[1]] == 3, -term[0]))
        return signed_sum(graph, [(sign, new[k]) for sign, k in terms])

    return finish(program, graph, replay(program, graph, own=roots, rewrite=rewrite))


def signed_sum(graph: Graph, terms: Sequence[Term]) -> int:
    """Sum of nodes with signs, left to right."""
    sign, total = terms[0]
    for other, node in terms[1:]:
        total = graph.add(total, node) if other == sign else graph.sub(total, node)
    return total if sign > 0 else graph.neg(total)


def _replay_cut(program: Program, wanted: dict[int, int], base: int) -> Program:
    ops, args = list(program.ops), list(program.args)
    for i, k in wanted.items():
        ops[i], args[i] = INPUT, (base + k,)
    cut = replace(program, ops=ops, args=args)
    graph = Graph()
    return finish(cut, graph, replay(cut, graph))
