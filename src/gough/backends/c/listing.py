"""What a text is made of: the arguments of its functions, the bits of its status word, all pieces together, and what
depends on the design alone: the array `prepared`, and the function that fills it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.backends._cfamily import C, Printer, identifier, indent_lines, string_literal, wrap_entries
from gough.errors import Failure
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.inputs import HOISTED
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.outputs import remove_dead_code
from gough.program.passes.rewrite import replay
from gough.program.program import NOT_FINITE, Program, Slot

_TAKEN = (
    *("prepared", "status", "finite", "n", "i", "k", "stream", "blocks", "kernel", "arguments"),
    *("sin", "cos", "sqrt", "atan2", "fabs", "sign", "quadrant_sin", "quadrant_cos", "memcpy"),
    *("s", "solve_symmetric", "multiply", "copy_rows", "clear", "ends", "floors", "spans", "results"),
)
"""Words the text uses itself."""


@dataclass(frozen=True)
class Argument:
    """A slot, its word in C and the position of its first entry over all slots of its side."""

    slot: Slot
    word: str
    offset: int

    def entry(self, k: int) -> str:
        """C text of entry k."""
        return f"{self.word}[{k}]"


@dataclass(frozen=True)
class Signature:
    """Arguments in order: inputs that vary with the state, inputs that are one design, outputs."""

    varying: tuple[Argument, ...]
    uniform: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @classmethod
    def of(cls, program: Program) -> "Signature":
        """Arguments of a program; words differ, slots without entries are left out."""
        taken = set(_TAKEN)
        inputs = _arguments(program.inputs, taken)
        return cls(
            tuple(a for a in inputs if not a.slot.uniform),
            tuple(a for a in inputs if a.slot.uniform),
            tuple(_arguments(program.outputs, taken)),
        )

    def words(self) -> dict[int, str]:
        """{input position: C text} of all inputs."""
        return {a.offset + k: a.entry(k) for a in (*self.varying, *self.uniform) for k in range(a.slot.size)}

    def results(self) -> list[str]:
        """C text of every result."""
        return [a.entry(k) for a in self.outputs for k in range(a.slot.size)]

    def state_arguments(self, prepared: int) -> list[str]:
        """Declarations of the arguments of the function of a state; prepared: numbers a design gives, 0 without any."""
        design = [f"const double prepared[{prepared}]"] if prepared else []
        return [*map(_constant, self.varying), *design, *(f"double {a.word}[{a.slot.size}]" for a in self.outputs)]

    def design_arguments(self, prepared: int) -> list[str]:
        """Declarations of the arguments of the function of a design."""
        return [*map(_constant, self.uniform), f"double prepared[{prepared}]"]


def prototype(kind: str, name: str, arguments: list[str]) -> str:
    """Head of a function, one argument a line where it is long."""
    line = f"{kind} {name}({', '.join(arguments) or 'void'})"
    return line if len(line) < 100 else f"{kind} {name}(\n    " + ",\n    ".join(arguments) + ")"


def _constant(argument: Argument) -> str:
    return f"const double {argument.word}[{argument.slot.size}]"


def _arguments(slots: tuple[Slot, ...], taken: set[str]) -> list[Argument]:
    found, offset = [], 0
    for slot in slots:
        word = identifier(slot.name)
        while word in taken or (word[0] in "tg" and word[1:].isdigit()):
            word += "_"
        if slot.size:
            taken.add(word)
            found.append(Argument(slot, word, offset))
        offset += slot.size
    return found


LAST_BIT = 63


@dataclass(frozen=True)
class StatusBits:
    """Checks by name; those beyond the 64th share the last bit."""

    failures: tuple[Failure, ...]

    @classmethod
    def of(cls, program: Program) -> "StatusBits":
        """Bits of a program without blocks."""
        return cls((NOT_FINITE, *dict.fromkeys(c.failure for c in program.checks)))

    def bit(self, failure: Failure) -> int:
        """Bit of a check."""
        return min(self.failures.index(failure), LAST_BIT)

    def bit_rows(self) -> list[tuple[int, str, str]]:
        """(bit, word, text) of every bit; words differ."""
        rows, taken = [], set()
        for k, name in enumerate(str(f) for f in self.failures[: LAST_BIT + 1]):
            word = identifier(name).upper()
            while word in taken:
                word += "_"
            taken.add(word)
            rows.append((k, word, name))
        if len(self.failures) > LAST_BIT + 1:
            rows[-1] = (LAST_BIT, "OTHERS", "others: " + ", ".join(str(f) for f in self.failures[LAST_BIT:]))
        return rows

    def word(self, prefix: str, failure: Failure) -> str:
        """Constant that stands for a check's bit."""
        return f"{prefix}_{self.bit_rows()[self.bit(failure)][1]}"

    def enumeration(self, prefix: str) -> list[str]:
        """Lines of the enumeration of bits."""
        rows = self.bit_rows()
        lines = ["enum {"]
        lines += [f"    {prefix}_{word} = {k}," for k, word, _ in rows]
        return [*lines, f"    {prefix}_CHECKS = {len(rows)}", "};"]

    def table(self, prefix: str) -> list[str]:
        """Lines of the table of texts."""
        rows = [f"    {string_literal(text)}," for _, _, text in self.bit_rows()]
        return [f"const char *const {prefix}_check_names[] = {{", *rows, "};"]


