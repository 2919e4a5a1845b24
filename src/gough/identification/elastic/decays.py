"""Damping and stiffness from free decays: records of a robot that swings out by itself.

A channel is y(t) = Σ_j Re(a_j e^(s_j t)) + level, with the poles s_j(p) of the damped linear robot and amplitudes a_j of its own:
neither the first state nor the place or gain of sensors need be known. The amplitudes enter linearly and are eliminated
(variable projection): with the basis Φ(p) and P = 1 - Φ Φ⁺, the residual is P y and -P Φ' a is its derivative as far as
Gauss and Newton need it; it gives the exact gradient, and deviations of p with amplitudes free.
A start whose frequencies are off by a beat in the record has no slope to the right ones: poles are found in the record first
(shifted subspace of delayed samples), the unknowns fitted to them, and then to the record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, numbers
from gough.errors import UsageError
from gough.identification.elastic._doubts import note_clock, note_freedom, note_noise, say
from gough.identification.elastic._eigen import poles
from gough.identification.elastic._least_squares import minimise_squares
from gough.identification.elastic._problem import MOST, SHARED, FitProblem, read_deviations
from gough.identification.elastic._subspace import poles_of_record
from gough.identification.elastic.fit import ElasticFit

if TYPE_CHECKING:
    from gough.model import Model

EVEN = 1e-6
"""Of the sampling period, by which samples may be off their even spacing."""
FEWEST = 2.0
"""Periods of a mode within a record that tell it."""
LOWEST = 2.5
"""Samples a period of a mode that tell it."""
WEIGHT = 1e-3
"""Relative deviation of poles that are found in the record, for the first fit."""
CUT_OFF = 3
"""Swings that end at the same number, to the last digit: a sensor does not go further."""
STEPS = 24
"""Different numbers in a channel, at least, that are no steps."""
WORSE = 1.5
"""Ratio of residuals, the model's to those of free poles, from which the model does not explain the record."""


