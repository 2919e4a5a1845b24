"""Fitting smooth pieces of a motion by polynomials.

On a piece [t0, t0 + h] the channels' second derivatives are interpolated at N Chebyshev points u of (0, 1), t = t0 + h u:
c̈ = Σ a_k u^k, and integrated with the position and velocity at t0: c = c0 + ċ0 τ + Σ a_k h² u^(k+2) / ((k+1)(k+2)). So
accelerations are as good as the interpolation, and positions better. Powers of u are no good basis for slowly falling
Chebyshev coefficients, but a piece that meets the tolerances has quickly falling ones.
"""

import numpy as np
from numpy.polynomial import chebyshev

from gough.errors import UsageError
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import horner
from gough.simulation.motion.table import (
    ACCELERATION_ERROR,
    LARGEST,
    POSITION_ERROR,
    MotionTable,
    acceleration_size,
    differences,
    groups_of,
    position_size,
)
from gough.spatial.charts import (
    CONJUGATE,
    from_rotation_vector,
    rotation_vector_rates,
)
from gough.spatial.poses import quaternion_product, rotation_vector

POINTS = 10
"""Chebyshev points a piece: polynomials have degree POINTS + 1."""
CHECKS = (np.arange(2 * POINTS + 1) + 0.5) / (2 * POINTS + 1)
"""Where the fit of a piece is checked, in parts of it."""
MOST_PIECES = 5000
"""Most pieces for one of the motion; and ten times that many on top."""
AT_ONCE = 2000
"""Pieces fitted in one go, for the sake of memory."""
NOISE = 1e4
"""Errors of less than this many tolerances that quarters of a piece have too are the motion's own rounding."""


def _interpolation() -> tuple[np.ndarray, np.ndarray]:
    """(points (N,) in (0, 1), matrix (N, N) from values there to coefficients of powers of u)."""
    k = np.arange(POINTS)
    x = np.cos(np.pi * (k + 0.5) / POINTS)
    to_chebyshev = 2.0 / POINTS * np.cos(np.outer(k, np.arccos(x)))
    to_chebyshev[0] *= 0.5
    powers = np.zeros((POINTS, POINTS))
    for n in k:  # T_n(2u - 1): whole numbers, exact
        shifted = np.polynomial.Polynomial(chebyshev.cheb2poly(np.eye(POINTS)[n]))(
            np.polynomial.Polynomial([-1.0, 2.0])
        )
        powers[: n + 1, n] = np.round(shifted.coef[: n + 1])
    return 0.5 * (x + 1.0), powers @ to_chebyshev


NODES, TO_POWERS = _interpolation()


def fitted(motion: Motion) -> MotionTable:
    """The motion fitted; all pieces that are still too long are halved at once."""
    groups = groups_of(motion.kind, motion.units)
    sizes = [(position_size(motion, g), acceleration_size(motion, g)) for g in groups]
    a, b = motion.breaks[:-1].copy(), motion.breaks[1:].copy()
    most = MOST_PIECES * (len(a) + 10)
    before = np.full((len(a), 2), np.inf)  # errors of the pieces that these are quarters and halves of
    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    count = 0
    while len(a):
        chunks = [slice(k, k + AT_ONCE) for k in range(0, len(a), AT_ONCE)]
        done = [_pieces(motion, a[c], b[c], groups, sizes) for c in chunks]
        rows, bases, error = (np.concatenate(part) for part in zip(*done, strict=True))
        good = (error <= 1.0) | ((before[:, 0] < NOISE) & (error > 0.5 * before[:, 0]))
        kept.append((a[good], rows[good], bases[good]))
        a, b, before = a[~good], b[~good], np.stack([before[:, 1], error], axis=1)[~good]
        count += int(good.sum())
        if count + len(a) > most or (b - a < 1e-9 * motion.duration).any():
            raise UsageError(
                f"the motion is too rough to tabulate near {a[np.argmin(b - a)]:.6g} s; name its kinks, smooth it, or take it in "
                f"parts"
            )
        middle = 0.5 * (a + b)
        a, b = np.stack([a, middle], axis=1).ravel(), np.stack([middle, b], axis=1).ravel()
        before = np.repeat(before, 2, axis=0)
    starts = np.concatenate([s for s, _, _ in kept])
    order = np.argsort(starts)
    rows, bases = (np.concatenate([k[i] for k in kept])[order] for i in (1, 2))
    return MotionTable.of(motion, np.append(starts[order], motion.duration), rows, bases)


def _pieces(motion: Motion, a: np.ndarray, b: np.ndarray, groups, sizes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(coefficients (k, channels, POINTS + 2), bases (k, 4 or 0), errors (k,) in tolerances) on [a, b] (k,).

    A piece that turns too far for its rotation vector has an infinite error.
    """
    n, h = len(a), (b - a)[:, None]
    x0, v0, _ = motion._at(a, False)
    x, v, acceleration = motion._at((a[:, None] + h * NODES).ravel(), False)
    far = np.zeros(n, dtype=bool)
    bases = np.zeros((n, 0))
    if motion.kind == "pose":
        bases = x0[:, 3:]
        phi = _turns(x, np.repeat(bases, POINTS, axis=0))
        # with room for what lies between the points
        far = np.linalg.norm(phi, axis=1).reshape(n, POINTS).max(axis=1) > 0.9 * LARGEST
        second = rotation_vector_rates(phi, v[:, 3:], acceleration[:, 3:])[1]
        acceleration = np.concatenate([acceleration[:, :3], second], axis=1)
        x0 = np.concatenate([x0[:, :3], np.zeros((n, 3))], axis=1)  # at φ = 0 the rate is the angular velocity
    values = acceleration.reshape(n, POINTS, -1)
    k = np.arange(POINTS)
    tail = np.einsum("pk,nkc->ncp", TO_POWERS, values) / ((k + 1) * (k + 2)) / h[:, :, None] ** k
    rows = np.concatenate([x0[:, :, None], v0[:, :, None], tail], axis=2)
    return rows, bases, np.where(far, np.inf, _errors(motion, a, h, rows, bases, groups, sizes))


def _errors(
    motion: Motion, a: np.ndarray, h: np.ndarray, rows: np.ndarray, bases: np.ndarray, groups, sizes
) -> np.ndarray:
    """Largest error (k,) of each piece between its points, in halves of the tolerances."""
    many = len(CHECKS)
    tau = (h * CHECKS).ravel()
    x, _, acceleration = motion._at(np.repeat(a, many) + tau, False)
    ours, first, second = horner(np.repeat(rows, many, axis=0), tau)
    if motion.kind == "pose":
        q, _, wd = from_rotation_vector(ours[:, 3:], first[:, 3:], second[:, 3:])
        ours = np.concatenate([ours[:, :3], quaternion_product(q, np.repeat(bases, many, axis=0))], axis=1)
        second = np.concatenate([second[:, :3], wd], axis=1)
    off, rough = np.abs(differences(motion.kind, x, ours)), np.abs(second - acceleration)
    found = [off[:, g].max(axis=1) / (0.5 * POSITION_ERROR * far) for g, (far, _) in zip(groups, sizes, strict=True)]
    found += [
        rough[:, g].max(axis=1) / (0.5 * ACCELERATION_ERROR * fast) for g, (_, fast) in zip(groups, sizes, strict=True)
    ]
    return np.max(found, axis=0).reshape(len(a), many).max(axis=1)


def _turns(x: np.ndarray, bases: np.ndarray) -> np.ndarray:
    return rotation_vector(quaternion_product(x[:, 3:], bases * CONJUGATE))
