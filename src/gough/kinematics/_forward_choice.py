"""Which form of forward dynamics is cheaper for a flexible robot: the mass matrix of v, or the tree with its closures; and
which velocities have nothing to accelerate."""

import numpy as np

from gough.dynamics.forward import separate_parts
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import bends_at_points, mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.tree_inertia import TreeInertia
from gough.dynamics.twists import link_twist
from gough.kinematics.retraction import step_units
from gough.structure import Mechanism

SOUND = 1e-10
"""Least reciprocal condition, scaled, of the tree's mass matrix at home: below it something has no inertia of its own."""


MOST = 300
"""Velocities up to which their inertia is looked at one by one."""
NO_INERTIA = 1e-14
"""Inertia, relative to what could be there, that is rounding."""


def without_inertia(mechanism: Mechanism, parameters: np.ndarray, states: np.ndarray) -> tuple[int, ...]:
    """Entries of v that move nothing with inertia at all states (n, nq): the spin of a slender rod between two balls."""
    on_platform = 6 if mechanism.has_platform else 0
    joints = [k for k, c in enumerate(mechanism.selection.independent) if c >= on_platform]
    slender = any(link.ten is None or _slender(parameters[list(link.ten)]) for link in mechanism.links)
    if not slender or not joints or mechanism.layout.nv > MOST:
        return ()
    unit = step_units(mechanism, mechanism.length)[list(mechanism.selection.independent)]
    numbers = Numbers(mechanism, parameters)
    for q in states:
        loops = Loops(Posture(numbers, q))
        M = np.abs(np.diag(np.array(mass_matrix(loops), dtype=float))) * unit**2
        joints = [k for k in joints if M[k] <= NO_INERTIA * M.max(initial=0.0)]
        bent = M[mechanism.layout.rigid :].max(initial=0.0)
        joints = [
            k
            for k in joints
            if M[k] <= NO_INERTIA * (bent if k >= mechanism.layout.rigid else _moved(loops, k) * unit[k] ** 2)
        ]
        if not joints:
            return ()
    return tuple(joints)


def _moved(loops: Loops, k: int) -> float:
    """About the inertia of all that moves with the k-th of v, whatever the directions: what a velocity without inertia of its
    own is compared with. Heavy rotors elsewhere have no say."""
    mechanism, numbers = loops.mechanism, loops.posture.numbers
    v = np.zeros(mechanism.layout.nv)
    v[k] = 1.0
    u = np.array(loops.rates(v), dtype=float)
    total = 0.0
    for i, link in enumerate(mechanism.links):
        for rotor in link.rotors:
            total += abs(numbers.parameters[rotor]) * float(np.sum(u[link.columns] ** 2))
        if link.ten is not None:
            ten = np.abs(np.array(numbers.at(link.ten), dtype=float))
            moving, turning = (np.linalg.norm(np.array(x, dtype=float)) for x in link_twist(loops.posture, u, i))
            total += float(ten[0] * moving**2 + ten[1:4].sum() * moving * turning + ten[4:].sum() * turning**2)
    return total


def _slender(ten: np.ndarray) -> bool:
    """Whether a body turns without inertia about some axis; ten: M MX MY MZ XX XY XZ YY YZ ZZ about its origin."""
    m, c = ten[0], ten[1:4]
    xx, xy, xz, yy, yz, zz = ten[4:]
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m > 0:
        tensor = tensor - (c @ c * np.eye(3) - np.outer(c, c)) / m
    values = np.linalg.eigvalsh(tensor)
    return bool(abs(values[0]) <= 1e-9 * max(abs(values[2]), m * 1e-12))


def prefers_tree(mechanism: Mechanism, parameters: np.ndarray, home: np.ndarray) -> bool:
    """Whether to solve the tree. Rigid legs have few entries in v: the mass matrix is always cheaper."""
    if not mechanism.flexible or bends_at_points(mechanism):
        return False
    A = TreeInertia(Posture(Numbers(mechanism, parameters), home)).A
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
