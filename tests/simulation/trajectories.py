"""Trajectories: by SciPy's integrators on the forward dynamics with works integrated along, and known in closed form."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import gough
from gough.robot import UnphysicalInertiaWarning, loads

MARK = {"on_bad_state": "mark"}
"""A trial step that opens the loops gives NaN, and the integrator takes a shorter one."""


@cache
def model(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return gough.build(name)


@dataclass(frozen=True)
class Trajectory:
    """States at `time`, and work (n,) of the drives, of losses and of a wrench on a frame, integrated with the motion."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    drives: np.ndarray
    losses: np.ndarray
    wrench: np.ndarray


def integrated(
    m: gough.Model,
    duration: float,
    states: int,
    forces: Callable[[float], np.ndarray],
    wrench: dict[str, np.ndarray] | None = None,
    start: np.ndarray | None = None,
    v0: np.ndarray | None = None,
) -> Trajectory:
    """From rest at home under forces(t) (drives,); the loops drift by the tolerance and are closed afterwards."""
    nq, nv = m.layout.nq, m.layout.nv

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:nq], y[nq : nq + nv]
        tau = forces(t)
        pushed = sum(float(w @ m.frame_twist(q, v, f, **MARK)) for f, w in (wrench or {}).items())
        works = [tau @ m.drive_rates(q, v, **MARK), m.energies(q, v, **MARK).losses, pushed]
        vdot = m.forward_dynamics(q, v, tau, wrench, **MARK).vdot
        return np.concatenate([m.configuration_rate(q, v, **MARK), vdot, works])

    time = np.linspace(0.0, duration, states)
    y0 = np.concatenate([m.home if start is None else start, np.zeros(nv) if v0 is None else v0, np.zeros(3)])
    done = solve_ivp(rates, (0, duration), y0, t_eval=time, method="DOP853", rtol=1e-9, atol=1e-12)
    assert done.success, done.message
    y = done.y.T
    tau = np.array([forces(t) for t in time])
    return Trajectory(time, m.project(y[:, :nq]), y[:, nq : nq + nv], tau, *y[:, nq + nv :].T)


def wave(t: float) -> np.ndarray:
    """Forces of the hexapod's drives (6,), N."""
    return 30.0 + 10.0 * np.sin(30.0 * t + np.arange(6))


@cache
def hexapod() -> Trajectory:
    """A hexapod with friction that falls, pushed aside at its platform."""
    return integrated(model("pedrammehr2012"), 0.06, 61, wave, {"platform": PUSH})


PUSH = np.array([20.0, -10.0, 30.0, 1.0, 2.0, -1.0])


@cache
def slider_crank() -> Trajectory:
    """A turning crank with a flexible rod."""
    m = model("flexible_slider_crank")
    return integrated(m, 0.001, 201, lambda t: np.array([2.0 * np.sin(500.0 * t)]), v0=np.array([150.0] + [0.0] * 6))


TOP = """
format: 1
name: top
gravity: [0, 0, 0]
bodies:
  - {name: top, mass: 2, center_of_mass: [0, 0, 0.1], inertia: {about: origin, xx: 0.05, yy: 0.05, zz: 0.06}}
joints:
  - {name: pivot, type: spherical, parent: world, child: top}
velocities: [pivot_wx, pivot_wy, pivot_wz]
"""
INERTIA = np.array([0.05, 0.05, 0.06])


@cache
def top() -> gough.Model:
    """A body free to turn about a point: its coordinates are a quaternion."""
    return gough.build(loads(TOP))


def turning_top(time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q (n, 4), v (n, 3), v̇ (n, 3)) of the top without forces, body axes: L fixed in space, R = exp(L t / I1) R0 exp(z Ω t)."""
    R0, w0 = Rotation.from_rotvec([0.3, -0.2, 0.5]), np.array([3.0, -2.0, 8.0])
    L = R0.apply(INERTIA * w0)
    rate = w0[2] * (INERTIA[0] - INERTIA[2]) / INERTIA[0]
    z = np.array([0.0, 0.0, 1.0])
    R = Rotation.from_rotvec(np.outer(time, L / INERTIA[0])) * R0 * Rotation.from_rotvec(np.outer(time, rate * z))
    w = R.inv().apply(L) / INERTIA
    wd = -np.cross(w, INERTIA * w) / INERTIA
    return R.as_quat(scalar_first=True), w, wd


def swinging_platform(m: gough.Model, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, v, v̇) of a hexapod whose platform moves about home along x y z and turns by R = Rz(a) Ry(b)."""
    home = m.home_pose
    A, W = np.array([0.05, -0.04, 0.03]), np.array([5.0, 7.0, 6.0])
    p = home[:3] + A * np.sin(np.outer(time, W))
    v, dv = A * W * np.cos(np.outer(time, W)), -A * W**2 * np.sin(np.outer(time, W))
    a, ad, add = 0.3 * np.sin(6 * time), 1.8 * np.cos(6 * time), -10.8 * np.sin(6 * time)
    b, bd, bdd = 0.2 * np.sin(5 * time), 1.0 * np.cos(5 * time), -5.0 * np.sin(5 * time)
    z, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    Rz = Rotation.from_rotvec(np.outer(a, z))
    R = Rz * Rotation.from_rotvec(np.outer(b, y)) * Rotation.from_quat(home[3:], scalar_first=True)
    axis = Rz.apply(y)
    w = np.outer(ad, z) + bd[:, None] * axis
    wd = np.outer(add, z) + bdd[:, None] * axis + (ad * bd)[:, None] * np.cross(z, axis)
    q = m.configuration((p, R.as_matrix()))
    return q, np.concatenate([v, w], axis=1), np.concatenate([dv, wd], axis=1)
