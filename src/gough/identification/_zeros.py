"""Encoders that count from elsewhere: by how much, where the forces tell it.

A drive whose encoder is off by z was elsewhere than the samples say. Masses follow that error, and what is left looks like noise:
numbers lean by many deviations without a word. Here residuals r of the equations are derived by the zero of every drive, loops
closed again, D = ∂r/∂z; with what the base parameters can take away projected out of both, r + D z is least for the z sought.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.data.filtering import move_drive
from gough.identification.data.samples import Samples
from gough.identification.estimation.rows import ForceEquations

if TYPE_CHECKING:
    from gough.identification.identification import Identification

ROWS, EQUATIONS = 3000, 2
"""Rows that are looked at, at least, and equations a number that they must give."""
STEP = 1e-4
"""Of a zero, rad or robot sizes, by which residuals are derived."""
CERTAIN, LEFT = 5.0, 0.9
"""Deviations of a zero, and part of what is not predicted that it leaves, from which it is told."""
FELT = 1e-3
"""Part of a column that base parameters do not take away, from which it tells something."""


def doubts_of_zeros(found: "Identification") -> Iterator[str]:
    """What a user should hear of zeros of encoders."""
    layout, rows = found.model.layout, found.rows
    if not can_be_derived(found):
        return
    samples = first_rows(found)
    equations, phi = ForceEquations(rows, samples, found.thinning), found.estimate.phi
    units = ["rad" if unit == "N m" else "m" for unit in layout.drive_units]
    r = residual_of(equations, phi)
    columns = []
    for k, unit in enumerate(units):
        by = STEP * (1.0 if unit == "rad" else found.model.size)
        moved = move_drive(samples, k, by)
        if moved is None:
            return
        columns.append((residual_of(equations.at(moved), phi) - r) / by)
    columns = np.stack(columns, axis=-1)
    size = np.linalg.norm((columns / found.estimate.sigma[:, None]).reshape(-1, len(units)), axis=0)
    D, rest = project_residuals(found, equations, columns, r)
    told = np.flatnonzero(np.linalg.norm(D, axis=0) > FELT * np.maximum(size, 1e-300))
    if not len(told):
        return
    inverse = np.linalg.pinv(D[:, told], rcond=1e-6)
    z = -inverse @ rest
    left = rest + D[:, told] @ z
    freedom = max(len(rest) - rows.size - len(told), 1)
    noise = float(left @ left) / freedom * found.estimate.residuals.memory
    deviations = np.sqrt(np.maximum(np.diag(inverse @ inverse.T) * noise, 1e-300))
    part = float(np.sqrt(left @ left / max(rest @ rest, 1e-300)))
    far = [k for k in range(len(told)) if abs(z[k]) > CERTAIN * deviations[k]]
    if part < LEFT and far:
        few = ", ".join(
            f"{layout.drive_names[told[k]]} {z[k]:+.3g} ± {deviations[k]:.2g} {units[told[k]]}" for k in far[:6]
        )
        yield (
            f"what is not predicted falls to {part:.0%} if encoders had another zero: {few} (to be added to positions): check "
            "them (offset: in columns=), or calibrate the robot (gough.calibrate); with a wrong zero numbers lean by more than "
            "their deviations say"
        )


def can_be_derived(found: "Identification") -> bool:
    """Whether residuals can be derived by where drives are: encoders of them tell the state, and rows are enough."""
    rows, model = found.rows, found.model
    if found.method == "didim" or not rows.at_drives or rows.gains or len(model.layout.drive_names) != model.mobility:
        return False
    equations = ForceEquations(rows, first_rows(found), found.thinning)
    return equations.count * len(rows.names) >= EQUATIONS * (rows.size + len(rows.names))


def first_rows(found: "Identification") -> Samples:
    """The first runs, with rows enough."""
    samples, rows = found.samples, found.rows
    wanted = EQUATIONS * (rows.size + len(rows.names)) // len(rows.names) + 1
    most = max(ROWS, (2 * found.thinning.factor) * wanted + 2 * found.thinning.reach)
    return samples if len(samples) <= most else samples.rows(slice(0, most))


def residual_of(equations: ForceEquations, phi: np.ndarray) -> np.ndarray:
    """What φ does not predict (equations, rows)."""
    return np.concatenate([piece.target - piece.Y @ phi for piece in equations])


def project_residuals(
    found: "Identification", equations: ForceEquations, columns: np.ndarray, r: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Columns (equations, rows, k) and residuals r (equations, rows) over their noise, less what base parameters take away:
    (n, k) and (n,)."""
    sigma, rows = found.estimate.sigma, found.rows
    Y = np.concatenate([piece.Y / sigma[:, None] for piece in equations]).reshape(-1, rows.size)
    D = (columns / sigma[:, None]).reshape(-1, columns.shape[-1])
    U, values, _ = np.linalg.svd(Y / np.maximum(np.linalg.norm(Y, axis=0), 1e-300), full_matrices=False)
    Q = U[:, values > 1e-10 * values[0]]
    D, rest = (x - Q @ (Q.T @ x) for x in (D, (r / sigma).ravel()))
    return D, rest
