"""Inverse dynamics of the closed robot: drive forces for a motion; the mass matrix is never formed.

Sources   [Fried, section 7.5], [Long 2014], [Pedrammehr 2012, section 8], [Briot 2014].
Derivation  M v̇ + h = S τ + Q; the left-hand side is the projected tree force of the motion (projection.py), so
            S τ = Γᵀ f - Q, solved in a fixed elimination order. With more drives than freedoms, of all solutions the one
            with the least Σ w τ²: τ = W⁻¹Sᵀ μ, (S W⁻¹ Sᵀ) μ = Γᵀ f - Q.
            Flexible robots: the elastic accelerations ë are unknown too. With h the same for ë = 0,
            M_ee ë + h_e = S_e τ and M_re ë + h_r = S_r τ: eliminate ë, (S_r - M_re M_ee⁻¹ S_e) τ = h_r - M_re M_ee⁻¹ h_e.
            Accelerations of idle velocities are unknown in the same way: e then stands for these and for elastic ones. An idle
            velocity without inertia keeps its value, 0 acceleration; its row of the equations must hold by itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix, solve_elastic
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import TreeForces, drive_columns
from gough.dynamics.recursion import LinkWrench
from gough.dynamics.validity import check_state
from gough.errors import Site, Status
from gough.friction.coulomb import structurally_zero
from gough.scalar import check, dot, note, product, solve, solve_spd, zeros
from gough.structure import Mechanism

Vector = np.ndarray
NONE = zeros(0)
"""No such load."""
NO_INERTIA = 1e-12
"""Inertia of a velocity without inertia relative to all, beyond which the design is another one."""
NO_FORCE = 1e-9
"""Force on a velocity without inertia that is rounding, relative to all forces and to what would accelerate all inertia by 1."""


def motion_forces(loops: Loops, v: Vector, vdot: Vector, loads: Sequence[tuple[int, LinkWrench]] = ()) -> TreeForces:
    """Tree forces of the motion with independent velocities v and their accelerations vdot, under external loads on links."""
    u = loops.rates(v)
    return TreeForces(loops, u, loops.accelerations(v, u, vdot), loads)


def needed_force(loops: Loops, v: Vector, vdot: Vector, wrench: Vector = NONE, force: Vector = NONE) -> Vector:
    """Γᵀ f - Q (nv,): what the drives must give. wrench (6,), force (nv,): see `load_sizes`.

    Of a platform's twist the sum [Lopes, eqs. 70–72], its moments in base axes.
    """
    f = motion_forces(loops, v, vdot).generalised
    if len(wrench):
        f[:6] = f[:6] - wrench
    needed = loops.project(f)
    return needed - force if len(force) else needed


def balanced_force(
    numbers: Numbers, q: Vector, v: Vector, vdot: Vector, offsets: Mapping[int, Any], at_drives: bool
) -> Vector:
    """Force (nv,) along v, or of the drives (drives,), of a motion without loads: linear in masses, inertias, friction and
    springs, τ = Y(q, v, v̇) π (Gautier and Khalil 1990). offsets {entry of u: N or N m}: constant forces that a coordinate's
    motion has to overcome, on the left, M v̇ + h + Γᵀ o."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    needed = needed_force(loops, v, vdot)
    if offsets:
        with note("offsets"):
            constant = zeros(numbers.mechanism.layout.nu)
            for entry, offset in offsets.items():
                constant[entry] = offset
            needed = needed + loops.project(constant)
    if not at_drives:
        return needed
    with note("drive forces [Fried, eq. 97, corrected], [Long 2014, eq. 46]"):
        return share_among_drives(numbers, drive_columns(loops), needed)


def load_sizes(mechanism: Mechanism) -> dict[str, int]:
    """Lengths of the inputs that say what the surroundings do: "wrench" on the platform (6), world axes, at its origin, and
    "force" (nv), generalised, along every entry of v. Equations take either, both or none.

    The first is left out where there is no platform, the second where v is the platform's whole twist: it would be the same.
    """
    sizes = {"wrench": 6} if mechanism.has_platform else {}
    same = mechanism.leads_from_platform
    return sizes if same or not mechanism.layout.nv else sizes | {"force": mechanism.layout.nv}


