"""Rows of the linear equations that samples give: target = Y φ + noise, φ the base parameters.

At drives     τ - rest - (share of a measured wrench) = Y φ, a row a drive
Along v       S τ + Jᵀ w - rest = Y φ, where drives are redundant or freedoms idle or elastic; a row an entry of v. Samples in
              which elastic coordinates are 0 throughout have not measured them: their rows lack the stiffness' force, and are
              left out. Idle freedoms that are taken as at rest have theirs: no force acts along them.
With gains    g f - rest - … = Y φ, the measured force f times an unknown gain g: columns -f, and known parts as the target
Rows come in chunks, of one run each, so that any number of samples takes the memory of one chunk. Where samples are to be thinned
out, Y and the target pass the same filter, so that the equations hold afterwards as before (parallel filtering).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import firwin

from gough.compilation.function import Function
from gough.errors import UsageError
from gough.identification._unknowns import Unknown
from gough.identification.base_parameters import BaseParameters
from gough.identification.data.samples import TAPS, Samples
from gough.identification.regressor import Regressor, make_regressor
from gough.program.passes.outputs import remove_dead_code

if TYPE_CHECKING:
    from gough.model import Model

CHUNK = 2**21
"""Numbers of a chunk of Y: 16 MB."""
AT_ONCE = 8
"""Rows that are thinned out together."""
KEPT = 2**24
"""Numbers of all equations together up to which they are kept: 128 MB."""
CACHED, ALONE = 2**19, 4096
"""Numbers of a chunk of Y that stays in a CPU's cache until it is used, and its samples at most: more would be shared by threads,
which have chunks of their own already."""
PARTS = 32
"""That samples are divided into for threads, however many there are: sums over parts do not depend on that."""


@dataclass(frozen=True)
class Thinning:
    """Every `factor`-th sample of what a symmetric filter leaves (no lag); ends where it would reach beyond the run are left
    out."""

    factor: int = 1

    @property
    def taps(self) -> np.ndarray:
        """Coefficients of the filter."""
        return _taps(self.factor)

    def at_spacing(self, own: float, other: float) -> "Thinning":
        """For samples `other` s apart, equations as far apart as those of samples `own` s apart."""
        return Thinning(max(1, round(self.factor * own / other)))

    @property
    def reach(self) -> int:
        """Samples to either side that a row needs."""
        return 0 if self.factor == 1 else TAPS * self.factor

    def size_of(self, samples: int) -> int:
        """Rows that are left of so many samples."""
        return max(0, (samples - 2 * self.reach + self.factor - 1) // self.factor)

    def apply(self, x: np.ndarray) -> np.ndarray:
        """Filter x (n, ...) and keep one row of `factor`."""
        if self.factor == 1:
            return x
        taps, rows = self.taps, self.size_of(len(x))
        flat = x.reshape(len(x), -1)
        out = np.zeros((rows, flat.shape[1]))
        window = np.zeros(
            (AT_ONCE, (AT_ONCE - 1) * self.factor + len(taps))
        )  # of several rows: products of matrices are quick
        for k in range(AT_ONCE):
            window[k, k * self.factor : k * self.factor + len(taps)] = taps
        for first in range(0, rows, AT_ONCE):
            own = flat[first * self.factor : first * self.factor + window.shape[1]]
            last = min(first + AT_ONCE, rows)
            np.matmul(window[: last - first, : len(own)], own, out=out[first:last])
        return out.reshape(rows, *x.shape[1:])


@cache
def _taps(factor: int) -> np.ndarray:
    out = np.ones(1) if factor == 1 else np.asarray(firwin(2 * TAPS * factor + 1, 0.8 / factor))
    out.setflags(write=False)
    return out


@dataclass(frozen=True)
class Piece:
    """Equations of a stretch of one run. Y (n, rows, size), target (n, rows); run: its number; first: the first of the samples
    that it is made of; force (n, rows): as it was measured, of which the target is a part."""

    Y: np.ndarray
    target: np.ndarray
    run: int
    first: int
    force: np.ndarray


@dataclass(frozen=True)
class Rows:
    """The linear equations of a model for its base parameters.

    at_drives: a row a drive, else a row an entry of v. function: q, v, vdot to the columns Y (rows, rank); remainder: to what no
    unknown gives, None where there is nothing. gains: whether a gain of every drive is unknown, too; these stand last in φ.
    still: whether elastic velocities have no rows, since deflections were not measured.
    """

    model: "Model"
    base: BaseParameters
    at_drives: bool
    function: Function
    remainder: Function | None
    gains: bool = False
    still: bool = False

    @classmethod
    def of(cls, model: "Model", base: BaseParameters, gains: bool = False, still: bool = False) -> "Rows":
        """At drives, where drive forces follow from the motion."""
        layout = model.layout
        at_drives = len(layout.drive_names) == layout.nv and model.driven
        rows = "drives" if at_drives else "freedoms"
        unknowns = base.regressor.unknowns
        whole = model.cached(("regressor", rows, unknowns), lambda: make_regressor(model, unknowns, rows))
        if gains and not at_drives:
            raise UsageError(
                "parameters='gains': drives are redundant, or freedoms idle or elastic, so that a force is not a gain times one "
                "measurement; calibrate the gains of these drives by themselves"
            )
        count = layout.rigid if still else len(whole.row_names)
        key = ("chosen columns", rows, unknowns, base.kept, count)
        function = model.cached(key, lambda: _chosen_columns(whole, base.kept, count))
        return cls(model, base, at_drives, function, whole.remainder, gains, still)

    @property
    def size(self) -> int:
        """Numbers in φ: base parameters, then gains."""
        return self.base.rank + (len(self.names) if self.gains else 0)

    @property
    def first(self) -> np.ndarray:
        """φ (size,) of the description."""
        return np.concatenate([self.base.values, np.ones(self.size - self.base.rank)])

    @property
    def names(self) -> tuple[str, ...]:
        """Of the rows: drives, or entries of v."""
        layout = self.model.layout
        return layout.drive_names if self.at_drives else layout.v_names[: layout.rigid if self.still else layout.nv]

    def pieces(self, samples: Samples, thinning: Thinning, numbers: int = CHUNK) -> Iterator[Piece]:
        """All equations of samples, chunk by chunk; UsageError for samples at which the robot has no state."""
        each = numbers // (len(self.names) * max(1, self.size))
        return (self.piece(samples, thinning, *span) for span in spans(samples, thinning, each))

    def piece(self, samples: Samples, thinning: Thinning, run: int, start: int, stop: int) -> Piece:
        """The equations of samples start … stop of a run."""
        Y, target, force = (thinning.apply(x) for x in self.equations(samples, slice(start, stop)))
        return Piece(Y, target, run, start, force)

    def equations(self, samples: Samples, part: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(Y (n, rows, p), target (n, rows), force (n, rows)) of a part of the samples; force: of the drives as it was measured,
        along v that of drives and surroundings together."""
        given = {"q": samples.q, "v": samples.v, "vdot": samples.acceleration}
        state = {name: np.asarray(x[part]) for name, x in given.items()}
        found = self.function(**state, parameters=self.model.parameters)
        if len(found.bad):
            k = int(found.bad[0])
            where = f"run {samples.runs[samples.run[part][k]]!r}, t = {samples.time[part][k]:.6g} s"
            raise UsageError(f"{len(found.bad)} samples have no state, the first at {where}: {found.failed[0]}")
        Y, whole = found.outputs["Y"], self.measured_force(samples, part)
        target = whole
        if self.remainder is not None:
            rest = self.remainder(**state, parameters=self.model.parameters).outputs["force"]
            target = target - rest[..., : len(self.names)]
        force = samples.force[part] if self.at_drives else whole
        if not self.gains:
            return Y, target, force
        return np.concatenate([Y, -force[:, :, None] * np.eye(force.shape[1])], axis=2), target - force, force

    def along_velocities(
        self,
        model: "Model",
        unknowns: tuple[Unknown, ...],
        numbers: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        acceleration: np.ndarray,
    ) -> np.ndarray:
        """Columns (n, nv, p) of the forces along v of a model with the same unknowns, as they stand in its parameters; numbers
        (n,): its own (widths of friction)."""
        kept = self.base.kept
        found = model.cached(
            ("columns along v", unknowns, kept),
            lambda: _chosen_columns(make_regressor(model, unknowns, "freedoms"), kept, model.layout.nv),
        )
        return found.values(q=q, v=v, vdot=acceleration, parameters=numbers)["Y"]

    def force(self, samples: Samples, part: slice) -> np.ndarray:
        """Of the drives as it was measured (n, rows), along v that of drives and surroundings together."""
        return samples.force[part] if self.at_drives else self.measured_force(samples, part)

    def measured_force(self, samples: Samples, part: slice) -> np.ndarray:
        """What the drives and the surroundings give (n, rows), as the rows have it."""
        model, q, v, a = self.model, samples.q[part], samples.v[part], samples.acceleration[part]
        force, w = samples.force[part], None if samples.wrench is None else samples.wrench[part]
        if self.at_drives:
            if w is None:
                return force
            return force + model.inverse_dynamics(q, v, a).tau - model.inverse_dynamics(q, v, a, w).tau
        residual = model.function("dynamics_residual")
        nothing = {
            slot.name: np.zeros(slot.size) for slot in residual.program.inputs if slot.name in ("wrench", "force")
        }
        state = {"q": q, "v": v, "vdot": a, "parameters": model.parameters}
        free = residual(**state, tau=np.zeros_like(force), **nothing).outputs["residual"]
        load = nothing if w is None else nothing | {"wrench": w}
        return (free - residual(**state, tau=force, **load).outputs["residual"])[..., : len(self.names)]


