"""What is to be doubted of a fit as a whole: nothing left over, residuals beyond sigma, modes that were missed, another unit.

Each says it as an IdentificationWarning and returns it as notes for the report.
"""

from collections.abc import Sequence

import numpy as np

from gough.errors import IdentificationWarning, warn
from gough.identification.elastic._least_squares import Solution

LARGE = 0.05
"""Residuals of frequencies, relative and rms, that are told where no sigma is known."""
UNITS = {2 * np.pi: ("rad/s", "divide them by 2π"), 60.0: ("1/min", "divide them by 60")}
CLOCKS = {
    1e-3: "1000 times slower than the model's: time seems to be in ms; give it in s",
    1e-6: "a million times slower than the model's: time seems to be in µs; give it in s",
    1e3: "1000 times faster than the model's: does time count in ks, or is the robot described in other units?",
    2 * np.pi: "2π times faster than the model's: is time in turns of a phase, not in s?",
    1 / (2 * np.pi): "2π times slower than the model's: is time a phase in rad, not in s?",
}
SAME = 0.25
"""Logarithm of a ratio of frequencies, rms, within which another unit or other modes explain them."""
FOLLOWED = ". Deviations are those of noise as large as the residuals; what the unknowns miss is not in them"
PATTERN, APART, CERTAIN = 0.3, 3, 5.0
"""Correlation of what is missed at frequencies so many lines apart, from which it is no noise, and times what chance makes."""
ROUNDING = 1e-7
"""Part of what was measured that is no noise where it is missed, but rounding."""
CLEARER = 0.5
"""Part of the misfit that must be left where other modes are proposed."""


def say(call: str, *notes: str) -> tuple[str, ...]:
    """The notes, each as an IdentificationWarning."""
    for note in notes:
        warn(f"{call}: {note}", IdentificationWarning)
    return notes


def note_freedom(call: str, found: Solution, known: bool, data: str, sigma: str) -> tuple[str, ...]:
    """Where as many numbers are looked for as were measured, and no deviation is known."""
    if known or found.free > 0:
        return ()
    wanted = len(found.values)
    return say(
        call,
        f"{found.rows} {data} for {wanted} unknowns: nothing is left over to tell deviations from, they are infinite; state "
        f"{sigma}=, or measure more",
    )


def note_unit(call: str, described: np.ndarray, measured: np.ndarray) -> tuple[str, ...]:
    """Where measured frequencies are those of the start (Hz) in another unit."""
    if not (described > 0).all():
        return ()
    for factor, (unit, remedy) in UNITS.items():
        off = float(np.sqrt(np.mean(np.log(measured / (factor * described)) ** 2)))
        if off < SAME:
            return say(
                call,
                f"measured frequencies are {factor:.4g} times those of the robot at the start, to {100 * off:.2g} %: they seem "
                f"to be in {unit}, not in Hz; {remedy}",
            )
    return ()


def note_clock(call: str, own: np.ndarray, seen: np.ndarray) -> tuple[str, ...]:
    """Where waves in a record, poles seen (k,), are those of the model, own (m,), by another clock."""
    if not len(seen) or not len(own):
        return ()
    of_model, of_record = (np.sort(np.abs(np.imag(s))) for s in (own, seen))
    for factor, text in CLOCKS.items():
        off = np.log(of_record[:, None] / (factor * of_model)) ** 2
        nearest = off.min(axis=0 if len(of_model) <= len(of_record) else 1)
        plain = (np.log(of_record[:, None] / of_model) ** 2).min(axis=0 if len(of_model) <= len(of_record) else 1)
        now = float(np.sqrt(plain.mean()))
        if now > SAME and np.sqrt(nearest.mean()) < min(SAME, CLEARER * now):
            found = ", ".join(f"{w / (2 * np.pi):.4g}" for w in of_record[:4])
            return say(call, f"waves in the record ({found} Hz) are {text}")
    return ()


