"""A simulation that somebody else's loop drives: a step at a time, with forces that are decided on the way.

Forces are held during a step, or a controller gives them. States are those of `simulate`, bit for bit where steps are equal: the
same compiled loop runs. Singular poses are looked for, many steps at a time (`Course`); where one came near, the run goes back to
the last look and through it as `simulate` does, so that what `recorded` has and where the run goes on are its states.
"""

from collections.abc import Iterator
from contextlib import suppress
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_law, a_model, a_motion, checked, design, flag, number, numbers, word, wrenches
from gough.errors import BadStateError, UsageError
from gough.simulation.control.held import Held
from gough.simulation.control.law import Law
from gough.simulation.control.sampled import Sampled
from gough.simulation.events import End, Ending
from gough.simulation.integration.course import Course
from gough.simulation.integration.drive_led import convert_velocities, first_velocity
from gough.simulation.integration.explicit import ExplicitMarching
from gough.simulation.integration.marching import Marching, RunStopped
from gough.simulation.integration.pieces import SampledPieces, sampled_command
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.step_pieces import CutPieces, HeldPieces, StepPieces, TimePart
from gough.simulation.integration.straight import Passed, StraightPieces
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.results.remedy import ending_remedy
from gough.simulation.results.run import Run
from gough.simulation.run.settings import MOST_EQUAL, SHORTEST, RunSettings, demand_steps
from gough.simulation.run.setup import settle, starting_state
from gough.simulation.run.simulate import Outcome, gather

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
NO_END, SPAN = 1 << 62, 1.0
"""Steps of a run that nobody ends; and the time (s) its steps are compared with, to see whether it gets on."""


