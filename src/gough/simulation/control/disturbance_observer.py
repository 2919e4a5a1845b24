"""Forces at the drives that nobody knows of, estimated from the motion they cause, and taken away.

    r = K (p - z),   ż = S τ + Ṁ v - h + r,   p = M v,   z = p at the start                                            (1)
is (De Luca and Mattone 2003) in independent velocities v: M v̇ + h = S τ + F gives ṙ = K (F - r), each of its own accord,
without accelerations. r is told as forces of the drives, S d = r, and taken off: τ = τ_law - d. z is the state of the law; on a
clock d is one, too, as it was at the last sample.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.dynamics.inverse import needed_force, share_among_drives
from gough.dynamics.projection import drive_columns
from gough.dynamics.velocity_terms.momentum import momentum, momentum_change
from gough.errors import UsageError
from gough.scalar import zeros
from gough.simulation.control.computed_torque import ComputedTorque
from gough.simulation.control.law import Action, Here, Inner, Law, Reports, Signals, as_numbers, demand_shape, entries
from gough.simulation.control.limits import Around
from gough.simulation.control.own_robot import believed_parameters, demand_own_model
from gough.simulation.coordinates import units_of

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
CHANNEL = "controller.disturbance"
OWN = ("stiffness", "damping")
CLOSED = 1e-8
"""Closure error, of the robot's size, of a state that needs no closing."""


