"""The robot at rest with its tool in place, and its zeros there: what grows, what dies out, and what does neither.

ż̇ = f_z δz + f_ż δż about rest has the zeros of the linearised robot as eigenvalues. Invariant subspaces come from ordered real
Schur forms: rows Lᵀ that see only what dies out, or only what grows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.inversion._servo import ServoConstraint
from gough.simulation.motion.paths import Sample

Array = np.ndarray
ITERATIONS, SETTLED = 40, 1e-12
LARGEST = 0.3
"""Largest step of a deformation on the way to rest, in typical sizes."""
STILL = 1e-6
"""A zero this small beside the largest is one at 0."""
HARDLY = 1e-4
"""Distance of a zero from the axis, of its modulus, at which to go on is no advice."""
MOST_TIMES = 100
"""More damping than so many times as much is no advice, either."""


@dataclass(frozen=True, eq=False)
class ServoRest:
    """q (nq,), tau (drives,), internal coordinates z (k,) where the output stands; A (2k, 2k) of x = (z, ż) in typical
    sizes, x: all of it there. shift (size, k): of the tool by z in typical sizes while drives stand still (m; angles times
    the size)."""

    q: Array
    tau: Array
    inner: Array
    A: Array
    x: Array
    shift: Array

    @property
    def zeros(self) -> Array:
        """All 2k eigenvalues (1/s), complex."""
        return np.linalg.eigvals(self.A)

    def rows(self, growing: bool) -> Array:
        """Orthonormal rows (a, 2k) that see what grows alone, or what dies out alone."""
        from scipy import linalg

        found: Any = linalg.schur(self.A.T, sort="rhp" if growing else "lhp")
        return found[1][:, : found[2]].T

    def tool_parts(self, x: Array) -> tuple[Array, Array]:
        """(eigenvalues (2k,), how far each one's part of the deviation x (2k,) from here moves the tool (m))."""
        values, vectors = np.linalg.eig(self.A)
        parts = np.linalg.lstsq(vectors, (x - self.x).astype(complex), rcond=1e-13)[0]
        moved = np.abs(self.shift @ vectors[: len(self.inner)]).max(axis=0)
        return values, np.abs(parts) * moved


def rest_at(servo: ServoConstraint, wanted: Sample, near: Array, inner: Array, rate: float) -> ServoRest:
    """The robot at rest where the output stands as wanted (1, …), from near (nq,) and internal coordinates (k,). rate (1/s):
    what internal rates are measured by, beside their sizes."""
    k, units = servo.size, servo.units
    z, q = inner[None].copy(), near[None]
    still = Sample(wanted.position, 0 * wanted.velocity, 0 * wanted.acceleration)
    for _ in range(ITERATIONS):
        found = servo.states(z, np.zeros((1, k)), still, q)
        if not np.isfinite(found.inner).all():
            break
        slopes = servo.slopes(found)[0]
        stiffness = slopes[:, :k] * units / units[:, None]
        step = np.linalg.lstsq(stiffness, -found.inner[0] / units, rcond=1e-14)[0]
        most = np.abs(step).max(initial=0.0)
        z = z + units * step / max(most / LARGEST, 1.0)
        q = found.q
        if most < SETTLED:
            A = np.zeros((2 * k, 2 * k))
            A[:k, k:] = rate * np.eye(k)
            A[k:, :k], A[k:, k:] = stiffness / rate, slopes[:, k:] * units / units[:, None]
            x = np.concatenate([z[0] / units, np.zeros(k)])
            return ServoRest(found.q[0], found.tau[0], z[0], A, x, servo.tool_shift(found.q[0]) * units)
    raise UsageError(
        f"stable_inversion: {servo.model.robot.name} finds no rest with its tool where the motion is at its ends; see "
        "gough.static_equilibrium and gough.check_motion"
    )


def refuse_near_axis(servo: ServoConstraint, zeros: Array, margin: float, where: str) -> None:
    """UsageError that names the zero nearest to the imaginary axis, where one is within `margin` of its modulus."""
    size = np.abs(zeros)
    share = np.where(size > STILL * size.max(), np.abs(np.real(zeros)) / np.maximum(size, 1e-300), 0.0)
    k = int(share.argmin())
    if share[k] >= margin:
        return
    z, name = zeros[k], servo.model.robot.name
    if size[k] <= STILL * size.max():
        told, cure = "0 1/s", "something moves freely while the tool stands still: give it a spring, or fix it"
    else:
        told = f"{np.real(z):+.4g} ± {abs(np.imag(z)):.4g}i 1/s ({size[k] / (2 * np.pi):.4g} Hz)"
        cure = (
            f"give what swings there more damping{_times(margin / max(share[k], 1e-300))} (`damping` of flexible bodies "
            "and springs in the description, or the numbers of another design, parameters=: docs/stable_inversion.md shows it), "
            "name another frame, or leave the vibration at rest by gough.motions.shape"
        )
        if share[k] > HARDLY:
            cure += f"; margin={0.9 * share[k]:.1g} goes on all the same, with long pre- and post-actuation"
    raise UsageError(
        f"stable_inversion: {name} has a zero {told} {where}, {100 * share[k]:.2g} % of its modulus from the "
        f"imaginary axis, where "
        f"{100 * margin:g} % are asked for: what dies out and what grows hardly differ there; {cure}"
    )


def _times(times: float) -> str:
    """That so many times as much will do; "" where that is no number to go by."""
    return f", about {times:.2g} times as much" if times < MOST_TIMES else ""


def one_of_each_pair(zeros: Array) -> Array:
    """Zeros (k,), slowest first, of every complex pair the one above the real axis."""
    kept = zeros[np.imag(zeros) >= 0]
    return kept[np.argsort(np.abs(kept))]
