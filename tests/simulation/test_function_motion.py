"""Functions of time: exact derivatives against mpmath and given ones; what is refused."""

import mpmath
import numpy as np
import pytest

from gough import motions
from gough.errors import UsageError
from gough.simulation.motion.function import BINARY, UNARY, Jet

FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "exp": "exp", "log": "log", "sqrt": "sqrt", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
}  # fmt: skip
INNER = (0.3, 0.4, 0.2)  # x = 0.3 + 0.4 t + 0.2 t²: within the domains of all


def inner(t):
    return INNER[0] + INNER[1] * t + INNER[2] * t**2


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_elementary_functions(name):
    t = np.array([0.0, 0.3, 0.7])
    found = getattr(np, name)(inner(Jet.time(t)))
    outer = getattr(mpmath, FUNCTIONS[name])
    for k, value in enumerate(t):
        exact = [mpmath.diff(lambda s: outer(inner(s)), value, n) for n in range(3)]
        ours = [found.x[k], found.xd[k], found.xdd[k]]
        assert all(abs(a - float(b)) < 1e-9 * max(1, abs(b)) for a, b in zip(ours, exact, strict=True))


COMBINED = {
    "arithmetic": (lambda t: (2 - t) / (1 + t * t) - t / 3 + (-t), None),
    "powers": (lambda t: (1 + t) ** 2.5 + (1 + t) ** 3 + 2.0**t + (1 + t) ** t + t**0 + t**1, None),
    "arctan2": (lambda t: np.arctan2(1 + t * t, t - 0.5), lambda t: mpmath.atan2(1 + t * t, t - 0.5)),
    "hypot": (lambda t: np.hypot(t, 1 + t), lambda t: mpmath.hypot(t, 1 + t)),
    "square": (lambda t: np.square(t) + np.reciprocal(1 + t) + abs(t - 3), lambda t: t**2 + 1 / (1 + t) + 3 - t),
    "where": (lambda t: np.where(t < 0.5, t**3, t**2), lambda t: t**3 if t < 0.5 else t**2),
    "extremes": (
        lambda t: np.minimum(t, 0.5) * np.maximum(1 - t, 0.1),
        lambda t: min(t, 0.5) * max(1 - t, mpmath.mpf(0.1)),
    ),
    "degrees": (lambda t: np.deg2rad(90 * t) + np.radians(t), lambda t: (91 * t) * mpmath.pi / 180),
}


@pytest.mark.parametrize("name", list(COMBINED))
def test_formulas(name):
    ours, other = COMBINED[name]
    other = other or ours
    t = np.array([0.2, 0.44, 0.8])
    found = Jet.of(ours(Jet.time(t)), t)
    for k, value in enumerate(t):
        exact = [float(mpmath.diff(other, value, n)) for n in range(3)]
        assert np.allclose([found.x[k], found.xd[k], found.xdd[k]], exact, rtol=1e-8, atol=1e-8)


def test_every_function_is_tested():
    unary = {f.__name__ for f in UNARY} - set(FUNCTIONS)
    assert unary <= {"square", "reciprocal", "absolute", "sign", "negative", "positive", "deg2rad", "radians"}
    assert {f.__name__ for f in BINARY} <= {
        "add", "subtract", "multiply", "divide", "power", "float_power", "arctan2", "hypot", "minimum", "maximum",
    }  # fmt: skip


def test_given_rates_are_the_same_motion():
    def x(t):
        return [np.sin(2 * t), t**3, 0.4 + 0 * t, 0.3 * t, 0.1 * t**2, np.cos(t)]

    def v(t):
        return [2 * np.cos(2 * t), 3 * t**2, 0 * t, 0.3 + 0 * t, 0.2 * t, -np.sin(t)]

    def a(t):
        return [-4 * np.sin(2 * t), 6 * t, 0.0, 0.0, 0.2, -np.cos(t)]

    t = np.linspace(0, 1.5, 31)
    one = motions.function(x, 1.5, orientation="rpy_zyx").at(t)
    other = motions.function(x, 1.5, orientation="rpy_zyx", velocity=v, acceleration=a).at(t)
    assert np.abs(one.velocity - other.velocity).max() < 1e-14
    assert np.abs(one.acceleration - other.acceleration).max() < 1e-13


def test_one_channel_and_many_oscillations():
    motion = motions.function(
        lambda t: np.sin(900 * t),
        1.0,
        kind="joints",
        names=["a"],
        velocity=lambda t: 900 * np.cos(900 * t),
        acceleration=lambda t: -810000 * np.sin(900 * t),
    )
    assert motion.at(0.5).position.shape == (1,)


BAD = {
    "velocity= is not the derivative": lambda: motions.function(
        lambda t: [t**2], 1.0, kind="drives", names=["a"], velocity=lambda t: [t], acceleration=lambda t: [2.0]
    ),
    "acceleration= is not the derivative": lambda: motions.function(
        lambda t: [t**2], 1.0, kind="drives", names=["a"], velocity=lambda t: [2 * t], acceleration=lambda t: [1.0]
    ),
    "both, or neither": lambda: motions.function(lambda t: [t] * 6, 1.0, velocity=lambda t: [1.0] * 6),
    "returns 5 numbers for 6": lambda: motions.function(lambda t: [t] * 5, 1.0),
    "position that is NaN or infinite at t": lambda: motions.function(lambda t: [np.log(t - 0.5), *[t] * 5], 1.0),
    "uses floor": lambda: motions.function(lambda t: [np.floor(t), *[t] * 5], 1.0),
    "uses interp": lambda: motions.function(lambda t: [np.interp(t, [0, 1], [0, 1]), *[t] * 5], 1.0),
    "math.sin, float": lambda: motions.function(lambda t: [float(t), *[t] * 5], 1.0),
    "numpy.where": lambda: motions.function(lambda t: [1.0 if t + 1 else 0.0, *[t] * 5], 1.0),
    "jumps by 1": lambda: motions.function(
        lambda t: [np.where(t < 0.5, 0, 1)], 1.0, kind="drives", names=["a"], kinks=[0.5]
    ),
    "within 0 and 1": lambda: motions.function(lambda t: [t] * 6, 1.0, kinks=[2.0]),
    "kind='tool'": lambda: motions.function(lambda t: [t], 1.0, kind="tool"),
    "names of the channels": lambda: motions.function(lambda t: [t], 1.0, kind="joints"),
    "orientation='xyz'": lambda: motions.function(lambda t: [t] * 6, 1.0, orientation="xyz"),
    "duration=0": lambda: motions.function(lambda t: [t] * 6, 0),
    "needs the name of its frame": lambda: motions.function(lambda t: [t] * 3, 1.0, kind="point"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("message", list(BAD))
def test_what_is_refused(message):
    with pytest.raises(UsageError, match=message):
        BAD[message]()
