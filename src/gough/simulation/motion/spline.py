"""Splines through samples, given or in a CSV file: cubic or quintic in every coordinate.

Orientations: the quaternions' four numbers, with signs so that neighbours are near, are splined like any coordinates and
the result is scaled to unit length. It passes through the samples, is as smooth as the spline (C2 for cubic, C4 for quintic)
and is the same motion whatever frames it is written in, because turning all orientations turns all quaternions alike. ω and
ω̇ are exact (see `gough.spatial.charts`). Neighbours must be less than 120 degrees apart.

The first line of a file names the columns, each with its unit in brackets where it is not SI: `t [ms], x [mm], y [mm], z [mm],
qw, qx, qy, qz`. Columns: t; x y z with qw qx qy qz or with yaw pitch roll (R = Rz Ry Rx) for poses; x y z alone for a point of a
frame; anything else names drives or joints. Lines that begin with # are left out.
"""

import math
import re
from array import array
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from gough.arguments import checked, path, whole, word, words
from gough.errors import UsageError
from gough.robot import units
from gough.simulation.motion._points import Points, Where, points_of, with_units
from gough.simulation.motion.motion import Motion, coordinate_motion, pose_motion
from gough.simulation.motion.moves import numbers_for
from gough.simulation.motion.paths import PolynomialPath, side_by_side
from gough.spatial.euler import quaternion_of_euler
from gough.text import cells, check_columns, number, read_lines, wrong_count

ENDS = ("rest", "natural", "free", "periodic")
LARGEST_TURN = np.radians(120.0)
"""Largest angle between neighbouring orientations."""
DIMENSIONS = {"t": ("time",)}
DIMENSIONS |= dict.fromkeys(("x", "y", "z"), ("length",))
DIMENSIONS |= dict.fromkeys(("yaw", "pitch", "roll"), ("angle",))
DIMENSIONS |= dict.fromkeys(("qw", "qx", "qy", "qz"), ("number",))
MOST_HEAD = 200
"""Characters in the head of a column."""
COORDINATE = ("length", "angle")
POSITION, QUATERNION, ANGLES = ("x", "y", "z"), ("qw", "qx", "qy", "qz"), ("yaw", "pitch", "roll")


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
    path = path_through(when, points.x, degree, ends)
    if points.chart is None:
        return coordinate_motion(path, points.kind, points.names, points.units, points.frame, points.extend)
    turn = path_through(when, _near(points), degree, ends)
    _check_length(turn)
    return pose_motion(side_by_side(path, turn), "quaternion_wxyz", frame=points.frame, extend=points.extend)


def path_through(t: np.ndarray, x: np.ndarray, degree: int, ends: str) -> PolynomialPath:
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


def _spline(t: np.ndarray, x: np.ndarray, degree: int, ends: str) -> PolynomialPath:
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


def _taylor(made: Any, knots: np.ndarray, degree: int) -> PolynomialPath:
    """A SciPy spline as polynomials in the time since each knot: its derivatives there from the right, over j!."""
    rows = [made(knots[:-1], nu=j) / math.factorial(j) for j in range(degree + 1)]
    return PolynomialPath(knots, np.stack(rows, axis=2))


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


def _check_length(turn: PolynomialPath) -> None:
    """Refuse quaternions that the spline brings near 0, where their direction swings."""
    t = np.linspace(turn.breaks[:-1], turn.breaks[1:], 9).ravel()
    length = np.linalg.norm(turn.at(t, False)[0], axis=1)
    if length.min() < 0.3:
        raise UsageError(
            f"the spline of orientations swings at {t[length.argmin()]:.6g} s: its samples are too far apart or too uneven in "
            f"time; add samples there"
        )


