"""Registers of a thread: an order in which few values are alive at once, and what is done with those that do not fit.

A thread has about a hundred registers for doubles, so what counts on a GPU is how many values wait for a use; latency is
hidden by other threads. For the order, step by step the value is sought whose remaining uses take the fewest new operations and
leave the fewest new values behind; these operations come next, and the value is gone. Legs of a robot come out one by one.
"""

from dataclasses import dataclass

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


# Which values a thread holds in registers, which it keeps in scratch memory, and which it makes again.
#
# The compiler would spill to memory that no cache holds. Instead the operations are gone through in their order with room
# for a given number of values. The value whose next use is farthest gives way; it is stored in scratch, unless making it
# again from inputs and stored values takes no more than a few operations. Inputs are read from their place again.

CHEAP = 4
"""Operations at most that making a value again may take; beyond, it is stored."""
NEVER = 1 << 60


@dataclass(frozen=True)
class RegisterStep:
    """do: compute a node; again: compute it once more; input: read an input; store, load: to and from a scratch slot."""

    kind: str
    node: int
    slot: int = -1


@dataclass(frozen=True)
class RegisterPlan:
    """Steps of a thread, scratch slots they need, and the number of steps beyond the operations themselves."""

    steps: tuple[RegisterStep, ...]
    slots: int
    most_held: int

    def tally(self) -> dict[str, int]:
        """Number of steps by kind."""
        counts: dict[str, int] = {"do": 0, "again": 0, "input": 0, "store": 0, "load": 0}
        for step in self.steps:
            counts[step.kind] += 1
        return counts

    def accesses(self) -> list[int]:
        """Stores and loads of every scratch slot."""
        counts = [0] * self.slots
        for step in self.steps:
            if step.slot >= 0:
                counts[step.slot] += 1
        return counts


def plan_registers(program: Program, order: list[int], room: int, cheap: int = CHEAP) -> RegisterPlan:
    """Steps for operations in an order, at most `room` values (or a few more within one operation) held at once."""
    return _Allocation(program, order, room, cheap).run()


class _Allocation:
    def __init__(self, program: Program, order: list[int], room: int, cheap: int) -> None:
        ops, args = program.ops, program.args
        uniform = program.uniform_inputs()
        self.program, self.order, self.room, self.cheap = program, order, room, cheap
        self.fixed = [
            op == Op.CONST or (op == Op.INPUT and bool(uniform[a[0]])) for op, a in zip(ops, args, strict=True)
        ]
        self.is_input = [op == Op.INPUT for op in ops]
        self.operands: list[tuple[int, ...]] = [
            () if op <= Op.CONST else tuple(dict.fromkeys(k for k in a if not self.fixed[k]))
            for op, a in zip(ops, args, strict=True)
        ]
        self.uses: list[list[int]] = [[] for _ in ops]  # positions, last first
        for position in range(len(order) - 1, -1, -1):
            for k in self.operands[order[position]]:
                self.uses[k].append(position)
        self.held: dict[int, None] = {}
        self.slot: dict[int, int] = {}
        self.keep_until: dict[int, int] = {}  # stored values others are made again from
        self.free: list[int] = []
        self.slots = self.most = 0
        self.steps: list[RegisterStep] = []
        self.price_of: dict[int, int] = {}

    def run(self) -> RegisterPlan:
        expiring: dict[int, list[int]] = {}
        for position, i in enumerate(self.order):
            busy: set[int] = set(self.operands[i])
            for k in self.operands[i]:
                self._provide(k, position, busy)
            self.steps.append(RegisterStep("do", i))
            for k in self.operands[i]:
                self.uses[k].pop()
                if not self.uses[k]:
                    self.held.pop(k, None)
                    if k in self.slot:
                        expiring.setdefault(max(position, self.keep_until.get(k, 0)), []).append(k)
            if self.uses[i]:
                self._hold(i, position, {i})
            for k in expiring.pop(position, ()):
                self._release(k, position, expiring)
        return RegisterPlan(tuple(self.steps), self.slots, self.most)

    def _release(self, k: int, position: int, expiring: dict[int, list[int]]) -> None:
        until = self.keep_until.get(k, 0)
        if until > position:
            expiring.setdefault(until, []).append(k)
        elif k in self.slot:
            self.free.append(self.slot.pop(k))
            self.price_of.clear()

    def _provide(self, k: int, position: int, busy: set[int]) -> None:
        """Bring k into a register."""
        if k in self.held:
            return
        if self.is_input[k]:
            self.steps.append(RegisterStep("input", k))
        elif k in self.slot:
            self.steps.append(RegisterStep("load", k, self.slot[k]))
        else:
            inner = busy | set(self.operands[k])
            for x in self.operands[k]:
                self._provide(x, position, inner)
            self.steps.append(RegisterStep("again", k))
        self._hold(k, position, busy | {k})

    def _hold(self, k: int, position: int, busy: set[int]) -> None:
        self.held[k] = None
        while len(self.held) > self.room:
            candidates = [v for v in self.held if v not in busy]
            if not candidates:
                break
            # what has no use left was only wanted to make another value again
            far = max(candidates, key=lambda v: self.uses[v][-1] if self.uses[v] else NEVER)
            self._evict(far, position)
        self.most = max(self.most, len(self.held))

    def _evict(self, v: int, position: int) -> None:
        del self.held[v]
        if self.is_input[v] or v in self.slot or not self.uses[v]:
            return
        if self._price(v) <= self.cheap:
            self._keep_roots(v, self.uses[v][0])
            return
        slot = self.free.pop() if self.free else self.slots
        self.slots = max(self.slots, slot + 1)
        self.slot[v] = slot
        self.price_of.clear()
        self.steps.append(RegisterStep("store", v, slot))

    def _price(self, v: int) -> int:
        """Operations that make v from inputs and stored values; large where it is more than is ever worth it."""
        if self.is_input[v] or v in self.slot:
            return 0
        if v in self.price_of:
            return self.price_of[v]
        price = 1
        for k in self.operands[v]:
            price += self._price(k)
            if price > self.cheap:
                price = NEVER
                break
        self.price_of[v] = price
        return price

    def _keep_roots(self, v: int, until: int) -> None:
        """Stored values from which v can be made again stay until its last use."""
        for k in self.operands[v]:
            if k in self.slot:
                self.keep_until[k] = max(self.keep_until.get(k, 0), until)
            elif not self.is_input[k]:
                self._keep_roots(k, until)
