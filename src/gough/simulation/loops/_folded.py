"""Vibrations that a clock is too slow for: above half its rate they act at another frequency, folded back.

What flows between the samples, robot and actuators, has modes s. From sample to sample one is z = e^{sT}, as is any of
s + 2πjk/T: a mode of 507 Hz is one of 493 Hz on a clock of 1 kHz. Where |λ| > 1, λ the eigenvalues of L(z), its stability hangs
on the loop there, and on its true frequency where forces are late by fractions of a period.
"""

from dataclasses import dataclass

import numpy as np

from gough.simulation.linear.open_loop import OpenLoops

Array = np.ndarray
LIGHT = 0.1
"""Damping ratio below which a mode is looked at."""
NEAR = 0.5
"""|λ| from which a mode is named."""
LEAST = 1e-4
"""Damping ratio that counts at least: what is not damped has no height of its own."""
LOOKS = 9
"""Frequencies within a mode's decay of it."""
BESIDE, STANDS_OUT = 4.0, 1.5
"""A mode stands out by this factor over the loop so many decays beside it."""
SAME = 1e-3
"""Relative distance of modes that are named once."""


@dataclass(frozen=True)
class FoldedMode:
    """hz: of the mode; acts_hz: at which the clock sees it, below half its rate; gain: the largest |λ| of the loop there."""

    hz: float
    acts_hz: float
    gain: float

    def __str__(self) -> str:
        return f"a mode of {self.hz:.4g} Hz acts at {self.acts_hz:.4g} Hz on the clock, |L| up to {self.gain:.3g} there"


def folded_modes(loops: OpenLoops) -> tuple[FoldedMode, ...]:
    """Of one loop, those of whose |λ| is near 1 or above, largest first."""
    if loops.clock is None:
        return ()
    T, found = loops.clock.period, list[FoldedMode]()
    poles = np.linalg.eigvals(loops.clock.flow[0]) + 0j
    fast = (poles.imag > np.pi / T) & (np.abs(poles.real) < LIGHT * np.abs(poles))
    for pole in poles[fast][np.argsort(poles[fast].imag)]:
        w, decay = pole.imag, max(abs(pole.real), LEAST * pole.imag)
        acts = abs((w + np.pi / T) % (2 * np.pi / T) - np.pi / T)
        inside = np.linspace(-1.0, 1.0, LOOKS)
        gain, aside = (max(_largest(loops, acts + decay * x, T) for x in xs) for xs in (inside, (-BESIDE, BESIDE)))
        mode = FoldedMode(float(w / (2 * np.pi)), float(acts / (2 * np.pi)), gain)
        known = [x for x in found if abs(x.hz - mode.hz) < SAME * mode.hz]
        if gain >= max(NEAR, STANDS_OUT * aside) and not known:
            found.append(mode)
    return tuple(sorted(found, key=lambda x: -x.gain))


def _largest(loops: OpenLoops, w: float, T: float) -> float:
    """Largest |λ| of L(z) at ω, rad/s."""
    z = np.exp(1j * w * T)
    try:
        L = loops.C[0] @ np.linalg.solve(z * np.eye(loops.A.shape[1]) - loops.A[0], loops.B[0] + 0j)
    except np.linalg.LinAlgError:  # on the pole of what is not damped
        return np.inf
    return float(np.abs(np.linalg.eigvals(L)).max(initial=0.0)) if np.isfinite(L).all() else np.inf
