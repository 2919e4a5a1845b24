"""Craig–Bampton: fixed-interface modes and constraint modes [R. R. Craig, M. C. C. Bampton, AIAA J. 6(7), 1968].

With interface freedoms b and the others i:  x_b = q,  x_i = Φ e - K_ii⁻¹ K_ib q,  Φ the modes of K_ii, M_ii.
"""

import numpy as np
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem.basis_choices import MEAN, Basis, CraigBampton
from gough.fem.basis_modal import freedoms_left, held_solver, mode_labels, spread
from gough.fem.modes import ElasticModes
from gough.fem.modes_choice import Cut, Kept, as_cut, in_position, keep
from gough.fem.modes_rigid import RigidMotions, rigid_motions
from gough.fem.sparse_parts import order
from gough.fem.ties import TiedElements


def craig_bampton(tied: TiedElements, choice: CraigBampton) -> Basis:
    """The basis, modal about mean axes, or with interface motions as coordinates about a held interface."""
    if not choice.interfaces or len(set(choice.interfaces)) < len(choice.interfaces):
        raise UsageError(f"interfaces must be different tied frames, at least one, not {choice.interfaces}")
    if choice.frame not in (MEAN, *choice.interfaces):
        raise UsageError(
            f"frame must be 'mean' or one of the interfaces {', '.join(choice.interfaces)}, not {choice.frame!r}"
        )
    body = tied.elements
    inner = freedoms_left(tied, *choice.interfaces)
    moving = [name for name in choice.interfaces if name != choice.frame]
    own = np.concatenate([np.zeros(0, dtype=int), *(tied.frame(name).own for name in moving)])
    if len(inner):
        solver = held_solver(tied, inner)
        kept = keep(solver, as_cut(choice.modes), body.translation[:, inner])
        constraint = spread(tied, inner, -solver.factor.solve(body.K[inner][:, own].toarray()))
    else:  # every freedom is an interface's: their motions are all there is
        remark = ("all freedoms are motions of interfaces: nothing is left to have modes",)
        kept = Kept(np.zeros(0), np.zeros((0, 0)), remark if choice.modes != 0 else ())
        constraint = np.zeros((order(body.K), len(own)))
    constraint[own, np.arange(len(own))] = 1.0
    V = np.concatenate([constraint, spread(tied, inner, kept.shapes)], axis=1)
    if choice.frame != MEAN:
        if not V.shape[1]:
            raise UsageError(
                "nothing is left of the body: one interface, held, and no modes; name another or ask for modes"
            )
        return Basis(V, tuple(tied.labels[j] for j in own) + mode_labels(kept), choice.frame, False, kept.remarks)
    rigid = rigid_motions(body)
    inside = [
        np.concatenate([R[own], np.zeros((len(kept.values), R.shape[1]))]) for R in (rigid.massive, rigid.massless)
    ]
    return made_modal(tied, V, RigidMotions(*inside), kept.remarks)


def made_modal(tied: TiedElements, V: np.ndarray, rigid: RigidMotions | None, remarks: tuple[str, ...]) -> Basis:
    """All elastic modes of the body within the span of V (d, k); rigid: its rigid motions as combinations of V."""
    body = tied.elements
    K, M = (csr_array(V.T @ (A @ V)) for A in (body.K, body.M))
    solver = ElasticModes(K, M, rigid)
    values, shapes = solver.lowest(solver.available)
    lost = len(solver.free) - shapes.shape[1]
    if lost:
        remarks = (*remarks, f"{lost} shape(s) without mass left out")
    if not shapes.shape[1]:
        raise UsageError("the basis holds rigid motions only: name more interfaces, or ask for modes")
    shapes = in_position(values, V @ shapes, Cut(0).pair_tolerance, body.translation)
    held = None if rigid is None else MEAN
    return Basis(shapes, tuple(f"mode {k + 1}" for k in range(shapes.shape[1])), held, True, remarks)
