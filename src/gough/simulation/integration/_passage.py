"""Through a pose in which branches of the closed configurations meet: stretches of a run as one polynomial each, by collocation
at points that leave its middle out.

y = (q, v, works, own states of the law) has the rates ẏ = f(y, t) of the closed robot. At the points t_i of a stretch of length H
    y_i = y_0 + H Σ_j a_ij ẏ_j,   ẏ_i = f(y_i, t_i),   a_ij = ∫ of the j-th Lagrange polynomial from 0 to c_i             (1)
solved by Picard's iteration [Hairer, Nørsett, Wanner 1993, II.7]. In an isolated singular pose of its loops a robot's motion is
as smooth as anywhere else, only f cannot be computed there: f is looked at in the points alone, and these can be put on both
sides of the pose. Loops are closed from where the polynomial leads, so the robot stays in its branch.
Points    of -1 … 1: x² are Chebyshev points of g² … 1, the best points of the two intervals beside a gap ±g. At a distance d from
          the pose accelerations are off by some 1e-16/d³; the gap costs a factor of four in how errors add up.
Passage   a robot goes on in its branch: its motion is smooth, and so is the polynomial. The pose lies in the middle of a stretch
          where it can, in the gap between its points. Rounding is the limit, not the length of a step.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from gough.errors import Status
from gough.kinematics.retraction import normalise_quaternions
from gough.program import Program
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.events import End, Event, Happening
from gough.simulation.integration._rates import closing_program, rate_program, turn_program
from gough.simulation.integration.crossing import LEFT, NEAR, PER_STEP, Watch, better_velocities
from gough.simulation.integration.marching import OneRunLoop, RunStopped
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

Vector = np.ndarray
POINTS, GAP = 16, 0.25
CLOSINGS = 3
"""Newton steps that close the loops at a point."""
CLOSED = 1e-6
"""What the last of them may move, over typical sizes: another one, of which nothing is left, follows."""
SLOW_LOOKS = 40
"""Points that the interpreter looks at in a run."""
ITERATIONS = 60
SAME = 3e-14
"""Change of y, over typical sizes, that ends the iteration; what rounding leaves is accepted below a thousand times that."""
FIRST_LOOK, TERMS = 0.4, 6
"""Part of a stretch that is solved first: the whole begins with so many terms of its polynomial (more would blow rounding up)."""

_squares = GAP**2 + (1.0 - GAP**2) * np.cos(np.pi * (np.arange(POINTS // 2) + 0.5) / POINTS) ** 2
_x = np.concatenate([-np.sqrt(_squares), np.sqrt(_squares[::-1])])
NODES: Vector = 0.5 * (_x + 1.0)
"""The points, of 0 … 1."""
_TO_SERIES = np.linalg.inv(legendre.legvander(_x, POINTS - 1))
_INTEGRAL = 0.5 * legendre.legint(np.eye(POINTS), lbnd=-1.0, axis=0)
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


def _weights(place: Vector) -> Vector:
    """(n, points): integrals from 0 to places (n,) of 0 … 1 of the Lagrange polynomials."""
    return legendre.legvander(2.0 * np.asarray(place) - 1.0, POINTS) @ _INTEGRAL @ _TO_SERIES


def _values(place: Vector) -> Vector:
    """(n, points): the Lagrange polynomials at places (n,) of 0 … 1, or beyond."""
    return legendre.legvander(2.0 * np.asarray(place) - 1.0, POINTS - 1) @ _TO_SERIES


@dataclass(frozen=True, eq=False)
class Stretch:
    """A piece of a run as a polynomial. first (n,): y at its begin. rates (points, n): ẏ; forces (points, drives)."""

    states: StateLayout
    begin: float
    length: float
    first: Vector
    rates: Vector
    forces: Vector

    @property
    def end(self) -> float:
        """Time (s) at its end."""
        return self.begin + self.length

    def y(self, times: Vector) -> Vector:
        """y (m, n) at times (m,), s."""
        found = self.first + self.length * _weights(self._place(times)) @ self.rates
        nq = self.states.plant.model.layout.nq
        found[:, :nq] = normalise_quaternions(self.states.plant.model.mechanism, found[:, :nq])
        return found

    def records(self, times: Vector, step: float) -> Vector:
        """Records (m, k) at times (m,), s."""
        values = _values(self._place(times))
        nq, nv = self.states.plant.model.layout.nq, self.states.plant.model.layout.nv
        vdot = values @ self.rates[:, nq : nq + nv]
        settings = np.stack([times, np.full(len(times), step), np.zeros(len(times))], axis=1)
        return np.concatenate([self.y(times), settings, values @ self.forces, vdot], axis=1)

    def unresolved_change(self, sizes: Vector) -> float:
        """What the last two terms of ẏ's Legendre series add to y over the stretch, over typical sizes (n,)."""
        tail = (_TO_SERIES @ self.rates)[-2:]
        return float((np.abs(tail).sum(axis=0) * self.length / sizes).max(initial=0.0))

    def _place(self, times: Vector) -> Vector:
        return (np.asarray(times, dtype=float) - self.begin) / self.length


