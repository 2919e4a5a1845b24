"""A run through all its pieces: steps of the method where they can be trusted, and what leads past singular poses elsewhere.

Every step is looked at (`Watch`), whether it is stored or not. Near a singularity the run goes back to the last good state, and
on with other independent velocities where those would do, else through the pose by `Passage`. What is stored is told in the
velocities the robot was built with.
"""

import time as clock
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import Failure, Status
from gough.simulation.events import Event, Happening
from gough.simulation.integration._ahead import AheadPieces
from gough.simulation.integration._events import NearError, go_by_events
from gough.simulation.integration._law_failures import blame_law
from gough.simulation.integration._passage import Collocation, Passage, records_between
from gough.simulation.integration._rates import moment_program
from gough.simulation.integration.crossing import HIDDEN, NEAR, Watch, better_velocities, distances_of
from gough.simulation.integration.drive_led import convert_velocities
from gough.simulation.integration.explicit import ExplicitMarching
from gough.simulation.integration.marching import TOO_MANY_STEPS, Marching, OneRunLoop, RunStopped, no_time
from gough.simulation.integration.pieces import PieceSource, TablePieces
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
FAR = 3.0
"""In NEAR: a step that cannot be computed there may be a matter of a singularity."""


MOST_NAMED = 6
MOST_LED = 15
"""Velocities of a robot that goes on with others: the time loops of larger ones take minutes to compile anew."""


def _lost_velocities(model: "Model", better: Sequence[int] | None) -> str:
    """That v does not determine the robot, and which velocities (columns of u) would; elastic rates are counted, not named."""
    layout, elastic = model.layout, model.layout.v_elastic
    own = " ".join(layout.v_names[: layout.rigid]) + (f" and {elastic} elastic rates" if elastic else "")
    new = [layout.u_names[c] for c in better or () if layout.u_names[c] not in layout.v_names]
    would = f" ({' '.join(new[:MOST_NAMED])}{' …' if len(new) > MOST_NAMED else ''} in v would)" if new else ""
    return f", where {own} do not determine the robot{would}"


def _is_hopeless(failure: Failure) -> bool:
    """Whether a run stops for a reason that is none of a singularity."""
    return failure == TOO_MANY_STEPS or failure.status == Status.STICKING


@dataclass(frozen=True, eq=False)
class Led:
    """All that goes with a choice of velocities."""

    plant: Plant
    marching: Marching
    moment: OneRunLoop
    collocation: Collocation


