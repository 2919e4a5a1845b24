"""One drive whose measured force has another gain than those of the others.

The same masses explain the forces of all drives, so that a factor g on the force f of one drive alone shows: in

    target = Y φ - (g - 1) f at that drive,                                                                       (1)

with φ and g unknown, less is left than with g = 1. Drives are tried one by one, each row over what is left of its force; the
deviation of g is that of noise.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gough.identification.identification import Identification

CERTAIN, LEAST = 6.0, 0.02
"""Deviations, and difference from 1, from which a gain is told."""
LEFT = 0.7
"""Part of what is not predicted that another gain must leave at most."""
STRUCTURED = 0.005
"""Share of a drive's force that is not predicted, below which gains are not asked for."""
ROUNDING = 1e-9
NUMBERS = 2**24
"""Of all equations together; more are not gone through."""


def doubts_of_gains(found: "Identification") -> list[str]:
    """A sentence on the drive whose gain, if it were another, would explain most; [] where none would."""
    rows, fit = found.rows, found.fits[0]
    names = rows.names
    if not rows.at_drives or rows.gains or len(names) < 2 or not (fit.share > STRUCTURED).any():
        return []
    if fit.count * len(names) * (rows.size + 1) > NUMBERS:
        return []
    pieces = list(rows.pieces(found.samples, found.thinning))
    Y, target, force = (np.concatenate([getattr(p, key) for p in pieces]) for key in ("Y", "target", "force"))
    weights = 1.0 / np.maximum(fit.rms, ROUNDING * np.maximum(fit.rms.max(), 1e-300))
    told: list[tuple[int, float, float, float]] = []
    first: list[tuple[int, float, float, float]] = []
    which = 0
    for _ in range(2):  # weights of the fit, then those that the best gain leaves
        weighed = (Y * weights[:, None]).reshape(-1, Y.shape[2])
        size = np.linalg.norm(weighed, axis=0)
        U, s, _ = np.linalg.svd(weighed[:, size > 0] / size[size > 0], full_matrices=False)
        U = U[:, s > ROUNDING * s[0]]
        y = (target * weights).ravel()
        y = y - U @ (U.T @ y)
        left: list[np.ndarray] = []
        told = []
        for k in range(len(names)):
            f = np.zeros_like(target)
            f[:, k] = force[:, k] * weights[k]
            f = f.ravel() - U @ (U.T @ f.ravel())
            strength = float(f @ f)
            if strength <= ROUNDING * float((force[:, k] ** 2).sum()) * weights[k] ** 2:
                continue
            more = float(f @ y) / strength
            r = y - more * f
            deviation = float(np.sqrt(r @ r / max(len(r) - U.shape[1] - 1, 1) / strength))
            told.append((k, 1.0 - more, deviation, float(np.sqrt(r @ r / (y @ y)))))
            left.append(r)
        if not told:
            return []
        which = min(range(len(told)), key=lambda n: told[n][3])
        rest = np.sqrt(np.mean(left[which].reshape(target.shape) ** 2, axis=0)) / weights
        weights = 1.0 / np.maximum(rest, ROUNDING * np.maximum(fit.rms.max(), 1e-300))
        first = first or told
    k, gain, deviation, part = told[which]
    if part > LEFT or abs(gain - 1.0) < max(LEAST, CERTAIN * deviation) or gain <= 0:
        return []
    others = [
        f"{names[n]} {g:.4g} ± {d:.1g}"
        for n, g, d, p in first
        if n != k and p < LEFT and g > 0 and abs(g - 1.0) > max(LEAST, CERTAIN * d)
    ]
    instead = f" (instead of it perhaps {', '.join(others)})" if others else ""
    text = (
        f"{names[k]}: {fit.share[k]:.2%} of its force are not predicted; were it {gain:.4g} ± {deviation:.1g} times as large"
        f"{instead}, only {part:.0%} of all that is not predicted would be left: check its gain and unit (gain: {gain:.4g} times "
        "the one of the column map)"
    )
    return [text]
