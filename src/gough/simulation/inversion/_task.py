"""What a stable inversion is asked for: a robot, a path of its tool, and the equations ẋ = F(x, t) of what moves inside."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.analysis.linear_model import AXES
from gough.errors import FrictionWarning, UsageError, warn
from gough.model import Model
from gough.model.linear import without_coulomb
from gough.simulation.inversion._rest import ServoRest, rest_at
from gough.simulation.inversion._servo import ServoConstraint, ServoStates, servo_constraint
from gough.simulation.inversion._two_sided import ITERATIONS, EndConditions, Nodes, TwoSided, Values, solve_two_sided
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.targets import MotionTarget

Array = np.ndarray
COARSE, FEWEST = 64, 8
"""Steps of the whole motion, and of each of its pieces, at first."""
MOST = 3e7
"""Nodes times the squared number of unknowns: a quarter of a GB, three times."""
MOST_STEPS = 20_000
FORCES = 1e-3
"""Error of the forces by the steps, of their largest change, that is little."""
REACHED = 1e-8
"""Accepted distance of a tool from its path, of the robot's size."""
JUMP = 1e-6
"""A velocity this small, of the largest, is rest."""


@dataclass(frozen=True, eq=False)
class InversionTask:
    """What is asked, and the units of x: internal coordinates by their typical sizes, rates by these times `rate` (1/s)."""

    servo: ServoConstraint
    motion: Motion
    start: Array
    rate: float
    numbers: Array

    @classmethod
    def of(
        cls,
        model: Model,
        motion: Motion,
        frame: str | None,
        axes: Sequence[str] | None,
        near: Any,
        wrench: Any,
        numbers_: Array,
    ) -> "InversionTask":
        """UsageError for what cannot be inverted."""
        name, layout = model.robot.name, model.layout
        if motion.kind not in ("pose", "point"):
            raise UsageError(
                f"stable_inversion: a motion of kind {motion.kind!r} leads no tool; give poses= or points= of a "
                f"frame. Drives follow "
                "theirs as it is: gough.simulate"
            )
        if frame is not None and motion.frame not in (None, frame):
            raise UsageError(
                f"stable_inversion: the motion is one of {motion.frame!r}, frame={frame!r}; leave frame= out"
            )
        frame = motion.frame if frame is None else frame
        if frame is None and not model.mechanism.has_platform:
            raise UsageError(f"stable_inversion: {name} has no platform; name the frame (frame=)")
        frame = model.mechanism.platform.name if frame is None else frame
        if frame not in model.mechanism.frames:
            raise UsageError(
                f"stable_inversion: {name} has no frame {frame!r}; there are {', '.join(model.mechanism.frames)}"
            )
        drives = len(model.mechanism.drives)
        if drives != model.mobility:
            raise UsageError(
                f"stable_inversion: {name} has {drives} drives for {model.mobility} freedoms, there must be one each; "
                + (
                    "give drives to the others"
                    if drives < model.mobility
                    else "leave some without drive, their forces are a choice of their own"
                )
            )
        if layout.nv == model.mobility:
            raise UsageError(
                f"stable_inversion: nothing of {name} bends or is idle, there is nothing to invert; "
                f"inverse_dynamics gives the forces"
            )
        for when, left in (("begins", False), ("ends", True)):
            t = np.array([motion.duration if left else 0.0])
            if np.abs(motion._at(t, left)[1]).max() > JUMP * max(
                np.abs(motion._at(motion._spread(), False)[1]).max(), 1e-300
            ):
                raise UsageError(f"stable_inversion: the motion {when} with a velocity; let it begin and end at rest")
        numbers_plain = without_coulomb(model, numbers_)
        if (numbers_plain != numbers_).any():
            warn(
                f"stable_inversion: Coulomb friction of {name} is left out, it has no sign at rest; feedback is left with it",
                FrictionWarning,
            )
        target = MotionTarget(model, motion.kind, None, frame, parameters=numbers_plain)
        if near is not None and (np.shape(near) != (layout.nq,) or not np.isfinite(near).all()):
            raise UsageError(
                f"stable_inversion: near has shape {np.shape(near)}; give one finite configuration ({layout.nq},)"
            )
        start = model.home if near is None else np.asarray(near, dtype=float)
        forces = RestForces(model, numbers_plain, wrench)
        servo = servo_constraint(model, target, forces, _axes_of(axes, target.size), start)
        task = cls(servo, motion, start, 1.0, numbers_)
        zeros = np.abs(task.rest(0.0).zeros)
        return replace(task, rate=float(np.exp(np.log(np.maximum(zeros, 1e-3 * zeros.max())).mean())))

    def wanted_sample(self, t: Array, left: Array) -> Sample:
        """The motion at times (n,), s, at rest before and after it; at its ends before (left) or after them."""
        end = self.motion.duration
        inside = np.clip(t, 0.0, end)
        before, after = self.motion._at(inside, True), self.motion._at(inside, False)
        three = [np.where(left[:, None], b, a) for b, a in zip(before, after, strict=True)]
        out = (t < 0) | (t > end) | ((t == 0) & left) | ((t == end) & ~left)
        return Sample(three[0], *(np.where(out[:, None], 0.0, x) for x in three[1:]))

    def straight_configurations(self, t: Array, left: Array) -> Array:
        """q (n, nq) of the robot before it bends, at rising times."""
        q = self.servo.straight_configurations(self.wanted_sample(t, left).position, self.start)
        lost = ~np.isfinite(q).all(axis=1)
        if lost.any():
            raise UsageError(
                f"stable_inversion: {self.servo.model.robot.name} does not reach the motion at t = {t[lost][0]:.6g} s; see "
                "gough.check_motion"
            )
        return q

    def rest(self, t: float) -> ServoRest:
        """The robot at rest where the motion is at a time (s)."""
        times, no = np.array([t]), np.array([False])
        wanted = self.wanted_sample(times, no)
        found = rest_at(
            self.servo, wanted, self.straight_configurations(times, no)[0], np.zeros(self.servo.size), self.rate
        )
        self.demand_on_path(found.q[None], wanted, times)
        return found

    def demand_on_path(self, q: Array, wanted: Sample, t: Array) -> None:
        """UsageError where an axis that counts is off its path at q (n, nq): the robot cannot move so."""
        off = self.servo.off_path(q, wanted.position)
        if not off.max(initial=0.0) <= REACHED * self.servo.model.size:
            k, axis = np.unravel_index(int(off.argmax()), off.shape)
            names = [AXES[i] for i in self.servo.axes]
            raise UsageError(
                f"stable_inversion: {names[axis]} of the path is {off[k, axis]:.3g} m off what "
                f"{self.servo.model.robot.name} can do at "
                f"t = {t[k]:.6g} s; give a path that it can follow, or the axes= that count"
            )

    def nodes(self, pre: float, post: float, step: float) -> Nodes:
        """Nodes at equal steps (s) at most in every piece of the motion, before and after it."""
        marks = self.motion.breaks
        if pre:
            marks = np.concatenate([[-pre], marks])
        if post:
            marks = np.concatenate([marks, [self.motion.duration + post]])
        parts = [np.linspace(a, b, max(FEWEST, int(np.ceil((b - a) / step))) + 1)[:-1] for a, b in pairwise(marks)]
        return Nodes.of(np.concatenate([*parts, marks[-1:]]), self.motion.kinks)

    def states(self, x: Array, t: Array, left: Array, near: Array | None) -> ServoStates:
        """The robot where the output is on its path, with x (n, 2k)."""
        k, units = self.servo.size, self.servo.units
        near = self.straight_configurations(t, left) if near is None else near
        return self.servo.states(x[:, :k] * units, x[:, k:] * units * self.rate, self.wanted_sample(t, left), near)

    def system(self, x: Array, t: Array, left: Array, known: Any, slopes: bool) -> Values:
        """F and its slopes; known: states before."""
        k, units = self.servo.size, self.servo.units
        at = self.states(x, t, left, None if known is None else _filled(known))
        F = np.concatenate([x[:, k:] * self.rate, at.inner / (units * self.rate)], axis=1)
        A = np.zeros((len(x), 2 * k, 2 * k))
        A[:, :k, k:] = self.rate * np.eye(k)
        f = self.servo.slopes(at) / units[:, None]
        A[:, k:, :k], A[:, k:, k:] = f[:, :, :k] * units / self.rate, f[:, :, k:] * units
        return Values(F, at, A)

    def bounded_solution(self, nodes: Nodes, ends: EndConditions, guess: Array | None, iterations: int = 1) -> TwoSided:
        """Equation (1) on these nodes, after so many iterations of Newton's; UsageError where none is found. One is enough on the
        way: coarse nodes may have no solution where fine ones, from there, have one."""
        model, size = self.servo.model, 2 * self.servo.size
        most = min(MOST_STEPS, int(MOST / size**2))
        if len(nodes.t) > most:
            raise UsageError(
                f"stable_inversion: {model.robot.name} needs more than {most} time steps for "
                f"this; give a larger "
                "tolerance=, a smoother motion (gough.motions.septic), or shorter pre= and post="
            )
        if guess is None:
            s = np.clip(nodes.t / self.motion.duration, 0.0, 1.0)[:, None]
            guess = ends.first + (ends.last - ends.first) * s**3 * (10 - 15 * s + 6 * s**2)
        found = solve_two_sided(self.system, nodes, ends, guess, iterations)
        if not found.settled:
            raise UsageError(
                f"stable_inversion: no bounded motion of {model.robot.name} was found that keeps its tool on "
                f"the path; give a slower "
                "or smoother motion (motion.slower(2)), and see gough.check_motion"
            )
        return found

    def refined_solution(
        self,
        pre: float,
        post: float,
        ends: EndConditions,
        rough: TwoSided,
        first: ServoRest,
        last: ServoRest,
        tolerance: float,
    ) -> tuple[TwoSided, float]:
        """(the solution with pre- and post-actuation, by how far its steps let the tool err (m)): steps are halved until
        that is below the tolerance, with an iteration of Newton's at each; then it is brought to rest."""
        step = self.motion.duration / COARSE
        nodes = self.nodes(pre, post, step)
        found = self.bounded_solution(nodes, ends, _interpolated(rough, nodes.t, first, last))
        shift = np.maximum(np.abs(first.shift), np.abs(last.shift))
        while True:
            t = found.nodes.t
            both = np.sort(np.concatenate([t, 0.5 * (t[:-1] + t[1:])]))
            finer = self.bounded_solution(
                Nodes.of(both, self.motion.kinks), ends, _interpolated(found, both, first, last)
            )
            off = np.abs(finer.x[::2] - found.x)[:, : self.servo.size]
            error = float((off @ shift.T).max(initial=0.0))
            forces = _force_error(found, finer)
            found = finer
            if error <= tolerance and forces <= FORCES:
                found = self.bounded_solution(finer.nodes, ends, finer.x, ITERATIONS)
                off = np.abs(found.x - finer.x)[:, : self.servo.size]
                left = float((off @ shift.T).max(initial=0.0))
                if left <= tolerance and _force_error(finer, found) <= FORCES:
                    return found, max(error, left)