class Stepper:
    """A robot in a loop of your own.

    model: the robot. controller: a law of `gough.laws` that gives the drive forces; None: every step has its own. motion: what
    the controller follows. method, longest_step (s; of methods with equal steps: the step), tolerance, rho_infinity, q, v, start,
    wrench, smoothing, parameters, check: as `gough.simulate` takes them. record: keep what happens, for `recorded`; without it
    nothing grows.

    sim.step(tau, dt) goes on by dt (s) with the forces tau (drives,); sim.step(dt=…), with those of the controller;
    sim.advance(to) until a time. q, v, t, tau, elastic: now. A run that cannot go on raises `BadStateError`, then and at every
    step until `reset`; `ended` says how it ended. One thread at a time may step.
    """

    @checked(
        model=a_model,
        controller=a_law,
        motion=a_motion | word,
        method=word,
        longest_step=number(above=0),
        tolerance=number(above=0),
        rho_infinity=number(),
        q=numbers,
        v=numbers,
        start=word,
        wrench=wrenches,
        smoothing=word | numbers,
        parameters=design,
        check=word,
        record=flag,
    )
    def __init__(
        self,
        model: "Model",
        controller: Law | None = None,
        *,
        motion: Motion | str | None = None,
        method: str = "dp5",
        longest_step: float | None = None,
        tolerance: float | None = None,
        rho_infinity: float | None = None,
        q: Any = None,
        v: Any = None,
        start: str = "given",
        wrench: Any = None,
        smoothing: Any = "auto",
        parameters: Any = None,
        check: str = "warn",
        record: bool = True,
    ) -> None:
        law = Held() if controller is None and motion is None else controller
        asked = {"start": start, "step": longest_step, "tolerance": tolerance, "rho_infinity": rho_infinity}
        duration = 1.0 if motion is None else None
        settings = RunSettings.of(motion, law, duration, method, smoothing=smoothing, check=check, **asked)
        self._setup = settle(model, settings, q, v, wrench, parameters)
        self._record = record
        plant = self._setup.plant
        self._layout, self._drives = plant.model.layout, len(plant.model.mechanism.drives)
        self._longest = settings.taken_step
        self._begin(self._setup.first, 0.0)

    def _begin(self, first: Array, t: float) -> None:
        """From a first state (n,) at a time (s)."""
        setup = self._setup
        settings, plant = setup.settings, setup.plant.plant_for(first[None, : self._layout.nq], setup.numbers[None])

        def marching_for(plant: Plant) -> Marching:
            made = settings.method.marching(plant, setup.numbers, settings.taken_step, settings.tolerance)
            made.most_steps, made.span = NO_END, SPAN
            return made

        source, marching = self._pieces(t), marching_for(plant)
        self._source = source
        self._told: list[Array | Passed] = []
        self._course = Course(plant, marching, marching_for, self._keep, 1)
        self._led = self._course.led
        self._t = self._base = t
        self._dt, self._count = nan, 0
        first = first.copy()
        first[self._course.states.t] = t
        self._course.begin(first)
        self._quick: StraightPieces | None = None
        self._looked = first  # the state at the last look
        self._state = first
        self._farthest = self._course.watch.farthest
        if isinstance(marching, ExplicitMarching):
            self._quick = StraightPieces(marching)
            self._quick.begin(first)
            self._state = self._quick.state
        self._straight = self._quick
        self.ended: Ending | None = None
        self._ended_at = t

    def _pieces(self, t: float) -> StepPieces:
        setup, law = self._setup, self._setup.law
        if isinstance(law, Sampled):
            motion = setup.settings.motion
            command = sampled_command(law, setup.model, motion, setup.table, setup.numbers, setup.own)
            end = LONGEST if motion is None or motion.extend == "hold" else motion.duration
            return CutPieces(SampledPieces(setup.plant, law, command, end, t), None, end)
        if law.held:
            return HeldPieces(setup.plant)
        return CutPieces.of_table(setup.plant, setup.table, setup.settings.motion, t)

    # What a user asks for

    @checked(q=numbers, v=numbers, t=number(0, most=LONGEST))
    def reset(self, q: Any = None, v: Any = None, t: float = 0.0) -> None:
        """Begin anew at a time (s), at q (nq,), v (nv,): default as at the first time, of a later time where the motion is then.
        What was recorded is dropped."""
        setup, nq = self._setup, self._layout.nq
        motion = setup.settings.motion
        led = t > 0 and motion is not None and motion.kind != "forces"
        if q is None and v is None and not led:
            return self._begin(setup.first, t)
        q = setup.first[:nq] if q is None and not led else q
        own_v = first_velocity(setup.asked, setup.model, q, v, setup.numbers)
        own_v = setup.first[nq : nq + self._layout.nv] if v is None and not led else own_v
        return self._begin(starting_state(setup.plant, motion, q, own_v, setup.settings.start, setup.numbers, t), t)

    def step(self, tau: Any = None, dt: float | None = None) -> None:
        """Go on by dt (s). tau (drives,), N or N·m: held meanwhile; None where a controller gives the forces."""
        span = _duration(dt)
        source = self._source
        if isinstance(source, HeldPieces):
            source.hold(tau)
        elif tau is not None:
            raise UsageError(
                f"tau=: the forces are those of the controller ({self._setup.law.name}); use sim.step(dt=…), or leave "
                "controller= out"
            )
        if span != self._dt:
            if not SHORTEST <= span <= LONGEST:
                raise UsageError(f"dt={dt!r}: give a time in s, above 0; {SHORTEST:g} s is the shortest")
            demand_steps(self._longest, span, MOST_EQUAL, self._setup.settings.method.adaptive)
            self._base, self._dt, self._count = self._t, span, 0
        end = self._base + (self._count + 1) * span
        self._until(end)
        self._count += 1

    @checked(to=number(above=0, most=LONGEST))
    def advance(self, to: float) -> None:
        """Go on until a time (s), with the forces of the controller, or with those held last (none at first)."""
        if not to > self._t:
            raise UsageError(f"to={to:g} s: the run is at {self._t:.9g} s already; give a later time, or reset it")
        demand_steps(self._longest, max(to - self._t, SHORTEST), MOST_EQUAL, self._setup.settings.method.adaptive)
        self._dt = nan
        self._until(to)

    @property
    def t(self) -> float:
        """Time (s)."""
        return self._t

    @property
    def q(self) -> Array:
        """Configuration (nq,)."""
        return self._state[: self._layout.nq].copy()

    @property
    def v(self) -> Array:
        """Velocities (nv,)."""
        nq = self._layout.nq
        if self._setup.asked is self._setup.model and self._course.model is self._setup.model:
            return self._state[nq : nq + self._layout.nv].copy()
        state = self._course.told(self._state[None, : self._course.states.size])[0]
        v = state[nq : nq + self._layout.nv]
        if self._setup.asked is self._setup.model:
            return v.copy()
        nothing = np.zeros((1, len(v)))
        args = self._setup.asked, self._setup.model, state[None, :nq], v[None], nothing, self._setup.numbers
        return convert_velocities(*args)[0][0]

    @property
    def elastic(self) -> Array:
        """Elastic coordinates (n,) of q, those of flexible bodies."""
        return self._state[: self._layout.nq][self._layout.elastic].copy()

    @property
    def tau(self) -> Array:
        """Drive forces (drives,): those held, none before the first ones; or what the controller gives at this state."""
        if isinstance(self._source, HeldPieces):
            return self._source.tau.copy()
        assert isinstance(self._source, CutPieces)
        row = self._source.row
        if row is None:  # of a controller on a clock that was not asked yet
            return np.zeros(self._drives)
        at = self._course.states.size
        return self._course.moment(self._state, row)[0, at : at + self._drives].copy()

    @property
    def recorded(self) -> Run:
        """All since the start or the last `reset`, as `simulate` tells it."""
        if not self._record:
            raise UsageError("recorded: this stepper keeps nothing; make it with record=True")
        if self.ended is None:
            with suppress(BadStateError):  # a run that ends is told, too
                self._look()
        records = [x for part in self._told for x in ([part] if isinstance(part, np.ndarray) else self._records(part))]
        self._told = list(records)
        if not any(map(len, records)):
            raise UsageError("recorded: there was no step yet")
        course, ending = self._course, self.ended or Ending(End.FINISHED, "finished")
        when = "" if ending.end == End.FINISHED else f" at t = {self._ended_at:.9g} s"
        outcome = Outcome(
            records=np.concatenate(records),
            stopped=f"{ending.why}{when}",
            ending=ending,
            events=tuple(course.events),
            counts=course.counts(),
            error_estimate=course.error_estimate,
            computing_s=0.0,
            compile_s=course.compile_s,
        )
        return gather(self._setup, outcome)

    # How it goes on

    def _until(self, end: float) -> None:
        """To a time (s), piece by piece. An interrupt leaves it at the end of a piece that was finished, and was looked at."""
        if self.ended is not None:
            raise self._stopped()
        try:
            self._through(end)
        except BaseException:
            self._dt = nan  # steps count anew from where it is
            if self._straight is not None and self._straight.pieces:
                self._t = float(self._straight.pieces[-1][0][1])
            raise

    def _through(self, end: float) -> None:
        straight = self._straight
        while self._t < end:
            part = self._next(end)
            if straight is None or not straight.piece(part):
                self._look()
                self._careful(part.row)
                straight = self._straight
                continue
            self._t = float(part.row[1])
            if straight.full:
                self._look()
                straight = self._straight

    def _next(self, end: float) -> TimePart:
        """The next stretch, not beyond an end (s)."""
        if self._source.is_sample_due(self._t):  # from a state that is trusted
            self._look()
        state = self._state
        if self._course.model is not self._setup.model:
            state = self._course.told(state[None, : self._course.states.size])[0]
        try:
            return self._source.next(self._t, end, state)
        except RunStopped as problem:
            self._look()
            self._end(problem)
            raise

    def _careful(self, row: Array) -> None:
        """A stretch as `simulate` goes through it."""
        course, before = self._course, len(self._told)
        course.led.marching.slow_turns = 0
        go_back = course.way_back()
        try:
            state = course.piece(self._state, row)
            course.until = float(row[1])
            if self._record:
                self._told.append(course.moment(state, row))
        except RunStopped as problem:
            if isinstance(self._source, HeldPieces) and not self._source.is_finite:
                go_back()
                del self._told[before:]
                self._source.demand_finite()
            self._end(problem)
        except BaseException:
            go_back()
            del self._told[before:]
            raise
        self._go_on(state, float(row[1]))

    def _end(self, problem: RunStopped) -> None:
        """The run is over, at the last state that can be trusted."""
        course = self._course
        course.keep_last()
        self.ended, self._ended_at = problem.ending, problem.time
        if course.last is not None and course.last[course.states.t] > self._t:
            self._straight, self._state = None, course.last[: course.states.size].copy()
            self._t = float(self._state[course.states.t])
        raise self._stopped() from problem

    def _stopped(self) -> BadStateError:
        assert self.ended is not None
        more = ending_remedy(self.ended)
        return BadStateError(
            f"the run ends at t = {self._ended_at:.9g} s: {self.ended.why}{more and f'; {more}'}; begin anew with reset"
        )

    def _go_on(self, state: Array, t: float) -> None:
        """From a state (n,) that was looked at, at a time (s)."""
        course = self._course
        self._looked, self._farthest = state.copy(), course.watch.farthest
        if self._quick is not None and course.model is self._setup.model and not course.blind:
            self._straight = self._quick
            self._quick.begin(state)
            self._state = self._quick.state
        else:  # other velocities lead it
            self._straight, self._state = None, state
        self._t = t

    def _look(self) -> None:
        """Looks at all states since the last look; where a singular pose came near, they are taken again as `simulate` does."""
        straight = self._straight
        if straight is None or not straight.pieces:
            return
        nq, marching, course = self._layout.nq, straight.marching, self._course
        trusted = self._is_trusted(np.concatenate([straight.records[:, :nq], straight.state[None, :nq]]))
        passed = straight.take()
        if trusted:
            marching.count_steps(passed.records, lambda _: None)
            if self._record:
                self._told.append(passed)
            course.last, course.until = marching.without_rejected(passed.records)[-1].copy(), float(passed.rows[-1][1])
            self._looked, self._farthest = passed.end, course.watch.farthest
            return
        course.watch.farthest = self._farthest
        self._state, self._t = self._looked.copy(), float(passed.rows[0][0])  # so an interrupt finds it
        for row in passed.rows:
            self._careful(row)

    def _is_trusted(self, q: Array) -> bool:
        watch = self._course.watch
        return watch.idle or watch.stays_far(q)

    def _records(self, passed: Passed) -> Iterator[Array]:
        """What `simulate` would have stored of stretches: states at the begin of steps, and forces before they jump."""
        led, t = self._led, self._led.marching.states.t
        marching = led.marching
        assert isinstance(marching, ExplicitMarching)
        for row, records, after in passed.stretches(t):
            taken = marching.without_rejected(records).copy()
            taken[:, t] = marching.grid_times(taken[:, t], row)
            yield taken
            yield led.moment(after[None], 1, marching.turn_inputs(row)).record[:, 0]

    def _keep(self, records: Array) -> None:
        if self._record:
            self._told.append(records)


def _duration(dt: Any) -> float:
    if isinstance(dt, float):
        return dt
    if dt is None:
        raise UsageError("dt= is missing: how far to go on (s)")
    try:
        return float(dt)
    except (TypeError, ValueError):
        raise UsageError(f"dt={dt!r}: give a time in s, above 0") from None
