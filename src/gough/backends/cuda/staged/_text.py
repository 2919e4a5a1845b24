"""The text of a staged kernel: one thread a state, a loop over the lanes for every stage that runs in lanes."""

from itertools import pairwise

from gough.backends.cuda._checks import StatusChecks
from gough.backends.cuda._frame import DIALECTS, KernelFrame, Text, is_fixed
from gough.backends.cuda._memory import Memory
from gough.backends.cuda._registers import RegisterStep
from gough.backends.cuda._text import PlannedCode
from gough.backends.cuda.staged._bodies import MINE, Value, Wire
from gough.backends.cuda.staged._planning import (
    PART,
    Column,
    Planned,
    ScratchLayout,
    StagePrograms,
    gathers,
    leaving_early,
    own_columns,
)
from gough.program.ops import Op
from gough.program.program import Program

FAR_AHEAD = 80
"""Steps by which numbers in local memory are asked for early; the L2 cache answers after some three hundred cycles."""


def write_staged(
    program: Program,
    pieces: StagePrograms,
    plans: list[Planned],
    layout: ScratchLayout,
    memory: Memory,
    dtype: str,
    together: bool = False,
) -> Text:
    """Source of a program in stages. program: before it was rolled. together: warps of a block begin every stage together."""
    frame = KernelFrame(program, memory, DIALECTS[dtype])
    return _StagedText(program, pieces, layout, frame).write(plans, together)


def is_row(frame: KernelFrame, wire: Wire) -> bool:
    """Whether a wire is, in some lane, an input that varies with the state."""
    values = wire if isinstance(wire, tuple) else (wire,)
    return any(v.stage < 0 and not frame.is_uniform[v.node] for v in values)


def _variable(entries: list[tuple[int, int]]) -> str:
    """The name of a result, by the first slot and entry it goes to."""
    return f"result_{entries[0][0]}_{entries[0][1]}"


