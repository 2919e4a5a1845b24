"""Measured forces with another gain or another zero than the others': where the equations tell it.

The same masses explain the forces of all drives, so that a factor on the force of one drive, or a constant beside it, shows: in

    target_k = h_k Y_k φ + o_k                                                                                    (1)

less is left with another h of that drive, or other o of all drives, than with h = 1 and o = 0. The column of h is the force that
is predicted, Y_k φ, not the measured one: its noise would be explained by itself, and h fall with it. φ, h and the noises of all
drives are found anew for every candidate, from triangles. What a candidate explains is judged by the likelihoods,

    n/m Σ_k log(σ_k² without / σ_k² with),                                                                        (2)

n equations a drive, m of them telling as much as one: the square of deviations from 0, however unlike noises of drives are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.identification.estimation.spread import gather_residuals

if TYPE_CHECKING:
    from gough.identification.estimation.rows import Piece
    from gough.identification.identification import Identification

CERTAIN, LEAST, HARDLY = 6.0, 0.01, 0.2
"""Deviations, and difference of a gain from 1, from which it is told; deviation over a gain, from which it is no factor."""
LEFT = 0.85
"""Part of the noises (mean of their logarithms) that another gain or zero must leave at most."""
ALIKE = 0.8
"""Part of the best candidate's squared deviations from which another one may be meant as well."""
TURNS, SETTLED = 20, 1e-6
ROUNDING = 1e-9
EXACT = 1e-6
"""Of a force: noise below it is none."""
NUMBERS = 2**24
"""Of all equations together; more are not gone through."""


def doubts_of_force_channels(found: "Identification") -> list[str]:
    """A sentence on the drives whose gain or zero, if it were another, would explain most; [] where none would."""
    rows, fit = found.rows, found.fits[0]
    names = rows.names
    if not rows.at_drives or rows.gains or fit.count * len(names) * (rows.size + 2) > NUMBERS:
        return []
    pieces = list(rows.pieces(found.samples, found.thinning))
    count = sum(len(p.target) for p in pieces)
    freedom = count - rows.size / len(names) - 1
    if freedom < 1 or not pieces:
        return []
    size = np.sqrt(sum((p.force**2).sum(axis=0) for p in pieces) / count)
    if not (size > 0).all():
        return []
    R = np.stack([_triangle(pieces, k) for k in range(len(names))])
    floor = EXACT * size
    before = _Candidate.of(R, count, floor)
    tried = [_Candidate.of(R, count, floor, gain=k) for k in range(len(names))] if len(names) > 1 else []
    unknown = [k for k, n in enumerate(names) if f"{n}.offset" not in rows.base.regressor.names]
    if unknown:
        tried.append(_Candidate.of(R, count, floor, offsets=unknown))
    if not tried:
        return []
    judged = [(c, freedom * float(np.log(before.noise / c.noise).sum() * 2.0) / c.memory(pieces)) for c in tried]
    best = max(judged, key=lambda x: x[1])
    if best[1] < CERTAIN**2 or best[0].part(before) > LEFT:
        return []
    alike = [c for c, square in judged if square >= ALIKE * best[1] and c.part(before) <= LEFT and c is not best[0]]
    texts = [t for c in (best[0], *alike) if (t := c.say(found, pieces))]
    return [_sentence(found, texts, best[0], before)] if texts and best[0].say(found, pieces) else []


def _sentence(found: "Identification", texts: Sequence[str], best: "_Candidate", before: "_Candidate") -> str:
    part = float(np.linalg.norm(best.noise) / np.linalg.norm(before.noise))
    shrunk = best.noise / before.noise
    k = int(np.argmin(shrunk))
    instead = f" (or instead {'; or '.join(texts[1:])})" if len(texts) > 1 else ""
    return (
        f"what is not predicted of the forces falls to {part:.0%}, at {found.rows.names[k]} to {shrunk[k]:.0%}, if "
        f"{texts[0]}{instead}: check {best.remedy}; with wrong ones numbers lean by more than their deviations say"
    )


