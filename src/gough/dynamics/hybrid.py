"""Hybrid dynamics of the closed robot: drive forces and all accelerations for prescribed accelerations of as many freedoms as
there are drives, whichever they are; the rest follows.

Derivation  M v̇ + h = S τ + Q. Prescribed entries p of v, the others f: with n the force of a motion in which f do not accelerate,
                M_ff v̇_f = S_f τ - n_f,   S̄ τ = n_p - M_pf M_ff⁻¹ n_f,   S̄ = S_p - M_pf M_ff⁻¹ S_f                        (1)
            Inverse dynamics is the case of those that motions lead. Velocities u_p that are not all entries of v: u̇_p = P v̇ + b,
            with n the force at v̇ = 0,
                S̄ τ = K (a - b + P M⁻¹ n),   S̄ = K P M⁻¹ S,   K = (P M⁻¹ Pᵀ)⁻¹                                         (2)
            K is the inertia felt at u_p: for entries of v, S̄ is that of (1).
            There are drive forces for any prescribed accelerations where the matrix before τ is regular. It is the result
            `driven`, of which a condition number tells how far from that a choice is: a crane's load is well led by its
            trolley, the trolley's own wheels may not be.
            Velocities without inertia that are not prescribed keep their values (forward.py).
Sources     hybrid dynamics of trees (Featherstone 2008, section 9.1); here of closed robots, M, h and S projected.
"""

from collections.abc import Sequence

import numpy as np

from gough.dynamics.inverse import NONE, check_slack_velocities, free_accelerations, needed_force, share_among_drives
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.validity import check_state
from gough.errors import Site, Status
from gough.scalar import note, product, solve_spd, zeros

Vector = np.ndarray


def hybrid_dynamics(
    numbers: Numbers,
    q: Vector,
    v: Vector,
    prescribed: Vector,
    wrench: Vector = NONE,
    force: Vector = NONE,
    *,
    names: Sequence[str],
) -> dict[str, np.ndarray]:
    """tau (drives,), vdot (nv,) and driven (k, drives), the matrix before tau, for accelerations `prescribed` (k,) of the tree
    velocities `names` and a load (`load_sizes`)."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    layout = numbers.mechanism.layout
    M, S = mass_matrix(loops), drive_columns(loops)
    if set(names) <= set(layout.v_names):
        return _of_entries(loops, M, S, names, v, prescribed, (wrench, force))
    return _of_others(loops, M, S, names, v, prescribed, (wrench, force))


def prescribed_place(names: Sequence[str]) -> str:
    """Where a failure is, of drives that cannot give prescribed accelerations of velocities `names`."""
    return f"prescribed {', '.join(names)}"


def _of_entries(
    loops: Loops, M: np.ndarray, S: np.ndarray, names: Sequence[str], v: Vector, prescribed: Vector, load: tuple
) -> dict[str, np.ndarray]:
    """By equation (1), of entries of v."""
    given = [loops.mechanism.layout.v_names.index(name) for name in names]
    order = [*given, *(k for k in range(len(v)) if k not in given)]
    vdot, n = zeros(len(v)), len(given)
    vdot[given] = prescribed
    needed = needed_force(loops, v, vdot, *load)
    tau, rest, driven = free_accelerations(loops, M, S, needed, n, order, prescribed_place(names))
    vdot[order[n:]] = rest
    return {"tau": tau, "vdot": vdot, "driven": driven}


def _of_others(
    loops: Loops, M: np.ndarray, S: np.ndarray, names: Sequence[str], v: Vector, prescribed: Vector, load: tuple
) -> dict[str, np.ndarray]:
    """By equation (2), of velocities of the tree."""
    columns = [loops.mechanism.layout.u_names.index(name) for name in names]
    needed = needed_force(loops, v, zeros(len(v)), *load)
    still = check_slack_velocities(loops, M, needed)
    moving = [k for k in range(len(v)) if k not in still]
    P = zeros(len(columns), len(moving))
    for j, k in enumerate(moving):
        unit = zeros(len(v))
        unit[k] = 1.0
        P[:, j] = loops.rates(unit)[columns]
    bias = loops.accelerations(v, loops.rates(v), zeros(len(v)))[columns]
    with note("drive forces for prescribed accelerations"):
        count = S.shape[1]
        rest = np.concatenate([S[moving], needed[moving, None], P.T], axis=1)
        moved = solve_spd(M[np.ix_(moving, moving)], rest, Status.SINGULAR.at(Site.MASS_MATRIX))
        felt, fallen = moved[:, :count], moved[:, count]
        sides = np.concatenate([product(P, felt), (prescribed - bias + P @ fallen)[:, None]], axis=1)
        place = prescribed_place(names)
        weighed = solve_spd(product(P, moved[:, count + 1 :]), sides, Status.SINGULAR.at(place))
        driven = weighed[:, :-1]
        tau = share_among_drives(loops.posture.numbers, driven, weighed[:, -1], place)
        vdot = zeros(len(v))
        vdot[moving] = product(felt, tau) - fallen
    return {"tau": tau, "vdot": vdot, "driven": driven}