@dataclass(frozen=True)
class _Basis:
    """Decaying waves at times t (n,) of chosen poles, with a level; s (m,), slopes (k, m)."""

    t: np.ndarray
    s: np.ndarray
    level: bool

    def columns(self) -> np.ndarray:
        """Φ (n, 2 m + 1)."""
        waves = np.exp(self.t[:, None] * self.s)
        own = [np.real(waves), -np.imag(waves), np.ones((len(self.t), 1))]
        return np.concatenate(own if self.level else own[:2], axis=1)

    def change(self, amplitudes: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Φ' a (k, n, channels) for amplitudes (2 m + 1, channels)."""
        m = len(self.s)
        a = amplitudes[:m] + 1j * amplitudes[m : 2 * m]
        waves = self.t[:, None] * np.exp(self.t[:, None] * self.s)
        return np.real(np.einsum("nm,km,mc->knc", waves, slopes, a))


@checked(**SHARED, time=numbers, record=numbers, modes=numbers, sigma=numbers)
def fit_decay(
    model: "Model",
    time: Any,
    record: Any,
    unknowns: str | Sequence[str] | Mapping[str, str | Sequence[str]],
    *,
    modes: Sequence[int] | None = None,
    q: Any = None,
    drives: Any = "locked",
    sigma: Any = None,
    prior: Mapping[str, Any] | None = None,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, Any] | None = None,
    about: str = "equilibrium",
) -> ElasticFit:
    """Numbers of the robot with which it swings out as was recorded, damping above all.

    time (n,): s, evenly spaced, from when nothing pushes any more. record (n,) or (n, channels): any motion, of any sensor.
    unknowns, q, drives, prior, start, bounds, about: as for `fit_frequencies`: "BODY.damping.ratio", "BODY.damping.beta",
    "JOINT.friction.viscous", … and stiffness. modes: those in the record by number, from 0 (default: all with two periods in it
    and 2.5 samples a period). sigma: deviation of the noise, one or one a channel; without it, each channel's residuals say it.
    The robot is taken as linear: Coulomb friction is left out.
    """
    t, y = _read_record(time, record)
    problem = FitProblem.of("fit_decay", model, unknowns, drives, prior, start, bounds, about)
    robot, begin = problem.robot_at(q), problem.begin
    first = poles(robot.matrices(begin, False))
    chosen = _choose_modes(first.frequencies_hz, t, modes)
    fastest = float(first.frequencies_hz[chosen].max())
    seen = poles_of_record(t, y, len(chosen), fastest)
    pairs, partners = _pair_poles(first.values[chosen], seen)
    own_seen = seen[partners]
    spread, known = _read_spread(y, t, seen, sigma)
    weight = np.concatenate([WEIGHT * np.abs(own_seen)] * 2)

    def pole_residual(x: np.ndarray) -> np.ndarray:
        off = _take(poles(robot.matrices(x, False)).values, chosen)[pairs] - own_seen
        return np.concatenate([np.real(off), np.imag(off)]) / weight

    def pole_jacobian(x: np.ndarray) -> np.ndarray:
        slopes = poles(robot.matrices(x)).slopes[:, chosen][:, pairs]
        return (np.concatenate([np.real(slopes), np.imag(slopes)], axis=1) / weight).T

    def fit(x: np.ndarray, slopes: bool) -> tuple[np.ndarray, np.ndarray]:
        own = poles(robot.matrices(x, slopes))
        basis = _Basis(t, _take(own.values, chosen), True)
        if not np.isfinite(
            basis.columns()
        ).all():  # it does not swing, or grows beyond numbers: such a step is not taken
            return np.full(y.shape, np.nan), np.zeros((len(x), *y.shape))
        U, amplitudes = _projector(basis.columns(), y)
        left = y - U @ (U.T @ y)
        if not slopes:
            return left / spread, np.zeros((0, *y.shape))
        moved = basis.change(amplitudes, own.slopes[:, chosen])
        moved = moved - np.einsum("ni,kic->knc", U, np.einsum("ni,knc->kic", U, moved))
        return left / spread, -moved / spread

    def residual(x: np.ndarray) -> np.ndarray:
        return fit(x, False)[0].ravel()

    def jacobian(x: np.ndarray) -> np.ndarray:
        return fit(x, True)[1].reshape(len(begin), -1).T

    free_left, spent = _free_residual(t, y, seen) / spread, (2 * len(chosen) + 1) * y.shape[1]
    near = begin
    if len(pairs):
        near = minimise_squares(problem.unknowns, pole_residual, pole_jacobian, problem.prior).values
    found = problem.search(residual, jacobian, known, near, spent)
    if len(pairs) and found.squares > WORSE * np.sum(free_left**2):
        again = problem.search(residual, jacobian, known, begin, spent)
        found = min((found, again), key=lambda one: one.squares)
    left_open, notes = problem.left_open(found)
    notes = (*notes, *_note_sensors(y))
    missing = [int(chosen[k]) for k in range(len(chosen)) if k not in pairs]
    if missing:
        told = f"modes {missing} of the model do not stand out of the noise of the record"
        told += (
            ": doubt all numbers, deviations as well; record what swings"
            if not len(pairs)
            else "; name those that were excited: modes="
        )
        notes = (*notes, *say("fit_decay", told))
    left = fit(found.values, False)[0] * spread
    ratio = float(np.sqrt(np.mean((left / spread) ** 2) / max(np.mean(free_left**2), 1e-18)))
    unit = note_clock("fit_decay", first.values[chosen], seen)
    if unit:
        notes = (*notes, *unit)
    elif ratio > WORSE:
        told = (
            f"the model's residuals are {ratio:.3g} times those of {len(seen)} free poles: its modes {chosen.tolist()} do not "
            "explain the record (other modes in it, amplitudes that are not small, friction?)"
        )
        notes = (*notes, *say("fit_decay", told))
    else:
        notes = (*notes, *note_noise("fit_decay", found.excess, "sigma"))
    notes = (*notes, *note_freedom("fit_decay", found, known, "samples (amplitudes take some of them)", "sigma"))
    return problem.result(found, y, y - left, spread, np.asarray(chosen), (), left_open, notes)


