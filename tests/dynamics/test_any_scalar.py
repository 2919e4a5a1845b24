"""The equations run on floats, 50-digit numbers and CasADi symbols and give what the recorded program gives."""

from __future__ import annotations

from typing import Any

import casadi as ca
import mpmath as mp
import numpy as np
import pytest

from gough.scalar import casadi_symbols, casadi_vector, recording_checks
from inner.dynamics import Numbers, forward_dynamics, inverse_dynamics
from laws.subjects import Subject, subject

NAMES = ["fried", "lopes", "pedrammehr2012", "ups-0", "generic-0", "sliding_cuts-0"]


def given(s: Subject, kind: Any) -> tuple[Numbers, list[np.ndarray]]:
    """Parameters and (q, v, acceleration, wrench) of the first state as scalars of a kind; structure stays numbers."""
    x = s.states[0]
    parameters = [s.model.pattern.get(i, kind(p)) for i, p in enumerate(s.model.parameters)]
    arrays = [np.array([kind(float(e)) for e in a], dtype=object) for a in (x.q, x.v, x.acceleration, x.wrench)]
    return Numbers(s.model.mechanism, np.array(parameters, dtype=object)), arrays


@pytest.mark.quick_cases("ups-0", "pedrammehr2012", "fried", "lopes")
@pytest.mark.parametrize("name", NAMES)
def test_floats(name: str) -> None:
    s = subject(name)
    numbers, arrays = given(s, float)
    with recording_checks() as checks:
        tau = inverse_dynamics(numbers, *arrays)["tau"].astype(float)
    assert all(value >= minimum for _, value, minimum in checks)
    truth = s.model.inverse_dynamics(*s.states[0][:4]).tau
    np.testing.assert_allclose(tau, truth, rtol=0, atol=1e-11 * np.abs(truth).max())


@pytest.mark.parametrize("name", NAMES)
def test_fifty_digits(name: str) -> None:
    """The program's rounding error against the same equations with 50 digits."""
    s = subject(name)
    with mp.workdps(50), recording_checks():
        numbers, arrays = given(s, mp.mpf)
        tau = inverse_dynamics(numbers, *arrays)["tau"]
        truth = np.array([float(t) for t in tau])
    ours = s.model.inverse_dynamics(*s.states[0][:4]).tau
    assert np.abs(ours - truth).max() < 1e-12 * np.abs(truth).max()


@pytest.mark.parametrize("name", ["lopes", "generic-0"])
def test_casadi_symbols(name: str) -> None:
    s = subject(name)
    state = s.states[0]
    symbols = [ca.SX.sym(n, len(x)) for n, x in zip("qvaw", state[:4], strict=True)]
    arrays = [casadi_symbols(x) for x in symbols]
    numbers = Numbers(s.model.mechanism, np.array([float(p) for p in s.model.parameters], dtype=object))
    tau = inverse_dynamics(numbers, *arrays)["tau"]
    f = ca.Function("tau", symbols, [casadi_vector(tau)])
    found = np.asarray(f(*state[:4]).full()).ravel()
    truth = s.model.inverse_dynamics(*state[:4]).tau
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-11 * np.abs(truth).max())


def test_forward_dynamics_on_floats() -> None:
    s = subject("generic-0")
    numbers, (q, v, _, wrench) = given(s, float)
    tau = np.array([float(t) for t in s.states[0].tau], dtype=object)
    with recording_checks():
        vdot = forward_dynamics(numbers, q, v, tau, wrench)["vdot"].astype(float)
    truth = s.model.forward_dynamics(s.states[0].q, s.states[0].v, s.states[0].tau, s.states[0].wrench).vdot
    np.testing.assert_allclose(vdot, truth, rtol=0, atol=1e-11 * np.abs(truth).max())
