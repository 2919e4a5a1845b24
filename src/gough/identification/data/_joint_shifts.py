"""One shift of the forces of all drives, against the motion of all of them.

A drive alone tells little: its rate, its acceleration and friction take up what a delay makes. The same masses explain the forces
of all drives, though, and those have no freedom left for a delay: with y_k the force of drive k, B_k the columns of all base
parameters and of each drive's own friction and offset, both filtered and thinned out alike, and weights w_k,

    J(δ) = min over φ of Σ_k w_k² |y_k(t + δ) - B_k φ|²,                                                          (1)

on a grid of shifts, then by the slope ẏ. A step with a shift for each drive says whether they agree; where they do not, each has
its own. The deviation is that of noise, or of its spread over stretches of the record, or BLUR of the period of the band, the
largest: friction that the filter blurs makes a little of a shift.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.identification.base_parameters import BaseParameters
from gough.identification.data._lags import find_lag
from gough.identification.data._shifts import CERTAIN, ENOUGH, LONGEST, STRETCHES, TAKEN, Shift
from gough.identification.data._states import RobotStates
from gough.identification.data.record import Record
from gough.identification.estimation.rows import Rows, Thinning

if TYPE_CHECKING:
    from gough.model import Model

NUMBERS = 2**24
"""Of all columns before they are thinned out; of longer records the middle is looked at."""
COARSE = 0.02
"""Steps of the grid, in periods of the band."""
BLUR = 0.0025
ROUNDS, STEPS = 2, 4
"""Of weights, and of the slope."""
ROUNDING = 1e-9
Force = Callable[..., np.ndarray]
Known = tuple[Record, np.ndarray, RobotStates, np.ndarray]


@dataclass(frozen=True)
class _FilteredPiece:
    """Consecutive rows of a record: curves of its forces over row numbers, rows (m,), known part of the forces (m, k), filtered
    columns (n, k, p)."""

    curve: Any
    rows: np.ndarray
    known: np.ndarray
    columns: np.ndarray


def find_joint_shifts(
    model: "Model",
    base: BaseParameters,
    known: Sequence[Known],
    block: int,
    step: float,
    band_hz: float | None,
) -> list[Shift]:
    """One shift, of "force", or one of each drive where they differ; none where nothing can be told."""
    rows, thinning, names = Rows.of(model, base), Thinning(block), model.layout.drive_names
    if len(names) < 2 or not rows.at_drives:
        return []
    whole = [part for entry in known for part in _stretches(rows, thinning, entry, sum(len(e[1]) for e in known))]
    if not whole:
        return []
    room = min(min(int(s.rows[0]), len(s.curve.x) - 1 - int(s.rows[-1])) for s in whole)
    most = min(LONGEST, step * room)
    B = np.concatenate([s.columns for s in whole])
    if most < 2 * step or B.shape[0] * B.shape[1] < ENOUGH * B.shape[2]:
        return []

    def force(late: np.ndarray, order: int = 0) -> np.ndarray:
        """Filtered forces (n, k), or their slopes, brought back by late (k,)."""
        parts = []
        for s in whole:
            y = np.stack([s.curve(s.rows + x / step, order)[:, k] for k, x in enumerate(late)], axis=1)
            parts.append(thinning.apply(y / step if order else y - s.known))
        return np.concatenate(parts)

    one = np.ones(len(names))
    size = np.sqrt(np.mean(np.concatenate([s.curve(s.rows) for s in whole]) ** 2, axis=0))
    if not (size > 0).all():
        return []
    apart = max(step, COARSE / band_hz if band_hz else step)
    grid = np.arange(-int(most / apart), int(most / apart) + 1) * apart
    tried, late, rest = [force(x * one) for x in grid], 0.0 * one, _Rest(B, 1.0 / size)
    for turn in range(ROUNDS):
        if turn:
            rest = _Rest(B, 1.0 / np.maximum(rest.sizes(force(late)), ROUNDING * size))
        best = int(np.argmin([np.linalg.norm(rest(y)) for y in tried]))
        if best in (0, len(grid) - 1):
            return []
        late = _refined(rest, force, grid[best] * one, np.ones((len(names), 1)), most)
    blur = BLUR / band_hz if band_hz else 0.0
    scale = float(np.sqrt(np.mean((rest.sizes(force(late)) / size) ** 2)))
    last = float(np.linalg.norm(rest(force(late))))

    def shares(at: np.ndarray) -> float:
        return scale * float(np.linalg.norm(rest(force(at)))) / max(last, 1e-300)

    chance = float(_change(rest, force, late, np.ones((len(names), 1)))[1][0])
    common = max(chance, blur)
    own = _refined(rest, force, late, np.eye(len(names)), most)
    each = np.maximum(_change(rest, force, own, np.eye(len(names)))[1], blur)
    before, after, apart_after = shares(0.0 * one), shares(late), shares(own)
    if apart_after < TAKEN * after and (np.abs(own - late) > CERTAIN * each).any():
        return [
            Shift(f"force {d}", float(x), float(s), before, apart_after, step, "of the forces")
            for d, x, s in zip(names, own, each, strict=True)
        ]
    lag = find_lag(lambda order: force(0.0 * one, order), rest, rest(force(late)), blur)
    likely = abs(float(late[0])) > blur + CERTAIN * chance and after < TAKEN * before
    return [Shift("force", float(late[0]), common, before, after, step, "of the forces", likely, lag)]


class _Rest:
    """What the columns (n, k, p) do not explain of forces (n, k), in units of 1/weights (k,)."""

    def __init__(self, columns: np.ndarray, weights: np.ndarray) -> None:
        B = (columns * weights[:, None]).reshape(-1, columns.shape[2])
        size = np.linalg.norm(B, axis=0)
        U, s, _ = np.linalg.svd(B[:, size > 0] / size[size > 0], full_matrices=False)
        self.weights, self.basis = weights, U[:, s > 1e-9 * s[0]]

    def __call__(self, force: np.ndarray) -> np.ndarray:
        y = (force * self.weights).ravel()
        return y - self.basis @ (self.basis.T @ y)

    def sizes(self, force: np.ndarray) -> np.ndarray:
        """Root mean square (k,) of what is left of each drive's force."""
        return np.sqrt(np.mean(self(force).reshape(force.shape) ** 2, axis=0)) / self.weights


