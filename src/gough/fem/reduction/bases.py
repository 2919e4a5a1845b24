"""From a choice of reduction to its shapes.

Craig–Bampton: fixed-interface modes and constraint modes [R. R. Craig, M. C. C. Bampton, AIAA J. 6(7), 1968]. With interface
freedoms b and the others i:  x_b = q,  x_i = Φ e - K_ii⁻¹ K_ib q,  Φ the modes of K_ii, M_ii.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem._memory import demand
from gough.fem._slopes import least_squares
from gough.fem._sparse import order
from gough.fem.reduction._modes import ElasticModes, KeptModes, in_position, keep
from gough.fem.reduction._rigid import RigidMotions, count_free_rigid, rigid_motions
from gough.fem.reduction.choices import (
    MEAN,
    AttachmentModes,
    BasisChoice,
    ClampedModes,
    CraigBampton,
    FreeModes,
    Guyan,
    ModeCut,
    Nodal,
    ShapeBasis,
)
from gough.fem.reduction.ties import TiedElements
from gough.scalar.slopes import real_part

DEPENDENT = 1e-10
"""Attachment shapes whose strain energy, when others are taken out, is less than this part of it are no new shapes."""


def build_basis(tied: TiedElements, choice: BasisChoice) -> ShapeBasis:
    """The shapes (d, m) a choice gives, in the freedoms of `tied`; nothing in them is a rigid motion."""
    if isinstance(choice, Nodal):
        d, points = order(tied.elements.K), len(tied.elements.mass)
        taken = 8.0 * d * (4 * d + 9 * points)
        demand(taken, f"nodal coordinates: {d} of them", "reduce the body to modes, or take fewer elements")
    match choice:
        case FreeModes():
            return _free_modes(tied, choice)
        case ClampedModes():
            return _clamped_modes(tied, choice)
        case Nodal():
            return _nodal(tied, choice)
        case CraigBampton():
            return _craig_bampton(tied, choice)
        case Guyan():
            return _craig_bampton(tied, CraigBampton(choice.interfaces, 0, choice.frame))
        case AttachmentModes():
            return _attachment_modes(tied, choice)
    raise UsageError(
        f"{choice!r} is no way to reduce a body; use FreeModes, ClampedModes, Nodal, CraigBampton, Guyan, …"
    )


@dataclass(frozen=True)
class Support:
    """How a body stands while it bends: the freedoms (f,) that are left to it, and the solver of these alone.

    Modes and deflections are of all freedoms (d,), zero where the body is held.
    """

    tied: TiedElements
    left: np.ndarray
    solver: ElasticModes

    def modes(self, modes: ModeCut | int, *rows: csr_array) -> KeptModes:
        """The lowest modes; rows (r, d): measures that fix signs and turn groups."""
        cut = modes if isinstance(modes, ModeCut) else ModeCut(count=modes)
        kept = keep(self.solver, cut, *(measure[:, self.left] for measure in rows))
        return replace(kept, shapes=self.spread(kept.shapes))

    def deflection(self, load: np.ndarray) -> np.ndarray:
        """Static deflection (d, …) under loads (d, …), balanced by inertia where the body floats."""
        return self.spread(self.solver.deflection(load[self.left]))

    def spread(self, shapes: np.ndarray) -> np.ndarray:
        """Shapes (d, m) of all freedoms from those (f, m) of the ones left."""
        out = np.zeros((order(self.tied.elements.K), shapes.shape[1]), dtype=shapes.dtype)
        out[self.left] = shapes
        return out


def free_support(tied: TiedElements) -> Support:
    """The body floats; its rigid motions are taken out of everything."""
    body = tied.elements
    solver = ElasticModes(body.K, body.M, rigid_motions(body), tied.label)
    return Support(tied, np.arange(order(body.K)), solver)


def clamp(tied: TiedElements, *frames: str | None) -> Support:
    """Frames are held (None: the model is held already); an error where that leaves the body loose, or nothing to bend."""
    left = _freedoms_left(tied, *frames)
    if not len(left):
        raise UsageError("nothing is left to bend: every freedom of the body is tied or clamped; refine the mesh")
    K, M = (csr_array(A[left][:, left]) for A in (tied.elements.K, tied.elements.M))
    return Support(tied, left, ElasticModes(K, M, None, lambda j: tied.label(left[j])))


def _freedoms_left(tied: TiedElements, *frames: str | None) -> np.ndarray:
    """Freedoms that are not a motion of these frames; None (the model is held already) wants a body that cannot move."""
    held = [tied.frame(name).own for name in frames if name is not None]
    if not held and (loose := count_free_rigid(tied.elements)):
        raise UsageError(
            f"at=None means that the model is held, but it has {loose} rigid motion(s); name a frame to clamp"
        )
    return np.setdiff1d(np.arange(order(tied.elements.K)), np.concatenate([[], *held]).astype(int))


def _free_modes(tied: TiedElements, choice: FreeModes) -> ShapeBasis:
    """Modes of the free body, seen from its mean axes or from a frame."""
    support = free_support(tied)
    kept = support.modes(choice.modes, *_measures(tied, choice.align))
    shapes = kept.shapes
    if choice.frame != MEAN:  # less the rigid motion R c that takes the frame back to where it was
        motion, R = tied.frame(choice.frame).motion, support.solver.rigid.all
        if np.linalg.matrix_rank(real_part(motion @ R), rtol=1e-9) < R.shape[1]:
            raise UsageError(f"frame {choice.frame!r} does not determine the body's rigid motion; use frame='mean'")
        shapes = shapes - R @ least_squares(motion @ R, motion @ shapes, 1e-9)
    return ShapeBasis(shapes, _mode_labels(kept), choice.frame, choice.frame == MEAN, kept.remarks)


def _clamped_modes(tied: TiedElements, choice: ClampedModes) -> ShapeBasis:
    kept = clamp(tied, choice.at).modes(choice.modes, *_measures(tied, choice.align))
    return ShapeBasis(kept.shapes, _mode_labels(kept), choice.at, True, kept.remarks)


def _nodal(tied: TiedElements, choice: Nodal) -> ShapeBasis:
    """Every freedom left by the clamp is a coordinate."""
    support = clamp(tied, choice.at)
    labels = tuple(tied.label(j) for j in support.left)
    return ShapeBasis(support.spread(np.eye(len(labels))), labels, choice.at, False)


def _measures(tied: TiedElements, align: str | None) -> tuple[csr_array, ...]:
    """What fixes signs: displacement, then turning of the frame named, then the nodes' displacements."""
    nodes = (tied.elements.translation,)
    if align is None:
        return nodes
    motion = tied.frame(align).motion
    return motion[:3], motion[3:], *nodes


