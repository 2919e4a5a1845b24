"""Stages of a rolled program as bodies whose inputs say which node of which stage they are.

`program.rolling` counts the outputs of a stage; here outputs are nodes, so that a body may read any node of an earlier
one, and work can move between bodies before it is settled what is stored.
"""

from collections import deque
from dataclasses import dataclass, field

from gough.program.graph import CONST, INPUT, Graph
from gough.program.ops import Op
from gough.program.rolling import LaneCheck, Rolled, RolledStage, Source

MINE = -1


@dataclass(frozen=True)
class Value:
    """One number. stage < 0: input `node` of the program. Else node `node` of a stage; of a stage that runs in lanes, the
    one of a given lane, or of the lane that reads it (MINE). total: the sum over all lanes number `node`."""

    stage: int
    node: int
    lane: int = 0
    total: bool = False


Wire = Value | tuple[Value, ...]
"""What an input of a body reads: one number, or one for each lane."""


@dataclass
class StageGraph:
    """Nodes of a stage; INPUT's payload counts `wires`. sums: nodes that are summed over the lanes."""

    lanes: int
    graph: Graph = field(default_factory=Graph)
    wires: list[Wire] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    checks: list[tuple[LaneCheck, int]] = field(default_factory=list)
    place: dict[Wire, int] = field(default_factory=dict)
    """Of every wire in `wires`."""

    def operands(self, i: int) -> tuple[int, ...]:
        """Nodes that node i reads."""
        return () if self.graph.ops[i] <= CONST else self.graph.args[i]

    def read(self, wire: Wire) -> int:
        """The node of an input, made when new."""
        place = self.place.setdefault(wire, len(self.wires))
        if place == len(self.wires):
            self.wires.append(wire)
        return self.graph.raw(INPUT, place)


def bodies_of(rolled: Rolled) -> tuple[list[StageGraph], list[Value]]:
    """(bodies, values of the results)."""
    bodies: list[StageGraph] = []

    def value(source: Source) -> Value:
        if source.stage < 0:
            return Value(-1, source.place)
        stage = rolled.stages[source.stage]
        if source.place < stage.kept:
            return Value(source.stage, nodes[source.stage][stage.program.results[source.place]], source.lane)
        return Value(source.stage, source.place - stage.kept, total=True)

    nodes: list[list[int]] = []
    for stage in rolled.stages:
        wires = [value(s) for s in stage.shared]
        wires += [_column(tuple(value(s) for s in column)) for column in stage.own]
        body = StageGraph(stage.lanes)
        nodes.append(_copied(stage, body, wires))
        new, program = nodes[-1], stage.program
        body.sums = [new[i] for i in program.results[stage.kept :]]
        body.checks = [(check, new[c.node]) for check, c in zip(stage.checks, program.checks, strict=True)]
        bodies.append(body)
    return bodies, [value(s) for s in rolled.results]


def _column(values: tuple[Value, ...]) -> Wire:
    first = values[0]
    if first.stage >= 0 and all(v == Value(first.stage, first.node, k) for k, v in enumerate(values)):
        return Value(first.stage, first.node, MINE)
    return values


def _copied(stage: RolledStage, body: StageGraph, wires: list[Wire]) -> list[int]:
    """New nodes by old ones."""
    new: list[int] = []
    program = stage.program
    for i, op in enumerate(program.ops):
        body.graph.note = program.notes[i] if program.notes else ""
        args = program.args[i]
        if op == INPUT:
            new.append(body.read(wires[args[0]]))
        elif op == CONST:
            new.append(body.graph.const(args[0]))
        else:
            new.append(body.graph.raw(op, *(new[k] for k in args)))
    return new


# What a stage needs from earlier ones: stored and loaded, or made again.
#
# A leg's forward pass leaves some sixty values for its reverse pass; six legs of them fit into no fast memory, and most
# follow from a dozen others by a few operations. For every stage the choice is a cheapest cut: a value is there because it
# is loaded (price `keep`), or because it is computed here (the price of its operation) and its operands are there.

ENDLESS = 1e15
SMALL = 1e-9


