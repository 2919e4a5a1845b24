"""Small robots whose vibrations are known from elsewhere, and independent finite elements of a cantilever."""

import functools
from typing import Any

import numpy as np

import gough
from gough.robot import loads

LENGTH, HEIGHT, WIDTH, DENSITY = 0.5, 0.005, 0.03, 2700.0


@functools.cache
def cross(first: float = 1000.0, second: float = 1000.0) -> gough.Model:
    """2 kg on two crossed slides with springs and dampers; the first slide has no mass of its own."""
    return gough.build(
        loads(
            f"""
format: 1
name: cross
bodies:
  - {{name: slide, mass: 0}}
  - {{name: head, mass: 2.0, frames: {{eye: {{position: [0, 0, 0]}}}}}}
joints:
  - {{name: x, type: prismatic, parent: world, child: slide, axis: [1, 0, 0], spring: {{stiffness: {first}, damping: 2}}}}
  - {{name: y, type: prismatic, parent: slide, child: head, axis: [0, 1, 0], spring: {{stiffness: {second}, damping: 2}}}}
velocities: [x, y]
"""
        )
    )


@functools.cache
def arm(elements: int = 3, damping: str = "rayleigh: {alpha: 0.5, beta: 1e-5}") -> gough.Model:
    """A cantilever in a plane with a mass at its tip."""
    return gough.build(
        loads(
            f"""
format: 1
name: arm
bodies:
  - name: rod
    flexible:
      beam:
        length: {LENGTH}
        section: {{rectangle: {{y: {HEIGHT}, z: {WIDTH}}}}}
        material: {{E: 70 GPa, nu: 0.33, density: {DENSITY}}}
        plane: true
        elements: {elements}
      modes: {{kind: nodal}}
      damping: {{{damping}}}
    frames: {{tip: {{position: [{LENGTH}, 0, 0]}}}}
  - {{name: head, mass: 0.2}}
joints:
  - {{name: wall, type: fixed, parent: world, child: rod}}
  - {{name: end, type: fixed, parent: rod, child: head, pose: {{position: [{LENGTH}, 0, 0]}}}}
"""
        )
    )


def cantilever(E, density, mass, elements, alpha: Any = 0, beta: Any = 0, scalar: Any = float):
    """(M, C, K) of Hermite and rod elements along x, y, rz of nodes 1 … n, and a tip mass; any scalar type."""
    zero = scalar(0)
    size = 3 * (elements + 1)
    M = [[zero] * size for _ in range(size)]
    K = [[zero] * size for _ in range(size)]
    h = scalar(LENGTH) / elements
    area, inertia = scalar(HEIGHT) * scalar(WIDTH), scalar(WIDTH) * scalar(HEIGHT) ** 3 / 12
    k, m = E * inertia / h**3, density * area * h / 420
    bend = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2]]
    bend += [[-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]
    swing = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2]]
    swing += [[54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]
    for e in range(elements):
        across, along = [3 * e + 1, 3 * e + 2, 3 * e + 4, 3 * e + 5], [3 * e, 3 * e + 3]
        for a, i in enumerate(across):
            for b, j in enumerate(across):
                K[i][j] += k * bend[a][b]
                M[i][j] += m * swing[a][b]
        for a, i in enumerate(along):
            for b, j in enumerate(along):
                K[i][j] += E * area / h * (1 if a == b else -1)
                M[i][j] += density * area * h / 6 * (2 if a == b else 1)
    C = [[alpha * x + beta * y for x, y in zip(*rows, strict=True)] for rows in zip(M, K, strict=True)]
    M[-3][-3] += mass
    M[-2][-2] += mass
    return tuple([row[3:] for row in A[3:]] for A in (M, C, K))


def decay(M, C, K, start, step: float, count: int) -> np.ndarray:
    """Displacements (count, n) of the released system by the exponential of its matrix."""
    from scipy.linalg import expm

    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    once = expm(A * step)
    x, out = np.concatenate([start, np.zeros(n)]), np.zeros((count, n))
    for i in range(count):
        out[i], x = x[:n], once @ x
    return out
