"""A call of a program that is written once, as functions on vectors.

    void stage_s(tile, results, mask, scratch, table)

In the workspace: the called program's tile of inputs, its results, its scratch. Its uniform inputs and numbers have a part of
their own in the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gough.backends.llvm.body import ARGUMENTS, function_of
from gough.backends.llvm.moving import Moving
from gough.backends.stage_layout import PlacedStage


@dataclass(frozen=True)
class Callee:
    """A program written as functions. names: in order; outputs: (array, index) of every result; scratch, inputs: vectors;
    offset: name of the constant that says where its part of the table begins; uniform: which inputs come from there."""

    names: Sequence[str]
    outputs: Sequence[tuple[str, int]]
    scratch: int
    inputs: int
    offset: str
    uniform: Sequence[bool]


class CallBody(Moving):
    """Writes the function of one call."""

    def __init__(self, callee: Callee, name: str, stage: PlacedStage, lanes: int, fused: bool, frame: int) -> None:
        self.callee = callee
        super().__init__(name, stage, lanes, fused, frame)

    def _write(self) -> str:
        w, callee = self.w, self.callee
        own = sum(array == "%results" for array, _ in callee.outputs)
        first = {"%tile": 0, "%results": callee.inputs, "%scratch": callee.inputs + own}
        self.size = callee.inputs + own + callee.scratch
        work = w.at("%scratch", self.frame)
        self._gather(work, [(k, k) for k, same in enumerate(callee.uniform) if not same])
        start = w.emit(f"load i64, ptr {callee.offset}, align 8")
        table = w.emit(f"getelementptr double, ptr %table, i64 {start}")
        inner = {array: self.at(work, str(at)) for array, at in first.items()} | {"%mask": "%mask", "%table": table}
        arguments = ARGUMENTS
        for array, value in inner.items():
            arguments = arguments.replace(f"ptr {array}", f"ptr {value}")
        for name in callee.names:
            w.do(f"call void @{name}({arguments})")
        self._scatter(work, [first[array] + at for array, at in callee.outputs])
        return function_of(self.name, ARGUMENTS, w.lines)