def _change(rest: _Rest, force: Force, late: np.ndarray, ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(change (m,) along ways (k, m) that makes the rest smallest, its deviation)."""
    r, slope = rest(force(late)), force(late, 1)
    G = np.stack([rest(slope * way) for way in ways.T], axis=1)
    inverse = np.linalg.pinv(G.T @ G)
    moved = -inverse @ (G.T @ r)
    left = r + G @ moved
    noise = float(left @ left) / max(len(r) - G.shape[1] - rest.basis.shape[1], 1)
    parts = np.stack([x.sum(axis=0) for x in np.array_split(G * left[:, None], STRETCHES)])
    rough = inverse @ (parts.T @ parts) @ inverse * STRETCHES / (STRETCHES - 1)
    return moved, np.sqrt(np.maximum(noise * np.diag(inverse), np.diag(rough)))


def _refined(rest: _Rest, force: Force, late: np.ndarray, ways: np.ndarray, most: float) -> np.ndarray:
    for _ in range(STEPS):
        late = np.clip(late + ways @ _change(rest, force, late, ways)[0], -most, most)
    return late


def _stretches(rows: Rows, thinning: Thinning, entry: Known, total: int) -> Iterator[_FilteredPiece]:
    """Those of a record that are long enough for an equation; of long ones the middle."""
    from scipy.interpolate import CubicSpline

    record, places, states, good = entry
    model, names = rows.model, rows.model.layout.drive_names
    numbers = len(names) * (rows.base.rank + 3 * len(names))
    share = min(1.0, NUMBERS / (numbers * max(total, 1)))
    q, v, a = states.q[good], states.v[good], states.acceleration[good]
    steps = np.diff(places)
    stride = int(np.median(steps)) if len(steps) else 1
    edges = [0, *(np.flatnonzero(steps != stride) + 1).tolist(), len(places)]
    curve = CubicSpline(np.arange(len(record)), np.stack([record.forces[d] for d in names], axis=1))
    at = [model.mechanism.links[d.link].u for d in model.mechanism.drives]
    for begin, end in pairwise(edges):
        cut = int(0.5 * (1.0 - share) * (end - begin))
        part = slice(begin + cut, end - cut)
        if not thinning.size_of(part.stop - part.start):
            continue
        state = {"q": q[part], "v": v[part], "parameters": model.parameters}
        found = rows.function(**state, vdot=a[part])
        if len(found.bad):
            continue
        count = part.stop - part.start
        rest = np.zeros((count, len(names)))
        if rows.remainder is not None:
            rest = rest + rows.remainder(**state, vdot=a[part]).outputs["force"]
        if record.wrench is not None:
            free = model.inverse_dynamics(q[part], v[part], a[part][:, : model.layout.mobility]).tau
            load = record.wrench[places[part]]
            rest = rest + model.inverse_dynamics(q[part], v[part], a[part][:, : model.layout.mobility], load).tau - free
        rate = model.function("tree_rates").values(**state)["u"][:, at]
        eye = np.eye(len(names))
        own = [x[:, :, None] * eye for x in (rate, np.sign(rate), np.ones_like(rate))]
        columns = np.concatenate([found.outputs["Y"], *own], axis=2)
        yield _FilteredPiece(curve, places[part], rest, thinning.apply(columns))
