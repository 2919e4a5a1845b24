"""Functions that copy operands from where they are to a workspace behind the frame, and results back.

Where they are is said by tables of positions, so the code stays small however many there are.
"""

from gough.backends.llvm.loops import Loop
from gough.backends.llvm.writer import Writer
from gough.backends.stage_layout import FRAME, TABLE, TILE, Place, PlacedStage

_BASE = {FRAME: "%scratch", TILE: "%tile", TABLE: "%table"}


class Moving:
    """What the writers of blocks and calls share. size: vectors of the workspace, which the writer says."""

    size: int

    def __init__(self, name: str, stage: PlacedStage, lanes: int, fused: bool, frame: int) -> None:
        self.name, self.stage, self.frame = name, stage, frame
        self.w = Writer(lanes, fused)
        self.tables: list[str] = []
        self.text = self._write()
        self.declared: set[str] = set(self.w.declared)

    @property
    def scratch_size(self) -> int:
        """Vectors of the frame and of the workspace."""
        return self.frame + self.size

    def functions(self) -> list[str]:
        """Tables of positions, and the function."""
        return [*self.tables, self.text]

    def _write(self) -> str:
        """The function's text; sets `size`."""
        raise NotImplementedError

    def _gather(self, work: str, moves: list[tuple[int, int]]) -> None:
        """Copy operands to their places in the workspace; (operand, place)."""
        w = self.w
        for space in (FRAME, TILE, TABLE):
            here = [(self.stage.inputs[k].at, to) for k, to in moves if self.stage.inputs[k].space == space]
            if not here:
                continue
            sources = self.positions(f"{space}.a", [source for source, _ in here])
            targets = self.positions(f"{space}.b", [target for _, target in here])
            loop = Loop(w, f"from.{space}")
            k, _ = loop.open(0, len(here))
            source, target = self.position(sources, k), self.position(targets, k)
            if space == TABLE:
                at = w.emit(f"getelementptr double, ptr {_BASE[space]}, i64 {source}")
                value = w.splat(w.emit(f"load double, ptr {at}, align 8"))
            else:
                value = w.emit(f"load {w.T}, ptr {self.at(_BASE[space], source)}, align {w.bytes}")
            w.do(f"store {w.T} {value}, ptr {self.at(work, target)}, align {w.bytes}")
            loop.close()

    def _scatter(self, work: str, results: list[int]) -> None:
        w = self.w
        pairs = [
            (at, place.at) for at, places in zip(results, self.stage.outputs, strict=True) for place in _frame(places)
        ]
        sources = self.positions("out.a", [source for source, _ in pairs])
        targets = self.positions("out.b", [target for _, target in pairs])
        loop = Loop(w, "out")
        k, _ = loop.open(0, len(pairs))
        value = w.emit(f"load {w.T}, ptr {self.at(work, self.position(sources, k))}, align {w.bytes}")
        w.do(f"store {w.T} {value}, ptr {self.at('%scratch', self.position(targets, k))}, align {w.bytes}")
        loop.close()

    def at(self, base: str, index: str) -> str:
        """Address of the vector at an index that is a value."""
        return self.w.emit(f"getelementptr {self.w.T}, ptr {base}, i64 {index}")

    def positions(self, name: str, values: list[int]) -> str:
        """Name of a table of positions."""
        full = f"@{self.name}.{name}"
        self.tables.append(
            f"{full} = internal constant [{len(values)} x i32] [{', '.join(f'i32 {x}' for x in values)}]"
        )
        return full

    def position(self, table: str, k: str) -> str:
        """Entry k of a table of positions."""
        w = self.w
        at = w.emit(f"getelementptr i32, ptr {table}, i64 {k}")
        return w.emit(f"sext i32 {w.emit(f'load i32, ptr {at}, align 4')} to i64")


def _frame(places: tuple[Place, ...]) -> tuple[Place, ...]:
    assert all(place.space == FRAME and place.step == 0 for place in places)
    return places
