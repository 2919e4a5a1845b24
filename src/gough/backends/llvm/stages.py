"""The bodies of a rolled program: the stages of its layout as functions; those of lanes run in a loop.

void chunk_s_k(tile, results, mask, scratch, table, lane)    operations of stage s, one lane
void stage_s(tile, results, mask, scratch, table)            calls them for every lane
"""

from collections.abc import Mapping

from gough.backends.llvm.blocks import BlockBody
from gough.backends.llvm.body import ARGUMENTS, Body, function_of
from gough.backends.llvm.calls import CallBody, Callee
from gough.backends.llvm.moving import Moving
from gough.backends.llvm.writer import Writer
from gough.backends.stage_layout import FRAME, TABLE, Layout, Place, PlacedStage

_LANE_ARGUMENTS = f"{ARGUMENTS}, i64 %lane"


class StageBodies:
    """Functions of all stages; `calls`, `outputs`, `declared` and `scratch_size` are what the driver asks for."""

    def __init__(
        self, layout: Layout, lanes: int, fused: bool, prefix: str = "", callees: Mapping[int, Callee] | None = None
    ) -> None:
        """prefix: of all names. callees: by the identity of what a stage calls."""
        self.lanes = lanes
        self.table: list[float | int] = list(layout.table)
        self.outputs = [("%scratch", place.at) for place in layout.results]
        self.calls = [f"{prefix}stage_{s}" for s in range(len(layout.stages))]
        self.bodies: list[_StageBody | Moving] = []
        for s, stage in enumerate(layout.stages):
            place = (stage, lanes, fused, layout.frame)
            if stage.block is None:
                self.bodies.append(_StageBody(f"{prefix}chunk_{s}", *place))
            elif callees and id(stage.block) in callees:
                self.bodies.append(CallBody(callees[id(stage.block)], self.calls[s], *place))
            else:
                self.bodies.append(BlockBody(self.calls[s], *place))
        self.declared: set[str] = set()

    @property
    def scratch_size(self) -> int:
        """Vectors of the frame, and of what passes from chunk to chunk."""
        return max(body.scratch_size for body in self.bodies)

    def functions(self) -> list[str]:
        """Text of all functions."""
        out = self.loops()
        for name, body in zip(self.calls, self.bodies, strict=True):
            if isinstance(body, _StageBody):
                out += [*body.functions(), _loop(name, body)]
                self.declared |= body.declared
        return out

    def loops(self) -> list[str]:
        """Text of the functions of blocks and calls alone."""
        out = []
        for body in self.bodies:
            if isinstance(body, Moving):
                out += body.functions()
                self.declared |= body.declared
        return out


class _StageBody(Body):
    """One stage: its values that pass from chunk to chunk come after the frame."""

    def __init__(self, name: str, stage: PlacedStage, lanes: int, fused: bool, frame: int) -> None:
        super().__init__(stage.program, lanes, fused)
        self.stage, self.first_scratch = stage, frame
        self.calls = [f"{name}_{k}" for k in range(len(self.chunks))]
        self.arguments = _LANE_ARGUMENTS

    def _input(self, w: Writer, position: int) -> str:
        place = self.stage.inputs[position]
        if place.space != TABLE:
            return w.load(*self._address(place))
        base, k = self._address(place)
        at = w.emit(f"getelementptr double, ptr {base}, i64 {k}")
        return w.splat(w.emit(f"load double, ptr {at}, align 8, !invariant.load !0"))

    def _store(self, w: Writer, i: int, value: dict[int, str]) -> None:
        x = self._operand(w, i, value)
        for position in self._results[i]:
            for place in self.stage.outputs[position]:
                w.do(f"store {w.T} {x}, ptr {w.at(*self._address(place))}, align {w.bytes}")

    def _open(self, w: Writer) -> None:
        for space, step in self.stage.steps:
            far = w.emit(f"mul i64 %lane, {step}")
            kind = "double" if space == TABLE else w.T
            w.do(f"{_base(space, step)} = getelementptr {kind}, ptr {_base(space)}, i64 {far}")

    @staticmethod
    def _address(place: Place) -> tuple[str, int]:
        """Array and index; the lane's own part of the array where lanes differ."""
        return _base(place.space, place.step), place.at


def _base(space: str, step: int = 0) -> str:
    name = "%scratch" if space == FRAME else f"%{space}"
    return f"{name}.{step}".replace("-", "minus") if step else name


def _loop(name: str, body: _StageBody) -> str:
    w = Writer(body.lanes)
    if body.stage.lanes == 1:
        for call in body.calls:
            w.do(f"call void @{call}({ARGUMENTS}, i64 0)")
    else:
        w.do("br label %each")
        w.label("each")
        w.do("%lane = phi i64 [ 0, %entry ], [ %lane.next, %each ]")
        for call in body.calls:
            w.do(f"call void @{call}({_LANE_ARGUMENTS})")
        w.do("%lane.next = add i64 %lane, 1")
        w.do(f"br i1 {w.emit(f'icmp slt i64 %lane.next, {body.stage.lanes}')}, label %each, label %done")
        w.label("done")
    return function_of(name, ARGUMENTS, w.lines)
