"""Which tree velocities are independent, which closures are kept, and in what order the others follow.

The closures read G u = 0. v are the entries `independent` of u. The rest follows block by block: rows of a block contain
its own columns, columns of blocks before it, and independent ones; in [Briot 2014, section 4.1] a block is a leg.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """Closure rows that determine columns of u once everything before is known."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Relation:
    """A velocity that geometry ties to another at every assembled state: u[column] = factor u[of]; of None: it is locked, 0.

    coordinate, twin: positions in q of what it moves and of what `of` moves: q[coordinate] = factor q[twin] + offset.
    """

    column: int
    of: int | None = None
    factor: float = 0.0
    coordinate: int = -1
    twin: int = -1
    offset: float = 0.0

    @property
    def columns(self) -> set[int]:
        """The velocities it is about."""
        return {self.column} if self.of is None else {self.column, self.of}

    def coefficient(self, column: int) -> float:
        """Of a velocity in its equation u[column] - factor u[of] = 0."""
        return 1.0 if column == self.column else -self.factor if column == self.of else 0.0


@dataclass(frozen=True)
class Selection:
    """independent: positions of v in u. removed: redundant closure rows, left out.

    relations: velocities known by geometry alone; as equations they have row numbers after those of the closures.
    constants: (position in q, number) of coordinates that cannot change. spared: (closure row, relation) pairs: the closures that
    say what the relations do, in an order in which they can be solved for what would break these.
    """

    independent: tuple[int, ...]
    blocks: tuple[Block, ...]
    removed: tuple[int, ...] = ()
    solves_tree: bool = False
    """Whether forward dynamics solves the tree and the closures instead of the mass matrix of v."""
    without_inertia: tuple[int, ...] = ()
    """Entries of v that move nothing with inertia: they stay as they are."""
    relations: tuple[Relation, ...] = ()
    constants: tuple[tuple[int, float], ...] = ()
    spared: tuple[tuple[int, int], ...] = ()
    offsets: tuple[float, ...] = ()
    """What each closure keeps as its residual, where loops that do not fit together were fitted; else 0."""
    idle: tuple[int, ...] = ()
    """Positions in u of the independent velocities that no drive moves and the platform does not feel."""

    @property
    def twins(self) -> tuple[Relation, ...]:
        """Relations between two velocities."""
        return tuple(r for r in self.relations if r.of is not None)

    @property
    def locked(self) -> frozenset[int]:
        """Positions in u of velocities that are 0 at every assembled state."""
        return frozenset(r.column for r in self.relations if r.of is None)


def block_order(
    pattern: list[set[int]], rows: list[int], columns: list[int], matching: dict[int, int]
) -> list[tuple[list[int], list[int]]]:
    """Block triangular order of a square system: strongly connected parts of the rows, parts they need first.

    pattern: columns that each row contains; matching: row of every column (a perfect matching within the pattern).
    """
    wanted = set(columns)
    needs = {r: [matching[c] for c in sorted(pattern[r] & wanted) if matching[c] != r] for r in rows}
    column_of = {r: c for c, r in matching.items()}
    return [(sorted(part), sorted(column_of[r] for r in part)) for part in strong_components(rows, needs)]


def perfect_matching(pattern: list[set[int]], rows: list[int], columns: list[int]) -> dict[int, int] | None:
    """A row of its own for every column ({column: row}), or None: augmenting paths, the nearest columns first."""
    wanted = set(columns)
    options = {row: sorted(pattern[row] & wanted) for row in rows}
    match: dict[int, int] = {}
    for start in rows:
        reached_from: dict[int, int] = {}
        queue, goal = [start], None
        while queue and goal is None:
            row = queue.pop(0)
            for column in options[row]:
                if column not in reached_from:
                    reached_from[column] = row
                    if column not in match:
                        goal = column
                        break
                    queue.append(match[column])
        if goal is None:
            return None
        column_of = {row: column for column, row in match.items()}
        while True:  # flip the path back to `start`
            row = reached_from[goal]
            match[goal] = row
            if row == start:
                break
            goal = column_of[row]
    return match


def strong_components(nodes: list[int], needs: dict[int, list[int]]) -> list[list[int]]:
    """Tarjan's components of a graph; a component stands after all that it needs."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    out: list[list[int]] = []
    for root in nodes:
        if root in index:
            continue
        work = [(root, iter(needs[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(needs[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                    out.append(part)
    return out
