"""Stages with more sums over the legs than a thread can hold, taken apart.

A Jacobian's legs add up a right-hand side for every direction: a hundred sums, which registers do not hold. But a result depends
on few of them. Sums are grouped by the results they lead to; each group has a stage in lanes of its own, and what follows from it
once comes right behind, so that its sums are gone before the next group begins. What several groups need of a leg is made by the
first of them; `remake` settles whether others load it or make it again.
"""

from dataclasses import dataclass

from gough.backends.cuda.staged._bodies import MINE, StageGraph, Value, Wire
from gough.program.graph import CONST, INPUT


def split_sums(bodies: list[StageGraph], results: list[Value], most: int) -> tuple[list[StageGraph], list[Value]]:
    """Bodies and results with at most `most` sums a stage, where results let them be told apart."""
    number = 0
    while number < len(bodies):
        if bodies[number].lanes > 1 and len(bodies[number].sums) > most:
            groups = _groups_of_sums(bodies, results, number, most)
            if len(groups) > 1:
                bodies, results = _Split(bodies, results, number, groups).run()
                number += 2 * len(groups) - 1
        number += 1
    return bodies, results


def _groups_of_sums(bodies: list[StageGraph], results: list[Value], number: int, most: int) -> list[list[int]]:
    """Sums of a stage: first those that legs depend on later, then others in the order of their results."""
    leads_to = _results_of_sums(bodies, results, number)
    common = [k for k, bits in enumerate(leads_to) if bits >> len(results)]
    groups: list[list[int]] = [common] if common else []
    atoms: dict[int, list[int]] = {}
    for k, bits in sorted(enumerate(leads_to), key=lambda x: (x[1] & -x[1], x[1], x[0])):
        if k not in common:
            atoms.setdefault(bits, []).append(k)
    begun: list[int] = []
    for atom in atoms.values():
        if begun and len(begun) + len(atom) > most:
            groups.append(begun)
            begun = []
        begun = begun + atom
    return [*groups, begun] if begun else groups


def _results_of_sums(bodies: list[StageGraph], results: list[Value], number: int) -> list[int]:
    """Of every sum of a stage the results that depend on it, as bits; one bit more if a later stage in lanes does."""
    wanted: dict[tuple[int, int, bool], int] = {}

    def want(value: Value, bits: int) -> None:
        if value.stage >= 0:
            key = (value.stage, value.node, value.total)
            wanted[key] = wanted.get(key, 0) | bits

    for k, value in enumerate(results):
        want(value, 1 << k)
    for stage in range(len(bodies) - 1, number, -1):
        body = bodies[stage]
        in_lanes = 1 << len(results) if body.lanes > 1 else 0
        bits = [wanted.get((stage, i, False), 0) for i in range(len(body.graph.ops))]
        for k, i in enumerate(body.sums):
            bits[i] |= wanted.get((stage, k, True), 0)
        for i in range(len(bits) - 1, -1, -1):
            if body.graph.ops[i] == INPUT:
                for value in _values(body.wires[body.graph.args[i][0]]):
                    want(value, bits[i] | in_lanes)
            for k in body.operands(i):
                bits[k] |= bits[i]
    return [wanted.get((number, k, True), 0) for k in range(len(bodies[number].sums))]


def _values(wire: Wire) -> tuple[Value, ...]:
    return wire if isinstance(wire, tuple) else (wire,)


