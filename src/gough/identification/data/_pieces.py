"""Records in pieces with equal steps of time: sorted, without holes, outliers and jitter."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.identification.data._checking import FEWEST, GAP, force_limits, rows_of_numbers, saturated_rows
from gough.identification.data._outliers import find_outliers, replace_rows
from gough.identification.data._problems import DataProblem, demand_none
from gough.identification.data._sentinels import rows_of_sentinels
from gough.identification.data.record import Record

if TYPE_CHECKING:
    from gough.model import Model

EVEN = 0.01
"""Jitter of times, in steps, up to which they count as equal."""
MANY = 0.01
"""Share of outliers that is said loudly."""
STILL = 1e-6
"""Of what moves most: columns that move by less, as across the plane of a planar robot, have rounding alone."""


@dataclass(frozen=True)
class EvenPiece:
    """A record at equal steps: step (s); spoilt (n,): rows that are not to be used (saturated); loud: notes to warn of."""

    record: Record
    step: float
    spoilt: np.ndarray
    notes: tuple[str, ...] = ()
    loud: tuple[str, ...] = ()


def make_pieces(model: "Model", record: Record, accept: Collection[str], outliers: float | None) -> list[EvenPiece]:
    """The pieces of a record whose problems are accepted."""
    notes: list[str] = []
    record = _sorted(record, notes)
    if "sentinel" in accept and (bad := rows_of_sentinels(record, force_limits(model))).any():
        notes.append(f"{int(bad.sum())} rows with a number in the place of a value left out")
        record = record.rows(~bad)
    finite = np.all([rows_of_numbers(x) for x in record.channels.values()], axis=0)
    if not finite.all():
        notes.append(f"{int((~finite).sum())} rows without a number left out")
        record = record.rows(finite)
    steps = np.diff(record.time)
    gaps = np.flatnonzero(steps > GAP * np.median(steps)) + 1 if len(steps) else np.zeros(0, dtype=int)
    bounds = [0, *gaps.tolist(), len(record)]
    parts = [(a, b) for a, b in pairwise(bounds) if b - a >= FEWEST]
    if len(bounds) > 2:
        short = len(bounds) - 1 - len(parts)
        notes.append(
            f"cut at {len(gaps)} gaps into {len(parts)} runs" + (f", {short} too short ones left out" if short else "")
        )
    if not parts:
        what = f"no stretch of {FEWEST} samples without a gap"
        demand_none(record.name, [DataProblem("short", record.name, "time", what, "a longer record")])
    saturated = saturated_rows(model, record)
    spoilt = np.any([*saturated.values(), np.zeros(len(record), dtype=bool)], axis=0)
    out = []
    for k, (a, b) in enumerate(parts):
        name = record.name if len(parts) == 1 else f"{record.name} (piece {k})"
        out.append(_piece(record.rows(slice(a, b), name), spoilt[a:b], notes if k == 0 else [], outliers))
    return out


def _sorted(record: Record, notes: list[str]) -> Record:
    steps = np.diff(record.time)
    if (steps < 0).any():
        record = record.rows(np.argsort(record.time, kind="stable"))
        notes.append("rows sorted by time")
    again = np.concatenate([[False], np.diff(record.time) == 0])
    if again.any():
        record = record.rows(~again)
        notes.append(f"{int(again.sum())} rows with repeated times left out")
    if record.pose is not None:
        pose = record.pose.copy()
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
        turned = np.cumprod(
            np.concatenate([[1.0], np.where(np.sum(pose[1:, 3:] * pose[:-1, 3:], axis=1) < 0, -1.0, 1.0)])
        )
        pose[:, 3:] *= turned[:, None]
        record = replace(record, pose=pose)
    return record


def _piece(record: Record, spoilt: np.ndarray, notes: Sequence[str], outliers: float | None) -> EvenPiece:
    told, loud = list(notes), []
    n = len(record)
    step = record.duration / (n - 1)
    even = record.time[0] + step * np.arange(n)
    uneven = float(np.abs(record.time - even).max()) / step
    groups: dict[str, Any] = {}
    for key in ("positions", "forces", "rates", "reference"):
        groups[key] = {}
        for name, x in getattr(record, key).items():
            if outliers is not None and key in ("positions", "forces"):
                bad = find_outliers(x, record.time, outliers)
                if bad.any():
                    x = replace_rows(x, bad)
                    _say_replaced(f"{key[:-1]} {name}", record.time[bad], float(bad.mean()), told, loud)
            groups[key][name] = x
    single: dict[str, Any] = {key: getattr(record, key) for key in ("pose", "wrench")}
    for key, x in single.items():
        if x is None or outliers is None:
            continue
        bad = _strange_rows(x, record.time, outliers)
        if bad.any():
            single[key] = np.stack([replace_rows(column, bad) for column in x.T], axis=1)
            _say_replaced(key, record.time[bad], float(bad.mean()), told, loud)
    if uneven > EVEN:
        from scipy.interpolate import CubicSpline

        told.append(f"times are uneven (up to {uneven:.3g} steps of {step:.6g} s): resampled to equal ones")
        at = record.time
        groups = {key: {name: CubicSpline(at, x)(even) for name, x in g.items()} for key, g in groups.items()}
        single = {key: None if x is None else CubicSpline(at, x)(even) for key, x in single.items()}
        spoilt = spoilt[np.clip(np.searchsorted(at, even), 0, n - 1)]
    if single["pose"] is not None and single["pose"] is not record.pose:
        single["pose"][:, 3:] /= np.linalg.norm(single["pose"][:, 3:], axis=1, keepdims=True)
    made = replace(record, time=even, **groups, **single)
    return EvenPiece(made, step, spoilt, tuple(told), tuple(loud))


def _strange_rows(x: np.ndarray, time: np.ndarray, outliers: float) -> np.ndarray:
    """Mask (n,) of rows in which some column of a pose (n, 7) or wrench (n, 6) is an outlier; of columns that move at all."""
    moves = np.ptp(x, axis=0)
    return np.any(
        [find_outliers(c, time, outliers) & (m > STILL * moves.max()) for c, m in zip(x.T, moves, strict=True)], axis=0
    )


def _say_replaced(channel: str, times: np.ndarray, share: float, told: list[str], loud: list[str]) -> None:
    """Note outliers at times (s), aloud where they are more than MANY of all rows."""
    when = ", ".join(f"{t:.4g}" for t in times[:4]) + (" …" if len(times) > 4 else "")
    (loud if share > MANY else told).append(f"{channel}: {len(times)} outliers replaced, at t = {when} s")
