"""Samples: states of the closed robot and the forces that were measured there, ready for estimators."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, number, words
from gough.errors import DataWarning, UsageError, warn
from gough.frozen import lock_arrays

if TYPE_CHECKING:
    from gough.model import Model

PARTS = 8
"""Parts that a run is cut into, where its validation rows come from the run itself and it is long enough."""
TAPS = 4
"""Length of the filter before equations are thinned out, in equations, to either side."""
FEWEST = 4
"""Equations of a part that is held out, at least."""
SHORTEST = 8
"""Rows of a run that is kept where runs are cut."""
MEMORY = 4.0
"""1/band: rows this near to the other part know of it through the filter."""


@dataclass(frozen=True)
class Samples:
    """States and forces, a row a sample; those of several runs one after the other.

    time (n,): s, within its run. q (n, nq), v (n, nv), acceleration (n, nv): the loops are closed. force (n, drives): as it was
    measured, not filtered: the equations are, both sides alike. wrench (n, 6): on the platform, or None. run (n,): which run,
    counted from 0; runs: their names. band_hz: up to where states hold (filters), None where nothing was filtered. notes: what
    was done to the data.
    Rows of a run follow one another at equal steps. block: rows that one equation is made of, regressor and force filtered alike.
    """

    model: "Model"
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    force: np.ndarray
    wrench: np.ndarray | None
    run: np.ndarray
    runs: tuple[str, ...]
    band_hz: float | None = None
    notes: tuple[str, ...] = ()
    block: int = 1

    def __post_init__(self) -> None:
        lock_arrays([self.time, self.q, self.v, self.acceleration, self.force, self.wrench, self.run])

    def __len__(self) -> int:
        return len(self.time)

    @property
    def spacing(self) -> float:
        """Usual time between neighbours (s)."""
        same = self.run[1:] == self.run[:-1]
        return float(np.median(np.diff(self.time)[same])) if same.any() else 1.0

    def rows(self, which: Any) -> "Samples":
        """Some of the rows: a slice, a mask (n,) or indices; runs keep their numbers."""
        own = {key: getattr(self, key)[which] for key in ("time", "q", "v", "acceleration", "force", "run")}
        return replace(self, **own, wrench=None if self.wrench is None else self.wrench[which])

    def runs_of_equal_steps(self) -> "Samples":
        """The same with runs cut where rows are missing, so that rows of a run follow one another at equal steps. Parts with
        fewer rows than SHORTEST, or than two equations have, are left out, and noted; a run that is lost so is a DataWarning."""
        out = self._equal_steps()
        whole = {name.rpartition(" (part ")[0] or name for name in out.runs} | set(out.runs)
        lost = [f"{n!r} ({int((self.run == k).sum())} rows)" for k, n in enumerate(self.runs) if n not in whole]
        if not lost or not len(out):
            return out
        few = ", ".join(lost[:6]) + (f" and {len(lost) - 6} more" if len(lost) > 6 else "")
        text = f"runs left out, since too few rows are left of them: {few}; record for longer, or give a wider band="
        warn(text, DataWarning)
        return replace(out, notes=(*out.notes, text))

    def _equal_steps(self) -> "Samples":
        if not len(self):
            return self
        steps, same = np.diff(self.time), self.run[1:] == self.run[:-1]
        usual = float(np.median(steps[same])) if same.any() else 0.0
        cut = ~same | (np.abs(steps - usual) > 0.5 * usual)
        starts = np.flatnonzero(np.concatenate([[True], cut]))
        lengths = np.diff(np.append(starts, len(self)))
        long = lengths >= max(SHORTEST, 2 * self.block)
        if not long.any():
            return self.rows(slice(0, 0))
        kept = np.repeat(long, lengths)
        number = np.repeat(np.cumsum(long) - 1, lengths)[kept]
        old = self.run[starts[long]]
        several = np.bincount(old, minlength=len(self.runs)) > 1
        nth = [int((old[:k] == r).sum()) for k, r in enumerate(old)]
        names = tuple(
            f"{self.runs[r]} (part {k})" if several[r] else self.runs[r] for r, k in zip(old, nth, strict=True)
        )
        notes = self.notes
        if not long.all():
            notes += (
                f"{int((~long).sum())} parts of runs left out: {int((~kept).sum())} rows, too few for two equations",
            )
        left = self if kept.all() else self.rows(kept)  # all of them stay where they lie, on a disk perhaps
        return replace(left, run=number, runs=names, notes=notes)

    @checked(validation=number(above=0, most=0.9) | words, part_s=number(above=0))
    def split(
        self, validation: float | Sequence[str] = 0.25, *, part_s: float | None = None
    ) -> tuple["Samples", "Samples"]:
        """(training, validation): rows of different runs, or of different times of a run.

        validation: names of the runs to validate with, or a share of 0 … 0.9. Of several runs whole ones are taken, the last; of
        a single run, or with part_s, parts of that many seconds, at the end of every period of which they are that share
        (default: an eighth of the run or more, so that equations fit into them), with rows between them left out that the
        filter mixes.
        """
        if not isinstance(validation, float | int):
            strange = [n for n in validation if n not in self.runs]
            if strange:
                raise UsageError(f"split: no run {strange[0]!r}; there are {', '.join(self.runs)}")
            return self._by_runs([self.runs.index(n) for n in validation])
        present = np.unique(self.run)
        if part_s is None and len(present) > 1:
            count = min(max(round(float(validation) * len(present)), 1), len(present) - 1)
            return self._by_runs(present[-count:].tolist())
        mask, edge = np.zeros(len(self), dtype=bool), np.zeros(len(self), dtype=bool)
        share = float(validation)
        guard = 0.0 if self.band_hz is None else MEMORY / self.band_hz
        for run in present:
            own = np.flatnonzero(self.run == run)
            since = self.time[own] - self.time[own[0]]
            length = max(float(since[-1]), 1e-12)
            period = length / self._periods(length, share, guard) if part_s is None else part_s / share
            place = since / period + 1e-9
            mask[own] = place % 1.0 >= 1.0 - share
            for k in range(int(place[-1]) + 1):
                for cut in (k, k + 1.0 - share) if k else (1.0 - share,):
                    edge[own] |= np.abs(since - cut * period) < 0.5 * guard
        return self._of_masks(~mask & ~edge, mask & ~edge)

    def _periods(self, length: float, share: float, guard: float) -> int:
        """Of a run of that many seconds: as many as leave FEWEST equations in every part."""
        needed = guard + self.spacing * max(SHORTEST, ((2 * TAPS if self.block > 1 else 0) + FEWEST) * self.block + 1)
        shorter = min(share, 1.0 - share) * length
        return min(max(round(PARTS * min(share, 1.0 - share)), 1), max(int(shorter / needed), 1))

    def _by_runs(self, runs: Sequence[int]) -> tuple["Samples", "Samples"]:
        mask = np.isin(self.run, runs)
        return self._of_masks(~mask, mask)

    def _of_masks(self, training: np.ndarray, validation: np.ndarray) -> tuple["Samples", "Samples"]:
        parts = self.rows(training)._equal_steps(), self.rows(validation)._equal_steps()
        for name, part in zip(("training", "validation"), parts, strict=True):
            rows = np.bincount(part.run).max() if len(part) else 0
            least = 2 * TAPS * self.block + 1 if self.block > 1 else 1
            if rows < least:
                raise UsageError(
                    f"split: nothing is left for {name}: parts have at most {rows} rows, and an equation takes {least}; give "
                    "another share, part_s=, a record of its own, or condition with a wider band="
                )
        return parts

    def __repr__(self) -> str:
        band = "unfiltered" if self.band_hz is None else f"up to {self.band_hz:.4g} Hz"
        many = f"{len(np.unique(self.run))} run{'s' if len(np.unique(self.run)) != 1 else ''}"
        return f"<gough.Samples {self.model.robot.name}: {len(self)} rows of {many}, {band}, {self.block} rows an equation>"