@checked(path=path, degree=whole(), ends=word, kind=word, frame=word, extend=word)
def spline_file(
    path: str | Path,
    *,
    degree: int = 3,
    ends: str = "rest",
    kind: str | None = None,
    frame: str | None = None,
    extend: str | None = None,
) -> Motion:
    """The spline through the samples of a file. kind: "drives" (default) or "joints" for columns that name coordinates;
    frame: whose pose or point it is; degree, ends, extend as for `spline`."""
    path = Path(path)
    columns, written = read_samples(path)
    names = [name for name in columns if name != "t"]
    common = {"times": columns["t"], "degree": degree, "ends": ends, "extend": extend}
    try:
        if not set(names) & {*POSITION, *QUATERNION, *ANGLES}:
            if kind not in (None, "drives", "joints"):
                raise UsageError(f"kind={kind!r}; use 'drives' or 'joints'")
            if frame is not None:
                raise UsageError("frame= goes with columns x y z")
            made = spline(**common, **{kind or "drives": {name: columns[name] for name in names}})  # type: ignore[arg-type]
            for name in names:
                made = with_units(made, [name], written[name], f"column {name}")
            return made
        if kind is not None:
            raise UsageError("kind= goes with columns of drives or joints; these are poses")
        position = np.stack([columns[name] for name in POSITION], axis=1) if set(names) >= set(POSITION) else None
        if position is not None and set(names) == set(POSITION):
            return spline(**common, points=position, frame=frame)
        if position is not None and set(names) == {*POSITION, *QUATERNION}:
            q = _unit(np.stack([columns[name] for name in QUATERNION], axis=1))
        elif position is not None and set(names) == {*POSITION, *ANGLES}:
            angles = np.stack([columns[name] for name in ANGLES], axis=1)
            q = quaternion_of_euler("rpy_zyx", angles)
        else:
            raise UsageError(
                f"columns {' '.join(names)}: give x y z with qw qx qy qz or with yaw pitch roll, or x y z of a frame"
            )
        return spline(**common, poses=np.concatenate([position, q], axis=1), frame=frame)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def read_samples(path: Path) -> tuple[dict[str, np.ndarray], dict[str, units.WrittenUnit | None]]:
    """({column: values (n,) in SI units}, {column: unit, None where none is written}).

    UsageError with file and line for anything that is not a number."""
    lines = ((k, line) for k, line in read_lines(path) if line.strip() and not line.lstrip().startswith("#"))
    first, head = next(lines, (0, ""))
    if not first:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    columns = [_column(f"{path}:{first}", cell) for cell in cells(f"{path}:{first}", head)]
    names = [name for name, _, _ in columns]
    check_columns(f"{path}:{first}", names)
    if "t" not in names:
        raise UsageError(f"{path}:{first}: no column t (the time, s); there are {', '.join(names)}")
    rows = array("d")
    for k, line in lines:
        found = cells(f"{path}:{k}", line)
        if len(found) != len(names):
            raise wrong_count(f"{path}:{k}", len(found), names, line)
        for name, cell in zip(names, found, strict=True):
            rows.append(number(f"{path}:{k}: column {name}", cell))
            if not math.isfinite(rows[-1]):
                raise UsageError(f"{path}:{k}: column {name}: {cell.strip()} is not a finite number")
    table = np.frombuffer(rows).reshape(-1, len(names)) if rows else np.zeros((0, len(names)))
    scaled = {name: table[:, k] * scale for k, (name, scale, _) in enumerate(columns)}
    return scaled, {name: unit for name, _, unit in columns}


def _column(place: str, cell: str) -> tuple[str, float, units.WrittenUnit | None]:
    """(name, factor to SI, unit) of a header cell `name` or `name [unit]`."""
    match = re.fullmatch(r"([^\[\]\s]+)\s*(?:\[([^\[\]]*)\])?", cell.strip()) if len(cell) <= MOST_HEAD else None
    if match is None:
        raise UsageError(
            f"{place}: {cell[:MOST_HEAD]!r} is no column; write a name, or a name and its unit as 'x [mm]'"
        )
    name, unit = match[1], (match[2] or "").strip()
    if not unit or unit == "1":
        return name, 1.0, None
    allowed = DIMENSIONS.get(name, COORDINATE)
    try:
        scale, dimension = units.parse_unit(unit)
    except units.UnitError as error:
        raise UsageError(f"{place}: column {name}: {error}") from None
    if not any(units.fits(dimension, d) for d in allowed):
        expected = " or ".join(f"{units.with_article(d)} ({units.si_unit(d) or '1'})" for d in allowed)
        raise UsageError(f"{place}: column {name} is in {unit}; it is {expected}")
    return name, float(scale), units.WrittenUnit(unit, dimension)


def _unit(q: np.ndarray) -> np.ndarray:
    """Quaternions scaled to unit length; digits are rounded in files, so that 1e-3 is allowed."""
    length = np.linalg.norm(q, axis=1, keepdims=True)
    if len(q) and np.abs(length - 1.0).max() > 1e-3:
        k = int(np.abs(length - 1.0).argmax())
        raise UsageError(f"sample {k}: a quaternion (qw qx qy qz) of length {length[k, 0]:.6g}")
    return q / length
