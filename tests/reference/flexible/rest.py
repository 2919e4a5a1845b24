"""Small motions about rest, by differences of the reference's forces: equilibrium, growth, zeros of the inverse model.

At rest with drive forces tau the force along v that is missing, r = bias - S tau, is zero. Moved by d along v it is K d, and
with rates d it is C d: derivatives by differences of fourth order, in which the choice of coordinates has no say because r is
zero. Drives locked: motions with S^T d = 0. An output J d held still: its acceleration is zero with the drive forces that this
takes, M dd - S f = -(C d' + K d), J dd = 0, as an inverse model computes; what is left besides drifts of the output are zeros.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .lagrange import FlexibleReference

STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
"""Weights of a first derivative, good to the fourth order of the step."""
STEP = 1e-4
"""Of differences: m and rad of the platform, and of an elastic coordinate where it moves mass points by about that."""
DRIFT = 0.1
"""1/s: eigenvalues nearer to zero are the output's own drift, which is zero up to the root of rounding."""


class Still(NamedTuple):
    """At rest: configuration, drive forces (N), and M, C, K (nv, nv), S (nv, drives) of small motions about it."""

    q: np.ndarray
    tau: np.ndarray
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    S: np.ndarray


def elastic_of(reference: FlexibleReference, q: np.ndarray) -> np.ndarray:
    """Elastic coordinates of a configuration, body by body."""
    return np.concatenate([q[there] for there, _ in reference.layout.elastic.values()])


def moved(reference: FlexibleReference, q: np.ndarray, d: np.ndarray) -> np.ndarray:
    """q moved by d (nv,) along v, platform and elastic coordinates as far as d says, loops closed again."""
    return reference.assemble(reference.layout.retract(q, reference.tangent(q) @ d), fixed=["pose"])


def steps(reference: FlexibleReference) -> np.ndarray:
    """(nv,) of differences along v."""
    size = np.full(len(reference.velocities), STEP)
    shapes = [np.sqrt(np.mean(np.sum(data.shape**2, axis=1), axis=0)) for data in reference.tree.flexible.values()]
    size[reference.elastic] = STEP / np.concatenate(shapes)
    return size


def missing(reference: FlexibleReference, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """(nv,) bias at rest less what the drives give."""
    return reference.bias(q, np.zeros(len(reference.velocities))) - reference.drive_map(q) @ tau


def derivative(function: Any, step: float) -> np.ndarray:
    """Of function(x) at x = 0."""
    return np.sum([w * function(k * step) for k, w in STENCIL.items()], axis=0) / step


def stiffness(reference: FlexibleReference, q: np.ndarray, tau: np.ndarray, along: Any = None) -> np.ndarray:
    """K (nv, nv), or its columns `along`."""
    size, eye = steps(reference), np.eye(len(reference.velocities))
    chosen = range(len(eye)) if along is None else along
    return np.stack(
        [derivative(lambda s, k=k: missing(reference, moved(reference, q, s * eye[k]), tau), size[k]) for k in chosen],
        axis=1,
    )


def settle(reference: FlexibleReference, q: Any = None, tolerance: float = 1e-9) -> Still:
    """Equilibrium at the platform's pose in q (home): Newton steps of elastic coordinates and drive forces together.

    tolerance: what may be missing, of the largest force.
    """
    q = reference.home() if q is None else np.asarray(q, float)
    bent, tau = np.flatnonzero(reference.elastic), np.zeros(reference.n_drives)
    for _ in range(30):
        S, left = reference.drive_map(q), missing(reference, q, tau)
        if np.abs(left).max() <= tolerance * max(1.0, np.abs(tau).max()):
            break
        change = np.linalg.solve(np.hstack([stiffness(reference, q, tau, bent), -S]), -left)
        d = np.zeros(len(left))
        d[bent] = change[: len(bent)]
        q, tau = moved(reference, q, d), tau + change[len(bent) :]
    else:
        raise ValueError(f"{reference.robot.name}: no equilibrium found, {np.abs(left).max():.1e} N is missing")
    rates, eye = steps(reference), np.eye(len(reference.velocities))
    C = np.stack([derivative(lambda s, k=k: reference.bias(q, s * eye[k]), rates[k]) for k in range(len(eye))], axis=1)
    return Still(q, tau, reference.mass_matrix(q), C, stiffness(reference, q, tau), reference.drive_map(q))


def free_eigenvalues(still: Still) -> np.ndarray:
    """1/s, with the drive forces as they are."""
    return _eigenvalues(-np.linalg.solve(still.M, still.K), -np.linalg.solve(still.M, still.C))


def locked_eigenvalues(still: Still) -> np.ndarray:
    """1/s, with drives that do not move."""
    N = np.linalg.svd(still.S.T)[2][still.S.shape[1] :].T
    M, C, K = (N.T @ A @ N for A in (still.M, still.C, still.K))
    return _eigenvalues(-np.linalg.solve(M, K), -np.linalg.solve(M, C))


def zeros(still: Still, J: np.ndarray) -> np.ndarray:
    """1/s, with the output J d (as many rows as drives) held still by the drives."""
    n, k = still.S.shape
    answer = np.linalg.inv(np.block([[still.M, -still.S], [J, np.zeros((k, k))]]))[:n, :n]
    found = _eigenvalues(-answer @ still.K, -answer @ still.C)
    found = found[np.argsort(np.abs(found))]
    drift, rest = found[: 2 * k], found[2 * k :]
    if np.abs(drift).max() > DRIFT or np.abs(rest).min() < 10 * DRIFT:
        raise ValueError("zeros are not told apart from the output's drift")
    return rest


def output(reference: FlexibleReference, q: np.ndarray, frame: str | None = None) -> np.ndarray:
    """J (6, nv): the twist of a named frame, None the platform's, is J v."""
    return reference.frame_rows(q, np.zeros(reference.layout.nx), frame)[0] @ reference.tangent(q)


def _eigenvalues(of_place: np.ndarray, of_rate: np.ndarray) -> np.ndarray:
    n = len(of_place)
    return np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [of_place, of_rate]]))