def note_frequencies(
    call: str, times: float, fitted: np.ndarray, measured: np.ndarray, known: bool, nearer: list[int] | None
) -> tuple[str, ...]:
    """Where fitted frequencies (n,) are not the measured ones; times: `Solution.excess`; nearer: modes that fit better at the
    start."""
    off = fitted / measured - 1
    rms = float(np.sqrt(np.mean(off**2)))
    if not times and (known or not rms > LARGE):
        return ()
    k = int(np.argmax(np.abs(off)))
    size = f"residuals are {times:.3g} times what sigma_hz says" if times else f"residuals are {100 * rms:.3g} % rms"
    place = f"the largest: measured {measured[k]:.6g} Hz, fitted {fitted[k]:.6g} Hz, {100 * off[k]:+.3g} %"
    modes = (
        f"modes {nearer} of the robot at the start are nearer: pairing={nearer} if others were not seen."
        if nearer
        else "was a mode not seen (NaN in its place, numbers of modes as pairing=, or pairing='shape')?"
    )
    rest = " Else sigma_hz is too small, or" if times else " Else"
    return say(call, f"{size} ({place}): {modes}{rest} the unknowns miss what is wrong{FOLLOWED if times else ''}")


def note_lowest(call: str, nearer: list[int] | None, start_hz: np.ndarray, measured: np.ndarray) -> tuple[str, ...]:
    """Where measured frequencies were taken for the lowest modes, fit these, and are far from where the robot at the start has
    them (start_hz), near to other ones: as many unknowns as frequencies explain any."""
    if nearer is None or not (start_hz > 0).all() or np.sqrt(np.mean(np.log(measured / start_hz) ** 2)) < SAME:
        return ()
    taken, there = (", ".join(f"{f:.4g}" for f in x[:4]) for x in (start_hz, measured))
    return say(
        call,
        f"measured frequencies ({there} Hz) were taken for the lowest modes of the robot, which are {taken} Hz at the start, and "
        f"the numbers moved as far as that takes; modes {nearer} are nearer: pairing={nearer} if lower ones were not seen, and "
        "NaN in their places, or start= near what is meant, if they were",
    )


def note_pattern(call: str, missed: np.ndarray, measured: np.ndarray) -> tuple[str, ...]:
    """Where what a fit misses (n, outputs) along rising frequencies has the same sign and phase from line to line, over what was
    measured, as noise has not, however large it is at which lines. Neighbours are not looked at: windows make their noise
    alike."""
    ratio = missed / np.where(measured == 0, 1.0, measured)
    turn = ratio / np.maximum(np.abs(ratio), 1e-300)
    if len(turn) < 4 * APART or not np.abs(ratio).max() > ROUNDING:
        return ()
    alike = float(np.mean(np.real(np.conj(turn[:-APART]) * turn[APART:])))
    if alike < max(PATTERN, CERTAIN / np.sqrt(2.0 * turn[APART:].size)):
        return ()
    return say(
        call,
        f"what the fit misses goes on from frequency to frequency (correlation {alike:.2f} over {APART} lines), as noise does "
        "not: the unknowns miss what is wrong (a gain or a delay of the sensors, masses, other bodies), and deviations know "
        "nothing of it",
    )


def nearer_modes(start_hz: np.ndarray, measured: np.ndarray, used: np.ndarray) -> list[int] | None:
    """Modes of the start (all its frequencies in order) that are clearly nearer to measured ones than those used."""
    from scipy.optimize import linear_sum_assignment

    swings = np.flatnonzero(np.isfinite(start_hz) & (start_hz > 0))
    if len(swings) < len(measured) or not len(measured):
        return None
    cost = np.log(measured[:, None] / start_hz[swings]) ** 2
    own, theirs = linear_sum_assignment(cost)
    modes = swings[theirs[np.argsort(own)]]
    best = float(np.sqrt(cost[own, theirs].mean()))
    now = float(np.sqrt(np.mean(np.log(measured / start_hz[used]) ** 2)))
    good = best < min(SAME, CLEARER * now) and (modes != used).any()
    return [int(mode) for mode in modes] if good else None


def note_noise(call: str, times: float, what: str) -> tuple[str, ...]:
    """Where residuals are `times` what sigma says (0: they are not)."""
    if not times:
        return ()
    return say(
        call,
        f"residuals are {times:.3g} times what {what} says: noise is larger (state what repeated measurements show), or the "
        f"unknowns miss what is wrong (other bodies, damping, servos){FOLLOWED}",
    )


def note_followed(times: float, notes: Sequence[str]) -> tuple[str, ...]:
    """That deviations follow residuals of `times` what sigma says, where no note says it."""
    if not times or any(FOLLOWED in note for note in notes):
        return ()
    return (f"residuals are {times:.3g} times what sigma says{FOLLOWED}",)
