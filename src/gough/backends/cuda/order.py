"""An order of operations in which few values are alive at once.

A thread has about a hundred registers for doubles, so what counts on a GPU is how many values wait for a use; latency is
hidden by other threads. Step by step the value is sought whose remaining uses take the fewest new operations and leave
the fewest new values behind; these operations come next, and the value is gone. Legs of a robot come out one by one.
"""

from gough.program.ops import Op
from gough.program.program import Program

FARTHEST = 60
"""New operations at most that one step may take."""
RECENT = 48
"""Values that compete in a step: the youngest, and as many of the oldest of long programs as there is time for."""
WEIGHT = 8
"""A value left behind counts as much as so many operations."""


class FewLive:
    """The search; `order` is filled by `run`."""

    def __init__(self, program: Program) -> None:
        ops, args = program.ops, program.args
        self.program = program
        self.operands = [
            () if op <= Op.CONST else tuple(dict.fromkeys(k for k in a if ops[k] > Op.CONST))
            for op, a in zip(ops, args, strict=True)
        ]
        self.users: list[list[int]] = [[] for _ in ops]
        for i, x in enumerate(self.operands):
            for k in x:
                self.users[k].append(i)
        self.left = [len(u) for u in self.users]
        self.done = bytearray(len(ops))
        self.order: list[int] = []
        self.alive: dict[int, None] = {}
        self._kept: dict[
            int, tuple[int, set[int]]
        ] = {}  # value -> (price, operations); dropped when one of them is done
        self._kept_by: dict[int, set[int]] = {}

    def run(self) -> list[int]:
        """Operations (no leaves) in their new order."""
        work = [i for i, op in enumerate(self.program.ops) if op > Op.CONST]
        first = 0
        while len(self.order) < len(work):
            group = self._cheapest()
            if group is None:
                while self.done[work[first]]:
                    first += 1
                group = self._missing([work[first]], len(work))
                assert group is not None
            for i in sorted(group):
                self._do(i)
        return self.order

    def _cheapest(self) -> set[int] | None:
        best, price = None, None
        for v in reversed(list(self.alive)[-RECENT:]):
            if v not in self._kept:
                self._keep(v)
            own, group = self._kept[v]
            if group and (price is None or own < price):
                best, price = group, own
        return best

    def _keep(self, v: int) -> None:
        done, users, operands = self.done, self.users, self.operands
        group = self._missing([u for u in users[v] if not done[u]], FARTHEST)
        price = 0
        if group:
            born = sum(1 for x in group if users[x] and any(u not in group for u in users[x]))
            read = {k for x in group for k in operands[x] if k not in group}
            dead = sum(all(done[u] or u in group for u in users[k]) for k in read)
            price = WEIGHT * max(born - dead, -3) + len(group)
            for x in (*group, *read):
                self._kept_by.setdefault(x, set()).add(v)
        self._kept[v] = (price, group or set())

    def _missing(self, goals: list[int], most: int) -> set[int] | None:
        """Operations still to be done for the goals; None if there are more than `most`."""
        seen: set[int] = set()
        stack = goals
        done, operands = self.done, self.operands
        while stack:
            i = stack.pop()
            if i in seen or done[i]:
                continue
            seen.add(i)
            if len(seen) > most:
                return None
            stack.extend(k for k in operands[i] if not done[k])
        return seen

    def _do(self, i: int) -> None:
        self.done[i] = 1
        self.order.append(i)
        self._forget(i)
        if self.users[i]:
            self.alive[i] = None
        for k in self.operands[i]:
            self._forget(k)
            self.left[k] -= 1
            if not self.left[k]:
                self.alive.pop(k, None)

    def _forget(self, i: int) -> None:
        for v in self._kept_by.pop(i, ()):
            self._kept.pop(v, None)


def order_for_few_live(program: Program) -> list[int]:
    """Operations of a program (no leaves) in an order with few values alive at once."""
    return FewLive(program).run()


def most_alive(program: Program, order: list[int]) -> int:
    """Largest number of computed values that wait for a use."""
    search = FewLive(program)
    most = 0
    for i in order:
        search._do(i)
        most = max(most, len(search.alive))
    return most
