"""An instruction order for latency and live values.

First depth first from the results, the operand that needs most registers before the others (Sethi and Ullman): a leg is
then finished before the next begins, and values live for a short time. Then list scheduling on a machine that starts PORTS
operations a cycle: among the operations whose operands are ready, the one with the longest way to the end goes first, as
long as fewer than LIVE values wait for a use; beyond that the one that frees most. Only operations within WINDOW places of
the first one not yet placed compete, which keeps the order nearly depth first.
"""

from bisect import insort
from collections.abc import Iterable
from dataclasses import replace
from heapq import heappop, heappush

from gough.program.graph import CONST
from gough.program.ops import Op
from gough.program.program import NodeCheck, Program

PORTS = 2
NARROW, WIDE = (24, 80), (60, 300)
"""(LIVE, WINDOW) of programs bound by their operations, and of those bound by their longest chain of operations."""
CHAINED = 0.2
"""Cycles of the longest chain per operation above which a program is bound by it."""
LATENCY: dict[int, int] = dict.fromkeys(map(int, Op), 4) | {
    Op.DIV: 24,
    Op.SQRT: 32,
    Op.RCP: 15,
    Op.RSQRT: 22,
    Op.RCP_SEED: 7,
    Op.RSQRT_SEED: 7,
    Op.SIN: 60,
    Op.COS: 60,
    Op.ATAN2: 100,
    Op.NEG: 1,
    Op.ABS: 1,
    Op.QUADRANT_SIN: 6,
    Op.QUADRANT_COS: 6,
}


def order_for_latency(program: Program, live: int | None = None, window: int | None = None) -> Program:
    """The same operations in another order; blocks are not allowed. live, window: instead of those that fit."""
    program = permute(program, depth_first(program))
    fitting = WIDE if longest_chain(program) > CHAINED * len(program.ops) else NARROW
    return permute(program, latency_order(program, live or fitting[0], window or fitting[1]))


def longest_chain(program: Program) -> int:
    """Cycles from the inputs to the last result if nothing but operands had to be waited for."""
    ends = [0] * len(program.ops)
    for i, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
        if op > CONST:
            ends[i] = LATENCY[op] + max([ends[k] for k in args])
    return max(ends, default=0)


def depth_first(program: Program) -> list[int]:
    """Nodes in depth-first order, leaves first; a value that only checks need comes as soon as it can."""
    ops, args = program.ops, program.args
    n = len(ops)
    need = [0] * n
    for i in range(n):
        if ops[i] > CONST:
            needs = [need[k] for k in set(args[i]) if ops[k] > CONST]
            if len(needs) < 2:
                need[i] = needs[0] if needs else 1
            else:
                needs.sort(reverse=True)
                need[i] = max([x + k for k, x in enumerate(needs)])
    order = [i for i in range(n) if ops[i] <= CONST]
    placed = bytearray(n)
    for i in order:
        placed[i] = 1
    wanted = bytearray(n)
    _mark(program, program.results, wanted)
    after: dict[int, list[int]] = {}
    for root in (c.node for c in program.checks):
        if not wanted[root]:
            sources = _sources(program, root, wanted)
            after.setdefault(max(sources, default=-1), []).append(root)
    for root in (*after.pop(-1, ()), *program.results):
        _visit(program, root, need, placed, order, after)
    return order


def _mark(program: Program, roots: Iterable[int], seen: bytearray) -> None:
    stack = list(roots)
    while stack:
        i = stack.pop()
        if not seen[i]:
            seen[i] = 1
            stack += program.operands(i)


def _sources(program: Program, root: int, wanted: bytearray) -> list[int]:
    """Operations that results need too, and that the value of a check is made from."""
    stack, seen, found = [root], {root}, []
    while stack:
        for k in program.operands(stack.pop()):
            if k not in seen:
                seen.add(k)
                if wanted[k]:
                    found += [k] if program.ops[k] > CONST else []
                else:
                    stack.append(k)
    return found


