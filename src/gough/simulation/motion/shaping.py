"""What a motion was made for: the vibrations that a shaper or a quiet law leaves at rest."""

from dataclasses import dataclass

import numpy as np

from gough.text import short_repr


@dataclass(frozen=True, eq=False)
class ShapedMode:
    """A vibration along a motion. mode: its number at the first pose, from 0 on; None: it was given as a frequency. t (n,), s, in
    the time of the shaped motion; frequencies_hz (n,), undamped, and damping ratios (n,) there. excited: the part of the energy
    that the motion gives all modes, where it was chosen for that; NaN where it was named."""

    mode: int | None
    t: np.ndarray
    frequencies_hz: np.ndarray
    damping: np.ndarray
    excited: float = float("nan")

    def __str__(self) -> str:
        f, z = self.frequencies_hz, self.damping
        name = "" if self.mode is None else f"mode {self.mode}, "
        if np.isfinite(self.excited):
            name = f"{name}{100 * self.excited:.3g} % of what it excites, "
        return f"{name}{_range(f)} Hz, damping {_range(z)}"

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Shaping:
    """What was done to a motion. shaper: "zv", "zvd", "ei", "two_mode", or "quiet" for a law that was searched for; modes: what
    rests then; later (s): by how much the motion is longer; left: of a quiet law, what is left at the frequencies themselves and
    at most over the band, parts of the elastic peak."""

    shaper: str
    modes: tuple[ShapedMode, ...]
    later: float = 0.0
    left: tuple[float, float] | None = None

    def __str__(self) -> str:
        shown = [str(x) for x in self.modes[:SHOWN]] + (
            [f"and {len(self.modes) - SHOWN} more"] if len(self.modes) > SHOWN else []
        )
        told = f"{self.shaper} for {'; '.join(shown)}"
        if self.left is not None:
            return f"{told}; {self.left[0]:.2g} of the elastic peak left, {self.left[1]:.2g} at most over the band"
        return f"{told}; {1e3 * self.later:.4g} ms longer"

    __repr__ = short_repr


SHOWN = 3
"""Modes in the text."""


def _range(x: np.ndarray) -> str:
    low, high = f"{x.min() + 0.0:.4g}", f"{x.max() + 0.0:.4g}"
    return low if low == high else f"{low} … {high}"
