"""Linear models about a motion: ẋ = A x + B δτ, y = C x + D δτ.

x = (δ, δv): δ (nv) is the motion away from q along v (translation of the platform's origin, rotation vector in world axes,
joint coordinates), δv the deviation of v. y = deviations of the drive coordinates and of the drive rates. Derivation: the
residual r(q, v, v̇, τ) = M v̇ + h - S τ - F vanishes, so M δv̇ = -∂r/∂q δ - ∂r/∂v δv + S δτ. With q̇ = N v and δq = N δ,
N δ̇ = N δv + D(N v)[N δ] - D(N δ)[N v]: the last two are the bracket of the motions, ω × δφ for rotations, 0 for coordinates.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.arrays import as_array, common_batch
from gough.errors import FrictionWarning, UsageError, warn
from gough.model.calls import explain_states, finish
from gough.model.external import Wrench, external_load, residual_slope
from gough.model.tangent import tangent_derivative
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model.model import Model


FRICTION = ("smoothed", "viscous")
MATTERS = 0.01
"""Slope of Coulomb friction, of all other damping, that is worth a word."""
DISPLACEMENT = {"vx": "dx", "vy": "dy", "vz": "dz", "wx": "phix", "wy": "phiy", "wz": "phiz"}


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

    __repr__ = short_repr


def without_coulomb(model: "Model", parameters: np.ndarray) -> np.ndarray:
    """The design (..., n) with viscous friction only."""
    found = np.array(parameters)
    found[..., model.mechanism.table.of_kind("coulomb")] = 0.0
    return found


def linearize(
    model: "Model", q: Any, v: Any, tau: Any, given: Wrench, parameters: np.ndarray, friction: str = "smoothed"
) -> LinearModel:
    """Linear model about q (..., nq), v, drive forces tau and constant wrenches from outside.

    friction: "smoothed": with the slope that Coulomb friction has at v as it is smoothed, which around rest is that of a
    very strong damper; "viscous": Coulomb forces stay as they are at v. A FrictionWarning says where it makes a difference.
    """
    if friction not in FRICTION:
        raise UsageError(f"friction={friction!r}; use one of {', '.join(FRICTION)}")
    q, v = as_array("q", q, model.layout.nq), as_array("v", v, model.layout.nv)
    tau = as_array("tau", tau, len(model.mechanism.drives))
    load = external_load(model, q, given, parameters)
    common_batch("linearize", q, v, tau, parameters)
    moving = model.function("forward_dynamics")(q=q, v=v, tau=tau, **load, parameters=parameters)
    finish("linearize", moving, None, "raise", explain_states(model, q, moving.batch, parameters), marks=False)
    vdot = moving.outputs["vdot"]
    F = tangent_derivative(model, "dynamics_residual", ("q", "v"))
    state = {"q": q, "v": v, "vdot": vdot, "tau": tau, **load}
    partial = dict(F(**state, parameters=parameters).outputs)
    partial["residual_q"] = partial["residual_q"] + residual_slope(model, q, given, parameters, state)
    partial["residual_v"] = _damping(model, F, state, parameters, partial["residual_v"], friction)
    M, S = model.mass_matrix(q, parameters=parameters), model.drive_map(q, parameters=parameters)
    batch = partial["residual_q"].shape[:-2]
    nv, drives = model.layout.nv, len(model.mechanism.drives)
    A, B = np.zeros((*batch, 2 * nv, 2 * nv)), np.zeros((*batch, 2 * nv, drives))
    A[..., :nv, :nv] = _bracket(model, q, v, batch, parameters)
    A[..., :nv, nv:] = np.eye(nv)
    M = np.broadcast_to(M, (*batch, nv, nv)).copy()
    idle = list(model.mechanism.selection.without_inertia)
    M[..., idle, idle] = 1.0  # these velocities stay as they are: no force acts on them
    partial["residual_q"][..., idle, :] = partial["residual_v"][..., idle, :] = 0.0
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
        (*(DISPLACEMENT.get(n, f"d{n}") for n in names), *names),
        labels,
        (*labels, *(f"d/dt {x}" for x in labels)),
    )


def _damping(
    model: "Model", F: Any, state: dict[str, Any], parameters: np.ndarray, whole: np.ndarray, friction: str
) -> np.ndarray:
    """∂r/∂v (..., nv, nv) with or without the slope of Coulomb friction."""
    plain = without_coulomb(model, parameters)
    if (plain == parameters).all():
        return whole
    viscous = F(**state, parameters=plain).outputs["residual_v"]
    if friction == "viscous":
        return viscous
    slope = float(np.abs(whole - viscous).max(initial=0.0))
    if slope > MATTERS * float(np.abs(viscous).max(initial=0.0)):
        warn(
            f"linearize: {model.robot.name}: the slope of smoothed Coulomb friction at this v damps by up to {slope:.4g} "
            f"(N s/m, N m s/rad), {np.abs(viscous).max(initial=0.0):.4g} without it; friction='viscous' leaves it out",
            FrictionWarning,
        )
    return whole


def _bracket(
    model: "Model", q: np.ndarray, v: np.ndarray, batch: tuple[int, ...], parameters: np.ndarray
) -> np.ndarray:
    """B (..., nv, nv) with N B δ = D(N v)[N δ] - D(N δ)[N v]."""
    nv = model.layout.nv
    if model.mechanism.leads_from_platform:
        B = np.zeros((*batch, 6, 6))
        w = np.broadcast_to(v[..., 3:6], (*batch, 3))
        B[..., 3, 4], B[..., 3, 5], B[..., 4, 5] = -w[..., 2], w[..., 1], -w[..., 0]
        B[..., 4, 3], B[..., 5, 3], B[..., 5, 4] = w[..., 2], -w[..., 1], w[..., 0]
        return B
    columns = model.mechanism.selection.independent
    turning = any(c in columns for link in model.mechanism.links if link.is_ball for c in link.columns)
    if not turning and not any(n in ("wx", "wy", "wz") for n in model.layout.v_names):
        return np.zeros((*batch, nv, nv))  # v are rates of coordinates
    bend = tangent_derivative(model, "configuration_rate", ("q",))
    rate = model.function("configuration_rate")
    numbers = parameters[..., None, :] if parameters.ndim > 1 else parameters
    x, e = q[..., None, :], np.eye(nv)
    N = np.swapaxes(rate(q=x, v=e, parameters=numbers).outputs["qdot"], -1, -2)
    along = bend(q=q, v=v, parameters=parameters).outputs["qdot_q"]  # D(N v)[N e_j], columns j
    across = np.einsum("...jqk,...k->...qj", bend(q=x, v=e, parameters=numbers).outputs["qdot_q"], v)
    return np.broadcast_to(np.linalg.pinv(N) @ (along - across), (*batch, nv, nv))
