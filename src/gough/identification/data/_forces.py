"""Measured forces against what the model says of the same states: shifts in time, wrong signs, sizes that no robot has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.identification._unknowns import DEFAULT
from gough.identification.base_parameters import BaseParameters, base_parameters
from gough.identification.data._filters import LowPass, noise_bandwidth
from gough.identification.data._joint_shifts import find_joint_shifts
from gough.identification.data._shifts import Shift, find_shift
from gough.identification.data._states import RobotStates
from gough.identification.data.record import Record

if TYPE_CHECKING:
    from gough.model import Model

MOST_ROWS = 6000
"""Rows of a record that are compared."""
AGAINST = -0.5
"""Correlation of a measured with the model's force that shows a wrong sign."""
ANOTHERS, APART = 0.8, 0.3
"""Correlation with another drive's force, and by how much it is above that with its own, that shows swapped columns."""
FAR = 100.0
"""Factor between their sizes that no mistake of a description makes."""
LARGE, ALONE = 8.0, 5.0
"""Factor between them, of all drives and of one against the others, that is told where the model explains the force but for it;
masses of a description may be wrong by 2 or 3."""
EXPLAINED, HARDLY = 0.8, 0.1
"""Correlation that counts as explained; part of the model's force that is more than friction's columns make."""
FRICTION = slice(-3, None)
"""Columns of a drive's rate, the sign of it, and 1."""
Known = tuple[Record, np.ndarray, RobotStates, np.ndarray]
"""A record, rows of it, states at these and others, which of the states are those of the rows."""


