"""Straight stages cut into pieces: in turn for one warp, or in rounds for a team of warps that work on the same runs.

Compilers take longer than linearly for long functions, so no piece has more than LONGEST operations. A team shares the work of
a stage: operations have levels (half way between the earliest and the latest they can have), and in a band of levels the
parts that are not connected depend on nothing of each other, whatever they are: legs, rows of a solve, entries of a vector. A
band is a round: its parts are dealt to the warps, the largest first, and the team waits for all before the next one. A band is
as thick as does most work for the time of the busiest warp and of waiting.

Bands of a whole stage would have the values of all legs wait at once; so a stage is first cut into windows of an order with few
live values, and every window into bands.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapreplace

from gough.backends.cuda._registers import order_for_few_live
from gough.program.ops import Op
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling.lowering import LoweredStage, LoweredStages
from gough.program.rolling.rolled import KEPT, OWN, SHARED, SUMMED, Source

LONGEST = 2500
"""Operations of a piece."""
WINDOW = 4000
"""Operations of a window, of a team's work."""
WAITING = 200
"""Operations that a warp could do while a team waits for all."""
THICKEST = 60
"""Levels of a band at most."""

ALL = -1


@dataclass(frozen=True)
class Post:
    """Which warp runs a piece (`ALL`: lane by lane, all of them), and in which round; a team waits for all between rounds."""

    round: int
    warp: int = 0


@dataclass(frozen=True)
class Pieces:
    """Stages, none of them long, and their posts; those of one warp and round run in turn."""

    stages: LoweredStages
    posts: tuple[Post, ...]


def in_pieces(lowered: LoweredStages, team: int = 1, longest: int = LONGEST) -> Pieces:
    """The same stages, none of them longer, for `team` warps."""
    stages: list[LoweredStage] = []
    posts: list[Post] = []
    moved: dict[tuple[int, int], Source] = {}

    def source(s: Source) -> Source:
        if s.stage < 0:
            return s
        new = moved[s.stage, s.place]
        return replace(new, lane=s.lane) if s.lane else new

    for number, stage in enumerate(lowered.stages):
        own = tuple(tuple(source(s) for s in column) for column in stage.own)
        stage = replace(stage, shared=tuple(source(s) for s in stage.shared), own=own)
        first = posts[-1].round + 1 if posts else 0
        work = sum(op > Op.CONST for op in stage.program.ops)
        if stage.lanes > 1:
            places = [Source(len(stages), k) for k in range(stage.kept)]
            stages.append(stage)
            posts.append(Post(first, ALL))
        elif stage.block is None and (work > longest or (team > 1 and work)):
            pieces = _in_turn(stage.program, longest) if team == 1 else _in_rounds(stage.program, team, longest)
            places = _cut(stage, [nodes for _, nodes in pieces], stages)
            posts += [replace(post, round=first + post.round) for post, _ in pieces]
        else:
            places = [Source(len(stages), k) for k in range(stage.kept)]
            stages.append(stage)
            posts.append(Post(first))
        moved |= {(number, k): place for k, place in enumerate(places)}
    whole = replace(lowered, stages=tuple(stages), results=tuple(source(s) for s in lowered.results))
    return Pieces(whole, tuple(posts))


def _in_turn(program: Program, longest: int) -> list[tuple[Post, list[int]]]:
    order = order_for_few_live(program)
    return [(Post(k), nodes) for k, nodes in enumerate(_evenly(order, longest))]


