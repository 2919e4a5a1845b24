"""The order of groups and single nodes: stages that run in all lanes at once, stages that run once.

Units are groups ("g", number), single nodes ("n", node) and sums over the lanes ("r", node): the part of node `node` that
is a sum of whole groups. Each is done as soon as what it reads is there; a stage goes on while anything of its kind is
ready. A group that waits for itself through single nodes is dissolved, and so are stages too small to pay.
"""

from collections import defaultdict, deque
from dataclasses import dataclass, replace

from gough.program._sums import Term
from gough.program.graph import CONST
from gough.program.rolling._columns import FlatSums
from gough.program.rolling._groups import Groups

Unit = tuple[str, int]
SMALLEST_STAGE = 6
"""Operations of a lane below which a stage is dissolved: moving numbers in and out would cost more."""


@dataclass(frozen=True)
class StageOrder:
    """stages: (whether in lanes, units in order). sums: {node: (signed groups that are summed over the lanes, signed
    nodes that are left)}."""

    stages: tuple[tuple[bool, tuple[Unit, ...]], ...]
    groups: Groups
    sums: dict[int, tuple[tuple[Term, ...], tuple[Term, ...]]]


def stage(flat: FlatSums, groups: Groups) -> StageOrder:
    """Stages of a program; groups that cannot be kept are dissolved."""
    groups = _drop_unread(flat, groups)
    while True:
        sums = _lane_sums(flat, groups)
        stages, left = _order_units(flat, groups, sums)
        drop = _in_cycles(left) if left else _in_small(stages)
        if not drop:
            return StageOrder(tuple(stages), groups, sums)
        groups = _without(groups, drop)


def _needed_nodes(flat: FlatSums) -> list[bool]:
    """Nodes that results and checks need, inner sums left out."""
    live = [False] * len(flat.ops)
    for i in flat.ends():
        live[i] = True
    for i in range(len(flat.ops) - 1, -1, -1):
        if live[i]:
            for k in flat.operands(i):
                live[k] = True
    return live


def _drop_unread(flat: FlatSums, groups: Groups) -> Groups:
    """Groups without those that nobody reads."""
    live = _needed_nodes(flat)
    return _without(groups, {g for g, nodes in enumerate(groups.members) if not all(live[i] for i in nodes)})


def _without(groups: Groups, drop: set[int]) -> Groups:
    members = [nodes for g, nodes in enumerate(groups.members) if g not in drop]
    at = {i: (g, lane) for g, nodes in enumerate(members) for lane, i in enumerate(nodes)}
    return replace(groups, members=members, at=at)


def _lane_sums(flat: FlatSums, groups: Groups) -> dict[int, tuple[tuple[Term, ...], tuple[Term, ...]]]:
    """Sums that hold whole groups: every lane of a group, with one sign."""
    found = {}
    for i in flat.terms:
        if i in groups.at:
            continue
        terms = flat.signed_operands(i)
        met: dict[tuple[int, int], set[int]] = defaultdict(set)
        for sign, k in terms:
            if k in groups.at:
                met[sign, groups.at[k][0]].add(groups.at[k][1])
        whole = {key for key, lanes in met.items() if len(lanes) == groups.lanes}
        if whole and len(set(terms)) == len(terms):
            rest = tuple((s, k) for s, k in terms if k not in groups.at or (s, groups.at[k][0]) not in whole)
            found[i] = (tuple(sorted(whole, key=lambda t: t[1])), rest)
    return found


def _reads(flat: FlatSums, groups: Groups, sums: dict, unit: Unit) -> set[Unit]:
    """Units a unit reads."""
    kind, number = unit
    if kind == "r":
        return {("g", g) for _, g in sums[number][0]}
    if kind == "n" and number in sums:
        return {("r", number)} | {u for _, k in sums[number][1] if (u := _unit(flat, groups, k))}
    nodes = groups.members[number] if kind == "g" else (number,)
    return {u for i in nodes for k in flat.operands(i) if (u := _unit(flat, groups, k))}


def _unit(flat: FlatSums, groups: Groups, i: int) -> Unit | None:
    if flat.ops[i] <= CONST:
        return None
    return ("g", groups.at[i][0]) if i in groups.at else ("n", i)


def _order_units(flat: FlatSums, groups: Groups, sums: dict) -> tuple[list[tuple[bool, tuple[Unit, ...]]], dict]:
    """(stages, {unit: units it reads} of those that wait for themselves)."""
    live = _needed_nodes(flat)
    units: dict[Unit, None] = {}
    for i in range(len(flat.ops)):
        if live[i] and flat.live[i] and (unit := _unit(flat, groups, i)):
            if i in sums:
                units.setdefault(("r", i))
            units.setdefault(unit)
    reads = {unit: _reads(flat, groups, sums, unit) for unit in units}
    readers: dict[Unit, list[Unit]] = defaultdict(list)
    for unit, read in reads.items():
        for other in read:
            readers[other].append(unit)
    waits = {unit: len(read) for unit, read in reads.items()}
    age = {unit: k for k, unit in enumerate(units)}
    ready: dict[bool, deque[Unit]] = {True: deque(), False: deque()}
    for unit, n in waits.items():
        if n == 0:
            ready[unit[0] != "n"].append(unit)
    stages: list[tuple[bool, tuple[Unit, ...]]] = []
    kind, done = False, 0
    while ready[True] or ready[False]:
        if not ready[kind]:
            kind = not kind
        row: list[Unit] = []
        while ready[kind]:
            unit = ready[kind].popleft()
            row.append(unit)
            for reader in readers[unit]:
                waits[reader] -= 1
                if waits[reader] == 0:
                    ready[reader[0] != "n"].append(reader)
        row.sort(key=lambda u: age[u])  # as traced: operands are older than what reads them, or groups of them
        stages.append((kind, tuple(_topological(row, reads))))
        done += len(row)
    left = {u: {r for r in reads[u] if waits[r] > 0} for u in units if waits[u] > 0} if done < len(units) else {}
    return stages, left


def _topological(row: list[Unit], reads: dict[Unit, set[Unit]]) -> list[Unit]:
    """Units of one stage, operands first, else in the given order."""
    inside, out, placed = set(row), [], set()
    for first in row:
        stack = [first]
        while stack:
            unit = stack[-1]
            if unit in placed:
                stack.pop()
                continue
            missing = sorted(r for r in reads[unit] if r in inside and r not in placed)
            if missing:
                stack.extend(missing)
            else:
                placed.add(unit)
                out.append(unit)
                stack.pop()
    return out


def _in_cycles(left: dict[Unit, set[Unit]]) -> set[int]:
    """One group to dissolve: of those that wait for themselves the oldest in a cycle."""
    on_cycle: list[int] = []
    for unit in left:
        if unit[0] == "g" and _reaches(left, unit):
            on_cycle.append(unit[1])
            break
    return set(on_cycle) or {unit[1] for unit in left if unit[0] == "g"}


def _reaches(left: dict[Unit, set[Unit]], start: Unit) -> bool:
    seen: set[Unit] = set()
    stack = [u for u in left[start] if u in left]
    while stack:
        unit = stack.pop()
        if unit == start:
            return True
        if unit not in seen:
            seen.add(unit)
            stack.extend(u for u in left[unit] if u in left)
    return False


def _in_small(stages: list[tuple[bool, tuple[Unit, ...]]]) -> set[int]:
    """Groups of stages too small to pay."""
    drop: set[int] = set()
    for in_lanes, units in stages:
        if in_lanes and len(units) < SMALLEST_STAGE:
            drop |= {number for kind, number in units if kind == "g"}
    return drop
