"""Time laws: curves s(t) of one coordinate that go from 0 to 1 in a given time.

quintic        s = 10 r³ - 15 r⁴ + 6 r⁵, r = t/T: starts and ends at rest without acceleration
trapezoid      constant acceleration over a ramp, constant speed, constant deceleration over a ramp: ramps (s) may be 0
trigonometric  s = 1/2 - 9/16 cos(πr) + 1/16 cos(3πr), of third order [Lopes, section 4]: as the quintic at both ends
"""

import math

import numpy as np

from gough.errors import UsageError
from gough.simulation.motion.paths import Cosines, Curve, Polynomials

LAWS = ("quintic", "trapezoid", "trigonometric", "constant")
"""Names of laws; "constant" is constant speed: a trapezoid without ramps."""


def quintic_law(duration: float) -> Polynomials:
    """From rest to rest in `duration` (s), accelerations continuous."""
    T = duration
    rising = np.array([0.0, 0.0, 0.0, 10.0 / T**3, -15.0 / T**4, 6.0 / T**5])
    return Polynomials(np.array([0.0, T]), rising[None, None, :])


def trapezoid_law(duration: float, ramp: float) -> Polynomials:
    """Trapezoidal speed with two equal ramps (s); a ramp of 0 is constant speed."""
    T = duration
    if not 0.0 <= ramp <= 0.5 * T * (1 + 1e-12):
        raise UsageError(
            f"a ramp of {ramp:.6g} s does not fit twice into a move of {T:.6g} s; give 0 to {0.5 * T:.6g} s"
        )
    ramp = min(ramp, 0.5 * T)
    speed = 1.0 / (T - ramp)
    half = 0.5 * speed / ramp if ramp > 0 else 0.0
    breaks, rows = [0.0], []
    if ramp > 0:
        rows.append([0.0, 0.0, half])
        breaks.append(ramp)
    if T - 2 * ramp > 1e-12 * T:
        rows.append([0.5 * ramp * speed, speed, 0.0])
        breaks.append(T - ramp)
    if ramp > 0:
        rows.append([1.0 - 0.5 * ramp * speed, speed, -half])
        breaks.append(T)
    breaks[-1] = T
    return Polynomials(np.array(breaks), np.array(rows)[:, None, :])


def trigonometric_law(duration: float) -> Cosines:
    """From rest to rest in `duration` (s), accelerations continuous."""
    rates = math.pi / duration * np.array([1.0, 3.0])
    return Cosines(np.array([0.0, duration]), np.array([0.5]), np.array([[-9.0 / 16.0], [1.0 / 16.0]]), rates)


def law(name: str, duration: float, ramp: float | None = None) -> Curve:
    """A law by its name; ramp (s) goes with "trapezoid" and is needed there."""
    if name not in LAWS:
        raise UsageError(f"law={name!r}; use one of {', '.join(LAWS)}")
    if (name == "trapezoid") != (ramp is not None):
        raise UsageError(f"law={name!r}: {'give its ramps (s)' if ramp is None else 'ramps go with a trapezoid only'}")
    if name == "quintic":
        return quintic_law(duration)
    if name == "trigonometric":
        return trigonometric_law(duration)
    return trapezoid_law(duration, ramp or 0.0)