def _evenly(order: list[int], longest: int) -> list[list[int]]:
    """The same list in parts of about one length."""
    count = -(-len(order) // longest)
    size = -(-len(order) // count)
    return [order[k : k + size] for k in range(0, len(order), size)]


def _in_rounds(program: Program, team: int, longest: int) -> list[tuple[Post, list[int]]]:
    found: list[tuple[Post, list[int]]] = []
    number = 0
    for window in _evenly(order_for_few_live(program), WINDOW):
        for shares in rounds_of(program, window, team):
            for warp, nodes in enumerate(shares):
                found += [(Post(number, warp), part) for part in (_evenly(nodes, longest) if nodes else ())]
            number += 1
    return found


# ---------------------------------------------------------------- rounds


def rounds_of(program: Program, nodes: Iterable[int], team: int) -> list[list[list[int]]]:
    """Operations of every warp (team,) in every round, each list in a possible order. nodes: all operations between
    any two of them are among them, too."""
    by_level = _levels(program, sorted(nodes))
    rounds: list[list[list[int]]] = []
    at = 0
    while at < len(by_level):
        parts, end = _best_band(program, by_level, at, team)
        rounds.append(_dealt(parts, team))
        at = end
    return rounds


def _levels(program: Program, nodes: list[int]) -> list[list[int]]:
    """Nodes by level: half way between the earliest and the latest."""
    early: dict[int, int] = {}
    for i in nodes:
        early[i] = 1 + max((early[k] for k in program.operands(i) if k in early), default=-1)
    last = max(early.values())
    late = dict.fromkeys(nodes, last)
    for i in reversed(nodes):
        for k in program.operands(i):
            if k in late:
                late[k] = min(late[k], late[i] - 1)
    levels: list[list[int]] = [[] for _ in range(last + 1)]
    for i in nodes:
        levels[(early[i] + late[i]) // 2].append(i)
    return levels


class _Parts:
    """Nodes that hang together, as nodes are added."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.parent: dict[int, int] = {}
        self.members: dict[int, list[int]] = {}

    def add(self, i: int) -> None:
        self.parent[i] = i
        self.members[i] = [i]
        for k in self.program.operands(i):
            if k in self.parent:
                a, b = self._root(k), self._root(i)
                if a != b:
                    if len(self.members[a]) < len(self.members[b]):
                        a, b = b, a
                    self.parent[b] = a
                    self.members[a] += self.members.pop(b)

    def _root(self, i: int) -> int:
        parent = self.parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i


def _best_band(program: Program, levels: list[list[int]], at: int, team: int) -> tuple[list[list[int]], int]:
    """(parts of the band that begins with a level and does most for its time, the level after it)."""
    parts, work = _Parts(program), 0
    best, end = 0.0, at + 1
    for level in range(at, min(at + THICKEST, len(levels))):
        for i in levels[level]:
            parts.add(i)
        work += len(levels[level])
        rate = work / (_busiest([len(x) for x in parts.members.values()], team) + WAITING)
        if rate > best:
            best, end = rate, level + 1
    taken = _Parts(program)
    for level in range(at, end):
        for i in levels[level]:
            taken.add(i)
    return list(taken.members.values()), end


def _busiest(sizes: list[int], team: int) -> int:
    loads = [0] * team
    for size in sorted(sizes, reverse=True):
        heapreplace(loads, loads[0] + size)
    return max(loads)


def _dealt(parts: list[list[int]], team: int) -> list[list[int]]:
    """Parts to warps, the largest first, each to the warp that has least."""
    loads = [(0, warp) for warp in range(team)]
    shares: list[list[int]] = [[] for _ in range(team)]
    for part in sorted(parts, key=lambda x: (-len(x), min(x))):
        load, warp = loads[0]
        shares[warp] += part
        heapreplace(loads, (load + len(part), warp))
    return [sorted(share) for share in shares]


# ---------------------------------------------------------------- stages of pieces


def _cut(stage: LoweredStage, pieces: Sequence[list[int]], stages: list[LoweredStage]) -> list[Source]:
    """Append the pieces of a stage; returns where its outputs are."""
    program = stage.program
    home = {node: k for k, nodes in enumerate(pieces) for node in nodes}
    read = dict.fromkeys(home, False)  # whether another piece reads it
    for node, piece in home.items():
        for k in program.operands(node):
            if k in read and home[k] != piece:
                read[k] = True
    outputs = set(program.results)
    made: dict[int, Source] = {}
    for piece, nodes in enumerate(pieces):
        kept = [i for i in nodes if read[i] or i in outputs]
        if piece == len(pieces) - 1:
            kept += sorted(i for i in outputs if program.ops[i] == Op.CONST)
        checks = [c for c in program.checks if home.get(c.node, 0) == piece]
        stages.append(_piece(stage, nodes, kept, checks, made, piece))
        made |= {i: Source(len(stages) - 1, k) for k, i in enumerate(kept)}
    return [made[i] if i in made else _leaf(stage, i) for i in program.results]


def _leaf(stage: LoweredStage, i: int) -> Source:
    return stage.shared[stage.program.args[i][0]]


def _piece(
    stage: LoweredStage, nodes: list[int], kept: list[int], checks: list[NodeCheck], made: dict[int, Source], piece: int
) -> LoweredStage:
    program = stage.program
    shared: dict[Source, int] = {}
    ops: list[int] = []
    args: list[tuple] = []
    new: dict[int, int] = {}

    def add(i: int, op: int, operands: tuple) -> None:
        new[i] = len(ops)
        ops.append(op)
        args.append(operands)

    def provide(k: int) -> None:
        if k in new:
            return
        if program.ops[k] == Op.CONST:
            add(k, Op.CONST, program.args[k])
        else:
            place = made[k] if k in made else _leaf(stage, k)
            add(k, Op.INPUT, (shared.setdefault(place, len(shared)),))

    for i in nodes:
        for k in program.operands(i):
            provide(k)
        add(i, program.ops[i], tuple(new[k] for k in program.args[i]))
    for i in (*kept, *(c.node for c in checks)):
        provide(i)
    inner = Program(
        (Slot(SHARED, (len(shared),)), Slot(OWN, (0,))),
        (Slot(KEPT, (len(kept),)), Slot(SUMMED, (0,))),
        ops,
        args,
        tuple(new[i] for i in kept),
        tuple(NodeCheck(c.failure, new[c.node], c.minimum) for c in checks),
        name=f"{program.name}, piece {piece}",
    )
    return LoweredStage(inner, 1, tuple(shared), ())
