"""When the simplified model of [Lopes] is good enough: complete minus simplified forces as the motion gets faster."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.comparison import Comparison, equals
from gough_papers.known import INDEPENDENT
from gough_papers.lopes.motion import COMPLETE_MINUS_SIMPLIFIED, p1p2p1
from gough_papers.report.canvas import COLORS, canvas, labelled
from gough_papers.report.section import Grid

if TYPE_CHECKING:
    from gough.compilation import Model

DURATIONS = (8.0, 4.0, 2.0, 1.5, 1.0, 0.75, 0.5, 0.4, 0.3)
"""s, one way."""
SHARES = {2.0: (0.016, 0.0005), 0.5: (0.097, 0.0005)}
"""{duration: (difference over the largest force, tolerance)}, from the same independent model."""


@dataclass(frozen=True)
class Sweep:
    """Of each duration: largest force of the complete model, largest difference (N), largest acceleration (m/s²)."""

    largest: np.ndarray
    difference: np.ndarray
    acceleration: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """The difference over the largest force."""
        return self.difference / self.largest

    def grid(self) -> Grid:
        """A row a duration."""
        head = ("one way, s", "acceleration m/s²", "max |f| N", "difference N", "of max |f|")
        rows = [
            (f"{T:g}", f"{a:.2f}", f"{f:.2f}", f"{d:.3f}", f"{100 * s:.1f} %")
            for T, a, f, d, s in zip(
                DURATIONS, self.acceleration, self.largest, self.difference, self.share, strict=True
            )
        ]
        return Grid(head, tuple(rows), head, "Complete minus simplified model, P1 → P2 → P1")

    def comparisons(self) -> list[Comparison]:
        """At the durations where an independent model was run."""
        out = []
        for T, (known, tolerance) in COMPLETE_MINUS_SIMPLIFIED.items():
            k = DURATIONS.index(T)
            out.append(
                equals(
                    f"complete − simplified, {T:g} s",
                    self.difference[k],
                    known,
                    "N",
                    tolerance,
                    INDEPENDENT,
                    form=".3f",
                )
            )
            share, digits = SHARES[T]
            out.append(
                equals(
                    f"the same over max |f|, {T:g} s", 100 * self.share[k], 100 * share, "%", 100 * digits, INDEPENDENT,
                    form=".2f",
                )
            )  # fmt: skip
        return out

    def good_until(self, share: float) -> float:
        """The shortest duration (s, interpolated) whose difference is at most that share of the largest force."""
        return float(np.interp(share, self.share, DURATIONS))

    def draw(self) -> Any:
        """Difference over the largest force against the duration."""
        figure = canvas(7.6, 3.9)
        ax = figure.subplots()
        ax.loglog(DURATIONS, 100 * self.share, "o-", color=COLORS[0])
        for limit in (1, 5):
            ax.axhline(limit, color="0.5", linewidth=0.8, linestyle=":")
        labelled(ax, "Complete minus simplified model", "largest difference / max |f| (%)", "duration one way T (s)")
        ax.set_xticks(DURATIONS, [f"{T:g}" for T in DURATIONS], minor=False)
        ax.set_xticks([], minor=True)
        ax.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        return figure


def sweep(complete: "Model", simplified: "Model") -> Sweep:
    """Along P1 → P2 → P1."""
    rows = []
    for T in DURATIONS:
        s = p1p2p1(T)
        f, g = (
            m.inverse_dynamics(m.configuration(pose=s.pose), s.v, s.acceleration).tau for m in (complete, simplified)
        )
        rows.append((np.abs(f).max(), np.abs(f - g).max(), np.linalg.norm(s.acceleration[:, :3], axis=1).max()))
    return Sweep(*np.array(rows).T)
