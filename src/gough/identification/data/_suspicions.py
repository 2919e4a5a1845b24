"""Units that can hardly be meant: factors of 1000 or 57.3 between what a log says and what the robot can be.

Three witnesses: limits of the description, whether loops close at the numbers of the log, and whether rates are derivatives of
positions. A factor is only suggested where it mends what is wrong.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.data._problems import DataProblem, row_numbers, say_rows
from gough.identification.data.record import Record
from gough.model.results import LimitKind

if TYPE_CHECKING:
    from gough.model import Model

FACTORS = {
    "m": {"mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": 0.0254},
    "rad": {"deg": np.pi / 180, "mrad": 1e-3, "rev": 2 * np.pi},
}
"""{SI unit: {unit that numbers may be in: factor}}."""
LOWER = (LimitKind.LOWER, LimitKind.STROKE_LOWER)
UPPER = (LimitKind.UPPER, LimitKind.STROKE_UPPER)
MARGIN = 0.05
"""Of the way between two limits: numbers this far outside are not judged."""
FEW = 0.01
"""Share of numbers outside of limits that may be outliers."""
LOOKED_AT = 24
"""Rows at which loops are closed."""
FAR_AWAY = 20.0
"""Sizes of the robot from home at which nothing was measured."""
SAME = 0.05
"""Relative difference of a factor from a known one."""
BELONG = 0.9
"""Correlation of a position with the integral of its rate from which their factor is judged."""
STRETCHES, TOO_FAST = 400, 10.0
"""Parts of a record over which speeds are taken, and times its limit that no drive goes for half of the time."""
OFTEN, ABOVE = 0.1, 1.5
"""Share of a record, and times its speed limit, from which a drive that goes so fast is told."""
TIME_UNITS = {"min": 60.0, "a factor 1000": 1e3}
"""{what times may be in that were taken for finer ones: factor}."""
SPEEDS = {"a factor 1000": 1e3, "57.3 (degrees and radians)": 180 / np.pi, "9.55 (1/min and rad/s)": 30 / np.pi}
SPEEDS |= {"6.28 (turns and radians)": 2 * np.pi, "60 (minutes and seconds)": 60.0}


def find_unit_problems(model: "Model", record: Record) -> list[DataProblem]:
    """Channels whose numbers fit to the robot only with a factor, and numbers that do not fit at all."""
    found = list(_by_speeds(model, record))
    if found:
        return found
    found = list(_by_limits(model, record))
    found += _by_rates(record)
    return found if found else list(_by_reach(model, record))


def _by_speeds(model: "Model", record: Record) -> Iterator[DataProblem]:
    """Times in which all drives whose speed is limited move many times as fast as they can."""
    limits, times = _times_their_speed(model, record, 0.5)
    if not times or min(times.values()) < TOO_FAST:
        return
    worst = max(times, key=lambda name: times[name])
    step = float(np.median(np.diff(record.time)))
    what = (
        f"in it {worst} moves {times[worst]:.3g} times the speed limit of {limits[worst]:g} for half of the record, with steps "
        f"of {step:.3g} s; with a factor 1000 (steps of {1e3 * step:.3g} s) it would be {times[worst] / 1e3:.2g} times"
    )
    remedy = "say the unit of time in the column map ('time [ms]' where 'time [us]' was said), or mend the speed_limit described"
    yield DataProblem("units", record.name, "time", what, remedy)


def find_speed_doubts(model: "Model", record: Record) -> Iterator[str]:
    """A sentence on drives that go well above their speed limit again and again: it may be exceeded, or a unit is wrong."""
    limits, times = _times_their_speed(model, record, 1.0 - OFTEN)
    fast = {name: x for name, x in times.items() if x > ABOVE}
    if not fast:
        return
    worst = max(fast, key=lambda name: fast[name])
    step = float(np.median(np.diff(record.time)))
    all_of = f"{len(fast)} of {len(times)} drives go" if len(fast) > 1 else f"{worst} goes"
    units = ", ".join(f"{u} ({f:g} times slower)" for u, f in TIME_UNITS.items() if fast[worst] / f < 1.0)
    yield (
        f"{record.name}: {all_of} above the speed limit for a tenth of the record, {worst} at {fast[worst]:.3g} times its "
        f"{limits[worst]:g}: is the unit of time right (steps of {step:.3g} s; {units}), that of positions, or the speed_limit?"
    )


def _times_their_speed(model: "Model", record: Record, share: float) -> tuple[dict[str, float], dict[str, float]]:
    """({drive: speed limit}, {drive: times that limit of the speed that it stays below for this share of the record}) of drives
    whose positions are no doubt within their limits."""
    layout = model.layout
    margins = model.limit_margins(model.home, np.zeros(layout.nv), np.zeros(len(layout.drive_names)))
    limits = {x.joint: float(x.bound) for x in margins.limits if x.kind == LimitKind.SPEED}
    known = {name: record.positions[name] for name in limits if name in record.positions}
    positions_wrong = {p.channel for p in _by_limits(model, record)} if known else set()
    span, times = max(1, len(record) // STRETCHES), {}
    steps = record.time[span:] - record.time[:-span]
    for name, x in known.items():
        moved = np.abs(x[span:] - x[:-span])
        sound = (steps > 0) & np.isfinite(moved)
        if f"position {name}" not in positions_wrong and moved[sound].any():
            times[name] = float(np.quantile(moved[sound] / steps[sound], share)) / limits[name]
    return limits, times


def position_limits(model: "Model") -> dict[str, tuple[float, float]]:
    """{coordinate: (lower, upper)} that the description states; infinite where it does not."""
    out: dict[str, tuple[float, float]] = {}
    for limit in model.limit_margins(model.home).limits:
        if limit.kind in (*LOWER, *UPPER) and limit.joint in model.layout.q_names:
            low, high = out.get(limit.joint, (-np.inf, np.inf))
            if limit.kind in LOWER:
                out[limit.joint] = (max(low, float(limit.bound)), high)
            else:
                out[limit.joint] = (low, min(high, float(limit.bound)))
    return out


def _by_limits(model: "Model", record: Record) -> Iterator[DataProblem]:
    limits = position_limits(model)
    for name, x in record.positions.items():
        if name not in limits:
            continue
        low, high = limits[name]
        margin = (
            MARGIN * (high - low)
            if np.isfinite(high - low)
            else MARGIN * max(abs(v) for v in (low, high) if np.isfinite(v))
        )
        outside = np.flatnonzero((x < low - margin) | (x > high + margin))
        if len(outside) <= FEW * len(x):  # single ones are outliers
            continue
        unit = model.layout.q_units[model.layout.index(name)]
        fits = {
            u: f
            for u, f in FACTORS.get(unit, {}).items()
            if low - margin <= f * x.min() and f * x.max() <= high + margin
        }
        span = f"{x.min():.4g} … {x.max():.4g} {unit}, and its limits are {low:.4g} … {high:.4g}"
        if len(outside) > 0.5 * len(x) and fits and f"position {name}" not in record.stated:
            word, factor = next(iter(fits.items()))
            what = f"{span}: with a factor {_say(factor)} ({word}) it would be inside"
            yield DataProblem("units", record.name, f"position {name}", what, f"say unit: {word} in the column map")
        else:
            what = f"{span}: outside in {say_rows(outside, record.time)}"
            remedy = "does the encoder count from elsewhere (offset:) or backwards (sign:)? Accept 'limits' where it is meant"
            yield DataProblem("limits", record.name, f"position {name}", what, remedy, row_numbers(outside))


def _say(factor: float) -> str:
    return f"1/{1 / factor:.4g}" if factor < 1 else f"{factor:.4g}"


def _by_rates(record: Record) -> Iterator[DataProblem]:
    """Positions against the integrals of their rates, both without their means and slopes."""
    for name, rate in record.rates.items():
        if name not in record.positions:
            continue
        steps = np.diff(record.time)
        whole = (steps > 0) & (steps < 3 * np.median(steps))  # of a gap nothing is known
        moved, told = np.diff(record.positions[name]), 0.5 * (rate[1:] + rate[:-1]) * steps
        time = np.cumsum(steps[whole])
        p, r = _level(np.cumsum(moved[whole]), time), _level(np.cumsum(told[whole]), time)
        both = float(np.sqrt((p @ p) * (r @ r)))
        if both == 0.0 or abs(p @ r) < BELONG * both:
            continue
        gain = float(p @ r / (r @ r))
        if abs(gain - 1) <= 2 * SAME:
            continue
        place = f"position {name}"
        if abs(gain + 1) <= 2 * SAME:
            remedy = "say sign: -1 of one of them in the column map"
            yield DataProblem("sign", record.name, place, "moves against its rate", remedy)
            continue
        known = [(words, value) for words, factor in SPEEDS.items() for value in (factor, 1 / factor)]
        near = [words for words, value in known if abs(abs(gain) / value - 1) <= SAME]
        what = f"moves {gain:.4g} times what its rate says" + (f": {near[0]}" if near else "")
        remedy = (
            "say the unit of position, rate or time in the column map"
            if near
            else "check units, gain: and the rate's column"
        )
        yield DataProblem("units", record.name, place, what, remedy)


def _level(x: np.ndarray, time: np.ndarray) -> np.ndarray:
    """x (n,) without its mean and slope."""
    t = time - time.mean()
    return x - x.mean() - t * float(t @ x / (t @ t))


def _by_reach(model: "Model", record: Record) -> Iterator[DataProblem]:
    """Loops closed at some rows; with factors, where they do not close."""
    rows = np.unique(np.linspace(0, len(record) - 1, LOOKED_AT).astype(int))
    drives, units = model.layout.drive_names, model.layout.drive_units
    if all(d in record.positions for d in drives) and model.mechanism.rows and len(drives) == model.mobility:
        x = np.stack([record.positions[d][rows] for d in drives], axis=1)
        failed = ~_closes(model, x) | _far_away(model, x, model.drives(model.home), units)
        if failed.mean() > 0.5:
            kinds = ["rad" if unit == "N m" else "m" for unit in units]
            for kind in dict.fromkeys(kinds):
                for word, factor in FACTORS[kind].items():
                    scale = np.array([factor if k == kind else 1.0 for k in kinds])
                    near = ~_far_away(model, x * scale, model.drives(model.home), units)
                    if (_closes(model, x * scale) & near).mean() > 0.8:
                        what = (
                            "loops do not close at these positions, or only far from home, and near it with a factor "
                        )
                        what += f"{_say(factor)}: numbers in {word}?"
                        remedy = f"say unit: {word} of the positions in the column map"
                        yield DataProblem("units", record.name, "positions", what, remedy)
                        return
        if failed.mean() > 0.5:  # single ones may be far from home: the way there tells
            bad = rows[failed]
            what = f"loops do not close in {say_rows(bad, record.time)} of {len(rows)} rows that were looked at"
            mended = _mended(model, x, record)
            remedy = mended or (
                "is the description this robot, does an encoder count from elsewhere (offset:) or backwards (sign:)?"
            )
            yield DataProblem(
                "reach",
                record.name,
                "positions",
                what,
                remedy + " Accept 'reach' to leave such rows out",
                row_numbers(bad),
            )
    elif record.pose is not None and model.geometry.legs_reach:
        pose = record.pose[rows].copy()
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
        slides = ("N", "N", "N")
        failed = model.assemble(pose, on_bad_state="mark").status != 0
        failed |= _far_away(model, pose[:, :3], model.home[:3], slides)
        if failed.mean() > 0.5:
            pose[:, :3] *= 1e-3
            near = ~_far_away(model, pose[:, :3], model.home[:3], slides)
            if ((model.assemble(pose, on_bad_state="mark").status == 0) & near).mean() > 0.8:
                what = "poses are out of reach, and within it with a factor 1/1000: numbers in mm?"
                yield DataProblem(
                    "units", record.name, "pose", what, "say unit: mm of pose.x, pose.y, pose.z in the column map"
                )
                return
        if failed.any():
            bad = rows[failed]
            what = f"poses out of reach in {say_rows(bad, record.time)} of {len(rows)} rows that were looked at"
            remedy = (
                "is it the pose of the platform's own frame in the robot's world? Accept 'reach' to leave such rows out"
            )
            yield DataProblem("reach", record.name, "pose", what, remedy, row_numbers(bad))


def _mended(model: "Model", x: np.ndarray, record: Record) -> str:
    """A question: what of one column, or two, would make loops close at nearly all rows x (n, drives), nearest to home; or ""."""
    layout, home = model.layout, model.drives(model.home)
    names, tried = layout.drive_names, [("do all positions count backwards (sign: -1)", -x)]
    for k, (name, unit) in enumerate(zip(names, layout.drive_units, strict=True)):
        place, ways = f"position {name}", {}
        ways[f"does {place} count backwards (sign: -1)"] = -x[:, k]
        if place not in record.stated:
            for word, factor in FACTORS["rad" if unit == "N m" else "m"].items():
                ways[f"is {place} in {word}, a factor {_say(factor)} (unit: {word})"] = factor * x[:, k]
        turns = round(float(np.median(x[:, k]) - home[k]) / (2 * np.pi)) if unit == "N m" else 0
        if turns:
            ways[f"is {place} off by whole turns (offset: {-360 * turns} deg)"] = x[:, k] - 2 * np.pi * turns
        tried += [(words, _with(x, [k], own[:, None])) for words, own in ways.items()]
    for i, j in combinations(range(len(names)), 2):
        tried.append((f"are the columns of position {names[i]} and {names[j]} swapped", _with(x, [i, j], x[:, [j, i]])))
    many = np.concatenate([own for _, own in tried])
    good = (_closes(model, many) & ~_far_away(model, many, home, layout.drive_units)).reshape(len(tried), -1)
    length = np.array([np.pi if unit == "N m" else model.size for unit in layout.drive_units])
    far = [float(np.median(np.abs((own - home) / length).max(axis=1))) for _, own in tried]
    closing = sorted((far[k], tried[k][0]) for k in np.flatnonzero(good.mean(axis=1) > 0.8))
    return f"{closing[0][1]}? Loops close then." if closing else ""


def _with(x: np.ndarray, columns: Sequence[int], own: np.ndarray) -> np.ndarray:
    """x with other columns in these places."""
    out = x.copy()
    out[:, columns] = own
    return out


def _closes(model: "Model", drives: np.ndarray) -> np.ndarray:
    return model.assemble(drives=drives, on_bad_state="mark").status == 0


def _far_away(model: "Model", x: np.ndarray, home: np.ndarray, units: Sequence[str]) -> np.ndarray:
    """Rows (n,) in which a length is many robots away from home, though long legs might reach it."""
    slides = [k for k, unit in enumerate(units) if unit == "N"]
    return np.asarray((np.abs(x - home)[:, slides] > FAR_AWAY * model.size).any(axis=1))
