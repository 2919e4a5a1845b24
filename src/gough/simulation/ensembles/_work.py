"""The work of an ensemble in parts: what a part is made from, who does it, on the threads of a CPU one by one, on a GPU many at
once, on a cluster wherever there is room.
"""

import hashlib
import json
import sys
import time as clock
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.service import Marched, compile_loop
from gough.distribution import DoneChunk, PartFolder, run_chunks
from gough.program import Program
from gough.simulation.ensembles._plan import EnsemblePlan, with_own_loads
from gough.simulation.integration.explicit import explicit_step
from gough.simulation.integration.methods.rk4 import RK4
from gough.simulation.results.robot import robot_hash

if TYPE_CHECKING:
    from gough.simulation.ensembles.ensemble import EnsembleSubject

Found = dict[str, np.ndarray]
Array = np.ndarray
Tell = Callable[[int, int], None]
PART, LEAST, PARTS = 256, 8, 16
"""Runs of a part, at most and at least, and how many parts of these there are where runs are few: what is lost by Ctrl-C is
little, and all cores work. The same on every machine, so that a folder can be taken elsewhere."""
GROUP = 64
"""Parts that a GPU does at once, at most."""
FEWEST, QUICK = 32, 0.1
"""Steps of a CPU's first stretch, and how long one takes (s): between two Ctrl-C is heard."""
DEVICES = ("cpu", "cuda")


def part_subject(
    subject: "EnsembleSubject", plan: EnsemblePlan, device: str, states: Array, own: Array | None
) -> dict[str, Any]:
    """Everything the results follow from, by name. own (runs, k): what every run has for itself."""
    model, believed = subject.model, subject.believed
    return {
        "robot": robot_hash(model),
        "parameters": _hash(model.parameters),
        "structural zeros": _hash(repr(sorted(model.pattern.items()))),
        "controller": subject.law.describe(),
        "robot of the controller": [believed.describe(None), _hash(believed.numbers)],
        "duration": plan.end,
        "step": plan.step,
        "stored": plan.stored,
        "motion": _hash(json.dumps([row.tolist() for row, _, _ in plan.pieces])),
        "device": device,
        "runs": len(states),
        "first states": _hash(states),
        "loads and designs": _hash(own),
    } | ({"loads": told} if (told := plan.loads.wrenches.describe()) else {})


def _hash(x: Any) -> str:
    data = x.encode() if isinstance(x, str) else np.ascontiguousarray(np.zeros(0) if x is None else x).tobytes()
    return hashlib.sha256(data).hexdigest()[:32]


class CpuLoop:
    """A time loop of this CPU as an ensemble calls it."""

    def __init__(self, program: Program) -> None:
        self.march = compile_loop(program)
        self.table = self.march.table

    def __call__(
        self, state: Array, steps: int, table: Array, given: Array, own: Array | None, every: int, first: int, tick: Any
    ) -> Marched:
        """See `CompiledLoop`. tick: called with the turns done, several times a second; what it raises ends the loop."""
        done, size = 0, FEWEST
        x, failed, status = state, np.full(len(state), -1), np.zeros(len(state), dtype=np.int64)
        records = []
        while done < steps:
            n, began = min(size, steps - done), clock.perf_counter()
            begin = first - done if done < first else every - (done - first) % every
            found = self.march(x, n, table, given, own, every=every, first=begin)
            lost = failed >= 0  # before: they stay as they are
            x = np.where(lost[:, None], x, found.state)
            status = np.where(lost, status, found.status)
            failed = np.where(lost | (found.failed < 0), failed, done + found.failed)
            records.append(found.record)
            done += found.turns
            tick(done)
            if found.turns < n:
                break
            size = max(int(size * min(QUICK / max(clock.perf_counter() - began, 1e-9), 4.0)), 1)
        return Marched(x, np.concatenate(records), done, failed, status)


