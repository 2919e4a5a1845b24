"""Encoders that are read at other times than the others: by how much, where the forces tell it.

A position that comes late by δ was x(t + δ) when the log says x(t): with rate and acceleration the drive's states are moved along
their own way, loops closed again, and residuals r of the equations derived by δ, D = ∂r/∂δ. What base parameters can take away is
projected out of both, as for zeros of encoders (`_zeros.py`), and so is a delay of all encoders at once: that is one of the
forces, which `data/_joint_shifts.py` looks for.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gough.identification._zeros import can_be_derived, first_rows, project_residuals, residual_of
from gough.identification.data.filtering import delay_drive
from gough.identification.estimation.rows import ForceEquations

if TYPE_CHECKING:
    from gough.identification.identification import Identification

STEP = 0.01
"""Of a delay, periods of the band, by which residuals are derived."""
CERTAIN, LEFT = 6.0, 0.9
"""Deviations of a delay, and part of what is not predicted of some drive's force that it leaves, from which it is told."""


def doubts_of_delays(found: "Identification") -> Iterator[str]:
    """What a user should hear of encoders that lag behind each other."""
    names, band = found.model.layout.drive_names, found.samples.band_hz
    if band is None or len(names) < 2 or not can_be_derived(found):
        return
    samples = first_rows(found)
    equations, phi, by = ForceEquations(found.rows, samples, found.thinning), found.estimate.phi, STEP / band
    r, columns = residual_of(equations, phi), []
    for k in range(len(names)):
        moved = delay_drive(samples, k, by)
        if moved is None:
            return
        columns.append((residual_of(equations.at(moved), phi) - r) / by)
    one = np.ones(len(names))
    D, rest = project_residuals(found, equations, np.stack(columns, axis=-1), r)
    common = D @ one
    common /= max(float(np.linalg.norm(common)), 1e-300)
    apart = np.eye(len(names))[:, 1:] - np.eye(len(names))[:, :1]  # of every other drive against the first
    G, left = ((x - np.outer(common, common @ x).reshape(x.shape)) for x in (D @ apart, rest))
    inverse = np.linalg.pinv(G, rcond=1e-6)
    late = -inverse @ left
    after = left + G @ late
    freedom = max(len(rest) - found.rows.size - len(names), 1)
    noise = float(after @ after) / freedom * found.estimate.residuals.memory
    spread = apart @ (inverse @ inverse.T * noise) @ apart.T
    before, then = (np.linalg.norm(x.reshape(-1, len(names)), axis=0) for x in (left, after))
    shrunk = then / np.maximum(before, 1e-300)
    most = int(np.argmin(shrunk))
    own = apart @ late
    own -= np.sort(own)[(len(names) - 1) // 2]
    deviations = np.sqrt(np.maximum(np.diag(spread), 1e-300))
    far = [k for k in range(len(names)) if abs(own[k]) > CERTAIN * deviations[k]]
    if shrunk[most] < LEFT and far:
        few = ", ".join(f"{names[k]} {1e3 * own[k]:+.3g} ± {1e3 * deviations[k]:.2g} ms" for k in far[:6])
        yield (
            f"what is not predicted falls to {shrunk[most]:.0%} at {names[most]} if encoders were read at other times than the "
            f"rest of them: {few} (late where positive): check how the log is taken (shifts={{'position NAME': s}} brings a "
            "channel back); with wrong times numbers lean by more than their deviations say"
        )
