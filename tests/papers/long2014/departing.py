"""Control of [Long 2014]'s flexible robot that loses it, by energies alone: drive forces that follow from time and state.

The path is `path.poses_path`. Of the library there are the descriptions of the robots, the plate's mesh and its modes.
"""

import warnings
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import gough
from papers.long2014.path import poses_path
from reference.energies.lagrange import Reference

STIFFNESS, DAMPING = 400.0, 40.0


@cache
def _rigid() -> Reference:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Reference(gough.load("long2014_rigid"))


def distance(q, t):
    """m, of the floating frame from its path at time t."""
    return float(np.linalg.norm(q[:3] - poses_path(t)[0]))


def rigid_law():
    """Computed torque with a rigid platform: a = a_ref + K_d (V_ref - V) + K_p e, its forces by the rigid robot's energies."""
    robot = _rigid()
    at = [robot.home()]

    def force(t, q, v):
        position, rotation, twist, acceleration = poses_path(t)
        here = Rotation.from_quat(q[[4, 5, 6, 3]])
        error = np.concatenate([position - q[:3], (Rotation.from_matrix(rotation) * here.inv()).as_rotvec()])
        wanted = acceleration + DAMPING * (twist - v[:6]) + STIFFNESS * error
        start = at[0].copy()
        start[:7] = q[:7]
        at[0] = robot.assemble(start, fixed=["pose"])
        return robot.inverse(at[0], v[:6], wanted)

    return force


def replay_law(reference, still, push, end, tolerance):
    """Forces that hold the floating frame on the path from rest `still` until `end` (s), and `push` (6,), N, on top of them.

    The elastic coordinates that belong to them are integrated along the path by themselves.
    """
    n, bent = int(reference.elastic.sum()), next(iter(reference.layout.elastic.values()))[0]
    at = [still.q]

    def on_path(t, e, rate):
        position, rotation, twist, acceleration = poses_path(t)
        q = at[0].copy()
        q[:3], q[[4, 5, 6, 3]], q[bent] = position, Rotation.from_matrix(rotation).as_quat(), e
        at[0] = reference.assemble(q, fixed=["pose"])
        return reference.inverse_elastic(at[0], np.concatenate([twist, rate]), acceleration)

    def rates(t, y):
        return np.concatenate([y[n:], on_path(t, y[:n], y[n:])[1]])

    start = np.concatenate([still.q[bent], np.zeros(n)])
    course = solve_ivp(rates, (0.0, end), start, "DOP853", dense_output=True, rtol=tolerance, atol=1e-3 * tolerance)
    assert course.success

    def force(t, q, v):
        y = course.sol(t)
        return on_path(t, y[:n], y[n:])[0] + push

    return force
