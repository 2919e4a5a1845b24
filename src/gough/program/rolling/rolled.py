"""A rolled program: stages with wires between them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gough.errors import Failure
from gough.program.interpreter import evaluate_nodes
from gough.program.ops import Op
from gough.program.program import Program

SHARED, OWN, KEPT, SUMMED = "shared", "own", "kept", "summed"
"""Slots of a stage's program: inputs that are one for all lanes, inputs of a lane; outputs of a lane, outputs that are
summed over the lanes."""


@dataclass(frozen=True, order=True)
class Source:
    """Where a scalar comes from. stage -1: input `place` of the whole program. Else output `place` of a stage, those of
    the slot "kept" first, then those "summed"; lane: whose (0 for a stage that runs once, and for sums)."""

    stage: int
    place: int
    lane: int = 0


@dataclass(frozen=True)
class LaneCheck:
    """The check number `place` of a stage's program, for every lane: its failures and minima (lanes,)."""

    failures: tuple[Failure, ...]
    minima: tuple[float, ...]


@dataclass(frozen=True)
class RolledStage:
    """A program that runs on `lanes` sets of numbers.

    program: slots "shared" and "own" in, "kept" and "summed" out; its check k stands for checks[k] (whose failures and minima
    count, not its own). shared: a source for each. own: sources (lanes,) for each.
    """

    program: Program
    lanes: int
    shared: tuple[Source, ...]
    own: tuple[tuple[Source, ...], ...]
    checks: tuple[LaneCheck, ...] = ()

    @property
    def kept(self) -> int:
        """Number of outputs that stay apart by lane."""
        return self.program.outputs[0].size

    @property
    def summed(self) -> int:
        """Number of outputs that are summed over the lanes."""
        return self.program.outputs[1].size

    @property
    def operations(self) -> int:
        """Nodes that compute something, in one lane."""
        return sum(op > Op.CONST for op in self.program.ops)


@dataclass(frozen=True)
class Rolled:
    """stages in order. program: the one that was rolled. results: a source for each of its results."""

    program: Program
    lanes: int
    stages: tuple[RolledStage, ...]
    results: tuple[Source, ...]

    def map(self, rewrite: Callable[[Program], Program]) -> "Rolled":
        """Every stage's program rewritten; slots, results and checks keep their order."""
        return replace(self, stages=tuple(replace(s, program=rewrite(s.program)) for s in self.stages))

    @property
    def operations(self) -> tuple[int, int]:
        """(operations that run once, operations of a lane)."""
        once = sum(s.operations for s in self.stages if s.lanes == 1)
        return once, sum(s.operations for s in self.stages if s.lanes > 1)

    def evaluate_flat(self, values: np.ndarray) -> tuple[np.ndarray, list[tuple[Failure, bool]]]:
        """(results, [(check, whether it holds)]) for flat inputs (n_inputs,): the interpreter, a stage at a time."""
        made: list[np.ndarray] = []
        checks: list[tuple[Failure, bool]] = []

        def value(source: Source) -> float:
            return values[source.place] if source.stage < 0 else made[source.stage][source.place, source.lane]

        for stage in self.stages:
            shared = np.array([[value(s)] * stage.lanes for s in stage.shared]).reshape(-1, stage.lanes)
            own = np.array([[value(s) for s in column] for column in stage.own]).reshape(-1, stage.lanes)
            nodes = evaluate_nodes(stage.program, np.concatenate([shared, own]).T)
            rows = [np.broadcast_to(nodes[i], stage.lanes).astype(float) for i in stage.program.results]
            rows[stage.kept :] = [np.full(stage.lanes, row.sum()) for row in rows[stage.kept :]]
            made.append(np.array(rows).reshape(-1, stage.lanes))
            for check, node in zip(stage.checks, stage.program.checks, strict=True):
                held = np.broadcast_to(nodes[node.node], stage.lanes) >= np.array(check.minima)
                checks += [(failure, bool(good)) for failure, good in zip(check.failures, held, strict=True)]
        return np.array([value(s) for s in self.results]), checks
