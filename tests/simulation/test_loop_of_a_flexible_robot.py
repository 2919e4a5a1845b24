"""Loops on a clock around a robot that bends: one period as a matrix, event by event; regulators by SciPy's Riccati equations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm, solve_continuous_are, solve_discrete_are

import gough
from gough import laws
from gough.actuators import Lag
from gough.robot.friction import change_friction
from gough.sensors import Encoders
from laws.subjects import built

Array = np.ndarray
T, GRID = 1e-3, 1e-4
KP, KD, LAG = np.array([4e4, 3e4]), np.array([600.0, 700.0]), np.array([4e-4, 7e-4])
ERROR, FORCE = np.array([1e-3, 2e-3]), np.array([30.0, 20.0])
HZ = np.array([0.2, 2.0, 9.0, 14.0, 30.0, 80.0, 150.0])


@cache
def plant() -> tuple[gough.Model, Array, gough.LinearModel]:
    """DualEMPS, two drives and nine elastic coordinates, off home."""
    model = built(change_friction(gough.load("dualemps"), coulomb=0))
    q = model.configuration(drives=[0.05, -0.03], near=model.home)
    return model, q, gough.linear_model(model, q, outputs=["drives"])


def held(A: Array, B: Array, h: float) -> tuple[Array, Array]:
    n = len(A)
    whole = np.zeros((n + B.shape[1],) * 2)
    whole[:n, :n], whole[:n, n:] = A, B
    found = expm(whole * h)
    return found[:n, :n], found[:n, n:]


def period_matrix(delay: float, seen: float, bandwidth: float, gains: Array) -> Array:
    """What one period makes of (robot, motors' forces, commands and readings that are under way), its columns one after the
    other: the loop's events on a grid of time. gains (2,): factors of the drives' forces."""
    _, _, linear = plant()
    n, m = len(linear.A), 2
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, n:] = linear.A, linear.B * gains, -np.diag(1 / LAG)
    step, push = held(A, np.vstack([np.zeros((n, m)), np.diag(1 / LAG)]), GRID)
    ticks, late, shown = (round(x / GRID) for x in (T, delay, seen))
    commands, readings = late // ticks + 1, max(shown // ticks + 1, 2)
    size = n + m + m * commands + 2 * m * readings
    x, *rest = np.split(np.eye(size), [n + m, n + m + m * commands])
    u, z = list(rest[0].reshape(commands, m, size)), list(rest[1].reshape(readings, 2 * m, size))  # latest first
    y = linear.C @ x[:n]
    part = 1 - np.exp(-2 * np.pi * bandwidth * T)
    z = [np.vstack([y, z[0][m:] + part * ((y - z[0][:m]) / T - z[0][m:])]), *z]
    told = z[-(-shown // ticks)]
    u = [-KP[:, None] * told[:m] - KD[:, None] * told[m:], *u]
    for i in range(ticks):
        x = step @ x + push @ u[next(j for j in range(len(u)) if late - j * ticks <= i)]
    return np.vstack([x, *u[:-1], *z[:-1]])


@pytest.mark.parametrize(
    ("delay", "seen", "bandwidth"), [(1.3e-3, 1.6e-3, 150.0), (0.0, 2e-3, 400.0), (4e-4, 0.0, 80.0)]
)
def test_a_loop_of_events_has_the_same_poles_and_margins(delay: float, seen: float, bandwidth: float) -> None:
    model, q, _ = plant()
    sensors = Encoders(delay=seen, bandwidth=bandwidth)
    law = laws.Sampled(laws.JointPD(KP, KD), T, delay, sensors=sensors, actuators=Lag(time=LAG.tolist()))
    loop = gough.control_loop(model, law, q)
    values = np.linalg.eigvals(period_matrix(delay, seen, bandwidth, np.ones(2)))
    poles = np.log(values[np.abs(values) > 1e-4].astype(complex)) / T
    assert loop.stable and poles.real.max() < 0
    found = loop.poles[np.isfinite(loop.poles)]
    off = np.abs(np.exp(found[:, None] * T) - np.exp(poles * T)).min(axis=0)
    assert off.max() < 1e-9
    for k in range(2):
        for side, factor in ((0.999, 1), (1.001, -1)):
            gains = np.ones(2)
            gains[k] = side * loop.gain_margin[k, 1]
            radius = np.abs(np.linalg.eigvals(period_matrix(delay, seen, bandwidth, gains))).max()
            assert (1 - radius) * factor > 0


def loop_gain(K: Array, A: Array, B: Array, at: Array) -> Array:
    return np.array([K @ np.linalg.solve(z * np.eye(len(A)) - A, B) for z in at])


def sums(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """∫ Eᵀ diag(Q, R) E dt over a period of forces that are held, by Gauss's rule."""
    n, m = B.shape
    whole, cost, total = np.zeros((n + m, n + m)), np.zeros((n + m, n + m)), np.zeros((n + m, n + m))
    whole[:n, :n], whole[:n, n:], cost[:n, :n], cost[n:, n:] = A, B, Q, R
    x, weights = np.polynomial.legendre.leggauss(8)
    for part in range(16):
        for t, w in zip(2 * T / 16 * (part + (x + 1) / 2), weights, strict=True):
            E = expm(whole * t)
            total += w * T / 16 * E.T @ cost @ E
    return total


def test_regulators_are_those_of_riccati() -> None:
    """In continuous time; forces held for 2 ms; with a filter from encoders, which commands by its estimate after a reading."""
    model, q, linear = plant()
    A, B, C = linear.A, linear.B, linear.C
    n, Q, R = len(A), C.T @ np.diag(ERROR**-2) @ C, np.diag(FORCE**-2)
    K = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
    law = laws.LQR(ERROR, FORCE, at=q)
    found = gough.control_loop(model, law, q).response(HZ)
    np.testing.assert_allclose(found, loop_gain(K, A, B, 2j * np.pi * HZ), rtol=1e-6, atol=1e-8)

    period, noise, force = 2 * T, np.array([1e-5, 2e-5]), np.array([3.0, 5.0])
    A, B = held(A, B, period)
    z, cost = np.exp(2j * np.pi * HZ * period), sums(linear.A, linear.B, Q, R)
    S, R = cost[:n, n:], cost[n:, n:]
    X = solve_discrete_are(A, B, cost[:n, :n], R, s=S)
    K = np.linalg.solve(R + B.T @ X @ B, B.T @ X @ A + S.T)
    found = gough.control_loop(model, laws.Sampled(law, period), q).response(HZ)
    np.testing.assert_allclose(found, loop_gain(K, A, B, z), rtol=1e-6, atol=1e-8)

    P = solve_discrete_are(A.T, C.T, B @ np.diag(force**2) @ B.T, np.diag(noise**2))
    L = P @ C.T @ np.linalg.inv(C @ P @ C.T + np.diag(noise**2))
    kept, true = np.eye(n) - L @ C, []
    for at in z:
        y = C @ np.linalg.solve(at * np.eye(n) - A, B)
        foreseen = np.linalg.solve(at * np.eye(n) - (A - B @ K) @ kept, (A - B @ K) @ L @ y)
        true.append(K @ (kept @ foreseen + L @ y))
    lqg = laws.LQG(ERROR, FORCE, noise, force, at=q)
    found = gough.control_loop(model, laws.Sampled(lqg, period, sensors=Encoders(noise=noise.tolist())), q)
    np.testing.assert_allclose(found.response(HZ), true, rtol=1e-5, atol=1e-6)
