"""Passivity-based tracking: forces that make a motion's error a dissipated energy, whatever the gains.

With the rates v_r = v_ref + Λ e that would lead the error e away, s = v_r - v, and C(q, v) with Ṁ = C + Cᵀ (`coriolis_force`),
    S τ = M v̇_r + C v_r + (weight, friction, springs at v) + S K Sᵀ s                                                (1)
(Slotine and Li 1987). M ṡ + C s + S K Sᵀ s = 0, so that V = ½ sᵀ M s falls by V̇ = -sᵀ S K Sᵀ s, exactly.
Adaptive  of parameters π in which (1) is linear, Y = ∂(S τ)/∂π:  π̂' = Γ Yᵀ s. Then ½ sᵀ M s + ½ Σ (π̂ - π)²/γ falls by the same.
Drives    of which v are no rates: with y = Sᵀ v their rates, v_r = S⁻ᵀ y_r and v̇_r = S⁻ᵀ (ẏ_r - Ṡᵀ v_r).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arguments import is_number
from gough.dynamics.inverse import needed_force, share_among_drives
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.regrouping import regroup_inertia
from gough.dynamics.velocity_terms.coriolis import coriolis_force, rates_along
from gough.errors import Site, Status, UsageError
from gough.frozen import FrozenDict
from gough.scalar import dot, solve, zeros
from gough.scalar.dual import as_dual, slopes_of
from gough.simulation.control._servo_gains import tuned_gains, wanted_bandwidth
from gough.simulation.control.law import Action, Here, Inner, Law, as_numbers, entries
from gough.simulation.control.own_robot import believed_parameters, demand_own_model
from gough.simulation.control.reference import in_drive_order, of_platform
from gough.simulation.coordinates import drive_of_entries
from gough.spatial import cross
from gough.spatial.exponential import rotation_error

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
GAINS = ("rate", "damping")


@dataclass(frozen=True)
class PassivityBased(Law):
    """Passivity-based tracking (Slotine and Li 1987), for motions of kind "pose" and "drives" of rigid robots.

    rate (1/s): Λ, with which errors vanish where s = 0; one for all freedoms or one each. damping (N·s/m, N·m·s/rad): K at the
    drives, against s as they feel it; one for all or one each. Or bandwidth (Hz): Λ = 2π bandwidth, K = Λ times the mass that
    each drive feels at home. adapt: {parameter: γ}, parameters in which forces are linear (masses, first moments, inertias,
    rotors, friction) that the law learns while it runs, from its own numbers on; γ (unit of the parameter squared, over J)
    is how fast. What it has learnt is in `controller.states`; it is the true number only where the motion tells it. nominal,
    model, limit: see `Law`; forces at a limit dissipate nothing for sure, and what is learnt then may be wrong.
    """

    rate: float | Sequence[float] | np.ndarray | None = None
    damping: float | Sequence[float] | np.ndarray | None = None
    bandwidth: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    adapt: Mapping[str, float] | None = field(default=None, kw_only=True)
    model: "Model | None" = field(default=None, kw_only=True)
    name = "passivity-based"
    kinds = ("pose", "drives")
    dimensions: ClassVar = {"rate": ("rate",), "damping": ("damping", "angular damping"), "bandwidth": ("frequency",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        given = {key: getattr(self, key) for key in GAINS}
        bandwidth, _ = wanted_bandwidth(self.name, self.bandwidth, None, given)
        object.__setattr__(self, "bandwidth", bandwidth)
        for key in GAINS if bandwidth is None else ():
            found = as_numbers(key, given[key], 0.0)
            if not np.min(np.asarray(found, dtype=float)) > 0:
                raise UsageError(f"{self.name}: {key}={found!r}: must be above 0")
            object.__setattr__(self, key, found)
        if self.adapt is not None:
            object.__setattr__(self, "adapt", _plain_gains(self.adapt))
        demand_own_model(self.model)

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.nominal, self.model

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return tuple(self.adapt or ())

    @property
    def drives_as(self) -> Any:
        """See `Law`."""
        if self.damping is None or not isinstance(self.rate, float):
            return "free"
        return {"stiffness": np.asarray(self.damping, dtype=float) * self.rate, "damping": self.damping}

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: gains by bandwidths."""
        if self.rate is not None:
            return self
        made, rates = replace(self), 2 * np.pi * np.asarray(self.bandwidth, dtype=float)
        damping = tuned_gains(model, self.model, self.nominal, [rates])[0]
        found = {"rate": float(rates) if rates.ndim == 0 else tuple(map(float, rates)), "damping": damping}
        for key, x in found.items():
            object.__setattr__(made, key, x)
        return made

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        mechanism, name, layout = model.mechanism, model.robot.name, model.layout
        if not model.driven:
            raise UsageError(f"{self.name}: {name} has fewer drives than freedoms: they cannot give all forces")
        if layout.nv > model.mobility:
            loose = ", ".join(layout.v_names[model.mobility :][:4])
            raise UsageError(
                f"{self.name}: nothing drives {loose} of {name}, whose motion it cannot prescribe; give model= of bodies that do "
                "not bend and joints that do not spin by themselves"
            )
        own, kind = mechanism.selection.independent, "" if motion is None else motion.kind
        if kind == "pose" and any(c >= 6 for c in own):
            raise UsageError(
                f"{name}: its freedoms ({' '.join(layout.v_names)}) are not components of the platform's twist; give a motion of "
                "the drives (gough.laws.drives_of), or name the platform's freedoms as independent"
            )
        if kind == "drives" and len(mechanism.drives) > model.mobility:
            raise UsageError(f"{name} has more drives than freedoms, they cannot be led one by one; give a pose")
        linear = _linear_places(mechanism)
        for place in self._learnt(model):
            parameter = mechanism.table.names[place]
            if place not in linear:
                raise UsageError(
                    f"{self.name}: adapt: {parameter} is none of the masses, first moments, inertias, rotors and coefficients of "
                    "friction, in which forces are linear"
                )
            if place in model.pattern:
                raise UsageError(
                    f"{self.name}: adapt: {parameter} is {model.pattern[place]:g} by structure; "
                    f"gough.build(…, free=[{parameter!r}]) keeps it as a number"
                )

    def _learnt(self, model: "Model") -> list[int]:
        """Places of the parameters that are learnt."""
        known = {name: k for k, name in enumerate(model.parameter_names)}
        for name in self.adapt or ():
            if name not in known:
                raise UsageError(
                    f"{self.name}: adapt: {model.robot.name} has no parameter {name!r}; "
                    f"`gough show {model.robot.name} --parameters` lists them"
                )
        return [known[name] for name in self.adapt or ()]

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return of_platform(model, motion, parameters) if motion.kind == "pose" else in_drive_order(model, motion)

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        damping = tuple("N m s/rad" if unit == "N m" else "N s/m" for unit in model.layout.drive_units)
        return super().measured_in(model) | {"damping": damping}

    def own_settings(self, model: "Model") -> Vector:
        """Λ of all freedoms, K of all drives, γ of all that is learnt."""
        if self.rate is None:
            return self.tune(model).own_settings(model)
        rates = entries("rate", self.rate, model.mobility, "freedoms")
        damping = entries("damping", self.damping, len(model.mechanism.drives), "drives")
        return np.concatenate([rates, damping, [float(x) for x in (self.adapt or {}).values()]])

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """Parameters that are learnt."""
        places = self._learnt(model)
        first = believed_parameters(model, self.nominal)[places]
        table = model.mechanism.table
        units = tuple(table.units[k] for k in places)
        return Inner(tuple(table.names[k] for k in places), units, first, np.maximum(np.abs(first), 1e-6))

    def act(self, here: Here) -> Action:
        """See `Law`: equation (1)."""
        mechanism, n = here.model.mechanism, here.model.mobility
        drives = len(mechanism.drives)
        damping, gains = here.settings[n : n + drives], here.settings[n + drives : n + drives + len(here.inner)]
        places, numbers = self._learnt(here.model), here.numbers
        parameters, loops = np.array(numbers.parameters, dtype=object), here.loops
        if places:
            parameters[places] = here.inner
            numbers = regroup_inertia(Numbers(mechanism, parameters))
            loops = Loops(Posture(numbers, here.q))
        v, (v_r, change) = here.v, self._wanted(here)
        s, S = v_r - v, drive_columns(here.loops)
        needed = _force(loops, here.q, v, change, s)
        tau = self.limited(here, share_among_drives(numbers, S, needed) + damping * (S.T @ s))
        learning = []
        for k, place in enumerate(places):
            slopes = zeros(len(parameters))
            slopes[place] = 1.0
            moving = regroup_inertia(Numbers(mechanism, as_dual(parameters, slopes)))
            q, *rates = (as_dual(x) for x in (here.q, v, change, s))
            Y = slopes_of(_force(Loops(Posture(moving, q)), q, *rates))
            learning.append(gains[k] * dot(Y, s))
        return Action(tau, np.array(learning, dtype=object))

    def _wanted(self, here: Here) -> tuple[Vector, Vector]:
        """(v_r, v̇_r) (nv,)."""
        now, seen, loops, v = here.now, here.measured, here.loops, here.v
        mechanism, rates = here.model.mechanism, here.settings[: here.model.mobility]
        u = loops.rates(v)
        if now.kind == "pose":
            own, turn = list(mechanism.selection.independent), u[3:6]
            wanted = as_dual(now.rotation, _turning(now.velocity[3:], now.rotation))
            turned = rotation_error(wanted, as_dual(seen.rotation, _turning(turn, seen.rotation)))
            error = np.concatenate([now.position - seen.position, [x.value for x in turned]])[own]
            change = np.concatenate([now.velocity[:3] - u[:3], slopes_of(turned)])[own]
            return now.velocity[own] + rates * error, now.acceleration[own] + rates * change
        columns = [mechanism.links[d.link].u for d in mechanism.drives]
        y = now.velocity + rates * (now.position - seen.drives)
        change = now.acceleration + rates * (now.velocity - u[columns])
        order = drive_of_entries(mechanism)
        if order is not None:
            return y[order], change[order]
        St, place = drive_columns(loops).T, Status.SINGULAR.at(Site.DRIVES)
        v_r = solve(St, y, place)
        return v_r, solve(St, change - rates_along(loops, v, v_r)[columns], place)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        keys = (*GAINS, *(key for key in ("bandwidth", "adapt") if getattr(self, key) is not None))
        told = {key: getattr(self, key) for key in keys}
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})


