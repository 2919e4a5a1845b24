"""How far sliders go: as far as the robot reaches from home along each coordinate."""

from dataclasses import dataclass

import numpy as np

from gough.analysis.grids import home_coordinates, make_samples
from gough.analysis.workspace.states import Settings, Surveyor, Verdict
from gough.kinematics.leading import COORDINATES
from gough.viewer.posing.axes import TURNS, Axes

POINTS = 49
"""Probes along a coordinate, home in the middle."""
FURTHEST = 2.0
"""How far lengths are probed, in robot sizes."""
UNBOUNDED = 0.75
"""Half the range, in robot sizes, of a length that has no end within that."""
WIDER = 1.25
"""Other coordinates than home's may reach further."""
LARGEST_TURN = {"yaw": np.radians(150.0), "pitch": np.radians(85.0), "roll": np.radians(85.0)}
"""Of the platform; pitch ends before the angles lose their meaning."""
CONDITION = 0.01
"""Reciprocal condition that counts as well inside."""
STEPS = 1000
"""Steps of a slider over its range, at least."""


@dataclass(frozen=True)
class Range:
    """low … high in m or rad; step: of a slider."""

    low: float
    high: float
    step: float

    def clip(self, value: float) -> float:
        """The nearest value inside."""
        return float(min(max(value, self.low), self.high))


def ranges_of(axes: Axes) -> dict[str, Range]:
    """A range that contains home for every coordinate."""
    model = axes.model
    return model.cached(("slider ranges", axes.names), lambda: _ranges(axes))


def _ranges(axes: Axes) -> dict[str, Range]:
    home = home_coordinates(axes.model)
    return {n: _range(axes, n, unit, home[n]) for n, unit in zip(axes.names, axes.units, strict=True)}


def _range(axes: Axes, name: str, unit: str, home: float) -> Range:
    model = axes.model
    widest = (
        FURTHEST * model.size
        if unit == "m"
        else (LARGEST_TURN.get(name, np.pi) if model.mechanism.has_platform else np.pi)
    )
    low, high = home - widest, home + widest
    if model.mechanism.has_platform and name in TURNS:
        low, high = max(low, -LARGEST_TURN[name]), min(high, LARGEST_TURN[name])
    below, above = _reach(axes, name, home, low, high)
    if unit == "m":
        endless = 0.999 * widest
        below, above = (UNBOUNDED * model.size if x >= endless else WIDER * x for x in (below, above))
    elif model.mechanism.has_platform and name in COORDINATES:
        below, above = WIDER * below, WIDER * above
    least = 0.05 * (model.size if unit == "m" else 1.0)
    low, high = max(low, home - max(below, least)), min(high, home + max(above, least))
    return _rounded(low, high, home, unit)


def _reach(axes: Axes, name: str, home: float, low: float, high: float) -> tuple[float, float]:
    """How far the robot gets below and above home's value, without a gap, the other coordinates as at home."""
    model = axes.model
    samples = make_samples(model, {name: (low, high, 2)}, {}, None, 0)
    surveyor = Surveyor(model, samples, Settings(True, CONDITION))
    half = POINTS // 2
    x = np.concatenate(
        [np.linspace(low, home, half, endpoint=False), [home], np.linspace(high, home, half, False)[::-1]]
    )
    found = surveyor.survey(x[:, None])[0]
    verdict = found["verdict"]
    good = verdict <= (Verdict.FREE if verdict[half] == Verdict.FREE else Verdict.SINGULAR)
    good &= found["aspect"] >= 0  # beyond a parallel singularity, which the probes may have stepped over
    if not good[half]:  # home itself is outside its limits: go by what can be assembled
        good = verdict <= Verdict.LIMIT
    after, before = good[half:], good[half::-1]
    steps_up = int(np.argmin(after)) - 1 if not after.all() else half
    steps_down = int(np.argmin(before)) - 1 if not before.all() else half
    return home - x[half - max(steps_down, 0)], x[half + max(steps_up, 0)] - home


def _rounded(low: float, high: float, home: float, unit: str) -> Range:
    """Bounds outwards on round numbers: whole degrees, or ten slider steps."""
    step = np.radians(0.1) if unit == "rad" else 10.0 ** np.floor(np.log10((high - low) / STEPS))
    coarse = 10 * step
    lower, upper = np.floor(low / coarse + 1e-9) * coarse, np.ceil(high / coarse - 1e-9) * coarse
    return Range(float(min(lower, home)), float(max(upper, home)), float(step))
