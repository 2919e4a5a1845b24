"""Attachment modes: how the body bends under a unit force or moment at a frame, beside its modes."""

from dataclasses import replace

import numpy as np
from scipy.linalg import eigh

from gough.errors import UsageError
from gough.fem.basis_choices import MEAN, AttachmentModes, Basis
from gough.fem.basis_modal import freedoms_left, held_solver, spread
from gough.fem.craig_bampton import made_modal
from gough.fem.modes import ElasticModes
from gough.fem.modes_choice import as_cut, keep
from gough.fem.modes_rigid import rigid_motions
from gough.fem.sparse_parts import order
from gough.fem.ties import TiedElements

DEPENDENT = 1e-10
"""Shapes whose strain energy, when others are taken out, is less than this part of it are no new shapes."""


def attachment_modes(tied: TiedElements, choice: AttachmentModes) -> Basis:
    """Modes and attachment modes, made orthogonal; shapes that follow from others are left out with a remark."""
    loaded = [name for name in choice.at if name != choice.frame]
    if not loaded:
        raise UsageError("name the frames that carry loads in at=, other than the one the body is clamped at")
    body = tied.elements
    own = np.concatenate([tied.frame(name).own for name in loaded])
    load = np.zeros((order(body.K), len(own)))
    load[own, np.arange(len(own))] = 1.0
    if choice.frame == MEAN:
        solver = ElasticModes(body.K, body.M, rigid_motions(body), tied.labels.__getitem__)
        kept = keep(solver, as_cut(choice.modes), body.translation)
        V = np.concatenate([kept.shapes, solver.deflection(load)], axis=1)
    else:
        free = freedoms_left(tied, choice.frame)
        solver = held_solver(tied, free)
        kept = keep(solver, as_cut(choice.modes), body.translation[:, free])
        V = spread(tied, free, np.concatenate([kept.shapes, solver.deflection(load[free])], axis=1))
    V, lost = _independent(V, V.T @ (body.K @ V), len(kept.values))
    remarks = kept.remarks + ((f"{lost} attachment shape(s) that follow from others left out",) if lost else ())
    basis = made_modal(tied, V, None, remarks)
    return replace(basis, held=choice.frame)


def _independent(V: np.ndarray, K: np.ndarray, modes: int) -> tuple[np.ndarray, int]:
    """V with its last columns K-orthogonal to the modes, of unit energy, and those that are then nothing left out."""
    Q, A = V[:, :modes], V[:, modes:]
    size = np.sqrt(np.diag(K))
    Q, A, K = Q / size[:modes], A / size[modes:], K / np.outer(size, size)
    left = A - Q @ K[:modes, modes:]
    gram = K[modes:, modes:] - K[modes:, :modes] @ K[:modes, modes:]
    energy, W = eigh(gram)
    new = energy > DEPENDENT
    return np.concatenate([Q, left @ W[:, new] / np.sqrt(energy[new])], axis=1), int(np.sum(~new))
