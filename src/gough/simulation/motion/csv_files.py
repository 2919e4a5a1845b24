"""Samples of a motion in a CSV file, and the spline through them.

The first line names the columns, each with its unit in brackets where it is not SI: `t [ms], x [mm], y [mm], z [mm], qw, qx,
qy, qz`. Columns: t; x y z with qw qx qy qz or with yaw pitch roll (R = Rz Ry Rx) for poses; x y z alone for a point of a
frame; anything else names drives or joints. Lines that begin with # are left out.
"""

import re
from array import array
from math import isfinite
from pathlib import Path

import numpy as np

from gough.arguments import checked, path, whole, word
from gough.errors import UsageError
from gough.robot import units
from gough.simulation.motion.coordinate_motion import measured
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.spline import spline
from gough.spatial.euler import quaternion_of_euler
from gough.text import cells, check_columns, number, read_lines, wrong_count

DIMENSIONS = {"t": ("time",)}
DIMENSIONS |= dict.fromkeys(("x", "y", "z"), ("length",))
DIMENSIONS |= dict.fromkeys(("yaw", "pitch", "roll"), ("angle",))
DIMENSIONS |= dict.fromkeys(("qw", "qx", "qy", "qz"), ("number",))
MOST_HEAD = 200
"""Characters in the head of a column."""
COORDINATE = ("length", "angle")
POSITION, QUATERNION, ANGLES = ("x", "y", "z"), ("qw", "qx", "qy", "qz"), ("yaw", "pitch", "roll")


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
                made = measured(made, [name], written[name], f"column {name}")
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
            if not isfinite(rows[-1]):
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
        expected = " or ".join(f"a {d} ({units.si_unit(d) or '1'})" for d in allowed)
        raise UsageError(f"{place}: column {name} is in {unit}; it is {expected}")
    return name, float(scale), units.WrittenUnit(unit, dimension)


def _unit(q: np.ndarray) -> np.ndarray:
    """Quaternions scaled to unit length; digits are rounded in files, so that 1e-3 is allowed."""
    length = np.linalg.norm(q, axis=1, keepdims=True)
    if len(q) and np.abs(length - 1.0).max() > 1e-3:
        k = int(np.abs(length - 1.0).argmax())
        raise UsageError(f"sample {k}: a quaternion (qw qx qy qz) of length {length[k, 0]:.6g}")
    return q / length