def _mode_labels(kept: KeptModes) -> tuple[str, ...]:
    """mode 1, mode 2, …"""
    return tuple(f"mode {k + 1}" for k in range(len(kept.values)))


def _craig_bampton(tied: TiedElements, choice: CraigBampton) -> ShapeBasis:
    """The basis, modal about mean axes, or with interface motions as coordinates about a held interface."""
    if not choice.interfaces or len(set(choice.interfaces)) < len(choice.interfaces):
        raise UsageError(f"interfaces must be different tied frames, at least one, not {choice.interfaces}")
    if choice.frame not in (MEAN, *choice.interfaces):
        raise UsageError(
            f"frame must be 'mean' or one of the interfaces {', '.join(choice.interfaces)}, not {choice.frame!r}"
        )
    body = tied.elements
    moving = [name for name in choice.interfaces if name != choice.frame]
    own = np.concatenate([np.zeros(0, dtype=int), *(tied.frame(name).own for name in moving)])
    if len(_freedoms_left(tied, *choice.interfaces)):
        support = clamp(tied, *choice.interfaces)
        kept = support.modes(choice.modes, body.translation)
        constraint = support.spread(-support.solver.factor.solve(body.K[support.left][:, own].toarray()))
    else:  # every freedom is an interface's: their motions are all there is
        remark = ("all freedoms are motions of interfaces: nothing is left to have modes",)
        kept = KeptModes(np.zeros(0), np.zeros((order(body.K), 0)), remark if choice.modes != 0 else ())
        constraint = np.zeros((order(body.K), len(own)))
    constraint[own, np.arange(len(own))] = 1.0
    V = np.concatenate([constraint, kept.shapes], axis=1)
    if choice.frame != MEAN:
        if not V.shape[1]:
            raise UsageError(
                "nothing is left of the body: one interface, held, and no modes; name another or ask for modes"
            )
        return ShapeBasis(V, tuple(tied.label(j) for j in own) + _mode_labels(kept), choice.frame, False, kept.remarks)
    rigid = rigid_motions(body)
    inside = [
        np.concatenate([R[own], np.zeros((len(kept.values), R.shape[1]))]) for R in (rigid.massive, rigid.massless)
    ]
    return _modal_basis(tied, V, RigidMotions(*inside), kept.remarks)