class ForceComparison:
    """Filtered forces of records beside the model's, drive by drive."""

    def __init__(self, model: "Model", known: Sequence[Known], low: LowPass, step: float, block: int) -> None:
        self.model, self.low, self.step = model, low, step  # of all records nearly the same
        self.known, self.block = known, block
        self.tables = [_columns(model, *entry) for entry in known]
        self.forces = [
            [low(r.forces[d], r.duration / (len(r) - 1)) for r, *_ in known] for d in model.layout.drive_names
        ]

    def shifts(self) -> Iterator[Shift]:
        """By how much the forces come late, where that can be told: of all drives together, else of each alone. Not where drives
        are redundant, whose forces do not follow from the motion."""
        base = _regressor(self.model)
        if base is None:
            return
        joint = find_joint_shifts(self.model, base, self.known, self.block, self.step, self.low.band_hz)
        if any(found.plain for found in joint):
            yield from joint
            return
        apart = list(self._separate_shifts())
        yield from apart
        if not any(found.plain for found in apart):
            yield from joint

    def _separate_shifts(self) -> Iterator[Shift]:
        apart = float(np.median([np.median(np.diff(rows)) if len(rows) > 1 else 1 for rows, _, _ in self.tables]))
        band = self.low.band_hz
        share = 1.0 if band is None else min(1.0, 2 * noise_bandwidth(band) * self.step * apart)
        for k, drive in enumerate(self.model.layout.drive_names):
            pieces = [(y, rows, columns[k]) for y, (rows, columns, _) in zip(self.forces[k], self.tables, strict=True)]
            found = find_shift(f"force {drive}", pieces, self.step, share)
            if found is not None:
                yield found

    def doubts(self) -> Iterator[str]:
        """What is strange about forces: against the model's, or far from their size, all drives or one alone."""
        near: dict[str, float] = {}
        swapped = self._swapped_pairs()
        for k, drive in enumerate(self.model.layout.drive_names):
            y = np.concatenate([y[rows] for y, (rows, _, _) in zip(self.forces[k], self.tables, strict=True)])
            expected = np.concatenate([own[:, k] for _, _, own in self.tables])
            size, own = float(np.sqrt(np.mean(y**2))), float(np.sqrt(np.mean(expected**2)))
            if size == 0.0 or own == 0.0:
                continue
            both = float(np.mean(y * expected)) / (size * own)
            other = self._meant_for(k, y, both)
            if other is not None and other[1] <= -both:  # its own, with the other sign, says more
                other = None
            if other is None and k in swapped:
                other, both = swapped[k]
            if other is not None:
                yield (
                    f"force {drive} is like what the model says of {other[0]} (correlation {other[1]:.2f}, with its own "
                    f"{both:.2f}): are columns swapped? Check the column map"
                )
            elif both < AGAINST:
                yield f"force {drive} acts against what the model says (correlation {both:.2f}): is its sign right (sign: -1)?"
            ratio = size / own
            if ratio > FAR or ratio < 1 / FAR:
                unit = self.model.layout.drive_units[k]
                hint = (
                    "a factor 1000 in its unit"
                    if 300 < max(ratio, 1 / ratio) < 3000
                    else "its gain, its unit, or the masses"
                )
                yield f"force {drive} is {ratio:.3g} times what the model says ({size:.3g} and {own:.3g} {unit}): check {hint}"
                continue
            friction = np.concatenate([columns[k][:, FRICTION] for _, columns, _ in self.tables])
            factor = _factor(y, expected, friction)
            if factor is not None:
                near[drive] = factor
        yield from _factor_doubts(near)

    def _meant_for(self, drive: int, y: np.ndarray, own: float) -> tuple[str, float] | None:
        """(another drive whose force of the model this one is like, their correlation); None where it is like its own."""
        names, found = self.model.layout.drive_names, {}
        for k, name in enumerate(names):
            expected = np.concatenate([table[:, k] for _, _, table in self.tables])
            size = float(np.sqrt(np.mean(y**2) * np.mean(expected**2)))
            if k != drive and size > 0:
                found[name] = float(np.mean(y * expected)) / size
        best = max(found, key=lambda n: found[n]) if found else ""
        return (best, found[best]) if best and found[best] > max(ANOTHERS, own + APART) else None

    def _swapped_pairs(self) -> dict[int, tuple[tuple[str, float], float]]:
        """{drive: ((another one, correlation with its model), with its own)} of pairs that are each like the other's model,
        but for what is constant in them: weight, which may be nearly all of a force, tells no two drives apart."""
        names = self.model.layout.drive_names
        measured = [
            np.concatenate([y[rows] for y, (rows, _, _) in zip(ys, self.tables, strict=True)]) for ys in self.forces
        ]
        level = [_of_unit_size(y - y.mean()) for y in measured]
        model = [_of_unit_size(x - x.mean()) for x in np.concatenate([own for _, _, own in self.tables]).T]
        like = np.array(level) @ np.array(model).T
        out: dict[int, tuple[tuple[str, float], float]] = {}
        for a in range(len(names)):
            for b in range(a):
                own, other = (like[a, a], like[b, b]), (like[a, b], like[b, a])
                if all(x > max(ANOTHERS, y + APART) for x, y in zip(other, own, strict=True)):
                    out[a] = (names[b], float(like[a, b])), float(like[a, a])
                    out[b] = (names[a], float(like[b, a])), float(like[b, b])
        return out


def _of_unit_size(x: np.ndarray) -> np.ndarray:
    return x / max(float(np.linalg.norm(x)), 1e-300)


def _factor(y: np.ndarray, expected: np.ndarray, friction: np.ndarray) -> float | None:
    """How many times the model's force a measured one is, beside friction and offset that the model need not know; None where
    the model does not explain it well."""

    def beside(x: np.ndarray) -> np.ndarray:
        return x - friction @ np.linalg.lstsq(friction, x, rcond=None)[0]

    left, own = beside(y), beside(expected)
    if np.linalg.norm(own) < HARDLY * np.linalg.norm(expected):  # as good as constant: gravity alone
        left, own = y, expected
    sizes = float(np.linalg.norm(left)), float(np.linalg.norm(own))
    if min(sizes) == 0.0 or abs(float(left @ own)) < EXPLAINED * sizes[0] * sizes[1]:
        return None
    return sizes[0] / sizes[1]