@dataclass
class _Split:
    """One stage in lanes, and the one behind it where that runs once, in parts."""

    bodies: list[StageGraph]
    results: list[Value]
    number: int
    groups: list[list[int]]

    def run(self) -> tuple[list[StageGraph], list[Value]]:
        """All bodies anew."""
        bodies, first, parts = self.bodies, self.number, len(self.groups)
        single = first + 1 < len(bodies) and bodies[first + 1].lanes == 1
        self.nodes: dict[tuple[int, int], tuple[int, int]] = {}
        self.totals: dict[int, tuple[int, int]] = {}
        step = 2 if single else 1
        after = first + step
        self.stage_of = {k: k if k < first else k + (step * parts - step) for k in range(len(bodies))}
        self.part_of_sum = {k: j for j, group in enumerate(self.groups) for k in group}
        made: list[StageGraph] = [StageGraph(bodies[first].lanes) for _ in range(parts)]
        levels = {first: self._lane_levels()}
        where = {first: [first + step * j for j in range(parts)]}
        rows = [made]
        if single:
            levels[first + 1] = self._single_levels(levels[first])
            where[first + 1] = [first + 1 + step * j for j in range(parts)]
            rows.append([StageGraph(1) for _ in range(parts)])
        for j in range(parts):
            for old, row in zip(levels, rows, strict=True):
                self._fill(old, row[j], j, levels[old], where[old])
        new = [*bodies[:first], *(row[j] for j in range(parts) for row in rows)]
        for body in bodies[after:]:
            mine = body.lanes == bodies[first].lanes
            new.append(self._moved(body, levels[first], len(new)) if mine else self._renamed(body))
        return new, [self._value(v) for v in self.results]

    def _renamed(self, body: StageGraph) -> StageGraph:
        """A later body with wires to the parts."""
        body.wires = [self._wire(w) for w in body.wires]
        body.place = {w: k for k, w in enumerate(body.wires)}
        return body

    def _moved(self, body: StageGraph, level: list[int], stage: int) -> StageGraph:
        """A later body in lanes, which makes itself what no part needs."""
        first, parts = self.bodies[self.number], len(self.groups)
        wanted = [v.node for w in body.wires if isinstance(v := w, Value) and v.stage == self.number and not v.total]
        mine = {k for k in wanted if level[k] == parts and (self.number, k) not in self.nodes}
        for i in range(len(level) - 1, -1, -1):
            if i in mine:
                mine |= {k for k in first.operands(i) if level[k] == parts and (self.number, k) not in self.nodes}
        if not mine:
            return self._renamed(body)
        out = StageGraph(body.lanes)
        made: dict[int, int] = {}

        def earlier(k: int) -> int:
            if first.graph.ops[k] == CONST:
                return out.graph.const(first.graph.args[k][0])
            if first.graph.ops[k] == INPUT:
                return out.read(self._wire(first.wires[first.graph.args[k][0]]))
            return made[k] if k in made else out.read(Value(*self.nodes[self.number, k], MINE))

        for i in sorted(mine):
            out.graph.note = first.graph.notes[i]
            made[i] = (
                earlier(i)
                if first.graph.ops[i] <= CONST
                else out.graph.raw(first.graph.ops[i], *(earlier(k) for k in first.graph.args[i]))
            )
        self.nodes |= {(self.number, i): (stage, node) for i, node in made.items()}
        new: list[int] = []
        for i, op in enumerate(body.graph.ops):
            out.graph.note = body.graph.notes[i]
            args = body.graph.args[i]
            if op == CONST:
                new.append(out.graph.const(args[0]))
            elif op == INPUT:
                wire = body.wires[args[0]]
                local = isinstance(wire, Value) and wire.stage == self.number and not wire.total and wire.node in made
                new.append(made[wire.node] if local else out.read(self._wire(wire)))  # type: ignore[union-attr]
            else:
                new.append(out.graph.raw(op, *(new[k] for k in args)))
        out.sums = [new[i] for i in body.sums]
        out.checks = [(check, new[i]) for check, i in body.checks]
        for i, k in enumerate(new):
            self.nodes[self.bodies.index(body), i] = (stage, k)
        return out

    def _lane_levels(self) -> list[int]:
        """Of every node the first part that needs it; what stages that run once read of a leg belongs to the first of all."""
        body, number = self.bodies[self.number], self.number
        level = [len(self.groups)] * len(body.graph.ops)
        for _, i in body.checks:
            level[i] = 0
        others = [v for b in self.bodies[number + 1 :] for w in b.wires for v in _values(w)]
        read = [v for v in (*others, *self.results) if v.stage == number and not v.total]
        for v in read:
            if v.lane != MINE:
                level[v.node] = 0
        for j in range(len(self.groups) - 1, -1, -1):
            for k in self.groups[j]:
                level[body.sums[k]] = min(level[body.sums[k]], j)
        _spread(body, level)
        return level

    def _single_levels(self, lane_levels: list[int]) -> list[int]:
        """Of every node of the stage behind the part after which all it reads is there."""
        body = self.bodies[self.number + 1]
        level: list[int] = []
        for i, op in enumerate(body.graph.ops):
            found = [level[k] for k in body.operands(i)]
            if op == INPUT:
                for v in _values(body.wires[body.graph.args[i][0]]):
                    if v.stage == self.number:
                        found.append(self.part_of_sum[v.node] if v.total else lane_levels[v.node])
            level.append(max(found, default=0))
        return level

    def _fill(self, old: int, body: StageGraph, part: int, level: list[int], where: list[int]) -> None:
        """Nodes of one part, others' nodes as wires."""
        source = self.bodies[old]
        lane = MINE if source.lanes > 1 else 0
        known: dict[int, int] = {}

        def node(k: int) -> int:
            op = source.graph.ops[k]
            if op == CONST:
                return body.graph.const(source.graph.args[k][0])
            if op == INPUT:
                return body.read(self._wire(source.wires[source.graph.args[k][0]]))
            if level[k] == part:
                return known[k]
            stage, there = self.nodes[old, k]
            return body.read(Value(stage, there, lane))

        for i, op in enumerate(source.graph.ops):
            if level[i] != part and op > CONST:
                continue
            if op <= CONST:
                if level[i] == part:  # an input that is a result, a sum or handed on as it is
                    known[i] = node(i)
                    self.nodes[old, i] = (where[part], known[i])
                continue
            body.graph.note = source.graph.notes[i]
            known[i] = body.graph.raw(op, *(node(k) for k in source.graph.args[i]))
            self.nodes[old, i] = (where[part], known[i])
        if source.lanes > 1:
            for k in self.groups[part]:
                self.totals[k] = (where[part], len(body.sums))
                body.sums.append(node(source.sums[k]))
        body.checks += [(check, node(i)) for check, i in source.checks if level[i] == part]

    def _wire(self, wire: Wire) -> Wire:
        return tuple(self._value(v) for v in wire) if isinstance(wire, tuple) else self._value(wire)

    def _value(self, v: Value) -> Value:
        if v.stage < 0:
            return v
        if v.total and v.stage == self.number:
            stage, k = self.totals[v.node]
            return Value(stage, k, v.lane, True)
        if not v.total and (v.stage, v.node) in self.nodes:
            stage, node = self.nodes[v.stage, v.node]
            return Value(stage, node, v.lane)
        return Value(self.stage_of[v.stage], v.node, v.lane, v.total)


def _spread(body: StageGraph, level: list[int]) -> None:
    """Operands are needed where their nodes are."""
    for i in range(len(level) - 1, -1, -1):
        for k in body.operands(i):
            level[k] = min(level[k], level[i])
