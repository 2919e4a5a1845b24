"""Columns: K inputs that play the same part, one in each lane."""

from collections import Counter, defaultdict

from gough.program._sums import Term, count_uses, inner_sums, sum_terms
from gough.program.graph import ADD, CONST, INPUT, SUB
from gough.program.ops import Op
from gough.program.program import Program


class FlatSums:
    """terms[i]: the signed terms of node i where it is a sum that is not part of another; live: nodes that are not inside
    such a sum; equal: {node: an older node of the same value}, for nodes that turn out to be written twice."""

    def __init__(self, program: Program) -> None:
        if any(op == Op.BLOCK for op in program.ops):
            raise ValueError("expand the blocks of a program before it is rolled")
        self.program = program
        self.ops, self.args = program.ops, program.args
        inner = inner_sums(program, count_uses(program))
        roots = (i for i, op in enumerate(self.ops) if op in (ADD, SUB) and not inner[i])
        self.terms = {i: sum_terms(program, i, inner) for i in roots}
        self.live = [not inner[i] for i in range(len(self.ops))]
        self.equal: dict[int, int] = {}
        self._collect()

    def operands(self, i: int) -> tuple[int, ...]:
        """Nodes that node i reads, the terms of a sum."""
        return self._operands[i]

    def signed_operands(self, i: int) -> list[Term]:
        """Operands of node i with their signs."""
        return self._signed[i]

    def merge(self, equal: dict[int, int]) -> None:
        """Read an older node of the same value in place of each node in `equal`."""
        self.equal = equal
        self._collect()

    def _collect(self) -> None:
        same, terms = self.equal, self.terms
        self._signed: list[list[Term]] = []
        for i, op in enumerate(self.ops):
            read = terms[i] if i in terms else [(1, k) for k in self.args[i]] if op > CONST else []
            self._signed.append([(s, same.get(k, k)) for s, k in read] if same else read)
        self._operands = [tuple(k for _, k in read) for read in self._signed]

    def ends(self) -> list[int]:
        """Nodes that results and checks read."""
        program = self.program
        return [self.equal.get(i, i) for i in (*program.results, *(c.node for c in program.checks))]

    def commutes(self, i: int) -> bool:
        """Whether the operands of node i may change places (with their signs)."""
        return i in self.terms or self.ops[i] == Op.MUL


MOST_LANES = 64
WORTH_A_TRY = 0.4
"""Numbers of lanes in which fewer nodes come than this share of the best number's are not tried."""


class Shapes:
    """shape[i]: a number that is the same for nodes of one shape; leaves[i]: bit set of the inputs node i depends on."""

    def __init__(self, flat: FlatSums) -> None:
        self.flat = flat
        program = flat.program
        slot_of = [s for s, slot in enumerate(program.inputs) for _ in range(slot.size)]
        table: dict[tuple, int] = {}
        self.shape: list[int] = []
        self.leaves: list[int] = []
        for i, op in enumerate(flat.ops):
            leaves = 0
            if op == INPUT:
                key: tuple = (INPUT, slot_of[flat.args[i][0]])
                leaves = 1 << flat.args[i][0]
            elif op == CONST:
                key = (CONST, flat.args[i][0])
            elif not flat.live[i]:
                key = (-1,)
            else:
                operands = flat.operands(i)
                parts = [(s, self.shape[k]) for s, k in flat.signed_operands(i)]
                key = (op, *(sorted(parts) if flat.commutes(i) else parts))
                if i in flat.terms:
                    key = ("sum", *key[1:])
                for k in operands:
                    leaves |= self.leaves[k]
            self.shape.append(table.setdefault(key, len(table)))
            self.leaves.append(leaves)

    def classes(self) -> dict[int, list[int]]:
        """Nodes of every shape, inputs and numbers left out."""
        found: dict[int, list[int]] = defaultdict(list)
        for i, shape in enumerate(self.shape):
            if self.flat.live[i] and self.flat.ops[i] > CONST:
                found[shape].append(i)
        return found


TRIED = 4
"""Numbers of lanes that are tried, and as many divisors of them."""


