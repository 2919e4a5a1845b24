"""What depends on the design alone: the array `prepared`, and the function that fills it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gough.backends.c.flat import indented, statements
from gough.backends.c.signature import Signature
from gough.backends.c.words import number
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.dead_code import remove_dead_code
from gough.program.passes.hoist import HOISTED
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.rewrite import replay
from gough.program.program import Program, Slot


@dataclass(frozen=True)
class Fixed:
    """A value an input must have, to a tolerance: the program was made with it."""

    value: float
    tolerance: float = 0.0


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
    body = statements(program, inputs, stored, None, "")
    return [*indented(lines), *body, *indented(["return 0;"])]


def _refusal(word: str, fixed: Mapping[int, Fixed], start: int) -> list[str]:
    """Statements that return 1 + the position of the first input that is not what it must be."""
    alike: dict[Fixed, list[int]] = {}
    for place, wanted in fixed.items():
        alike.setdefault(wanted, []).append(place)
    lines = ["/* Structure: these inputs must have the values the program was made with. */"]
    for number_of, (wanted, places) in enumerate(alike.items()):
        table, n = f"place_{number_of}", len(places)
        lines += [f"static const int {table}[{n}] = {{", *wrapped([str(k) for k in places]), "};"]
        lines += [
            f"for (int k = 0; k < {n}; ++k) {{",
            f"    if (!(fabs({word}[{table}[k]] - {number(wanted.value)}) <= {number(wanted.tolerance)})) {{",
            f"        return {table}[k] + {start + 1};",
            "    }",
            "}",
        ]
    return [*lines, ""]


def wrapped(entries: Sequence[str], width: int = 100) -> list[str]:
    """Entries of a table on lines of some width."""
    lines, line = [], ""
    for entry in entries:
        if line and len(line) + len(entry) + 2 > width:
            lines.append(f"    {line}")
            line = ""
        line += f"{' ' if line else ''}{entry},"
    return [*lines, f"    {line}"] if line else lines
