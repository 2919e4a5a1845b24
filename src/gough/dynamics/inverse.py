"""Inverse dynamics of the closed robot: drive forces for a motion; the mass matrix is never formed.

Sources   [Fried, eq. 97], [Long 2014, eq. 46], [Pedrammehr 2012, eqs. 48–51, corrected], [Briot 2014, §4].
Derivation  M v̇ + h = S τ + Q; the left-hand side is the projected tree force of the motion (projection.py), so
            S τ = Γᵀ f - Q, solved in a fixed elimination order. With more drives than freedoms, of all solutions the one
            with the least Σ w τ²: τ = W⁻¹Sᵀ μ, (S W⁻¹ Sᵀ) μ = Γᵀ f - Q.
            Flexible robots: the elastic accelerations ë are unknown too. With h the same for ë = 0,
            M_ee ë + h_e = S_e τ and M_re ë + h_r = S_r τ: eliminate ë, (S_r - M_re M_ee⁻¹ S_e) τ = h_r - M_re M_ee⁻¹ h_e.
"""

from collections.abc import Sequence

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import TreeForces, drive_columns
from gough.dynamics.recursion import LinkWrench
from gough.dynamics.validity import check_state
from gough.errors import Site, Status
from gough.scalar import check, note, product, solve, solve_spd, zeros
from gough.structure import Mechanism

Vector = np.ndarray


def motion_forces(
    loops: Loops, v: Vector, acceleration: Vector, loads: Sequence[tuple[int, LinkWrench]] = ()
) -> TreeForces:
    """Tree forces of the motion with independent velocities v and their accelerations, under external loads on links."""
    u = loops.rates(v)
    return TreeForces(loops, u, loops.accelerations(v, u, acceleration), loads)


def needed_force(loops: Loops, v: Vector, acceleration: Vector, wrench: Vector) -> Vector:
    """Γᵀ f - Q (nv,): what the drives must give [Lopes, eqs. 70–75]. wrench: see `wrench_size`."""
    f = motion_forces(loops, v, acceleration).generalised
    on_platform, load = split_wrench(loops.mechanism, wrench)
    if len(on_platform):
        f[:6] = f[:6] - on_platform
    needed = loops.project(f)
    return needed - load if len(load) else needed


def wrench_size(mechanism: Mechanism) -> int:
    """Length of the external load: the wrench on the platform (6), then the generalised force on v (nv).

    The second part is left out where v is the platform's whole twist, the first where there is no platform.
    """
    platform = 6 if mechanism.has_platform else 0
    return platform + (0 if mechanism.selection.leads_from_platform and platform else mechanism.layout.nv)


def split_wrench(mechanism: Mechanism, wrench: Vector) -> tuple[Vector, Vector]:
    """(wrench on the platform, generalised force on v); either may be empty."""
    n = 6 if mechanism.has_platform else 0
    return wrench[:n], wrench[n:]


def no_wrench(loops: Loops) -> Vector:
    """An external load of zeros."""
    return zeros(wrench_size(loops.mechanism))


def dynamics_residual(
    numbers: Numbers, q: Vector, v: Vector, acceleration: Vector, tau: Vector, wrench: Vector
) -> dict[str, np.ndarray]:
    """M v̇ + h - S τ - Q (nv,): zero for a motion that obeys the equations; its derivatives give linear models."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    needed = needed_force(loops, v, acceleration, wrench)
    return {"residual": needed - drive_columns(loops) @ tau}


def inverse_dynamics(
    numbers: Numbers, q: Vector, v: Vector, acceleration: Vector, wrench: Vector
) -> dict[str, np.ndarray]:
    """Drive forces tau (drives,) for velocities v, classical accelerations (mobility,) and external load; with elastic
    rates in v their accelerations eddot, too."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    if numbers.mechanism.layout.v_elastic:
        return _flexible(numbers, loops, v, acceleration, wrench)
    needed = needed_force(loops, v, acceleration, wrench)
    S = drive_columns(loops)
    with note("drive forces [Fried, eq. 97], [Long 2014, eq. 46]"):
        return {"tau": share_among_drives(numbers, S, needed)}


def _flexible(numbers: Numbers, loops: Loops, v: Vector, acceleration: Vector, wrench: Vector) -> dict[str, Vector]:
    """tau and the accelerations of the elastic coordinates in v, `eddot`, for those of the others."""
    layout = numbers.mechanism.layout
    n = layout.mobility
    needed = needed_force(loops, v, np.concatenate([acceleration, zeros(layout.v_elastic)]), wrench)
    S = drive_columns(loops)
    M = mass_matrix(loops)[:, n:]
    with note("elastic accelerations and drive forces [Long 2014, eqs. 44, 46], [Briot 2014, eq. 44]"):
        rest = np.concatenate([S[n:], needed[n:, None]], axis=1)
        moved = solve_spd(M[n:], rest, Status.SINGULAR.at("elastic mass matrix"))  # M_ee⁻¹ [S_e, h_e]
        felt, pushed = moved[:, :-1], moved[:, -1]
        tau = share_among_drives(numbers, S[:n] - product(M[:n], felt), needed[:n] - M[:n] @ pushed)
        return {"tau": tau, "eddot": product(felt, tau) - pushed}


def share_among_drives(numbers: Numbers, S: np.ndarray, needed: Vector) -> Vector:
    """tau (drives,) with S tau = needed [Lopes, eq. 14, corrected], [Pedrammehr 2012, eqs. 48, 51]; the least weighted norm when
    drives are redundant. Fewer drives than freedoms give no arbitrary motion: the check fails at every state."""
    drives = numbers.mechanism.drives
    if not drives and len(needed):
        check(Status.SINGULAR.at(Site.DRIVES), -needed[0] * needed[0], 1.0)
        return zeros(0)
    if len(drives) == len(needed):
        return solve(S, needed, Status.SINGULAR.at(Site.DRIVES))
    weights = [1.0 if d.weight is None else numbers.parameters[d.weight] for d in drives]
    eased = np.array([S[:, k] / w for k, w in enumerate(weights)], dtype=object)  # W⁻¹ Sᵀ (drives, nv)
    return eased @ solve_spd(S @ eased, needed, Status.SINGULAR.at(Site.DRIVES))
