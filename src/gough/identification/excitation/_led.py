"""The closed robot along coordinates y(t) that lead it, with derivatives.

y are the drives, or coordinates of the platform (x y z yaw pitch roll, those that are its freedoms). All that equations read
follows from them: q closes the loops at y, and with s(q, v) the rates of y and p(q, v, v̇) their accelerations

    s(q, v) = A(q) v = ẏ,    p(q, v, v̇) = A(q) v̇ + b(q, v) = ÿ.

Derivatives   motions of the closed robot have as many directions θ as v has entries (implicit function through the loops):
    A δθ = δy,   A δv = δẏ - s_θ δθ,   A δv̇ = δÿ - p_θ δθ - p_v δv.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.numbers import Numbers
from gough.dynamics.rates import joint_motion
from gough.errors import UsageError
from gough.kinematics.leading import COORDINATES, OF_TWIST, led_by_platform
from gough.model.functions import slots_of
from gough.model.tangent import tangent_derivation
from gough.program import trace
from gough.scalar import sqrt
from gough.spatial import rotation_from_quaternion_wxyz
from gough.spatial.euler import coordinates_of
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

SPACES = ("drives", "platform")
ANGLES = COORDINATES[3:]


@dataclass(frozen=True, eq=False)
class LedStates:
    """The robot at samples (n,) of y. q (n, nq), v, vdot (n, nv): NaN where it cannot be assembled; good (n,)."""

    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    good: np.ndarray

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class LedDerivatives:
    """Jacobians of all `columns` (k) of a space at states (n,): rates_q, rates_v, accelerations_q, accelerations_v (n, k, nv);
    how states follow y, ẏ and ÿ: theta_y, v_y, a_y, a_yd (n, nv, m); v by ẏ and v̇ by ÿ are as θ by y."""

    rates_q: np.ndarray
    rates_v: np.ndarray
    accelerations_q: np.ndarray
    accelerations_v: np.ndarray
    theta_y: np.ndarray
    v_y: np.ndarray
    a_y: np.ndarray
    a_yd: np.ndarray

    def pull(self, theta: Any, v: Any = None, a: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gradients (..., n, m) by y, ẏ and ÿ from those by θ, v and v̇ (..., n, nv); None is 0."""

        def by(weights: Any, matrix: np.ndarray) -> np.ndarray:
            return 0.0 if weights is None else np.einsum("...ni,nim->...nm", weights, matrix)  # type: ignore[return-value]

        nothing = np.zeros(np.shape(theta)[:-1] + self.theta_y.shape[-1:])
        y = nothing + by(theta, self.theta_y) + by(v, self.v_y) + by(a, self.a_y)
        return y, nothing + by(v, self.theta_y) + by(a, self.a_yd), nothing + by(a, self.theta_y)


class LeadingSpace:
    """What leads a model: kind "drives" or "joints", names (m) and units of y, home (m,): y at home.

    columns: names of everything whose rates and accelerations are known, y first: entries of u, and yaw pitch roll.
    """

    def __init__(self, model: "Model", space: str, more: Sequence[str] = ()) -> None:
        self.model, self.space = model, space
        self.kind, self.names = ("drives", model.layout.drive_names) if space == "drives" else ("joints", _own(model))
        if len(self.names) != model.mobility:
            remedy = "space='platform'" if space == "drives" else "space='drives'"
            raise UsageError(
                f"excitation: {model.robot.name} has {len(self.names)} {_WORDS[space]} for {model.mobility} freedoms, which do "
                f"not lead it; use {remedy}"
            )
        known = rate_names(model)
        self.columns = tuple(dict.fromkeys([*self.names, *more]))
        self.units = tuple(known[name][1] for name in self.names)
        self.home = self.positions(model.home[None])[0, : len(self.names)]

    @cached_property
    def _motion(self) -> Function:
        """q, v, vdot to "rates" and "accelerations" (k) of the columns."""
        model = self.model
        places = [rate_names(model)[name][0] for name in self.columns]

        def equations(parameters: Any, q: Any, v: Any, vdot: Any) -> dict[str, Any]:
            found = joint_motion(Numbers(model.mechanism, parameters), q, v, vdot)
            u, ud = found["u"], found["ud"]
            if model.mechanism.has_platform:
                rates, accelerations = _angle_motion(q, u[3:6], ud[3:6])
                u, ud = np.concatenate([u, rates]), np.concatenate([ud, accelerations])
            return {"rates": u[places], "accelerations": ud[places]}

        slots = slots_of(model.mechanism, ("q", "v", "vdot"))
        program = trace(equations, slots, f"{model.mechanism.name} leading", {"parameters": model.pattern})
        return Function(model.order_solves(program), model.mechanism.table, model.pattern, precision=model.precision)

    @cached_property
    def _jacobian(self) -> Function:
        model, f = self.model, self._motion
        program = tangent_derivation(model, f.program, ("q", "v")).jacobian()
        return Function(program, model.mechanism.table, model.pattern, precision=model.precision)

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Coordinates (n, k) of the columns at q (n, nq); NaN for those that have none."""
        known, out = rate_names(self.model), np.full((len(q), len(self.columns)), np.nan)
        pose = coordinates_of(q, "rpy_zyx") if self.model.mechanism.has_platform else None
        for k, name in enumerate(self.columns):
            place = known[name][2]
            out[:, k] = pose[:, COORDINATES.index(name)] if name in COORDINATES and pose is not None else q[:, place]
        return out

    def rates(self, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rates, accelerations) (n, k) of the columns."""
        found = self._motion.values(q=q, v=v, vdot=vdot, parameters=self.model.parameters)
        return found["rates"], found["accelerations"]

    def states(self, y: np.ndarray, yd: np.ndarray, ydd: np.ndarray, near: np.ndarray | None = None) -> LedStates:
        """The robot at y, ẏ, ÿ (n, m), assembled from `near` (n, nq) or home."""
        model, m = self.model, len(self.names)
        asked: Any = (
            {"drives": y} if self.kind == "drives" else {"coordinates": dict(zip(self.names, y.T, strict=True))}
        )
        q = model.assemble(**asked, near=near, on_bad_state="mark").q
        v, vdot = np.full((2, len(q), model.layout.nv), np.nan)
        good = np.asarray(np.isfinite(q).all(axis=1))
        here, still = q[good], np.zeros((int(good.sum()), model.layout.nv))
        if len(here):
            found = self._jacobian.values(q=here, v=still, vdot=still, parameters=model.parameters)
            A = found["rates_v"][:, :m]
            inverse = _inverse(A)
            v[good] = np.einsum("nij,nj->ni", inverse, yd[good])
            bias = self.rates(here, v[good], still)[1][:, :m]
            vdot[good] = np.einsum("nij,nj->ni", inverse, ydd[good] - bias)
        moving = np.asarray(np.isfinite(v).all(axis=1) & np.isfinite(vdot).all(axis=1))
        return LedStates(q, v, vdot, good & moving)

    def derivatives(self, states: LedStates) -> LedDerivatives:
        """Derivatives at good states."""
        m = len(self.names)
        found = self._jacobian.values(q=states.q, v=states.v, vdot=states.vdot, parameters=self.model.parameters)
        s_q, s_v, p_q, p_v = (found[n] for n in ("rates_q", "rates_v", "accelerations_q", "accelerations_v"))
        inverse = _inverse(s_v[:, :m])
        v_y = -inverse @ s_q[:, :m] @ inverse
        a_y = -inverse @ (p_q[:, :m] @ inverse + p_v[:, :m] @ v_y)
        a_yd = -inverse @ p_v[:, :m] @ inverse
        return LedDerivatives(s_q, s_v, p_q, p_v, inverse, v_y, a_y, a_yd)


