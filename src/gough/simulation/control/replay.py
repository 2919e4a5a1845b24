"""Drive forces over time, open loop: those of another run, or of arrays."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.arguments import checked, flag, floats, numbers, words
from gough.errors import UsageError
from gough.robot.units import kind_of
from gough.simulation.control.law import Here, Law
from gough.simulation.motion.motion import Motion, coordinate_motion
from gough.simulation.motion.paths import PolynomialPath, padded_coefficients

Vector = np.ndarray


@dataclass(frozen=True)
class Replay(Law):
    """Drive forces over time, given as a motion of kind "forces" (see `forces_of` and `forces`)."""

    name = "open-loop replay"
    computes = False
    kinds = ("forces",)

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return ()

    @property
    def any_velocities(self) -> bool:
        """See `Law`."""
        return True

    def forces(self, here: Here) -> Vector:
        """tau (drives,)."""
        return here.now.position


@checked(times=numbers, tau=numbers, held=flag, names=words, units=words)
def forces(times: Any, tau: Any, *, held: bool = False, names: Sequence[str] = (), units: Sequence[str] = ()) -> Motion:
    """Forces over time as a motion of kind "forces".

    times (n,), s: rising from 0; a time given twice is a jump. tau (n, drives): forces (N, N·m) then, by cubic splines between
    (C2; not-a-knot), held: as they are until the next time. names: of the drives; default: in the robot's order. units: "N" of a
    drive that slides, "N m" of one that turns; default: those of the robot.
    """
    t, x = floats("times", times), floats("tau", tau)
    names, units = tuple(names), tuple(units)
    if t.ndim != 1 or len(t) < 2 or x.ndim != 2 or len(x) != len(t):
        raise UsageError(
            f"times have shape {t.shape}, tau {x.shape}; give times (n,) and forces (n, drives), n at least 2"
        )
    if not (np.isfinite(t).all() and np.isfinite(x).all()):
        raise UsageError("times and forces must be finite")
    if t[0] != 0 or (np.diff(t) < 0).any() or t[-1] <= 0:
        raise UsageError("times: they must rise from 0")
    for what, found in (("names", names), ("units", units)):
        if found and len(found) != x.shape[1]:
            raise UsageError(f"{len(found)} {what} for {x.shape[1]} drives")
    foreign = [unit for unit in units if unit and kind_of(unit) not in ("force", "torque")]
    if foreign:
        raise UsageError(f"units={units!r}: forces are in SI units; give 'N' or 'N m', not {foreign[0]!r}")
    breaks, rows, jumps = [np.zeros(1)], [], []
    ends = np.flatnonzero(np.diff(t) == 0)
    for begin, end in zip([0, *(ends + 1)], [*ends, len(t) - 1], strict=True):
        if end == begin:
            if 0 < begin < len(t) - 1:
                raise UsageError(f"time {t[begin]:g} s is given more than twice")
            continue
        part = slice(begin, end + 1)
        breaks.append(t[part][1:])
        rows.append(_held(x[part]) if held else _splined(t[part], x[part]))
        jumps.append(t[end])
    if held:
        jumps = list(t[1:-1])
    most = max(r.shape[2] for r in rows)
    path = PolynomialPath(np.concatenate(breaks), np.concatenate([padded_coefficients(r, most) for r in rows]))
    n = x.shape[1]
    names, units = names or tuple(f"drive{k}" for k in range(n)), tuple(units or ("",) * n)
    kinks = np.unique(np.concatenate([[0.0], np.array(jumps, dtype=float), [path.duration]]))
    return replace(coordinate_motion(path, "forces", names, units), known_kinks=kinks)


def _held(x: np.ndarray) -> np.ndarray:
    return x[:-1, :, None]


def _splined(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Coefficients (pieces, drives, 4) of rising powers."""
    from scipy.interpolate import CubicSpline

    if len(t) < 4:
        made = CubicSpline(t, x, bc_type="natural") if len(t) > 2 else None
        if made is None:
            return np.stack([x[:-1], np.diff(x, axis=0) / np.diff(t)[:, None]], axis=2)
    else:
        made = CubicSpline(t, x)
    return made.c[::-1].transpose(1, 2, 0)
