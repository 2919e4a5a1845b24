"""How each piece uses registers: the order of its operations, what is held throughout a loop, what is stored within."""

from dataclasses import dataclass, replace

from gough.backends.cuda.order import order_for_few_live
from gough.backends.cuda.registers import Plan, plan_registers
from gough.backends.cuda.staged.bodies import MINE, Value
from gough.backends.cuda.staged.pieces import Piece, Pieces
from gough.program.ops import Op
from gough.program.program import Program

MOST_SUMS = 40
"""Sums over the lanes that are held in registers; of more, all are kept in scratch."""
CHEAP = 2
"""Operations at most that making a value again within a piece may take."""
LEAST_ROOM = 24
MOST_AHEAD = 12
"""Steps by which inputs are read early: shared memory answers after some thirty cycles."""


@dataclass(frozen=True)
class Planned:
    """A piece with its steps. held: inputs (positions) read before the loop and held throughout; sums_held: whether sums
    are in registers."""

    piece: Piece
    plan: Plan
    held: frozenset[int]
    sums_held: bool

    @property
    def reads(self) -> dict[int, int]:
        """{input position: how often it is read from its place, in all lanes}."""
        found: dict[int, int] = {}
        program = self.piece.program
        nodes = [step.node for step in self.plan.steps if step.kind == "input"]
        ends = (*program.results, *(c.node for c in program.checks))
        nodes += [i for i in ends if program.ops[i] == Op.INPUT]
        for i in nodes:
            position = program.args[i][0]
            found[position] = found.get(position, 0) + self.piece.lanes
        return found | dict.fromkeys(self.held, 1)


def plan_pieces(pieces: Pieces, room: int) -> list[Planned]:
    """Plans with at most `room` values in registers."""
    return [_planned(piece, room) for piece in pieces.pieces]


def _planned(piece: Piece, room: int) -> Planned:
    program = piece.program
    order = order_for_few_live(program)
    sums_held = piece.lanes > 1 and 0 < piece.sums <= MOST_SUMS
    wide = max(room - (piece.sums if sums_held else 0), LEAST_ROOM)
    fixed = frozenset(range(len(piece.wires), len(piece.wires) + piece.sums)) if sums_held else frozenset()
    plan = plan_registers(_with_fixed(program, fixed), order, wide, CHEAP)
    if piece.lanes == 1:
        return Planned(piece, _early(plan, room), frozenset(), False)
    free = wide - plan.most_held
    reads = Planned(piece, plan, frozenset(), sums_held).reads
    shared = [k for k, w in enumerate(piece.wires) if isinstance(w, Value) and w.lane != MINE and k in reads]
    held = frozenset(sorted(shared, key=lambda k: -reads[k])[: max(free, 0)])
    if held:
        plan = plan_registers(_with_fixed(program, fixed | held), order, wide - len(held), CHEAP)
    return Planned(piece, _early(plan, wide - len(held)), held, sums_held)


def _early(plan: Plan, room: int) -> Plan:
    """Inputs are asked for some steps before they are used, as many as there is room for."""
    ahead = max(min(room - plan.most_held, MOST_AHEAD), 0)
    keyed = [(k - ahead - 0.5 if step.kind == "input" else k, k, step) for k, step in enumerate(plan.steps)]
    return replace(plan, steps=tuple(step for _, _, step in sorted(keyed, key=lambda x: x[:2])))


def _with_fixed(program: Program, fixed: frozenset[int]) -> Program:
    """Inputs that are operands where they are, for planning alone."""
    slots = [replace(s, uniform=s.uniform or k in fixed) for k, s in enumerate(program.inputs[:-1])]
    first = len(slots)
    sums = replace(program.inputs[-1], uniform=first in fixed)
    return replace(program, inputs=(*slots, sums))
