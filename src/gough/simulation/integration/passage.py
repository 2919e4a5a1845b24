"""Through a pose in which branches of the closed configurations meet, by stretches whose points avoid it (`collocation`).

A robot goes on in its branch: its motion is smooth, and so is the polynomial. The pose lies in the middle of a stretch where it
can, in the gap between its points. Rounding is the limit, not the length of a step.
"""

from math import ceil

import numpy as np

from gough.errors import Status
from gough.simulation.events import End, Event, Happening
from gough.simulation.integration.collocation import NODES, Collocation, Stretch
from gough.simulation.integration.crossing import LEFT, NEAR, PER_STEP, Watch, better_velocities
from gough.simulation.integration.time_loop import RunStopped

Vector = np.ndarray
REACH = 0.5
"""Longest stretch: way of a joint, rad or of the robot's size."""
LONGEST = 0.2
"""Longest stretch (s) of a robot that hardly moves."""
RESOLVED = 1e-10
"""What the last two terms of a stretch's polynomial may add, over typical sizes."""
SHORTER, SLOWLY, TRIES = 1.0 / 3.0, 0.8, 10
"""A stretch that does not work is tried shorter; by thirds, a pose in its middle stays in the middle of one."""
MOST = 300
"""Stretches of a passage: a run that needs more grows without end, or has come to rest in the pose."""
LOOKS = 65
"""States of a stretch that are looked at for the time of a crossing."""
CLOSE = 0.03
"""Distance from a singular pose, over the usual one, of a state that is too near to begin a short stretch."""
PARTS = 16
"""States of a stretch that are stored where steps are not equal: with fewer, what is interpolated between them is worse."""
PART = 0.02
"""Of a stretch: what is looked at for how fast it leaves."""


