"""Jacobians, directional derivatives and vector–Jacobian products of a linearised program, as programs;
derivatives of a program by its input slots."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gough.errors import UsageError
from gough.program.derivatives._linearise import linearise
from gough.program.derivatives._net import Net, Row, SweepCount, Writing, backward, forward
from gough.program.graph import CONST, Graph
from gough.program.ops import Op
from gough.program.passes.expand_blocks import inline_calls
from gough.program.passes.outputs import remove_dead_code
from gough.program.passes.rewrite import replay
from gough.program.program import NodeCheck, Program, Slot

MODES = ("auto", "forward", "reverse")


@dataclass(frozen=True)
class Directions:
    """How a slot may move: its name, the shape of a motion, the vertices of its single motions, its unit."""

    name: str
    shape: tuple[int, ...]
    vertices: tuple[int, ...]
    unit: str = ""


@dataclass(frozen=True)
class Derivation:
    """A program, its nodes `new` in the net's graph, the vertices `at` of its nodes, and the directions it may move in.

    first: vertices a reduction eliminates before all others, in this order. Take one derivative of a Derivation: it is used up.
    """

    program: Program
    net: Net
    new: Sequence[int]
    at: dict[int, int]
    directions: tuple[Directions, ...]
    first: tuple[int, ...] = ()

    def jacobian(self, mode: str = "auto") -> Program:
        """Outputs "<output>_<slot>" (*output, *slot), those of the first slot first.

        mode: "forward" or "reverse" sweep the net as it is; "auto" takes the cheapest of these and of both sweeps over
        the reduced net, by their numbers of operations.
        """
        if mode not in MODES:
            raise UsageError(f"mode={mode!r}; use one of {', '.join(MODES)}")
        sources = [v for d in self.directions for v in d.vertices]
        sinks = [self._sum({k: self.net.graph.const(1.0)}) for k in range(len(self.program.results))]
        drop_useless(self.net, sinks)
        net = self.net
        if mode == "auto":
            net, mode = _cheapest(net, sources, sinks, self.first)
        net.graph.note = f"derivatives, {mode}"
        one = net.graph.const(1.0)
        if mode == "forward":
            swept = forward(net, _units(sources, one), Writing(net))
            rows = [swept[v] for v in sinks]
        else:
            swept = backward(net, _units(sinks, one), Writing(net))
            rows = [{k: swept[v][s] for k, v in enumerate(sources) if s in swept[v]} for s in range(len(sinks))]
        outputs, results = self._blocks(rows)
        return self._program(outputs, results, "d/d" + ",".join(d.name for d in self.directions))

    def jvp(self) -> Program:
        """New inputs "d_<slot>", outputs "d_<output>": the derivative along one direction."""
        net, position, inputs = self.net, self.program.n_inputs, []
        seeds: dict[int, Row] = {}
        for d in self.directions:
            inputs.append(Slot(f"d_{d.name}", d.shape, d.unit))
            for v in d.vertices:
                seeds[v] = {0: net.graph.raw(Op.INPUT, position)}
                position += 1
        sinks = [self._sum({k: net.graph.const(1.0)}) for k in range(len(self.program.results))]
        drop_useless(self.net, sinks)
        net.graph.note = "derivatives, forward"
        rows = forward(net, seeds, Writing(net))
        outputs = [Slot(f"d_{s.name}", s.shape) for s in self.program.outputs]
        return self._program(outputs, [rows[v].get(0) for v in sinks], "jvp", inputs)

    def vjp(self) -> Program:
        """New inputs "bar_<output>" (weights of the results), outputs "bar_<slot>": the gradient of the weighted sum."""
        net, position, inputs = self.net, self.program.n_inputs, []
        weights: list[int] = []
        for slot in self.program.outputs:
            inputs.append(Slot(f"bar_{slot.name}", slot.shape))
            for _ in range(slot.size):
                weights.append(net.graph.raw(Op.INPUT, position))
                position += 1
        sink = self._sum(dict(enumerate(weights)))
        drop_useless(net, [sink])
        net.graph.note = "derivatives, reverse"
        rows = backward(net, _units([sink], net.graph.const(1.0)), Writing(net))
        outputs = [Slot(f"bar_{d.name}", d.shape) for d in self.directions]
        return self._program(outputs, [rows[v].get(0) for d in self.directions for v in d.vertices], "vjp", inputs)

    def _sum(self, weights: dict[int, int]) -> int:
        """A vertex that sums results, {number of the result: weight}."""
        vertex = self.net.vertex()
        for k, weight in weights.items():
            if self.program.results[k] in self.at:
                self.net.add_edge(self.at[self.program.results[k]], vertex, weight)
        return vertex

    def _blocks(self, rows: Sequence[Row]) -> tuple[list[Slot], list[int | None]]:
        """One output for every pair of slot and output."""
        outputs, results, start = [], [], 0
        for d in self.directions:
            columns, k = range(start, start + len(d.vertices)), 0
            for slot in self.program.outputs:
                outputs.append(Slot(f"{slot.name}_{d.name}", (*slot.shape, *d.shape)))
                results += [row.get(c) for row in rows[k : k + slot.size] for c in columns]
                k += slot.size
            start = columns.stop
        return outputs, results

    def _program(
        self, outputs: list[Slot], results: list[int | None], label: str, inputs: Sequence[Slot] = ()
    ) -> Program:
        graph, program = self.net.graph, self.program
        zero = graph.const(0.0)
        graph.note = None
        checks = [NodeCheck(c.failure, self.new[c.node], c.minimum) for c in program.checks]
        return remove_dead_code(
            replace(
                program,
                name=f"{program.name} {label}",
                inputs=(*program.inputs, *inputs),
                outputs=tuple(outputs),
                ops=graph.ops,
                args=graph.args,
                notes=graph.notes,
                results=tuple(zero if r is None else r for r in results),
                checks=tuple(c for c in checks if graph.ops[c.node] != CONST or graph.args[c.node][0] < c.minimum),
            )
        )


def _units(vertices: Sequence[int], one: object) -> dict[int, Row]:
    return {v: {k: one} for k, v in enumerate(vertices)}


def _cheapest(net: Net, sources: Sequence[int], sinks: Sequence[int], first: Sequence[int]) -> tuple[Net, str]:
    """The net, as it is or reduced, and the sweep with the fewest operations; of equals the first tried."""
    candidates = [net]
    for cheap_first in (False, True):
        small = net.copy()
        for v in first:
            small.eliminate(v)
        reduce_net(small, (*sources, *sinks), cheap_first)
        candidates.insert(-1, small)
    best: tuple[int, Net, str] | None = None
    for candidate in candidates:
        for mode, sweep, ends in (("forward", forward, sources), ("reverse", backward, sinks)):
            counting = SweepCount(candidate)
            sweep(candidate, _units(ends, SweepCount.one), counting)
            if best is None or counting.work + candidate.work < best[0]:
                best = (counting.work + candidate.work, candidate, mode)
    assert best is not None
    return best[1], best[2]


# Make a net smaller before sweeping it: eliminate vertices as long as that leaves fewer edges.
#
# Every further edge costs a multiplication and an addition for each direction of a sweep, an elimination costs them once.
# What remains are the bottlenecks of the equations: the motion of each leg's end, the leg's force on the platform. So a
# leg's own derivatives are found once and meet the directions of the whole robot only through those few numbers.

WIDEST = 400
"""Vertices with more pairs of edges are kept without a look at what they would leave."""


def reduce_net(net: Net, keep: Iterable[int], cheap_first: bool) -> None:
    """Eliminate vertices, but those in `keep` and the ends of solves.

    Of equal gains the last in the program goes first, or, with `cheap_first`, the one with the fewest products: which of
    the two leaves less work depends on the equations.
    """
    into, out = net.into, net.out
    kept = set(keep)
    for stage in net.solves:
        for columns in (stage.w, stage.x):
            for column in columns:
                kept.update(column)

    def growth(v: int) -> int:
        """Edges after eliminating v less those before."""
        sources, targets = into[v], out[v]
        pairs = len(sources) * len(targets)
        if pairs > WIDEST:
            return pairs
        present = sum(u in into[k] for k in targets for u in sources)
        return pairs - present - len(sources) - len(targets)

    def entry(g: int, v: int) -> tuple[int, int, int]:
        return g, len(into[v]) * len(out[v]) if cheap_first else 0, -v

    current = {v: growth(v) for v in range(len(into)) if v not in kept}
    heap = [entry(g, v) for v, g in current.items() if g < 0]
    heapq.heapify(heap)
    while heap:
        g, _, v = heapq.heappop(heap)
        v = -v
        if current.get(v) != g:
            continue
        neighbours = (*into[v], *out[v])
        net.eliminate(v)
        del current[v]
        for k in neighbours:
            if k in current:
                new = growth(k)
                if new != current[k]:
                    current[k] = new
                    if new < 0:
                        heapq.heappush(heap, entry(new, k))


def drop_useless(net: Net, sinks: Iterable[int]) -> None:
    """Take away all vertices that no sink needs."""
    behind = {v: stage for stage in net.solves for column in stage.x for v in column}
    useful = bytearray(len(net.into))
    stack = list(sinks)
    while stack:
        v = stack.pop()
        if useful[v]:
            continue
        useful[v] = 1
        stack += net.into[v]
        if v in behind:
            stack += [k for column in behind[v].w for k in column]
    for v, into in enumerate(net.into):
        if not useful[v]:
            for u in into:
                del net.out[u][v]
            net.into[v] = {}
    net.solves = [stage for stage in net.solves if useful[stage.x[0][0]] or any(useful[v] for c in stage.x for v in c)]


def derive(program: Program, wrt: str | Sequence[str], mode: str = "jacobian") -> Program:
    """The derivative by one slot or several; mode: "jacobian", "jvp", "vjp", or "forward" and "reverse" for a Jacobian
    by that sweep."""
    modes = ("jacobian", "jvp", "vjp", *MODES[1:])
    if mode not in modes:
        raise UsageError(f"mode={mode!r}; use one of {', '.join(modes)}")
    if mode in ("jvp", "vjp"):
        return jvp(program, wrt) if mode == "jvp" else vjp(program, wrt)
    return jacobian(program, wrt, "auto" if mode == "jacobian" else mode)


def jacobian(program: Program, wrt: str | Sequence[str], mode: str = "auto") -> Program:
    """Outputs "<output>_<slot>" of shape (*output, *slot) for each slot in `wrt`; see `Derivation.jacobian`."""
    return prepare(program, wrt).jacobian(mode)


def jvp(program: Program, wrt: str | Sequence[str]) -> Program:
    """Directional derivative: new inputs "d_<slot>" for each slot in `wrt`, outputs "d_<output>"."""
    return prepare(program, wrt).jvp()


def vjp(program: Program, wrt: str | Sequence[str]) -> Program:
    """Reverse mode: new inputs "bar_<output>" (weights), outputs "bar_<slot>" for each slot in `wrt`."""
    return prepare(program, wrt).vjp()


def names_of(wrt: str | Sequence[str], program: Program) -> tuple[str, ...]:
    """The slots of `wrt`, each an input of the program."""
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    slots = [s.name for s in program.inputs]
    for name in names:
        if name not in slots:
            raise UsageError(f"{program.name} has no input {name!r}; it has {slots}")
    if not names or len(set(names)) < len(names):
        raise UsageError(f"wrt={wrt!r}; give one or more different inputs of {slots}")
    return names


def prepare(program: Program, wrt: str | Sequence[str]) -> Derivation:
    """A program made ready: its slots in `wrt` move entry by entry."""
    names = names_of(wrt, program)
    program = inline_calls(program)
    graph = Graph()
    new = replay(program, graph)
    net = Net(graph)
    slots = {s.name: s for s in program.inputs}
    moving: dict[int, int] = {}
    directions = []
    for name in names:
        slot, offset = slots[name], program.input_offset(name)
        vertices = tuple(net.vertex() for _ in range(slot.size))
        moving.update({offset + k: v for k, v in enumerate(vertices)})
        directions.append(Directions(name, slot.shape, vertices, slot.unit))
    return Derivation(program, net, new, linearise(net, program, new, moving), tuple(directions))


def push_forward(
    program: Program, graph: Graph, new: Sequence[int], seeds: Mapping[int, Sequence[int]], n: int
) -> dict[int, list[int]]:
    """Tangents {result node of the program: [direction]} in `graph`, where `new` are the program's nodes replayed into it.

    seeds: {input position: tangent nodes (n,)}; other inputs do not move.
    """
    net = Net(graph)
    moving = {position: net.vertex() for position in seeds}
    at = linearise(net, program, new, moving)
    start = {
        moving[position]: {d: x for d, x in enumerate(nodes) if not net.is_zero(x)} for position, nodes in seeds.items()
    }
    rows = forward(net, start, Writing(net))
    zero = graph.const(0.0)
    return {i: [rows[at[i]].get(d, zero) if i in at else zero for d in range(n)] for i in program.results}
