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
from functools import cached_property
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
KEPT = 2**24
"""Numbers of all equations together up to which they are kept: 128 MB."""


@dataclass(frozen=True)
class Thinning:
    """Every `factor`-th sample of what a symmetric filter leaves (no lag); ends where it would reach beyond the run are left
    out."""

    factor: int = 1

    @property
    def taps(self) -> np.ndarray:
        """Coefficients of the filter."""
        if self.factor == 1:
            return np.ones(1)
        return np.asarray(firwin(2 * TAPS * self.factor + 1, 0.8 / self.factor))

    @property
    def reach(self) -> int:
        """Samples to either side that a row needs."""
        return len(self.taps) // 2

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
        for k, tap in enumerate(taps):
            out += tap * flat[k : k + (rows - 1) * self.factor + 1 : self.factor]
        return out.reshape(rows, *x.shape[1:])


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
        function = _chosen_columns(whole, base.kept, layout.rigid if still else len(whole.row_names))
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
        each = max(2 * thinning.reach + thinning.factor, numbers // (len(self.names) * max(1, self.size)))
        kept = max(1, (each - 2 * thinning.reach) // thinning.factor)
        for run, begin, end in stretches(samples):
            total = thinning.size_of(end - begin)
            for first in range(0, total, kept):
                last = min(first + kept, total)
                start = begin + first * thinning.factor
                stop = begin + (last - 1) * thinning.factor + 2 * thinning.reach + 1
                Y, target, force = (thinning.apply(x) for x in self.equations(samples, slice(start, stop)))
                yield Piece(Y, target, run, start, force)

    def equations(self, samples: Samples, part: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(Y (n, rows, p), target (n, rows), force (n, rows)) of a part of the samples; force: of the drives as it was measured,
        along v that of drives and surroundings together."""
        state = {"q": samples.q[part], "v": samples.v[part], "vdot": samples.acceleration[part]}
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
        few = self.count * len(self.rows.names) * (self.rows.size + 1) <= KEPT
        return iter(self._kept) if few else self.rows.pieces(self.samples, self.thinning)

    @cached_property
    def _kept(self) -> tuple[Piece, ...]:
        return tuple(self.rows.pieces(self.samples, self.thinning))

    def at(self, samples: Samples) -> "ForceEquations":
        """The same of other samples."""
        return ForceEquations(self.rows, samples, self.thinning)


def stretches(samples: Samples) -> Iterator[tuple[int, int, int]]:
    """(run, first sample, one behind the last) of every run."""
    edges = np.flatnonzero(np.diff(samples.run, prepend=-1, append=-1))
    for begin, end in pairwise(edges):
        yield int(samples.run[begin]), int(begin), int(end)


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
