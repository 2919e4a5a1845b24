"""Runs in a scene at one time: robots, traces, arrows. The page, files and pictures all draw with it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.viewer._clock import Frames, common_span
from gough.viewer.drawing.figure import Figure
from gough.viewer.scene._ghost import GhostScene, Wanted
from gough.viewer.scene.forces import (
    COLOURS,
    ForceArrows,
    ForceScene,
    Scales,
    arrow_faces,
    arrow_vertices,
    reference,
    scales,
)
from gough.viewer.scene.robot import RobotScene
from gough.viewer.scene.traces import COLOUR as TRACE_COLOUR
from gough.viewer.scene.traces import TraceScene
from gough.viewer.subject import ViewSubject

FIRST, SECOND = "/robot", "/second"
TINT = (196, 148, 92)
"""Of the second robot when both stand in one place, and of its trace."""
PLACES = ("beside", "on top", "hidden")


class RunStage:
    """What is drawn of a subject's runs. first: the first robot where it is drawn already, and how it is moved.

    start, end: times (s) of the common clock; a run shows its ends outside its own times.
    """

    def __init__(
        self,
        scene: Any,
        subject: ViewSubject,
        first: RobotScene | None = None,
        show_first: Callable[[np.ndarray], None] | None = None,
    ) -> None:
        if not subject.runs:
            raise UsageError("nothing to play: give a run")
        self.scene, self.subject, self.runs = scene, subject, subject.runs
        self.frames = tuple(Frames(run) for run in self.runs)
        self.start, self.end = common_span(self.frames)
        self.time = self.start
        self.size = subject.figure.size
        self.first = first or RobotScene(scene, subject.figure, FIRST)
        self._show_first = show_first or self.first.show
        self.second: RobotScene | None = None
        self.place = "hidden"
        self._seconds = 0
        self._traces: list[TraceScene] = []
        self._forces: list[ForceScene] = []
        self.wanted = tuple(Wanted(run) for run in self.runs)
        self._ghosts: list[tuple[int, GhostScene]] = []
        self._ghost_count, self._ghost_shown = 0, False
        self._arrows = tuple(ForceArrows(run) for run in self.runs)
        self._kinds: set[str] = set()
        self._factor = 1.0
        self._frame_traced: str | None = None
        self._reference: list[Any] = []
        if len(self.runs) > 1:
            self.place_second("beside")

    @property
    def force_kinds(self) -> tuple[str, ...]:
        """Kinds of arrows that the runs have."""
        kinds = [k for k, has in (("force", "has_forces"), ("torque", "has_torques")) if self._any(has)]
        return (*kinds, "reaction")

    def _any(self, what: str) -> bool:
        return any(getattr(a, what) for a in self._arrows)

    def show(self, time: float) -> None:
        """Everything at a time (s)."""
        self.time = time
        q = [f.at(time) for f in self.frames]
        self._show_first(q[0])
        if self.second is not None:
            self.second.show(q[1])
        for trace in self._traces:
            trace.show(time)
        for forces, own in zip(self._forces, q, strict=False):
            forces.show(time, own)
        for k, ghost in self._ghosts:
            ghost.show(time, q[k])

    def offset(self, place: str) -> np.ndarray:
        """Where the second robot stands (3,), m."""
        if place != "beside":
            return np.zeros(3)
        up = np.asarray(self.subject.figure.up, dtype=float)
        return offset_beside(self.subject.figure.bounds(), self.subject.figure_of(1).bounds(), up)

    def bounds(self) -> np.ndarray:
        """(2, 3): lowest and highest coordinates (m) of what is drawn over the runs."""
        bounds = drawn_extent(self.subject.figure, self.runs[0].q)
        if self.second is not None:
            other = drawn_extent(self.subject.figure_of(1), self.runs[1].q) + self.offset(self.place)
            bounds = np.stack([np.minimum(bounds[0], other[0]), np.maximum(bounds[1], other[1])])
        return bounds

    def place_second(self, place: str) -> None:
        """The second robot: "beside" the first, "on top" of it in another colour, or "hidden"."""
        if place not in PLACES:
            raise UsageError(f"place {place!r}: one of {', '.join(PLACES)}")
        if len(self.runs) < 2:
            return
        traced, kinds, ghost = self._frame_traced, self._kinds, self._ghost_shown
        self.remove()
        self.place = place
        if place != "hidden":
            tint = TINT if place == "on top" else None
            offset = tuple(float(x) for x in self.offset(place))
            self._seconds += 1  # a new name: pages remember where a node of an old name was
            root = f"{SECOND}{self._seconds}"
            self.second = RobotScene(
                self.scene, self.subject.figure_of(1), root, offset, tint, False, self.first.carried
            )
            self.second.exaggeration = self.first.exaggeration
        self.trace(traced)
        self.forces(kinds, self._factor)
        self.show_reference(ghost)
        self.show(self.time)

    @property
    def has_reference(self) -> bool:
        """Whether a run's motion wants a place that can be drawn."""
        return any(w.robot or w.point for w in self.wanted)

    def show_reference(self, shown: bool) -> None:
        """Draw where the motions of the runs want their robots, or not."""
        for _, ghost in self._ghosts:
            ghost.remove()
        self._ghosts, self._ghost_shown = [], shown
        for k, wanted in enumerate(self.wanted if shown else ()):
            if self._drawn(k) and (wanted.robot or wanted.point):
                self._ghost_count += 1  # a new name: pages remember where a node of an old name was
                root, at = f"/reference{self._ghost_count}", self.offset(self.place) if k else np.zeros(3)
                ghost = GhostScene(self.scene, wanted, self.subject.figure_of(k), root, tuple(map(float, at)))
                ghost.show(self.time, self.frames[k].at(self.time))
                self._ghosts.append((k, ghost))

    def trace(self, frame: str | None) -> None:
        """Draw the path of a frame of the (first) robot, and of the second where it has that frame; None: no trace."""
        for trace in self._traces:
            trace.remove()
        self._traces = []
        self._frame_traced = frame
        if frame is None:
            return
        for k, run in enumerate(self.runs):
            if self._drawn(k) and f"{frame}.pose" in run:
                colour = TINT if k else TRACE_COLOUR
                self._traces.append(TraceScene(self.scene, run, frame, f"{self._root(k)}/trace", self.size, colour))
        for trace in self._traces:
            trace.show(self.time)

    def forces(self, kinds: set[str], factor: float = 1.0) -> Scales:
        """Draw these kinds of arrows ("force", "torque", "reaction"), a factor longer than usual; returns their scales."""
        self._kinds, self._factor = set(kinds), factor
        for forces in self._forces:
            forces.remove()
        self._forces = []
        drawn = [k for k in range(len(self.runs)) if self._drawn(k)]
        found = scales(tuple(self._arrows[k] for k in drawn), self.size, "reaction" in kinds, factor)
        for k in drawn if kinds else ():
            made = ForceScene(self.scene, self.subject.figure_of(k), self._arrows[k], f"{self._root(k)}/forces")
            made.scales = found
            made.switch(set(kinds))
            made.show(self.time, self.frames[k].at(self.time))
            self._forces.append(made)
        self._draw_reference(found)
        return found

    def _root(self, run: int) -> str:
        return FIRST if run == 0 or self.second is None else self.second.root

    def _drawn(self, run: int) -> bool:
        return run == 0 or self.second is not None

    def _draw_reference(self, found: Scales) -> None:

        for node in self._reference:  # their labels go with them
            node.remove()
        self._reference = []
        low = self.subject.figure.bounds()[0]
        for row, (kind, (value, unit)) in enumerate(reference(found, self._kinds, self.size).items()):
            start = np.array([low[0], low[1] - 0.12 * self.size * (row + 1), low[2]])
            end = start + np.array([value * found.of(kind), 0, 0])
            vertices = arrow_vertices(np.array([[start, end]]), 0.006 * self.size)
            colour = COLOURS[kind if kind in self._kinds else "reaction"]
            name = f"{FIRST}/scale/{kind}"
            self._reference.append(self.scene.add_mesh_simple(name, vertices, arrow_faces(1), color=colour))
            at = tuple(end + [0.03 * self.size, 0, 0])
            text = f"{value:g} {unit}"
            self.scene.add_label(f"{name}/label", text, position=at, anchor="center-left", font_screen_scale=0.9)

    def remove(self) -> None:
        """Take out all but the first robot."""
        self.trace(None)
        self.show_reference(False)
        self.forces(set(), self._factor)
        if self.second is not None:
            self.second.remove()
            self.second = None


