"""Motions given by a Python function of time; its rates are exact, by automatic differentiation or as given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arguments import callback, checked, number, numbers, take, word, words
from gough.errors import GoughError, UsageError
from gough.simulation.motion.jet import Jet
from gough.simulation.motion.motion import Motion, check_duration, coordinate_motion, pose_motion
from gough.spatial.charts import Three

SIZES = {"rotation_vector": 3, "rpy_zyx": 3, "bryant_xyz": 3, "quaternion_wxyz": 4}
CONSISTENT = 1e-5
"""Accepted difference between given rates and finite differences, relative to the largest rate."""


def call_user_function(function: Callable[[Any], Any], t: Any) -> Any:
    """What the user's function returns; its own errors say whose they are."""
    try:
        return function(t)
    except GoughError:
        raise
    except Exception as problem:
        raise UsageError(f"the motion's function ends in {type(problem).__name__}: {problem}") from problem


def _spread(entry: Any, t: np.ndarray) -> np.ndarray:
    x = take("what the motion's function returns", numbers, entry)
    if x.shape not in ((), t.shape):
        raise UsageError(f"the motion's function returns an array {x.shape} for times {t.shape}")
    return np.broadcast_to(x, t.shape)


@dataclass(frozen=True, eq=False)
class FunctionPath:
    """A function of t; velocity, acceleration: its rates, or None to differentiate it. size: number of its channels."""

    breaks: np.ndarray
    position: Callable[[Any], Any]
    velocity: Callable[[Any], Any] | None
    acceleration: Callable[[Any], Any] | None
    size: int

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `TimePath.at`."""
        if left:  # the function itself gives values from the right
            t = np.where(np.isin(t, self.breaks[1:]), np.nextafter(t, 0.0), t)
        if self.velocity is None or self.acceleration is None:
            values = self._entries(call_user_function(self.position, Jet.time(t)), t)
            jets = [Jet.of(value, t) for value in values]
            x, xd, xdd = (np.stack([getattr(j, part) for j in jets], axis=1) for part in ("x", "xd", "xdd"))
        else:
            functions = (self.position, self.velocity, self.acceleration)
            x, xd, xdd = (
                np.stack([_spread(e, t) for e in self._entries(call_user_function(f, t), t)], axis=1) for f in functions
            )
        for name, value in (("position", x), ("velocity", xd), ("acceleration", xdd)):
            bad = ~np.asarray(np.isfinite(value).all(axis=1))
            if bad.any():
                raise UsageError(
                    f"the motion's function gives a {name} that is NaN or infinite at t = {t[bad][0]:.9g} s"
                )
        return x, xd, xdd

    def _entries(self, value: Any, t: np.ndarray) -> list[Any]:
        several = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)
        if self.size == 1 and isinstance(value, np.ndarray) and value.shape == t.shape and value.dtype != object:
            several = False  # one channel at all times
        entries = list(value) if several else [value]
        if len(entries) != self.size:
            raise UsageError(f"the motion's function returns {len(entries)} numbers for {self.size} channels")
        return entries


@checked(
    position=callback,
    duration=number(above=0),
    kind=word,
    names=words,
    velocity=callback,
    acceleration=callback,
    orientation=word,
    kinks=numbers,
    frame=word,
    extend=word,
)
def function(
    position: Callable[[Any], Any],
    duration: float,
    *,
    kind: str = "pose",
    names: Sequence[str] | None = None,
    velocity: Callable[[Any], Any] | None = None,
    acceleration: Callable[[Any], Any] | None = None,
    orientation: str = "rotation_vector",
    kinks: Sequence[float] = (),
    frame: str | None = None,
    extend: str | None = None,
) -> Motion:
    """The motion position(t) for 0 ≤ t ≤ duration (s), t an array or the like; it returns a list of channels.

    kind "pose": x y z and the orientation's coordinates: "rotation_vector", "rpy_zyx", "bryant_xyz" (3, rad) or
    "quaternion_wxyz" (4, of any length but 0). kind "drives" or "joints": one entry for each of `names`. kind "point": x y z of
    `frame`. velocity and acceleration: time derivatives of these channels; without them the function is differentiated exactly
    (it must then use NumPy's elementary functions and numpy.where). kinks: times where a derivative jumps.
    """
    seconds = check_duration("duration", duration)
    if (velocity is None) != (acceleration is None):
        raise UsageError("give velocity= and acceleration= both, or neither (the function is then differentiated)")
    times = np.sort(np.ravel(np.asarray(kinks, dtype=float)))
    if not np.isfinite(times).all():
        raise UsageError("kinks: NaN or infinite times")
    times = times[(times != 0.0) & (times != seconds)]
    if len(times) and (times[0] <= 0 or times[-1] >= seconds):
        raise UsageError(f"kinks: they lie within 0 and {seconds:.6g} s")
    breaks = np.unique(np.concatenate([[0.0], times, [seconds]]))
    if kind == "pose":
        if orientation not in SIZES:
            raise UsageError(f"orientation={orientation!r}; use one of {', '.join(SIZES)}")
        size = 3 + SIZES[orientation]
    elif kind == "point":
        size, names = 3, ("x", "y", "z")
    elif kind in ("drives", "joints"):
        if not names:
            raise UsageError(f"kind={kind!r}: give the names of the channels (names=)")
        size = len(names)
    else:
        raise UsageError(f"kind={kind!r}; use 'pose', 'point', 'drives' or 'joints'")
    whole = FunctionPath(breaks, position, velocity, acceleration, size)
    _check(whole)
    if kind == "pose":
        return pose_motion(whole, orientation, frame=frame, extend=extend)
    units = ("m",) * 3 if kind == "point" else ("",) * size
    return coordinate_motion(whole, kind, tuple(names or ()), units, frame, extend)


def _check(whole: FunctionPath) -> None:
    """Refuse given rates that are not those of the position, and positions that jump at a kink."""
    inner = whole.breaks[1:-1]
    if len(inner):
        before, after = whole.at(inner, True)[0], whole.at(inner, False)[0]
        gap = np.abs(after - before).max(axis=1)
        if (gap > 1e-9 * np.maximum(1.0, np.abs(after).max(axis=1))).any():
            raise UsageError(f"the motion's position jumps by {gap.max():.3g} at {inner[gap.argmax()]:.6g} s")
    widths = np.diff(whole.breaks)[:, None]
    t = (whole.breaks[:-1, None] + widths * np.linspace(0.05, 0.95, 7)).ravel()
    h = np.repeat(widths[:, 0], 7) * 1e-5
    _, v, a = whole.at(t, False)
    if whole.velocity is None:
        return
    for name, index, rate in (("velocity", 0, v), ("acceleration", 1, a)):
        near, far = (
            (whole.at(t + k * h, False)[index] - whole.at(t - k * h, False)[index]) / (2 * k * h[:, None])
            for k in (1, 2)
        )
        off = np.abs((4 * near - far) / 3 - rate)
        if off.max() > CONSISTENT * max(np.abs(rate).max(), 1e-9):
            at, channel = np.unravel_index(int(off.argmax()), off.shape)
            raise UsageError(
                f"{name}= is not the derivative of {'position' if index == 0 else 'velocity'}: channel {channel} is off by "
                f"{off.max():.3g} at t = {t[at]:.6g} s"
            )