@dataclass(frozen=True, eq=False)
class EquationPart:
    """Some of the equations of samples, and of others at the same times: pieces of all of them together. spans: where the pieces
    begin and end; kept: the only ones, where they are in memory."""

    rows: Rows
    thinning: Thinning
    samples: tuple[Samples, ...]
    spans: tuple[tuple[int, int, int], ...]
    kept: tuple[Piece, ...] | None = None

    def __iter__(self) -> Iterator[tuple[Piece, ...]]:
        if self.kept is not None:
            yield self.kept
        for span in self.spans:
            yield tuple(self.rows.piece(x, self.thinning, *span) for x in self.samples)

    def alone(self) -> "EquationPart":
        """The same with its own samples only."""
        first, last = min(start for _, start, _ in self.spans), max(stop for _, _, stop in self.spans)
        own = tuple((run, start - first, stop - first) for run, start, stop in self.spans)
        return EquationPart(self.rows, self.thinning, tuple(x.rows(slice(first, last)) for x in self.samples), own)


@dataclass(frozen=True, eq=False)
class ForceEquations:
    """All equations that samples give, to be gone through several times: kept where they are few, else made anew each time."""

    rows: Rows
    samples: Samples
    thinning: Thinning

    @cached_property
    def count(self) -> int:
        """Of every kind of row."""
        return sum(self.thinning.size_of(end - begin) for _, begin, end in stretches(self.samples))

    def __iter__(self) -> Iterator[Piece]:
        return iter(self._kept) if self._few else self.rows.pieces(self.samples, self.thinning)

    @property
    def _few(self) -> bool:
        return self.count * len(self.rows.names) * (self.rows.size + 1) <= KEPT

    @cached_property
    def _kept(self) -> tuple[Piece, ...]:
        return tuple(self.rows.pieces(self.samples, self.thinning))

    def parts(self, together: int = 1, *others: "ForceEquations") -> "list[EquationPart]":
        """The same equations in parts, however many threads or workers go through them; each has one piece in memory at a time.
        together: equations that stay in one piece, where pieces are not kept. others: equations of other samples at the same
        times, whose pieces come with these."""
        rows, thinning = self.rows, self.thinning
        samples = (self.samples, *(x.samples for x in others))
        if all(x._few for x in (self, *others)):
            kept = zip(*(x._kept for x in (self, *others)), strict=True)
            return [EquationPart(rows, thinning, (), (), pieces) for pieces in kept]
        numbers = CACHED if thinning.factor == 1 else CHUNK
        each = min(numbers // (len(rows.names) * max(1, rows.size)), ALONE)
        places = list(spans(self.samples, thinning, each, together))
        ends = np.linspace(0, len(places), min(PARTS, len(places)) + 1).astype(int)
        return [EquationPart(rows, thinning, samples, tuple(places[a:b])) for a, b in pairwise(ends)]

    def force_squares(self) -> np.ndarray:
        """Σ force² (rows,) as it was measured."""
        rows, samples, thinning = self.rows, self.samples, self.thinning
        out = np.zeros(len(rows.names))
        for _, start, stop in spans(samples, thinning, ALONE):
            out += (thinning.apply(rows.force(samples, slice(start, stop))) ** 2).sum(axis=0)
        return out

    def at(self, samples: Samples) -> "ForceEquations":
        """The same of other samples."""
        return ForceEquations(self.rows, samples, self.thinning)


def stretches(samples: Samples) -> Iterator[tuple[int, int, int]]:
    """(run, first sample, one behind the last) of every run."""
    edges = np.flatnonzero(np.diff(samples.run, prepend=-1, append=-1))
    for begin, end in pairwise(edges):
        yield int(samples.run[begin]), int(begin), int(end)


def spans(samples: Samples, thinning: Thinning, each: int, together: int = 1) -> Iterator[tuple[int, int, int]]:
    """(run, first sample, one behind the last) of pieces of about `each` samples, in their order; neighbours share samples that a
    filter needs. together: equations that stay in one piece, counted from where a run begins."""
    each = max(2 * thinning.reach + thinning.factor, each)
    kept = max(1, (each - 2 * thinning.reach) // thinning.factor)
    kept = -(-kept // together) * together
    for run, begin, end in stretches(samples):
        total = thinning.size_of(end - begin)
        for first in range(0, total, kept):
            last = min(first + kept, total)
            stop = begin + (last - 1) * thinning.factor + 2 * thinning.reach + 1
            yield run, begin + first * thinning.factor, stop


def drop_short_runs(samples: Samples, thinning: Thinning) -> tuple[Samples, list[int], str]:
    """(samples without runs that give no equation, numbers of those that are left, what to say of the others); all of them where
    none gives any."""
    runs = list(stretches(samples))
    long = [run for run, begin, end in runs if thinning.size_of(end - begin)]
    if not long or len(long) == len(runs):
        return samples, list(range(len(samples.runs))), ""
    short = [f"{samples.runs[run]!r} ({end - begin} rows)" for run, begin, end in runs if run not in long]
    few = ", ".join(short[:6]) + (f" and {len(short) - 6} more" if len(short) > 6 else "")
    told = (
        f"too short for an equation, which takes {2 * thinning.reach + 1} rows, and left out: {few}; record for longer, or thin "
        "out less (thin=)"
    )
    left = samples.rows(np.isin(samples.run, long))
    number = np.searchsorted(long, left.run)
    return replace(left, run=number, runs=tuple(samples.runs[run] for run in long)), long, told


def deflections_are_still(samples: Samples) -> bool:
    """Whether elastic freedoms were taken as at rest."""
    layout = samples.model.layout
    return layout.v_elastic > 0 and not samples.q[:, layout.elastic].any() and not samples.v[:, layout.rigid :].any()


def _chosen_columns(y: Regressor, kept: Sequence[int], rows: int) -> Function:
    """The regressor with only some of its columns, and the first of its rows."""
    whole: Any = y.function
    program, n = whole.program, len(y.unknowns)
    results = tuple(program.results[r * n + k] for r in range(rows) for k in kept)
    slot = replace(program.outputs[0], shape=(rows, len(kept)))
    chosen = remove_dead_code(replace(program, results=results, outputs=(slot,)))
    return Function(chosen, whole.table, whole.pattern, precision=whole.precision)