@dataclass(frozen=True)
class Listing:
    """The pieces of a program's text. head: lines of the comment at the top; prepared: numbers a design gives (0 without
    a design); prepare: body of the function of a design; state: body of the function of a state; support: functions and
    tables it uses; defaults: {word of a uniform slot: numbers}, the design that is shipped; operations, design_operations:
    {kind: number} of a state and of a design; stack: numbers in the array of the function of a state, 0 without one; design:
    functions that the function of a design calls."""

    name: str
    signature: Signature
    bits: StatusBits
    state: Sequence[str]
    head: Sequence[str] = ()
    prepared: int = 0
    prepare: Sequence[str] = ()
    support: Sequence[str] = ()
    defaults: Mapping[str, np.ndarray] = field(default_factory=dict)
    operations: Mapping[str, int] = field(default_factory=dict)
    design_operations: Mapping[str, int] = field(default_factory=dict)
    stack: int = 0
    design: Sequence[str] = ()

    @property
    def upper(self) -> str:
        """Prefix of the constants."""
        return self.name.upper()

    def state_prototype(self) -> str:
        """Head of the function of a state."""
        return prototype("uint64_t", self.name, self.signature.state_arguments(self.prepared))

    def prepare_prototype(self) -> str:
        """Head of the function of a design."""
        return prototype("int", f"{self.name}_prepare", self.signature.design_arguments(self.prepared))


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


def prepared_table(
    each: Program, table: Sequence[float | int], hoisted: bool
) -> tuple[list[tuple[int, int]], dict[int, int]]:
    """Entries of `prepared` that are positions of inputs of `each`, others are numbers: ((place, position) of what is computed,
    {place: position} of what is copied)."""
    first = each.input_offset(HOISTED) if hoisted else each.n_inputs
    places = [(k, x) for k, x in enumerate(table) if isinstance(x, int)]
    return [(k, x) for k, x in places if x >= first], {k: x for k, x in places if x < first}


def prepare_lines(
    program: Program,
    signature: Signature,
    fixed: Mapping[int, Fixed],
    given: Sequence[str] = (),
) -> list[str]:
    """Body of the function of a design; fixed: {input position: what it must be}. given: statements that fill the rest."""
    inputs = signature.words()
    used = {args[0] for op, args in zip(program.ops, program.args, strict=True) if op == Op.INPUT}
    lines: list[str] = []
    start = 0
    for a in signature.uniform:
        own = {p - a.offset: f for p, f in sorted(fixed.items()) if a.offset <= p < a.offset + a.slot.size}
        if own:
            lines += _refusal(a.word, own, start)
        elif not used & set(range(a.offset, a.offset + a.slot.size)) and not given:
            lines.append(f"(void){a.word};")
        start += a.slot.size
    stored = [f"prepared[{k}]" for k in range(len(program.results))]
    if not stored and not given:
        lines.append("(void)prepared;")
    body: list[str] = []
    words = Printer(C).write(program, inputs, body)
    return [
        *indent_lines([*lines, *given]),
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
