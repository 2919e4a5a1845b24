"""Where values that leave a piece lie: columns of scratch, in shared memory while there is room, else in local memory.

Every output of a stage that another reads has a column of one slot a lane. Columns that gather numbers of several outputs
have slots of their own, into which those numbers are stored as they are made.
"""

from dataclasses import dataclass, field

from gough.backends.cuda.staged.bodies import Value, Wire
from gough.backends.cuda.staged.pieces import Output, Pieces
from gough.backends.cuda.staged.planning import Planned


@dataclass
class Column:
    """Slots side by side, alive from a stage to a stage (both included); uses: times a thread stores or loads one."""

    size: int
    born: int
    dies: int
    uses: int = 0
    place: int = -1
    near: bool = False


@dataclass
class Layout:
    """outputs: columns by stage and place. gathered: by the wire that reads them; scratch: a piece's own slots.
    near, far: slots of both memories."""

    outputs: dict[Output, Column] = field(default_factory=dict)
    gathered: dict[Wire, Column] = field(default_factory=dict)
    scratch: list[list[Column]] = field(default_factory=list)
    near: int = 0
    far: int = 0

    def columns(self) -> list[Column]:
        """All of them."""
        return [*self.outputs.values(), *self.gathered.values(), *(c for row in self.scratch for c in row)]

    @property
    def far_uses(self) -> int:
        """Stores and loads of local memory."""
        return sum(c.uses for c in self.columns() if not c.near)

    @property
    def near_uses(self) -> int:
        """Stores and loads of shared memory."""
        return sum(c.uses for c in self.columns() if c.near)


def gathers(wire: Wire) -> bool:
    """Whether a column's numbers come from several places, at least one of them computed."""
    return isinstance(wire, tuple) and any(v.stage >= 0 for v in wire)


def lay_out(pieces: Pieces, plans: list[Planned], room: int) -> Layout:
    """Slots for all that is stored, at most `room` of them in shared memory."""
    layout, end = Layout(), len(plans)
    for number, planned in enumerate(plans):
        reads = planned.reads
        for k, wire in enumerate(planned.piece.wires):
            if k in reads:
                _count(pieces, layout, wire, number, reads[k])
        row = [Column(1, number, number, planned.piece.lanes * n) for n in planned.plan.accesses()]
        layout.scratch.append(row)
        if planned.piece.sums and not planned.sums_held:
            for k in range(planned.piece.sums):
                column = _output(pieces, layout, Value(number, planned.piece.kept + k), number)
                column.uses += 2 * planned.piece.lanes
    for value in pieces.results:
        if value.stage >= 0 and not _direct(pieces, value):
            _output(pieces, layout, value, end).uses += 1
    _place(layout, room)
    return layout


def _direct(pieces: Pieces, value: Value) -> bool:
    """Whether a result is written when it is made: in a stage that runs once."""
    return pieces.pieces[value.stage].lanes == 1


def _count(pieces: Pieces, layout: Layout, wire: Wire, number: int, uses: int) -> None:
    if gathers(wire):
        assert isinstance(wire, tuple)
        column = layout.gathered.get(wire)
        if column is None:
            born = min(v.stage if _is_early(pieces, v) else number for v in wire)
            column = layout.gathered[wire] = Column(len(wire), born, number, len(wire))
            for v in wire:
                if v.stage >= 0 and not _is_early(pieces, v):
                    _output(pieces, layout, v, number).uses += 1
        column.dies, column.uses = max(column.dies, number), column.uses + uses
    elif isinstance(wire, Value) and wire.stage >= 0:
        _output(pieces, layout, wire, number).uses += uses


def _is_early(pieces: Pieces, value: Value) -> bool:
    """Whether a number goes into gathered columns when it is made: in a stage that runs once, or as a sum."""
    return value.stage >= 0 and (_direct(pieces, value) or _is_sum(pieces, value))


def _is_sum(pieces: Pieces, value: Value) -> bool:
    return value.stage >= 0 and value.node >= pieces.pieces[value.stage].kept


def _output(pieces: Pieces, layout: Layout, value: Value, dies: int) -> Column:
    key = (value.stage, value.node)
    if key not in layout.outputs:
        size = 1 if _is_sum(pieces, value) else pieces.pieces[value.stage].lanes
        layout.outputs[key] = Column(size, value.stage, dies, size)
    column = layout.outputs[key]
    column.dies = max(column.dies, dies)
    return column


def _place(layout: Layout, room: int) -> None:
    """The most used first; columns alive at different times share slots."""
    near: list[Column] = []
    far: list[Column] = []
    for column in sorted(layout.columns(), key=lambda c: (-c.uses / c.size, c.born)):
        column.place = _free_place(near, column)
        column.near = column.place + column.size <= room
        if not column.near:
            column.place = _free_place(far, column)
        (near if column.near else far).append(column)
    layout.near = max((c.place + c.size for c in near), default=0)
    layout.far = max((c.place + c.size for c in far), default=0)


def _free_place(taken: list[Column], column: Column) -> int:
    """The first place where a column meets none that is alive with it."""
    place = 0
    for other in sorted(taken, key=lambda c: c.place):
        if other.born <= column.dies and column.born <= other.dies:
            if place + column.size <= other.place:
                break
            place = max(place, other.place + other.size)
    return place
