"""A robot that runs in real time: a `Stepper` that is asked for as much as time has passed, with what pushes it and the law that
acts. Several threads may ask; one step at a time is done.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.errors import BadStateError, UsageError
from gough.model import Model
from gough.simulation.control.law import Law
from gough.simulation.motion.motion import Motion
from gough.simulation.results.run import Run
from gough.simulation.run.stepper import Stepper
from gough.spatial.poses import rotation_of_quaternion
from gough.viewer.live.gains import demand_fit, reference_of
from gough.viewer.live.push import PushedFrame

Array = np.ndarray
STEP = 5e-3
"""s, for which a push is held; of slow motion less."""
BEAT = 1 / 30
"""s between looks at the clock."""
BUDGET = 0.75
"""Of a beat, that steps may take."""
LONGEST_GAP = 0.15
"""s that are caught up after a pause that nobody asked for; the rest is left out."""
WINDOW, BEHIND = 1.5, 0.95
"""s over which the pace is measured, and the part of the wanted one that is real time still."""
SAMPLES = 1200
"""That plots have."""
MOST_BYTES = 200e6
"""Of a recording: then it begins anew."""


@dataclass(frozen=True)
class LiveSample:
    """At a time (s): drive forces (drives,), errors (k,) from the reference, the push (6,): force and moment, world axes."""

    t: float
    tau: Array
    error: Array
    push: Array


class LiveLoop:
    """model: the robot. motion: what its law follows, else it is held where it is at home. now: a clock (s).

    `begin` makes the loop, which compiles code the first time; then `play`, `pause`, `reset`, and `advance` at every beat.
    speed: seconds of the run in a second; stopped: why it cannot go on, until `reset`.
    """

    def __init__(self, model: Model, motion: Motion | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self.model, self.motion, self._now = model, motion, now
        self.lock = threading.RLock()
        self.sim: Stepper | None = None
        self.law: Law | None = None
        self.reference: Motion | None = None
        self.pushed: PushedFrame | None = None
        self.hold: Array | None = None  # where it is held (nq,), None: home
        self.playing, self.stopped, self.recorded_from = False, "", 0.0
        self.speed = 1.0
        self.wrench = np.zeros(6)
        self.stiffness, self.most = 0.0, np.inf
        self.dragged: Array | None = None
        self.samples: deque[LiveSample] = deque(maxlen=SAMPLES)
        self._pace: deque[tuple[float, float]] = deque()
        self._debt, self._since, self._put_on = 0.0, now(), np.zeros(6)

    # What a user asks for

    def begin(self, law: Law | None, frame: str, hold: Array | None = None, keep: bool = True) -> None:
        """A loop with a law and a push on a frame, held at hold (nq,) where the law follows no motion that was given. keep: go on
        from the state that is now; else from the start. UsageError where the robot or the law is not made for that: then all
        stays as it was."""
        model = self.model
        if law is not None:
            demand_fit(model, law, self.motion)
        pushed = PushedFrame.of(model, frame)
        if not any(pushed.moves):
            raise UsageError(f"a push on {frame} does not move {model.robot.name}; choose another body")
        start = model.home if self.motion is None else None
        reference = reference_of(model, law, model.home if hold is None else hold, self.motion)
        begins = {"q": None if reference is not None and self.motion is not None else start, "check": "off"}
        begins |= {"motion": reference, "wrench": {frame: np.zeros(6)}}
        sim = self._made(law, begins)
        with self.lock:
            if keep and self.sim is not None and not self.stopped:
                sim.reset(self.sim.q, self.sim.v, self.sim.t)
            if self.pushed is None or self.pushed.frame != frame:
                self.wrench, self.dragged, self.stiffness = (
                    np.zeros(6),
                    None,
                    min(pushed.stiffness, pushed.stiffest(STEP)),
                )
            self.sim, self.law, self.reference, self.pushed, self.hold = sim, law, reference, pushed, hold
            self._put_on = np.zeros(6)
            self._begin_anew(sim.t)

    def _made(self, law: Law | None, begins: dict) -> Stepper:
        if self.model.layout.n_elastic:  # else it would swing from the first moment on
            try:
                return Stepper(self.model, law, start="static", **begins)
            except (BadStateError, UsageError):
                pass
        return Stepper(self.model, law, **begins)

    def change_law(self, law: Law) -> None:
        """Other gains of the law that acts, from now on."""
        with self.lock:
            if self.sim is not None:
                self.sim.change(controller=law)
                self.law = law

    def play(self) -> None:
        """Let time go on; not where the run has stopped."""
        with self.lock:
            self.playing = self.sim is not None and not self.stopped
            self._forget_pace()

    def pause(self) -> None:
        """Let time stand."""
        with self.lock:
            self.playing = False

    def reset(self) -> None:
        """From the start, with the law and its gains as they are; nothing pulls any more."""
        with self.lock:
            if self.sim is not None:
                self.sim.reset()
                self.dragged = None
                self._begin_anew(0.0)

    def change_speed(self, speed: float) -> None:
        """Seconds of the run in a second."""
        if not (np.isfinite(speed) and 0.001 <= speed <= 10.0):
            raise UsageError(f"speed {speed}: give 0.001 to 10 times real time")
        with self.lock:
            self.speed = float(speed)
            self._forget_pace()

    def pull(self, point: Array | None) -> None:
        """Pull the pushed frame to a point (3,), m; None: let go."""
        with self.lock:
            self.dragged = None if point is None else np.array(point, dtype=float)

    def push(self, wrench: Array) -> None:
        """Push with fx fy fz mx my mz (N, N m), world axes, beside the spring."""
        found = np.array(wrench, dtype=float)
        if not np.isfinite(found).all():
            raise UsageError(f"push {wrench}: give finite numbers")
        with self.lock:
            self.wrench = found

    def recording(self) -> Run:
        """All since the start, the last reset or `recorded_from`."""
        with self.lock:
            if self.sim is None:
                raise UsageError("nothing was recorded yet")
            found = self.sim.recorded
            self._forget_pace()
            return found

    # What it tells

    @property
    def t(self) -> float:
        """Time of the run (s)."""
        return 0.0 if self.sim is None else self.sim.t

    @property
    def pace(self) -> float | None:
        """Part of the wanted speed that it has; None where that is not known yet."""
        with self.lock:
            if len(self._pace) < 2 or self._pace[-1][0] - self._pace[0][0] < 0.5 * WINDOW:
                return None
            (a, s), (b, u) = self._pace[0], self._pace[-1]
            return (u - s) / ((b - a) * self.speed)

    @property
    def behind(self) -> bool:
        """Whether it does not keep the speed that is wanted."""
        pace = self.pace
        return pace is not None and pace < BEHIND

    @property
    def errors(self) -> tuple[tuple[str, str], ...]:
        """(name, unit) of what samples have as errors."""
        motion = self.reference
        if motion is None or motion.kind == "forces":
            return ()
        if motion.kind in ("pose", "point"):
            return (("distance", "m"), ("angle", "rad"))[: 2 if motion.kind == "pose" else 1]
        known = dict(zip(self.model.layout.q_names, self.model.layout.q_units, strict=True))
        return tuple((name, known.get(name, "1")) for name in self._followed(motion))

    def frame_position(self) -> Array:
        """Of the pushed frame's origin (3,), m."""
        assert self.sim is not None and self.pushed is not None
        return np.array(self.model.frame_pose(self.sim.q, self.pushed.frame)[0])

    # In time

    def advance(self) -> bool:
        """Go on by the time that has passed since the last time; whether it went on."""
        with self.lock:
            now = self._now()
            passed, self._since = now - self._since, now
            if not self.playing or self.sim is None:
                return False
            self._debt += min(passed, LONGEST_GAP) * self.speed
            step, done = min(STEP, BEAT * self.speed), 0
            while self._debt >= step * (1 - 1e-9) and not self.stopped:
                if done and self._now() - now > BUDGET * BEAT:
                    self._debt = 0.0  # what cannot be done now is left out
                    break
                self._step(step)
                self._debt -= step
                done += 1
            if done:
                self.samples.append(self._sample())
            self._note_pace(now)
            if self.sim.recorded_bytes > MOST_BYTES:
                self.sim.forget()
                self.recorded_from = self.sim.t
            return done > 0

    def _step(self, dt: float) -> None:
        assert self.sim is not None and self.pushed is not None
        pushed = self._pushing()
        if not np.array_equal(pushed, self._put_on):
            self.sim.change(wrench={self.pushed.frame: pushed})
            self._put_on = pushed
        try:
            if self.law is None:
                self.sim.step(np.zeros(len(self.model.mechanism.drives)), dt)
            else:
                self.sim.step(dt=dt)
        except (BadStateError, UsageError) as problem:  # the latter: a motion of forces has come to its end
            self.stopped, self.playing, self.dragged = str(problem), False, None

    def _pushing(self) -> Array:
        """The wrench (6,) of now."""
        assert self.sim is not None and self.pushed is not None
        out = self.wrench.copy()
        if self.dragged is not None:
            q, frame = self.sim.q, self.pushed.frame
            x = np.asarray(self.model.frame_pose(q, frame)[0])
            v = np.asarray(self.model.frame_twist(q, self.sim.v, frame))[:3]
            out[:3] += self.pushed.spring_force(self.dragged, x, v, self.stiffness, self.most)
        return out

    def _sample(self) -> LiveSample:
        assert self.sim is not None
        return LiveSample(self.sim.t, self.sim.tau, self._error(), self._put_on.copy())

    def _error(self) -> Array:
        motion, sim = self.reference, self.sim
        if motion is None or sim is None or not self.errors:
            return np.zeros(0)
        wanted, q = motion.at(sim.t).position, sim.q
        if motion.kind in ("pose", "point"):
            x, turn = (
                self.model.frame_pose(q, motion.frame) if motion.frame else (q[:3], rotation_of_quaternion(q[3:7]))
            )
            away = [float(np.linalg.norm(np.asarray(x) - wanted[:3]))]
            if motion.kind == "pose":
                left = rotation_of_quaternion(wanted[3:7]) @ np.asarray(turn).T - np.eye(3)
                away.append(2 * float(np.arcsin(min(np.linalg.norm(left) / np.sqrt(8.0), 1.0))))
            return np.array(away)
        if motion.kind == "drives" and set(motion.names) != set(self.model.layout.drive_names):
            return np.asarray(wanted - self.model.drives(q))
        places = [self.model.layout.q_names.index(name) for name in motion.names]
        return np.asarray(wanted - q[places])

    def _followed(self, motion: Motion) -> tuple[str, ...]:
        layout = self.model.layout
        unnamed = motion.kind == "drives" and set(motion.names) != set(layout.drive_names)
        return layout.drive_names if unnamed else motion.names

    def _begin_anew(self, t: float) -> None:
        self.stopped, self.recorded_from, self._debt = "", t, 0.0
        self.samples.clear()
        self._forget_pace()

    def _forget_pace(self) -> None:
        self._pace.clear()
        self._since = self._now()

    def _note_pace(self, now: float) -> None:
        self._pace.append((now, self.t))
        while self._pace[-1][0] - self._pace[0][0] > WINDOW:
            self._pace.popleft()
