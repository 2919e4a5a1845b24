"""Mass matrix of the closed robot in its independent velocities.

Sources   M = A_rr + Σ W A_x Wᵀ with A_x = J⁻ᵀ A J⁻¹ [Long 2014];
          [Lopes, section 3.1] adds up the same inertias, in Euler rates (coordinates.py).
Derivation  kinetic energy ½ uᵀ A u with u = Γ v. Legs that hang on a platform with six freedoms: each adds Pᵀ K P,
            K = J⁻ᵀ A J⁻¹ its inertia felt at the cut, A (joints, joints) its own (tree_inertia.py).
            Any other mechanism: Γᵀ A Γ.
Ways      rigid legs under a rigid platform: `by_rigid_legs`; under one that bends: `by_rigid_legs_on_bent_platform`; legs with
          flexible bodies, and everything else: `by_tree`, whose A with its elastic columns is made in tree_inertia.py.
Solving   M_ee x = b of elastic coordinates alone, where bodies are stiffened and have M_ee to themselves: `solve_elastic`. With
          P, C, Ĵ of stiffened.py, C shifts coordinates of stretching and P has to do with those of bending, P C = 0, so that
              M = Ĵᵀ W Ĵ,   Ĵ = 1 + C P,   Ĵ⁻¹ = 1 - C P
          where W leaves the shifts out: entries of M between all nodes of a beam, which pull each other along, are few in W.
          Of a displacement known by its moments W = M0 + PᵀP with few rows of P (two of a straight beam), and
              W⁻¹ = M0⁻¹ - Y (1 + P Y)⁻¹ Yᵀ,   Y = M0⁻¹ Pᵀ       (Sherman and Morrison 1950, Woodbury 1950).
"""

import numpy as np

from gough.dynamics.closures import CutGeometry
from gough.dynamics.loops import Loops
from gough.dynamics.posture import Posture
from gough.dynamics.stiffened import Stiffened
from gough.dynamics.tree_inertia import TreeInertia
from gough.errors import Failure, Status
from gough.friction.coulomb import structurally_zero
from gough.joints.closures import PointRow, SamePoint
from gough.scalar import dot, note, product, solve, solve_spd, zeros
from gough.spatial import cross, skew
from gough.structure import LegLinks, Mechanism

Matrix = np.ndarray
Vector = np.ndarray

FEWEST = 4
"""Coordinates of a body from which its mass matrix is not formed where it is solved."""
TRIANGULAR = 24
"""Velocities up to which only the entries of the lower triangle are written; beyond it whole products may run as loops."""


def mass_matrix(loops: Loops) -> Matrix:
    """M (nv, nv) for the independent velocities."""
    if independent_legs(loops.mechanism):
        M = by_rigid_legs(loops)
    else:
        M = by_rigid_legs_on_bent_platform(loops) if bends_at_points(loops.mechanism) else by_tree(loops)
    for i in range(len(M)):
        for j in range(i):
            M[j, i] = M[i, j]
    return M


def independent_legs(mechanism: Mechanism) -> bool:
    """Whether v is the platform's whole twist and every link hangs on a leg with one cut, that determines its joints."""
    return mechanism.leads_from_platform and legs_follow(mechanism)


def legs_follow(mechanism: Mechanism) -> bool:
    """Whether the platform has six freedoms and every leg has one cut, that determines its joints; bodies may bend."""
    if (
        not mechanism.has_platform
        or mechanism.selection.removed
        or mechanism.couplings
        or mechanism.selection.independent[:6] != tuple(range(6))
    ):
        return False
    if mechanism.layout.v_elastic != mechanism.layout.n_elastic or mechanism.layout.mobility != 6:
        return False
    if any(link.leg < 0 for link in mechanism.links[1:] if link.tie is None) or any(
        cut.leg < 0 for cut in mechanism.cuts
    ):
        return False
    for leg in mechanism.legs:
        links = [mechanism.links[i] for i in leg.links]
        if len(leg.cuts) != 1 or any(link.parent == 0 for link in links):
            return False
        cut = mechanism.cuts[leg.cuts[0]]
        serial = set(mechanism.path_to_root(cut.first)) == set(leg.links)
        if not _on_platform(mechanism, cut.second) or not serial or cut.rows != sum(link.nu for link in links):
            return False
    return True


def _on_platform(mechanism: Mechanism, link: int) -> bool:
    """Whether a link is the platform, or a frame tied to it."""
    return link == 0 or (mechanism.links[link].tie is not None and mechanism.links[link].parent == 0)


