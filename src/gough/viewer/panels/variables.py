"""Sliders of the description's variables: while one is moved the robot is built and drawn again, then the page is made anew."""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import GoughError
from gough.model import Model
from gough.robot import Robot
from gough.viewer.drawing.figure import Figure

if TYPE_CHECKING:
    from gough.viewer._session import Session

REST = 1.2
"""Seconds after the last move in which the other tabs still wait."""
BEAT = 0.2
STEPS = 400
FOLDED = 8
"""More variables than this are folded away at first."""
UNITS = {"rad": ("°", 180 / np.pi), "m": ("mm", 1e3)}
"""How SI units are shown."""


@dataclass(frozen=True)
class VariableRange:
    """What a slider shows: SI value × factor, from low to high in steps."""

    label: str
    factor: float
    low: float
    high: float
    step: float


def variable_range(model: Model, name: str, value: float) -> VariableRange:
    """Around the value of the description: half to one and a half times; around 0 a fifth of the robot, 30°, or 1."""
    known = model.variables
    unit = known.units[known.names.index(name)]
    shown, factor = UNITS.get(unit, ("" if unit == "1" else unit, 1.0))
    around = {"m": 0.2 * model.size, "rad": np.pi / 6}.get(unit, 1.0)
    low, high = sorted((0.5 * value, 1.5 * value)) if value else (-around, around)
    size = (high - low) * factor
    step = float(f"{size / STEPS:.1g}")
    label = f"{name} ({shown})" if shown else name
    return VariableRange(label, factor, step * round(low * factor / step), step * round(high * factor / step), step)


class VariablesPanel:
    """A folder above the tabs, of pages that show a robot with variables."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.described: Robot = session.subject.described or session.subject.model.robot
        self.model = session.subject.model
        self._moved = 0.0
        self._made: Model | None = None
        known = self.model.variables
        self._sliders = {}
        with session.gui.add_folder("Variables", expand_by_default=len(known.names) <= FOLDED):
            for name, value in zip(known.names, known.values, strict=True):
                own = variable_range(self.model, name, float(self.described.variables[name]))
                shown = float(value) * own.factor
                slider = session.gui.add_slider(
                    own.label,
                    min=min(own.low, shown),
                    max=max(own.high, shown),
                    step=own.step,
                    initial_value=shown,
                )
                slider.on_update(lambda event: self._touched() if event.client is not None else None)
                self._sliders[name] = (slider, own, float(value))
            self._told = session.gui.add_markdown("")
        self._ticker = session.worker.every(BEAT, self._settle)

    def values(self) -> dict[str, float]:
        """{name: SI value} as the sliders stand; those that were not touched are exact."""
        out = {}
        for name, (slider, own, value) in self._sliders.items():
            untouched = abs(float(slider.value) - value * own.factor) < 0.5 * own.step
            out[name] = value if untouched else float(slider.value) / own.factor
        return out

    def _touched(self) -> None:
        self._moved = time.monotonic()
        self.session.worker.post("variables", self.remake)

    def remake(self) -> None:
        """Build the robot of the sliders and draw it at its home; what cannot be built is told, and nothing moves."""
        session = self.session
        try:
            made = self.model.with_(robot=self.described.with_variables(self.values()))
            session.draw_other(Figure(made))
        except GoughError as error:
            self._told.content = f"**This robot cannot be assembled:** {str(error)[:400]}"
            return
        self._made, self._told.content = made, ""

    def _settle(self) -> None:
        """The page anew for the robot that is drawn, once the sliders rest."""
        if self._made is None or time.monotonic() - self._moved < REST:
            return
        made, self._made = self._made, None
        subject = replace(self.session.subject, model=made, described=self.described, _figures={})
        self.session.renew(subject)

    def rest(self) -> None:
        """Moves nothing by itself."""

    def close(self) -> None:
        """The page is gone."""
        self._ticker.stop()