def _visit(
    program: Program, root: int, need: list[int], placed: bytearray, order: list[int], after: dict[int, list[int]]
) -> None:
    stack, args = [root], program.args
    while stack:
        i = stack[-1]
        if not placed[i]:
            first, most = -1, 0
            for k in args[i]:  # of those that need most the one that stands first
                if not placed[k] and (need[k] > most or (need[k] == most and k < first)):
                    first, most = k, need[k]
            if first >= 0:
                stack.append(first)
                continue
        stack.pop()
        if not placed[i]:
            placed[i] = 1
            order.append(i)
            stack += after.pop(i, ())


def latency_order(program: Program, most: int, window: int) -> list[int]:
    """Nodes in their new order, leaves first."""
    ops, args = program.ops, program.args
    n = len(ops)
    operands = [() if op <= CONST else tuple({k for k in a if ops[k] > CONST}) for op, a in zip(ops, args, strict=True)]
    users: list[list[int]] = [[] for _ in range(n)]
    waiting = [len(x) for x in operands]
    for i, x in enumerate(operands):
        for k in x:
            users[k].append(i)
    left = [len(u) for u in users]
    height = [0] * n
    for i in range(n - 1, -1, -1):
        height[i] = LATENCY[ops[i]] + max([height[u] for u in users[i]], default=0)
    order = [i for i in range(n) if ops[i] <= CONST]
    work = [i for i in range(n) if ops[i] > CONST]
    place = {i: k for k, i in enumerate(work)}
    start = [0] * n
    placed = bytearray(n)
    ready: list[tuple[int, int]] = []  # (-height, node), sorted
    later: list[tuple[int, int]] = []  # (cycle, node)
    beyond: list[tuple[int, int]] = [(place[i], i) for i in work if waiting[i] == 0]
    first = alive = cycle = 0
    total = len(work)
    done = 0
    while done < total:
        while placed[work[first]]:
            first += 1
        while beyond and beyond[0][0] < first + window:
            i = heappop(beyond)[1]
            heappush(later, (start[i], i))
        while later and later[0][0] <= cycle:
            i = heappop(later)[1]
            insort(ready, (-height[i], i))
        if not ready:
            cycle = max(cycle + 1, later[0][0])
            continue
        for _ in range(min(PORTS, len(ready))):
            at = 0
            if alive >= most:
                at = min(
                    range(len(ready)), key=lambda k: (_growth(ready[k][1], operands, users, left), place[ready[k][1]])
                )
            i = ready.pop(at)[1]
            alive += _growth(i, operands, users, left)
            placed[i] = 1
            order.append(i)
            done += 1
            for k in operands[i]:
                left[k] -= 1
            end = cycle + LATENCY[ops[i]]
            for u in users[i]:
                waiting[u] -= 1
                if start[u] < end:
                    start[u] = end
                if waiting[u] == 0:
                    if place[u] < first + window:
                        heappush(later, (start[u], u))
                    else:
                        heappush(beyond, (place[u], u))
        cycle += 1
    return order


def _growth(i: int, operands: list[tuple[int, ...]], users: list[list[int]], left: list[int]) -> int:
    """Change of the number of live values when operation i is placed."""
    return (1 if users[i] else 0) - sum(left[k] == 1 for k in operands[i])


def permute(program: Program, order: list[int]) -> Program:
    """The program with its nodes in another order."""
    new = [0] * len(order)
    for k, i in enumerate(order):
        new[i] = k
    ops, args = program.ops, program.args
    return replace(
        program,
        ops=[ops[i] for i in order],
        args=[args[i] if ops[i] <= CONST else tuple([new[k] for k in args[i]]) for i in order],
        notes=[program.notes[i] for i in order] if program.notes else program.notes,
        results=tuple(new[i] for i in program.results),
        checks=tuple(NodeCheck(c.failure, new[c.node], c.minimum) for c in program.checks),
    )
