"""Modal data recomputed and compared: shapes, normalisation, stiffness, mass, inertia, units. Errors and named warnings."""

from dataclasses import replace

import numpy as np

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem.geometry import extent
from gough.fem.integrals import shape_integrals
from gough.fem.modal.data import ModalData, elastic_share, mass_points
from gough.fem.reading import real_numbers, shorten
from gough.fem.reduction.damping import semidefinite_matrix
from gough.fem.units import doubtful_units

SINGULAR = 1e-12
"""Smallest eigenvalue of the modal mass, scaled to a unit diagonal, at which a shape repeats others."""
WEAK = 1e-9
"""Square of a frequency, relative to the highest, of a rigid mode that rounding moved."""
LARGEST = 1e50
"""Entries beyond this leave the range of doubles when they are multiplied."""
ARRAYS = ("nodes", "masses", "inertias", "shapes", "K", "M", "D", "second", "K_G")
CLOSE, FAR = 0.01, 0.10
"""Lumped masses differ from consistent ones by percents: more than CLOSE warns, more than FAR is an error."""


def check_modal_data(data: ModalData) -> tuple[ModalData, list[str]]:
    """The data with M filled in and matrices symmetric, and sentences on what looked wrong (each also a warning)."""
    arrays = {name: getattr(data, name) for name in ARRAYS}  # an imaginary part is refused, never dropped
    data = replace(data, **{name: real_numbers(x, name) for name, x in arrays.items() if x is not None})
    demand_shapes(data)
    K = semidefinite_matrix(data.K, data.modes, "the stiffness K")
    if (np.diag(K) <= 0.0).any():
        raise _no_stiffness(K, int(np.argmin(np.diag(K))))
    D = None if data.D is None else semidefinite_matrix(data.D, data.modes, "the damping D")
    share = elastic_share(data.nodes, data.masses, data.shapes)
    if (share < 1e-3).any():
        raise UsageError(f"the shape of coordinate {int(np.argmin(share))} is a rigid motion: leave rigid modes out")
    remarks = doubtful_units(float(data.masses.sum()), data.nodes)
    recomputed = _modal_mass(data)
    if data.M is None:
        M = recomputed
    else:
        M = semidefinite_matrix(data.M, data.modes, "the modal mass M")
        remarks += _modal_mass_remarks(M, recomputed)
    diagonal = np.diag(M)
    if (diagonal <= 0.0).any():
        raise UsageError(f"coordinate {int(np.argmin(diagonal))} has no modal mass: the nodes it moves have none")
    scale = 1.0 / np.sqrt(diagonal)
    if np.linalg.eigvalsh(M * np.outer(scale, scale))[0] <= SINGULAR:
        raise UsageError(
            "the modal mass M is not positive definite: a shape repeats another, or the nodes it moves have no mass"
        )
    square = np.diag(K) / diagonal  # (rad/s)², whatever the coordinates' units are
    if (square <= WEAK * square.max()).any():
        raise _no_stiffness(K, int(np.argmin(square)))
    remarks += _normalisation_remarks(M) + _stated_remarks(data, K, M)
    for remark in remarks:
        warn(remark, ModalDataWarning)
    return replace(data, K=K, M=M, D=D), remarks


def _no_stiffness(K: np.ndarray, k: int) -> UsageError:
    return UsageError(
        f"coordinate {k} has no stiffness (K = {K[k, k]:g}): a rigid mode? Leave rigid modes out of the file"
    )


def demand_shapes(data: ModalData) -> None:
    """Refuse arrays that do not belong together, or are no finite numbers of a size that can be worked with."""
    n, rows, m = data.shapes.shape if data.shapes.ndim == 3 else (-1, -1, -1)
    nodes = data.nodes.shape[0] if data.nodes.ndim else 0
    if n != nodes or n < 1 or rows not in (3, 6) or m < 1:
        raise UsageError(f"shapes must be ({nodes} nodes, 3 or 6, modes), not {data.shapes.shape}")
    for name, value, shape in (
        ("nodes", data.nodes, (n, 3)),
        ("masses", data.masses, (n,)),
        ("inertias", data.inertias, (n, 3, 3)),
        ("second", data.second, (n, 3, m, m)),
        ("K_G", data.K_G, (12, m, m)),
        ("shapes", data.shapes, (n, rows, m)),
        ("K", data.K, (m, m)),
        ("M", data.M, (m, m)),
        ("D", data.D, (m, m)),
    ):
        if value is None:
            continue
        if value.shape != shape:
            raise UsageError(f"{name} must be {shape}, not {value.shape}")
        if not np.isfinite(value).all():
            raise UsageError(f"{name} has entries that are not finite numbers")
        if (largest := float(np.abs(value).max(initial=0.0))) > LARGEST:
            raise UsageError(f"{name} has an entry of size {largest:.3g}, which cannot be worked with; check its units")
    if data.labels is not None and len(data.labels) != m:
        raise UsageError(f"{len(data.labels)} labels for {m} modes; give one for each")
    if data.labels is not None and len(set(data.labels)) < m:
        twice = next(label for label in data.labels if list(data.labels).count(label) > 1)
        raise UsageError(
            f"labels: two coordinates are called {shorten(twice, 40)!r}; give each its own label in the file"
        )
    if data.masses.min() < 0.0 and data.masses.sum() <= 0.0:
        raise UsageError(f"the nodes' masses sum to {data.masses.sum():g} kg")
    if data.masses.sum() <= 0.0:
        raise UsageError("the nodes carry no mass: give nodal masses (kg), they fix the body's inertia and couplings")
    if data.inertias is not None and np.any(data.inertias) and rows == 3:
        raise UsageError("nodes have inertias, but the shapes have no rotations: give shapes (n, 6, m)")
    for name, value in (("second", data.second), ("K_G", data.K_G)):
        if value is not None and np.abs(value - np.swapaxes(value, -1, -2)).max() > 1e-8 * np.abs(value).max():
            raise UsageError(f"{name} is not symmetric in its two coordinates")
    if data.second is not None and data.K_G is not None:
        raise UsageError("second and K_G both say how the body draws together; give one (second says more)")