def by_rigid_legs(loops: Loops) -> Matrix:
    """M (6, 6) for the platform's twist, world axes: the platform's inertia and every leg's at its cut [Long 2014, eq. 47], which
    is all without shapes.

    A leg's share is the sum of its inertias [Lopes, eqs. 40, 48, 62, 73], none of which is formed by itself. M is the matrix
    before (Ẍ, α) [Pedrammehr 2012, eqs. 48, 51].
    """
    with note("mass matrix: platform [Long 2014, eq. 35]"):
        M = platform_inertia(loops.posture)
    for leg in loops.mechanism.legs:
        with note(f"{leg.name}: inertia at the cut [Long 2014, eq. 37]"):
            M = M + _spread(loops.cuts[leg.cuts[0]], inertia_at_cut(loops, leg))
    return M


def inertia_at_cut(loops: Loops, leg: LegLinks) -> Matrix:
    """K = J⁻ᵀ A J⁻¹ (rows, rows) of a leg, tip axes; A by `leg_inertia`."""
    cut = loops.cuts[leg.cuts[0]]
    links = [loops.mechanism.links[i] for i in leg.links]
    columns = [column for link in links for column in link.columns]
    J, place = cut.jacobian(columns), Status.FOLDED.at(leg.name)
    half = solve(J.T, leg_inertia(loops.posture, leg, columns), place)
    return solve(J.T, half.T, place)


def bends_at_points(mechanism: Mechanism) -> bool:
    """Whether only the platform bends, and rigid legs hold it at points."""
    kinds = {type(closure) for cut in mechanism.cuts for closure in cut.closures}
    return mechanism.flexible == (0,) and kinds == {SamePoint} and legs_follow(mechanism)


def by_rigid_legs_on_bent_platform(loops: Loops) -> Matrix:
    """M (6 + m, 6 + m) for the platform's twist and its elastic rates; legs are felt at the deflected points.

    A leg's point moves with R (v_P + Φ ė) + …: with K turned into the platform's axes it adds Φᵀ K Φ, K Φ and r × K Φ.
    Legs put into the platform's equation, (41) and (42) into [Long 2014, eq. 43, corrected], before q̈_e is eliminated.
    """
    posture = loops.posture
    elastic = posture.mechanism.platform.elastic
    assert elastic is not None
    m, R = elastic.modes, posture.R_WP
    with note("mass matrix: flexible platform [Long 2014, eq. 35]"):
        M = TreeInertia(posture, (0,)).A[: 6 + m, : 6 + m]
    force, moment = zeros(3, m), zeros(3, m)
    shapes: list[Matrix] = []
    felts: list[Matrix] = []
    for leg in loops.mechanism.legs:
        with note(f"{leg.name}: inertia at the cut [Long 2014, eq. 37], [Long 2014, eqs. 41–42, corrected]"):
            cut = loops.cuts[leg.cuts[0]]
            felt = _spread(cut, inertia_at_cut(loops, leg))
            M[:6, :6] = M[:6, :6] + felt
            step = posture.steps[cut.cut.second]
            if step.deflection is None:
                continue
            shape = step.deflection.translation
            pushed = R.T @ felt[:3, :3] @ R @ shape
            force = force + pushed
            moment = moment + np.array([cross(step.place_p, pushed[:, k]) for k in range(m)], dtype=object).T
            shapes.append(shape)
            felts.append(pushed)
    if shapes:
        with note("mass matrix: legs felt by the shapes [Long 2014, eq. 45]"):
            M[6:, 6:] = M[6:, 6:] + product(np.concatenate(shapes).T, np.concatenate(felts))
    M[:3, 6:] = M[:3, 6:] + R @ force
    M[3:6, 6:] = M[3:6, 6:] + R @ moment
    M[6:, :6] = M[:6, 6:].T
    return M


def by_tree(loops: Loops) -> Matrix:
    """M (nv, nv) = A_vv + A_vd Γ_d + Γ_dᵀ (A_dv + A_dd Γ_d) from the tree's matrix A; only the lower triangle is right."""
    mechanism = loops.mechanism
    A = TreeInertia(loops.posture).A
    own = list(mechanism.selection.independent)
    rest = [c for c in range(mechanism.layout.nu) if c not in own]
    follow = zeros(len(rest), len(own))
    for k in range(len(own)):
        e = zeros(len(own))
        e[k] = 1.0
        follow[:, k] = loops.rates(e)[rest]
    with note("mass matrix: closures [Briot 2014, eq. 44]"):
        M = A[np.ix_(own, own)]
        if not rest:
            return M
        felt = A[np.ix_(rest, own)] + product(A[np.ix_(rest, rest)], follow)
        if len(own) > TRIANGULAR:
            return M + product(A[np.ix_(own, rest)], follow) + product(follow.T, felt)
        for i in range(len(own)):
            for j in range(i + 1):
                M[i, j] = M[i, j] + dot(A[own[i], rest], follow[:, j]) + dot(follow[:, i], felt[:, j])
        return M


def platform_inertia(posture: Posture) -> Matrix:
    """Spatial inertia (6, 6) of the platform about its origin, world axes [Long 2014, eq. 35], [Briot 2014, eq. 25],
    [Fried, eqs. 90–91, corrected], [Lopes, eqs. 18, 20, 23]."""
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


