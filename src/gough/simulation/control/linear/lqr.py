"""Feedback of the whole state by a matrix: the linear-quadratic regulator of the exact linear model at a pose, or a gain given.

τ = τ₀ - K (x - x_ref),   x = (δ, δv) along v from the rest at the pose, of drives and elastic coordinates          (1)
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arguments import floats
from gough.errors import UsageError
from gough.scalar import product
from gough.simulation.control.law import Here, Law, as_numbers, entries
from gough.simulation.control.linear.design import DesignPoint, design_point, model_and_numbers, regulator_gain
from gough.simulation.control.own_robot import demand_own_model
from gough.simulation.control.reference import drives_of
from gough.simulation.control.sensed import Sensed
from gough.simulation.coordinates import plain_rates

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
KINDS = ("", "drives", "pose", "joints", "point")
"""Of motions; "" is none: the pose is held."""
WAYS = "give error= and force=, state_cost= and force_cost=, or gain="


@dataclass(frozen=True)
class LQR(Law):
    """Linear-quadratic regulator about rest at a pose: it holds the pose, or follows a motion near it.

    error (m, rad), force (N, N·m): of the drives, one for all or one each, what is as bad as each other: ∫ Σ (y/error)² +
    Σ (δτ/force)² dt is least. Or state_cost (2nv, 2nv) and force_cost (drives, drives), of x as `gough.linear_model` names it,
    each a matrix or its diagonal; or gain (drives, 2nv) itself, as python-control finds it. at (nq,): the pose, default home.
    Sampled, it is the regulator of forces that are held for the period. model: another one to compute with; nominal, limit: see
    `Law`.
    """

    error: float | Sequence[float] | np.ndarray | None = None
    force: float | Sequence[float] | np.ndarray | None = None
    state_cost: Any = field(default=None, kw_only=True)
    force_cost: Any = field(default=None, kw_only=True)
    gain: Any = field(default=None, kw_only=True)
    at: Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    model: "Model | None" = field(default=None, kw_only=True)
    name = "LQR"
    kinds = KINDS
    dimensions: ClassVar = {"error": ("length", "angle"), "force": ("force", "torque")}
    tuned: ClassVar[Vector | None] = None
    """Its numbers for a robot, as `own_settings` gives them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        demand_costs(self)
        demand_own_model(self.model)

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.nominal, self.model

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return ()

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        if not model.mechanism.drives:
            raise UsageError(f"{self.name}: {model.robot.name} has no drives")

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: the gain for this robot."""
        own, numbers = model_and_numbers(model, *reversed(self.knows()))
        point = design_point(self.name, own, numbers, self.at)
        made = replace(self)
        K = cost_gain(self, own, point, period)
        found = np.concatenate([point.linear.tau, point.drives, point.rest, (K @ point.of_measured).ravel()])
        object.__setattr__(made, "tuned", found)
        return made

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return drives_of(model, motion, parameters)

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        moved = tuple("rad" if unit == "N m" else "m" for unit in model.layout.drive_units)
        return super().measured_in(model) | {"error": moved, "force": model.layout.drive_units}

    def own_settings(self, model: "Model") -> Vector:
        """Forces and drives at the pose, what else is measured there, and the gain of all that and its rates."""
        if self.tuned is None:
            return self.tune(model).own_settings(model)
        return self.tuned

    def forces(self, here: Here) -> Vector:
        """tau (drives,): equation (1)."""
        layout, seen = here.model.layout, here.measured
        n, m = len(layout.drive_names), layout.nv - layout.mobility
        if m and isinstance(seen, Sensed):
            raise UsageError(
                f"{self.name}: encoders do not show {', '.join(layout.v_names[layout.mobility :][:3])} of "
                f"{here.model.robot.name}; gough.laws.LQG estimates them"
            )
        held, at, rest = here.settings[:n], here.settings[n : 2 * n], here.settings[2 * n : 2 * n + m]
        K = here.settings[2 * n + m : 2 * n + m + n * 2 * (n + m)].reshape(n, -1)
        places = places_of_others(here.model)
        wanted, rates = reference_of(here, at)
        away = [seen.drives - wanted, np.array([here.q[place] for place, _ in places], dtype=object) - rest]
        away += [seen.drive_rates - rates, np.array([here.v[k] for _, k in places], dtype=object)]
        return held - product(K, np.concatenate(away))

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        keys = ("error", "force", "state_cost", "force_cost", "gain", "at")
        told = {key: getattr(self, key) for key in keys if getattr(self, key) is not None}
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})


def places_of_others(model: "Model") -> list[tuple[int, int]]:
    """(place in q, entry of v) of elastic and idle coordinates."""
    places = {entry: place for place, entry in plain_rates(model.mechanism)}
    return [(places[k], k) for k in range(model.mobility, model.layout.nv)]


def reference_of(here: Here, at: Vector) -> tuple[Vector, Vector]:
    """(positions, rates) (drives,) that are wanted: of the motion, or of the pose held."""
    if not here.now.kind:
        return at, 0.0 * at
    return here.now.position, here.now.velocity


def demand_costs(law: Any) -> None:
    """Arguments of a design as numbers; UsageError where they say it in no way, or in several."""
    pairs = {"error": law.error, "force": law.force}, {"state_cost": law.state_cost, "force_cost": law.force_cost}
    given = [pair for pair in (*pairs, {"gain": law.gain}) if any(x is not None for x in pair.values())]
    if len(given) != 1 or any(x is None for x in given[0].values()):
        told = ", ".join(f"{key}=" for pair in given for key, x in pair.items() if x is not None) or "nothing"
        raise UsageError(f"{law.name}: {told} is given; {WAYS}")
    for key, x in given[0].items():
        if key in ("error", "force"):
            x = as_numbers(key, x, 0.0)
            if not np.min(np.asarray(x, dtype=float)) > 0:
                raise UsageError(f"{law.name}: {key}={x!r}: must be above 0")
        else:
            x = _plain(_finite(law.name, key, x))
        object.__setattr__(law, key, x)
    if law.at is not None:
        object.__setattr__(law, "at", _plain(_finite(law.name, "at", law.at)))


def _finite(name: str, key: str, given: Any) -> Vector:
    """Numbers; UsageError where one is NaN or endless."""
    x = floats(key, given)
    bad = np.argwhere(~np.isfinite(x))
    if len(bad):
        entry = "".join(f"[{k}]" for k in bad[0])
        raise UsageError(f"{name}: {key}{entry} is {x[tuple(bad[0])]}; give finite numbers")
    return x


def _plain(x: Vector) -> Any:
    """Lists and numbers as tuples and floats."""
    return tuple(_plain(row) for row in x) if x.ndim else float(x)


def cost_gain(law: Any, model: "Model", point: DesignPoint, period: float | None) -> Vector:
    """K (drives, 2nv) that the law's costs, or its gain, are at a point."""
    linear, n = point.linear, len(point.drives)
    states = linear.A.shape[0]
    if law.gain is not None:
        K = np.asarray(law.gain, dtype=float)
        if K.shape != (n, states):
            raise UsageError(
                f"{law.name}: gain has shape {K.shape}; give ({n}, {states}), a row each drive, a column each of "
                f"{', '.join(linear.states[:4])} …"
            )
        return K
    if law.error is not None:
        error, force = (entries(key, getattr(law, key), n, "drives") for key in ("error", "force"))
        Q, R = (linear.C.T / error**2) @ linear.C, np.diag(1.0 / force**2)
    else:
        Q, R = _cost(law.name, "state_cost", law.state_cost, states), _cost(law.name, "force_cost", law.force_cost, n)
        if not np.linalg.eigvalsh(R)[0] > 0:
            raise UsageError(f"{law.name}: force_cost is not positive definite; every force must cost something")
    return regulator_gain(law.name, point, Q, R, period)


def _cost(name: str, key: str, given: Any, size: int) -> Vector:
    """A matrix (size, size) from itself, its diagonal or one number; symmetric, not negative."""
    x = np.asarray(given, dtype=float)
    if x.shape in ((), (size,)):
        x = np.diag(np.broadcast_to(x, (size,)))
    if x.shape != (size, size):
        raise UsageError(f"{name}: {key} has shape {x.shape}; give ({size}, {size}), or its diagonal ({size},)")
    largest = np.abs(x).max(initial=0.0)
    if np.abs(x - x.T).max(initial=0.0) > 1e-9 * largest:
        raise UsageError(f"{name}: {key} is not symmetric")
    if np.linalg.eigvalsh(x)[0] < -1e-9 * largest:
        raise UsageError(
            f"{name}: {key} is negative in some direction (least eigenvalue {np.linalg.eigvalsh(x)[0]:.3g})"
        )
    return x
