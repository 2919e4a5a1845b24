"""A short simulated motion of a reference, with the work done on it, for the power balance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .lagrange import Reference


class Motion(NamedTuple):
    """End of a motion: configuration, twist, work of drives and wrench, energy lost in friction and dampers [J]."""

    q: np.ndarray
    v: np.ndarray
    work: float
    lost: float


def configuration_rates(reference: Reference, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Time derivative of the configuration, quaternions included."""
    xd = reference.rates(q, v)
    out = np.zeros_like(q)
    out[:3] = xd[:3]
    w, u = v[3:], q[4:7]
    out[3], out[4:7] = -w @ u / 2, (q[3] * w + np.cross(w, u)) / 2
    for p in reference.layout.places:
        if p.rotation is None:
            out[p.q] = xd[p.x]
            continue
        hq, hx = p.rotation
        out[p.q.start : hq.start] = xd[p.x.start : hx.start]
        h, w = q[hq], xd[hx]
        out[hq] = np.concatenate([[-h[1:] @ w], h[0] * w + np.cross(h[1:], w)]) / 2
    return out


def simulate(reference: Reference, q: Any, v: Any, tau: Any, wrench: Any, step: float, steps: int) -> Motion:
    """Classical Runge-Kutta with constant drive forces and platform wrench; closures are restored after each step."""
    nq = len(q)

    def rate(y: np.ndarray) -> np.ndarray:
        q, v = y[:nq], y[nq : nq + 6]
        power = tau @ reference.drive_rates(q, v) + wrench @ v
        vdot = reference.forward(q, v, tau, wrench)
        return np.concatenate([configuration_rates(reference, q, v), vdot, [power, reference.dissipation(q, v)]])

    y = np.concatenate([q, v, [0.0, 0.0]])
    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + step / 2 * k1)
        k3 = rate(y + step / 2 * k2)
        k4 = rate(y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y[:nq] = reference.assemble(reference.layout.retract(y[:nq], np.zeros(reference.layout.nx)))
    return Motion(y[:nq], y[nq : nq + 6], float(y[-2]), float(y[-1]))
