"""Make a net smaller before sweeping it: eliminate vertices as long as that leaves fewer edges.

Every further edge costs a multiplication and an addition for each direction of a sweep, an elimination costs them once.
What remains are the bottlenecks of the equations: the motion of each leg's end, the leg's force on the platform. So a
leg's own derivatives are found once and meet the directions of the whole robot only through those few numbers.
"""

import heapq
from collections.abc import Iterable

from gough.program.derivatives.net import Net

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
