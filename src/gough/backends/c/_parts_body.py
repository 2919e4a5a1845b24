"""The functions of a text in parts: one a stage, of statements or of one block with its copies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gough.backends._cfamily import C, Printer, indent_lines
from gough.backends._stage_layout import FRAME, TABLE, TILE, Place, PlacedStage, StageLayout
from gough.backends.c._blocks import (
    CLEAR,
    COPY,
    MULTIPLY,
    SOLVE,
    SolveShape,
    copied_rows,
    integer_table,
    number_table,
    product_spans,
    product_work,
    solve_work,
)
from gough.backends.c.flat import failing, floor, tally
from gough.backends.c.listing import Argument, Signature, StatusBits, prototype
from gough.errors import Failure
from gough.program.graph import INPUT
from gough.program.ops import Product, Solve
from gough.program.passes.outputs import remove_dead_code
from gough.program.program import NOT_FINITE

NUMBER = "number"
"""Space of numbers that stand in statements, or nowhere."""
SHORT = 16
"""Copies that are statements; more of them are a table and a loop."""


@dataclass
class _Part:
    """Lines of a function, and what it reads: words of arguments, whether `prepared`; checks: whether it has a status."""

    lines: list[str] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    table: bool = False
    checks: bool = False


class PartsBody:
    """Writes the functions of all stages. table: name of the numbers of the design. state: body of the function of a state;
    support: functions and tables it calls; size: numbers on the stack."""

    def __init__(
        self, name: str, signature: Signature, layout: StageLayout, bits: StatusBits, table: str, checks: bool
    ) -> None:
        self.name, self.signature, self.layout, self.bits, self.table = name, signature, layout, bits, table
        self.checks = checks
        self.words = signature.words()
        self.owner: dict[int, Argument] = {a.offset + k: a for a in signature.varying for k in range(a.slot.size)}
        self.support: list[str] = []
        self.fixed: list[str] = []  # functions that do not depend on the program
        self.looped = self.space = 0
        calls = [self._stage(number, stage) for number, stage in enumerate(layout.stages)]
        self.size = layout.frame + self.space
        programs = [s.program for s in layout.stages if s.block is None]
        self.support = [*dict.fromkeys([*C.supporting(*programs), *self.fixed]), *self.support]
        self.state = indent_lines(
            [
                *self._unused(),
                "uint64_t status = 0;",
                f"double s[{max(self.size, 1)}];",
                *calls,
                *self._results(),
                "return status;",
            ]
        )

    def tally(self) -> dict[str, int]:
        """{kind: number} of operations, those of loops apart."""
        rows = [tally(s.program) for s in self.layout.stages if s.block is None]
        total = {kind: sum(row[kind] for row in rows) for kind in rows[0]} if rows else {}
        return total | {"and in loops multiply-adds": self.looped}

    # ---------------------------------------------------------------- stages

    def _stage(self, number: int, stage: PlacedStage) -> str:
        """Write the function of a stage; returns its call."""
        part = _Part()
        if stage.block is None:
            self._straight(part, stage)
        elif isinstance(stage.block, Solve):
            self._solve(part, stage, stage.block)
        else:
            assert isinstance(stage.block, Product)
            self._multiply(part, stage, stage.block)
        arguments = [a for a in self.signature.varying if a.word in part.words]
        design = part.table and self.table == "prepared"
        heads = [f"const double {a.word}[{a.slot.size}]" for a in arguments]
        frame = ["s"] if any(re.search(r"\bs\b", line) for line in part.lines) else []
        heads += [*(["const double *prepared"] if design else []), *(f"double *{x}" for x in frame)]
        words = [*(a.word for a in arguments), *(["prepared"] if design else []), *frame]
        name = f"{self.name}_part{number}"
        before, after = (["uint64_t status = 0;"], ["return status;"]) if part.checks else ([], [])
        kind = "static uint64_t" if part.checks else "static void"
        lines = indent_lines([*before, *part.lines, *after])
        self.support.append("\n".join([prototype(kind, name, heads) + " {", *lines, "}"]))
        call = f"{name}({', '.join(words)});"
        return f"status |= {call}" if part.checks else call

    def _straight(self, part: _Part, stage: PlacedStage) -> None:
        kept = [c for c in stage.program.checks if c.failure != NOT_FINITE]  # results are looked at in the end
        program = stage.program
        if len(kept) < len(program.checks):
            program = remove_dead_code(replace(program, checks=tuple(kept)))
        read = {args[0] for op, args in zip(program.ops, program.args, strict=True) if op == INPUT}
        inputs = {k: self._word(part, stage.inputs[k]) for k in sorted(read)}
        part.checks = bool(kept)
        words = Printer(C).write(program, inputs, part.lines)
        for c in program.checks:
            part.lines.append(failing(words[c.node], c.minimum, self._bit(c.failure)))
        for places, i in zip(stage.outputs, program.results, strict=True):
            part.lines += [f"s[{place.at}] = {words[i]};" for place in places]

    def _word(self, part: _Part, place: Place) -> str:
        if place.space == FRAME:
            return f"s[{place.at}]"
        if place.space == TILE:
            part.words.add(self.owner[place.at].word)
            return self.words[place.at]
        if place.space == NUMBER:
            return C.number(float(self.layout.table[place.at]))
        part.table = True
        return f"{self.table}[{place.at}]"

    # ---------------------------------------------------------------- blocks

    def _solve(self, part: _Part, stage: PlacedStage, block: Solve) -> None:
        n, m, base = block.n, block.m, self.layout.frame
        filled = np.array([not self._zero(place) for place in stage.inputs[: n * n]], dtype=bool).reshape(n, n)
        shape = SolveShape(block, filled)
        places = [shape.place_of_operand(k) for k in range(len(stage.inputs))]
        moves = [(stage.inputs[k], at) for k, at in enumerate(places) if at is not None]
        if not all(filled[i, j] for i in range(n) for j in range(i)):
            part.lines.append(f"clear({shape.matrix}, s + {base});")
            self.fixed.append(CLEAR)
            moves = [(place, at) for place, at in moves if at >= shape.matrix or not self._zero(place)]
        self._gather(part, moves, base)
        ends = shape.ends()
        floors = [max(block.floor[k] if k < len(block.floor) else 0.0, 1e-300) for k in range(n)]
        floors = [-x if k in block.negative else x for k, x in enumerate(floors)]
        part.checks = bool(block.failure) and self.checks
        part.lines += integer_table("ends", ends)
        part.lines += number_table("floors", [floor(x) for x in floors])
        rhs, work = base + shape.matrix, base + shape.matrix + n * m
        call = f"solve_symmetric({n}, {m}, ends, floors, s + {base}, s + {rhs}, s + {work})"
        if part.checks:
            part.lines.append(f"status |= (uint64_t){call} << {self._bit(block.failure)};")
        else:
            part.lines.append(f"(void){call};")
        self._scatter(part, stage, [base + shape.place_of_result(k) for k in range(block.outputs)])
        self.fixed.append(SOLVE)
        self.looped += solve_work(block, ends)
        self.space = max(self.space, shape.size)

    def _multiply(self, part: _Part, stage: PlacedStage, block: Product) -> None:
        n, k, m = block.n, block.k, block.m
        at = self.layout.frame
        words: list[str] = []
        for operands in (stage.inputs[: n * k], stage.inputs[n * k :]):
            row = self._row(part, operands)
            if row is None:
                self._gather(part, [(place, j) for j, place in enumerate(operands)], at)
                row, at = f"s + {at}", at + len(operands)
            words.append(row)
        spans = product_spans(block, [bool(places) for places in stage.outputs])
        part.lines += integer_table("spans", spans)
        part.lines.append(f"multiply({n}, {k}, {m}, spans, {words[0]}, {words[1]}, s + {at});")
        self._scatter(part, stage, [at + j for j in range(n * m)])
        self.fixed.append(MULTIPLY)
        self.looped += product_work(block, spans)
        self.space = max(self.space, at + n * m - self.layout.frame)

    def _row(self, part: _Part, places: Sequence[Place]) -> str | None:
        """Where operands stand in a row, None where they do not."""
        first = places[0]
        if any(p.space != first.space or p.at != first.at + k for k, p in enumerate(places)) or first.space == TILE:
            return None
        if first.space == FRAME:
            return f"s + {first.at}"
        part.table = True
        return f"{self.table} + {first.at}"

    def _zero(self, place: Place) -> bool:
        return place.space == NUMBER and self.layout.table[place.at] == 0.0

    def _gather(self, part: _Part, moves: Sequence[tuple[Place, int]], base: int) -> None:
        """Copies of operands into the workspace."""
        by_array: dict[str, list[tuple[int, int]]] = {}
        for place, to in moves:
            if place.space == TILE:
                a = self.owner[place.at]
                part.words.add(a.word)
                by_array.setdefault(a.word, []).append((place.at - a.offset, to))
            else:
                part.table |= place.space == TABLE
                by_array.setdefault("s" if place.space == FRAME else self.table, []).append((place.at, to))
        for word, pairs in by_array.items():
            self._copy(part, f"from_{word}_{base}", pairs, word, f"s + {base}" if base else "s")

    def _scatter(self, part: _Part, stage: PlacedStage, results: Sequence[int]) -> None:
        pairs = [(at, p.at) for at, places in zip(results, stage.outputs, strict=True) for p in places]
        self._copy(part, "results", pairs, "s", "s")

    def _copy(self, part: _Part, name: str, pairs: Sequence[tuple[int, int]], source: str, target: str) -> None:
        rows = copied_rows(pairs)
        part.lines += integer_table(name, [x for row in rows for x in row])
        part.lines.append(f"copy_rows({len(rows)}, {name}, {source}, {target});")
        self.fixed.append(COPY)

    # ---------------------------------------------------------------- the function of a state

    def _unused(self) -> list[str]:
        read = {p.at for stage in self.layout.stages for p in stage.inputs if p.space == TILE}
        words = [a.word for a in self.signature.varying if not read & set(range(a.offset, a.offset + a.slot.size))]
        return [f"(void){word};" for word in [*words, *(["prepared"] if not self._reads_table() else [])]]

    def _reads_table(self) -> bool:
        """Whether the function of a state hands the design on."""
        if self.table != "prepared":
            return True
        return any(p.space == TABLE for s in self.layout.stages for p in s.inputs)

    def _results(self) -> list[str]:
        lines, at = ["double finite = 0.0;"], 0
        for a in self.signature.outputs:
            pairs = [(self.layout.results[at + k].at, k) for k in range(a.slot.size)]
            at += a.slot.size
            rows = copied_rows(pairs)
            if len(rows) <= SHORT:
                for first, step, to, count in rows:
                    lines += _copied(a.word, first, step, to, count)
            else:
                lines += integer_table(f"{a.word}_rows", [x for row in rows for x in row])
                lines.append(f"copy_rows({len(rows)}, {a.word}_rows, s, {a.word});")
                self.support = [COPY, *(x for x in self.support if x != COPY)]
            lines += [f"for (int k = 0; k < {a.slot.size}; ++k) {{", f"    finite += 0.0 * {a.word}[k];", "}"]
        lines.append(f"status |= (uint64_t)!(finite == 0.0) << {self._bit(NOT_FINITE)};")
        return lines

    def _bit(self, failure: Failure) -> str:
        return self.bits.word(self.name.upper(), failure)


def _copied(word: str, first: int, step: int, to: int, count: int) -> list[str]:
    if count == 1:
        return [f"{word}[{to}] = s[{first}];"]
    at = f"{first} + {step} * k" if step != 1 else f"{first} + k"
    start = f"{word}[{to} + k]" if to else f"{word}[k]"
    return [f"for (int k = 0; k < {count}; ++k) {{", f"    {start} = s[{at}];", "}"]
