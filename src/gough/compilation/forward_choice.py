"""Which form of forward dynamics is cheaper for a flexible robot: the mass matrix of v, or the tree with its closures; and
which velocities have nothing to accelerate."""

from typing import TYPE_CHECKING

import numpy as np

from gough.compilation.catalogue import trace_entry
from gough.dynamics.forward import separate_parts
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import bends_at_points, mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.tree_inertia import TreeInertia
from gough.program.ops import Op
from gough.structure import Mechanism

if TYPE_CHECKING:
    from gough.compilation.model import Model

SOUND = 1e-10
"""Least reciprocal condition, scaled, of the tree's mass matrix at home: below it something has no inertia of its own."""


MOST = 300
"""Velocities up to which their inertia is looked at one by one."""


def without_inertia(model: "Model", mechanism: Mechanism) -> tuple[int, ...]:
    """Entries of v that move nothing with inertia, by structure: the spin of a slender rod between two balls."""
    tens = [link.ten for link in mechanism.links if link.ten is not None]
    slender = len(tens) < len(mechanism.links) or any(
        i in model.pattern for ten in tens for i in (ten[4], ten[7], ten[9])
    )
    if not slender or not 0 < mechanism.layout.nv <= MOST:
        return ()
    M = mass_matrix(Loops(Posture(Numbers(mechanism, model.parameters), model.home)))
    candidates = [k for k in range(len(M)) if float(M[k, k]) == 0.0]
    if not candidates:
        return ()
    program = trace_entry(mechanism, "mass_matrix", model.pattern)
    n = mechanism.layout.nv
    zero = [program.ops[i] == Op.CONST and float(program.args[i][0]) == 0.0 for i in program.results]
    return tuple(k for k in candidates if all(zero[k * n : (k + 1) * n]))


def prefers_tree(model: "Model", mechanism: Mechanism) -> bool:
    """Whether to solve the tree. Rigid legs have few entries in v: the mass matrix is always cheaper."""
    if not mechanism.flexible or bends_at_points(mechanism):
        return False
    A = TreeInertia(Posture(Numbers(mechanism, model.parameters), model.home)).A
    parts = separate_parts(np.array(A, dtype=object))
    rows = sum(len(block.rows) for block in mechanism.selection.blocks)
    for part in parts:
        own = np.array(A[np.ix_(part, part)], dtype=float)
        size = np.sqrt(np.abs(np.diag(own)))
        if not (size > 0).all() or np.linalg.cond(own / np.outer(size, size)) > 1.0 / SOUND:
            return False
    nv, nu = mechanism.layout.nv, mechanism.layout.nu
    tree = sum(len(p) ** 3 / 6 + len(p) ** 2 * (1 + rows / 2) for p in parts) + rows**3 / 6 + rows**2 * nu / 2
    projected = nv**3 / 6 + nv**2 + nv**2 * (nu - nv)
    return tree < projected
