"""A flexible body as other codes give it: shapes at nodes that carry the mass, and modal matrices.

Before use it is recomputed and compared (shapes, normalisation, stiffness, mass, inertia, units): errors and named warnings.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem._geometry import extent, rigid_displacements
from gough.fem._reading import SI, UnitFactors, doubtful_units, real_numbers, shorten
from gough.fem.elastic_body import inertia_points, shape_integrals
from gough.fem.reduction.damping import semidefinite_matrix
from gough.text import short_repr


@dataclass(frozen=True)
class ModalFrame:
    """A frame for joints and loads. position (3,) m, rotation (3, 3), at rest.

    Its motion per unit coordinate is that of `node` (whose shapes then need rotations, six rows), carried rigidly to the
    position, or translation and turning (3, m) themselves. second (3, m, m): Ψ at its origin where there is stiffening.
    """

    position: np.ndarray
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    node: int | None = None
    translation: np.ndarray | None = None
    turning: np.ndarray | None = None
    second: np.ndarray | None = None


@dataclass(frozen=True)
class Stated:
    """What a file says of its body, to compare with what the nodes give: mass (kg), centre (3,), inertia (3, 3) about the
    body's origin, frequencies_hz (m,)."""

    mass: float | None = None
    center: np.ndarray | None = None
    inertia: np.ndarray | None = None
    frequencies_hz: np.ndarray | None = None


@dataclass(frozen=True)
class ModalData:
    """Modes of a body in m, kg, s; body axes.

    nodes (n, 3); masses (n,); inertias (n, 3, 3) of the nodes about themselves, or None; shapes (n, 3, m) displacements or
    (n, 6, m) displacements and rotations; K (m, m); M (m, m) or None (then from masses and shapes); D (m, m) or None.
    second (n, 3, m, m) or None: Ψ at the nodes, displacements of second order. Where a code has none, K_G (12, m, m):
    geometric stiffness for unit accelerations of the body along x, y, z, and for the nine acceleration fields a = A x with
    one unit entry A_ab, in the order xx, xy, xz, yx, …; so K_G[:3] = ∫ Ψ dm and K_G[3 + 3 a + b] = ∫ Ψ_a x_b dm.
    cells: nodes of each cell, for drawing.
    """

    nodes: np.ndarray
    masses: np.ndarray
    shapes: np.ndarray
    K: np.ndarray
    M: np.ndarray | None = None
    D: np.ndarray | None = None
    inertias: np.ndarray | None = None
    second: np.ndarray | None = None
    K_G: np.ndarray | None = None
    frames: dict[str, ModalFrame] = field(default_factory=dict)
    labels: tuple[str, ...] | None = None
    cells: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), dtype=int))
    stated: Stated = Stated()

    @property
    def stiffens(self) -> bool:
        """Whether it says how the body draws together when it bends."""
        return self.second is not None or self.K_G is not None

    @property
    def modes(self) -> int:
        """Number of coordinates m."""
        return self.shapes.shape[2]

    __repr__ = short_repr


def mass_points(data: ModalData) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(masses (g,), positions (g, 3), shapes (g, 3, m)) whose integrals are those of the nodes with their inertias."""
    mass, node, arm = inertia_points(data.masses, data.inertias)
    shapes = data.shapes[node, :3]
    if data.shapes.shape[1] == 6 and np.any(arm):
        turning = data.shapes[node, 3:].transpose(0, 2, 1)
        shapes = shapes + np.cross(turning, arm[:, None, :]).transpose(0, 2, 1)
    return mass, data.nodes[node] + arm, shapes


def in_si(data: ModalData, units: UnitFactors) -> ModalData:
    """Data in m, kg, s. Coordinates are scaled so that M keeps its values (mass-normalised modes stay so)."""
    if units == SI:
        return data
    L, mass, T = units.length, units.mass, units.time
    move, turn = 1.0 / np.sqrt(mass), 1.0 / (np.sqrt(mass) * L)  # per new coordinate e' = √mass L e
    scale = np.array([move] * 3 + [turn] * 3)[: data.shapes.shape[1], None]
    second = 1.0 / (mass * L)

    def times(value: np.ndarray | None, factor: Any) -> np.ndarray | None:
        return None if value is None else np.asarray(value) * factor

    frames = {
        name: replace(
            frame,
            position=np.asarray(frame.position) * L,
            translation=times(frame.translation, move),
            turning=times(frame.turning, turn),
            second=times(frame.second, second),
        )
        for name, frame in data.frames.items()
    }
    s = data.stated
    stated = Stated(
        None if s.mass is None else s.mass * mass,
        times(s.center, L),
        times(s.inertia, mass * L**2),
        times(s.frequencies_hz, 1.0 / T),
    )
    K_G = times(data.K_G, np.array([1.0 / L] * 3 + [1.0] * 9)[:, None, None])
    return replace(
        data,
        nodes=data.nodes * L,
        masses=data.masses * mass,
        inertias=times(data.inertias, mass * L**2),
        shapes=data.shapes * scale,
        K=data.K / T**2,
        D=times(data.D, 1.0 / T),
        second=times(data.second, second),
        K_G=K_G,
        frames=frames,
        stated=stated,
    )


def elastic_share(nodes: np.ndarray, masses: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Part (m,) of shapes (n, 3 or 6, m), by the masses (n,), that is no rigid motion of the nodes."""
    weight = np.sqrt(np.repeat(np.maximum(masses, 0.0), 3))[:, None]
    rigid, moved = weight * rigid_displacements(nodes), weight * shapes[:, :3].reshape(3 * len(nodes), -1)
    left = moved - rigid @ np.linalg.lstsq(rigid, moved, rcond=1e-10)[0]
    return np.linalg.norm(left, axis=0) / np.maximum(np.linalg.norm(moved, axis=0), 1e-300)


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