def part_of(runs: int) -> int:
    """Runs of a part of so many."""
    return min(max(-(-runs // (PARTS * LEAST)) * LEAST, LEAST), PART)


@dataclass(eq=False)
class EnsembleWork:
    """What is done with first states (runs, n) and what they have for themselves (see `ChunkWork`). uniform (n,): the one design
    of all runs, None where each has its own. compiling_s: what `prepare` took."""

    plan: EnsemblePlan
    device: str
    uniform: Array | None
    compiling_s: float = field(default=0.0, init=False)

    @cached_property
    def program(self) -> Program:
        """Of a step; it travels with the work, so that it is traced once."""
        plan = self.plan
        plant = plan.plant if self.device == "cpu" else plan.plant.with_alike_legs()
        program = explicit_step(plant, RK4, uniform=self.uniform is not None)
        return with_own_loads(program, plan.loads_at, plan.plant.wrenches.own_size) if plan.differ else program

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "program": self.program}

    def prepare(self) -> Callable[[tuple[Array, Array | None], Callable[[float], None]], Found]:
        """The compiled time loop as a function of (states, own) and tick."""
        began, plan = clock.perf_counter(), self.plan
        loop: Any = CpuLoop(self.program) if self.device == "cpu" else compile_loop(self.program, self.device)
        table = loop.table({} if self.uniform is None else {"parameters": self.uniform})
        room = None if self.device == "cpu" else loop.most_runs(plan.rows)
        self.compiling_s = clock.perf_counter() - began

        def go(item: tuple[Array, Array | None], tick: Callable[[float], None]) -> Found:
            states, own = item
            size = room or max(len(states), 1)
            found = []
            for a in range(0, len(states), size):
                b = min(a + size, len(states))

                def told(part: float, a: int = a, b: int = b) -> None:
                    tick((a + part * (b - a)) / len(states))

                found.append(plan.go(loop, table, states[a:b], None if own is None else own[a:b], told))
            return found[0] if len(found) == 1 else _join(found)

        return go


def _join(found: list[Found]) -> Found:
    joined = {name: np.concatenate([x[name] for x in found]) for name in found[0] if name != "time"}
    return joined | {"time": found[0]["time"]}


class PartItems(Sequence[tuple[Array, Array | None]]):
    """(states, own) of every part; made when asked for. numbers: of the parts, or of groups of parts, in the order of chunks."""

    def __init__(self, states: Array, own: Array | None, groups: Sequence[Sequence[int]]) -> None:
        self.states, self.own, self.groups, self.part = states, own, groups, part_of(len(states))

    def rows(self, k: int) -> slice:
        """Runs of part k."""
        return slice(k * self.part, min((k + 1) * self.part, len(self.states)))

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, i: Any) -> Any:
        runs = np.concatenate([np.r_[self.rows(k)] for k in self.groups[i]])
        return self.states[runs], None if self.own is None else self.own[runs]


def do_parts(
    work: EnsembleWork,
    states: Array,
    own: Array | None,
    store: PartFolder | None,
    who: dict[str, Any],
    tell: Tell | None,
) -> Generator[DoneChunk, None, None]:
    """All parts as they are done, those that are in the store first. who: cluster, mixed and threads of `run_chunks`. tell:
    called with (runs done, all), now and then."""
    runs, done = len(states), 0
    count = -(-runs // part_of(runs))
    items = PartItems(states, own, [[k] for k in range(count)])
    numbers = [items.rows(k).stop - items.rows(k).start for k in range(count)]
    if work.device == "cpu":
        found = run_chunks(work, items, store=store, **who)
    else:
        found = _do_groups(work, items, store, who, tell)
    with closing(found):
        for chunk in found:
            done += numbers[chunk.number]
            if tell is not None and not chunk.kept and (work.device == "cpu" or done == runs):
                tell(done, runs)
            yield chunk


def _do_groups(
    work: EnsembleWork, items: PartItems, store: PartFolder | None, who: dict[str, Any], tell: Tell | None
) -> Generator[DoneChunk, None, None]:
    """On GPUs: many parts in one launch; each is kept for itself."""
    missing, runs = [], len(items.states)
    for k in range(len(items)):
        kept = None if store is None else store.read(k)
        if kept is None:
            missing.append(k)
        else:
            yield DoneChunk(k, kept, True)
    groups = [missing[a : a + GROUP] for a in range(0, len(missing), GROUP)]
    before = runs - sum(items.rows(k).stop - items.rows(k).start for k in missing)
    sizes = [sum(items.rows(k).stop - items.rows(k).start for k in group) for group in groups]

    def tick(i: int, part: float) -> None:
        if tell is not None and 0.0 < part < 1.0:
            tell(before + sum(sizes[:i]) + int(part * sizes[i]), runs)

    some = PartItems(items.states, items.own, groups)
    one: dict[str, Any] = who | {"threads": 1}
    with closing(run_chunks(work, some, device=work.device, tick=tick, **one)) as found:
        for chunk in found:
            at = 0
            for k in groups[chunk.number]:
                n = items.rows(k).stop - items.rows(k).start
                part = {key: x if key == "time" else x[at : at + n] for key, x in chunk.result.items()}
                at += n
                if store is not None:
                    store.keep(k, part)
                yield DoneChunk(k, part, False)


@contextmanager
def telling(progress: Tell | bool | None) -> Iterator[Tell | None]:
    """What is called with (done, runs). progress True: a bar, where the error output is a terminal."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress or not sys.stderr.isatty():
        yield None
    else:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("runs", total=None)
            yield lambda done, runs: bar.update(task, completed=done, total=runs)
