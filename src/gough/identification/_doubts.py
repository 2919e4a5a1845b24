"""What a user should hear of an identification: when its numbers are worth little, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chi2

from gough.identification._delays import doubts_of_delays
from gough.identification._force_channels import doubts_of_force_channels
from gough.identification._zeros import doubts_of_zeros
from gough.identification.data.samples import Samples
from gough.identification.estimation.rows import ForceEquations, stretches
from gough.identification.identification import fit_of
from gough.simulation.motion.motion import Motion

if TYPE_CHECKING:
    from gough.identification.identification import Identification

POOR = 1000.0
"""Condition of the data, columns of unit length, from which excitation is called poor."""
FAR = 3.0
"""Deviations from 0 beyond which a wrong sign is no chance."""
WORSE = 1.1
"""Times what the estimate does not predict in training, from which that of the robot's numbers is told."""
MISSING, STRUCTURED = 0.1, 0.001
"""Shares of the force that are not predicted: of any kind, and of a kind that is no noise."""
MANY_TIMES = 10.0
"""From which a share is told as a factor."""
LONG = 3.0
"""Equations over which residuals are alike that noise does not explain."""
ANOTHER = 0.25
"""Difference of simulated and measured positions, over how far measured ones are from what was told."""
DRY, BLURRED = 0.02, 0.05
"""Dry friction over the force, and part of the time around turns of drives that filters blur, from which a bias is told."""
OTHER_GAINS, ALIKE = 0.005, 0.7
"""Part of the simulated lag by which the measured one differs, and of that difference, from which gains are doubted."""
WIDER, CHANCE = 1.2, 1e-3
"""Times what a stated prior allows, and how seldom chance may do that, from which it is doubted."""
UNLIKE, OWN, NUMBERS, ROUNDING = 0.6, 4, 2**24, 1e-12
"""Part of what is not predicted that runs leave by themselves, from which they are said to differ; equations a number that each
of them has; numbers of all equations together, of which more are not gone through; squares that are none, of
a force's."""
POSITIVE = ("M", "XX", "YY", "ZZ", "viscous", "coulomb", "rotor_inertia", "armature", "stiffness", "damping")
"""Last words of names of what is never negative by itself."""


@dataclass(frozen=True)
class Told:
    """What a run followed: a motion, and when it began (s, by the clock of the samples)."""

    motion: Motion
    begin: float


def named_contents(samples: Samples) -> Iterator[tuple[bytes, str]]:
    """(what all measured forces of a run are told from others by, its name) of every run: equal ones are the same measurement.
    States are rounded differently from call to call."""
    for run, begin, end in stretches(samples):
        yield sha256(np.ascontiguousarray(samples.force[begin:end]).data).digest(), samples.runs[run]


def doubts_of(found: "Identification") -> list[str]:
    """What a user should hear of a result."""
    out, e, base = [], found.estimate, found.base
    out += _misfit(found)
    out += _unlike_runs(found)
    out += doubts_of_force_channels(found)
    out += _blurred_friction(found)
    out += _against_prior(found)
    out += doubts_of_zeros(found)
    out += doubts_of_delays(found)
    if found.validation is not None:
        learned = {key for key, _ in named_contents(found.samples)}
        same = [name for key, name in named_contents(found.validation) if key in learned]
        if same:
            out.append(
                f"validation: {', '.join(same)} is training data, too, and validates nothing; give another record"
            )
    if not e.settled:
        out.append(
            f"{found.method_words} did not settle in {len(e.turns)} turns (last change {e.turns[-1]:.2g} deviations); check "
            "controller= and motion=, or identify fewer parameters"
        )
    if e.condition > POOR:
        out.append(
            f"poor excitation: the data's condition is {e.condition:.3g} (columns of unit length; below 100 is good), so that "
            "some combinations are hardly told; use gough.excitation for a better motion, or tied='legs'"
        )
    blind = found.undetermined_base
    if blind:
        more = f" and {len(blind) - 4} more" if len(blind) > 4 else ""
        out.append(
            f"the data do not determine {'; '.join(blind[:4])}{more}: their deviation is as large as they may be"
        )
    wrong = [
        f"{name} = {x:.3g} ± {s:.2g}"
        for name, x, s in zip(base.names, found.base_values, found.base_deviations, strict=True)
        if " " not in name and name.rsplit(".", 1)[-1] in POSITIVE and x < -FAR * s
    ]
    if wrong:
        out.append(
            f"wrong sign, which no noise explains: {', '.join(wrong)}; check signs and units of forces and positions"
        )
    off = found.distance
    if off > FAR:
        missing = _misses_more(found)
        why = "prior= holds them back, or the" if found.prior.stated else "the"
        out.append(
            f"consistent numbers are {off:.3g} deviations away from the data's: {why} model lacks something that the data show "
            "(friction, offsets, a flexible part), or deviations are too small" + missing
        )
    for k, fit in enumerate(found.fits[1:]):
        if fit.worse_than(found.fits[0]) and fit.error > 0.02:
            out.append(
                f"validation {k + 1}: {say_part(fit.error, 1)} of the force is not predicted, "
                f"{say_part(found.fits[0].error, 1)} in training: the "
                "numbers fit the training data alone"
            )
    return out


