"""How a run that somebody steps goes on: straight through machine code where `Watch` trusts every state, elsewhere as `simulate`
goes through a piece. What it hands out was looked at.
"""

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from gough.errors import BadStateError
from gough.simulation.control.sampled import Sampled
from gough.simulation.events import End, Ending
from gough.simulation.integration.course import Course
from gough.simulation.integration.explicit import ExplicitMarching
from gough.simulation.integration.marching import Marching, RunStopped
from gough.simulation.integration.pieces import SampledPieces, sampled_command
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.step_pieces import CutPieces, HeldPieces, StepPieces, TimePart
from gough.simulation.integration.straight import Passed, StraightPieces
from gough.simulation.motion.motion import LONGEST
from gough.simulation.results.remedy import remedy
from gough.simulation.results.run import Run
from gough.simulation.run._changes import LoopInputs
from gough.simulation.run.setup import Setup
from gough.simulation.run.simulate import Outcome, gather

Array = np.ndarray
NO_END, SPAN = 1 << 62, 1.0
"""Steps of a run that nobody ends; and the time (s) its steps are compared with, to see whether it gets on."""


class Stepping:
    """One run from a first state (n,) at a time (s). `t`, `state` (n,): now, in the velocities of `led`; `ended`: how, None while
    it goes on. record: whether all is kept. inputs: gains and wrenches, which may change."""

    def __init__(self, setup: Setup, first: Array, t: float, record: bool, inputs: LoopInputs) -> None:
        self.setup, self.record, self.t, self.inputs = setup, record, t, inputs
        settings = setup.settings
        plant = setup.plant.plant_for(first[None, : setup.model.layout.nq], setup.numbers[None])

        def marching_for(plant: Plant) -> Marching:
            made = settings.method.marching(plant, setup.numbers, settings.taken_step, settings.tolerance)
            made.most_steps, made.span = NO_END, SPAN
            return made

        self.source = _pieces(setup, t)
        self.kept: list[Array | Passed] = []
        self.course = Course(plant, marching_for(plant), marching_for, self._keep, 1)
        self.first = first.copy()
        self.first[self.course.states.t] = t
        self.course.begin(self.first)
        self.tracks: dict[int, StraightPieces] = {}
        self.ended: Ending | None = None
        self.ended_at, self.remedy = t, ""
        self.spent = 0.0  # s
        self.last_row: Array | None = None
        self._go_on(self.first, t)
        inputs.begin(t)

    @property
    def told_state(self) -> Array:
        """The state (n,) in the velocities of the robot that runs."""
        if self.led.plant.model is self.setup.model:
            return self.state
        return self.course.told(self.state[None, : self.course.states.size], self.led)[0]

    def moment(self, row: Array) -> Array:
        """The record (k,) of this state: with the drive forces and accelerations that a row gives it."""
        return self.course.moment(self.state, row, self.led)[0]

    def go_until(self, end: float) -> None:
        """To a time (s), piece by piece. An interrupt leaves it at the end of a piece that was finished."""
        if self.ended is not None:
            raise self.ending_error()
        began = perf_counter()
        try:
            self._through(end)
        except BaseException:
            if self.straight is not None and self.straight.pieces:
                self.t = float(self.straight.pieces[-1][0][1])
            raise
        finally:
            self.spent += perf_counter() - began

    def _through(self, end: float) -> None:
        while self.t < end:
            part, straight = self._next(end), self.straight
            if straight is None or not straight.piece(part):
                self._hand_on()
                self._careful(part.row)
                continue
            self.t = float(part.row[1])
            if straight.full:
                self._hand_on()

    def _next(self, end: float) -> TimePart:
        """The next stretch, not beyond an end (s)."""
        try:
            part = self.source.next(self.t, end, self.told_state)
            self.inputs.put_on(part.row)
            return part
        except RunStopped as problem:
            self._hand_on()
            self._end(problem)
            raise

    def _careful(self, row: Array) -> None:
        """A stretch as `simulate` goes through it."""
        course, kept = self.course, len(self.kept)
        course.led.marching.slow_turns = 0
        go_back = course.way_back()
        try:
            state = course.piece(self.state, row)
            course.until = float(row[1])
            if self.record:
                self.kept.append(course.moment(state, row))
        except RunStopped as problem:
            self._end(problem)
            raise
        except BaseException:
            go_back()
            del self.kept[kept:]
            raise
        self._go_on(state, float(row[1]))

    def _end(self, problem: RunStopped) -> None:
        """The run is over, at the last state that can be trusted."""
        course = self.course
        course.keep_last()
        self.ended, self.ended_at = problem.ending, problem.time
        if course.last is not None and course.last[course.states.t] > self.t:
            self.led, self.straight, self.state = course.led, None, course.last[: course.states.size].copy()
            self.t = float(self.state[course.states.t])
        self.remedy = remedy(self.run_of([self._record_of_now()]))
        raise self.ending_error() from problem

    def ending_error(self) -> BadStateError:
        """How it ended, as an error."""
        assert self.ended is not None
        more = self.remedy and f"; {self.remedy}"
        return BadStateError(
            f"the run ends at t = {self.ended_at:.9g} s: {self.ended.why}{more}; begin anew with reset"
        )

    def _go_on(self, state: Array, t: float) -> None:
        """From a state (n,) that was looked at, at a time (s)."""
        course = self.course
        self.led, self.straight, self.state = course.led, None, state
        if isinstance(course.led.marching, ExplicitMarching) and not course.blind:
            found = self.tracks.get(id(course.led))
            if found is None:
                found = self.tracks[id(course.led)] = StraightPieces(course.led, course.watch)
            found.begin(state, course.watch)
            self.straight, self.state = found, found.state
        self.t = t

    def _hand_on(self) -> None:
        """Keeps what was passed straight."""
        straight, course = self.straight, self.course
        if straight is None or not straight.pieces:
            return
        straight.note_pieces()
        course.last, course.until = straight.last, float(straight.pieces[-1][0][1])
        if self.record:
            self.kept.append(straight.take())
        else:
            straight.forget()

    # What it has to tell

    @property
    def row(self) -> Array:
        """The row that holds now: of the forces held, of the motion, or without forces where a controller was not asked yet."""
        if isinstance(self.source, HeldPieces):
            return self.inputs.put_on(self.source.next(self.t, self.t, self.state).row)
        assert isinstance(self.source, CutPieces)
        if self.source.row is not None:
            return self.inputs.put_on(self.source.row.copy())
        plant = self.setup.plant
        return self.inputs.put_on(plant.rows.stretch(self.t, self.t, np.zeros(len(plant.model.mechanism.drives))))

    @property
    def kept_bytes(self) -> int:
        """Memory of what was kept."""
        arrays = [part if isinstance(part, np.ndarray) else part.records for part in self.kept]
        return sum(x.nbytes for x in arrays)

    def forget(self) -> None:
        """Drops what was kept."""
        self._hand_on()
        self.kept.clear()
        self.course.events.clear()
        self.inputs.begin(self.t)

    def whole_run(self) -> Run:
        """All of it."""
        self._hand_on()
        records = [x for part in self.kept for x in ([part] if isinstance(part, np.ndarray) else self._records(part))]
        if not any(map(len, records)):
            return self.run_of([self._record_of_now()])
        together = np.concatenate(records)
        self.kept = [together]
        return self.run_of([together])

    def _record_of_now(self) -> Array:
        record = self.moment(self.row)[None].copy()
        record[0, self.course.states.t] = self.t
        return record

    def run_of(self, records: list[Array]) -> Run:
        """The run of these records (m, k)."""
        course, ending = self.course, self.ended or Ending(End.FINISHED, "finished")
        when = "" if ending.end == End.FINISHED else f" at t = {self.ended_at:.9g} s"
        outcome = Outcome(
            records=np.concatenate(records),
            stopped=f"{ending.why}{when}",
            ending=ending,
            events=(*course.events, *self.inputs.events),
            counts=course.counts(),
            error_estimate=course.error_estimate,
            computing_s=self.spent,
            compile_s=course.compile_s,
        )
        setup = replace(self.setup, plant=replace(self.setup.plant, law=self.inputs.first_law))
        return gather(setup, outcome, self.inputs.wrench_at)

    def _records(self, passed: Passed) -> Iterator[Array]:
        """What `simulate` would have stored of stretches: states at the begin of steps, and forces before they jump."""
        course, led = self.course, passed.led
        marching = led.marching
        assert isinstance(marching, ExplicitMarching)
        for row, records, after in passed.stretches(marching.states.t):
            yield course.records_of(marching.without_rejected(records), row, led)
            yield course.moment(after, row, led)

    def _keep(self, records: Array) -> None:
        if self.record:
            self.kept.append(records)


def _pieces(setup: Setup, t: float) -> StepPieces:
    """What gives the run its rows from a time (s) on."""
    law, motion = setup.law, setup.settings.motion
    if isinstance(law, Sampled):
        command = sampled_command(law, setup.model, motion, setup.table, setup.numbers, setup.own)
        end = LONGEST if motion is None or motion.extend == "hold" else motion.duration
        return CutPieces(SampledPieces(setup.plant, law, command, end, t), end)
    if law.held:
        return HeldPieces(setup.plant)
    return CutPieces.of_table(setup.plant, setup.table, motion, t)
