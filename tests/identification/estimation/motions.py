"""Runs of a small robot with a known answer, for tests of estimators."""

from functools import cache
from typing import Any

import numpy as np

import gough

LAW = gough.laws.JointPD(stiffness=300.0, damping=20.0)


@cache
def five_bar() -> gough.Model:
    return gough.build("five_bar")


@cache
def motion(seed: int = 1) -> gough.Motion:
    model, t, rng = five_bar(), np.linspace(0.0, 3.0, 16), np.random.default_rng(seed)
    home = model.home[model.drive_index]
    drives = home + 0.3 * np.sin(np.outer(t, rng.uniform(1.0, 4.0, 2)))
    return gough.motions.spline(times=t, drives=drives, names=model.layout.drive_names, degree=5)


@cache
def clean_run(seed: int = 1) -> Any:
    return gough.simulate(five_bar(), motion(seed), LAW, method="rk4", step=1e-3, check="off")


def samples(noise: float = 0.0, seed: int = 0, run: int = 1) -> gough.Samples:
    """States without noise, forces with noise (of their rms)."""
    model, r = five_bar(), clean_run(run)
    keep = slice(0, None, 2)
    tau = r.tau[keep] + noise * r.tau.std(axis=0) * np.random.default_rng(seed).normal(size=r.tau[keep].shape)
    n = len(tau)
    return gough.Samples(
        model, r.time[keep], r.q[keep], r.v[keep], r["acceleration"][keep], tau, None, np.zeros(n, dtype=int), ("run",)
    )
