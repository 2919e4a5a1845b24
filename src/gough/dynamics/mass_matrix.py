"""Mass matrix of the closed robot in its independent velocities.

Sources   M = A_rr + Σ W A_x Wᵀ with A_x = J⁻ᵀ A J⁻¹ [Long 2014, eqs. 36, 47 in the rigid case], [Fried, eq. 73].
Derivation  kinetic energy ½ uᵀ A u with u = Γ v. Legs that hang on a platform with six freedoms: each adds Pᵀ K P,
            K = J⁻ᵀ A J⁻¹ its inertia felt at the cut, A (joints, joints) by the recursion with unit accelerations.
            Any other mechanism: column k is Γᵀ f for the accelerations Γ e_k, no velocity, no gravity.
"""

import numpy as np

from gough.dynamics.closures import CutGeometry
from gough.dynamics.loops import Loops
from gough.dynamics.posture import Posture
from gough.dynamics.recursion import (
    LinkWrench,
    axis_force,
    gather_tree,
    joint_forces,
    link_wrench,
    move_tree,
    moved_inwards,
    platform_wrench,
)
from gough.scalar import note, solve, zeros
from gough.spatial import skew
from gough.structure import Leg, Mechanism

Matrix = np.ndarray


def mass_matrix(loops: Loops) -> Matrix:
    """M (nv, nv) for the independent velocities."""
    weightless = loops.posture.without_gravity()
    M = by_legs(loops, weightless) if independent_legs(loops.mechanism) else by_columns(loops, weightless)
    for i in range(len(M)):
        for j in range(i):
            M[j, i] = M[i, j]
    return M


def independent_legs(mechanism: Mechanism) -> bool:
    """Whether v is the platform's whole twist and every link hangs on a leg with one cut, that determines its joints."""
    if not mechanism.selection.leads_from_platform or not mechanism.has_platform or mechanism.selection.removed:
        return False
    if any(link.leg < 0 for link in mechanism.links[1:]) or any(cut.leg < 0 for cut in mechanism.cuts):
        return False
    for leg in mechanism.legs:
        links = [mechanism.links[i] for i in leg.links]
        if len(leg.cuts) != 1 or any(link.parent == 0 for link in links):
            return False
        cut = mechanism.cuts[leg.cuts[0]]
        serial = set(mechanism.path_to_root(cut.first)) == set(leg.links)
        if cut.second != 0 or not serial or cut.rows != sum(link.nu for link in links):
            return False
    return True


def by_legs(loops: Loops, weightless: Posture) -> Matrix:
    """M (6, 6) for the platform's twist, world axes: the platform's inertia and every leg's at its cut."""
    with note("mass matrix: platform [Long 2014, eq. 35]"):
        M = platform_inertia(weightless)
    for leg in loops.mechanism.legs:
        with note(f"{leg.name}: inertia at the cut [Long 2014, eqs. 36–37]"):
            cut = loops.cuts[leg.cuts[0]]
            links = [loops.mechanism.links[i] for i in leg.links]
            columns = [column for link in links for column in link.columns]
            J, place = cut.jacobian(columns), f"folded:{leg.name}"
            half = solve(J.T, leg_inertia(weightless, leg, columns), place)
            M = M + _spread(cut, solve(J.T, half.T, place))
    return M


def by_columns(loops: Loops, weightless: Posture) -> Matrix:
    """M (nv, nv), column by column."""
    nv = loops.mechanism.layout.nv
    M = zeros(nv, nv)
    for k in range(nv):
        with note(f"mass matrix: column {loops.mechanism.layout.v_names[k]}"):
            e = zeros(nv)
            e[k] = 1.0
            M[:, k] = loops.project(inertia_forces(weightless, loops.rates(e)))
    return M


def inertia_forces(posture: Posture, ud: np.ndarray) -> np.ndarray:
    """Generalised forces (nu,) for accelerations ud of the tree at rest, without gravity."""
    mechanism, rest = posture.mechanism, zeros(len(ud))
    motions = move_tree(posture, rest, ud)
    wrenches: dict[int, LinkWrench] = {}
    for i, link in enumerate(mechanism.links):
        if link.motion != "platform":
            wrenches[i] = link_wrench(posture, i, motions[i], rest, zeros(len(ud)))
    gather_tree(posture, wrenches)
    forces = joint_forces(posture, wrenches, rest, ud, inertia_only=True)
    if mechanism.has_platform:
        force, moment = platform_wrench(posture, rest[:6], ud[:6])
        for i, link in enumerate(mechanism.links):
            if link.parent == 0:
                moved = moved_inwards(posture.steps[i], wrenches[i])
                force, moment = force + posture.R_WP @ moved.f, moment + posture.R_WP @ moved.n
        forces[:6] = np.concatenate([force, moment])
    return forces


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


def leg_inertia(posture: Posture, leg: Leg, columns: list[int]) -> Matrix:
    """A (joints, joints) of one leg, rotor inertias included; symmetric, computed column by column."""
    mechanism = posture.mechanism
    nu = mechanism.layout.nu
    A = zeros(len(columns), len(columns))
    rest = zeros(nu)
    for j, column in enumerate(columns):
        ud = zeros(nu)
        ud[column] = 1.0
        motions = move_tree(posture, rest, ud, leg.links)
        wrenches = {i: link_wrench(posture, i, motions[i], rest, zeros(nu)) for i in leg.links}
        gather_tree(posture, wrenches)
        forces = np.concatenate([axis_force(link, wrenches[i]) for i in leg.links if (link := mechanism.links[i]).nu])
        for i in range(j, len(columns)):
            A[i, j] = A[j, i] = forces[i]
    for i in leg.links:
        link = mechanism.links[i]
        if link.rotor is not None:
            k = columns.index(link.u)
            A[k, k] = A[k, k] + posture.numbers.parameters[link.rotor]
    return A


def _spread(cut: CutGeometry, K: Matrix) -> Matrix:
    """Pᵀ K P (6, 6): the leg's inertia at the cut as platform inertia, world axes."""
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
