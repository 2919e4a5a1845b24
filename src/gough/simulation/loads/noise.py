"""Forces of chance with a spectrum: wind, ground, cutting forces.

Each component is a sum of `lines` cosines [Shinozuka 1972]

    w_c(t) = Σ_j √(2 S_c(f_j) Δf_j) cos(2π f_j t + φ_cj),                                               (1)

S_c its one-sided spectral density (N²/Hz, (N·m)²/Hz), phases φ even over a turn, f_j drawn in its part Δf_j of the band, so
that it never comes again. By chance its mean square is ∫ S df, and the more lines, the more it is normal. Components do not know
of each other. Seed and number of the run say which one it is.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import pi
from typing import Any, ClassVar

import numpy as np

from gough.arguments import floats, take, whole
from gough.errors import UsageError
from gough.scalar import cos, sin, zeros
from gough.simulation.loads.load import TimeLoad

Vector = np.ndarray
MOST_LINES = 1000


@dataclass(frozen=True, eq=False)
class Noise(TimeLoad):
    """frequencies (n,), Hz: rising. density (n, 6), or (6,) for the same at all of them: one-sided, N²/Hz and (N·m)²/Hz, straight
    lines between, 0 outside. lines: cosines of each component. seed: other ones of the same spectrum."""

    frequencies: Any
    density: Any = field(repr=False)
    lines: int = 64
    seed: int = 0
    name: ClassVar[str] = "noise"

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", take("noise: lines", whole(1, MOST_LINES), self.lines))
        object.__setattr__(self, "seed", take("noise: seed", whole(0, 2**64), self.seed))
        f, S = floats("noise: frequencies", self.frequencies), floats("noise: density", self.density)
        S = np.broadcast_to(S, (len(f), 6)) if f.ndim == 1 and S.shape == (6,) else S
        if f.ndim != 1 or len(f) < 2 or S.shape != (len(f), 6):
            raise UsageError(
                f"noise: frequencies have shape {f.shape}, density {S.shape}; give frequencies (n,) in Hz, n at least 2, and "
                "density (6,) or (n, 6) in N²/Hz and (N·m)²/Hz"
            )
        if not np.isfinite(f).all() or (f < 0).any() or (np.diff(f) <= 0).any():
            raise UsageError(f"noise: frequencies={f.tolist()}: they must rise, none below 0")
        if not np.isfinite(S).all() or (S < 0).any() or not S.any():
            raise UsageError("noise: density: give finite numbers, none below 0, and not all 0")
        object.__setattr__(self, "frequencies", f.copy())
        object.__setattr__(self, "density", S.copy())

    @cached_property
    def along(self) -> tuple[int, ...]:
        """Components that it has."""
        return tuple(np.flatnonzero(self.density.any(axis=0)).tolist())

    @property
    def structure(self) -> tuple[Any, ...]:
        """See `TimeLoad`."""
        return (self.lines, self.along)

    @property
    def varies(self) -> bool:
        """See `TimeLoad`: every run has its own."""
        return True

    @property
    def fastest(self) -> float:
        """See `TimeLoad`."""
        return float(self.frequencies[-1])

    def numbers(self, t: float, run: int) -> Vector:
        """See `TimeLoad`: angular frequencies (lines,), then factors of cosines and sines of each component."""
        rng = np.random.default_rng([self.seed, run])
        edges = np.linspace(self.frequencies[0], self.frequencies[-1], self.lines + 1)
        f = edges[:-1] + np.diff(edges) * rng.random(self.lines)
        phases = 2.0 * pi * rng.random((6, self.lines))
        parts = [2.0 * pi * f]
        for c in self.along:
            size = np.sqrt(2.0 * np.interp(f, self.frequencies, self.density[:, c]) * np.diff(edges))
            parts += [size * np.cos(phases[c]), -size * np.sin(phases[c])]
        return np.concatenate(parts)

    def at(self, t: Any, numbers: Vector) -> Vector:
        """See `TimeLoad`: (1)."""
        parts = numbers.reshape(-1, self.lines)
        angles = [w * t for w in parts[0]]
        c = np.array([cos(a) for a in angles], dtype=object)
        s = np.array([sin(a) for a in angles], dtype=object)
        out = zeros(6)
        for i, k in enumerate(self.along):
            out[k] = parts[1 + 2 * i] @ c + parts[2 + 2 * i] @ s
        return out
