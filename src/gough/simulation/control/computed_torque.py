"""Computed torque: the inverse model of the robot turns commanded accelerations into drive forces.

    a = a_ref + K_d (V_ref - V) + K_p e,   τ = inverse dynamics of (q, v, a)                                        (1)
Output    the platform's pose (e: position error and rotation vector of R_ref Rᵀ, world axes), where v has components of its
          twist; or the drives. Where the drives' rates are not v: with y = Sᵀ v their rates, ẏ = Sᵀ v̇ + b and
          M v̇ + h = S τ,   (Sᵀ M⁻¹ S) τ = a - b + Sᵀ M⁻¹ h                                                         (2)
Model     of the law's own robot (see `own_robot`). "flexible": as it is, elastic coordinates measured, or simulated along in the
          controller with the elastic accelerations of its own inverse model, τ and ë of (1) [Long 2014, section 5.1]; "rigid":
          bodies that do not bend, ê = 0, at the measured platform or drives, loops closed for the straight robot by Newton steps.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.dynamics.forward import forward_dynamics
from gough.dynamics.inverse import (
    check_slack_velocities,
    free_accelerations,
    inverse_dynamics,
    needed_force,
    share_among_drives,
)
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.errors import Site, Status, UsageError
from gough.kinematics.retraction import step_units
from gough.scalar import product, solve_spd, zeros
from gough.simulation.control._servo_gains import gains_of, wanted_bandwidth
from gough.simulation.control.law import Action, Here, Inner, Law, as_numbers, entries
from gough.simulation.control.own_robot import CLOSINGS, demand_own_model
from gough.simulation.control.reference import in_drive_order, of_platform
from gough.simulation.coordinates import closed_coordinates, drive_of_entries, elastic_places, units_of
from gough.spatial.exponential import rotation_error

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
USUAL = {"stiffness": 400.0, "damping": 40.0}
"""Gains where nothing is said."""


@dataclass(frozen=True)
class ComputedTorque(Law):
    """Computed torque with feedback, for motions of kind "pose" and "drives".

    stiffness (1/s²), damping (1/s): K_p and K_d, one for all freedoms or one each, 400 and 40 where nothing is said. Or bandwidth
    (Hz) and damping_ratio (1): K_p = (2π bandwidth)², K_d = 4π damping_ratio bandwidth. model: "flexible" (the robot's own),
    "rigid" (its bodies do not bend), or another `gough.Model` to compute with. elastic: "measured", or "simulated": the
    controller integrates elastic coordinates of its own, from where the robot's are at the start. nominal, limit: see `Law`.
    """

    stiffness: float | Sequence[float] | np.ndarray | None = None
    damping: float | Sequence[float] | np.ndarray | None = None
    model: "str | Model" = "flexible"
    elastic: str = "measured"
    bandwidth: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    damping_ratio: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    name = "computed torque"
    kinds = ("pose", "drives")
    dimensions: ClassVar = {"stiffness": ("rate squared",), "damping": ("rate",), "bandwidth": ("frequency",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        given: dict[str, Any] = {key: getattr(self, key) for key in USUAL}
        if self.bandwidth is None and self.damping_ratio is None:
            given = {key: USUAL[key] if x is None else x for key, x in given.items()}
        else:
            bandwidth, ratio = wanted_bandwidth(self.name, self.bandwidth, self.damping_ratio, dict.fromkeys(given))
            follow = dict(zip(given, gains_of(bandwidth, ratio), strict=False))
            if not all(
                given[key] in (None, x) for key, x in follow.items()
            ):  # a copy of this law has those that follow
                raise UsageError(f"{self.name}: stiffness and damping follow from bandwidth=; give one or the other")
            object.__setattr__(self, "damping_ratio", ratio)
            given = follow
        for key, x in given.items():
            object.__setattr__(self, key, as_numbers(key, x, 0.0))
        if not isinstance(self.model, str):
            demand_own_model(self.model, " 'flexible' or 'rigid'")
        for key, known in (("model", ("flexible", "rigid")), ("elastic", ("measured", "simulated"))):
            value = getattr(self, key)
            if not (isinstance(value, str) and value in known) and not (key == "model" and not isinstance(value, str)):
                raise UsageError(f"{key}={value!r}; use {' or '.join(map(repr, known))}")
        if self._unbent and self.elastic == "simulated":
            raise UsageError("model='rigid' has no elastic coordinates to simulate; leave elastic= out")

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.nominal, None if isinstance(self.model, str) else self.model

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return self._unbent, self.elastic

    @property
    def vibrates(self) -> bool:  # type: ignore[override]
        """See `Law`."""
        return self.elastic == "simulated"

    @property
    def _unbent(self) -> bool:
        """Whether it takes bodies that bend for rigid ones."""
        return isinstance(self.model, str) and self.model == "rigid"

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        mechanism, name = model.mechanism, model.robot.name
        if not model.driven:
            raise UsageError(f"{name} has fewer drives than freedoms: computed torque cannot give all accelerations")
        if motion is not None and motion.kind == "pose" and any(c >= 6 for c in _rigid(mechanism)):
            raise UsageError(
                f"{name}: its freedoms ({' '.join(model.layout.v_names[: model.mobility])}) are not components of the platform's "
                "twist; give a motion of the drives (gough.laws.drives_of), or name the platform's freedoms as independent"
            )
        redundant = len(mechanism.drives) > model.mobility
        if motion is not None and motion.kind == "drives" and redundant:
            raise UsageError(f"{name} has more drives than freedoms, they cannot be led one by one; give a pose")
        if self._simulates(model) and len(elastic_places(mechanism)) != model.layout.n_elastic:
            raise UsageError(
                f"elastic='simulated': elastic coordinates of {name} are bound to each other by closures; use 'measured'"
            )

    def error_gains(self, model: "Model") -> tuple[Vector, Vector]:
        """See `Law`."""
        gains = self.own_settings(model)
        return gains[: model.mobility], gains[model.mobility :]

    def holds_floating(self, model: "Model", kind: str) -> bool:
        """See `Law`."""
        bends = model.layout.v_elastic > 0 and not self._unbent
        return bends and (kind == "pose" or drive_of_entries(model.mechanism) is not None)

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return of_platform(model, motion, parameters) if motion.kind == "pose" else in_drive_order(model, motion)

    def own_settings(self, model: "Model") -> Vector:
        """Gains of all freedoms, K_p then K_d."""
        n = model.mobility
        return np.concatenate([entries(key, getattr(self, key), n, "freedoms") for key in ("stiffness", "damping")])

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """Elastic coordinates and rates in the controller, in the order of v."""
        if not self._simulates(model):
            return Inner()
        layout, places = model.layout, elastic_places(model.mechanism)
        n, told = layout.rigid, units_of(model)
        own = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)][n:]
        return Inner(
            (*(layout.q_names[k] for k in places), *(f"v.{x}" for x in layout.v_names[n:])),
            (*(told.q[k] for k in places), *told.v[n:]),
            np.concatenate([np.asarray(q)[places], np.asarray(v)[n:]]),
            np.concatenate([own, 100.0 * own]),
        )

    def _simulates(self, model: "Model") -> bool:
        return self.elastic == "simulated" and model.layout.v_elastic > 0

    def act(self, here: Here) -> Action:
        """See `Law`."""
        numbers, layout = here.numbers, here.model.layout
        q, v = self._believed(here)
        loops = Loops(Posture(numbers, q))
        a = self._commanded(here)
        acceleration = self._of_freedoms(here, a)
        n = layout.rigid if self._unbent else layout.nv  # freedoms of the model
        if acceleration is None:
            tau, vdot = _led(loops, v, a, n)
            rates = vdot[layout.rigid :]
        elif n < layout.nv:
            still = np.concatenate([acceleration, zeros(layout.nv - layout.mobility)])
            needed, S = needed_force(loops, v, still), drive_columns(loops)
            if layout.v_idle:
                tau = free_accelerations(loops, mass_matrix(loops), S, needed, layout.mobility, range(n))[0]
            else:
                tau = share_among_drives(numbers, S[:n], needed[:n])
            rates = zeros(0)
        else:
            found = inverse_dynamics(numbers, q, v, acceleration)
            tau, rates = found["tau"], found.get("eddot", zeros(0))
        tau = self.limited(here, tau)
        if not self._simulates(here.model):
            return Action(tau)
        if self.limit is not None:  # what the limited forces do to the robot as it is believed to be
            rates = forward_dynamics(numbers, q, v, tau)["vdot"][layout.rigid :]
        return Action(tau, np.concatenate([here.inner[layout.v_elastic :], rates]))

    def _believed(self, here: Here) -> tuple[Vector, Vector]:
        """q and v of the robot as the controller has them."""
        layout, mechanism = here.model.layout, here.model.mechanism
        simulated = self._simulates(here.model)
        if not layout.v_elastic or not (self._unbent or simulated):
            return here.q, here.v
        q, v = here.q.copy(), here.v.copy()
        if simulated:
            q[elastic_places(mechanism)] = here.inner[: layout.v_elastic]
            v[layout.rigid :] = here.inner[layout.v_elastic :]
        else:
            q[layout.elastic] = 0.0
            v[layout.rigid :] = 0.0
        for _ in range(CLOSINGS):
            q = closed_coordinates(Loops(Posture(here.numbers, q)))
        return q, v

    def _commanded(self, here: Here) -> Vector:
        """Equation (1): of the rigid freedoms for a pose, else of the drives."""
        now, seen, mechanism = here.now, here.measured, here.model.mechanism
        n = mechanism.layout.mobility
        stiffness, damping = here.settings[:n], here.settings[n : 2 * n]
        if now.kind == "pose":
            own = _rigid(mechanism)
            turned = rotation_error(now.rotation, seen.rotation)  # type: ignore[arg-type]
            error = np.concatenate([now.position - seen.position, turned])[own]
            rate, wanted = now.velocity[own] - here.v[:n], now.acceleration[own]
        else:
            error = now.position - seen.drives
            rate, wanted = now.velocity - seen.drive_rates, now.acceleration
        return wanted + damping * rate + stiffness * error

    def _of_freedoms(self, here: Here, a: Vector) -> Vector | None:
        """Commanded accelerations of the rigid entries of v; None where they do not follow from those of the drives alone."""
        if here.now.kind == "pose":
            return a
        order = drive_of_entries(here.model.mechanism)
        return None if order is None else np.array([a[k] for k in order], dtype=object)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        by_bandwidth = () if self.bandwidth is None else ("bandwidth", "damping_ratio")
        told = {key: getattr(self, key) for key in ("stiffness", "damping", "model", "elastic", *by_bandwidth)}
        if not isinstance(self.model, str):
            told["model"] = self.model.robot.name
        return super().describe() | told


def _rigid(mechanism: Any) -> list[int]:
    """Tree velocities that are the rigid entries of v."""
    return list(mechanism.selection.independent[: mechanism.layout.mobility])


def _led(loops: Loops, v: Vector, a: Vector, n: int) -> tuple[Vector, Vector]:
    """(tau, v̇ (n,)) by equation (2), with the first n freedoms; the others do not move."""
    mechanism = loops.mechanism
    whole, force = mass_matrix(loops), needed_force(loops, v, zeros(len(v)))
    still = check_slack_velocities(loops, whole, force, range(n))
    moving = [k for k in range(n) if k not in still]
    M, S, h = whole[np.ix_(moving, moving)], drive_columns(loops)[moving], force[moving]
    moved = solve_spd(M, np.concatenate([S, h[:, None]], axis=1), Status.SINGULAR.at(Site.MASS_MATRIX))
    felt, fallen = moved[:, :-1], moved[:, -1]
    bias = loops.accelerations(v, loops.rates(v), zeros(len(v)))
    columns = [mechanism.links[d.link].u for d in mechanism.drives]
    needed = a - bias[columns] + S.T @ fallen
    tau = solve_spd(product(S.T, felt), needed, Status.SINGULAR.at(Site.DRIVES))
    vdot = zeros(n)
    vdot[moving] = product(felt, tau) - fallen
    return tau, vdot
