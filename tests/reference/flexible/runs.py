"""Runs of a robot under drive forces that follow from time and state, integrated by SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from .lagrange import FlexibleReference

Force = Callable[[float, np.ndarray, np.ndarray], np.ndarray]
"""(t, q, v) -> drive forces (drives,)."""


class Course(NamedTuple):
    """States at given times: t (n,), q (n, nq), v (n, nv)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray


def integrate(
    reference: FlexibleReference, q: Any, v: Any, force: Force, times: Any, tolerance: float, absolute: float = 1e-3
) -> Course:
    """From q, v at times[0]; DOP853 on all coordinates, dependent ones too. tolerance: relative, and `absolute` times it."""
    q, v, times = (np.asarray(x, float) for x in (q, v, times))
    n = len(q)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:n], y[n:]
        vdot = reference.forward(q, v, force(t, q, v))
        return np.concatenate([reference.configuration_rates(q, v), vdot])

    start = np.concatenate([q, v])
    span = (times[0], times[-1])
    made = solve_ivp(rates, span, start, "DOP853", times, rtol=tolerance, atol=absolute * tolerance)
    if not made.success:
        raise ValueError(made.message)
    return Course(made.t, made.y[:n].T, made.y[n:].T)