def lane_numbers(shapes: Shapes, least: int, share: float = 0.0) -> list[int]:
    """Numbers of lanes worth a try, the most promising first; none where fewer than `share` of the nodes come in the best
    number of one shape.

    A number that divides one of them is worth a try too: three legs with two rods each do most of their work six times, yet
    all of it three times.
    """
    sizes = Counter(len(nodes) for nodes in shapes.classes().values())
    worth = {k: k * n for k, n in sizes.items() if least <= k <= MOST_LANES}
    best = max(worth.values(), default=0)
    if best < share * sum(k * n for k, n in sizes.items()):
        return []
    ranked = sorted((k for k, x in worth.items() if x >= WORTH_A_TRY * best), key=lambda k: (-worth[k], -k))
    divisors = {d for d in worth for k in ranked if k % d == 0} - set(ranked)
    return [*ranked[:TRIED], *sorted(divisors, key=lambda d: (-worth[d], -d))[:TRIED]]


def find_columns(shapes: Shapes, lanes: int) -> dict[int, tuple[int, int]]:
    """{input node: (column, lane)} from roots of one shape, each on inputs of its own; those on most inputs first."""
    flat = shapes.flat
    seeds = []
    for nodes in shapes.classes().values():
        if len(nodes) == lanes:
            common = shapes.leaves[nodes[0]]
            for i in nodes:
                common &= shapes.leaves[i]
            own = [shapes.leaves[i] & ~common for i in nodes]
            if all(own) and sum(x.bit_count() for x in own) == _union(own).bit_count():
                seeds.append((-_union(own).bit_count(), nodes, own, common))
    lane_of: dict[int, int] = {}  # of input positions
    columns: dict[int, tuple[int, int]] = {}
    shared = known = 0
    for _, nodes, own, common in sorted(seeds, key=lambda s: (s[0], s[1])):
        every = _union(own)
        if (
            every & shared or not every & ~known
        ):  # entries of something all lanes read, which happen to be K; or no news
            continue
        ordered = _in_lane_order(nodes, own, lane_of)
        if ordered is not None:
            shared |= common
            for column in _paired_inputs(shapes, tuple(ordered), common):
                if not any(i in columns for i in column):
                    number = len(columns) // lanes
                    for lane, i in enumerate(column):
                        columns[i] = (number, lane)
                        lane_of[flat.args[i][0]] = lane
                        known |= 1 << flat.args[i][0]
    return columns


def _union(sets: list[int]) -> int:
    out = 0
    for x in sets:
        out |= x
    return out


def _in_lane_order(nodes: list[int], own: list[int], lane_of: dict[int, int]) -> list[int] | None:
    """Nodes by lane: that of the inputs they depend on where it is known, else by their first own input."""
    found: list[int] = []
    for bits in own:
        known = {lane_of[p] for p in _positions(bits) if p in lane_of}
        if len(known) > 1:
            return None
        found.append(known.pop() if known else -1)
    if all(k < 0 for k in found):
        order = sorted(range(len(nodes)), key=lambda k: own[k] & -own[k])
        return [nodes[k] for k in order]
    if sorted(found) != list(range(len(nodes))):
        return None
    return [nodes[found.index(lane)] for lane in range(len(nodes))]


def _positions(bits: int) -> list[int]:
    out = []
    while bits:
        low = bits & -bits
        out.append(low.bit_length() - 1)
        bits ^= low
    return out


def _paired_inputs(shapes: Shapes, roots: tuple[int, ...], common: int) -> list[tuple[int, ...]]:
    """Columns of inputs met when all roots are walked down together."""
    flat = shapes.flat
    found: list[tuple[int, ...]] = []
    seen: set[tuple[int, ...]] = set()
    stack = [roots]
    while stack:
        nodes = stack.pop()
        if nodes in seen or len(set(nodes)) < len(nodes):  # shared, or not one a lane
            continue
        seen.add(nodes)
        if any(shapes.shape[i] != shapes.shape[nodes[0]] for i in nodes):
            continue
        if flat.ops[nodes[0]] == INPUT:
            found.append(nodes)
        elif flat.ops[nodes[0]] > CONST:
            rows = [_arrange_operands(shapes, i, common) for i in nodes]
            stack.extend(zip(*rows, strict=True))
    return found


def _arrange_operands(shapes: Shapes, i: int, common: int) -> list[int]:
    """Operands of node i; where they may change places: shared ones first, then by shape and age."""
    flat = shapes.flat
    operands = flat.operands(i)
    if not flat.commutes(i):
        return list(operands)

    def rank(pair: tuple[int, int]) -> tuple:
        sign, k = pair
        own = shapes.leaves[k] & ~common != 0
        return (own, sign, shapes.shape[k] if own else 0, k)

    return [k for _, k in sorted(flat.signed_operands(i), key=rank)]