def _force(loops: Loops, q: Vector, v: Vector, change: Vector, s: Vector) -> Vector:
    """M v̇_r + C v_r + what acts at v (nv,), by C v_r = C v + C s."""
    return needed_force(loops, v, change) + coriolis_force(loops.posture.numbers, q, v, s)


def _turning(w: Vector, R: Any) -> Vector:
    """Ṙ (3, 3) of a rotation with angular velocity w, world axes."""
    return np.array([cross(w, column) for column in np.asarray(R).T], dtype=object).T


def _linear_places(mechanism: Any) -> set[int]:
    """Places of the parameters in which forces of a rigid robot are linear."""
    found: set[int] = set()
    for link in mechanism.links:
        found |= {*(link.ten or ()), *link.rotors}
    for part in (*mechanism.links, *mechanism.cuts):
        found |= {place for k, place in enumerate(part.friction) if k % 3 < 2}  # not its smoothing
    return found


def _plain_gains(given: Any) -> Mapping[str, float]:
    good = isinstance(given, Mapping) and all(isinstance(k, str) and is_number(x) and x > 0 for k, x in given.items())
    if not good or not given:
        raise UsageError(f"adapt={given!r}: give {{parameter: γ}}, γ above 0")
    return FrozenDict({key: float(x) for key, x in given.items()})