class Collocation:
    """Stretches of one robot under one law."""

    def __init__(self, plant: Plant, parameters: Vector) -> None:
        self.plant, self.parameters = plant, parameters
        self.states = StateLayout(plant)
        self.slow_looks = 0

    @cached_property
    def loop(self) -> OneRunLoop:
        """(y, t) to the record (q closed, v as led, ẏ, drive forces, what a last Newton step moved of q)."""
        return OneRunLoop(self.plant.loop_code("collocation", self._program), self.parameters)

    def _program(self) -> Program:
        plant, states = self.plant, self.states
        rate, close = rate_program(plant), closing_program(plant, closings=CLOSINGS)
        again, n = closing_program(plant, closings=1), states.t

        def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
            s, t = states.split(np.concatenate([state, [0.0, 0.0]])), state[n]
            q, v = plant.led_state(unit_quaternions(plant.model.mechanism, s.q), s.v, plant.rows.at(given, t))
            near = close(parameters, q)
            q = again(parameters, near)
            found = rate(parameters, q=q, v=v, inner=s.inner, row=given, t=[t])
            parts = (q, v, *(found[key] for key in ("qdot", "vdot", "power", "inner", "tau")), q - near)
            return {"state": state, "record": np.concatenate(parts), "running": 1.0}

        return turn_program(plant, equations, "collocation", n + 1, more=0)

    @cached_property
    def sizes(self) -> Vector:
        """Typical sizes of y (n,); works have no say."""
        return self.states.sizes(np.inf)

    def solve(self, y: Vector, begin: float, length: float, row: Vector) -> Stretch | None:
        """The stretch from y (n,) at a time (s); None where the iteration does not converge, or rates cannot be computed."""
        short = self._solved(y, begin, FIRST_LOOK * length, row, None)
        if short is None:  # its points may be nearer to a pose than those that count
            return self._solved(y, begin, length, row, None)
        series = (_TO_SERIES @ short.rates)[:TERMS]
        ahead = legendre.legvander(2.0 * NODES / FIRST_LOOK - 1.0, TERMS - 1) @ series
        return self._solved(y, begin, length, row, ahead)

    def _solved(self, y: Vector, begin: float, length: float, row: Vector, rates: Vector | None) -> Stretch | None:
        weights = _weights(NODES)
        times = begin + length * NODES
        if rates is None:
            found = self._rates(y[None], np.array([begin]), row)
            if found is None:
                return None
            rates = np.repeat(found[0], POINTS, axis=0)
        before, shrunk = np.inf, 0
        points = y + length * weights @ rates
        for _ in range(ITERATIONS):
            found = self._rates(points, times, row)
            if found is None:
                return None
            rates, forces = found
            moved = y + length * weights @ rates
            change = float((np.abs(moved - points) / self.sizes).max(initial=0.0))
            points = moved
            if change <= SAME or (change < 1e3 * SAME and change > 0.5 * before):
                return Stretch(self.states, begin, length, y, rates, forces)
            shrunk = shrunk + 1 if change > 0.7 * before else 0
            if not np.isfinite(change) or shrunk > 3:
                return None
            before = change
        return None

    def closed_state(self, y: Vector, time: float, row: Vector) -> Vector:
        """y (n,) with its loops closed, and drives where a prescribed motion has them; as it is where that cannot be computed."""
        record = self._look(y[None], np.array([time]), row)
        if record is None:
            return y
        layout, out = self.plant.model.layout, y.copy()
        out[: layout.nq + layout.nv] = record[0, : layout.nq + layout.nv]
        return out

    def rates(self, y: Vector, time: float, row: Vector) -> Vector | None:
        """ẏ (n,) at y (n,); None where it cannot be computed."""
        found = self._rates(y[None], np.array([time]), row)
        return None if found is None else found[0][0]

    def _rates(self, y: Vector, times: Vector, row: Vector) -> tuple[Vector, Vector] | None:
        """(ẏ (m, n), drive forces (m, drives)) at y (m, n); None where they cannot be computed."""
        record = self._look(y, times, row)
        if record is None:
            return None
        first = self.plant.model.layout.nq + self.plant.model.layout.nv
        n, drives = self.states.t, len(self.plant.model.mechanism.drives)
        return record[:, first : first + n], record[:, first + n : first + n + drives]

    def _look(self, y: Vector, times: Vector, row: Vector) -> Vector | None:
        """Records (m, k) of the loop at y (m, n); None where one cannot be computed, or does not close."""
        if not np.isfinite(y).all():
            return None
        found = self.loop(np.concatenate([y, times[:, None]], axis=1), 1, row[None])
        record = found.record[0].copy() if len(found.record) else np.zeros(found.record.shape[1:])
        failed = np.flatnonzero(found.failed >= 0)  # by another order of elimination it may be regular
        self.slow_looks += len(failed)
        if self.slow_looks > SLOW_LOOKS:
            return None
        for k in failed:
            slow = self.loop.with_care(np.append(y[k], times[k]), row)
            if slow is None:
                return None
            record[k] = slow[1]
        nq = self.plant.model.layout.nq
        rest = np.abs(record[:, -nq:] / self.states.units[0]).max(initial=0.0)
        return record if rest < CLOSED else None


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
        first, last = round((begin - row[0]) / step), ceil((end - row[0]) / step - 1e-6)
        times = row[0] + step * np.arange(first + 1, last)
    at = np.searchsorted([s.begin for s in stretches], times, side="right") - 1
    found = [stretches[k].records(times[at == k], step or stretches[k].length / PARTS) for k in range(len(stretches))]
    return np.concatenate(found)
