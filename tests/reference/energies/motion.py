"""A short simulated motion of any mechanism, with the work done on it, for the power balance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .lagrange import Reference, Wrench


class Motion(NamedTuple):
    """End of a motion: configuration, twist, work of drives and wrench, energy lost in friction and dampers [J]."""

    q: np.ndarray
    v: np.ndarray
    work: float
    lost: float


def simulate(reference: Reference, q: Any, v: Any, tau: Any, wrench: Wrench, step: float, steps: int) -> Motion:
    """Classical Runge-Kutta with constant drive forces and wrench; closures are restored after each step."""
    nq, nv = len(q), len(v)
    still = np.zeros(reference.layout.nx)

    def rate(y: np.ndarray) -> np.ndarray:
        q, v = y[:nq], y[nq : nq + nv]
        power = tau @ reference.drive_rates(q, v) + reference.external(q, wrench) @ v
        vdot = reference.forward(q, v, tau, wrench)
        return np.concatenate([reference.configuration_rates(q, v), vdot, [power, reference.dissipation(q, v)]])

    y = np.concatenate([q, v, [0.0, 0.0]])
    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + step / 2 * k1)
        k3 = rate(y + step / 2 * k2)
        k4 = rate(y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y[:nq] = reference.assemble(reference.layout.retract(y[:nq], still))
    return Motion(y[:nq], y[nq : nq + nv], float(y[-2]), float(y[-1]))