_WORDS = {"drives": "drives", "platform": "coordinates of its platform"}


def rate_names(model: "Model") -> dict[str, tuple[int, str, int]]:
    """{name: (entry of u, and of yaw pitch roll after it, unit, entry of q)} of all scalar coordinates."""
    layout = model.layout
    scalar = [link for link in model.mechanism.links if link.nu == 1]
    out = {layout.q_names[link.q]: (link.u, layout.q_units[link.q], link.q) for link in scalar}
    if model.mechanism.has_platform:
        out |= {name: (k, "m", k) for k, name in enumerate(COORDINATES[:3])}
        out |= {name: (layout.nu + k, "rad", -1) for k, name in enumerate(ANGLES)}
    return out


def _own(model: "Model") -> tuple[str, ...]:
    """The coordinates of the platform that are its freedoms, by the names of v."""
    if not model.mechanism.has_platform:
        raise UsageError(f"excitation: {model.robot.name} has no platform; use space='drives'")
    layout = led_by_platform(model).layout
    found = {OF_TWIST[name] for name in layout.v_names[: layout.mobility] if name in OF_TWIST}
    return tuple(name for name in COORDINATES if name in found)


def _inverse(a: np.ndarray) -> np.ndarray:
    """Of matrices (n, m, m); NaN where there is none."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        out = np.full_like(a, np.nan)
        good = np.isfinite(a).all(axis=(1, 2)) & (np.abs(np.linalg.det(np.nan_to_num(a))) > 0.0)
        out[good] = np.linalg.inv(a[good])
        return out


def _angle_motion(q: Any, w: Any, wd: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rates and accelerations (3,) of yaw ψ, pitch θ, roll φ, R = Rz(ψ) Ry(θ) Rx(φ), from ω and ω̇ in world axes.

    ω = ψ̇ z + θ̇ y' + φ̇ x'' with y' = (-sin ψ, cos ψ, 0), x'' = (cos ψ cos θ, sin ψ cos θ, -sin θ).
    """
    R = rotation_from_quaternion_wxyz(q[3:7])
    cosine = sqrt(R[0, 0] * R[0, 0] + R[1, 0] * R[1, 0])
    c, s, tangent = R[0, 0] / cosine, R[1, 0] / cosine, -R[2, 0] / cosine
    along = c * w[0] + s * w[1]  # φ̇ cos θ
    across = c * w[1] - s * w[0]  # θ̇
    roll = along / cosine
    yaw = w[2] + tangent * along
    along_rate = c * wd[0] + s * wd[1] + yaw * across
    across_rate = c * wd[1] - s * wd[0] - yaw * along
    roll_rate = along_rate / cosine + roll * tangent * across
    yaw_rate = wd[2] + tangent * along_rate + (1.0 + tangent * tangent) * across * along
    return np.array([yaw, across, roll], dtype=object), np.array([yaw_rate, across_rate, roll_rate], dtype=object)
