"""Rolling a program: lanes are looked for, and programs and wires of the stages are written."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from gough.errors import Status
from gough.program._sums import Term
from gough.program.graph import CONST, INPUT, Graph
from gough.program.passes.outputs import remove_dead_code
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling._columns import FlatSums, Shapes, find_columns, lane_numbers
from gough.program.rolling._groups import Groups, first_groups, more_groups
from gough.program.rolling._staging import StageOrder, Unit, stage
from gough.program.rolling.rolled import KEPT, OWN, SHARED, SUMMED, LaneCheck, Rolled, RolledStage, Source


@dataclass
class _Making:
    """A stage while it is made: inputs are numbered as they are met."""

    number: int
    lanes: int
    graph: Graph = field(default_factory=Graph)
    shared: dict[Source, int] = field(default_factory=dict)
    own: dict[tuple[Source, ...], int] = field(default_factory=dict)
    kept: dict[Unit, int] = field(default_factory=dict)
    summed: dict[Unit, int] = field(default_factory=dict)
    node: dict[Unit, int] = field(default_factory=dict)
    checks: list[tuple[LaneCheck, int]] = field(default_factory=list)


class Builder:
    """Makes the stages of a staged program."""

    def __init__(self, flat: FlatSums, staged: StageOrder) -> None:
        self.flat, self.staged, self.groups = flat, staged, staged.groups
        self.home: dict[Unit, int] = {u: k for k, (_, units) in enumerate(staged.stages) for u in units}
        self.outside = self._read_outside()
        self.made: list[_Making] = []

    def build(self) -> Rolled:
        """The rolled program."""
        program = self.flat.program
        for number, (in_lanes, units) in enumerate(self.staged.stages):
            making = _Making(number, self.groups.lanes if in_lanes else 1)
            self.made.append(making)
            for unit in units:
                self._place(making, unit)
        loose = [i for i in program.results if self.flat.ops[i] == CONST]
        if loose and not any(m.lanes == 1 for m in self.made):
            self.made.append(_Making(len(self.made), 1))
        self._checks()
        results = tuple(self._result(self._same(i)) for i in program.results)
        stages = tuple(self._stage(m) for m in self.made)
        return Rolled(program, self.groups.lanes, stages, results)

    def _read_outside(self) -> set[Unit]:
        """Units that another stage, a result or a check reads."""
        results = self.flat.program.results
        found: set[Unit] = {u for i in results if (u := self._unit(self._same(i)))}
        for unit, home in self.home.items():
            for k in self._operand_nodes(unit):
                read = self._unit(k)
                if read is not None and (self.home[read] != home or (read[0] == "g" and unit[0] == "n")):
                    found.add(read)
        return found

    def _same(self, i: int) -> int:
        return self.flat.equal.get(i, i)

    def _operand_nodes(self, unit: Unit) -> Iterable[int]:
        kind, number = unit
        if kind == "r":
            return [i for _, g in self.staged.sums[number][0] for i in self.groups.members[g]]
        if kind == "n":
            if number in self.staged.sums:
                return [k for _, k in self.staged.sums[number][1]]
            return self.flat.operands(number)
        return [k for i in self.groups.members[number] for k in self.flat.operands(i)]

    def _unit(self, i: int) -> Unit | None:
        if self.flat.ops[i] <= CONST:
            return None
        return ("g", self.groups.at[i][0]) if i in self.groups.at else ("n", i)

    # ---------------------------------------------------------------- one unit

    def _place(self, making: _Making, unit: Unit) -> None:
        kind, number = unit
        flat, graph = self.flat, making.graph
        notes = flat.program.notes
        if kind == "g":
            members = self.groups.members[number]
            graph.note = common_text([notes[i] for i in members]) if notes else ""
            columns = self._operand_columns(members)
            node = self._operation(making, members[0], [self._column(making, c) for c in columns])
        elif kind == "r":
            graph.note = notes[number] if notes else ""
            groups = self.staged.sums[number][0]
            node = self._total(graph, [(s, self._column(making, self.groups.members[g])) for s, g in groups])
            making.summed[unit] = len(making.summed)
        else:
            graph.note = notes[number] if notes else ""
            if number in self.staged.sums:
                terms = [(s, self._scalar(making, k)) for s, k in self.staged.sums[number][1]]
                node = self._total(graph, [(1, self._input(making, self._summed_source(number))), *terms])
            else:
                node = self._operation(making, number, [self._scalar(making, k) for k in flat.operands(number)])
        making.node[unit] = node
        if unit in self.outside and kind != "r":
            making.kept[unit] = len(making.kept)

    def _operand_columns(self, members: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Operands of all lanes, in the order of the first lane's."""
        flat, names = self.flat, self.groups.names
        first = members[0]
        if not flat.commutes(first):
            return list(zip(*[flat.operands(i) for i in members], strict=True))
        tables = []
        for i in members:
            table: dict[tuple, list[int]] = defaultdict(list)
            for s, k in flat.signed_operands(i):
                table[s, names[k]].append(k)
            tables.append(table)
        taken: dict[tuple, int] = defaultdict(int)
        out = []
        for s, k in flat.signed_operands(first):
            key = (s, names[k])
            out.append(tuple(table[key][taken[key]] for table in tables))
            taken[key] += 1
        return out

    def _operation(self, making: _Making, i: int, operands: Sequence[int]) -> int:
        flat, graph = self.flat, making.graph
        if i in flat.terms:
            return self._total(graph, [(s, x) for (s, _), x in zip(flat.signed_operands(i), operands, strict=True)])
        return graph.build(flat.ops[i], tuple(operands))

    @staticmethod
    def _total(graph: Graph, terms: list[Term]) -> int:
        """A sum of signed nodes, positive ones first."""
        ordered = [t for t in terms if t[0] > 0] + [t for t in terms if t[0] < 0]
        sign, total = ordered[0]
        total = total if sign > 0 else graph.neg(total)
        for sign, node in ordered[1:]:
            total = graph.add(total, node) if sign > 0 else graph.sub(total, node)
        return total

    # ---------------------------------------------------------------- wires

    def _column(self, making: _Making, nodes: tuple[int, ...]) -> int:
        """Node of a lane's stage for K nodes of the program, one a lane."""
        flat, first = self.flat, nodes[0]
        if all(i == first for i in nodes):
            return making.graph.const(flat.args[first][0]) if flat.ops[first] == CONST else self._scalar(making, first)
        unit = self._unit(first)
        if unit is not None and unit in making.node:
            return making.node[unit]
        sources = tuple(self._source(i) for i in nodes)
        number = making.own.setdefault(sources, len(making.own))
        return making.graph.raw(INPUT, -1 - number)

    def _scalar(self, making: _Making, i: int) -> int:
        """Node of a stage for one node of the program."""
        if self.flat.ops[i] == CONST:
            return making.graph.const(self.flat.args[i][0])
        unit = self._unit(i)
        if unit is not None and unit in making.node and unit[0] == "n":
            return making.node[unit]
        return self._input(making, self._source(i))

    @staticmethod
    def _input(making: _Making, source: Source) -> int:
        return making.graph.raw(INPUT, making.shared.setdefault(source, len(making.shared)))

    def _source(self, i: int) -> Source:
        if self.flat.ops[i] == INPUT:
            return Source(-1, self.flat.args[i][0])
        unit = self._unit(i)
        assert unit is not None
        stage = self.made[self.home[unit]]
        return Source(stage.number, stage.kept[unit], self.groups.at[i][1] if unit[0] == "g" else 0)

    def _summed_source(self, i: int) -> Source:
        stage = self.made[self.home["r", i]]
        return Source(stage.number, -1 - stage.summed["r", i])

    def _result(self, i: int) -> Source:
        if self.flat.ops[i] != CONST:
            return self._source(i)
        stage = next(m for m in self.made if m.lanes == 1)
        unit = ("c", i)
        if unit not in stage.kept:
            stage.kept[unit] = len(stage.kept)
            stage.node[unit] = stage.graph.const(self.flat.args[i][0])
        return Source(stage.number, stage.kept[unit])

    # ---------------------------------------------------------------- checks

    def _checks(self) -> None:
        by_group: dict[int, dict[int, list[NodeCheck]]] = defaultdict(lambda: defaultdict(list))
        single: list[NodeCheck] = []
        for check in self.flat.program.checks:
            check = replace(check, node=self._same(check.node))
            if check.node in self.groups.at:
                group, lane = self.groups.at[check.node]
                by_group[group][lane].append(check)
            else:
                single.append(check)
        for group, lanes in by_group.items():
            numbers = {len(checks) for checks in lanes.values()}
            if len(lanes) == self.groups.lanes and len(numbers) == 1:
                making = self.made[self.home["g", group]]
                for rows in zip(*[lanes[k] for k in range(self.groups.lanes)], strict=True):
                    check = LaneCheck(tuple(c.failure for c in rows), tuple(c.minimum for c in rows))
                    making.checks.append((check, making.node["g", group]))
            else:
                single += [c for checks in lanes.values() for c in checks]
        for check in single:
            self._single_check(check)

    def _single_check(self, check: NodeCheck) -> None:
        unit = self._unit(check.node)
        if unit is not None and unit[0] == "n":
            making = self.made[self.home[unit]]
        else:
            if unit is not None:
                home = self.made[self.home[unit]]
                home.kept.setdefault(unit, len(home.kept))
            if not self.made or self.made[-1].lanes != 1:
                self.made.append(_Making(len(self.made), 1))
            making = self.made[-1]
        lane_check = LaneCheck((check.failure,), (check.minimum,))
        making.checks.append((lane_check, self._scalar(making, check.node)))

    # ---------------------------------------------------------------- the finished stage

    def _stage(self, making: _Making) -> RolledStage:
        graph = making.graph
        n = len(making.shared)
        args = [
            (a[0] if a[0] >= 0 else n - 1 - a[0],) if op == INPUT else a
            for op, a in zip(graph.ops, graph.args, strict=True)
        ]
        results = [making.node[u] for u in making.kept] + [making.node[u] for u in making.summed]
        kept, summed = len(making.kept), len(making.summed)
        program = Program(
            (Slot(SHARED, (n,)), Slot(OWN, (len(making.own),))),
            (Slot(KEPT, (kept,)), Slot(SUMMED, (summed,))),
            graph.ops,
            args,
            tuple(results),
            tuple(NodeCheck(Status.OK.at(str(k)), node, 0.0) for k, (_, node) in enumerate(making.checks)),
            graph.notes,
            f"{self.flat.program.name} stage {making.number}",
        )
        place = {s: self._final(s) for s in (*making.shared, *(s for column in making.own for s in column))}
        return RolledStage(
            remove_dead_code(program),
            making.lanes,
            tuple(place[s] for s in making.shared),
            tuple(tuple(place[s] for s in column) for column in making.own),
            tuple(check for check, _ in making.checks),
        )

    def _final(self, source: Source) -> Source:
        """Sums are counted after what is kept, once that is known."""
        if source.stage < 0 or source.place >= 0:
            return source
        return Source(source.stage, len(self.made[source.stage].kept) - 1 - source.place)


