"""Free, clamped and nodal bases."""

import numpy as np
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem.basis_choices import MEAN, Basis, ClampedModes, FreeModes, Nodal
from gough.fem.modes import ElasticModes
from gough.fem.modes_choice import Kept, as_cut, keep
from gough.fem.modes_rigid import count_free_rigid, rigid_motions
from gough.fem.sparse_parts import order
from gough.fem.ties import TiedElements


def free_modes(tied: TiedElements, choice: FreeModes) -> Basis:
    """Modes of the free body, seen from its mean axes or from a frame."""
    body = tied.elements
    rigid = rigid_motions(body)
    solver = ElasticModes(body.K, body.M, rigid, tied.labels.__getitem__)
    kept = keep(solver, as_cut(choice.modes), *measures(tied, choice.align))
    shapes = kept.shapes
    if choice.frame != MEAN:
        motion = tied.frame(choice.frame).motion
        shapes = relative_to(shapes, rigid.all, motion @ rigid.all, motion @ shapes, choice.frame)
    return Basis(shapes, mode_labels(kept), choice.frame, choice.frame == MEAN, kept.remarks)


def clamped_modes(tied: TiedElements, choice: ClampedModes) -> Basis:
    """Modes of the body with one frame held."""
    free = freedoms_left(tied, choice.at)
    solver = held_solver(tied, free)
    kept = keep(solver, as_cut(choice.modes), *(rows[:, free] for rows in measures(tied, choice.align)))
    return Basis(spread(tied, free, kept.shapes), mode_labels(kept), choice.at, True, kept.remarks)


def nodal(tied: TiedElements, choice: Nodal) -> Basis:
    """Every freedom left by the clamp is a coordinate."""
    free = freedoms_left(tied, choice.at)
    held_solver(tied, free)  # refuses a body that is not held
    labels = tuple(tied.labels[j] for j in free)
    return Basis(spread(tied, free, np.eye(len(free))), labels, choice.at, False)


def measures(tied: TiedElements, align: str | None) -> tuple[csr_array, ...]:
    """What fixes signs: displacement, then turning of the frame named, then the nodes' displacements."""
    nodes = (tied.elements.translation,)
    if align is None:
        return nodes
    motion = tied.frame(align).motion
    return motion[:3], motion[3:], *nodes


def mode_labels(kept: Kept) -> tuple[str, ...]:
    """mode 1, mode 2, …"""
    return tuple(f"mode {k + 1}" for k in range(len(kept.values)))


def freedoms_left(tied: TiedElements, *frames: str | None) -> np.ndarray:
    """Freedoms that are not a motion of these frames; None (the model is held already) wants a body that cannot move."""
    held = [tied.frame(name).own for name in frames if name is not None]
    if not held and (loose := count_free_rigid(tied.elements)):
        raise UsageError(
            f"at=None means that the model is held, but it has {loose} rigid motion(s); name a frame to clamp"
        )
    return np.setdiff1d(np.arange(order(tied.elements.K)), np.concatenate([[], *held]).astype(int))


def held_solver(tied: TiedElements, free: np.ndarray) -> ElasticModes:
    """Modes with only the freedoms `free` left; an error where that leaves the body loose."""
    if not len(free):
        raise UsageError("nothing is left to bend: every freedom of the body is tied or clamped; refine the mesh")
    body = tied.elements
    K, M = (csr_array(A[free][:, free]) for A in (body.K, body.M))
    return ElasticModes(K, M, None, lambda j: tied.labels[free[j]])


def spread(tied: TiedElements, free: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Shapes (d, m) of all freedoms from those of the free ones."""
    out = np.zeros((order(tied.elements.K), shapes.shape[1]))
    out[free] = shapes
    return out


def relative_to(shapes: np.ndarray, R: np.ndarray, R_frame: np.ndarray, moved: np.ndarray, name: str) -> np.ndarray:
    """Shapes less the rigid motion R c that takes a frame back to where it was: R_frame c = moved, both (6, …)."""
    c, _, rank, _ = np.linalg.lstsq(R_frame, moved, rcond=1e-9)
    if rank < R.shape[1]:
        raise UsageError(f"frame {name!r} does not determine the body's rigid motion; use frame='mean'")
    return shapes - R @ c