@dataclass(frozen=True)
class _Candidate:
    """Equations (1) solved: φ (p,), h and o (drives,), σ (drives,) of what is left; deviations of what was free, without memory.
    gain: the drive whose h was free, or None; offsets: drives whose o were."""

    phi: np.ndarray
    gains: np.ndarray
    zeros: np.ndarray
    noise: np.ndarray
    deviations: np.ndarray
    gain: int | None = None
    offsets: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, R: np.ndarray, count: int, floor: np.ndarray, gain: int | None = None, offsets: Sequence[int] = ()
    ) -> "_Candidate":
        """From triangles R (drives, p + 2, p + 2) of [Y | 1 | target] of `count` equations; floor (drives,): least noises."""
        kinds, p = len(R), R.shape[2] - 2
        phi, h, o = np.zeros(p), np.ones(kinds), np.zeros(kinds)
        noise = np.maximum(np.linalg.norm(R[:, :, -1], axis=1) / np.sqrt(count), floor)
        deviations = np.zeros(0)
        for turn in range(TURNS):
            more = np.zeros((kinds, R.shape[1], len(offsets) + (gain is not None)))
            for n, k in enumerate(offsets):
                more[k, :, n] = R[k, :, -2]
            if gain is not None:
                more[gain, :, -1] = R[gain, :, :p] @ phi if turn else 0.0
            A = np.concatenate([R[:, :, :p] * h[:, None, None], more], axis=2)
            left = R[:, :, -1] - h[:, None] * (R[:, :, :p] @ phi) - o[:, None] * R[:, :, -2]
            step, inverse = _solve((A / noise[:, None, None]).reshape(-1, A.shape[2]), (left / noise[:, None]).ravel())
            phi = phi + step[:p]
            o[list(offsets)] += step[p : p + len(offsets)]
            if gain is not None:
                h[gain] *= np.clip(1.0 + step[-1] / h[gain], 0.5, 2.0)
            deviations = np.sqrt(np.maximum((inverse[p:] ** 2).sum(axis=1), 0.0))
            left = R[:, :, -1] - h[:, None] * (R[:, :, :p] @ phi) - o[:, None] * R[:, :, -2]
            new = np.maximum(np.linalg.norm(left, axis=1) / np.sqrt(count), floor)
            done = bool((np.abs(new - noise) <= SETTLED * noise).all()) and turn > 1
            noise = new
            if done:
                break
        return cls(phi, h, o, noise, deviations, gain, tuple(offsets))

    @property
    def remedy(self) -> str:
        """What to do about it."""
        if self.gain is not None:
            return "its gain and unit (gain: in the column map)"
        return 'zeros of force sensors and currents (offset: in the column map), or identify "offsets", too'

    def part(self, before: "_Candidate") -> float:
        """Part of the noises that is left."""
        return float(np.exp(np.log(self.noise / before.noise).mean()))

    def memory(self, pieces: "Sequence[Piece]") -> float:
        """Equations that tell as much as one, of what is left."""
        made = (replace(p, Y=p.Y * self.gains[:, None], target=p.target - self.zeros) for p in pieces)
        return gather_residuals(made, self.phi).memory

    def say(self, found: "Identification", pieces: "Sequence[Piece]") -> str:
        """What was free and is far from what it was taken for; "" where nothing is."""
        deviations, names = self.deviations * np.sqrt(self.memory(pieces)), found.rows.names
        if self.gain is not None:
            h, s = float(self.gains[self.gain]), float(deviations[-1])
            if abs(h - 1.0) < max(LEAST, CERTAIN * s):
                return ""
            if s > HARDLY * abs(h):
                name = names[self.gain]
                return f"only {h:.2g} ± {s:.1g} of the force of {name} were measured (a dead sensor, or another signal)"
            return f"the force of {names[self.gain]} were {1.0 / h:.4g} ± {s / h**2:.1g} times as large"
        units = found.model.layout.drive_units
        far = [(n, k) for n, k in enumerate(self.offsets) if abs(self.zeros[k]) > CERTAIN * deviations[n] > 0.0]
        few = [f"{names[k]} {self.zeros[k]:+.3g} ± {deviations[n]:.1g} {units[k]}" for n, k in far[:6]]
        return f"these constants were taken off: {', '.join(few)}" if few else ""


def _triangle(pieces: "Sequence[Piece]", k: int) -> np.ndarray:
    """R (p + 2, p + 2) of [Y | 1 | target] of a drive."""
    made: Any = np.zeros((0, pieces[0].Y.shape[2] + 2))
    for piece in pieces:
        own = np.column_stack([piece.Y[:, k], np.ones(len(piece.target)), piece.target[:, k]])
        made = np.linalg.qr(np.vstack([made, own]), mode="r")
    return np.pad(made, ((0, made.shape[1] - len(made)), (0, 0)))


def _solve(A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(least squares x, inverse of A), columns scaled; directions that nothing tells stay 0."""
    size = np.linalg.norm(A, axis=0)
    size = np.where(size > 0, size, 1.0)
    inverse = np.linalg.pinv(A / size, rcond=ROUNDING) / size[:, None]
    return inverse @ y, inverse