def common_text(texts: Sequence[str]) -> str:
    """What texts have in common, with * where they differ: "leg*: recursion"."""
    if len(set(texts)) == 1:
        return texts[0]
    start = _shared_start(texts)
    end = _shared_start([t[len(start) :][::-1] for t in texts])[::-1]
    return f"{start}*{end}"


def _shared_start(texts: Sequence[str]) -> str:
    letters = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return "".join(column[0] for column in letters)


LEAST_LANES = 2
PROMISING = 0.5
"""Numbers of lanes that save less than this share of the best at the first look are not looked at again."""


def roll(program: Program, lanes: int | None = None, least: int = LEAST_LANES, share: float = 0.0) -> Rolled | None:
    """The program with what it does K times alike written once; None where nothing is.

    program: without blocks. lanes: K, default the number of which most is found. least: smallest K that is tried.
    share: of the nodes that must come in K of one shape for a closer look.
    """
    flat = FlatSums(program)
    shapes = Shapes(flat)
    tried = [lanes] if lanes is not None else lane_numbers(shapes, least, share)
    first = [first_groups(flat, columns, k) or Groups(k) for k in tried if (columns := find_columns(shapes, k))]
    if not any(groups.members for groups in first):
        return None
    most = max(groups.saved for groups in first)
    full = [more_groups(flat, groups) for groups in first if groups.saved >= PROMISING * most]
    best = max(full, key=lambda groups: groups.saved)
    flat.merge(best.equal)
    staged = stage(flat, best)
    if not staged.groups.members:
        return None
    return Builder(flat, staged).build()