def _projector(columns: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(orthonormal basis of the columns, amplitudes of y in them); equal columns share theirs."""
    U, s, vt = np.linalg.svd(columns, full_matrices=False)
    kept = s > 1e-12 * s[0]
    U = U[:, kept]
    return U, vt[kept].T @ ((U.T @ y) / s[kept, None])


def _free_residual(t: np.ndarray, y: np.ndarray, seen: np.ndarray) -> np.ndarray:
    U, _ = _projector(_Basis(t, seen, True).columns(), y)
    return y - U @ (U.T @ y)


def _take(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The chosen poles; NaN where the robot has fewer that swing: such a step is not taken."""
    out = np.full(len(chosen), np.nan + 0j)
    there = chosen < len(values)
    out[there] = values[chosen[there]]
    return out


def _pair_poles(own: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(which poles of the model, which of the record) belong together, by frequency; of more in one of them the nearest."""
    from scipy.optimize import linear_sum_assignment

    if not len(seen):
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    return linear_sum_assignment(np.abs(np.log(np.abs(np.imag(seen))[None] / np.abs(own)[:, None])))


def _choose_modes(hz: np.ndarray, t: np.ndarray, modes: Sequence[int] | None) -> np.ndarray:
    step, span = float(np.mean(np.diff(t))), float(t[-1] - t[0])
    if modes is None:
        chosen = np.flatnonzero((hz * span >= FEWEST) & (hz * step * LOWEST <= 1.0))
    else:
        given = np.asarray(modes, dtype=float)
        chosen = given.astype(int)
        if given.ndim != 1 or (given != chosen).any() or (chosen < 0).any() or len(set(chosen.tolist())) < len(chosen):
            raise UsageError(f"modes={modes!r}; give different numbers of modes, counted from 0")
        if len(chosen) and chosen.max() >= len(hz):
            raise UsageError(f"modes={modes!r}: the robot has {len(hz)} modes that swing")
    if not len(hz):
        raise UsageError(
            "fit_decay: no mode of the robot swings at the start: it is free, unstable, or damped beyond that; see "
            "natural_frequencies(model), and start with less damping or lock the drives"
        )
    if not len(chosen):
        milli = (hz * span >= 1e3 * FEWEST) & (hz * step * LOWEST <= 1e3)
        if modes is None and milli.any() and step > 0.1:
            raise UsageError(
                f"fit_decay: samples are {step:.4g} s apart, too far for the modes of the robot ({hz[0]:.4g} Hz and more), and "
                "right for them if time is in ms: give it in s"
            )
        raise UsageError(
            f"fit_decay: no mode of the robot ({', '.join(f'{f:.4g}' for f in hz[:6])} Hz) has two periods in {span:.4g} s and "
            f"2.5 samples a period at {1 / step:.4g} Hz; record longer or faster, or name modes="
        )
    return chosen


def _read_record(time: Any, record: Any) -> tuple[np.ndarray, np.ndarray]:
    t, y = np.asarray(time, dtype=float), np.asarray(record, dtype=float)
    y = y[:, None] if y.ndim == 1 else y
    if t.ndim != 1 or y.ndim != 2 or len(y) != len(t) or len(t) < 16:
        raise UsageError(
            f"record has shape {np.shape(record)} for {t.shape} times; give (n,) or (n, channels), n of 16 or more"
        )
    if not np.isfinite(t).all() or not np.isfinite(y).all():
        raise UsageError("fit_decay: time and record are finite numbers; cut gaps away")
    steps = np.diff(t)
    if (
        not (steps > 0).all()
        or np.abs(steps - steps.mean()).max() > max(EVEN, 1e-9 / steps.mean()) * steps.mean() * 1e3
    ):
        raise UsageError("fit_decay: times are not evenly spaced; resample the record")
    moves = np.ptp(y, axis=0)
    strange = np.flatnonzero(~((moves > 1 / MOST) & (np.abs(y).max(axis=0) < MOST)))
    if len(strange):
        k = int(strange[0])
        what = "does not move" if moves[k] <= 1 / MOST else f"has numbers above {MOST:g}"
        raise UsageError(f"fit_decay: channel {k} of the record {what}; give a motion, in any unit")
    _, first = np.unique(y, axis=1, return_index=True)
    for k in (k for k in range(y.shape[1]) if k not in first):
        own = next(j for j in range(k) if (y[:, j] == y[:, k]).all())
        raise UsageError(
            f"fit_decay: channels {own} and {k} of the record are the same numbers, which would count as two measurements; give "
            "each once"
        )
    crossings = np.count_nonzero(np.diff(np.sign(y - y.mean(axis=0)), axis=0), axis=0)
    if crossings.max() < FEWEST:
        raise UsageError(
            f"fit_decay: the record does not swing: it crosses its mean {crossings.max()} times in {t[-1] - t[0]:.4g} s; give "
            "motion after a push, with two periods of the slowest mode or more"
        )
    return t - t[0], y


def _read_spread(y: np.ndarray, t: np.ndarray, seen: np.ndarray, sigma: Any) -> tuple[np.ndarray, bool]:
    """(deviation (channels,), whether it is known)."""
    if sigma is None:
        return np.maximum(np.std(_free_residual(t, y, seen), axis=0), 1e-9 * np.std(y, axis=0)), False
    return read_deviations("sigma", sigma, (y.shape[1],)).copy(), True


def _note_sensors(y: np.ndarray) -> tuple[str, ...]:
    """Notes (IdentificationWarning) on channels (n, channels) that are cut off, or have few steps: both change how it decays."""
    notes = []
    for k, x in enumerate(y.T):
        swing = np.cumsum(np.abs(np.diff(x > x.mean(), prepend=x[0] > x.mean())))
        levels = np.unique(x)
        swings, end = max((len(np.unique(swing[x == e])), float(e)) for e in (levels[-1], levels[0]))
        if len(levels) < STEPS:
            notes.append(
                f"channel {k} has {len(levels)} different numbers, {np.diff(levels).min():.3g} apart: a decay of so few steps "
                "leans; record with a finer resolution"
            )
        elif swings >= CUT_OFF:
            notes.append(
                f"channel {k} is {end:.6g}, and never beyond, in {swings} swings: it seems cut off there, and decays "
                "more slowly than the robot; record with a larger range, or leave the beginning out"
            )
    return say("fit_decay", *notes)
