"""Designs of a study in a scene: the one along the front, and chosen ones in a row beside it, each under its name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.viewer.drawing.camera import box_corners, upright
from gough.viewer.drawing.figure import Figure
from gough.viewer.posing.designs import DesignStates, FrontWay
from gough.viewer.scene.robot import RobotScene
from gough.viewer.scene.stage import drawn_extent

Array = np.ndarray
APART = 1.2
"""Distance of neighbours, in widths of the widest."""
BEHIND = 0.85
"""Least distance of rows, in heights of the highest."""
SEEN_FROM = (0.18, -1.0, 0.62)
"""Direction to the camera where z is up: rows behind are seen over those before them."""
ABOVE = 0.08
"""Of a name over a robot, in robot sizes."""
GREYED: Any = (150, 156, 164)
"""What the description's own design is tinted with."""


@dataclass
class StandingDesign:
    """A chosen design in the row. key: its number on the front, or None of the description; states (s, nq) by case."""

    key: int | None
    text: str
    x: Array
    scene: RobotScene
    label: Any


class DesignStage:
    """What is drawn of a study. robot: of the page, which goes along the front; replaced: told of another one in its place.

    place, case, time: shown. way: the way along the front. columns: of the rows behind it.
    """

    columns = 6

    def __init__(
        self,
        scene: Any,
        states: DesignStates,
        robot: RobotScene,
        way: FrontWay,
        replaced: Callable[[RobotScene], None],
        letters: float | None = None,
    ) -> None:
        """letters: height (m) of names; None: as on a page, whatever the distance."""
        self._letters = letters
        self.scene, self.states, self.robot, self.way = scene, states, robot, way
        self._replaced = replaced
        self.case, self.time, self.place = states.first, 0.0, 0.0
        self.chosen: list[StandingDesign] = []
        self.standing = True
        self.problem = ""
        self._made = 0
        self._home: dict[str, Array] = {}
        self._known: dict[int | None, Array] = {}
        up = np.asarray(robot.figure.up)
        self._along, self._back, _ = upright(up).T
        self.away = upright(up) @ (np.array(SEEN_FROM) / np.linalg.norm(SEEN_FROM))
        self._up = up
        self._extent = self._extents()
        self._label = self._name("present", "", self._foot(), "top-center")

    # ---- the one along the front

    @property
    def state(self) -> int:
        """Of the case, at the time."""
        return self.states.state_at(self.case, self.time)

    def show(self, place: float, time: float, case: str) -> None:
        """Everything at a place of the way and a time (s) of a case. problem: why there is no robot at that place."""
        moved = (case, self.states.state_at(case, time)) != (self.case, self.state)
        self.place, self.time, self.case = place, time, case
        if moved:
            for design in self.chosen:
                self._stand(design)
        try:
            self._follow()
            self.problem = ""
        except GoughError as error:
            self.problem = str(error)
        self.robot.mark_all(bool(self.problem))

    def _follow(self) -> None:
        a, b, part = self.way.stops(self.place)
        near = a if part < 0.5 else b
        x = self.way.variables(self.place)
        q = self._state_of(near, self.case, self.state)
        home = self._state_of(near, self.states.first, 0)
        if a != b:
            q = self.states.between(self.case, self.state, x, q)
            home = self.states.between(self.states.first, 0, x, home)
        self._draw(self.states.figure(x, home), q)

    def _state_of(self, row: int, case: str, state: int) -> Array:
        q = self.states.of_row(case, row)[state]
        if not np.isfinite(q).all():
            raise GoughError(f"design {row} does not take state {state} of {case}")
        return q

    def _draw(self, figure: Figure, q: Array) -> None:
        if not self.robot.adopt(figure):
            before = self.robot
            before.remove()
            self.robot = RobotScene(self.scene, figure, carried=before.carried, upright=True)
            self.robot.exaggeration = before.exaggeration
            self._replaced(self.robot)
        self.robot.show(q)

    def name_present(self, text: str) -> None:
        """The name over the robot along the front."""
        if self._label.text != text:
            self._label.text = text

    # ---- those beside it

    def choose(self, wanted: Mapping[int | None, tuple[str, Array]]) -> None:
        """Let these designs stand in the row, {number, or None of the description: (name, variables)}."""
        for design in self.chosen:
            design.scene.remove()
            design.label.remove()
        self.chosen = []
        for key, (text, x) in wanted.items():
            q = self._all_states(key, x, self.states.first)
            good = q[np.isfinite(q).all(axis=1)]
            if not len(good):
                continue
            self._made += 1
            root, figure = f"/design{self._made}", self.states.figure(x, good[0])
            tint = GREYED if key is None else None
            carried = self.robot.carried
            made = RobotScene(self.scene, figure, root, (0.0, 0.0, 0.0), tint, False, carried)
            self.chosen.append(StandingDesign(key, text, x, made, self._name(root[1:], text, np.zeros(3))))
        self.place_row()
        for design in self.chosen:
            self._stand(design)

    def place_row(self) -> None:
        """Put the rows behind the robot along the front, or hide them."""
        self._extent = self._extents()
        for k, design in enumerate(self.chosen):
            at = self._offset(k)
            design.scene.place(at.tolist(), self.standing)
            design.label.position = self._top(at)
            design.label.visible = self.standing
        self._label.position = self._foot()

    def _all_states(self, key: int | None, x: Array, case: str) -> Array:
        if key is not None:
            return self.states.of_row(case, key)
        if case not in self._home:
            self._home[case] = self.states.of_design(case, x)
        return self._home[case]

    def _stand(self, design: StandingDesign) -> None:
        q = self._all_states(design.key, design.x, self.case)[self.state]
        good = bool(np.isfinite(q).all())
        design.scene.mark_all(not good)
        if good:
            design.scene.show(q)

    def _offset(self, k: int) -> Array:
        """Where chosen design k stands: in rows behind the present one, which is before their middle."""
        row, column = divmod(k, self.columns)
        count = min(self.columns, len(self.chosen) - row * self.columns)
        size = self._extent[1] - self._extent[0]
        wide, deep, high = (float(np.abs(axis) @ size) for axis in (self._along, self._back, self._up))
        aside = (column - (count - 1) / 2) * max(APART * wide, 1e-6)
        return aside * self._along + (row + 1) * max(APART * deep, BEHIND * high) * self._back

    def _top(self, at: Array) -> Array:
        low, high = self._extent
        level = np.abs(self._up) @ np.where(self._up >= 0, high, -low) + ABOVE * self.robot.figure.size
        middle = (low + high) / 2
        return at + middle + (level - middle @ self._up) * self._up

    def _foot(self) -> Array:
        """On the ground before the present robot."""
        low, high = self._extent
        middle = (low + high) / 2
        level = np.abs(self._up) @ np.where(self._up >= 0, low, -high)
        deep = float(np.abs(self._back) @ (high - low))
        return middle + (level - middle @ self._up) * self._up - (deep / 2) * self._back

    def _name(self, root: str, text: str, at: Array, anchor: Any = "bottom-center") -> Any:
        where = tuple(map(float, at))
        own: dict[str, Any] = {"font_screen_scale": 0.8}
        if self._letters is not None:
            own = {"font_size_mode": "scene", "font_scene_height": self._letters}
        return self.scene.add_label(f"/names/{root}", text or "…", position=where, anchor=anchor, **own)

    def _extents(self) -> Array:
        """(2, 3): all that the robots need around their own places, in the first case."""
        found = [self._extent_of(d.key, d.x, d.scene.figure) for d in self.chosen]
        stops = {self.way.stops(round(place))[0] for place in np.linspace(0.0, self.way.last, 3)}
        found += [self._extent_of(row, self.states.found.front.designs.x[row]) for row in sorted(stops)]
        return np.stack([np.min([f[0] for f in found], axis=0), np.max([f[1] for f in found], axis=0)])

    def _extent_of(self, key: int | None, x: Array, figure: Figure | None = None) -> Array:
        if key not in self._known:
            q = self._all_states(key, x, self.states.first)
            q = q[np.isfinite(q).all(axis=1)]
            self._known[key] = drawn_extent(figure or self.states.figure(x, q[0]), q)
        return self._known[key]

    def bounds(self) -> Array:
        """(2, 3): lowest and highest coordinates (m) of all that stands there."""
        corners = self.corners()
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    def corners(self) -> Array:
        """(n, 3), m: of the boxes around all robots and their names."""
        room = 3.0 * ABOVE * self.robot.figure.size * self._up
        box = self._extent + np.stack([np.minimum(-room, 0.0), np.maximum(room, 0.0)])
        places = [np.zeros(3), *(self._offset(k) for k in range(len(self.chosen)) if self.standing)]
        return np.concatenate([box_corners(box + at) for at in places])
