"""Which values a thread holds in registers, which it keeps in scratch memory, and which it makes again.

The compiler would spill to memory that no cache holds. Instead the operations are gone through in their order with room
for a given number of values. The value whose next use is farthest gives way; it is stored in scratch, unless making it
again from inputs and stored values takes no more than a few operations. Inputs are read from their place again.
"""

from dataclasses import dataclass

from gough.program.ops import Op
from gough.program.program import Program

CHEAP = 4
"""Operations at most that making a value again may take; beyond, it is stored."""
NEVER = 1 << 60


@dataclass(frozen=True)
class Step:
    """do: compute a node; again: compute it once more; input: read an input; store, load: to and from a scratch slot."""

    kind: str
    node: int
    slot: int = -1


@dataclass(frozen=True)
class Plan:
    """Steps of a thread, scratch slots they need, and the number of steps beyond the operations themselves."""

    steps: tuple[Step, ...]
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


def plan_registers(program: Program, order: list[int], room: int, cheap: int = CHEAP) -> Plan:
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
        self.steps: list[Step] = []
        self.price_of: dict[int, int] = {}

    def run(self) -> Plan:
        expiring: dict[int, list[int]] = {}
        for position, i in enumerate(self.order):
            busy: set[int] = set(self.operands[i])
            for k in self.operands[i]:
                self._provide(k, position, busy)
            self.steps.append(Step("do", i))
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
        return Plan(tuple(self.steps), self.slots, self.most)

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
            self.steps.append(Step("input", k))
        elif k in self.slot:
            self.steps.append(Step("load", k, self.slot[k]))
        else:
            inner = busy | set(self.operands[k])
            for x in self.operands[k]:
                self._provide(x, position, inner)
            self.steps.append(Step("again", k))
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
        self.steps.append(Step("store", v, slot))

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
