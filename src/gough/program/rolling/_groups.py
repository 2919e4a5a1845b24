"""Groups: K nodes that do the same in K lanes, found by a hash in which columns stand for their members.

The hash has the node's level in it: how often lanes were mixed on the way to it. Two groups can then never wait for each
other: what one lane learns from another lane is of a higher level.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from heapq import heappop, heappush

from gough.program.graph import CONST
from gough.program.rolling._columns import FlatSums

Columns = dict[int, tuple[int, int]]
"""{node: (column, lane)}."""

ROUNDS = 4
"""How often scalars that one lane reads are paired before the search ends."""
MOST_LEVELS = 12
"""How often lanes may be mixed one after the other."""


@dataclass
class Groups:
    """members[g]: the nodes of group g by lane. at[i] = (g, lane). columns[i] = (column, lane) of inputs and scalars that
    are gathered; lane[i]: the one lane node i depends on, -1 for none or several; names[i]: what node i is called in every
    lane; equal: {node: an older one of the same name and lane}; seemed: {node no lane owns: the one lane it depends on}."""

    lanes: int
    members: list[tuple[int, ...]] = field(default_factory=list)
    at: dict[int, tuple[int, int]] = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)
    lane: list[int] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    equal: dict[int, int] = field(default_factory=dict)
    seemed: dict[int, int] = field(default_factory=dict)

    @property
    def saved(self) -> int:
        """Nodes that are written once instead of K times."""
        return (self.lanes - 1) * len(self.members)


def more_groups(flat: FlatSums, groups: Groups) -> Groups:
    """The same groups and more: scalars that serve one lane only become columns too."""
    for _ in range(ROUNDS):
        found = next((tried for near in (False, True) if (tried := _with_scalars(flat, groups, near))), None)
        if found is None:
            break
        groups = found
    return groups


def _with_scalars(flat: FlatSums, groups: Groups, near: bool) -> Groups | None:
    """Groups with more columns of scalars; None where that saves nothing."""
    more = _scalar_columns(flat, groups, near)
    tried = first_groups(flat, groups.columns | more, groups.lanes) if more else None
    return tried if tried is not None and tried.saved > groups.saved else None


def first_groups(flat: FlatSums, columns: Columns, lanes: int) -> Groups | None:
    """Groups for given columns; None where a column waits for itself, one of its members being made from another's lane.

    A column is of the level of its highest member, which is known after a first pass; levels that never settle rise for ever.
    """
    levels: dict[int, int] = {}
    for _ in range(MOST_LEVELS):
        sweep = _Sweep(flat, columns, lanes, levels)
        groups = sweep.run()
        if all(levels.get(column, 0) >= level for column, level in sweep.highest.items()):
            return groups
        levels = sweep.highest
    return None


class _Sweep:
    """One pass from the inputs on. A node of one lane waits until its like is met in all lanes; when nothing moves any
    more, the waiting nodes with fewest likes are made single nodes, which no lane owns."""

    def __init__(self, flat: FlatSums, columns: Columns, lanes: int, levels: dict[int, int]) -> None:
        n = len(flat.ops)
        self.flat, self.columns, self.lanes, self.highest = flat, columns, lanes, dict(levels)
        self.table: dict[tuple, int] = {}
        self.names, self.lane, self.level = [-1] * n, [-1] * n, [0] * n
        self.equal: dict[int, int] = {}
        self.seemed: dict[int, int] = {}
        self.rows: dict[int, dict[int, int]] = {}  # waiting: name -> lane -> node
        self.twins: dict[int, list[int]] = defaultdict(list)
        self.members: list[tuple[int, ...]] = []
        self.readers: list[list[int]] = [[] for _ in range(n)]
        self.waits = [0] * n
        self.ready: list[int] = []
        self.stuck: list[tuple[int, int, int]] = []  # likes met, oldest node, name of waiting nodes

    def run(self) -> Groups:
        """The groups."""
        flat = self.flat
        for i in range(len(flat.ops)):
            if flat.live[i]:
                operands = set(flat.operands(i))
                self.waits[i] = len(operands)
                for k in operands:
                    self.readers[k].append(i)
                if not operands:
                    heappush(self.ready, i)
        while self.ready or self.rows:
            if self.ready:
                self._meet(heappop(self.ready))
            else:
                likes, _, name = heappop(self.stuck)
                if len(self.rows.get(name, ())) == likes:  # else it has moved since
                    self._give_up(name)
        at = {i: (g, lane) for g, nodes in enumerate(self.members) for lane, i in enumerate(nodes)}
        return Groups(self.lanes, self.members, at, self.columns, self.lane, self.names, self.equal, self.seemed)

    def _meet(self, i: int) -> None:
        """A node all of whose operands are settled."""
        flat, op = self.flat, self.flat.ops[i]
        signed = flat.signed_operands(i) if op > CONST else []
        met = {self.lane[k] for _, k in signed} - {-1}
        depth = max((self.level[k] for _, k in signed), default=0)
        if i in self.columns:
            column, own = self.columns[i]
            depth += len(met) > 1
            self.highest[column] = depth = max(depth, self.highest.get(column, 0))
            self._settle(i, ("column", column), own, depth)
        elif len(met) != 1:
            self._settle(i, ("node", i), -1, depth + (len(met) > 1))
        else:
            own = met.pop()
            parts = [(s, self.names[k]) for s, k in signed]
            key = ("sum" if i in flat.terms else op, depth, *(sorted(parts) if flat.commutes(i) else parts))
            name = self.table.setdefault(key, len(self.table))
            self._wait(i, name, own, depth)

    def _wait(self, i: int, name: int, own: int, depth: int) -> None:
        self.names[i], self.level[i] = name, depth
        row = self.rows.setdefault(name, {})
        first = row.setdefault(own, i)
        if first != i:
            self.twins[first].append(i)
        elif len(row) == self.lanes:
            del self.rows[name]
            self.members.append(tuple(row[k] for k in range(self.lanes)))
            for lane, k in sorted(row.items()):
                self._own(k, lane)
        else:
            heappush(self.stuck, (len(row), min(row.values()), name))

    def _own(self, i: int, lane: int) -> None:
        """Node i belongs to a lane, and so do nodes of the same value."""
        self.lane[i] = lane
        self._release(i)
        for twin in self.twins.pop(i, ()):
            self.equal[twin] = i
            self.lane[twin] = lane
            self._release(twin)

    def _give_up(self, name: int) -> None:
        for lane, i in sorted(self.rows.pop(name).items()):
            for node in (i, *self.twins.pop(i, ())):
                self.seemed[node] = lane
                if node != i:
                    self.equal[node] = i
                self._settle(node, ("node", i), -1, self.level[i] + (node == i))

    def _settle(self, i: int, key: tuple, lane: int, depth: int) -> None:
        self.names[i], self.lane[i], self.level[i] = self.table.setdefault(key, len(self.table)), lane, depth
        self._release(i)

    def _release(self, i: int) -> None:
        for reader in self.readers[i]:
            self.waits[reader] -= 1
            if self.waits[reader] == 0:
                heappush(self.ready, reader)


def _scalar_columns(flat: FlatSums, groups: Groups, near: bool) -> Columns:
    """New columns: scalars of which each serves one lane only, in the same way. near: whatever becomes of what that lane makes
    with it, though no group was found for it yet (drive forces in the derivatives of a solve's right-hand side)."""
    serves = _lanes_served(flat, groups, near)

    def loose(i: int) -> bool:
        return groups.lane[i] < 0 and flat.ops[i] != CONST and len(serves[i]) == 1

    uses: dict[int, list[tuple]] = defaultdict(list)
    for i, op in enumerate(flat.ops):
        if op > CONST and flat.live[i] and (groups.lane[i] >= 0 or i in groups.seemed or loose(i)):
            signed = flat.signed_operands(i)
            others = tuple(sorted((s, groups.names[k]) for s, k in signed if not loose(k)))
            for s, k in signed:
                if loose(k):
                    uses[k].append((op, s, len(signed), others))
    alike: dict[tuple, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i, ways in uses.items():
        alike[tuple(sorted(ways))][next(iter(serves[i]))].append(i)
    rows_of: list[tuple[int, ...]] = []
    for rows in alike.values():
        if len(rows) == groups.lanes and len({len(row) for row in rows.values()}) == 1:
            rows_of += zip(*[rows[k] for k in range(groups.lanes)], strict=True)
    paired = {i for column in rows_of for i in column}
    found: Columns = {}
    start = 1 + max((column for column, _ in groups.columns.values()), default=-1)
    for column in rows_of:  # where its operands are paired, the hash will find it
        if not all(any(k in paired for k in flat.operands(i)) for i in column):
            found |= {i: (start, lane) for lane, i in enumerate(column)}
            start += 1
    return found


def _lanes_served(flat: FlatSums, groups: Groups, near: bool) -> list[set[int]]:
    """Lanes in which each node is read, through other scalars too; near: as far as the next node that depends on one lane."""
    serves: list[set[int]] = [set() for _ in flat.ops]
    for i in range(len(flat.ops) - 1, -1, -1):
        if flat.live[i]:
            mine = {groups.lane[i]} if groups.lane[i] >= 0 else serves[i]
            if i in groups.seemed:
                mine = {groups.seemed[i]} if near else mine | {groups.seemed[i]}
            for k in flat.operands(i):
                serves[k] |= mine
    return serves