def _modal_basis(tied: TiedElements, V: np.ndarray, rigid: RigidMotions | None, remarks: tuple[str, ...]) -> ShapeBasis:
    """All elastic modes of the body within the span of V (d, k); rigid: its rigid motions as combinations of V."""
    body = tied.elements
    K, M = (csr_array(V.T @ (A @ V)) for A in (body.K, body.M))
    solver = ElasticModes(K, M, rigid)
    values, shapes = solver.with_slopes(*solver.lowest(solver.available))
    lost = len(solver.free) - shapes.shape[1]
    if lost:
        remarks = (*remarks, f"{lost} shape(s) without mass left out")
    if not shapes.shape[1]:
        raise UsageError("the basis holds rigid motions only: name more interfaces, or ask for modes")
    shapes = in_position(values, V @ shapes, ModeCut(0).pair_tolerance, body.translation)
    held = None if rigid is None else MEAN
    return ShapeBasis(shapes, tuple(f"mode {k + 1}" for k in range(shapes.shape[1])), held, True, remarks)


def _attachment_modes(tied: TiedElements, choice: AttachmentModes) -> ShapeBasis:
    """Modes and attachment modes, made orthogonal; shapes that follow from others are left out with a remark."""
    loaded = [name for name in choice.at if name != choice.frame]
    if not loaded:
        raise UsageError("name the frames that carry loads in at=, other than the one the body is clamped at")
    body = tied.elements
    own = np.concatenate([tied.frame(name).own for name in loaded])
    load = np.zeros((order(body.K), len(own)))
    load[own, np.arange(len(own))] = 1.0
    support = free_support(tied) if choice.frame == MEAN else clamp(tied, choice.frame)
    kept = support.modes(choice.modes, body.translation)
    V = np.concatenate([kept.shapes, support.deflection(load)], axis=1)
    V, lost = _independent(V, V.T @ (body.K @ V), len(kept.values))
    remarks = kept.remarks + ((f"{lost} attachment shape(s) that follow from others left out",) if lost else ())
    return replace(_modal_basis(tied, V, None, remarks), held=choice.frame)


def _independent(V: np.ndarray, K: np.ndarray, modes: int) -> tuple[np.ndarray, int]:
    """V with its last columns K-orthogonal to the modes, of unit energy, and those that are then nothing left out."""
    Q, A = V[:, :modes], V[:, modes:]
    size = np.sqrt(real_part(np.diag(K)))
    Q, A, K = Q / size[:modes], A / size[modes:], K / np.outer(size, size)
    left = A - Q @ K[:modes, modes:]
    gram = K[modes:, modes:] - K[modes:, :modes] @ K[:modes, modes:]
    energy, W = eigh(real_part(gram))  # any basis of their span
    new = energy > DEPENDENT
    return np.concatenate([Q, left @ W[:, new] / np.sqrt(energy[new])], axis=1), int(np.sum(~new))
