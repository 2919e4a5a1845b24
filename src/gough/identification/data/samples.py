"""Samples: states of the closed robot and the forces that were measured there, ready for estimators."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, number, words
from gough.errors import UsageError
from gough.frozen import lock_arrays

if TYPE_CHECKING:
    from gough.model import Model

PARTS = 8
"""Parts that a run is cut into, where its validation rows come from the run itself."""
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
        """The same with runs cut where rows are missing, so that rows of a run follow one another at equal steps."""
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
        return replace(self.rows(kept), run=number, runs=names)

    @checked(validation=number(above=0, most=0.9) | words, part_s=number(above=0))
    def split(
        self, validation: float | Sequence[str] = 0.25, *, part_s: float | None = None
    ) -> tuple["Samples", "Samples"]:
        """(training, validation): rows of different runs, or of different times of a run.

        validation: names of the runs to validate with, or a share. Of several runs whole ones are taken, the last; of a single
        run, or with part_s, parts of that many seconds (default an eighth of the run) here and there, with rows between them left
        out that the filter mixes.
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
        every = max(round(1.0 / float(validation)), 2)
        guard = 0.0 if self.band_hz is None else MEMORY / self.band_hz
        for run in present:
            own = np.flatnonzero(self.run == run)
            since = self.time[own] - self.time[own[0]]
            length = part_s or max(float(since[-1]), 1e-12) / PARTS
            part = np.floor(since / length).astype(int)
            mask[own] = part % every == every - 1
            for k in np.unique(part)[1:]:
                if (k % every == every - 1) != ((k - 1) % every == every - 1):
                    edge[own] |= np.abs(since - k * length) < 0.5 * guard
        return self._of_masks(~mask & ~edge, mask & ~edge)

    def _by_runs(self, runs: Sequence[int]) -> tuple["Samples", "Samples"]:
        mask = np.isin(self.run, runs)
        return self._of_masks(~mask, mask)

    def _of_masks(self, training: np.ndarray, validation: np.ndarray) -> tuple["Samples", "Samples"]:
        for name, mask in (("training", training), ("validation", validation)):
            if not mask.any():
                raise UsageError(f"split: nothing is left for {name}; give another share, part_s=, or more runs")
        return self.rows(training).runs_of_equal_steps(), self.rows(validation).runs_of_equal_steps()

    def __repr__(self) -> str:
        band = "unfiltered" if self.band_hz is None else f"up to {self.band_hz:.4g} Hz"
        many = f"{len(np.unique(self.run))} run{'s' if len(np.unique(self.run)) != 1 else ''}"
        return f"<gough.Samples {self.model.robot.name}: {len(self)} rows of {many}, {band}, {self.block} rows an equation>"
