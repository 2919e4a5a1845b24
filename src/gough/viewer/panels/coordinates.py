"""Sliders of the coordinates a robot is moved by: in m and degrees on the page, in m and rad inside."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.viewer.posing.axes import Axes
from gough.viewer.posing.ranges import ranges_of

if TYPE_CHECKING:
    from gough.viewer.session import Session


class CoordinateSliders:
    """One slider a coordinate. touched: called with the index of a slider that the user moved."""

    def __init__(self, session: "Session", axes: Axes, values: np.ndarray, touched: Callable[[int], None]) -> None:
        self.axes = axes
        self.ranges = [ranges_of(axes)[n] for n in axes.names]
        self._factors = [180.0 / np.pi if unit == "rad" else 1.0 for unit in axes.units]
        self._handles = []
        for k, (name, unit) in enumerate(zip(axes.names, axes.units, strict=True)):
            own, factor = self.ranges[k], self._factors[k]
            slider = session.gui.add_slider(
                f"{name} ({'°' if unit == 'rad' else unit})",
                min=round(own.low * factor, 9),
                max=round(own.high * factor, 9),
                step=round(own.step * factor, 9),
                initial_value=self._shown(k, float(values[k])),
            )
            slider.on_update(lambda event, k=k: touched(k) if event.client is not None else None)
            self._handles.append(slider)

    @property
    def values(self) -> np.ndarray:
        """What the sliders ask for (n,), m and rad, within their ranges."""
        asked = [float(handle.value) / factor for handle, factor in zip(self._handles, self._factors, strict=True)]
        return np.array([own.clip(x) if np.isfinite(x) else own.low for own, x in zip(self.ranges, asked, strict=True)])

    def put(self, values: np.ndarray) -> None:
        """Move the sliders to values (n,) without asking for anything."""
        for k, handle in enumerate(self._handles):
            handle.value = self._shown(k, float(values[k]))

    def clip(self, values: np.ndarray) -> np.ndarray:
        """Values (n,) within the ranges; joint angles by whole turns, where that brings them inside."""
        out = np.array(values, dtype=float)
        for k, own in enumerate(self.ranges):
            if self.axes.units[k] == "rad" and not own.low <= out[k] <= own.high:
                turned = own.low + np.remainder(out[k] - own.low, 2 * np.pi)
                out[k] = turned if turned <= own.high else out[k]
            out[k] = own.clip(out[k])
        return out

    def _shown(self, k: int, value: float) -> float:
        own, factor = self.ranges[k], self._factors[k]
        digits = max(0, 1 - int(np.floor(np.log10(own.step * factor))))
        inside = round(own.clip(value) * factor, digits + 2)
        return float(min(max(inside, round(own.low * factor, 9)), round(own.high * factor, 9)))

    @property
    def visible(self) -> bool:
        """Whether they are on the page."""
        return all(handle.visible for handle in self._handles)

    @visible.setter
    def visible(self, shown: bool) -> None:
        for handle in self._handles:
            handle.visible = shown
