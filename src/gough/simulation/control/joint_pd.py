"""Springs and dampers between every drive and its reference."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.errors import UsageError
from gough.simulation.control._servo_gains import gains_of, tuned_gains, wanted_bandwidth
from gough.simulation.control.gravity_compensation import demand_drives, holding_forces
from gough.simulation.control.law import Here, Law, as_numbers, entries
from gough.simulation.control.own_robot import demand_own_model
from gough.simulation.control.reference import drives_of

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray


@dataclass(frozen=True)
class JointPD(Law):
    """Springs and dampers between every drive and its reference: tau = K_p (q_ref - q) + K_d (q̇_ref - q̇).

    stiffness (N/m, N·m/rad), damping (N·s/m, N·m·s/rad): one for all drives or one each. Or bandwidth (Hz) and damping_ratio (1):
    gains that give them to the mass each drive feels at home while the others stand still. gravity: forces that hold the robot's
    weight where it is are added. The reference is a motion of the drives, or what they do in a motion of any other kind by the
    inverse geometry (flexible bodies straight; see `gough.laws.drives_of`). model: another one for geometry and weight;
    nominal, limit: see `Law`.
    """

    stiffness: float | Sequence[float] | np.ndarray | None = None
    damping: float | Sequence[float] | np.ndarray | None = None
    gravity: bool = False
    bandwidth: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    damping_ratio: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    model: "Model | None" = field(default=None, kw_only=True)
    name = "joint PD"
    kinds = ("drives", "pose", "joints", "point")
    dimensions: ClassVar = {
        "stiffness": ("stiffness", "angular stiffness"),
        "damping": ("damping", "angular damping"),
        "bandwidth": ("frequency",),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        given = {key: getattr(self, key) for key in ("stiffness", "damping")}
        bandwidth, ratio = wanted_bandwidth(self.name, self.bandwidth, self.damping_ratio, given)
        object.__setattr__(self, "bandwidth", bandwidth)
        object.__setattr__(self, "damping_ratio", ratio)
        for key in given if bandwidth is None else ():
            object.__setattr__(self, key, as_numbers(key, given[key], 0.0))
        if not isinstance(self.gravity, bool):
            raise UsageError(f"gravity={self.gravity!r}; give True or False")
        demand_own_model(self.model)

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.nominal, self.model

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return self.gravity

    @property
    def drives_as(self) -> Any:
        """See `Law`."""
        return "free" if self.stiffness is None else {"stiffness": self.stiffness, "damping": self.damping}

    @property
    def any_velocities(self) -> bool:
        """See `Law`."""
        return not self.gravity

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        if not model.mechanism.drives:
            raise UsageError(f"joint PD: {model.robot.name} has no drives")
        if self.gravity:
            demand_drives(model, "gravity=True")

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: gains by bandwidths."""
        if self.stiffness is not None:
            return self
        per_mass = gains_of(self.bandwidth, self.damping_ratio)[:2]
        found, made = tuned_gains(model, self.model, self.nominal, per_mass), replace(self)
        for key, gains in zip(("stiffness", "damping"), found, strict=True):
            object.__setattr__(made, key, gains)
        return made

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return drives_of(model, motion, parameters)

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        turns = [unit == "N m" for unit in model.layout.drive_units]
        stiffness = tuple("N m/rad" if turn else "N/m" for turn in turns)
        damping = tuple("N m s/rad" if turn else "N s/m" for turn in turns)
        return super().measured_in(model) | {"stiffness": stiffness, "damping": damping}

    def own_settings(self, model: "Model") -> Vector:
        """Gains of all drives, K_p then K_d."""
        if self.stiffness is None:
            return self.tune(model).own_settings(model)
        n = len(model.mechanism.drives)
        return np.concatenate([entries(key, getattr(self, key), n, "drives") for key in ("stiffness", "damping")])

    def forces(self, here: Here) -> Vector:
        """tau (drives,)."""
        seen = here.measured
        n = len(seen.model.mechanism.drives)
        rate, error = here.now.velocity - seen.drive_rates, here.now.position - seen.drives
        tau = here.settings[:n] * error + here.settings[n : 2 * n] * rate
        return tau + holding_forces(here) if self.gravity else tau

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        by_bandwidth = () if self.bandwidth is None else ("bandwidth", "damping_ratio")
        told = {key: getattr(self, key) for key in ("stiffness", "damping", "gravity", *by_bandwidth)}
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})
