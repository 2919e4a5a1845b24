"""The part of the pose tab that says what acts on the robot: load, acceleration, drives."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.viewer.posing.load import Hold, Load, frames_for_loads, stiffness_unit, usual_stiffness

if TYPE_CHECKING:
    from gough.viewer._session import Session

LARGEST = 1e9
"""Of what may be typed in."""


class ConditionsForm:
    """Load and drives as chosen on the page; `changed` is called after every change."""

    def __init__(self, session: "Session", changed: Callable[[], None]) -> None:
        self.session = session
        model = session.subject.model
        gui = session.gui
        self.frames = frames_for_loads(model)
        self._changed = changed
        with gui.add_folder("Load", expand_by_default=False):
            self._frame = gui.add_dropdown("At", self.frames) if self.frames else None
            self._force = gui.add_vector3("Force (N)", (0.0, 0.0, 0.0), step=1.0, hint="World axes, on the robot")
            self._moment = gui.add_vector3("Moment (N m)", (0.0, 0.0, 0.0), step=0.1)
            self._acceleration = [
                gui.add_number(f"{label(name)} ({unit.replace('/s', '/s²')})", 0.0, step=0.1)
                for name, unit in zip(model.layout.v_names[: model.mobility], model.layout.v_units, strict=False)
            ]
        rigid = not model.layout.v_elastic
        kinds = ("locked", "servo") if model.driven else ("locked",)
        with gui.add_folder("Drives", expand_by_default=False):
            self._kind = gui.add_dropdown(
                "Drives",
                kinds,
                initial_value="servo" if rigid and model.driven else "locked",
                hint="For frequency and stiffness: held without give, or by a stiffness",
            )
            self._stiffness = gui.add_number(
                f"Stiffness ({stiffness_unit(model)})", usual_stiffness(model), min=0.0, max=LARGEST * 1e3
            )
        inputs = [self._force, self._moment, *self._acceleration, self._kind, self._stiffness]
        for handle in [*inputs, *([self._frame] if self._frame is not None else [])]:
            handle.on_update(lambda event: self._changed() if event.client is not None else None)

    @property
    def load(self) -> Load:
        """The load; what is not a number counts as 0."""
        frame = str(self._frame.value) if self._frame is not None else ""
        return Load(
            frame if frame in self.frames else (self.frames[0] if self.frames else ""),
            tuple(finite(x) for x in self._force.value),
            tuple(finite(x) for x in self._moment.value),
            tuple(finite(h.value) for h in self._acceleration),
        )

    @property
    def hold(self) -> Hold:
        """What the drives do."""
        kind = "servo" if self._kind.value == "servo" else "locked"
        return Hold(kind, max(0.0, finite(self._stiffness.value)))


def label(velocity: str) -> str:
    """Of the acceleration that goes with an entry of v."""
    return f"Acceleration {velocity[1:]}" if velocity in ("vx", "vy", "vz") else f"Acceleration {velocity}"


def finite(x: object) -> float:
    """A number from the page within bounds; 0 where it is none."""
    try:
        value = float(x)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0
    return float(np.clip(value, -LARGEST * 1e3, LARGEST * 1e3)) if np.isfinite(value) else 0.0