def _force_error(found: TwoSided, finer: TwoSided) -> float:
    """By how much forces (drives) of two solutions differ, root mean square over time, over their largest change."""
    a, b = found.at.known, finer.at.known
    assert isinstance(a, ServoStates) and isinstance(b, ServoStates)
    nodes = found.nodes
    where = np.searchsorted(finer.nodes.times, nodes.times)
    where[1:] += nodes.times[1:] == nodes.times[:-1]  # the value after a jump
    off = b.tau[where] - a.tau
    squares = np.trapezoid(off**2, nodes.times, axis=0).max() / (nodes.t[-1] - nodes.t[0])
    return float(np.sqrt(squares)) / max(float(np.ptp(b.tau, axis=0).max()), 1e-300)


def _axes_of(axes: Sequence[str] | None, size: int) -> list[int]:
    """Places of the axes that count among those of a point (3) or a pose (6)."""
    known = AXES[:size]
    asked = known if axes is None else (axes,) if isinstance(axes, str) else tuple(axes)
    if not asked or len(set(asked)) < len(asked) or not set(asked) <= set(known):
        raise UsageError(f"stable_inversion: axes={axes!r}; give some of {', '.join(known)}, each once")
    return [known.index(x) for x in asked]


def _filled(known: ServoStates) -> Array:
    """Configurations (n, nq) to begin at; of those that are lost the last good one before."""
    q = known.q
    good = np.isfinite(q).all(axis=1)
    return q[np.maximum.accumulate(np.where(good, np.arange(len(q)), 0))]


def _interpolated(found: TwoSided, t: Array, first: ServoRest, last: ServoRest) -> Array:
    """x (n, 2k) of a solution at times, by Hermite's polynomials between its nodes; beyond them its deviation from rest dies
    out."""
    nodes, x = found.nodes, found.x
    i = np.clip(np.searchsorted(nodes.t, t, side="right") - 1, 0, len(nodes.t) - 2)
    h = np.diff(nodes.t)[i][:, None]
    s = np.clip((t - nodes.t[i])[:, None] / h, 0.0, 1.0)
    F, G = found.at.F[nodes.before[i]] * h, found.at.F[nodes.after[i]] * h
    made = (1 + 2 * s) * (1 - s) ** 2 * x[i] + s * (1 - s) ** 2 * F + s**2 * (3 - 2 * s) * x[i + 1] - s**2 * (1 - s) * G
    made[t < nodes.t[0]] = first.x
    made[t > nodes.t[-1]] = last.x
    return made
