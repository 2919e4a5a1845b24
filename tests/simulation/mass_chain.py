"""A chain of masses on springs and its filter in plain NumPy and SciPy: what observers in the time loop are compared with."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import expm, solve_discrete_are

import gough
from laws.subjects import built

M = (1.0, 0.5, 0.4)
K = (200.0, 300.0)
D = (0.4, 0.3)
TEXT = """
format: 1
name: three_masses
gravity: [0, 0, 0]
bodies:
  - {name: first, mass: 1, inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}}
  - {name: second, mass: 0.5, inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}}
  - {name: third, mass: 0.4, inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}}
joints:
  - {name: drive, type: prismatic, axis: [1, 0, 0], parent: world, child: first, drive: {}}
  - {name: near, type: prismatic, axis: [1, 0, 0], parent: first, child: second, spring: {stiffness: 200, damping: 0.4}}
  - {name: far, type: prismatic, axis: [1, 0, 0], parent: second, child: third, spring: {stiffness: 300, damping: 0.3}}
home: {joints: {drive: 0, near: 0, far: 0}}
"""


@cache
def chain() -> gough.Model:
    return built(gough.robot.loads(TEXT))


def continuous() -> tuple[np.ndarray, np.ndarray]:
    """(A, B) of x = (drive, near, far, their rates), from places of the masses x1, x1 + near, x1 + near + far."""
    T = np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 1]])  # places of masses by coordinates
    mass = T.T @ np.diag(M) @ T
    A, B = np.zeros((6, 6)), np.zeros((6, 1))
    A[:3, 3:] = np.eye(3)
    A[3:, :3] = -np.linalg.solve(mass, np.diag([0.0, *K]))
    A[3:, 3:] = -np.linalg.solve(mass, np.diag([0.0, *D]))
    B[3:, 0] = np.linalg.solve(mass, [1.0, 0, 0])
    return A, B


def held(A: np.ndarray, B: np.ndarray, T: float) -> tuple[np.ndarray, np.ndarray]:
    """Exact, with what comes in held."""
    n, m = B.shape
    found = expm(np.block([[A, B], [np.zeros((m, n + m))]]) * T)
    return found[:n, :n], found[:n, n:]


def stepped(A: np.ndarray, B: np.ndarray, h: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The same by steps of the classical Runge–Kutta method: four terms of the series."""
    whole = np.zeros((len(A) + B.shape[1],) * 2)
    whole[: len(A), : len(A)], whole[: len(A), len(A) :] = A * h, B * h
    one, term = np.eye(len(whole)), np.eye(len(whole))
    for k in range(1, 5):
        term = term @ whole / k
        one = one + term
    found = np.linalg.matrix_power(one, count)
    return found[: len(A), : len(A)], found[: len(A), len(A) :]


def readings(T: float, frame: bool) -> tuple[np.ndarray, np.ndarray]:
    """(C (m, n), V) of s = (x, velocity of the third mass at the sample before): the drive's place, and where there is an
    accelerometer on the third mass its mean acceleration."""
    C = np.zeros((1, 7 if frame else 6))
    C[0, 0] = 1.0
    V = np.array([[0.0, 0, 0, 1, 1, 1]])
    if frame:
        C = np.concatenate([C, np.concatenate([V / T, [[-1.0 / T]]], axis=1)])
    return C, V


def steady_gain(
    T: float, noise: list[float], force: float, accelerations: np.ndarray, frame: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(L (6, m), P (6, 6) after a reading) by SciPy's Riccati equation."""
    A, B = continuous()
    push = np.concatenate([B * force, np.concatenate([np.zeros((3, 3)), np.diag(accelerations)])], axis=1)
    Ad, G = held(A, push, T)
    C, V = readings(T, frame)
    n = C.shape[1]
    Phi, Q, R = np.zeros((n, n)), np.zeros((n, n)), np.diag(np.square(noise))
    Phi[:6, :6], Q[:6, :6] = Ad, G @ G.T
    if frame:
        Phi[6:, :6] = V
    P = np.asarray(solve_discrete_are(Phi.T, C.T, Q, R))
    L = P @ C.T @ np.linalg.inv(C @ P @ C.T + R)
    after = (np.eye(n) - L @ C) @ P
    return L[:6], after[:6, :6]


def filtered(L: np.ndarray, T: float, h: float, y: np.ndarray, tau: Any, first: np.ndarray, frame: bool) -> np.ndarray:
    """Estimates (k, 6) after each of the readings y (k, m); tau(k): [(duration s, force N), …] from the sample k on."""
    A, B = continuous()
    x, before, out = first.copy(), None, []
    for k, reading in enumerate(y):
        v = x[3:].sum()
        seen = [x[0]] + ([0.0 if before is None else (v - before) / T] if frame else [])
        x = x + L @ (reading - np.array(seen))
        before = x[3:].sum()
        out.append(x.copy())
        for duration, force in tau(k):
            Ad, Bd = stepped(A, B, h, round(duration / h))
            x = Ad @ x + Bd[:, 0] * force
    return np.array(out)
