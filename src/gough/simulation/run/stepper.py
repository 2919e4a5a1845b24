"""A simulation that somebody else's loop drives: a step at a time, with forces that are decided on the way.

Forces are held during a step, or a controller gives them. States are those of `simulate`, bit for bit where steps are equal: the
same compiled loop runs, and singular poses are looked for at the same states, before anybody sees them (`Stepping`).
"""

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_law, a_model, a_motion, checked, design, flag, number, numbers, word, wrenches_in_time
from gough.arguments import wrenches as wrench_numbers
from gough.errors import UsageError
from gough.simulation.control.law import Law
from gough.simulation.control.without_feedback import Held
from gough.simulation.events import Ending
from gough.simulation.integration.drive_led import convert_velocities, first_velocity
from gough.simulation.integration.step_pieces import HeldPieces
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.results.run import Run
from gough.simulation.run._changes import LoopInputs, changed_inputs
from gough.simulation.run._stepping import Stepping
from gough.simulation.run.settings import MOST_EQUAL, SHORTEST, RunSettings, demand_steps
from gough.simulation.run.setup import settle, starting_state

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray


LONGER = "go on by less at a time, or make the stepper with a longer longest_step="


class Stepper:
    """A robot in a loop of your own.

    model: the robot. controller: a law of `gough.laws` that gives the drive forces; None: every step has its own. motion: what
    the controller follows. method, longest_step (s; of methods with equal steps: the step), tolerance, rho_infinity, q, v, start,
    wrench, smoothing, parameters, check: as `gough.simulate` takes them. record: keep what happens, for `recorded`; without it
    nothing grows.

    sim.step(tau, dt) goes on by dt (s) with the forces tau (drives,); sim.step(dt=…), with those of the controller;
    sim.advance(to) until a time; sim.change(controller=, wrench=): other gains and loads from now on. q, v, t, tau, elastic: now.
    A run that cannot go on raises `BadStateError`, then and at every step until `reset`; `ended` says how it ended. One thread at
    a time may step.
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
        wrench=wrenches_in_time,
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
        self._record, self._inputs = record, LoopInputs.of(self._setup.plant)
        plant = self._setup.plant
        self._layout, self._longest = plant.model.layout, settings.taken_step
        self._begin(self._setup.first, 0.0)

    def _begin(self, first: Array, t: float) -> None:
        """From a first state (n,) at a time (s)."""
        self._run = Stepping(self._setup, first, t, self._record, self._inputs)
        self._forces = self._run.source if isinstance(self._run.source, HeldPieces) else None
        self._base, self._dt, self._count = t, nan, 0

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

    @checked(controller=a_law, wrench=wrench_numbers)
    def change(self, controller: Law | None = None, wrench: Any = None) -> None:
        """Go on from now with other numbers, after a reset too; nothing is compiled anew.

        controller: the law with other gains; its kind, limits, periods, seed, forces over time and robot stay. wrench: (6,) or
        {frame: (6,)} on frames on which the stepper was made with one; others keep theirs. `recorded` tells when what changed.
        """
        law, settings, wrenches = changed_inputs(self._setup, self._inputs, controller, wrench)
        self._inputs.change(self._run.t, law, settings, wrenches)

    def forget(self) -> None:
        """Drop what was recorded until now: `recorded` begins here."""
        self._run.forget()

    @property
    def recorded_bytes(self) -> int:
        """Memory that what was recorded takes."""
        return self._run.kept_bytes

    def __reduce__(self) -> Any:
        raise UsageError(
            "a stepper stands on machine code and memory of its process, and is neither copied nor pickled: make another one "
            "of the same model, and begin it where this one is with reset(q, v, t)"
        )

    def step(self, tau: Any = None, dt: float | None = None) -> None:
        """Go on by dt (s). tau (drives,), N or N·m: held meanwhile; None where a controller gives the forces."""
        span, run, forces = _duration(dt), self._run, self._forces
        if forces is None and tau is not None:
            raise UsageError(
                f"tau=: the forces are those of the controller ({self._setup.law.name}); use sim.step(dt=…), or leave "
                "controller= out"
            )
        wanted = None if forces is None else forces.take(tau)
        if span != self._dt:
            if not SHORTEST <= span <= LONGEST:
                raise UsageError(f"dt={dt!r}: give a time in s, above 0; from {SHORTEST:g} s to {LONGEST:g} s")
            demand_steps(self._longest, span, MOST_EQUAL, self._setup.settings.method.adaptive, LONGER)
            self._base, self._dt, self._count = run.t, span, 0
        self._go(self._base + (self._count + 1) * span, wanted)
        self._count += 1

    @checked(to=number(above=0, most=LONGEST))
    def advance(self, to: float) -> None:
        """Go on until a time (s), with the forces of the controller, or with those held last (none at first)."""
        t = self._run.t
        if not to > t:
            raise UsageError(f"to={to:g} s: the run is at {t:.9g} s already; give a later time, or reset it")
        demand_steps(self._longest, max(to - t, SHORTEST), MOST_EQUAL, self._setup.settings.method.adaptive, LONGER)
        self._dt = nan
        self._go(to, None)

    def _go(self, end: float, tau: Array | None) -> None:
        """Until a time (s). tau (drives,): held from now on, but not where it does not get on."""
        run, forces = self._run, self._forces
        before, t = None if forces is None else forces.tau, run.t
        try:
            if forces is not None and tau is not None:
                forces.tau = tau
            run.go_until(end)
        except BaseException:
            self._dt = nan  # steps count anew from where it is
            if forces is not None and before is not None and run.t == t:
                forces.tau = before
            raise

    @property
    def t(self) -> float:
        """Time (s)."""
        return self._run.t

    @property
    def q(self) -> Array:
        """Configuration (nq,)."""
        return self._run.state[: self._layout.nq].copy()

    @property
    def v(self) -> Array:
        """Velocities (nv,)."""
        nq, setup, state = self._layout.nq, self._setup, self._run.told_state
        v = state[nq : nq + self._layout.nv]
        if setup.asked is setup.model:
            return v.copy()
        args = setup.asked, setup.model, state[None, :nq], v[None], np.zeros((1, len(v))), setup.numbers
        return convert_velocities(*args)[0][0]

    @property
    def elastic(self) -> Array:
        """Elastic coordinates (n,) of q, those of flexible bodies."""
        return self._run.state[: self._layout.nq][self._layout.elastic].copy()

    @property
    def tau(self) -> Array:
        """Drive forces (drives,): those held, none before the first ones; or what the controller gives at this state."""
        if self._forces is not None:
            return self._forces.tau.copy()
        run, at = self._run, self._run.course.states.size
        return run.moment(run.row)[at : at + len(self._setup.model.mechanism.drives)].copy()

    @property
    def ended(self) -> Ending | None:
        """How the run ended, None while it goes on."""
        return self._run.ended

    @property
    def recorded(self) -> Run:
        """All since the start or the last `reset`, as `simulate` tells it."""
        if not self._record:
            raise UsageError("recorded: this stepper keeps nothing; make it with record=True")
        return self._run.whole_run()


def _duration(dt: Any) -> float:
    if isinstance(dt, float):
        return dt
    if dt is None:
        raise UsageError("dt= is missing: how far to go on (s)")
    try:
        if isinstance(dt, str | bool):
            raise TypeError
        return float(dt)
    except (TypeError, ValueError):
        raise UsageError(f"dt={dt!r}: give a time in s, above 0") from None