def _factor_doubts(factors: Mapping[str, float]) -> Iterator[str]:
    """One sentence on {drive: factor} that are all far from 1, or one on each that is far from the others."""
    if not factors:
        return
    middle = float(np.exp(np.median(np.log(list(factors.values())))))
    if len(factors) == 2:  # the one nearer to the model's
        middle = min(factors.values(), key=lambda f: abs(np.log(f)))
    alone = {d: f for d, f in factors.items() if max(f / middle, middle / f) > ALONE}
    causes = "check gain: (torque of the motor before a gear, current instead of force), unit:, or the masses described"
    if max(middle, 1 / middle) > LARGE:
        which = {d: f for d, f in factors.items() if d not in alone}
        few = ", ".join(f"{d} {f:.3g}" for d, f in list(which.items())[:6]) + (" …" if len(which) > 6 else "")
        yield (
            f"forces are {say_factor(middle)} times what the model says, which else explains them well ({few}): a gear ratio, a "
            f"unit, or a current? {causes[0].upper()}{causes[1:]}"
        )
    for drive, factor in alone.items():
        others = f"{say_factor(middle)} times" if abs(middle - 1) > 0.5 else "about"
        yield (
            f"force {drive} alone is {say_factor(factor)} times what the model says, which else explains it well; those of other "
            f"drives are {others} what it says: {causes}"
        )


def say_factor(factor: float) -> str:
    """ "12.5", "0.0201 (1/49.8)"."""
    return f"{factor:.3g}" if factor >= 1 else f"{factor:.3g} (1/{1 / factor:.3g})"


def _columns(model: "Model", record: Record, rows: np.ndarray, states: RobotStates, good: np.ndarray):
    """(rows (m,), columns [(m, p)] for each drive, the model's forces (m, drives))."""
    some = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(int))
    q, v, a = states.q[good][some], states.v[good][some], states.acceleration[good][some]
    wrench = None if record.wrench is None else record.wrench[rows[some]]

    def forces(velocity: np.ndarray, acceleration: np.ndarray, load: np.ndarray | None) -> np.ndarray:
        wanted = acceleration[:, : model.layout.mobility]
        return np.nan_to_num(model.inverse_dynamics(q, velocity, wanted, wrench=load, on_bad_state="mark").tau)

    still, everything = np.zeros_like(v), forces(v, a, wrench)
    known = _regressor(model)
    if known is None:
        at_rest, pushed = forces(still, still, wrench), forces(still, a, wrench)
        parts = np.stack([at_rest, pushed - at_rest, everything - pushed], axis=-1)
    else:
        Y = known.regressor(q, v, a[:, : model.layout.mobility], on_bad_state="mark")
        loaded = 0.0 if wrench is None else everything - forces(v, a, None)
        parts = np.concatenate([known.columns(Y.Y), (Y.rest + loaded)[..., None]], axis=-1)
        parts = np.nan_to_num(parts)
    at = [model.mechanism.links[d.link].u for d in model.mechanism.drives]
    accelerations = model.function("joint_motion").values(q=q, v=v, vdot=a, parameters=model.parameters)["ud"][:, at]
    rates = model.function("tree_rates").values(q=q, v=v, parameters=model.parameters)["u"][:, at]
    one = np.ones(len(q))
    columns = [
        np.column_stack([parts[:, k], accelerations, rates[:, k], np.sign(rates[:, k]), one]) for k in range(len(at))
    ]
    return rows[some], columns, everything


def _regressor(model: "Model") -> BaseParameters | None:
    """All that the description lets vary: what a wrong mass or friction makes must not look like a shift. None where forces of
    drives do not follow from the motion."""
    if len(model.layout.drive_names) != model.layout.nv or not model.driven:
        return None
    return model.cached("base parameters of forces", lambda: base_parameters(model, DEFAULT))
