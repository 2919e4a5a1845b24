"""How many modes to keep, with degenerate groups kept whole and turned into a stated position."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from gough.errors import ReductionWarning, UsageError, warn
from gough.fem.modes import ElasticModes
from gough.fem.sparse_parts import order

Measure = np.ndarray | csr_array


@dataclass(frozen=True)
class Cut:
    """Keep `count` modes, or all up to a frequency (Hz).

    Modes nearer than `pair_tolerance` (relative, in frequency) are one degenerate group. Where the cut falls inside a group:
    pairs="keep" takes the whole group, "drop" leaves it out, "split" cuts all the same; each warns.
    """

    count: int | None = None
    up_to_hz: float | None = None
    pairs: Literal["keep", "drop", "split"] = "keep"
    pair_tolerance: float = 1e-4

    def __post_init__(self) -> None:
        if (self.count is None) == (self.up_to_hz is None):
            raise UsageError("say how many modes to keep: count= or up_to_hz=, one of them")
        if self.count is not None and (self.count != int(self.count) or self.count < 0):
            raise UsageError(f"a number of modes must be a whole number from 0, not {self.count}")
        if self.up_to_hz is not None and not 0.0 < self.up_to_hz < np.inf:
            raise UsageError(f"up_to_hz must be a positive frequency, not {self.up_to_hz}")
        if self.pairs not in ("keep", "drop", "split"):
            raise UsageError(f"pairs must be 'keep', 'drop' or 'split', not {self.pairs!r}")


@dataclass(frozen=True)
class Kept:
    """λ (k,) in (rad/s)², shapes (d, k), remarks."""

    values: np.ndarray
    shapes: np.ndarray
    remarks: tuple[str, ...]


def as_cut(modes: Cut | int) -> Cut:
    """A number of modes, or the cut itself."""
    return modes if isinstance(modes, Cut) else Cut(count=modes)


def keep(solver: ElasticModes, cut: Cut, *rows: Measure) -> Kept:
    """The modes a cut asks for. rows (r, d): linear measures, most telling first, that fix signs and turn groups."""
    if cut.count == 0:
        return Kept(np.zeros(0), np.zeros((order(solver.K), 0)), ())
    values, shapes, wanted = _enough(solver, cut)
    ends = _group_ends(values, cut.pair_tolerance)
    kept, remarks = wanted, ()
    if wanted not in ends and wanted:
        start, end = max((e for e in ends if e < wanted), default=0), min(e for e in ends if e > wanted)
        kept = {"keep": end, "drop": start, "split": wanted}[cut.pairs]
        done = {"keep": "kept whole", "drop": "left out whole", "split": "split as asked"}[cut.pairs]
        hz = np.sqrt(values[start]) / (2 * np.pi)
        remark = (
            f"a cut at {wanted} modes splits the degenerate modes {start + 1}–{end} ({hz:.6g} Hz): {done}, {kept} modes"
        )
        warn(remark, ReductionWarning)
        remarks = (remark,)
    if kept == 0:
        lowest = np.sqrt(values[0]) / (2 * np.pi) if len(values) else np.inf
        raise UsageError(f"no mode is kept: the lowest is at {lowest:.6g} Hz; raise up_to_hz or count")
    return Kept(values[:kept], in_position(values, shapes, cut.pair_tolerance, *rows)[:, :kept], remarks)


def _enough(solver: ElasticModes, cut: Cut) -> tuple[np.ndarray, np.ndarray, int]:
    """Modes past the cut and past the group it falls in, and how many the cut asks for."""
    ask = (cut.count or 10) + 6
    while True:
        values, shapes = solver.lowest(min(ask, solver.available))
        everything = len(values) >= solver.available
        if cut.count is not None:
            wanted = cut.count
            if everything and wanted > len(values):
                raise UsageError(
                    f"{wanted} modes asked for, but the body has only {len(values)} elastic ones; ask for fewer"
                )
        else:
            wanted = int(np.sum(np.sqrt(values) <= 2 * np.pi * (cut.up_to_hz or 0.0)))
        ends = _group_ends(values, cut.pair_tolerance)
        past = len(ends) > 1 and wanted <= ends[-2]
        if everything or past:
            return values, shapes, wanted
        ask *= 2


def _group_ends(values: np.ndarray, tolerance: float) -> list[int]:
    """Where groups of equal frequencies end (exclusive indices)."""
    w = np.sqrt(np.maximum(values, 0.0))
    return [*(np.flatnonzero(np.diff(w) > tolerance * w[1:]) + 1).tolist(), len(w)] if len(w) else []


def in_position(values: np.ndarray, shapes: np.ndarray, tolerance: float, *rows: Measure) -> np.ndarray:
    """Shapes (d, k) with signs fixed and every degenerate group turned (see `turned`), by λ (k,) and its tolerance."""
    ends = _group_ends(values, tolerance)
    parts = [turned(shapes[:, a:b], *rows) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    return np.concatenate(parts, axis=1)


def turned(shapes: np.ndarray, *rows: Measure) -> np.ndarray:
    """The same span (d, k), orthonormally turned: the row with the largest values is carried by the first shape alone,
    positive, the next row among the rest by the second, and so on. One shape: its largest value is positive."""
    left = shapes
    done = []
    while left.shape[1]:
        measured = next(
            (m for m in (r @ left for r in rows) if np.abs(m).max(initial=0.0) > 1e-9 * np.abs(left).max()), left
        )
        size = np.linalg.norm(measured, axis=1)
        row = int(np.flatnonzero(size >= (1.0 - 1e-6) * size.max())[0])  # the first of equals: rounding does not decide
        Q = np.linalg.qr(measured[row][:, None], mode="complete")[0]
        left = left @ Q
        first = left[:, 0] * np.sign(measured[row] @ Q[:, 0])
        done.append(first)
        left = left[:, 1:]
    return np.stack(done, axis=1)