def _misses_more(found: "Identification") -> str:
    """By how much the robot's numbers predict the training forces worse than the estimate, where that is more than a little."""
    phi = np.append(found.base.matrix @ found.standard.values, found.gains)
    equations = ForceEquations(found.rows, found.samples, found.thinning)
    own, estimate = (fit_of(equations, x, "training").rms for x in (phi, found.estimate.phi))
    times = own / np.maximum(estimate, 1e-300)
    worst = int(np.argmax(times))
    if times[worst] < WORSE:
        return ""
    return (
        f"; with them {own[worst]:.3g} of the force at {found.rows.names[worst]} are not predicted in training, with the "
        f"estimate {estimate[worst]:.3g}"
    )


def say_part(part: float, digits: int = 3) -> str:
    """ "12.345%", "184 times"."""
    return f"{part:.3g} times" if part > MANY_TIMES else f"{part:.{digits}%}"


def _against_prior(found: "Identification") -> list[str]:
    """Where the data contradict the spreads that the user stated: base parameters farther from the description's than these and
    the noise explain."""
    prior, base = found.prior, found.base
    if not prior.stated or len(found.estimate.directions):
        return []
    covariance = found.estimate.covariance[: base.rank, : base.rank]
    spread = (base.matrix * prior.spreads**2) @ base.matrix.T + covariance
    own = np.sqrt(np.diag(spread))
    off = (found.base_values - base.matrix @ prior.values) / own
    square = float(off @ np.linalg.lstsq(spread / np.outer(own, own), off, rcond=1e-12)[0])
    times = np.sqrt(square / base.rank)
    if times < WIDER or chi2.sf(square, base.rank) > CHANCE:
        return []
    worst = int(np.argmax(np.abs(off)))
    text = (
        f"the data contradict prior=: base parameters are {times:.2g} times as far from the description's as it and noise "
        f"explain (most {base.names[worst][:60]}: {abs(off[worst]):.2g} deviations), so that numbers that rest on it are farther "
        f"off than their deviations say; state spreads {times:.2g} times as wide, or none"
    )
    return [text]


def _misfit(found: "Identification") -> list[str]:
    """Forces of the training data that the numbers do not give."""
    fit = found.fits[0]
    force = fit.rms / np.maximum(fit.share, 1e-300)
    part = float(np.sqrt((fit.rms**2).sum() / max((force**2).sum(), 1e-300)))
    memory = found.estimate.residuals.memory
    if part < STRUCTURED or (part < MISSING and memory < LONG):
        return []
    worst = int(np.argmax(fit.rms))
    how = f", alike over {memory:.0f} equations, as noise is not" if memory >= LONG else ""
    tied = "" if found.base.tied == "apart" else "numbers that tied= makes equal are not, or "
    text = (
        f"{say_part(fit.error)} of the force are not predicted in training{how} (most at {found.rows.names[worst]}: "
        f"{fit.rms[worst]:.3g} of {force[worst]:.3g}): {tied}the model lacks something that the data show (friction, offsets, a "
        "flexible part), or encoders have another zero, columns another unit, or the wrong motion is told; deviations know "
        "nothing of that"
    )
    return [text]


def _unlike_runs(found: "Identification") -> list[str]:
    """Runs that numbers of their own explain much better than common ones: of another robot, or one that was changed."""
    rows, samples, names = found.rows, found.samples, found.samples.runs
    if len(names) < 2 or rows.gains or found.method == "didim":
        return []
    if found.fits[0].count * len(rows.names) * (rows.size + 1) > NUMBERS:
        return []
    together, apart = np.zeros((2, len(rows.names)))
    for _, begin, end in stretches(samples):
        pieces = list(rows.pieces(samples.rows(np.arange(begin, end)), found.thinning))
        Y = np.concatenate([p.Y / found.estimate.sigma[:, None] for p in pieces])
        target = np.concatenate([p.target / found.estimate.sigma for p in pieces])
        if target.size < OWN * rows.size:
            return []
        unit = Y / np.maximum(np.linalg.norm(Y, axis=(0, 1)), 1e-300)
        own = unit @ np.linalg.lstsq(unit.reshape(-1, rows.size), target.ravel(), rcond=1e-10)[0]
        rounding = ROUNDING * (target**2).sum(axis=0)
        together += ((target - Y @ found.estimate.phi) ** 2).sum(axis=0) + rounding
        apart += ((target - own) ** 2).sum(axis=0) / (1.0 - rows.size / target.size) + rounding
    part = float(np.exp(np.mean(np.log(apart / np.maximum(together, 1e-300))) / 2.0))
    if part > UNLIKE:
        return []
    text = (
        f"what is not predicted falls to {part:.0%} if each of {', '.join(names[:6])} is fitted by itself: another robot, "
        "payload, column map or temperature in one of them? Identify them apart, and compare"
    )
    return [text]


