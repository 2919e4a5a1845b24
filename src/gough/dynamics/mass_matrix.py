"""Mass matrix of the closed robot in the platform twist.

Sources   M = A_rr + Σ W A_x Wᵀ with A_x = J⁻ᵀ A J⁻¹ [Long 2014, eqs. 36, 47 in the rigid case], [Fried, eq. 73].
Derivation  kinetic energy ½ uᵀ A u with u = Γ v: each leg adds Pᵀ K P, K = J⁻ᵀ A J⁻¹ its inertia felt at the cut.
            A (joints, joints) by the recursion with unit accelerations, no velocity, no gravity.
"""

import numpy as np

from gough.dynamics.closures import CutGeometry
from gough.dynamics.loops import LegLoop, Loops
from gough.dynamics.posture import Posture
from gough.dynamics.recursion import axis_forces, gather_leg, link_wrench, move_leg
from gough.scalar import note, zeros
from gough.spatial import skew

Matrix = np.ndarray


def mass_matrix(loops: Loops, weightless: Posture) -> Matrix:
    """M (6, 6) for the twist (v, ω) at the platform's origin, world axes; `weightless`: the posture without gravity."""
    with note("mass matrix: platform [Long 2014, eq. 35]"):
        M = platform_inertia(weightless)
    for loop in loops.legs:
        with note(f"{weightless.mechanism.legs[loop.leg].name}: inertia at the cut [Long 2014, eqs. 36–37]"):
            A = leg_inertia(weightless, loop.leg)
            half = loop.transposed(A)
            K = loop.transposed(half.T)
            M = M + _spread(loop, K)
    for i in range(6):
        for j in range(i):
            M[j, i] = M[i, j]
    return M


def platform_inertia(posture: Posture) -> Matrix:
    """Spatial inertia (6, 6) of the platform about its origin, world axes."""
    M = zeros(6, 6)
    inertia = posture.numbers.inertia(posture.mechanism.platform)
    if inertia is None:
        return M
    R = posture.R_WP
    c = skew(R @ inertia.first_moments)
    for k in range(3):
        M[k, k] = inertia.mass
    M[:3, 3:], M[3:, :3] = -c, c
    M[3:, 3:] = R @ inertia.tensor @ R.T
    return M


def leg_inertia(posture: Posture, leg: int) -> Matrix:
    """A (joints, joints) of one leg, rotor inertias included; symmetric, computed column by column."""
    mechanism = posture.mechanism
    links = [mechanism.links[i] for i in mechanism.legs[leg].links]
    columns = [link.u + k for link in links for k in range(link.nu)]
    nu = mechanism.layout.nu
    A = zeros(len(columns), len(columns))
    rest = zeros(nu)
    for j, column in enumerate(columns):
        ud = zeros(nu)
        ud[column] = 1.0
        motions = move_leg(posture, leg, rest, ud)
        wrenches = {i: link_wrench(posture, i, motions[i], rest, zeros(nu)) for i in mechanism.legs[leg].links}
        gather_leg(posture, leg, wrenches)
        forces = axis_forces(posture, leg, wrenches)
        for i in range(j, len(columns)):
            A[i, j] = A[j, i] = forces[i]
    for link in links:
        if link.rotor is not None:
            k = columns.index(link.u)
            A[k, k] = A[k, k] + posture.numbers.parameters[link.rotor]
    return A


def _spread(loop: LegLoop, K: Matrix) -> Matrix:
    """Pᵀ K P (6, 6): the leg's inertia at the cut as platform inertia, world axes."""
    cut: CutGeometry = loop.cut
    if all(row.kind == "point" for row in cut.rows):
        turned = np.array([cut.to_world(K[:, k]) for k in range(3)], dtype=object)  # rows: K's columns in world axes
        world = np.array([cut.to_world(turned[:, k]) for k in range(3)], dtype=object).T
        r = skew(cut.r_world)
        corner = r @ world
        out = zeros(6, 6)
        out[:3, :3], out[3:, :3], out[:3, 3:] = world, corner, corner.T
        out[3:, 3:] = corner @ r.T
        return out
    P = platform_rows(cut)
    return P.T @ K @ P


def platform_rows(cut: CutGeometry) -> Matrix:
    """P (rows, 6) of J q̇ = P v, world axes."""
    P = zeros(len(cut.rows), 6)
    for i in range(len(cut.rows)):
        e = zeros(len(cut.rows))
        e[i] = 1.0
        f, m = cut.wrench_on_platform(e)
        P[i] = np.concatenate([f, m])
    return P