def _modal_mass(data: ModalData) -> np.ndarray:
    mass, _, shapes = mass_points(data)
    flat = shapes.reshape(-1, data.modes)
    return flat.T @ (np.repeat(mass, 3)[:, None] * flat)


def _modal_mass_remarks(M: np.ndarray, recomputed: np.ndarray) -> list[str]:
    size = np.sqrt(np.diag(M))
    if (size <= 0.0).any():
        raise UsageError(f"coordinate {int(np.argmin(size))} has no modal mass")
    ratio = np.diag(recomputed) / np.diag(M)
    error = float(np.abs((recomputed - M) / np.outer(size, size)).max())
    if error <= CLOSE:
        return []
    k = int(np.argmax(np.abs(ratio - 1.0)))
    spread = f"Σ m φ² is {ratio.min():.6g} to {ratio.max():.6g} of the modal masses stated in M (worst: coordinate {k})"
    if error > FAR:
        raise UsageError(
            f"{spread}: shapes, masses and M do not belong together (modes normalised otherwise, another unit of mass or length, "
            "masses left out). Write mass-normalised shapes, or leave M out to use Σ m φ²"
        )
    return [f"{spread}: used as stated; couplings with rigid motion come from the nodes' masses"]


def _normalisation_remarks(M: np.ndarray) -> list[str]:
    if np.abs(M - np.eye(len(M))).max() <= CLOSE:
        return []
    d = np.diag(M)
    if np.abs(d - 1.0).max() > CLOSE:
        return [f"modes are not mass-normalised (modal masses {d.min():.4g} to {d.max():.4g}): used as they are"]
    k, ell = np.unravel_index(np.argmax(np.abs(M - np.diag(d))), M.shape)
    pair = f"coordinates {k} and {ell} are coupled by {M[k, ell]:.4g}, where 0 is meant"
    return [f"modes are not orthogonal over the mass ({pair}): used as they are"]


def _stated_remarks(data: ModalData, K: np.ndarray, M: np.ndarray) -> list[str]:
    stated, found = data.stated, []
    mass, position, shapes = mass_points(data)
    ours = shape_integrals(mass, position, shapes)
    if stated.mass is not None:
        ratio = ours.mass / stated.mass
        if abs(ratio - 1.0) > FAR:
            raise UsageError(
                f"the nodes weigh {ours.mass:.6g} kg, the file states {stated.mass:.6g} kg (factor {ratio:.4g}): a wrong unit "
                "(give units=), or nodes left out"
            )
        if abs(ratio - 1.0) > CLOSE:
            found.append(f"the nodes weigh {ours.mass:.6g} kg, the file states {stated.mass:.6g} kg")
    if stated.center is not None and np.abs(ours.MS / ours.mass - stated.center).max() > CLOSE * extent(data.nodes):
        found.append(
            f"the nodes' mass centre is {(ours.MS / ours.mass).tolist()}, the file states {np.asarray(stated.center).tolist()}"
        )
    if stated.inertia is not None:
        error = np.abs(ours.J - stated.inertia).max() / np.abs(stated.inertia).max()
        if error > FAR / 2:
            found.append(
                f"the nodes' inertia about the origin differs by {100 * error:.3g} % from the one the file states"
            )
    if stated.frequencies_hz is not None:
        ours_hz = np.sqrt(np.diag(K) / np.diag(M)) / (2.0 * np.pi)
        error = np.abs(ours_hz / np.asarray(stated.frequencies_hz) - 1.0)
        if error.max() > CLOSE:
            k = int(np.argmax(error))
            raise UsageError(
                f"coordinate {k}: K and M give {ours_hz[k]:.6g} Hz, the file states {np.asarray(stated.frequencies_hz)[k]:.6g} Hz"
            )
    return found