def _blurred_friction(found: "Identification") -> list[str]:
    """Where drives turn back so often that the filter of the states blurs when: dry friction jumps there, in the forces at once,
    in the regressor a little off. Output error does not use these states, instruments know what the filter does."""
    samples, band = found.samples, found.samples.band_hz
    unknown = [k for k, name in enumerate(found.base.regressor.names) if name.endswith("coulomb")]
    if found.method != "ls" or band is None or not unknown:
        return []
    force = float(np.sqrt(np.mean(samples.force**2)))
    if max(abs(found.standard.values[k]) for k in unknown) < DRY * force:
        return []
    back, duration = np.zeros(samples.force.shape[1]), 0.0
    for _, begin, end in stretches(samples):
        way = np.sign(np.diff(samples.q[begin:end][:, found.model.drive_index], axis=0))
        back += (way[1:] * way[:-1] < 0).sum(axis=0)
        duration += float(samples.time[end - 1] - samples.time[begin])
    names = found.model.layout.drive_names
    own = [any(found.base.regressor.names[k].startswith(f"{name}.") for k in unknown) for name in names]
    worst = int(np.argmax(np.where(own, back, 0.0) if any(own) else back))
    blurred = float(back[worst] / (np.pi * band * max(duration, 1e-300)))
    if blurred < BLURRED:
        return []
    text = (
        f"{names[worst]} turns back {back[worst] / duration:.2g} times a second, and states are "
        f"filtered at {band:.3g} Hz: dry friction is blurred for {blurred:.0%} of the time, and masses may lean by more than "
        "their deviations say; method='iv' and 'didim' have no such bias, and finer encoders or fewer turns make it small"
    )
    return [text]


def doubts_of_loop(found: "Identification", simulated: Samples, told: tuple[Told, ...]) -> list[str]:
    """Where the simulated robot goes elsewhere than the measured one did: its controller or its motion was another one."""
    out, drives = [], found.model.drive_index
    for run, begin, end in stretches(found.samples):
        follows = told[run]
        if follows.motion.kind != "drives" or tuple(follows.motion.names) != found.model.layout.drive_names:
            continue
        own = slice(begin, end)
        measured, made = found.samples.q[own][:, drives], simulated.q[own][:, drives]
        time = np.clip(found.samples.time[own] - follows.begin, 0.0, follows.motion.duration)
        lag = np.sqrt(np.mean((measured - follows.motion.at(time).position) ** 2, axis=0))
        off = np.sqrt(np.mean((made - measured) ** 2, axis=0))
        moved = np.maximum(measured.std(axis=0), 1e-300)
        worst = int(np.argmax(off / np.maximum(lag, 1e-4 * moved)))
        if off[worst] > ANOTHER * lag[worst] and off[worst] > 1e-4 * moved[worst]:
            short = follows.motion.duration - float(found.samples.time[own][-1] - follows.begin)
            ends = (
                f" (by the record's clock, which goes from {found.samples.time[own][0]:.4g} s on, the motion began at "
                f"{follows.begin:.4g} s and ends {-short:.3g} s before the record)"
                if short < -0.01 * follows.motion.duration
                else ""
            )
            out.append(
                f"run {found.samples.runs[run]!r}: the simulated robot is {off[worst]:.3g} (rms) off the measured one at "
                f"{found.model.layout.drive_names[worst]}, which is {lag[worst]:.3g} off what it was told: check controller=, "
                f"motion= and begin={ends}; with others than the robot's own the numbers are wrong"
            )
            continue
        other = _another_lag(measured, made, follows.motion.at(time).position, found.samples.spacing)
        if other is not None:
            drive, times, part = other
            out.append(
                f"run {found.samples.runs[run]!r}: the lag of the simulated robot behind what it was told is another one than "
                f"the measured lag, by {part:.1%} at {found.model.layout.drive_names[drive]} ({times:.3g} times as far, and with "
                "its rate): gains of controller= are not the robot's, and numbers lean"
            )
    return out


def _another_lag(
    measured: np.ndarray, made: np.ndarray, told: np.ndarray, step: float
) -> tuple[int, float, float] | None:
    """(drive, how many times the lag, part of it that differs) where simulated and measured positions (n, drives) differ as those
    of controllers with other gains do: by a part of the simulated lag and of its rate; else None."""
    worst: tuple[int, float, float] | None = None
    for k in range(told.shape[1]):
        lag, apart = told[:, k] - made[:, k], made[:, k] - measured[:, k]
        basis = np.column_stack([lag, np.gradient(lag, step)])
        size = np.maximum(np.linalg.norm(basis, axis=0), 1e-300)
        share = np.linalg.lstsq(basis / size, apart, rcond=None)[0] / size
        part = float(np.linalg.norm(basis @ share) / size[0])
        told_so = np.linalg.norm(basis @ share) > ALIKE * np.linalg.norm(apart)
        if part > OTHER_GAINS and told_so and (worst is None or part > worst[2]):
            worst = k, float(1.0 / (1.0 + share[0])), part
    return worst
