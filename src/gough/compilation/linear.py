"""Linear models about a motion: ẋ = A x + B δτ, y = C x + D δτ.

x = (δ, δv): δ (nv) is the motion away from q (translation of the platform's origin, rotation vector in world axes), δv
the deviation of v. y = deviations of the drive coordinates and of the drive rates. Derivation: the residual
r(q, v, v̇, τ) = M v̇ + h - S τ - F vanishes, so M δv̇ = -∂r/∂q δ - ∂r/∂v δv + S δτ; and δφ̇ = δω + ω × δφ.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.tangent import tangent_derivative

if TYPE_CHECKING:
    from gough.compilation.model import Model


@dataclass(frozen=True)
class LinearModel:
    """A (..., 2nv, 2nv), B (..., 2nv, drives), C (..., 2 drives, 2nv), D (..., 2 drives, drives), names of x, u and y."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def linearize(model: "Model", q: Any, v: Any, tau: Any, wrench: Any, parameters: np.ndarray) -> LinearModel:
    """Linear model about q (..., nq), v, drive forces tau and a constant platform wrench (world axes)."""
    q, v, tau = (np.asarray(x, dtype=float) for x in (q, v, tau))
    vdot = model.forward_dynamics(q, v, tau, wrench, parameters=parameters).vdot
    F = tangent_derivative(model, "dynamics_residual", ("q", "v"))
    partial = F(q=q, v=v, acceleration=vdot, tau=tau, wrench=wrench, parameters=parameters).outputs
    M, S = model.mass_matrix(q, parameters=parameters), model.drive_map(q, parameters=parameters)
    batch = partial["residual_q"].shape[:-2]
    nv, drives = model.layout.nv, len(model.mechanism.drives)
    A, B = np.zeros((*batch, 2 * nv, 2 * nv)), np.zeros((*batch, 2 * nv, drives))
    w = np.broadcast_to(v[..., 3:6], (*batch, 3))
    A[..., 3, 4], A[..., 3, 5], A[..., 4, 5] = -w[..., 2], w[..., 1], -w[..., 0]
    A[..., 4, 3], A[..., 5, 3], A[..., 5, 4] = w[..., 2], -w[..., 1], w[..., 0]
    A[..., :nv, nv:] = np.eye(nv)
    M = np.broadcast_to(M, (*batch, nv, nv))
    A[..., nv:, :nv] = -np.linalg.solve(M, partial["residual_q"])
    A[..., nv:, nv:] = -np.linalg.solve(M, partial["residual_v"])
    B[..., nv:, :] = np.linalg.solve(M, np.broadcast_to(S, (*batch, nv, drives)))
    C = np.zeros((*batch, 2 * drives, 2 * nv))
    turned = np.swapaxes(S, -1, -2)
    C[..., :drives, :nv] = C[..., drives:, nv:] = turned
    bent = tangent_derivative(model, "drive_map", ("q",))(q=q, parameters=parameters).outputs["S_q"]
    C[..., drives:, :nv] = np.einsum("...ijk,...i->...jk", bent, v)
    names = model.layout.v_names
    labels = model.layout.drive_names
    return LinearModel(
        A,
        B,
        C,
        np.zeros((*batch, 2 * drives, drives)),
        ("dx", "dy", "dz", "phix", "phiy", "phiz", *names),
        labels,
        (*labels, *(f"d/dt {x}" for x in labels)),
    )
