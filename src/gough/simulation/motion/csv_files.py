"""Samples of a motion in a CSV file, and the spline through them.

The first line names the columns, each with its unit in brackets where it is not SI: `t [ms], x [mm], y [mm], z [mm], qw, qx,
qy, qz`. Columns: t; x y z with qw qx qy qz or with yaw pitch roll (R = Rz Ry Rx) for poses; x y z alone for a point of a
frame; anything else names drives or joints. Lines that begin with # are left out.
"""

import csv
import re
from pathlib import Path

import numpy as np

from gough.arguments import checked, path, whole, word
from gough.errors import UsageError
from gough.robot import units
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.rotation_charts import from_euler
from gough.simulation.motion.spline import spline

DIMENSIONS = {"t": ("time",)}
DIMENSIONS |= dict.fromkeys(("x", "y", "z"), ("length",))
DIMENSIONS |= dict.fromkeys(("yaw", "pitch", "roll"), ("angle",))
DIMENSIONS |= dict.fromkeys(("qw", "qx", "qy", "qz"), ("number",))
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
    columns = read_samples(path)
    names = [name for name in columns if name != "t"]
    common = {"times": columns["t"], "degree": degree, "ends": ends, "extend": extend}
    try:
        if not set(names) & {*POSITION, *QUATERNION, *ANGLES}:
            if kind not in (None, "drives", "joints"):
                raise UsageError(f"kind={kind!r}; use 'drives' or 'joints'")
            if frame is not None:
                raise UsageError("frame= goes with columns x y z")
            return spline(**common, **{kind or "drives": {name: columns[name] for name in names}})  # type: ignore[arg-type]
        if kind is not None:
            raise UsageError("kind= goes with columns of drives or joints; these are poses")
        position = np.stack([columns[name] for name in POSITION], axis=1) if set(names) >= set(POSITION) else None
        if position is not None and set(names) == set(POSITION):
            return spline(**common, points=position, frame=frame)
        if position is not None and set(names) == {*POSITION, *QUATERNION}:
            q = _unit(np.stack([columns[name] for name in QUATERNION], axis=1))
        elif position is not None and set(names) == {*POSITION, *ANGLES}:
            angles = np.stack([columns[name] for name in ANGLES], axis=1)
            q = from_euler((2, 1, 0), angles, np.zeros_like(angles), np.zeros_like(angles))[0]
        else:
            raise UsageError(
                f"columns {' '.join(names)}: give x y z with qw qx qy qz or with yaw pitch roll, or x y z of a frame"
            )
        return spline(**common, poses=np.concatenate([position, q], axis=1), frame=frame)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def read_samples(path: Path) -> dict[str, np.ndarray]:
    """{column: values (n,) in SI units}; UsageError with file and line for anything that is not a number."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text") from None
    kept = [(k + 1, line) for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if not kept:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    number, head = kept[0]
    columns = [_column(f"{path}:{number}", cell) for cell in next(csv.reader([head]))]
    names = [name for name, _ in columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(f"{path}:{number}: columns named twice: {', '.join(repeated)}")
    if "t" not in names:
        raise UsageError(f"{path}:{number}: no column t (the time, s); there are {', '.join(names)}")
    rows = [_row(path, line_number, line, names) for line_number, line in kept[1:]]
    table = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return {name: table[:, k] * scale for k, (name, scale) in enumerate(columns)}


def _column(place: str, cell: str) -> tuple[str, float]:
    """(name, factor to SI) of a header cell `name` or `name [unit]`."""
    match = re.fullmatch(r"\s*([^\[\]\s]+)\s*(?:\[\s*([^\[\]]*?)\s*\])?\s*", cell)
    if match is None:
        raise UsageError(f"{place}: {cell!r} is no column; write a name, or a name and its unit as 'x [mm]'")
    name, unit = match.groups()
    if not unit or unit == "1":
        return name, 1.0
    allowed = DIMENSIONS.get(name, COORDINATE)
    try:
        scale, dimension = units.parse_unit(unit)
    except units.UnitError as error:
        raise UsageError(f"{place}: column {name}: {error}") from None
    if not any(units.fits(dimension, d) for d in allowed):
        expected = " or ".join(f"a {d} ({units.si_unit(d) or '1'})" for d in allowed)
        raise UsageError(f"{place}: column {name} is in {unit}; it is {expected}")
    return name, float(scale)


def _row(path: Path, number: int, line: str, names: list[str]) -> list[float]:
    cells = next(csv.reader([line]))
    if len(cells) != len(names):
        raise UsageError(f"{path}:{number}: {len(cells)} cells for {len(names)} columns")
    out = []
    for name, cell in zip(names, cells, strict=True):
        try:
            value = float(cell)
        except ValueError:
            raise UsageError(f"{path}:{number}: column {name}: {cell!r} is not a number") from None
        if not np.isfinite(value):
            raise UsageError(f"{path}:{number}: column {name}: {cell.strip()} is not a finite number")
        out.append(value)
    return out


def _unit(q: np.ndarray) -> np.ndarray:
    """Quaternions scaled to unit length; digits are rounded in files, so that 1e-3 is allowed."""
    length = np.linalg.norm(q, axis=1, keepdims=True)
    if len(q) and np.abs(length - 1.0).max() > 1e-3:
        k = int(np.abs(length - 1.0).argmax())
        raise UsageError(f"sample {k}: a quaternion (qw qx qy qz) of length {length[k, 0]:.6g}")
    return q / length