@dataclass(frozen=True)
class DisturbanceObserver(Law):
    """Estimates what acts on the robot beside what its model knows, as forces of the drives, and takes it away.

    law: what else acts on the drives, any controller; or stiffness (1/s²) and damping (1/s) of computed torque in its place.
    bandwidth (Hz): of the estimate d, which follows a force F at the drives as ḋ = 2π bandwidth (F - d), for all freedoms or one
    each. compensate: False leaves the forces as the law has them. model: another one to compute with; nominal, limit: see `Law`;
    nominal and model may be those of the law inside, which has the same robot. limit is that of both together.

    d is in the channel `controller.disturbance` (N, N·m). It holds everything that the model does not: unknown friction, weight
    and load, wrenches on the platform as the drives feel them. Of flexible bodies it is what acts on the rigid freedoms, of all
    that bends as it is measured; a rigid model= of a robot that bends takes vibrations for disturbances. On a clock forces are
    taken to act as they were commanded: delays and actuators are disturbances, too.
    """

    law: Law | None = None
    bandwidth: float | Sequence[float] | np.ndarray | None = None
    stiffness: float | Sequence[float] | np.ndarray | None = None
    damping: float | Sequence[float] | np.ndarray | None = None
    compensate: bool = True
    model: "Model | None" = field(default=None, kw_only=True)
    name = "disturbance observer"
    dimensions: ClassVar = {"bandwidth": ("frequency",), "stiffness": ("rate squared",), "damping": ("rate",)}
    period: ClassVar[float | None] = None
    """Of the clock that samples it (s)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        own = [key for key in OWN if getattr(self, key) is not None]
        if self.law is None and len(own) < len(OWN):
            raise UsageError(f"{self.name}: give law=, or stiffness= (1/s²) and damping= (1/s) of computed torque")
        if self.law is not None:
            self._demand_law(self.law, own)
        if self.bandwidth is None:
            raise UsageError(f"{self.name}: give bandwidth= (Hz) of the estimate")
        found = as_numbers("bandwidth", self.bandwidth, 0.0)
        if not np.min(np.asarray(found, dtype=float)) > 0:
            raise UsageError(f"{self.name}: bandwidth={found!r}: must be above 0")
        object.__setattr__(self, "bandwidth", found)
        for key in own:
            object.__setattr__(self, key, as_numbers(key, getattr(self, key), 0.0))
        if not isinstance(self.compensate, bool):
            raise UsageError(f"compensate={self.compensate!r}; give True or False")
        demand_own_model(self.model)

    def _demand_law(self, law: Any, own: Sequence[str]) -> None:
        if not isinstance(law, Law):
            raise UsageError(f"{self.name}: law={law!r}: give a law of gough.laws")
        if own:
            raise UsageError(
                f"{self.name}: {own[0]}= is that of computed torque in the place of law=; give one or the other"
            )
        if law.prescribed or law.held or isinstance(law, DisturbanceObserver):
            outside = f"; give gough.laws.Sampled({type(self).__name__}(…), period)" if law.held else ""
            raise UsageError(f"{self.name}: {law.name} cannot be inside of it{outside}")
        for key, mine, its in zip(("nominal", "model"), (self.nominal, self.model), law.knows(), strict=True):
            if mine is not None and its is not None:
                raise UsageError(
                    f"{self.name}: {key}= is given here and to the law inside; they have one robot, give it once"
                )

    @property
    def inside(self) -> Law:
        """What else acts on the drives."""
        return self.law or ComputedTorque(self.stiffness, self.damping)

    @property
    def kinds(self) -> tuple[str, ...]:  # type: ignore[override]
        """See `Law`."""
        return self.inside.kinds

    @property
    def vibrates(self) -> bool:  # type: ignore[override]
        """See `Law`."""
        return self.inside.vibrates

    @property
    def known_form(self) -> Hashable | None:
        """See `Law`."""
        inside = self.inside.known_form
        return inside and (type(self), self.limit is None, self.compensate, self.period is None, inside)

    @property
    def drives_as(self) -> Any:
        """See `Law`."""
        return self.inside.drives_as

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        nominal, model = self.inside.knows()
        return nominal if self.nominal is None else self.nominal, model if self.model is None else self.model

    def error_gains(self, model: "Model") -> tuple[Vector, Vector]:
        """See `Law`."""
        return self.inside.error_gains(model)

    def own_poles(self, model: "Model") -> Vector:
        """See `Law`: of the estimate, and of the law inside."""
        gains = 2 * np.pi * entries("bandwidth", self.bandwidth, model.mobility, "freedoms")
        return np.concatenate([-gains, self.inside.own_poles(model)])

    def holds_floating(self, model: "Model", kind: str) -> bool:
        """See `Law`."""
        return self.inside.holds_floating(model, kind)

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: the law inside, too."""
        law = self.law if self.law is None else self.law.tune(model, period)
        if law is self.law and period is None:
            return self
        fastest = 2 * np.pi * float(np.max(np.asarray(self.bandwidth, dtype=float)))
        if period is not None and not fastest * period < 1.0:
            raise UsageError(
                f"{self.name}: an estimate of {fastest / (2 * np.pi):g} Hz does not settle on a clock of {period:g} s; give "
                f"less than {1 / (2 * np.pi * period):.4g} Hz, or a shorter period"
            )
        nominal, own = self.knows()
        made = replace(self, law=law, nominal=None, model=None) if law is not self.law else replace(self)
        for key, x in (("nominal", nominal), ("model", own), ("period", period)):
            object.__setattr__(made, key, x)
        return made

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return self.inside.reference(model, motion, parameters)

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        self._demand_units(model)
        if not model.driven:
            raise UsageError(
                f"{self.name}: {model.robot.name} has fewer drives than freedoms: what acts on it is no force of its drives"
            )
        self.inside.check(model, motion)

    def own_settings(self, model: "Model") -> Vector:
        """K (1/s) of all freedoms; on a clock 1/period."""
        gains = 2 * np.pi * entries("bandwidth", self.bandwidth, model.mobility, "freedoms")
        return gains if self.period is None else np.append(gains, 1.0 / self.period)

    def settings(self, model: "Model", own: "Model | None" = None) -> Vector:
        """See `Law`: those of the law inside before the limits."""
        limits = np.zeros(0) if self.limit is None else self.limits(model)
        return np.concatenate([self.own_settings(own or model), self.inside.settings(model, own), limits])

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """States of the law inside, z of equation (1), on a clock the estimate."""
        before, layout, n = self.inside.inner(model, q, v), model.layout, model.mobility
        M = _mass_matrix(model, np.asarray(q, dtype=float), believed_parameters(model, self.knows()[0]))[:n]
        lengths = [model.size if unit == "m/s" else 1.0 for unit in layout.v_units[:n]]
        names, units, drives = layout.v_names[:n], units_of(model).v[:n], layout.drive_names
        kinds = {"m/s": "kg m/s", "rad/s": "kg m2/s"}
        told = () if self.period is None else drives
        gains = 2 * np.pi * np.min(np.asarray(self.bandwidth, dtype=float))
        sizes = np.maximum(np.diag(M) * lengths, 1e-9)
        return Inner(
            (*before.names, *(f"momentum.{x}" for x in names), *(f"disturbance.{x}" for x in told)),
            (*before.units, *(kinds.get(x, "SI") for x in units), *layout.drive_units[: len(told)]),
            np.concatenate([before.first, M @ np.asarray(v, dtype=float), np.zeros(len(told))]),
            np.concatenate([before.sizes, sizes, np.full(len(told), gains * float(np.max(sizes)))]),
        )

    def signals(self, model: "Model", names: Sequence[str], units: Sequence[str]) -> Signals:
        """See `Law`."""
        told = [k for k, name in enumerate(names) if name.startswith("disturbance.")]
        rest = [k for k in range(len(names)) if k not in told]
        columns = tuple(f"controller.{name}" for name in names)
        parts = {"controller.states": rest, CHANNEL: told}
        return {
            key: (places, tuple(units[k] for k in places), tuple(columns[k] for k in places))
            for key, places in parts.items()
            if places
        }

    def reports(self, model: "Model") -> Reports:
        """See `Law`."""
        if self.period is not None:
            return {}
        return {CHANNEL: (model.layout.drive_units, tuple(f"{CHANNEL}.{x}" for x in model.layout.drive_names))}

    def report(self, here: Here) -> dict[str, Vector]:
        """See `Law`."""
        return {CHANNEL: self._estimate(here)[1]}

    def _states(self, here: Here) -> int:
        """How many states the law inside has."""
        own = here.own.model
        return len(self.inside.inner(own, own.home, np.zeros(own.layout.nv)).names)

    def _estimate(self, here: Here) -> tuple[Vector, Vector]:
        """r (mobility,), d (drives,)."""
        n, first = here.model.mobility, self._states(here)
        p = momentum(here.numbers, here.q, here.v)[:n]
        r = here.settings[:n] * (p - here.inner[first : first + n])
        return r, share_among_drives(here.numbers, drive_columns(here.loops)[:n], r)

    def _around(self, here: Here, d: Vector) -> Around:
        """What limits make of the forces of the law inside: d takes away what disturbs, to that law it is nothing."""
        limit = None if self.limit is None else lambda tau: self.limited(here, tau)
        whole = here.around.inside(-d if self.compensate else None, limit)
        if whole.act is None:
            return here.around
        return Around(here.around.beside, lambda tau: whole.acting(tau) + (d if self.compensate else 0.0))

    def act(self, here: Here) -> Action:
        """See `Law`: equation (1)."""
        n, first, begin = here.model.mobility, self._states(here), len(self.own_settings(here.own.model))
        size = len(self.inside.settings(here.measured.model, here.own.model))
        r, d = self._estimate(here)
        settings = here.settings[begin : begin + size]
        view = replace(here, inner=here.inner[:first], settings=settings, around=self._around(here, d))
        action = self.inside.act(view)
        wanted = demand_shape(self.inside, "forces", action.tau, here.model.layout.drive_names, "drive")
        tau = self.limited(here, wanted - d if self.compensate else wanted)
        S, still = drive_columns(here.loops)[:n], zeros(here.model.layout.nv)
        known = momentum_change(here.numbers, here.q, here.v) - needed_force(here.loops, here.v, still)
        rates = [action.rates, S @ here.around.acting(tau) + known[:n] + r]
        if self.period is not None:
            rates.append((d - here.inner[first + n :]) * here.settings[n])
        return Action(tau, np.concatenate(rates))

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        told = {"bandwidth": self.bandwidth, "compensate": self.compensate, "of": self.inside.describe()}
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})


def _mass_matrix(model: "Model", q: Vector, numbers: Vector) -> Vector:
    """M (nv, nv) where the robot that runs begins: loops of another geometry are closed first, where they can be."""
    if not float(model.closure_error(q, numbers)) < CLOSED:
        closed = model.project(q, numbers, on_bad_state="mark")
        q = closed if np.isfinite(closed).all() else q
    return model.function("mass_matrix").values(q=q, parameters=numbers)["M"]