def leg_inertia(posture: Posture, leg: LegLinks, columns: list[int]) -> Matrix:
    """A (joints, joints) of one leg, rotor inertias included: M_i [Fried, eq. 73] by composite bodies, no factors, in the
    rates of the joints."""
    return TreeInertia(posture, leg.links).A[np.ix_(columns, columns)]


def _spread(cut: CutGeometry, K: Matrix) -> Matrix:
    """Pᵀ K P (6, 6): the leg's inertia at the cut as platform inertia, world axes; of a point Pᵀ is W_pi
    [Long 2014, eq. 31]."""
    if all(isinstance(row, PointRow) for row in cut.rows):
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


def solve_elastic(loops: Loops, M: Matrix, rest: Matrix, failure: Failure) -> Matrix:
    """M⁻¹ rest (m, k) for the mass matrix M (m, m) of the elastic coordinates in v."""
    if not solves_apart(loops):
        return solve_spd(M, rest, failure)
    out, columns = zeros(*rest.shape), loops.mechanism.selection.independent[-len(rest) :]
    for i in loops.mechanism.flexible:
        elastic, body = loops.mechanism.links[i].elastic, loops.posture.deformations[i]
        assert elastic is not None
        rows = [columns.index(c) for c in elastic.columns]
        if isinstance(body, Stiffened) and _comes_apart(body):
            out[rows] = _solve_body(body, rest[rows], failure)
        else:
            out[rows] = solve_spd(M[np.ix_(rows, rows)], rest[rows], failure)
    return out


def solve_whole(loops: Loops, M: Matrix, rest: Vector, failure: Failure) -> Vector:
    """M⁻¹ rest (nv,) for the whole mass matrix, elastic coordinates last; these are eliminated first where `solves_apart`."""
    if not solves_apart(loops):
        return solve_spd(M, rest, failure)
    n = loops.mechanism.layout.rigid
    moved = solve_elastic(loops, M[n:, n:], np.concatenate([M[n:, :n], rest[n:, None]], axis=1), failure)
    felt, pushed = moved[:, :n], moved[:, n]
    rigid = solve_spd(M[:n, :n] - product(M[:n, n:], felt), rest[:n] - M[:n, n:] @ pushed, failure) if n else zeros(0)
    return np.concatenate([rigid, pushed - product(felt, rigid)])


def solves_apart(loops: Loops) -> bool:
    """Whether there is a body whose mass matrix need not be formed to solve for its accelerations."""
    bodies = [loops.posture.deformations[i] for i in loops.mechanism.flexible]
    return _bend_alone(loops.mechanism) and any(isinstance(body, Stiffened) and _comes_apart(body) for body in bodies)


def _bend_alone(mechanism: Mechanism) -> bool:
    """Whether each flexible body has a mass matrix of its own, and all of it is in v: there are no loops, and none carries
    anything with mass."""
    if mechanism.rows or len(mechanism.selection.independent) != mechanism.layout.nu:
        return False
    heavy = [
        i for i, x in enumerate(mechanism.links) if not (x.ten is None and x.elastic is None and x.telescopic is None)
    ]
    return not any(mechanism.links[j].tie is not None for i in heavy for j in mechanism.path_to_root(i))


def _comes_apart(body: Stiffened) -> bool:
    """Whether P C = 0, and there are shifts or few squares against many coordinates."""
    bends, shifts = (_pattern(np.array(A)) for A in (body.forms, body.along))
    bends = bends.any(axis=1)  # which coordinates a form has to do with
    few = body.of_moments and body.slaved < body.m
    return body.m >= FEWEST and bool(few or shifts.any()) and not np.any(bends @ shifts)


def _pattern(A: np.ndarray) -> np.ndarray:
    """Where an array has entries."""
    return np.array([not structurally_zero(x) for x in A.ravel()], dtype=bool).reshape(A.shape)


def _solve_body(body: Stiffened, rest: Matrix, failure: Failure) -> Matrix:
    """M⁻¹ rest (m, k) of one body."""
    P, C = body.P, body.along
    rest = rest - product(P.T, product(C.T, rest))
    x = _solve_squares(body, rest, failure) if body.of_moments else solve_spd(body.held_mass, rest, failure)
    return x - product(C, product(P, x))


def _solve_squares(body: Stiffened, rest: Matrix, failure: Failure) -> Matrix:
    """(M0 + PᵀP)⁻¹ rest (m, k)."""
    rows, k = body.P[: body.slaved], rest.shape[1]
    moved = solve_spd(body.of.M, np.concatenate([rest, rows.T], axis=1), failure)
    x, Y = moved[:, :k], moved[:, k:]
    small = product(rows, Y)
    for i in range(len(small)):
        small[i, i] = small[i, i] + 1.0
    return x - product(Y, solve_spd(small, product(rows, x), failure))
