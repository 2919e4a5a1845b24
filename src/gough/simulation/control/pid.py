"""Springs, dampers and integrals between every drive and its reference, which do not wind up.

    τ = K_p e + K_d ė + I + what holds the weight, cut off at the limits;   İ = K_i e + (τ_cut - τ)/T                    (1)
At a limit the second term leads the integral back, within the time T, to where the force just reaches the limit (tracking).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.errors import UsageError
from gough.simulation.control._servo_gains import gains_of, tuned_gains, wanted_bandwidth
from gough.simulation.control.gravity_compensation import demand_drives, holding_forces
from gough.simulation.control.law import Action, Here, Inner, Law, as_numbers, entries
from gough.simulation.control.own_robot import demand_own_model
from gough.simulation.control.reference import drives_of

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
GAINS = ("stiffness", "damping", "integral")
SLOWER = 0.1
"""Bandwidth of the integral over that of springs and dampers, where nothing is said."""


@dataclass(frozen=True)
class PID(Law):
    """Springs, dampers and integrals between every drive and its reference, with anti-windup.

    stiffness (N/m, N·m/rad), damping (N·s/m, N·m·s/rad), integral (N/(m·s), N·m/(rad·s)): one for all drives or one each. Or
    bandwidth (Hz), damping_ratio (1) and integral_bandwidth (Hz; a tenth of it): gains that give them to the mass each drive
    feels at home. tracking (s): time in which the integral returns from a limit, default √(K_d/K_i); from one of the clock around
    it in no less than a period. gravity, model: as for `JointPD`; nominal, limit: see `Law`.
    """

    stiffness: float | Sequence[float] | np.ndarray | None = None
    damping: float | Sequence[float] | np.ndarray | None = None
    integral: float | Sequence[float] | np.ndarray | None = None
    gravity: bool = False
    bandwidth: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    damping_ratio: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    integral_bandwidth: float | Sequence[float] | np.ndarray | None = field(default=None, kw_only=True)
    tracking: float | None = field(default=None, kw_only=True)
    model: "Model | None" = field(default=None, kw_only=True)
    name = "PID"
    kinds = ("drives", "pose", "joints", "point")
    dimensions: ClassVar = {
        "stiffness": ("stiffness", "angular stiffness"),
        "damping": ("damping", "angular damping"),
        "integral": ("stiffness per time", "angular stiffness per time"),
        "bandwidth": ("frequency",),
        "integral_bandwidth": ("frequency",),
        "tracking": ("time",),
    }

    period: ClassVar[float | None] = None
    """Of the clock that samples it (s)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        given = {key: getattr(self, key) for key in GAINS}
        bandwidth, ratio = wanted_bandwidth(self.name, self.bandwidth, self.damping_ratio, given)
        object.__setattr__(self, "bandwidth", bandwidth)
        object.__setattr__(self, "damping_ratio", ratio)
        if bandwidth is None:
            if self.integral_bandwidth is not None:
                raise UsageError(f"{self.name}: integral_bandwidth= belongs to bandwidth= (Hz); give both, or integral")
            for key in GAINS:
                object.__setattr__(self, key, as_numbers(key, given[key], 0.0))
        else:
            slow = (
                SLOWER * np.asarray(bandwidth, dtype=float)
                if self.integral_bandwidth is None
                else self.integral_bandwidth
            )
            object.__setattr__(self, "integral_bandwidth", as_numbers("integral_bandwidth", slow, 0.0))
        if self.tracking is not None:
            time = as_numbers("tracking", self.tracking)
            if isinstance(time, tuple) or not time > 0:
                raise UsageError(f"tracking={self.tracking!r}: give one positive time (s)")
            object.__setattr__(self, "tracking", time)
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
        """See `Law`; the integral is slow beside vibrations."""
        return "free" if self.stiffness is None else {"stiffness": self.stiffness, "damping": self.damping}

    @property
    def any_velocities(self) -> bool:
        """See `Law`."""
        return not self.gravity

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        if not model.mechanism.drives:
            raise UsageError(f"{self.name}: {model.robot.name} has no drives")
        if self.gravity:
            demand_drives(model, "gravity=True")

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: gains by bandwidths."""
        made = self
        if self.stiffness is None:
            own, per_mass = self.knows()[1], gains_of(self.bandwidth, self.damping_ratio, self.integral_bandwidth)
            found = tuned_gains(model, own, self.nominal, per_mass)
            made = replace(self)
            for key, gains in zip(GAINS, found, strict=True):
                object.__setattr__(made, key, gains)
        if period is not None:
            made = replace(made) if made is self else made
            object.__setattr__(made, "period", period)
        if period is not None and self.limit is not None:
            times = made._tracking_times(len(model.mechanism.drives))
            if not times.min() > period:
                raise UsageError(
                    f"{self.name}: the integral returns from a limit within {times.min():.3g} s, less than the period of "
                    f"{period:g} s; give a longer tracking= time, or a smaller integral"
                )
        return made

    def _tracking_times(self, n: int) -> Vector:
        """T (n,) of equation (1); infinite without an integral."""
        if self.tracking is not None:
            return np.full(n, self.tracking)
        Kp, Kd, Ki = (entries(key, getattr(self, key), n, "drives") for key in GAINS)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(Kd > 0, np.sqrt(Kd / Ki), Kp / Ki)
        return np.where(Ki > 0, times, np.inf)

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return drives_of(model, motion, parameters)

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        units = {"N": ("N/m", "N s/m", "N/m/s"), "N m": ("N m/rad", "N m s/rad", "N m/rad/s")}
        each = zip(*(units[unit] for unit in model.layout.drive_units), strict=True)
        return super().measured_in(model) | dict(zip(GAINS, each, strict=False))

    def own_settings(self, model: "Model") -> Vector:
        """Of all drives: K_p, K_d, K_i, 1/T."""
        if self.stiffness is None:
            return self.tune(model).own_settings(model)
        n = len(model.mechanism.drives)
        gains = [entries(key, getattr(self, key), n, "drives") for key in GAINS]
        times = self._tracking_times(n)
        if not (times > 0).all():
            raise UsageError(f"{self.name}: an integral alone cannot be led back from a limit; give tracking= (s)")
        shortest = 0.0 if self.period is None else self.period
        return np.concatenate([*gains, 1.0 / np.maximum(times, shortest)])

    def own_poles(self, model: "Model") -> Vector:
        """See `Law`: of integrals that return from a limit."""
        return np.zeros(0) if self.limit is None else -self.own_settings(model).reshape(4, -1)[3]

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """Forces of the integrals."""
        layout = model.layout
        names = tuple(f"integral.{name}" for name in layout.drive_names)
        gains = self.own_settings(model).reshape(4, -1)[0]
        lengths = np.array([1.0 if unit == "N m" else model.size for unit in layout.drive_units])
        return Inner(names, layout.drive_units, np.zeros(len(names)), np.maximum(gains * lengths, 1e-3))

    def act(self, here: Here) -> Action:
        """See `Law`: equation (1)."""
        seen = here.measured
        n = len(seen.model.mechanism.drives)
        stiffness, damping, integral, back = (here.settings[k * n : (k + 1) * n] for k in range(4))
        rate, error = here.now.velocity - seen.drive_rates, here.now.position - seen.drives
        wanted = stiffness * error + damping * rate + here.inner
        if self.gravity:
            wanted = wanted + holding_forces(here)
        cut = self.limited(here, wanted)
        lost = here.around.shortfall(cut)
        if self.limit is None and lost is None:
            return Action(wanted, integral * error)
        missing = cut - wanted if lost is None else cut - wanted + lost
        return Action(cut, integral * error + back * missing)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        keys = (
            *GAINS,
            "gravity",
            *(() if self.bandwidth is None else ("bandwidth", "damping_ratio", "integral_bandwidth")),
        )
        told = {key: getattr(self, key) for key in keys} | (
            {} if self.tracking is None else {"tracking": self.tracking}
        )
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})
