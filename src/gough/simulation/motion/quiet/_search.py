"""The law of a duration that leaves least, by quadratic programs, and the shortest duration in which that is little enough.

With R(x) of `_left` at frequencies over the band, r its real and imaginary parts over what the elastic peak of a septic is,

    min |r(x)|²/b + ε² |s⃛|²,   limits,                                                                    (1)

is solved by Gauss and Newton: r is nearly linear in x, as frequencies vary little along the path, so few rounds do. ε is so small
that smoothness only chooses among laws that leave as little.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gough.progress import doing
from gough.simulation.motion.paths import PolynomialPath, septic_law
from gough.simulation.motion.quiet._law import STILL, SplineLaws
from gough.simulation.motion.quiet._left import Leftover
from gough.simulation.motion.quiet._path_modes import PathModes
from gough.simulation.motion.quiet._program import minimise_quadratic

SMOOTH = 1e-4
"""ε: the jerk of a septic counts as this part of its peak."""
ROUNDS = 10
SETTLED = 1e-5
"""Largest change of a coefficient in the last round."""
FEWEST, MOST = 40, 120
"""Pieces of a law."""
RESOLVED = 1.25
"""Modes count that swing up to so often in a piece; splines hardly push faster ones."""
SLOWER = 1.25
"""Durations are tried in these steps, then halved."""
CALM = 2.0
"""Acceleration of a law, over a septic's in its time, where nothing else bounds it: a law that leaves a smaller part of a much
larger swing leaves more."""
FARTHEST = 40
"""The longest duration tried, in periods of the slowest mode, beyond what the limits take."""


@dataclass(frozen=True, eq=False)
class QuietLaw:
    """law: s(t), and what it leaves, parts of the elastic peak by √Σ η², its own or that of a septic within the limits if that is
    less: nominal, and the largest over the band."""

    law: PolynomialPath
    nominal: float
    worst: float


@dataclass(frozen=True, eq=False)
class LawSearch:
    """modes along the path; band: relative half width; limits: on derivatives of the law, infinite where there is none. tell:
    called with each duration (s) that was tried and what its best law leaves."""

    modes: PathModes
    band: float
    limits: Sequence[float]
    pieces: int | None
    tell: Callable[[float, float], object] = lambda duration, left: None

    def laws(self, duration: float) -> SplineLaws:
        """Those that are searched: six pieces and more for a period of the slowest mode."""
        wanted = int(np.ceil(6.0 * duration * self.modes.slowest))
        return SplineLaws(duration, self.pieces or min(max(wanted, FEWEST), MOST))

    def bounds(self, laws: SplineLaws) -> tuple[np.ndarray, np.ndarray]:
        """Rows A x ≤ b of the limits; of laws that none but of speed binds, CALM times a septic's acceleration."""
        limits = list(self.limits)
        if not np.isfinite(limits[1:]).any():
            peak = np.abs(septic_law(laws.duration).at(np.linspace(0.0, laws.duration, 101), True)[2]).max()
            limits = [*(limits[:1] or [np.inf]), CALM * float(peak)]
        return laws.bounds(limits)

    def is_possible(self, duration: float) -> bool:
        """Whether a law keeps the limits."""
        from scipy.optimize import linprog

        if not np.isfinite(self.limits).any():
            return True
        laws = self.laws(duration)
        A, b = self.bounds(laws)  # unknown are x and how far these are overrun
        rows = np.concatenate([A, -np.ones((len(A), 1))], axis=1)
        cost = np.append(np.zeros(laws.free), 1.0)
        sides = [(None, None)] * laws.free + [(0.0, None)]
        found = linprog(cost, rows, b, bounds=sides, method="highs")
        return bool(found.status == 0 and found.fun < 1e-9)

    def shortest(self, start: float) -> float:
        """The shortest duration that the limits allow, found from `start` (s) up or down, to 1e-4; 0 without limits."""
        if not np.isfinite(self.limits).any():
            return 0.0
        if self.is_possible(start):
            low, high = 0.0, start
        else:
            low, high = start, 2 * start
            while not self.is_possible(high):
                low, high = high, 2 * high
        while high - low > 1e-4 * high:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.is_possible(middle) else (middle, high)
        return high

    def best(self, duration: float) -> QuietLaw:
        """Of a duration that the limits allow."""
        with doing(f"quiet: a law of {duration:.4g} s for {self.modes.count} modes"):
            found = self._best(duration)
        self.tell(duration, found.worst)
        return found

    def _best(self, duration: float) -> QuietLaw:
        laws = self.laws(duration)
        resolved = self.modes.below(RESOLVED * laws.pieces / duration)
        top = resolved.fastest * duration * self.band
        count = 1 if self.band == 0 else 2 * int(min(3 + 1.5 * top, 12)) + 1
        left = Leftover(resolved, laws, np.linspace(1 - self.band, 1 + self.band, count))
        A, b = self.bounds(laws)
        t = np.linspace(0.0, duration, 8 * laws.pieces + 1)
        like = septic_law(duration).at(t, True)[0][:, 0]
        B = laws.basis(t)[0]
        fixed, B = B[:, -STILL:].sum(axis=1), B[:, STILL:-STILL]
        x = minimise_quadratic(B.T @ B + 1e-9 * np.eye(laws.free), B.T @ (fixed - like), A, b)[0]
        size = left.peak(x) or 1.0
        jerks = laws.jerks(t)
        smooth = SMOOTH / np.linalg.norm(jerks @ laws.coefficients(x))
        D, d = smooth * jerks[:, STILL:-STILL], smooth * jerks[:, -STILL:].sum(axis=1)
        for _ in range(ROUNDS):
            R, J = left.amplitudes(x)
            R, J = (np.concatenate([z.real, z.imag]) / (size * np.sqrt(count)) for z in (R, J))
            r, J = R.ravel(), J.reshape(-1, laws.free)
            made = minimise_quadratic(J.T @ J + D.T @ D, J.T @ (r - J @ x) + D.T @ d, A, b)[0]
            moved, x = np.abs(made - x).max(), made
            if moved < SETTLED:
                break
        amplitudes = np.sqrt((np.abs(left.amplitudes(x, slopes=False)[0]) ** 2).sum(axis=1))
        peak = min(left.peak(x) or size, size)
        return QuietLaw(laws.law(x), float(amplitudes[count // 2] / peak), float(amplitudes.max() / peak))

    def quickest(self, start: float, tolerance: float) -> QuietLaw | None:
        """The law of the shortest duration from `start` (s) on that leaves no more than tolerance, to 1 %; None: not within
        FARTHEST periods."""
        duration, before = start, start
        found = self.best(duration)
        while found.worst > tolerance:
            before, duration = duration, SLOWER * duration
            if duration > start + FARTHEST / self.modes.slowest:
                return None
            found = self.best(duration)
        while duration - before > 0.01 * duration:
            middle = 0.5 * (before + duration)
            made = self.best(middle)
            if made.worst > tolerance:
                before = middle
            else:
                duration, found = middle, made
        return found
