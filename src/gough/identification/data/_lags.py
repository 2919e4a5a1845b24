"""Forces that were low-passed before they were logged: an amplifier's filter of the first order, τ_measured + T τ̇_measured = τ.

A delay leaves the quick parts of forces as large as they are, a low pass does not; where motions are slow, ωT small, both are the
same. So the part that base parameters do not explain is made least with

    y(t) + T ẏ(t)                                                                                                  (1)

in the place of y(t + δ), by the same columns and weights. It is a low pass where (1) leaves less than the delay does, by more
than chance: in most stretches of the record.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.identification.data._filters import LowPass
from gough.identification.data._pieces import EvenPiece

if TYPE_CHECKING:
    from gough.model import Model

CERTAIN, PARTS = 4.0, 12
"""Deviations from which the time constant, and what (1) leaves less in parts of a record, are no accident; such parts."""
LEFT = 0.95
"""Part of what a delay leaves that a low pass must leave at most."""
SLOPES = LowPass(None)


@dataclass(frozen=True)
class ForceLag:
    """A time constant (s), its deviation, and the part of what a delay leaves unexplained that is left."""

    constant: float
    deviation: float
    part: float

    def __str__(self) -> str:
        return (
            f"forces of all drives look low-passed, with a time constant of {1e3 * self.constant:.3g} ± "
            f"{1e3 * self.deviation:.2g} ms: that leaves {self.part:.0%} of what a delay leaves unexplained; "
            f"lags={{'force': {self.constant:.3g}}} takes it out (else filter all positions alike, before); with a delay alone "
            "numbers lean by several of their deviations"
        )


def find_lag(
    force: Callable[[int], np.ndarray], rest: Callable[[np.ndarray], np.ndarray], late: np.ndarray, blur: float
) -> ForceLag | None:
    """A low pass of all forces in the place of a delay.

    force(order): filtered forces (n, k) as they come, or their slopes; rest: what columns do not explain of them (nk,); late
    (nk,): what is left with the delay; blur (s): what filters with friction make.
    """
    r, G = rest(force(0)), rest(force(1))
    square = float(G @ G)
    if not square > 0.0:
        return None
    constant = -float(G @ r) / square
    left = r + constant * G
    split = [np.array_split(x, PARTS) for x in (left, late, G)]
    slopes = np.array([float(g @ x) for x, _, g in zip(*split, strict=True)])
    chance = np.sqrt(
        max(float(left @ left) / max(len(left), 1) / square, (slopes @ slopes) * PARTS / (PARTS - 1) / square**2)
    )
    gain = np.array([float(y @ y - x @ x) for x, y, _ in zip(*split, strict=True)])
    part = float(np.linalg.norm(left) / max(float(np.linalg.norm(late)), 1e-300))
    sure = gain.mean() > CERTAIN * gain.std(ddof=1) / np.sqrt(PARTS)
    if part < LEFT and sure and constant > blur + CERTAIN * chance:
        return ForceLag(constant, float(chance), part)
    return None


def known_lags(model: "Model", lags: Mapping[str, float]) -> dict[str, float]:
    """{drive: time constant (s)} of what was told."""
    drives = model.layout.drive_names
    known = {"force", *(f"force {d}" for d in drives)}
    strange = [key for key in lags if key not in known]
    if strange:
        raise UsageError(f"condition: lags={{{strange[0]!r}: …}} names no force; use 'force' or 'force DRIVE'")
    return {d: float(lags.get(f"force {d}", lags.get("force", 0.0))) for d in drives}


def take_lags_out(piece: EvenPiece, lags: Mapping[str, float]) -> EvenPiece:
    """The piece with forces τ + T τ̇."""
    forces = dict(piece.record.forces)
    for drive, constant in lags.items():
        if constant:
            forces[drive] = forces[drive] + constant * SLOPES(forces[drive], piece.step, order=1)
    return replace(piece, record=replace(piece.record, forces=forces))