class Network:
    """Arcs with capacities between nodes 0 … n-1; the cheapest cut by Dinic's algorithm."""

    def __init__(self, n: int) -> None:
        self.arcs: list[list[list]] = [[] for _ in range(n)]

    def add_arc(self, a: int, b: int, capacity: float) -> None:
        """An arc from a to b."""
        self.arcs[a].append([b, capacity, len(self.arcs[b])])
        self.arcs[b].append([a, 0.0, len(self.arcs[a]) - 1])

    def source_side(self, source: int, target: int) -> list[bool]:
        """Nodes on the source's side of a cheapest cut; of several the one with fewest nodes there."""
        while True:
            level = self._levels(source)
            if level[target] < 0:
                return [x >= 0 for x in level]
            tried = [0] * len(self.arcs)
            while self._push(source, target, level, tried):
                pass

    def _levels(self, source: int) -> list[int]:
        level = [-1] * len(self.arcs)
        level[source] = 0
        queue = deque([source])
        while queue:
            a = queue.popleft()
            for b, room, _ in self.arcs[a]:
                if room > SMALL and level[b] < 0:
                    level[b] = level[a] + 1
                    queue.append(b)
        return level

    def _push(self, source: int, target: int, level: list[int], tried: list[int]) -> bool:
        """Send what fits along one path of rising levels."""
        path: list[tuple[int, int]] = []
        at = source
        while at != target:
            while tried[at] < len(self.arcs[at]):
                b, room, _ = self.arcs[at][tried[at]]
                if room > SMALL and level[b] == level[at] + 1:
                    break
                tried[at] += 1
            else:
                if not path:
                    return False
                at, k = path.pop()
                tried[at] = k + 1
                continue
            path.append((at, tried[at]))
            at = b
        amount = min(self.arcs[a][k][1] for a, k in path)
        for a, k in path:
            b, _, back = self.arcs[a][k]
            self.arcs[a][k][1] -= amount
            self.arcs[b][back][1] += amount
        return True


# The network of a stage.

PRICES = {Op.NEG: 0.0, Op.DIV: 7.0, Op.SQRT: 8.0, Op.SIN: 14.0, Op.COS: 14.0, Op.ATAN2: 100.0}
PRICE = 0.6
"""Instructions an operation takes: of sums and products many pairs become one multiply-add."""
Key = tuple[int, int]
"""Stage and node."""


def remake(bodies: list[StageGraph], results: list[Value], uniform: list[bool], keep: float) -> list[Value]:
    """Make bodies compute again what is cheaper than `keep` operations per stored value; returns the new results."""
    new: list[list[int]] = []
    for number, body in enumerate(bodies):
        body.wires = [_renamed(w, new) for w in body.wires]
        needed = _Needed(bodies, number, uniform, keep)
        new.append(_rewritten(bodies, number, needed.again()))
    return [_renamed(v, new) for v in results]  # type: ignore[misc]


def _renamed(wire: Wire, new: list[list[int]]) -> Wire:
    if isinstance(wire, tuple):
        return tuple(_renamed(v, new) for v in wire)  # type: ignore[misc]
    if wire.stage < 0 or wire.total:
        return wire
    return Value(wire.stage, new[wire.stage][wire.node], wire.lane)


def follow(bodies: list[StageGraph], wire: Wire) -> Wire:
    """Where an input really comes from: stages may hand on what they read."""
    if isinstance(wire, tuple):
        return tuple(follow_value(bodies, v) for v in wire)
    if wire.lane != MINE:
        return follow_value(bodies, wire)
    read = _handed_on(bodies, wire)
    return wire if read is None else follow(bodies, read)


def follow_value(bodies: list[StageGraph], value: Value) -> Value:
    """As `follow`, for one number of a known lane."""
    while (read := _handed_on(bodies, value)) is not None:
        if isinstance(read, tuple):
            value = read[value.lane]
        else:
            value = Value(read.stage, read.node, value.lane, read.total) if read.lane == MINE else read
    return value


def _handed_on(bodies: list[StageGraph], value: Value) -> Wire | None:
    """What a stage read where this value of it is an input, else None."""
    if value.stage < 0 or value.total or bodies[value.stage].graph.ops[value.node] != INPUT:
        return None
    body = bodies[value.stage]
    return body.wires[body.graph.args[value.node][0]]