class _StagedText:
    def __init__(self, program: Program, pieces: StagePrograms, layout: ScratchLayout, frame: KernelFrame) -> None:
        self.program, self.pieces, self.layout, self.frame = program, pieces, layout, frame
        names = [c.failure for c in program.checks]
        checks = [check for p in pieces.pieces for check in p.checks]
        self.checks = StatusChecks(names, checks, pieces.lanes, frame.dialect)
        self.results: dict[Value, list[tuple[int, int]]] = {}
        entries = [(s, k) for s, slot in enumerate(program.outputs) for k in range(slot.size)]
        for value, entry in zip(pieces.results, entries, strict=True):
            self.results.setdefault(value, []).append(entry)
        self.early = leaving_early(program, pieces) if layout.windows else {}
        self.late = self._places_of_results() if frame.memory.over else {}
        self.gathered: dict[Value, list[tuple[Column, int]]] = {}  # where outputs go besides
        for wire, column in layout.gathered.items():
            for lane, value in enumerate(wire):  # type: ignore[arg-type]
                self.gathered.setdefault(value, []).append((column, lane))
        self.copied: set[Wire] = set()
        self.own = {wire: k for k, wire in enumerate(own_columns(pieces))}
        rows = zip(*self.own, strict=True)  # one table for all stages, a lane's numbers side by side
        frame.share_table([v.node for row in rows for v in row])

    def write(self, plans: list[Planned], together: bool) -> Text:
        body = [f"    real {name};" for name in self.late.values() if "[" not in name]
        readers = [
            number
            for number, p in enumerate(plans)
            if any(k < len(p.piece.wires) and is_row(self.frame, p.piece.wires[k]) for k in p.reads)
        ]
        handed_on = any(v.stage < 0 for v in self.pieces.results)
        self.last_reader = max(readers, default=-1) if not handed_on else len(plans)
        for number, planned in enumerate(plans):
            body += ["    __syncthreads();"] if together else []
            body += _PieceWriter(self, number, planned).lines()
        for value, entries in self.results.items():
            if value.stage < 0 or self.in_lanes(value):
                x, name = self.word(value, again=True), _variable(entries)
                body.append(f"    const real {name} = {x};")
                body += self.result_lines(value, name)
        for slots in self.frame.memory.over:
            body += ["    {", *self._way_out(slots), *self.frame.write_out(slots), "    }"]
        if self.last_reader < 0 or handed_on:
            body += self.fetch_next()
        counts = [f"{p.piece.lanes} x {sum(op > Op.CONST for op in p.piece.program.ops)}" for p in plans]
        notes = [
            f"stages, lanes x operations: {', '.join(counts)}",
            f"{self.layout.near} scratch slots in shared memory, {self.layout.far} in local memory",
        ]
        return self.frame.text(notes, body, self.checks, self.layout.far + sum("[" in x for x in self.late.values()))

    def leave_early(self, number: int) -> list[str]:
        """Rows that are finished at the end of a stage, some entries after the other."""
        names = {entry: _variable(entries) for entries in self.results.values() for entry in entries}
        lines = []
        for s in (s for s, stage in self.early.items() if stage == number):
            size = self.program.outputs[s].size
            for begin in range(0, size, PART):
                words = [names[s, k] for k in range(begin, min(begin + PART, size))]
                lines += self.frame.write_part(s, begin, words, self.layout.windows[number].place)
        return [*lines, "    __syncthreads();"] if lines else []

    def _way_out(self, slots: tuple[int, ...]) -> list[str]:
        """Results of some slots to their place in shared memory, which scratch had before; all are fetched, then all stored."""
        fetched, stored = [], []
        for value, entries in self.results.items():
            there = [(s, k) for s, k in entries if s in slots]
            x = self.late.get(value, _variable(entries))
            if there and "[" in x:
                fetched.append(f"    const real {_variable(entries)} = {x};")
                x = _variable(entries)
            stored += [f"    {self.frame.output_word(s, k)} = {x};" for s, k in there]
        return [*fetched, "    __syncthreads();", *stored]

    def _places_of_results(self) -> dict[Value, str]:
        """Where results that stages make wait for their way out: those of the last stage in registers, others in local memory,
        whose lanes lie side by side (rows of results written from here and there keep the memory's queues busy)."""
        found: dict[Value, str] = {}
        away = self.layout.far
        for value, entries in self.results.items():
            if value.stage >= 0 and not self.in_lanes(value):
                last = value.stage == len(self.pieces.pieces) - 1 or any(s in self.early for s, _ in entries)
                found[value] = _variable(entries) if last else f"far[{away}]"
                away += not last
        return found

    def in_lanes(self, value: Value) -> bool:
        """Whether a value is made in lanes."""
        return value.stage >= 0 and self.pieces.pieces[value.stage].lanes > 1

    def fetch_next(self) -> list[str]:
        """The next tile's rows, when this tile's have been read."""
        return self.frame.fetch_next("tile") if self.frame.memory.stages == 1 else []

    def result_lines(self, value: Value, x: str) -> list[str]:
        """A result, where the value is one."""
        entries = self.results.get(value, ())
        if self.frame.memory.over:
            lines = [f"    {self.late[value]} = {x};"] if value in self.late else []
        else:
            lines = [f"    {self.frame.output_word(s, k)} = {x};" for s, k in entries]
        return [*lines, self.checks.of_result(x)] if entries else []

    def slot(self, column: Column, lane: str = "", stored: str = "") -> str:
        """A slot of a column, or the statement that stores there; lane: its number, or `leg` in a loop."""
        if column.near:
            base, place = ("near_leg", column.place) if lane == "leg" else ("near", column.place + int(lane or 0))
            return f"KEEP({base}, {place}, {stored})" if stored else f"NEAR({base}, {place})"
        return f"far[{column.place} + {lane or 0}]" + (f" = {stored}" if stored else "")

    def word(self, value: Value, again: bool) -> str:
        """One number from where it lies."""
        if value.stage < 0:
            if self.frame.is_uniform[value.node]:
                return self.frame.uniform_word(value.node)
            return self.frame.input_word(value.node, again)
        column = self.layout.outputs[value.stage, value.node]
        return self.slot(column, "leg" if value.lane == MINE else str(value.lane))


