"""Splines through samples: cubic or quintic in every coordinate.

Orientations: the quaternions' four numbers, with signs so that neighbours are near, are splined like any coordinates and
the result is scaled to unit length. It passes through the samples, is as smooth as the spline (C2 for cubic, C4 for quintic)
and is the same motion whatever frames it is written in, because turning all orientations turns all quaternions alike. ω and
ω̇ are exact (see `rotation_charts`). Neighbours must be less than 120 degrees apart.
"""

import math
from typing import Any, Unpack

import numpy as np

from gough.arguments import checked, whole, word, words
from gough.errors import UsageError
from gough.simulation.motion.coordinate_motion import coordinate_motion
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import numbers_for
from gough.simulation.motion.paths import Polynomials
from gough.simulation.motion.points import Points, Where, points_of
from gough.simulation.motion.pose_motion import pose_motion

ENDS = ("rest", "natural", "free", "periodic")
LARGEST_TURN = np.radians(120.0)
"""Largest angle between neighbouring orientations."""


@checked(degree=whole(), ends=word, names=words, orientation=word, frame=word, extend=word)
def spline(*, times: Any, degree: int = 3, ends: str = "rest", **where: Unpack[Where]) -> Motion:
    """Through points (poses=, points=, drives= or joints=, see `Where`) at times (n,), s, that rise from 0.

    degree: 3 (accelerations continuous) or 5 (their second derivatives too). ends: "rest" (no velocity; with degree 5 no
    acceleration either), "natural" (no acceleration; with degree 5 no third and fourth derivatives), "free" (not-a-knot),
    "periodic" (the last point is the first).
    """
    points = points_of(where)
    when = numbers_for("times", times, len(points), "points", one=False)
    if when[0] != 0.0 or not (np.diff(when) > 0).all():
        raise UsageError("times: they must rise from 0")
    if degree not in (3, 5):
        raise UsageError(f"degree={degree!r}; use 3 or 5")
    if ends not in ENDS:
        raise UsageError(f"ends={ends!r}; use one of {', '.join(ENDS)}")
    if where.get("orientation") not in (None, "shortest"):
        raise UsageError("a spline turns on the shortest way; leave orientation= out")
    path = _through(when, points.x, degree, ends)
    if points.chart is None:
        return coordinate_motion(path, points.kind, points.names, points.units, points.frame, points.extend)
    turn = _through(when, _near(points), degree, ends)
    _check_length(turn)
    return pose_motion(path, turn, "quaternion_wxyz", frame=points.frame, extend=points.extend)


def _through(t: np.ndarray, x: np.ndarray, degree: int, ends: str) -> Polynomials:
    """The spline; samples so large or so close in time that it has no numbers are refused."""
    made = None
    try:
        with np.errstate(all="ignore"):
            made = _spline(t, x, degree, ends)
    except UsageError:
        raise
    except (ValueError, ArithmeticError):  # LinAlgError is a ValueError
        pass
    if made is None or not np.isfinite(made.coefficients).all():
        raise UsageError(
            f"no spline goes through these samples: values up to {np.abs(x).max():.3g}, times {np.diff(t).min():.3g} s apart"
        )
    return made


def _spline(t: np.ndarray, x: np.ndarray, degree: int, ends: str) -> Polynomials:
    from scipy.interpolate import CubicSpline, make_interp_spline

    n = len(t)
    if ends == "periodic":
        gap = np.abs(x[-1] - x[0]).max()
        if gap > 1e-9 * max(1.0, float(np.abs(x).max())):
            raise UsageError(f"ends='periodic': the last point is {gap:.3g} away from the first; repeat the first")
        x = x.copy()
        x[-1] = x[0]
    least = {"free": degree + 1, "periodic": degree + 1}.get(ends, 2)
    if n < least:
        raise UsageError(f"a spline of degree {degree} with ends={ends!r} needs {least} points, {n} are given")
    if degree == 3:
        kinds = {"rest": "clamped", "natural": "natural", "free": "not-a-knot", "periodic": "periodic"}
        return _taylor(CubicSpline(t, x, axis=0, bc_type=kinds[ends]), t, 3)  # type: ignore[arg-type]
    zero = np.zeros(x.shape[1])
    conditions: Any = {"rest": [(1, zero), (2, zero)], "natural": [(3, zero), (4, zero)], "free": None}.get(ends)
    both = "periodic" if ends == "periodic" else None if conditions is None else (conditions, conditions)
    made = make_interp_spline(t, x, k=5, bc_type=both)  # type: ignore[arg-type]
    return _taylor(made, np.unique(made.t[(made.t >= t[0]) & (made.t <= t[-1])]), 5)


def _taylor(made: Any, knots: np.ndarray, degree: int) -> Polynomials:
    """A SciPy spline as polynomials in the time since each knot: its derivatives there from the right, over j!."""
    rows = [made(knots[:-1], nu=j) / math.factorial(j) for j in range(degree + 1)]
    return Polynomials(knots, np.stack(rows, axis=2))


def _near(points: Points) -> np.ndarray:
    q = points.quaternions
    assert q is not None
    angles = 2.0 * np.arccos(np.clip(np.einsum("ni,ni->n", q[1:], q[:-1]), -1.0, 1.0))
    if (angles > LARGEST_TURN).any():
        k = int(angles.argmax())
        raise UsageError(
            f"poses[{k}] and poses[{k + 1}] are {np.degrees(angles[k]):.0f} degrees apart; a spline needs samples less than 120 "
            f"degrees apart: add some between them"
        )
    return q


def _check_length(turn: Polynomials) -> None:
    """Refuse quaternions that the spline brings near 0, where their direction swings."""
    t = np.linspace(turn.breaks[:-1], turn.breaks[1:], 9).ravel()
    length = np.linalg.norm(turn.at(t, False)[0], axis=1)
    if length.min() < 0.3:
        raise UsageError(
            f"the spline of orientations swings at {t[length.argmin()]:.6g} s: its samples are too far apart or too uneven in "
            f"time; add samples there"
        )