class Passage:
    """From a state near a singular pose to where steps can be trusted. step (s): equal ones, at whose ends it ends; None: none.
    `stretches`: the way; `events`: (time, what)."""

    def __init__(self, collocation: Collocation, watch: Watch, step: float | None) -> None:
        self.collocation, self.watch, self.step = collocation, watch, step
        self.states = collocation.states
        self.nq = self.states.plant.model.layout.nq
        self.stretches: list[Stretch] = []
        self.events: list[Event] = []

    def __call__(self, state: Vector, row: Vector) -> Vector:
        """The state (n,) behind, at the end of the piece at the latest. Raises `RunStopped`."""
        n, end = self.states.t, float(row[1])
        y, t = state[:n].copy(), float(state[n])
        tiny, longest = 1e-12 * (1.0 + abs(end)), np.inf
        goal = end
        while t < goal - tiny:
            if len(self.stretches) >= MOST:
                raise RunStopped(
                    Status.FOLDED.at(self.watch.place(y[: self.nq])), t, ", a singular pose that the run does not leave"
                )
            stretch, longest = self._stretch(y, t, (goal - t, longest), row)
            self._note(stretch, goal)
            self.stretches.append(stretch)
            t = goal if stretch.end > goal - tiny else stretch.end
            y = self.collocation.closed_state(stretch.y(np.array([t]))[0], t, row)
            if goal == end and (self._left(stretch, y) or self._led_badly(y)):
                goal = t if self.step is None else min(row[0] + ceil((t - row[0]) / self.step - 1e-6) * self.step, end)
        out = state.copy()
        out[:n], out[n] = y, t
        if self.step is None:
            out[n + 1] = 0.0  # the method chooses its next step anew
        return out

    def _stretch(self, y: Vector, t: float, most: tuple[float, float], row: Vector) -> tuple[Stretch, float]:
        """A stretch from y (n,) at a time (s) that is resolved; and how long the next one may be. most (s): until where it is
        wanted, beyond which it goes only to have a pose in its middle (what drives it is a polynomial there, too); and how long
        it may be."""
        length = min(self._length(y, t, min(most), row), most[1])
        close = bool(self.watch.relative(y[None, : self.nq]).min() < CLOSE)
        for k in range(TRIES):
            found = self.collocation.solve(y, t, length, row)
            if found is not None and found.unresolved_change(self.collocation.sizes) <= RESOLVED:
                return found, 1.5 * length if k else np.inf
            length *= SLOWLY if close else SHORTER
        raise RunStopped(
            Status.FOLDED.at(self.watch.place(y[: self.nq])),
            t,
            ", a singular pose that the run does not get through",
            End.NOT_THROUGH,
        )

    def _length(self, y: Vector, t: float, most: float, row: Vector) -> float:
        """How long a stretch is to be (s)."""
        rates = self.collocation.rates(y, t, row)
        if rates is None:
            raise RunStopped(
                Status.FOLDED.at(self.watch.place(y[: self.nq])), t, ", a singular pose in which the run ends"
            )
        speed = float((np.abs(rates[: self.nq]) / self.states.units[0]).max(initial=0.0))
        longest = REACH / max(speed, REACH / LONGEST)
        soon = 1e-4 * min(longest, most)
        now, then = self.watch.relative(np.stack([y[: self.nq], y[: self.nq] + soon * rates[: self.nq]]))
        with np.errstate(divide="ignore", invalid="ignore"):
            until = float(np.where(then < now, now * soon / (now - then), np.inf).min())
        if until >= 1.5 * min(longest, most):  # else a pose near the end of the piece is to be in the middle, too
            return min(longest, most)
        if until > 0.6 * longest:  # up to where the next one has the pose in its middle
            return until - 0.5 * longest
        length = min(2.0 * until, longest)
        lengths = length * np.array([1.0, 0.9, 0.8, 0.7, 0.6, 0.5])
        if now.min() < CLOSE:  # points of a short one would all be near the pose; a long one has its first behind it
            lengths = np.concatenate([np.geomspace(longest, length, 60), lengths])
        apart = np.abs(lengths[:, None] * NODES - until).min(axis=1)
        return float(lengths[apart >= 0.9 * apart.max()][0])

    def _left(self, stretch: Stretch, y: Vector) -> bool:
        """Whether steps can be trusted again at y (n,), where a stretch ends."""
        before = stretch.y(np.array([stretch.end - PART * stretch.length]))[0]
        then, now = self.watch.relative(np.stack([before[: self.nq], y[: self.nq]]))
        if not (now > LEFT * NEAR).all():
            return False
        if self.step is None:
            return True
        change = np.abs(now - then) * self.step / (PART * stretch.length)
        return bool(((LEFT * change < PER_STEP * now) | (now > 0.5)).all())

    def _led_badly(self, y: Vector) -> bool:
        """Whether other velocities would do better at y (n,)."""
        plant = self.states.plant
        if not plant.law.any_velocities:
            return False  # such a run is not led by others
        return better_velocities(plant.model, y[: self.nq], self.collocation.parameters) is not None

    def _note(self, stretch: Stretch, end: float) -> None:
        """Events of singularities within a stretch until a time (s), at the times their determinants vanish."""
        times = np.linspace(stretch.begin, min(stretch.end, end), LOOKS)
        values = self.watch.distances(stretch.y(times)[:, : self.nq])[1]
        found: list[tuple[float, int]] = []
        for k, d in enumerate(values.T):
            for i in np.flatnonzero(d[1:] * d[:-1] < 0):
                found.append((float(times[i] + (times[i + 1] - times[i]) * d[i] / (d[i] - d[i + 1])), k))
        found.sort()
        while found:
            together = [k for time, k in found if time - found[0][0] <= 2.0 * (times[1] - times[0])]
            names = ", ".join(self.watch.places[k] for k in sorted(set(together)))
            self.events.append(Event(found[0][0], Happening.CROSSED, f"a singularity of {names}"))
            found = found[len(together) :]


def records_between(stretches: list[Stretch], begin: float, end: float, step: float | None, row: Vector) -> Vector:
    """Records (m, k) between two times (s): at equal steps, or PARTS a stretch. The first state is known, and the last is the
    next step's own."""
    if step is None:
        times = np.concatenate([s.begin + s.length * np.arange(PARTS) / PARTS for s in stretches])[1:]
        times = times[times < end]
    else:
        first, last = round((begin - row[0]) / step), round((end - row[0]) / step)
        times = row[0] + step * np.arange(first + 1, last)
    at = np.searchsorted([s.begin for s in stretches], times, side="right") - 1
    found = [stretches[k].records(times[at == k], step or stretches[k].length / PARTS) for k in range(len(stretches))]
    return np.concatenate(found)