class _PieceWriter(PlannedCode):
    def __init__(self, whole: _StagedText, number: int, planned: Planned) -> None:
        super().__init__(planned.piece.program, whole.frame.dialect)
        self.whole, self.number, self.planned, self.piece = whole, number, planned, planned.piece
        self.frame = whole.frame
        self.uniform = self.program.uniform_inputs()
        self.wires = len(self.piece.wires)
        self.ends: dict[int, list[int]] = {}
        for k, node in enumerate(self.program.results):
            self.ends.setdefault(node, []).append(k)
        self.checked: dict[int, list[int]] = {}
        for k, check in enumerate(self.program.checks):
            self.checked.setdefault(check.node, []).append(k)

    def lines(self) -> list[str]:
        """All of the piece."""
        lanes = self.piece.lanes
        lines = self._copies()
        if lanes == 1:
            return [*lines, "    {", *self._body(), "    }", *self.whole.leave_early(self.number)]
        return [*lines, *self._loop(), *(self.whole.fetch_next() if self.number == self.whole.last_reader else ())]

    def _loop(self) -> list[str]:
        lanes, lines = self.piece.lanes, []
        sums = range(self.piece.sums)
        if self.planned.sums_held:
            lines += [f"    real sum{self.number}_{k} = 0;" for k in sums]
        else:
            lines += [f"    {self._sum_slot(k, '(real)0')};" for k in sums]
        for k in sorted(self.planned.held):
            lines.append(f"    const real held{self.number}_{k} = {self._place(k, again=True)};")
        lines += ["#pragma unroll 1", f"    for (int leg = 0; leg < {lanes}; leg++) {{"]
        if self.whole.layout.near:
            lines.append("    const auto near_leg = near + leg * NEAR_STEP;")
        if self.whole.own:
            lines.append(f"    const auto own = NEAR_START(table + leg * {len(self.whole.own)});")
        lines += [*self._body(), "    }"]
        if self.planned.sums_held:
            for k in sums:
                value = Value(self.number, self.piece.kept + k)
                lines += self._stored(value, f"sum{self.number}_{k}")
        else:
            for k in sums:
                value = Value(self.number, self.piece.kept + k)
                for column, lane in self.whole.gathered.get(value, ()):
                    lines.append(f"    {self.whole.slot(column, str(lane), self._sum_slot(k))};")
        return lines

    def _copies(self) -> list[str]:
        """Numbers of gathered columns that no stage stores there: inputs and outputs of other lanes."""
        whole, lines = self.whole, []
        for wire in self.piece.wires:
            column = whole.layout.gathered.get(wire)
            if column is None or wire in whole.copied:
                continue
            whole.copied.add(wire)
            for lane, value in enumerate(wire):  # type: ignore[arg-type]
                if value.stage < 0 or (whole.in_lanes(value) and value.node < whole.pieces.pieces[value.stage].kept):
                    lines.append(f"    {whole.slot(column, str(lane), whole.word(value, True))};")
        return lines

    def _body(self) -> list[str]:
        lines = self.leaves()
        steps = self._far_early()
        last = -1
        if self.piece.lanes == 1 and self.number == self.whole.last_reader:
            last = max((k for k, step in enumerate(steps) if self._reads_row(step)), default=-1)
            if last < 0:
                lines += self.whole.fetch_next()
        for k, step in enumerate(steps):
            lines += self.step(step)
            if k == last:
                lines += self.whole.fetch_next()
        return lines

    def _far_early(self) -> list[RegisterStep]:
        """Steps, in which reading what lies in local memory comes some time before its use."""

        def key(item: tuple[int, RegisterStep]) -> float:
            k, step = item
            if step.kind == "input" and self._place(self.program.args[step.node][0], again=True).startswith("far["):
                return k - FAR_AHEAD - 0.5
            return k

        return [step for _, step in sorted(enumerate(self.planned.plan.steps), key=key)]

    def _reads_row(self, step: RegisterStep) -> bool:
        if step.kind != "input":
            return False
        position = self.program.args[step.node][0]
        return position < self.wires and is_row(self.frame, self.piece.wires[position])

    def read(self, i: int) -> str:
        return self._place(self.program.args[i][0], again=True)

    def finish(self, i: int) -> list[str]:
        """Outputs and checks of a node, when its value is there."""
        ends, checked = self.ends.get(i, ()), self.checked.get(i, ())
        if not ends and not checked:
            return []
        op, args = self.program.ops[i], self.program.args[i]
        loose = op == Op.INPUT and not self._fixed(i)
        x = self._place(args[0], again=True) if loose else self.operand(i)
        lines = []
        for k in ends:
            if k < self.piece.kept:
                lines += self._stored(Value(self.number, k), x)
            elif self.planned.sums_held:
                lines.append(f"    sum{self.number}_{k - self.piece.kept} = {x};")
            else:
                lines.append(f"    {self._sum_slot(k - self.piece.kept, x)};")
        return lines + [self.whole.checks.line(self.piece.checks[k], x) for k in checked]

    def _stored(self, value: Value, x: str) -> list[str]:
        """An output to all its places."""
        whole, lines = self.whole, []
        column = whole.layout.outputs.get((value.stage, value.node))
        once = value.node >= self.piece.kept or self.piece.lanes == 1
        if column is not None:
            lines.append(f"    {whole.slot(column, '' if once else 'leg', x)};")
        if once:
            lines += [f"    {whole.slot(c, str(lane), x)};" for c, lane in whole.gathered.get(value, ())]
        return lines + whole.result_lines(value, x) if self.piece.lanes == 1 else lines

    def _sum_slot(self, k: int, stored: str = "") -> str:
        return self.whole.slot(self.whole.layout.outputs[self.number, self.piece.kept + k], "", stored)

    def _fixed(self, i: int) -> bool:
        if is_fixed(self.program, self.uniform, i):
            return True
        if self.program.ops[i] != Op.INPUT:
            return False
        position = self.program.args[i][0]
        return position in self.planned.held or (self.planned.sums_held and position >= self.wires)

    def operand(self, i: int) -> str:
        op, args = self.program.ops[i], self.program.args[i]
        if op == Op.CONST:
            return self.frame.number(args[0])
        if op == Op.INPUT and self._fixed(i):
            position = args[0]
            if position >= self.wires:
                return f"sum{self.number}_{position - self.wires}"
            if position in self.planned.held:
                return f"held{self.number}_{position}"
            wire = self.piece.wires[position]
            return self.frame.uniform_word(wire.node) if isinstance(wire, Value) else f"OWN({self.whole.own[wire]})"
        return self.names[i]

    def _place(self, position: int, again: bool) -> str:
        """An input from where it lies."""
        if position >= self.wires:
            return self._sum_slot(position - self.wires)
        wire = self.piece.wires[position]
        if isinstance(wire, Value):
            return self.whole.word(wire, again)
        if gathers(wire):
            return self.whole.slot(self.whole.layout.gathered[wire], "leg")
        places = [v.node for v in wire]
        steps = {b - a for a, b in pairwise(places)}
        slots = {self.frame.slot_of[p][0] for p in places}
        if len(steps) == 1 and len(slots) == 1:
            return self.frame.input_word(places[0], again, f" + leg * {steps.pop()}")
        cases = "".join(f"leg == {k} ? {self.frame.input_word(p, again)} : " for k, p in enumerate(places[:-1]))
        return f"({cases}{self.frame.input_word(places[-1], again)})"

    def scratch(self, slot: int) -> str:
        return self.whole.slot(self.whole.layout.scratch[self.number][slot])

    def store(self, slot: int, x: str) -> str:
        return self.whole.slot(self.whole.layout.scratch[self.number][slot], "", x) + ";"
