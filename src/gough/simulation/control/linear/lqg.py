"""Feedback of an estimated state: the linear-quadratic regulator at a pose, and the steady Kalman filter from drive encoders.

    x̂ = x̄ + L (y - y₀ - C x̄),   τ = τ₀ - K (x̂ - x_ref) cut off at the limits,   x̄' = A_d x̂ + B_d (τ - τ₀)              (1)
on the samples of a clock; A_d, B_d hold forces for a period exactly. The state of the law is x̄, told as `estimate`.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.errors import UsageError
from gough.scalar import product, zeros
from gough.simulation.control.law import Action, Here, Inner, Law, as_numbers, entries
from gough.simulation.control.linear.design import design_point, hardly_seen, model_and_numbers, observer_gain
from gough.simulation.control.linear.lqr import KINDS, cost_gain, demand_costs, reference_of
from gough.simulation.control.own_robot import demand_own_model
from gough.simulation.control.reference import drives_of

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
KEYS = ("error", "force", "state_cost", "force_cost", "gain", "at", "noise", "disturbance")


@dataclass(frozen=True, eq=False)
class TunedLQG:
    """For one robot and period (s). parts: arrays by name, which are inputs of the compiled loop in this order."""

    parts: dict[str, Vector]
    period: float
    names: tuple[str, ...]
    units: tuple[str, ...]
    sizes: Vector
    back: Vector
    hardly_seen: tuple[str, ...]


@dataclass(frozen=True)
class LQG(Law):
    """Linear-quadratic regulator about rest at a pose with a steady Kalman filter from the drives' encoders; on a clock:
    `gough.laws.Sampled(LQG(…), period)`.

    error, force, state_cost, force_cost, gain, at: as for `LQR`. noise (m, rad): standard deviation of a reading of a drive;
    disturbance (N, N·m): of unknown forces at the drives, another one every period; one for all drives or one each. Their ratio
    decides how fast estimates follow readings. Elastic coordinates are estimated with the rest; modes that the drives hardly
    show are named in what a run keeps about its controller. model: another one to compute with; nominal, limit: see `Law`.
    """

    error: float | Sequence[float] | np.ndarray | None = None
    force: float | Sequence[float] | np.ndarray | None = None
    noise: float | Sequence[float] | np.ndarray | None = None
    disturbance: float | Sequence[float] | np.ndarray | None = None
    state_cost: Any = field(default=None, kw_only=True)
    force_cost: Any = field(default=None, kw_only=True)
    gain: Any = field(default=None, kw_only=True)
    at: Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    model: "Model | None" = field(default=None, kw_only=True)
    name = "LQG"
    observes = True
    kinds = KINDS
    dimensions: ClassVar = {
        "error": ("length", "angle"),
        "force": ("force", "torque"),
        "noise": ("length", "angle"),
        "disturbance": ("force", "torque"),
    }
    tuned: ClassVar[TunedLQG | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        demand_costs(self)
        for key, what in (("noise", "m, rad"), ("disturbance", "N, N m")):
            if getattr(self, key) is None:
                raise UsageError(f"{self.name}: give {key}=, a standard deviation ({what}) of the drives")
            x = as_numbers(key, getattr(self, key), 0.0)
            if not np.min(np.asarray(x, dtype=float)) > 0:
                raise UsageError(f"{self.name}: {key}={x!r}: must be above 0")
            object.__setattr__(self, key, x)
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
        if self.tuned is None:
            raise UsageError(
                f"{self.name} runs on a clock: give gough.laws.Sampled({self.name}(…), period), and method='rk4', 'dp5' or 'bs3'"
            )

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: gain and filter for this robot and clock."""
        if period is None:
            return self
        own, numbers = model_and_numbers(model, *reversed(self.knows()))
        point, n = design_point(self.name, own, numbers, self.at), len(own.mechanism.drives)
        K = cost_gain(self, own, point, period)
        noise, forces = (entries(key, getattr(self, key), n, "drives") for key in ("noise", "disturbance"))
        held, linear = point.linear.discrete(period), point.linear
        L, back = observer_gain(self.name, point, period, forces, noise), point.T[:, :n]
        parts = {"tau": linear.tau, "drives": point.drives, "K": K, "L": L, "A": held.A, "B": held.B, "C": linear.C}
        parts["back"] = back
        names = tuple(f"estimate.{name}" for name in linear.states)
        made = replace(self)
        low = hardly_seen(point, period, L)
        found = TunedLQG(parts, period, names, linear.state_units, point.sizes, back, low)
        object.__setattr__(made, "tuned", found)
        return made

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return drives_of(model, motion, parameters)

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        moved = tuple("rad" if unit == "N m" else "m" for unit in model.layout.drive_units)
        forces = model.layout.drive_units
        own = {"error": moved, "force": forces, "noise": moved, "disturbance": forces}
        return super().measured_in(model) | own

    def own_settings(self, model: "Model") -> Vector:
        """1/period, and all matrices of equation (1)."""
        if self.tuned is None:
            return np.zeros(0)
        return np.concatenate([[1.0 / self.tuned.period], *(x.ravel() for x in self.tuned.parts.values())])

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """The estimate, which begins at rest where the drives are."""
        found = self.tuned
        if found is None:
            return Inner()
        moved = np.asarray(q, dtype=float)[model.drive_index] - found.parts["drives"]
        first = np.concatenate([found.back @ moved, np.zeros(len(found.names) - len(found.back))])
        return Inner(found.names, found.units, first, found.sizes)

    def act(self, here: Here) -> Action:
        """See `Law`: equation (1), as the rates that a clock makes steps of."""
        assert self.tuned is not None
        given, at = here.settings, 1
        parts: dict[str, Vector] = {}
        for key, x in self.tuned.parts.items():
            parts[key] = given[at : at + x.size].reshape(x.shape)
            at += x.size
        foreseen, n = here.inner, len(parts["tau"])
        missed = here.measured.drives - parts["drives"] - product(parts["C"], foreseen)
        estimate = foreseen + product(parts["L"], missed)
        wanted, rates = reference_of(here, parts["drives"])
        back = parts["back"]
        led = np.concatenate([product(back, wanted - parts["drives"]), product(back, rates + zeros(n))])
        tau = self.limited(here, parts["tau"] - product(parts["K"], estimate - led))
        after = product(parts["A"], estimate) + product(parts["B"], here.around.acting(tau) - parts["tau"])
        return Action(tau, (after - foreseen) * given[0])

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it: modes that the drives hardly show, too."""
        told = {key: getattr(self, key) for key in KEYS if getattr(self, key) is not None}
        if self.tuned is not None:
            told["hardly_seen"] = self.tuned.hardly_seen
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})
