"""Motions given by a Python function of time; its rates are exact, by automatic differentiation or as given.

Numbers carry their first two time derivatives, so that any formula of t has exact rates: a function written with + - * / ** and
NumPy's elementary functions runs on a `Jet` as it does on an array:
    (f ∘ x)˙ = f' ẋ,   (f ∘ x)¨ = f'' ẋ² + f' ẍ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gough.arguments import callback, checked, number, numbers, take, word, words
from gough.errors import GoughError, UsageError
from gough.simulation.motion.motion import Motion, check_duration, coordinate_motion, pose_motion
from gough.spatial.charts import Three

Table = dict[Any, Callable[[np.ndarray], tuple[Any, ...]]]
COMPARISONS = {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal}
SIZES = {"rotation_vector": 3, "rpy_zyx": 3, "bryant_xyz": 3, "quaternion_wxyz": 4}
CONSISTENT = 1e-5
"""Accepted difference between given rates and finite differences, relative to the largest rate."""


def _log(x: np.ndarray) -> tuple:
    return np.log(x), 1 / x, -1 / x**2


def _sqrt(x: np.ndarray) -> tuple:
    root = np.sqrt(x)
    return root, 0.5 / root, -0.25 / (root * x)


def _tan(x: np.ndarray) -> tuple:
    t = np.tan(x)
    return t, 1 + t * t, 2 * t * (1 + t * t)


def _tanh(x: np.ndarray) -> tuple:
    t = np.tanh(x)
    return t, 1 - t * t, -2 * t * (1 - t * t)


UNARY: Table = {
    np.sin: lambda x: (np.sin(x), np.cos(x), -np.sin(x)),
    np.cos: lambda x: (np.cos(x), -np.sin(x), -np.cos(x)),
    np.tan: _tan,
    np.exp: lambda x: (np.exp(x),) * 3,
    np.log: _log,
    np.sqrt: _sqrt,
    np.square: lambda x: (x * x, 2 * x, np.full_like(x, 2.0)),
    np.reciprocal: lambda x: (1 / x, -1 / x**2, 2 / x**3),
    np.sinh: lambda x: (np.sinh(x), np.cosh(x), np.sinh(x)),
    np.cosh: lambda x: (np.cosh(x), np.sinh(x), np.cosh(x)),
    np.tanh: _tanh,
    np.arcsin: lambda x: (np.arcsin(x), (1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5),
    np.arccos: lambda x: (np.arccos(x), -((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5),
    np.arctan: lambda x: (np.arctan(x), 1 / (1 + x * x), -2 * x / (1 + x * x) ** 2),
    np.absolute: lambda x: (np.abs(x), np.sign(x), np.zeros_like(x)),
    np.sign: lambda x: (np.sign(x), np.zeros_like(x), np.zeros_like(x)),
    np.negative: lambda x: (-x, np.full_like(x, -1.0), np.zeros_like(x)),
    np.positive: lambda x: (x, np.ones_like(x), np.zeros_like(x)),
    np.deg2rad: lambda x: (np.deg2rad(x), np.full_like(x, np.pi / 180), np.zeros_like(x)),
    np.radians: lambda x: (np.radians(x), np.full_like(x, np.pi / 180), np.zeros_like(x)),
}
"""Value and two derivatives of functions of one number."""


@dataclass(frozen=True, eq=False)
class Jet(NDArrayOperatorsMixin):
    """x, its rate xd and second rate xdd: arrays of one shape."""

    x: np.ndarray
    xd: np.ndarray
    xdd: np.ndarray

    @classmethod
    def time(cls, t: np.ndarray) -> "Jet":
        """The time itself: rate 1."""
        return cls(t, np.ones_like(t), np.zeros_like(t))

    @classmethod
    def of(cls, value: Any, like: np.ndarray) -> "Jet":
        """A jet as it is; a number or an array as one that does not move."""
        if isinstance(value, Jet):
            return value
        x = np.broadcast_to(np.asarray(value, dtype=float), like.shape)
        return cls(x, np.zeros(x.shape), np.zeros(x.shape))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in COMPARISONS:
            return ufunc(*(i.x if isinstance(i, Jet) else i for i in inputs))
        if ufunc in UNARY:
            return _unary(ufunc, self)
        if ufunc in BINARY and len(inputs) == 2:
            a, b = (Jet.of(i, self.x) for i in inputs)
            return BINARY[ufunc](a, b)
        raise UsageError(
            f"a motion's function uses {ufunc.__name__}, whose derivatives are not known here; give velocity= and acceleration="
        )

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if function is np.where and len(inputs) == 3:
            a, b = (Jet.of(i, self.x) for i in inputs[1:])
            return _choose(np.asarray(inputs[0]), a, b)
        raise UsageError(
            f"a motion's function uses {function.__name__}, whose derivatives are not known here; return a list of formulas, "
            f"or give velocity= and acceleration="
        )

    def __bool__(self) -> bool:
        raise UsageError("a motion's function branches on t with if; use numpy.where, and name the times as kinks=")

    def __float__(self) -> float:
        raise UsageError(
            "a motion's function turns t into a plain number (math.sin, float); use NumPy's functions (numpy.sin), "
            "or give velocity= and acceleration="
        )


def _unary(function: Any, a: Jet) -> Jet:
    value, first, second = UNARY[function](a.x)
    return Jet(value, first * a.xd, second * a.xd**2 + first * a.xdd)


def _multiply(a: Jet, b: Jet) -> Jet:
    return Jet(a.x * b.x, a.xd * b.x + a.x * b.xd, a.xdd * b.x + 2 * a.xd * b.xd + a.x * b.xdd)


def _divide(a: Jet, b: Jet) -> Jet:
    return _multiply(a, _unary(np.reciprocal, b))


def _power(a: Jet, b: Jet) -> Jet:
    if not b.xd.any() and not b.xdd.any():
        n = b.x
        first = np.where(n == 0, 0.0, n * a.x ** np.where(n == 0, 0.0, n - 1))
        flat = (n == 0) | (n == 1)
        second = np.where(flat, 0.0, n * (n - 1) * a.x ** np.where(flat, 0.0, n - 2))
        return Jet(a.x**n, first * a.xd, second * a.xd**2 + first * a.xdd)
    return _unary(np.exp, _multiply(b, _unary(np.log, a)))


def _arctan2(a: Jet, b: Jet) -> Jet:
    square = a.x**2 + b.x**2
    cross = a.xd * b.x - a.x * b.xd
    growth = 2 * (a.x * a.xd + b.x * b.xd)
    second = (a.xdd * b.x - a.x * b.xdd) / square - cross * growth / square**2
    return Jet(np.arctan2(a.x, b.x), cross / square, second)


def _choose(first: np.ndarray, a: Jet, b: Jet) -> Jet:
    return Jet(np.where(first, a.x, b.x), np.where(first, a.xd, b.xd), np.where(first, a.xdd, b.xdd))


BINARY: dict[Any, Callable[[Jet, Jet], Jet]] = {
    np.add: lambda a, b: Jet(a.x + b.x, a.xd + b.xd, a.xdd + b.xdd),
    np.subtract: lambda a, b: Jet(a.x - b.x, a.xd - b.xd, a.xdd - b.xdd),
    np.multiply: _multiply,
    np.divide: _divide,
    np.power: _power,
    np.float_power: _power,
    np.arctan2: _arctan2,
    np.hypot: lambda a, b: _unary(np.sqrt, _multiply(a, a) + _multiply(b, b)),
    np.minimum: lambda a, b: _choose(a.x <= b.x, a, b),
    np.maximum: lambda a, b: _choose(a.x >= b.x, a, b),
}


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
            remedy = '; for x, y, z of a point say kind="point"' if (len(entries), self.size) == (3, 6) else ""
            raise UsageError(f"the motion's function returns {len(entries)} numbers for {self.size} channels{remedy}")
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
        if len(set(names)) != len(names):
            raise UsageError(f"names={tuple(names)!r}; give each channel a name of its own")
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
