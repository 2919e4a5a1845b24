"""What depends on the design alone: the array `prepared`, and the function that fills it."""

from collections.abc import Mapping, Sequence

from gough.backends.c.listing import Signature
from gough.backends.cfamily import C, Printer, indent_lines, wrap_entries
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.dead_code import remove_dead_code
from gough.program.passes.hoist import HOISTED
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.rewrite import replay
from gough.program.program import Program, Slot

Fixed = tuple[float, float]
"""Value and tolerance an input must have: the program was made with it."""


def uniform_positions(each: Program) -> list[int]:
    """Uniform input positions a program reads, in the order of their first use."""
    uniform = each.uniform_inputs()
    order: dict[int, None] = {}
    for i in range(len(each.ops)):
        for k in (i, *each.operands(i)):
            if each.ops[k] == Op.INPUT and uniform[each.args[k][0]]:
                order.setdefault(each.args[k][0])
    return list(order)


def prepare_program(each: Program, once: Program | None, positions: Sequence[int]) -> Program:
    """The program that fills `prepared` with what stands at input positions of `each`, from the uniform inputs."""
    graph = Graph()
    hoisted = each.input_offset(HOISTED) if once is not None else each.n_inputs
    made = [] if once is None else replay(once, graph)
    results = []
    for position in positions:
        if position >= hoisted:
            assert once is not None
            results.append(made[once.results[position - hoisted]])
        else:
            results.append(graph.raw(Op.INPUT, position))
    inputs = tuple(s for s in each.inputs if s.name != HOISTED)
    slot = Slot("prepared", (len(results),))
    program = Program(inputs, (slot,), graph.ops, graph.args, tuple(results), (), graph.notes, f"{each.name} prepared")
    return contract_multiply_add(remove_dead_code(program))


def prepare_lines(program: Program, signature: Signature, fixed: Mapping[int, Fixed]) -> list[str]:
    """Body of the function of a design; fixed: {input position: what it must be}."""
    inputs = signature.words()
    used = {args[0] for op, args in zip(program.ops, program.args, strict=True) if op == Op.INPUT}
    lines: list[str] = []
    start = 0
    for a in signature.uniform:
        own = {p - a.offset: f for p, f in sorted(fixed.items()) if a.offset <= p < a.offset + a.slot.size}
        if own:
            lines += _refusal(a.word, own, start)
        elif not used & set(range(a.offset, a.offset + a.slot.size)):
            lines.append(f"(void){a.word};")
        start += a.slot.size
    stored = [f"prepared[{k}]" for k in range(len(program.results))]
    if not stored:
        lines.append("(void)prepared;")
    body: list[str] = []
    words = Printer(C).write(program, inputs, body)
    return [
        *indent_lines(lines),
        *indent_lines([*body, "", *stores(program, words, stored)]),
        *indent_lines(["return 0;"]),
    ]


def stores(program: Program, words: Sequence[str], results: Sequence[str]) -> list[str]:
    """Statements that store the results."""
    return [f"{place} = {words[i]};" for place, i in zip(results, program.results, strict=True)]


def _refusal(word: str, fixed: Mapping[int, Fixed], start: int) -> list[str]:
    """Statements that return 1 + the position of the first input that is not what it must be."""
    alike: dict[Fixed, list[int]] = {}
    for place, wanted in fixed.items():
        alike.setdefault(wanted, []).append(place)
    lines = ["/* Structure: these inputs must have the values the program was made with. */"]
    for k, ((value, tolerance), places) in enumerate(alike.items()):
        table, n = f"place_{k}", len(places)
        lines += [f"static const int {table}[{n}] = {{", *wrap_entries([str(p) for p in places]), "};"]
        lines += [
            f"for (int k = 0; k < {n}; ++k) {{",
            f"    if (!(fabs({word}[{table}[k]] - {C.number(value)}) <= {C.number(tolerance)})) {{",
            f"        return {table}[k] + {start + 1};",
            "    }",
            "}",
        ]
    return [*lines, ""]