def dynamics_residual(
    numbers: Numbers, q: Vector, v: Vector, vdot: Vector, tau: Vector, wrench: Vector = NONE, force: Vector = NONE
) -> dict[str, np.ndarray]:
    """M v̇ + h - S τ - Q (nv,): zero for a motion that obeys the equations; its derivatives give linear models."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    needed = needed_force(loops, v, vdot, wrench, force)
    return {"residual": needed - drive_columns(loops) @ tau}


def inverse_dynamics(
    numbers: Numbers, q: Vector, v: Vector, acceleration: Vector, wrench: Vector = NONE, force: Vector = NONE
) -> dict[str, np.ndarray]:
    """Drive forces tau (drives,) for velocities v, classical accelerations (mobility,) and a load (`load_sizes`); with
    idle or elastic rates in v their accelerations, too: idle_acceleration, eddot."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    if numbers.mechanism.layout.v_idle:
        return _with_idle(numbers, loops, v, acceleration, wrench, force)
    if numbers.mechanism.layout.v_elastic:
        return _flexible(numbers, loops, v, acceleration, wrench, force)
    needed = needed_force(loops, v, acceleration, wrench, force)
    S = drive_columns(loops)
    with note("drive forces [Fried, eq. 97, corrected], [Long 2014, eq. 46]"):
        return {"tau": share_among_drives(numbers, S, needed)}