class _Needed:
    """The network of one stage: all it could make again."""

    def __init__(self, bodies: list[StageGraph], number: int, uniform: list[bool], keep: float) -> None:
        self.bodies, self.body, self.uniform, self.keep = bodies, bodies[number], uniform, keep
        self.keys: dict[Key, int] = {}
        self.leaves: dict[Wire, int] = {}
        self.read = set(self.body.wires)

    def again(self) -> set[Key]:
        """Nodes of earlier stages that are made again."""
        roots = [key for w in self.body.wires if (key := self.earlier_node(w))]
        stack = list(roots)
        while stack:
            key = stack.pop()
            if key not in self.keys:
                self.keys[key] = len(self.keys)
                stack.extend(x for x in self._operands(key) if _is_key(x))
        network = self._network(roots)
        side = network.source_side(self.source, self.source + 1)
        return {key for key, k in self.keys.items() if side[2 * k + 1]}

    def _network(self, roots: list[Key]) -> Network:
        operands = {key: self._operands(key) for key in self.keys}
        leaves = {x for row in operands.values() for x in row if not _is_key(x)}
        for leaf in leaves:
            self.leaves[leaf] = len(self.leaves)
        base = 2 * len(self.keys)
        self.source = base + len(self.leaves)
        network = Network(self.source + 2)
        for key, k in self.keys.items():  # 2k: it is there; 2k + 1: it is computed here
            stage, node = key
            network.add_arc(2 * k, 2 * k + 1, self.keep)
            network.add_arc(2 * k + 1, self.source + 1, PRICES.get(Op(self.bodies[stage].graph.ops[node]), PRICE))
            network.add_arc(2 * k + 1, 2 * k, ENDLESS)
            for x in operands[key]:
                network.add_arc(2 * k + 1, 2 * self.keys[x] if _is_key(x) else base + self.leaves[x], ENDLESS)
        for leaf, k in self.leaves.items():
            network.add_arc(base + k, self.source + 1, self._price(leaf))
        for key in roots:
            network.add_arc(self.source, 2 * self.keys[key], ENDLESS)
        return network

    def earlier_node(self, wire: Wire) -> Key | None:
        """The node of an earlier stage of the same kind that an input is; None for other inputs."""
        wire = self.origin(wire)
        if isinstance(wire, tuple) or not self._alike(wire):
            return None
        return None if self.bodies[wire.stage].graph.ops[wire.node] == CONST else (wire.stage, wire.node)

    def origin(self, wire: Wire) -> Wire:
        """What an input is that earlier stages of the same kind hand on."""
        while isinstance(wire, Value) and self._alike(wire):
            graph = self.bodies[wire.stage].graph
            if graph.ops[wire.node] != INPUT:
                break
            wire = self.bodies[wire.stage].wires[graph.args[wire.node][0]]
        return wire

    def _alike(self, value: Value) -> bool:
        if value.stage < 0 or value.total or self.bodies[value.stage].lanes != self.body.lanes:
            return False
        return (self.body.lanes > 1) == (value.lane == MINE)

    def _operands(self, key: Key) -> list:
        """Keys and wires that a node reads."""
        stage, node = key
        body, out = self.bodies[stage], []
        for k in body.operands(node):
            if body.graph.ops[k] == INPUT:
                wire = body.wires[body.graph.args[k][0]]
                out.append(self.earlier_node(wire) or self.origin(wire))
            elif body.graph.ops[k] != CONST:
                out.append((stage, k))
        return out

    def _price(self, wire: Wire) -> float:
        """Of reading an input of an earlier stage here as well."""
        values = wire if isinstance(wire, tuple) else (wire,)
        if wire in self.read or all(v.stage < 0 and self.uniform[v.node] for v in values):
            return 0.0
        if all(v.stage < 0 for v in values):
            return 0.25 * self.keep
        return self.keep / (self.body.lanes if isinstance(wire, Value) else 1)


def _is_key(x: object) -> bool:
    return isinstance(x, tuple) and bool(x) and isinstance(x[0], int)


def _rewritten(bodies: list[StageGraph], number: int, again: set[Key]) -> list[int]:
    """Put nodes of earlier stages into a body, before its own; returns its new nodes by old ones."""
    old = bodies[number]
    needed = _Needed(bodies, number, [], 0.0)
    body = StageGraph(old.lanes)
    made: dict[Key, int] = {}

    def provided(wire: Wire) -> int:
        wire = needed.origin(wire)
        key = needed.earlier_node(wire)
        if key is None:
            constant = _constant(bodies, wire)
            return body.read(wire) if constant is None else body.graph.const(constant)
        return made[key] if key in made else body.read(Value(*key, wire.lane))  # type: ignore[union-attr]

    def copied(stage: int, source: StageGraph, i: int, known: dict[int, int]) -> int:
        op, args = source.graph.ops[i], source.graph.args[i]
        body.graph.note = source.graph.notes[i]
        if op == INPUT:
            return provided(source.wires[args[0]])
        if op == CONST:
            return body.graph.const(args[0])
        if stage != number and (stage, i) not in again:
            return body.read(Value(stage, i, MINE if old.lanes > 1 else 0))
        return body.graph.build(op, tuple(known[k] for k in args))

    for stage, node in sorted(again):
        source = bodies[stage]
        known = {k: made.get((stage, k), -1) for k in source.operands(node)}
        known = {k: x if x >= 0 else copied(stage, source, k, {}) for k, x in known.items()}
        made[stage, node] = copied(stage, source, node, known)
    new: dict[int, int] = {}
    for i in range(len(old.graph.ops)):
        new[i] = copied(number, old, i, new)
    body.sums = [new[i] for i in old.sums]
    body.checks = [(check, new[i]) for check, i in old.checks]
    bodies[number] = body
    return [new[i] for i in range(len(old.graph.ops))]


def _constant(bodies: list[StageGraph], wire: Wire) -> float | None:
    """The number that an input is, where a rewritten stage found that it is one."""
    if isinstance(wire, tuple) or wire.stage < 0 or wire.total:
        return None
    graph = bodies[wire.stage].graph
    return graph.args[wire.node][0] if graph.ops[wire.node] == CONST else None
