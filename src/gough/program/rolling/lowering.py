"""Stages made ready for a machine: few operations, multiply-adds, reciprocals and angles written out, an order.

Sums over the lanes run along: a stage has one more input slot, "running", and gives back each sum with its lane's term
added, so that a term that is a product is one multiply-add, as in a program that is not rolled.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from gough.program.graph import INPUT, Graph
from gough.program.lowering import Machine
from gough.program.ops import Op
from gough.program.passes.expand_angles import expand_angles
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.order import NARROW, order_for_latency
from gough.program.passes.outputs import guard_results
from gough.program.passes.reciprocals import expand_reciprocals, share_reciprocals
from gough.program.passes.rewrite import finish, replay
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling.numbers import Numbered
from gough.program.rolling.rolled import KEPT, OWN, SHARED, SUMMED, RolledStage, Source

RUNNING = "running"


@dataclass(frozen=True)
class LoweredStage:
    """program: slots "shared", "own" and "running" in, "kept" and "summed" out (the running sums after this lane); its
    checks count as they are. shared: a source for each. own: sources (lanes,) for each. block: a block or a call
    (see `looping`) that runs instead of the program, which is then empty; its operands are shared, its results kept."""

    program: Program
    lanes: int
    shared: tuple[Source, ...]
    own: tuple[tuple[Source, ...], ...]
    block: Any = None

    @property
    def kept(self) -> int:
        """Number of outputs that stay apart by lane."""
        return self.program.outputs[0].size

    @property
    def summed(self) -> int:
        """Number of sums that run along."""
        return self.program.outputs[1].size


@dataclass(frozen=True)
class LoweredStages:
    """stages in order. program: the one that was rolled. results: a source for each of its results. numbers: what sources
    of stage -1 beyond the program's inputs are."""

    program: Program
    lanes: int
    stages: tuple[LoweredStage, ...]
    results: tuple[Source, ...]
    numbers: tuple[float, ...]

    @property
    def operations(self) -> int:
        """Operations written down: those of one lane, and those that run once."""
        return sum(op > Op.CONST for s in self.stages for op in s.program.ops)


def lower_stages(numbered: Numbered, machine: Machine) -> LoweredStages:
    """A rolled program made ready for a machine."""
    rolled = numbered.rolled
    numbers = list(numbered.numbers)
    wanted: dict[int, set[int]] = {}
    for source in rolled.results:
        wanted.setdefault(source.stage, set()).add(source.place)
    stages = tuple(
        lower_stage(stage, machine, wanted.get(k, set()), numbers, rolled.program.n_inputs)
        for k, stage in enumerate(rolled.stages)
    )
    return LoweredStages(rolled.program, rolled.lanes, stages, rolled.results, tuple(numbers))


def lower_stage(
    stage: RolledStage, machine: Machine, wanted: Collection[int], numbers: list[float], base: int
) -> LoweredStage:
    """One stage made ready. wanted: outputs that are results; numbers: those of the whole program, where minima are added
    as inputs from position `base` on."""
    program = minimise(stage.program)
    if machine.shared:
        program = share_reciprocals(program)
    own = list(stage.own)
    columns: list[int | None] = []  # own input with the minimum of each check, None where it is one number
    for check in stage.checks:
        if len(set(check.minima)) == 1:
            columns.append(None)
        else:
            columns.append(len(own))
            own.append(tuple(Source(-1, base + len(numbers) + k) for k in range(stage.lanes)))
            numbers += check.minima
    program = _running(program, stage, len(own), columns)
    program = expand_angles(contract_multiply_add(program), machine.fused)
    if machine.seeds and machine.shared:
        program = expand_reciprocals(program)
    program = guard_results(program, [program.results[k] for k in sorted(wanted)])
    if stage.lanes == 1:
        program = order_for_latency(program)
    else:  # however long its chains are, the next lane fills the gaps
        program = order_for_latency(program, *NARROW)
    return LoweredStage(program, stage.lanes, stage.shared, tuple(own))


def _running(program: Program, stage: RolledStage, own: int, columns: list[int | None]) -> Program:
    """Sums that run along, and checks with one minimum in all lanes."""
    first = len(stage.shared)
    slots = {
        "inputs": (Slot(SHARED, (first,)), Slot(OWN, (own,)), Slot(RUNNING, (stage.summed,))),
        "outputs": (Slot(KEPT, (stage.kept,)), Slot(SUMMED, (stage.summed,))),
    }
    if not stage.summed and all(column is None for column in columns):  # nothing to record
        pairs = zip(stage.checks, program.checks, strict=True)
        named = [NodeCheck(check.failures[0], node.node, check.minima[0]) for check, node in pairs]
        return replace(program, checks=tuple(dict.fromkeys(named)), **slots)
    graph = Graph()
    new = replay(program, graph)
    results = [new[i] for i in program.results[: stage.kept]]
    for k, i in enumerate(program.results[stage.kept :]):
        results.append(graph.add(graph.raw(INPUT, first + own + k), new[i]))
    checks = []
    for check, column, node in zip(stage.checks, columns, program.checks, strict=True):
        value, minimum = new[node.node], check.minima[0]
        if column is not None:
            value, minimum = graph.raw(Op.SUB, value, graph.raw(INPUT, first + column)), 0.0
        checks.append(NodeCheck(check.failures[0], value, minimum))
    return finish(
        replace(program, checks=()),
        graph,
        new,
        results=tuple(results),
        checks=tuple(dict.fromkeys(checks)),
        **slots,
    )
