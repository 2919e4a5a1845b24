"""Called programs whose legs do the same, in lanes: a thread a leg and run, all of them at one place of the code.

Rolled (`program.rolling`), a right-hand side is a few stages; one that runs in lanes is a single text for all legs, which the
threads of a block go through together. Terms of sums over the legs are left in shared memory, some of them at a time; when
all legs have left theirs, each adds up some of the sums.
"""

from dataclasses import dataclass, replace

from gough.backends.cuda._registers import order_for_few_live
from gough.program.looping import Called
from gough.program.lowering import Machine
from gough.program.ops import Op
from gough.program.program import Program, Slot
from gough.program.rolling.lowering import LoweredStage, LoweredStages, lower_stages
from gough.program.rolling.numbers import Numbered, roll_numbers
from gough.program.rolling.rolled import KEPT, SUMMED, Rolled, RolledStage, Source

LEAST = 3
"""Lanes at least."""
SHORTER = 0.5
"""Part of a program's text that its stages may have at most."""


@dataclass(frozen=True)
class LeavingStage(LoweredStage):
    """A stage in lanes whose last `terms` results are terms of sums over them. Its last `sums` outputs are the sums, one a
    lane: they are as many terms as lanes at a time."""

    sums: int = 0
    terms: int = 0


def called_in_lanes(lowered: LoweredStages, machine: Machine) -> tuple[int, dict[int, LoweredStages]]:
    """(lanes, {identity of what is called: its stages in lanes}): of the longest program that is called, and of others with as
    many legs; (1, {}) where that has none."""
    blocks = {id(s.block): s.block for s in lowered.stages if isinstance(s.block, Called)}
    called = sorted(blocks.values(), key=lambda c: -len(c.stages.program.ops))
    found: dict[int, LoweredStages] = {}
    lanes = None
    for one in called:
        made = stages_in_lanes(one.stages.program, machine, lanes)
        if made is not None:
            lanes = made.lanes
            found[id(one)] = made
        elif lanes is None:
            return 1, {}
    return lanes or 1, found


def stages_in_lanes(program: Program, machine: Machine, lanes: int | None = None) -> LoweredStages | None:
    """A program without blocks in stages, of which those in lanes have no sums; None where that saves little."""
    if any(op == Op.BLOCK for op in program.ops):
        return None
    numbered = roll_numbers(program, lanes, least=LEAST)
    if numbered is None:
        return None
    once, lane = numbered.rolled.operations
    if once + lane > SHORTER * (once + numbered.rolled.lanes * lane):
        return None
    lowered = lower_stages(Numbered(terms_kept(numbered.rolled), numbered.numbers), machine)
    return terms_left(lowered, [stage.summed for stage in numbered.rolled.stages])


def terms_kept(rolled: Rolled) -> Rolled:
    """The same stages; terms of sums over the lanes are outputs of each lane."""

    def kept(stage: RolledStage) -> RolledStage:
        outputs = (Slot(KEPT, (stage.kept + stage.summed,)), Slot(SUMMED, (0,)))
        return replace(stage, program=replace(stage.program, outputs=outputs))

    return replace(rolled, stages=tuple(kept(stage) for stage in rolled.stages))


def terms_left(lowered: LoweredStages, summed: list[int]) -> LoweredStages:
    """The same stages with sums, so many of the last outputs of each, in the order in which their terms are made."""
    stages: list[LoweredStage] = []
    moved: dict[tuple[int, int], tuple[int, int]] = {}  # (stage, place): place and lane of a sum
    for number, (stage, count) in enumerate(zip(lowered.stages, summed, strict=True)):
        if count:
            program, first = stage.program, stage.kept - count
            made = {node: k for k, node in enumerate(order_for_few_live(program))}
            terms = sorted(range(first, stage.kept), key=lambda k: made.get(program.results[k], -1))
            moved |= {(number, k): (first + at // stage.lanes, at % stage.lanes) for at, k in enumerate(terms)}
            results = (*program.results[:first], *(program.results[k] for k in terms))
            sums = -(-count // stage.lanes)
            outputs = (Slot(KEPT, (first + sums,)), Slot(SUMMED, (0,)))
            program = replace(program, outputs=outputs, results=results)
            stage = LeavingStage(program, stage.lanes, stage.shared, stage.own, None, sums, count)
        stages.append(stage)

    def source(s: Source) -> Source:
        return Source(s.stage, *moved[s.stage, s.place]) if (s.stage, s.place) in moved else s

    stages = [
        replace(s, shared=tuple(map(source, s.shared)), own=tuple(tuple(map(source, c)) for c in s.own)) for s in stages
    ]
    return replace(lowered, stages=tuple(stages), results=tuple(map(source, lowered.results)))