def unbent_dynamics(
    numbers: Numbers, q: Vector, v: Vector, acceleration: Vector, wrench: Vector = NONE, force: Vector = NONE
) -> dict[str, np.ndarray]:
    """`inverse_dynamics` of a robot whose bodies do not bend, whatever their stiffness: elastic coordinates and rates of q and v
    stay, eddot is 0, and what would bend the bodies is borne by them."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    layout = numbers.mechanism.layout
    n = layout.mobility
    needed = needed_force(loops, v, np.concatenate([acceleration, zeros(layout.nv - n)]), wrench, force)
    S = drive_columns(loops)
    if not layout.v_idle:
        return {"tau": share_among_drives(numbers, S[:n], needed[:n]), "eddot": zeros(layout.v_elastic)}
    tau, idle, _ = free_accelerations(loops, mass_matrix(loops), S, needed, n, range(layout.rigid))
    return {"tau": tau, "idle_acceleration": idle, "eddot": zeros(layout.v_elastic)}


def _flexible(
    numbers: Numbers, loops: Loops, v: Vector, acceleration: Vector, wrench: Vector, force: Vector
) -> dict[str, Vector]:
    """tau and the accelerations of the elastic coordinates in v, `eddot`, for those of the others.

    The matrix before tau is J_sys⁻ᵀ [Long 2014, eq. 48]. What stands against it is A V̇_p + c, which is c where nothing
    accelerates [Long 2014, eq. 49]; A of (47) is not formed.
    """
    layout = numbers.mechanism.layout
    n = layout.mobility
    needed = needed_force(loops, v, np.concatenate([acceleration, zeros(layout.v_elastic)]), wrench, force)
    S = drive_columns(loops)
    M = mass_matrix(loops)[:, n:]
    with note("elastic accelerations and drive forces [Long 2014, eqs. 44, 46, corrected], [Briot 2014, eq. 44]"):
        rest = np.concatenate([S[n:], needed[n:, None]], axis=1)
        moved = solve_elastic(loops, M[n:], rest, Status.SINGULAR.at("elastic mass matrix"))  # M_ee⁻¹ [S_e, h_e]
        felt, pushed = moved[:, :-1], moved[:, -1]
        tau = share_among_drives(numbers, S[:n] - product(M[:n], felt), needed[:n] - M[:n] @ pushed)
        return {"tau": tau, "eddot": product(felt, tau) - pushed}


def _with_idle(
    numbers: Numbers, loops: Loops, v: Vector, acceleration: Vector, wrench: Vector, force: Vector
) -> dict[str, Vector]:
    """tau and the accelerations of idle and elastic velocities for those of the others."""
    layout = numbers.mechanism.layout
    n = layout.mobility
    needed = needed_force(loops, v, np.concatenate([acceleration, zeros(layout.nv - n)]), wrench, force)
    tau, rest, _ = free_accelerations(loops, mass_matrix(loops), drive_columns(loops), needed, n)
    out = {"tau": tau, "idle_acceleration": rest[: layout.v_idle]}
    return out | ({"eddot": rest[layout.v_idle :]} if layout.v_elastic else {})


def free_accelerations(
    loops: Loops,
    M: np.ndarray,
    S: np.ndarray,
    needed: Vector,
    n: int,
    order: Sequence[int] | None = None,
    place: str = Site.DRIVES,
) -> tuple[Vector, Vector, np.ndarray]:
    """(tau (drives,), accelerations of the entries of v from n on, the matrix before tau (n, drives)) for given accelerations of
    the first n. needed (nv,): the force of a motion in which those from n on do not accelerate.

    order: of the entries of v, where it is another one. Entries that it leaves out do not accelerate, whatever their equations
    say (bodies that are taken for rigid). place: of a failure where the drives cannot give these accelerations.
    """
    order = list(range(len(needed)) if order is None else order)
    given, rest = order[:n], order[n:]
    still = check_slack_velocities(loops, M, needed, rest)
    free = [k for k in rest if k not in still]
    S_bar, push = S[given], needed[given]
    if not free:
        with note("drive forces"):
            return share_among_drives(loops.posture.numbers, S_bar, push, place), zeros(len(rest)), S_bar
    with note("drive forces, and accelerations of what nothing leads"):
        sides = np.concatenate([S[free], needed[free, None]], axis=1)
        moved = solve_spd(M[np.ix_(free, free)], sides, Status.SINGULAR.at(Site.MASS_MATRIX))
        felt, pushed = moved[:, :-1], moved[:, -1]
        beside, out = M[np.ix_(given, free)], zeros(len(rest))
        S_bar = S_bar - product(beside, felt)
        tau = share_among_drives(loops.posture.numbers, S_bar, push - beside @ pushed, place)
        out[[rest.index(k) for k in free]] = product(felt, tau) - pushed
    return tau, out, S_bar


def check_slack_velocities(
    loops: Loops, M: np.ndarray, total: Vector, among: Sequence[int] | None = None
) -> tuple[int, ...]:
    """Entries of v without inertia, of those `among` (default: all), which stay as they are: there must be no force on them, of
    all forces (nv,)."""
    mechanism = loops.mechanism
    still = tuple(k for k in mechanism.selection.without_inertia if among is None or k in among)
    inertia: Any = sum((M[i, i] for i in range(len(total))), 0.0) if still else 0.0
    for k in still:
        bad = Status.SINGULAR.at(mechanism.layout.v_names[k], Site.NO_INERTIA)
        all_forces = dot(total, total) + inertia * inertia  # at rest in equilibrium forces are rounding, all of them
        check(bad, NO_FORCE**2 * all_forces - total[k] * total[k], 0.0)
        if not structurally_zero(M[k, k]):  # another design may give it an inertia
            check(bad, NO_INERTIA * inertia - M[k, k], 0.0)
    return still


def share_among_drives(numbers: Numbers, S: np.ndarray, needed: Vector, place: str = Site.DRIVES) -> Vector:
    """tau (drives,) with S tau = needed [Lopes, eq. 14, corrected], [Pedrammehr 2012, eqs. 48, 51] solved for F_act; the least
    weighted norm when drives are redundant. Fewer drives than freedoms give no arbitrary motion: the check fails at every
    state. place: of the failure."""
    drives = numbers.mechanism.drives
    if not drives and len(needed):
        check(Status.SINGULAR.at(place), -needed[0] * needed[0], 1.0)
        return zeros(0)
    if len(drives) == len(needed):
        return solve(S, needed, Status.SINGULAR.at(place))
    weights = [1.0 if d.weight is None else numbers.parameters[d.weight] for d in drives]
    eased = np.array([S[:, k] / w for k, w in enumerate(weights)], dtype=object)  # W⁻¹ Sᵀ (drives, nv)
    return eased @ solve_spd(S @ eased, needed, Status.SINGULAR.at(place))
