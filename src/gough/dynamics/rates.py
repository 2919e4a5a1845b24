"""From v to the rates of everything: q̇ = N(q) v, joint rates, accelerations of the drives; steps that lead and close."""

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.validity import check_state
from gough.errors import Site, Status
from gough.scalar import dot, solve, sqrt, zeros

Vector = np.ndarray


def configuration_rate(numbers: Numbers, q: Vector, v: Vector) -> dict[str, np.ndarray]:
    """qdot (nq,) of the closed robot moving with v."""
    posture = Posture(numbers, q)
    loops = Loops(posture)
    check_state(loops)
    return {"qdot": rate_of_q(posture, loops.rates(v))}


def rate_of_q(posture: Posture, u: Vector) -> Vector:
    """qdot (nq,) from tree velocities u."""
    mechanism = posture.mechanism
    out = zeros(mechanism.layout.nq)
    for link in mechanism.links:
        if link.elastic is not None:
            out[link.elastic.coordinates] = u[link.elastic.columns]
        out[link.coordinates] = link.motion.coordinate_rates(posture.q[link.coordinates], u[link.columns])
    return out


def tree_rates(numbers: Numbers, q: Vector, v: Vector) -> dict[str, np.ndarray]:
    """Tree velocities u (nu,) of the closed robot moving with v."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    return {"u": loops.rates(v)}


def joint_motion(numbers: Numbers, q: Vector, v: Vector, vdot: Vector) -> dict[str, np.ndarray]:
    """Tree velocities u and accelerations ud (nu,) of the closed robot."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    u = loops.rates(v)
    return {"u": u, "ud": loops.accelerations(v, u, vdot)}


def closure_residual(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """Position-level closures of all cuts, one after the other, and a · b - 1 of the axes in common."""
    loops = Loops(Posture(numbers, q))
    return {"residual": loops.residual(), "misalignment": loops.misalignment()}


def closure_rows(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """Residual (rows,) and G (rows, nu) of all closures: a motion du changes the residual by -G du.

    misalignment (k,) and A (k, nu): the same of the axes in common, which are reversed where only the closures hold.
    """
    loops = Loops(Posture(numbers, q))
    axes = {"misalignment": loops.misalignment(), "A": loops.all_alignments()}
    return {"residual": loops.residual(), "G": loops.all_rows(), **axes}


def leg_closures(numbers: Numbers, q: Vector, leg: int) -> dict[str, np.ndarray]:
    """The same of the cuts of one leg, its own joints alone moving: residual (rows,) and J (rows, joints), misalignment (k,)
    and A (k, joints)."""
    loops, own = Loops(Posture(numbers, q)), numbers.mechanism.legs[leg]
    columns = [column for i in own.links for column in numbers.mechanism.links[i].columns]
    cuts = [loops.cuts[k] for k in own.cuts]
    residual = np.concatenate([zeros(0), *(cut.residual() for cut in cuts)])
    J = np.concatenate([zeros(0, len(columns)), *(cut.jacobian(columns) for cut in cuts)])
    misalignment = np.concatenate([zeros(0), *(cut.misalignment() for cut in cuts)])
    A = np.concatenate([zeros(0, len(columns)), *(cut.alignment_jacobian(columns) for cut in cuts)])
    return {"residual": residual, "J": J, "misalignment": misalignment, "A": A}


def loop_matrices(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """J0, J1, …: entries of G that the joints of each of `Mechanism.loop_groups` follow from."""
    loops = Loops(Posture(numbers, q))
    groups = numbers.mechanism.loop_groups.values()
    return {f"J{k}": loops.entries(rows, columns) for k, (rows, columns) in enumerate(groups)}


def closing_step(numbers: Numbers, q: Vector, v: Vector) -> dict[str, np.ndarray]:
    """du (nu,): one Newton step that moves the independent coordinates by v and closes the loops; the residual before."""
    loops = Loops(Posture(numbers, q))
    return {"du": loops.correction(v), "residual": loops.residual()}


def leading_step(numbers: Numbers, q: Vector, v: Vector) -> dict[str, np.ndarray]:
    """next (nq,): q moved by v in the independent coordinates, its loops closed, to first order; du (nu,): that step of the tree;
    residual (rows,): of the closures before it."""
    posture = Posture(numbers, q)
    return _moved(posture, Loops(posture), v)


def drive_step(numbers: Numbers, q: Vector, drives: Vector) -> dict[str, np.ndarray]:
    """As `leading_step`, towards drive coordinates (drives,), of which there are as many as freedoms; elastic ones stay. What
    closing the loops moves of the drives is part of the way."""
    posture = Posture(numbers, q)
    loops, mechanism = Loops(posture), numbers.mechanism
    n, v = mechanism.layout.mobility, zeros(mechanism.layout.nv)
    closing = loops.correction(v)[[mechanism.links[drive.link].u for drive in mechanism.drives]]
    missing = drives - posture.q[mechanism.drive_index] - closing
    v[:n] = solve(drive_columns(loops)[:n].T, missing, Status.SINGULAR.at(Site.DRIVES))
    return _moved(posture, loops, v)


def _moved(posture: Posture, loops: Loops, v: Vector) -> dict[str, np.ndarray]:
    du = loops.correction(v)
    q = posture.q + rate_of_q(posture, du)
    for link in posture.mechanism.links:
        if link.quaternion is not None:
            turn = q[link.quaternion]
            q[link.quaternion] = turn / sqrt(dot(turn, turn))
    return {"next": q, "du": du, "residual": loops.residual()}
