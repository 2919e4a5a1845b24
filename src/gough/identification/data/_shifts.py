"""Time shifts between channels: by how much a force comes later or earlier than the motion it makes.

A force y is explained by columns B of what the model says at the same times: those of its base parameters (where forces of drives
follow from the motion, else its forces of gravity, inertia and velocity), the accelerations of all drives, and the drive's own
rate, the sign of it and 1. What a wrong mass or a friction left out makes would look like a shift. The shift δ is where the part
of y(t + δ) that B does not explain is smallest,

    J(δ) = |y(t + δ) - B B⁺ y(t + δ)|²:                                                                          (1)

whole steps first, then between them on the curve of the filtered channel. Its deviation is the larger of two: s / |(1 - B B⁺) ẏ|,
with the share of independent rows, what noise alone makes of it; and the spread of Σ ẏ r over stretches of the record, which is
larger where the residual r is no noise. A shift that explains little more is none, however small its deviation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.identification.data._lags import ForceLag

if TYPE_CHECKING:
    from gough.model import Model

LONGEST = 0.1
"""s: shifts that are looked for."""
MOST_STEPS = 200
STILL = 1e-9
"""A channel that changes by less, of its size, tells nothing."""
CERTAIN = 4.0
"""Deviations from which a shift is no accident."""
SAID, TAKEN = 0.9, 0.7
"""Part of what is not explained that a shift must leave at most, to be told, and to be taken out: in short records a false one
leaves 0.8 and more."""
ENOUGH = 2.0
"""Independent rows a column below which nothing can be told."""
STRETCHES = 12
AT_ONCE = 32
"""Shifts that are looked at together."""


@dataclass(frozen=True)
class Shift:
    """A channel comes late by `late` s (early where negative), ± deviation; before, after: root mean square of what its columns
    do not explain, in the channel's unit, without and with the shift, or shares of what `of` says; step: of sampling (s)."""

    channel: str
    late: float
    deviation: float
    before: float
    after: float
    step: float
    of: str = ""
    likely: bool = False
    """Whether it is more than noise and the filter make, though not by as much as `certain` asks."""
    lag: ForceLag | None = None
    """A low pass that explains more than the shift."""

    @property
    def certain(self) -> bool:
        """Whether it is more than noise, and explains something."""
        return abs(self.late) > CERTAIN * self.deviation and self.after < SAID * self.before

    @property
    def plain(self) -> bool:
        """Whether it explains so much that it may be taken out unasked."""
        return self.certain and self.after < TAKEN * self.before

    @property
    def early_words(self) -> str:
        """What to say of the force of a drive that comes before the motion it makes, by a sample and more; "" of others."""
        kind, _, drive = self.channel.partition(" ")
        if kind != "force" or not drive or self.late > -self.step:
            return ""
        return (
            f"; no force comes before the motion it makes: is it the encoder of {drive} that comes late? Then "
            f"shifts={{'position {drive}': {-self.late:.3g}}} is right, and without it numbers lean"
        )

    def __str__(self) -> str:
        side = "late" if self.late >= 0 else "early"
        size = (
            f"{1e3 * abs(self.late):.4g} ± {1e3 * self.deviation:.2g} ms {side} ({self.late / self.step:.3g} samples)"
        )
        name = "force of all drives" if self.channel == "force" else self.channel
        part = f" {self.of}" if self.of else ""
        return f"{name} comes {size}; what the model does not explain{part} falls from {self.before:.4g} to {self.after:.4g}"


def find_shift(
    channel: str, pieces: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], step: float, independent: float
) -> Shift | None:
    """The shift of a channel from pieces (y (n,) filtered, rows (m,) of it, B (m, p)); None where nothing can be told."""
    from scipy.interpolate import CubicSpline
    from scipy.optimize import minimize_scalar

    if max(float(np.ptp(y)) for y, _, _ in pieces) <= STILL * max(float(np.abs(y).max()) for y, _, _ in pieces):
        return None
    basis = np.concatenate([B for _, _, B in pieces])
    size = np.linalg.norm(basis, axis=0)
    Q, R = np.linalg.qr(basis[:, size > 0] / size[size > 0])
    U, s, _ = np.linalg.svd(R)
    Q = Q @ U[:, s > 1e-9 * s[0]] if s[-1] <= 1e-9 * s[0] else Q
    curves = [CubicSpline(np.arange(len(y)), y) for y, _, _ in pieces]
    room = min(min(int(rows.min()), len(y) - 1 - int(rows.max())) for y, rows, _ in pieces)
    most = min(int(LONGEST / step), MOST_STEPS, room)
    if most < 2 or len(basis) * independent < ENOUGH * Q.shape[1]:
        return None

    def left(late: float, order: int = 0) -> np.ndarray:
        y = np.concatenate([c(rows + late, order) for c, (_, rows, _) in zip(curves, pieces, strict=True)])
        return y - Q @ (Q.T @ y)

    def error(late: float) -> float:
        r = left(late)
        return float(r @ r)

    grid = np.arange(-most, most + 1)
    errors = []
    for some in np.array_split(grid, -(-len(grid) // AT_ONCE)):  # whole steps: the samples themselves
        y = np.concatenate([y[rows[:, None] + some] for y, rows, _ in pieces])
        errors += ((y - Q @ (Q.T @ y)) ** 2).sum(axis=0).tolist()
    best = int(np.argmin(errors))
    if best in (0, len(grid) - 1):
        return None
    found = minimize_scalar(
        error, bounds=(grid[best] - 1.0, grid[best] + 1.0), method="bounded", options={"xatol": 1e-4}
    )
    late = float(found.x)  # pyright: ignore[reportAttributeAccessIssue]
    residual, slope = left(late), left(late, 1)
    count = len(basis)
    noise = np.sqrt(residual @ residual / max(count - Q.shape[1], 1))
    strength = float(np.sqrt(slope @ slope * independent))
    if strength == 0.0:
        return None
    parts = np.array([part.sum() for part in np.array_split(slope * residual, STRETCHES)])
    rough = float(np.sqrt(parts @ parts * STRETCHES / (STRETCHES - 1)) / (slope @ slope))
    before = float(np.sqrt(error(0.0) / count))
    return Shift(
        channel,
        late * step,
        max(float(noise / strength), rough) * step,
        before,
        float(np.sqrt(error(late) / count)),
        step,
    )


def known_shifts(model: "Model", shifts: Mapping[str, float]) -> dict[str, float]:
    layout = model.layout
    names = {layout.q_names[link.q] for link in model.mechanism.links if link.nu == 1}
    known = (
        {"force", "position", "pose", "wrench"}
        | {f"force {d}" for d in layout.drive_names}
        | {f"position {n}" for n in names}
    )
    strange = [key for key in shifts if key not in known]
    if strange:
        raise UsageError(
            f"condition: shifts={{{strange[0]!r}: …}} names no channel; use 'force', 'force DRIVE', 'position NAME', …"
        )
    return {key: float(s) for key, s in shifts.items()}
