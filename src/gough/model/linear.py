"""Linear models about a motion: ẋ = A x + B δτ, y = C x + D δτ.

x = (δ, δv): δ (nv) is the motion away from q along v (translation of the platform's origin, rotation vector in world axes,
joint coordinates), δv the deviation of v. y = deviations of the drive coordinates and of the drive rates. Derivation: the
residual r(q, v, v̇, τ) = M v̇ + h - S τ - F vanishes, so M δv̇ = -∂r/∂q δ - ∂r/∂v δv + S δτ. With q̇ = N v and δq = N δ,
N δ̇ = N δv + D(N v)[N δ] - D(N δ)[N v]: the last two are the bracket of the motions, ω × δφ for rotations, 0 for coordinates.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, number, numbers
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
    """ẋ = A x + B u, y = C x + D u; with a period (s), x' = A x + B u from sample to sample.

    A (..., n, n), B (..., n, inputs), C (..., outputs, n), D (..., outputs, inputs); names and SI units of x, u and y, "SI" of
    amplitudes. x, u and y are deviations from q (..., nq), v (..., nv) and the drive forces tau (..., drives).
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    state_units: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    period: float | None = None

    @property
    def poles(self) -> np.ndarray:
        """Eigenvalues (..., n) of A, complex: 1/s, or, with a period, factors from sample to sample."""
        return np.linalg.eigvals(self.A)

    @checked(period=number(above=0))
    def discrete(self, period: float) -> "LinearModel":
        """The same from sample to sample, u held between them, without any approximation; period (s).

        [A_d B_d; 0 1] = exp([A B; 0 0] period). Outputs are those at the samples.
        """
        if self.period is not None:
            raise UsageError(
                f"discrete: this model is one from sample to sample already, of a period of {self.period:g} s"
            )
        from scipy import linalg

        n, inputs = self.B.shape[-2:]
        whole = np.zeros((*self.A.shape[:-2], n + inputs, n + inputs))
        whole[..., :n, :n], whole[..., :n, n:] = self.A, self.B
        with np.errstate(over="ignore", invalid="ignore"):
            held = linalg.expm(whole * period)
        if not np.isfinite(held).all():
            raise UsageError(
                f"discrete: within {period:g} s what is unstable grows beyond all numbers; give a shorter period"
            )
        return replace(self, A=held[..., :n, :n], B=held[..., :n, n:], period=float(period))

    @checked(hz=numbers)
    def response(self, hz: Any) -> np.ndarray:
        """Frequency response (..., k, outputs, inputs), complex, at frequencies (k,) in Hz; A of many states as well."""
        jw = 2j * np.pi * np.atleast_1d(np.asarray(hz, dtype=float))
        if jw.ndim != 1 or not np.isfinite(jw).all():
            raise UsageError(f"response: give finite frequencies (k,) in Hz, not an array of shape {np.shape(hz)}")
        at = jw if self.period is None else np.exp(jw * self.period)
        A, B, C, D = (x[..., None, :, :] for x in (self.A, self.B, self.C, self.D))
        try:
            return C @ np.linalg.solve(at[:, None, None] * np.eye(A.shape[-1]) - A, B + 0j) + D
        except np.linalg.LinAlgError:
            raise UsageError(
                "response: one of these frequencies is a pole of the model, where its response has no bound (0 Hz of a robot "
                "that drifts freely, say); leave it out"
            ) from None

    def to_control(self) -> Any:
        """A `control.StateSpace` of python-control, with the same names and period; of one state. Dots become _."""
        if self.A.ndim != 2:
            raise UsageError(
                f"to_control: python-control has systems of one state, this model has a batch {self.A.shape[:-2]} of them"
            )
        try:
            import control  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise UsageError('to_control needs python-control: install it with  pip install "gough[control]"') from None
        names = {
            key: [name.replace(".", "_") for name in getattr(self, key)] for key in ("states", "inputs", "outputs")
        }
        return control.ss(self.A, self.B, self.C, self.D, 0 if self.period is None else self.period, **names)

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
    layout, names, labels = model.layout, model.layout.v_names, model.layout.drive_names
    moved = tuple(unit.removesuffix("/s") for unit in layout.v_units)
    turned_by = tuple("rad" if unit == "N m" else "m" for unit in layout.drive_units)
    return LinearModel(
        A,
        B,
        C,
        np.zeros((*batch, 2 * drives, drives)),
        (*(DISPLACEMENT.get(n, f"d{n}") for n in names), *names),
        labels,
        (*labels, *(f"d/dt {x}" for x in labels)),
        (*moved, *layout.v_units),
        layout.drive_units,
        (*turned_by, *(f"{unit}/s" for unit in turned_by)),
        q,
        v,
        tau,
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