class Course:
    """One run. marching: of the plant; make: the method of another plant. keep: is given records, one of `every`.
    `events`: (time, what). `compile_s`: what machine code took to make."""

    def __init__(
        self,
        plant: Plant,
        marching: Marching,
        make: Callable[[Plant], Marching],
        keep: Callable[[Vector], None],
        every: int,
    ) -> None:
        self.asked: Model = plant.model
        self.make, self.keep, self.every = make, keep, every
        self.events: list[Event] = []
        self.known: dict[tuple[int, ...], Led] = {}
        self.compile_s = 0.0
        self.count = 0  # records of a piece, stored or not
        self.until = -np.inf  # time of the last stored state
        self.row = np.zeros(2)  # of the piece
        self.usual = np.zeros(0)  # distances from singularities where the run began
        self.ahead: AheadPieces | None = None  # of the robot as it was built
        self._lead(plant, marching)

    def _lead(self, plant: Plant, marching: Marching | None = None) -> None:
        """Go on with the velocities of a plant."""
        own = plant.model.mechanism.selection.independent
        if own not in self.known:
            began = clock.perf_counter()
            marching = marching or self.make(plant)
            marching.compile()
            moment = OneRunLoop(plant.loop_code("moment", lambda: moment_program(plant)), marching.parameters)
            _ = moment.march
            self.known[own] = Led(plant, marching, moment, Collocation(plant, marching.parameters))
            if plant.model.mechanism.selection.blocks:
                plant.model.function("loop_matrices").kernel()
            if plant.model is not self.asked:  # states are told by machine code from the first one on, to the same bits
                plant.model.function("joint_motion").kernel()
            self.compile_s += clock.perf_counter() - began
        self.led = self.known[own]
        self.parameters = self.led.marching.parameters
        self.states = StateLayout(self.led.plant)
        self.watch = Watch(self.led.plant, self.parameters, not self.led.marching.adaptive)
        self.last: Vector | None = None  # the last record that is trusted
        self.blind = False  # whether singularities of v are told, but not avoided

    @property
    def model(self) -> "Model":
        """The robot with the velocities that lead now."""
        return self.led.plant.model

    def counts(self) -> dict[str, int]:
        """What a run tells of its steps."""
        all_ = [led.marching for led in self.known.values()]
        names = {"steps": "steps", "rejected": "rejected", "careful": "care_taken"}
        return {key: sum(getattr(m, name) for m in all_) for key, name in names.items()}

    @property
    def error_estimate(self) -> float | None:
        """Sum of the errors of all steps that were taken; None where the method has no estimate of them."""
        known = [e for led in self.known.values() if (e := led.marching.error_estimate) is not None]
        return sum(known) if known else None

    def run_through(self, pieces: PieceSource, first: Vector) -> None:
        """Go through all pieces from a first state (n,). Raises `RunStopped`."""
        self.begin(first)
        state = first
        while True:
            rows, jumps = self._next_rows(pieces, state)
            if not rows:
                return
            ahead = self._ahead(state, rows)
            if ahead is not None:
                state = ahead
            else:
                for row in rows:
                    state = self.piece(state, row)
            if jumps:
                self.keep(self.moment(state, rows[-1]))
                self.until = float(rows[-1][1])

    def _next_rows(self, pieces: PieceSource, state: Vector) -> tuple[list[Vector], bool]:
        """(rows of the next pieces, whether forces may jump behind them): several, as many as are gone through between two looks
        at the clock, where what they are does not depend on the state (n,) and steps are equal."""
        marching = self.led.marching
        if isinstance(pieces, TablePieces) and isinstance(marching, ExplicitMarching) and not marching.adaptive:
            return pieces.smooth_stretch(marching.next_chunk() * marching.step_size)
        piece = pieces.next(self.told(state[None])[0])
        return ([], False) if piece is None else ([piece[0]], piece[1])

    def _ahead(self, state: Vector, rows: list[Vector]) -> Vector | None:
        """The state (n,) behind several pieces, None where not all of them can be trusted: then nothing has happened."""
        marching = self.led.marching
        if len(rows) < 2 or self.blind or self.model is not self.asked or not isinstance(marching, ExplicitMarching):
            return None
        if self.ahead is None:
            self.ahead = AheadPieces(marching)
        found = self.ahead.go(state, rows, self.watch)
        if found is None:
            return None
        records, counts = found.records, found.counts
        marching.count_steps(records, lambda _: None)
        self.last, self.row = records[-1].copy(), rows[-1]
        if self.every > 1:
            within = np.arange(len(records)) - np.repeat(np.cumsum(counts) - counts, counts)
            records, counts = records[within % self.every == 0], -(-counts // self.every)
        t = self.states.t
        records[:, t] = marching.grid_times_of(records[:, t], rows, counts)
        self.until = float(records[-1, t])
        self.keep(records)
        return found.end

    def begin(self, first: Vector) -> None:
        """Where a run begins, a state (n,), is trusted."""
        self.watch.begin(self.states.split(first[: self.states.size]).q)
        self.usual = self.watch.farthest

    def way_back(self) -> Callable[[], None]:
        """What takes it back to where it is now."""
        names = ("led", "parameters", "states", "watch", "last", "blind", "count", "until", "row")
        now, told = {name: getattr(self, name) for name in names}, len(self.events)
        farthest = self.watch.farthest

        def go_back() -> None:
            vars(self).update(now)
            self.watch.farthest = farthest
            self.watch.forget()
            del self.events[told:]

        return go_back

    def moment(self, state: Vector, row: Vector, led: Led | None = None) -> Vector:
        """The record (1, k) of a state (n,) of the velocities that lead, now or then: with the drive forces and accelerations
        that a row gives it."""
        led = led or self.led
        given = led.marching.turn_inputs(row)
        return self.told(led.moment(state[None, : self.states.size], 1, given).record[:, 0], led)

    def piece(self, state: Vector, row: Vector) -> Vector:
        """The state (n,) at the end of a piece of the motion."""
        try:
            if self.led.plant.inner.clocked:
                return go_by_events(self, state, row)
            return self.watched_piece(state, row)
        except RunStopped as problem:
            now = self.last
            at = state if now is None or now[self.states.t] < row[0] else now
            raise blame_law(problem, self.led.marching, at, row) from problem

    def trusted_piece(self, state: Vector, row: Vector) -> Vector:
        """As `piece`; what of it can be trusted is stored where it raises `RunStopped` or `NearError`."""
        self.count, self.row = 0, row
        try:
            end = self.led.marching.piece(state, row, self._steps)
        except (RunStopped, KeyboardInterrupt):
            with suppress(NearError):
                self._end()
            raise
        self._end(end)
        return end

    def watched_piece(self, state: Vector, row: Vector) -> Vector:
        """As `piece`, past singularities."""
        state = state.copy()
        state[self.states.t] = row[0]
        self.count, self.row = 0, row
        while state[self.states.t] < row[1] - no_time(row):
            try:
                end = self.led.marching.piece(state, row, self._steps)
                self._end(end)
                return end
            except NearError:
                if self.watch.is_torn and not self._is_near():
                    raise self._torn() from None
            except (RunStopped, KeyboardInterrupt) as problem:
                with suppress(NearError):
                    self._end()
                hopeless = isinstance(problem, KeyboardInterrupt) or _is_hopeless(problem.failure)
                if hopeless or not self._is_near():
                    raise
            assert self.last is not None
            behind = self.last[self.states.t] < state[self.states.t]  # of the piece before, which had other forces
            state = self._past((state if behind else self.last)[: self.states.size].copy(), row)
        state[self.states.t] = row[1]
        return state

    def _end(self, state: Vector | None = None) -> None:
        """Stores what still waits, after a look at the state (n,) where a piece ends: it is the next one's to store."""
        ahead = np.zeros((0 if state is None else 1, self.states.record_size))
        if state is not None:
            ahead[0, : self.states.size] = state[: self.states.size]
        good, near = self.watch.trusted_records(ahead, self.blind, last=True)
        self._trust(good if near or state is None else good[:-1], near)
        self.watch.forget()

    def keep_last(self) -> None:
        """Stores the last state that can be trusted, whatever `every` is."""
        if self.last is not None and self.last[self.states.t] > self.until:
            self.count = 0
            self._store(self.last[None], near=True)

    def _is_near(self) -> bool:
        """Whether the last good state is near a singularity."""
        if self.watch.idle or self.last is None:
            return False
        return bool((self.watch.relative(self.last[None, : self.asked.layout.nq]) < FAR * NEAR).any())

    def _torn(self) -> RunStopped:
        """That a step far from all singularities ended with open loops: it was too long."""
        assert self.last is not None
        place = self.watch.place(self.last[: self.asked.layout.nq])
        return RunStopped(Status.OPEN_LOOP.at(place), float(self.last[self.states.t]))

    def _steps(self, records: Vector) -> None:
        """Stores what can be trusted of the records (m, k) of a chunk of steps; the last ones wait for the next chunk."""
        self._trust(*self.watch.trusted_records(records, self.blind))

    def _trust(self, good: Vector, near: bool) -> None:
        """Stores records (m, k). near: a singularity comes near behind them, which is raised."""
        if len(good):
            self.last = good[-1].copy()
        self._store(good, near)
        if near:
            raise NearError

    def _store(self, records: Vector, near: bool) -> None:
        """Stores one of so many records (m, k). near: but none that v cannot tell."""
        chosen = records[-self.count % self.every :: self.every]
        self.count += len(records)
        if len(chosen) and len(self.usual) and (near or self.model is not self.asked):
            chosen = chosen[self._can_tell(chosen)]
        told = self._shown(chosen.copy(), self.row, self.led)
        if len(told):
            self.until = float(told[-1, self.states.t])
        self.keep(told)

    def records_of(self, records: Vector, row: Vector, led: Led) -> Vector:
        """What is stored of records (m, k) of steps that were trusted, of a piece that went with these velocities."""
        if led.plant.model is not self.asked:
            records = records[self._can_tell(records)]
        return self._shown(records.copy(), row, led)

    def _can_tell(self, records: Vector) -> Vector:
        """Which of records (m, k) the velocities that the robot was built with can tell."""
        distance = distances_of(self.asked, records[:, : self.asked.layout.nq], self.parameters)[0]
        return np.asarray((distance > HIDDEN * self.usual).all(axis=1))

    def _shown(self, records: Vector, row: Vector, led: Led) -> Vector:
        """Records (m, k), which it may change, as they are stored."""
        told, t = self.told(records, led), self.states.t
        told[:, t] = led.marching.grid_times(told[:, t], row)
        return told

    def told(self, rows: Vector, led: Led | None = None) -> Vector:
        """States or records (m, k) of the velocities that lead, now or then, in those the robot was built with."""
        model = self.model if led is None else led.plant.model
        if model is self.asked or not len(rows):
            return rows
        layout, out = self.asked.layout, rows.copy()
        v, last = slice(layout.nq, layout.nq + layout.nv), slice(rows.shape[1] - layout.nv, None)
        of_record = rows.shape[1] > self.states.size
        vdot = rows[:, last] if of_record else np.zeros((len(rows), layout.nv))
        out[:, v], found = convert_velocities(
            self.asked, model, rows[:, : layout.nq], rows[:, v], vdot, self.parameters
        )
        if of_record:
            out[:, last] = found
        return out

    def _past(self, state: Vector, row: Vector) -> Vector:
        """The state (n,) from which steps can be trusted again: the same in other velocities, or one behind a singular pose."""
        s = self.states.split(state)
        place = self.watch.place(s.q)
        better = better_velocities(self.model, s.q, self.parameters)
        if self.blind:
            raise RunStopped(Status.FOLDED.at(place), float(s.t), _lost_velocities(self.model, better))
        if better is None:
            return self._behind(state, row)
        if not self.led.plant.law.any_velocities or self.asked.layout.nv > MOST_LED:
            self.blind = True
            return state
        names, own = [self.model.layout.u_names[c] for c in better], self.model.layout.v_names
        gone, new = (" ".join(n for n in a if n not in b) for a, b in ((own, names), (names, own)))
        self.events.append(Event(s.t, Happening.VELOCITIES, f"{new} instead of {gone}, near a singularity of {place}"))
        rates = self.model.function("tree_rates")
        rates.kernel()
        u = rates.values(q=s.q, v=s.v, parameters=self.parameters)["u"]
        other = (
            self.asked if better == self.asked.mechanism.selection.independent else self.asked.led_by(better, s.q[None])
        )
        plant = self.led.plant
        usual = float(self.watch.farthest.max())
        own = None if plant.own is None else replace(plant.own, model=other, of=other)
        self._lead(Plant(other, plant.law, plant.rows, plant.wrenches, own, plant.locks))
        out = state.copy()
        out[self.asked.layout.nq : self.asked.layout.nq + self.asked.layout.nv] = u[list(better)]
        self.watch.begin(s.q, usual)
        return out

    def _behind(self, state: Vector, row: Vector) -> Vector:
        """The state (n,) behind a pose in which branches meet; what is stored on the way is kept."""
        marching = self.led.marching
        step = None if marching.adaptive else marching.equal_steps(row, float(row[0]))[0]
        passage = Passage(self.led.collocation, self.watch, step)
        known = "loop" in self.led.collocation.__dict__
        began = clock.perf_counter()
        _ = self.led.collocation.loop.march
        self.compile_s += 0.0 if known else clock.perf_counter() - began
        begin = float(state[self.states.t])
        try:
            out = passage(state, row)
        except (RunStopped, KeyboardInterrupt):  # what it has come through is the run's
            if passage.stretches:
                end = min(passage.stretches[-1].end, float(row[1]))
                self._store_way(passage, begin, end, row)
                self.last = passage.stretches[-1].records(np.array([end]), step or 0.0)[0]
            raise
        self._store_way(passage, begin, float(out[self.states.t]), row)
        self.watch.forget()
        self.last = None
        return out

    def _store_way(self, passage: Passage, begin: float, end: float, row: Vector) -> None:
        """Stores what a passage has come through between two times (s)."""
        self.events += passage.events
        records = records_between(passage.stretches, begin, end, passage.step, row)
        self.led.marching.steps += len(records) + 1
        self._store(records, near=True)
