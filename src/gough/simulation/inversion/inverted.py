"""What a stable inversion has found: states and forces over time, what is cut off, and motions to run it with."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_model import AXES
from gough.arguments import checked, picture
from gough.files import write_figure
from gough.simulation.motion.motion import Motion, coordinate_motion
from gough.simulation.motion.paths import PolynomialPath
from gough.spatial import quaternion_wxyz_from_rotation
from gough.spatial.poses import pose_difference
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray


@dataclass(frozen=True)
class CutOff:
    """Where an inversion begins, or ends, at rest though its motion goes on.

    seconds: how long it begins before the tool, or goes on after it. tool: how far it moves the tool at most, by linear
    theory (m; angles times the robot's size). force (drives,): jump of the drive forces (N, N m); share: the largest, over
    the largest change of a force in the motion.
    """

    seconds: float
    tool: float
    force: np.ndarray
    share: float

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class StableInversion:
    """The motion of a whole robot with which a frame is on its path, along some axes.

    t (n,), s, from 0 where the pre-actuation begins; a time twice is a jump. q (n, nq), v, vdot (n, nv), tau (n, drives):
    the robot then. before, after: pre- and post-actuation with their cut-offs. zeros (k,): of the tool at the beginning
    (1/s, complex, one of every pair); those that grow are led backwards. path: of the tool, in the same time. error: by how
    much the time steps let the tool err (m; angles times the robot's size): what half as many would change. q_rest (2, nq):
    rest at both ends."""

    model: "Model"
    frame: str
    axes: tuple[str, ...]
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    tau: np.ndarray
    path: Motion
    before: CutOff
    after: CutOff
    zeros: np.ndarray
    error: float
    q_rest: np.ndarray
    nodal: tuple[np.ndarray, np.ndarray, np.ndarray]
    """Position, rate and acceleration (n, m) of the drives, then of the other coordinates whose rates stand in v."""
    other_names: tuple[str, ...]
    other_units: tuple[str, ...]

    __repr__ = short_repr

    @property
    def growing(self) -> np.ndarray:
        """The zeros that grow: empty where the inverse model is stable and nothing is led backwards."""
        return self.zeros[np.real(self.zeros) > 0]

    @cached_property
    def motion(self) -> Motion:
        """What the drives do, as a motion of kind "drives" for `gough.simulate`: it begins and ends at rest, in `q_rest`,
        and stays there in longer runs."""
        layout, count = self.model.layout, len(self.model.mechanism.drives)
        units = tuple("rad" if unit == "N m" else "m" for unit in layout.drive_units)
        full = self._path
        path = replace(full, coefficients=full.coefficients[:, :count])
        made = coordinate_motion(path, "drives", layout.drive_names, units, extend="hold")
        return replace(made, first=(self.q_rest[0].copy(), np.zeros(layout.nv)))

    @cached_property
    def reference(self) -> Motion:
        """Drives, other coordinates and drive forces together, as laws that follow all of it read them."""
        layout = self.model.layout
        names = (*layout.drive_names, *self.other_names, *(f"force of {x}" for x in layout.drive_names))
        units = ("rad" if unit == "N m" else "m" for unit in layout.drive_units)
        every = (*units, *self.other_units, *layout.drive_units)
        return coordinate_motion(self._path, "drives", names, every, extend="hold")

    @cached_property
    def _path(self) -> PolynomialPath:
        """All channels of `reference`: quintic Hermite polynomials of coordinates, cubic splines of forces between jumps.
        Between rest and the next node, at both ends, they take up what is cut off."""
        h = np.diff(self.t)
        steps = np.flatnonzero(h > 0)
        h = h[steps]
        c = np.zeros((len(steps), self.nodal[0].shape[1] + self.tau.shape[1], 6))
        x, xd, xdd = (a.copy() for a in self.nodal)
        for end, q in ((0, self.q_rest[0]), (-1, self.q_rest[1])):
            x[end], xd[end], xdd[end] = q[self._places], 0.0, 0.0
        count = x.shape[1]
        p, v, a = (y[steps] for y in (x, xd, xdd))
        P, V, A = (y[steps + 1] for y in (x, xd, xdd))
        s = h[:, None]
        away, turn, bend = P - p - v * s - a * s**2 / 2, (V - v - a * s) * s, (A - a) * s**2
        c[:, :count, 0], c[:, :count, 1], c[:, :count, 2] = p, v, a / 2
        c[:, :count, 3] = (10 * away - 4 * turn + bend / 2) / s**3
        c[:, :count, 4] = (-15 * away + 7 * turn - bend) / s**4
        c[:, :count, 5] = (6 * away - 3 * turn + bend / 2) / s**5
        c[:, count:, :4] = self._force_polynomials(steps)
        for piece, cut, rising in ((0, self.before.force, False), (-1, self.after.force, True)):
            slope = cut / h[piece] * (1 if rising else -1)
            c[piece, count:, 1] += slope
            c[piece, count:, 0] += 0.0 if rising else cut
        return PolynomialPath(np.concatenate([self.t[steps], self.t[-1:]]), c)

    def _force_polynomials(self, steps: Array) -> Array:
        """Coefficients (pieces, drives, 4) of the forces as they are: splines from break to break of the path."""
        from scipy.interpolate import CubicSpline

        jumps = np.flatnonzero(np.diff(self.t) == 0)
        breaks = np.abs(self.path.breaks[1:-1, None] - self.t).argmin(axis=1)  # where slopes of forces may jump
        bends = np.setdiff1d(breaks, np.concatenate([jumps, jumps + 1]))
        begins = np.unique(np.concatenate([[0], jumps + 1, bends]))
        ends = np.unique(np.concatenate([jumps, bends, [len(self.t) - 1]]))
        spans = [(int(a), int(b)) for a, b in zip(begins, ends, strict=True) if b > a]
        parts = [CubicSpline(self.t[a : b + 1], self.tau[a : b + 1]).c[::-1] for a, b in spans]
        return np.concatenate([part.transpose(1, 2, 0) for part in parts])

    @property
    def _places(self) -> list[int]:
        """Where the channels of `nodal` stand in q."""
        names = list(self.model.layout.q_names)
        return [*self.model.drive_index, *(names.index(x) for x in self.other_names)]

    def tool_errors(self, run: Any) -> dict[str, Array]:
        """How far the tool of a run of `motion` is from its path at the stored times, along its axes: {"m": (n,), "rad":
        (n,)}."""
        t = np.asarray(run.time)
        wanted = self.path.at(np.minimum(t, self.path.duration)).position
        position, rotation = self.model.frame_pose(run.q, self.frame, parameters=run.design)
        away = position - wanted[:, :3]
        if self.path.kind == "pose":
            reached = np.concatenate([position, quaternion_wxyz_from_rotation(rotation)], axis=1)
            away = pose_difference(wanted, reached)
        places = [AXES.index(x) for x in self.axes]
        parts = {"m": [k for k in places if k < 3], "rad": [k for k in places if k >= 3]}
        return {unit: np.linalg.norm(away[:, own], axis=1) for unit, own in parts.items() if own}

    @checked(path=picture)
    def plot(self, path: str | Path | None = None) -> Any:
        """Drive forces less those at rest where they begin, and the drives' rates, over time; the tool moves where it is not
        shaded. A matplotlib figure, written to a file where one is named."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.2, 4.4), layout="constrained")
        axes = figure.subplots(2, 1, sharex=True)
        count, layout = len(self.model.mechanism.drives), self.model.layout
        lines = (
            (self.tau - self.tau[0], "change of force (N, N m)"),
            (self.nodal[1][:, :count], "drive rate (m/s, rad/s)"),
        )
        for ax, (values, label) in zip(axes, lines, strict=True):
            ax.plot(self.t, values, lw=1.0, label=layout.drive_names)
            ax.axvspan(0.0, self.before.seconds, color="0.9")
            ax.axvspan(self.t[-1] - self.after.seconds, self.t[-1], color="0.9")
            ax.set_ylabel(label, fontsize=9)
        axes[0].legend(fontsize=7, ncols=3)
        axes[-1].set_xlabel("time (s); shaded: the tool stands still", fontsize=9)
        figure.suptitle(f"{self.model.robot.name}: {self.frame} on its path", fontsize=10, parse_math=False)
        if path is not None:
            write_figure(path, figure, 130)
        return figure
