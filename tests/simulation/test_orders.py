"""Measured orders of all methods: platforms that turn in space on their legs, against DOP853 on the library's functions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from inner.simulation import METHODS
from laws.subjects import built
from simulation.trajectories import MARK

END = 0.1
STEPS = {"ankle": (4e-3, 2e-3, 1e-3), "pedrammehr2012": (2e-3, 1e-3, 5e-4)}
EQUAL = [m.name for m in METHODS.values() if not m.adaptive]
ADAPTIVE = [m.name for m in METHODS.values() if m.adaptive]
ROBOTS = pytest.mark.parametrize("name", ["ankle", pytest.param("pedrammehr2012", marks=pytest.mark.slow)])
FORCES = {"ankle": (1.0, 40.0), "pedrammehr2012": (300.0, 40.0)}
"""Mean and deviation of the drives' forces (N)."""


@cache
def falling(name: str) -> tuple[gough.Model, tuple[float, ...], np.ndarray, np.ndarray]:
    """The robot, drive forces, first velocities, and (q, v) at the end."""
    model, rng, (mean, deviation) = built(gough.load(name)), np.random.default_rng(3), FORCES[name]
    nv, nq = model.layout.nv, model.layout.nq
    tau, v0 = tuple(mean + deviation * rng.normal(size=nv)), rng.normal(size=nv) * 0.3

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:nq].copy(), x[nq:]
        q[3:7] /= np.linalg.norm(q[3:7])
        qdot, vdot = model.configuration_rate(q, v, **MARK), model.forward_dynamics(q, v, tau, None, **MARK).vdot
        return np.concatenate([qdot, vdot])

    end = solve_ivp(rates, (0, END), [*model.home, *v0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return model, tau, v0, end


def error(name: str, method: str, **settings: Any) -> float:
    """Of q and v at the end; loops must be closed and the quaternion of unit length on the way."""
    model, tau, v0, end = falling(name)
    if METHODS[method].name.startswith("cvode"):
        pytest.importorskip("sksundae", reason="scikit-sundae is not installed (pip install 'gough[sundials]')")
    run = gough.simulate(model, None, gough.laws.Free(tau), duration=END, v=v0, method=method, **settings)
    assert run.stopped == "finished"
    assert run.summary()["closure_error"] < 1e-10
    assert np.abs(np.linalg.norm(run.q[:, 3:7], axis=1) - 1).max() < 1e-14
    return float(np.abs(np.concatenate([run.q[-1], run.v[-1]]) - end).max())


@pytest.mark.quick_cases("leapfrog-ankle", "rk4-ankle")
@ROBOTS
@pytest.mark.parametrize("method", EQUAL)
def test_order(method: str, name: str) -> None:
    errors = np.array([error(name, method, step=h, tolerance=1e-11) for h in STEPS[name]])
    found = np.log2(errors[:-1] / errors[1:])
    assert np.abs(found - METHODS[method].order).max() < 0.2, found


@ROBOTS
@pytest.mark.parametrize("method", ADAPTIVE)
def test_errors_follow_the_tolerance(method: str, name: str) -> None:
    """A tolerance 1e4 times smaller: errors fall at least a thousand times, and tight ones are reached."""
    rough, tight = (error(name, method, tolerance=x) for x in (1e-7, 1e-11))
    assert tight < 1e-3 * rough and tight < 1e-7  # measured: rough 4e-7 … 4e-4 over the methods


@ROBOTS
def test_order_of_bs3(name: str) -> None:
    """Any error passes, so that the longest steps are taken, after a few short ones at the begin."""
    errors = np.array([error(name, "bs3", step=h, tolerance=0.1) for h in (4e-3, 2e-3, 1e-3)])
    found = np.log2(errors[:-1] / errors[1:])
    assert np.abs(found - 3).max() < 0.4, found


def test_all_methods_are_measured() -> None:
    assert set(EQUAL) | set(ADAPTIVE) == set(METHODS)
