"""Records become samples: one zero-phase filter on everything, derivatives without lag, closed loops; what was done is said."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import (
    a_model,
    checked,
    demand_one_of,
    instance,
    mapping,
    nothing,
    number,
    numbers,
    several,
    whole,
    word,
    words,
)
from gough.compilation.arrays import as_array
from gough.errors import DataWarning, UsageError, warn
from gough.identification.data._bands import choose_band, noise_words
from gough.identification.data._checking import find_problems, force_limits
from gough.identification.data._contradictions import find_contradictions
from gough.identification.data._doubts import find_doubts
from gough.identification.data._filters import LowPass
from gough.identification.data._forces import ForceComparison
from gough.identification.data._lags import known_lags, take_lags_out
from gough.identification.data._outliers import K
from gough.identification.data._pieces import EvenPiece, make_pieces
from gough.identification.data._problems import DataProblem, check_accepted, demand_none, row_numbers, say_rows
from gough.identification.data._sentinels import record_sentinels, with_bridges
from gough.identification.data._shifts import find_shift, known_shifts
from gough.identification.data._states import RobotStates, close_states, folded_words, singular_words
from gough.identification.data._suspicions import find_speed_doubts
from gough.identification.data._ways import WAYS, Way, choose_way
from gough.identification.data.record import Record
from gough.identification.data.samples import Samples
from gough.identification.estimation.rows import Thinning

if TYPE_CHECKING:
    from gough.model import Model

ROWS_A_BAND = 400.0
"""Rows that are kept: this many times the band a second, or as many as were measured. Between them forces are not looked at."""
APART = 0.7
"""Time from an equation to the next, times the band. The filter of the equations ends at 0.8/(2 APART) of the band, where that of
the states takes 1 % and less."""
UNFILTERED = LowPass(None)
"""Of forces. Coulomb friction jumps in the regressor, which knows no band, so forces must jump with it until both sides of the
equations are filtered alike; of a force that is filtered before, friction leans by several deviations."""
ALIKE = 0.02
"""Relative difference of sampling rates that are one."""
DERIVATIVES = ("exact", "central")
a_record = instance(
    "gough.identification.data.record.Record", "a gough.Record; see gough.read_record, gough.Record.from_run"
)


@dataclass
class _Work:
    """A piece on its way: rows that are kept, states there, of which good ones count; doubt: what is strange about the way."""

    piece: EvenPiece
    rows: np.ndarray
    states: RobotStates
    good: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    doubt: str = ""


@checked(
    model=a_model,
    records=a_record | several(a_record),
    band=number(above=0) | word | nothing,
    decimate=whole(1) | word,
    outliers=number(above=0) | word | nothing,
    shifts=mapping(number()) | word | nothing,
    lags=mapping(number(least=0)) | nothing,
    trim=number(least=0) | word,
    states=word,
    idle=word,
    derivative=word,
    near=numbers,
    accept=words,
)
def condition(
    model: "Model",
    records: Record | Sequence[Record],
    *,
    band: float | str | None = "auto",
    decimate: int | str = "auto",
    outliers: float | str | None = "auto",
    shifts: Mapping[str, float] | str | None = "auto",
    lags: Mapping[str, float] | None = None,
    trim: float | str = "auto",
    states: str = "auto",
    idle: str = "refuse",
    derivative: str = "exact",
    near: Any = None,
    accept: Sequence[str] = (),
) -> Samples:
    """Samples of one or several records of a robot; `samples.notes` says what was done, with its numbers.

    band: of the zero-phase low-pass (Hz), "auto" from the spectra of positions, None for no filter. decimate: measured rows that
    make one equation (`samples.block` of the rows that are kept), "auto" from the band. outliers: noises away
    from which a sample is replaced, "auto" (8), None for none. shifts: "auto" finds how late forces come and takes out what is
    certain and at least one sample; {"force": s, "force DRIVE": s, "position NAME": s, "pose": s}: these channels come so late;
    None: nothing. lags: {"force": s, "force DRIVE": s}: time constants of low passes of the first order that measured forces went
    through, which are taken out. trim: s at both ends of each run, "auto" by the filter's memory. states: "drives", "joints" or
    "pose": what tells where the robot is. idle: "still" takes freedoms that nothing measures (idle and elastic ones) as at rest.
    derivative: "exact", or "central" differences, to compare with others. near: q (nq,) whose assembly records begin in (default:
    home). accept: kinds of problems that are known, and dealt with as their message says ("gap", "nan", "saturated", …).
    """
    given = [records] if isinstance(records, Record) else list(records)
    check_accepted(accept)
    demand_one_of("states", states, WAYS)
    demand_one_of("idle", idle, ("refuse", "still"))
    demand_one_of("derivative", derivative, DERIVATIVES)
    for name, value in (
        ("band", band),
        ("decimate", decimate),
        ("outliers", outliers),
        ("shifts", shifts),
        ("trim", trim),
    ):
        if isinstance(value, str) and value != "auto":
            raise UsageError(f"condition: {name}={value!r}; use 'auto', a number or None")
    _demand_measured(model, idle)
    _demand_sound(model, given, accept)
    way = choose_way(model, given, states)
    k = None if outliers is None else K if isinstance(outliers, str) else float(outliers)
    pieces = [piece for record in given for piece in make_pieces(model, record, accept, k)]
    _demand_equal_rates(pieces)
    constants = known_lags(model, lags or {})
    pieces = [take_lags_out(piece, constants) for piece in pieces]
    notes = [way.told] + _idle_note(model)
    notes += [f"force {d}: a low pass of {1e3 * s:.4g} ms taken out, as told" for d, s in constants.items() if s]
    notes += [f"{p.record.name}: {note}" for p in pieces for note in p.notes]
    loud = [f"{p.record.name}: {note}" for p in pieces for note in p.loud]
    bridged = [with_bridges(record, record_sentinels(record, force_limits(model))) for record in given]
    told = [doubt for record in bridged for doubt in (*find_doubts(record), *find_speed_doubts(model, record))]
    _tell([*told, *loud], notes)
    low = LowPass(_band(way, pieces, band, notes), derivative)
    stride, block = _thinning(pieces, low, decimate, notes)
    taps, spacing = Thinning(block).taps, stride * pieces[0].step
    _tell([noise_words(_channels(way, pieces), low.band_hz, taps, spacing)], notes)
    late = {} if shifts is None or isinstance(shifts, str) else known_shifts(model, shifts)
    notes += [f"{channel} brought back by {1e3 * s:.4g} ms, as told" for channel, s in late.items()]
    begin = None if near is None else as_array("near", near, model.layout.nq)
    work = [_states_of(way, piece, low, late, stride, trim, accept, begin) for piece in pieces]
    _tell([w.doubt for w in work], notes)
    there = [(w.piece.record, w.rows[w.good], w.states.q[w.good]) for w in work if w.good.any()]
    _tell(find_contradictions(way, there, low, late), notes)
    if not any(w.good.any() for w in work):
        longest, edge = max(p.record.duration for p in pieces), _edge(pieces[0].step, low, late, trim)
        raise UsageError(
            f"condition: no rows are left; of records of up to {longest:.3g} s, {edge:.3g} s are taken away at both ends (the "
            "filter's memory, or what trim= and shifts= say): record for longer, or give band="
        )
    late |= _compared_forces(model, way, work, low, block, isinstance(shifts, str), notes)
    made = _samples(model, work, low, late, stride, block, notes)
    if not len(made):
        raise UsageError(
            f"condition: no run has as many rows at equal steps as two equations take, {block * stride} each; record for longer, "
            "give a wider band=, or a smaller decimate= or trim="
        )
    return made


def _tell(texts: Iterable[str], notes: list[str]) -> None:
    """Warn of each that says something, and note it."""
    for text in filter(None, texts):
        notes.append(text)
        warn(text, DataWarning)


def _demand_measured(model: "Model", idle: str) -> None:
    layout = model.layout
    if not layout.drive_names:
        raise UsageError(f"condition: {model.robot.name} has no drives, so that no force is measured")
    unseen = layout.v_names[layout.mobility :]
    if unseen and idle == "refuse":
        what = "elastic" if layout.v_elastic else "idle"
        few = ", ".join(unseen[:3]) + (" …" if len(unseen) > 3 else "")
        raise UsageError(
            f"condition: {model.robot.name} has {len(unseen)} freedoms that no encoder and no pose tells of ({few}), and their "
            f"accelerations are part of the equations; idle='still' takes these {what} freedoms as at rest, which is right where "
            "they hardly move"
        )


def _demand_sound(model: "Model", records: Sequence[Record], accept: Sequence[str]) -> None:
    problems: list[DataProblem] = []
    for record in records:
        found = find_problems(model, record)
        lost = [d for d in model.layout.drive_names if d not in record.forces]
        if lost:
            what = f"forces of {', '.join(lost[:6])} are missing"
            found.append(
                DataProblem("missing", record.name, "", what, "every drive's force is needed; 0 where it is off")
            )
        problems += [p for p in found if p.kind not in accept]
    demand_none("condition", problems)


def _demand_equal_rates(pieces: Sequence[EvenPiece]) -> None:
    fast, slow = min(pieces, key=lambda p: p.step), max(pieces, key=lambda p: p.step)
    if slow.step > (1 + ALIKE) * fast.step:
        rates = ", ".join(f"{p.record.name or 'a record'} at {1 / p.step:.4g} Hz" for p in (fast, slow))
        raise UsageError(f"condition: records are sampled at different rates ({rates}): condition them apart")


def _idle_note(model: "Model") -> list[str]:
    unseen = model.layout.v_names[model.layout.mobility :]
    return [f"taken as at rest: {', '.join(unseen[:6])}{' …' if len(unseen) > 6 else ''}"] if unseen else []


def _band(way: Way, pieces: Sequence[EvenPiece], band: float | str | None, notes: list[str]) -> float | None:
    if band is None:
        notes.append("no filter; derivatives are differences over nine points")
        return None
    if not isinstance(band, str):
        if band >= (most := 0.5 / max(p.step for p in pieces)):
            raise UsageError(f"condition: band={band:g} Hz; half the sampling rate is {most:.4g} Hz")
        notes.append(f"band {band:.4g} Hz, as told")
        return float(band)
    found, told = choose_band(_channels(way, pieces))
    notes.append(told)
    return found


def _channels(way: Way, pieces: Sequence[EvenPiece]) -> dict[str, list[tuple[np.ndarray, float]]]:
    """{channel that leads: (its numbers (n,), step) of every piece}."""
    found = [(way.channels(piece)[0], piece.step) for piece in pieces]
    return {name: [(x[:, k], step) for x, step in found] for k, name in enumerate(way.names)}


def _thinning(pieces: Sequence[EvenPiece], low: LowPass, decimate: int | str, notes: list[str]) -> tuple[int, int]:
    """(stride between kept rows, kept rows of an equation)."""
    step = float(np.median([p.step for p in pieces]))
    if low.band_hz is None:
        return (1, 1) if isinstance(decimate, str) else (1, int(decimate))
    total = max(round(APART / (low.band_hz * step)), 1) if isinstance(decimate, str) else int(decimate)
    stride = max(int(1.0 / (ROWS_A_BAND * low.band_hz * step)), 1)
    block = max(round(total / stride), 1)
    notes.append(
        f"every row of {stride} kept, {block} of these for an equation: one in {stride * block * step * 1e3:.4g} ms"
    )
    return stride, block


def _states_of(
    way: Way,
    piece: EvenPiece,
    low: LowPass,
    late: dict[str, float],
    stride: int,
    trim: float | str,
    accept: Sequence[str],
    near: np.ndarray | None,
) -> _Work:
    skipped = int(np.ceil(_edge(piece.step, low, late, trim) / piece.step))
    rows = np.arange(skipped, len(piece.record) - skipped, stride)
    name = piece.record.name
    if not len(rows):
        return _Work(
            piece, rows, close_states(way, way.filtered_sample(piece, low, late, rows), piece.step * stride, near)
        )
    found = close_states(way, way.filtered_sample(piece, low, late, rows), piece.step * stride, near)
    time, problems = piece.record.time[rows], []
    bad, singular = np.flatnonzero(~np.isfinite(found.q).all(axis=1)), singular_words(way.model, found.q)
    if len(bad) and "reach" not in accept:
        trouble = "poses out of reach" if way.kind == "pose" else "loops do not close"
        what = f"{trouble} in {say_rows(bad, time)} of {len(rows)} filtered rows"
        remedy = "is it this robot, and are units, offsets and signs right? Accept 'reach' to leave these rows out"
        if singular:
            remedy = f"{singular}; split the record there: behind it the robot may be in another assembly"
        elif folded := folded_words(way.model, found.q):
            remedy = f"{folded}; or accept 'reach' to leave these rows out"
        problems.append(DataProblem("reach", name, way.kind, what, remedy, row_numbers(rows[bad])))
    if len(found.leaps):
        what = f"joints leap into another assembly after {say_rows(found.leaps, time)}"
        remedy = "the robot passes a singular pose there, or an encoder slipped; split the record"
        problems.append(DataProblem("branch", name, way.kind, what, remedy, row_numbers(rows[found.leaps])))
    demand_none("condition", [p for p in problems if p.kind not in accept])
    spoilt = piece.spoilt
    if spoilt.any():
        from scipy.ndimage import maximum_filter1d

        spoilt = maximum_filter1d(spoilt, 2 * int(np.ceil(0.5 * low.memory / piece.step)) + 1).astype(bool)
    told = ""
    if singular:
        told = (
            f"{name}: {singular}: forces of the model grow without bound there, and behind it {', '.join(way.names[:3])} may "
            "mean another assembly than the one that was followed; leave these rows out (record.rows), split the record there, "
            "or measure another joint as well"
        )
    return _Work(piece, rows, found, np.isfinite(found.q).all(axis=1) & ~spoilt[rows], told)


def _edge(step: float, low: LowPass, late: Mapping[str, float], trim: float | str) -> float:
    """Seconds at both ends of a run that do not count; of what was shifted nothing was measured beyond the ends."""
    own = max(low.memory, 4 * step) if isinstance(trim, str) else float(trim)
    return max(own, *map(abs, late.values())) if late else own


def _compared_forces(
    model: "Model", way: Way, work: Sequence[_Work], low: LowPass, block: int, shifted: bool, notes: list[str]
) -> dict[str, float]:
    """Shifts of forces to take out, where they are looked for; those of rates are only told, for rates are not used."""
    out: dict[str, float] = {}
    step = float(np.median([w.piece.step for w in work]))
    some = [(w.piece.record, w.rows[w.good], w.states, w.good) for w in work if w.good.any()]
    forces = ForceComparison(model, some, low, step, block)
    for found in forces.shifts() if shifted else ():
        _tell([str(found.lag or "")], notes)
        if found.plain and abs(found.late) >= step:
            out[found.channel] = found.late
            notes.append(f"{found}: taken out{found.early_words}")
            if found.early_words:
                warn(notes[-1], DataWarning)
        elif (found.certain or found.likely) and abs(found.late) >= 0.1 * step:
            why = "less than a sample" if found.plain or abs(found.late) < step else "that may be chance"
            notes.append(f"{found}: {why}, left (shifts={{{found.channel!r}: {found.late:.3g}}} takes it out)")
            if found.channel == "force" and (found.likely or abs(found.late) >= step):
                warn(notes[-1], DataWarning)
    _tell(forces.doubts(), notes)
    for name in way.names if shifted and way.kind == "joints" else ():
        kept = [(r, rows) for r, rows, _, _ in some if name in r.rates and name in r.positions]
        series = []
        for record, rows in kept:
            y, x = low(record.rates[name], step), low(record.positions[name], step, order=1)
            series.append((y, rows, np.stack([x[rows], np.ones(len(rows))], axis=1)))
        shift = find_shift(f"rate {name}", series, step, 1.0) if series else None
        if shift is not None and shift.certain and abs(shift.late) >= step:
            notes.append(f"{shift}; rates are not used, positions are differentiated")
    return out


def _samples(
    model: "Model",
    work: Sequence[_Work],
    low: LowPass,
    late: dict[str, float],
    stride: int,
    block: int,
    notes: list[str],
) -> Samples:
    parts: dict[str, list[np.ndarray]] = {
        key: [] for key in ("time", "q", "v", "acceleration", "force", "wrench", "run")
    }
    names, weighed = [], all(w.piece.record.wrench is not None for w in work)
    open_loops, saturated, spoilt = 0, 0, 0
    for w in work:
        rows, record, step = w.rows[w.good], w.piece.record, w.piece.step
        lost = ~np.isfinite(w.states.q).all(axis=1)
        open_loops, saturated = open_loops + int(lost.sum()), saturated + int((~w.good & ~lost).sum())
        spoilt += int(w.piece.spoilt.sum())
        columns = []
        for drive in model.layout.drive_names:
            shift = late.get(f"force {drive}", late.get("force", 0.0))
            columns.append(UNFILTERED(record.forces[drive], step, shift)[rows])
        parts["time"].append(record.time[rows])
        parts["force"].append(np.stack(columns, axis=1))
        for key in ("q", "v", "acceleration"):
            parts[key].append(getattr(w.states, key)[w.good])
        if weighed and record.wrench is not None:
            loads = [UNFILTERED(record.wrench[:, k], step, late.get("wrench", 0.0))[rows] for k in range(6)]
            parts["wrench"].append(np.stack(loads, axis=1))
        parts["run"].append(np.full(len(rows), len(names)))
        names.append(record.name)
    if open_loops:
        notes.append(f"{open_loops} rows left out where loops do not close")
    if saturated:
        notes.append(f"{saturated} rows left out around {spoilt} saturated ones, over the filter's memory")
    misfit = np.sqrt(np.mean([w.states.misfit**2 for w in work], axis=0))
    if misfit.any():
        notes.append("coordinates contradict each other by (root mean square) " + ", ".join(f"{m:.3g}" for m in misfit))
    if any(w.piece.record.wrench is not None for w in work) and not weighed:
        raise UsageError("condition: some records have a wrench and some have none; add zeros, or leave it out of all")
    joined = {key: np.concatenate(x) for key, x in parts.items() if key != "wrench"}
    whole = Samples(
        model,
        **joined,
        wrench=np.concatenate(parts["wrench"]) if weighed else None,
        runs=tuple(names),
        band_hz=low.band_hz,
        notes=tuple(notes),
        block=block,
    )
    return whole.runs_of_equal_steps()