# Where the second robot of a comparison stands.

Array = np.ndarray

APART = 1.3
"""Distance of two robots beside each other, in widths of the larger."""


def offset_beside(first: Array, second: Array, up: Array) -> Array:
    """Shift (3,) of the second robot, m. first, second (2, 3): lowest and highest coordinates; up (3,): away from gravity.

    Along that horizontal axis of the world in which they are widest: a robot is broad where one looks at it, and so both are
    seen side by side.
    """
    level = int(np.argmax(np.abs(up))) if np.linalg.norm(up) > 0 else 2
    sides = [k for k in range(3) if k != level]
    extent = np.maximum(first[1] - first[0], second[1] - second[0])
    along = max(sides, key=lambda k: (round(float(extent[k] / max(extent.max(), 1e-12)), 1), -k))
    shift = np.zeros(3)
    middle = first[:, along].mean() - second[:, along].mean()
    shift[along] = middle + APART * max(float(extent[along]), 1e-6)
    return shift


# How much room a robot needs over a run.

SAMPLES = 400
"""States of a run that are looked at."""


def drawn_extent(figure: Figure, q: Any = None) -> np.ndarray:
    """(2, 3): lowest and highest coordinates (m) of what is drawn at home, or at configurations (n, nq)."""
    bounds = np.asarray(figure.bounds(), dtype=float)
    if q is None:
        return bounds
    home = figure.place(figure.home).position
    spare = bounds[0] - home.min(axis=0), bounds[1] - home.max(axis=0)  # drawn beyond the links' origins
    some = q[np.unique(np.linspace(0, len(q) - 1, min(len(q), SAMPLES)).astype(int))]
    placed = figure.place(some).position.reshape(-1, 3)
    placed = placed[np.isfinite(placed).all(axis=1)]
    return np.stack([placed.min(axis=0) + spare[0], placed.max(axis=0) + spare[1]])
