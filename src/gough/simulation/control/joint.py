"""Controllers of single drives: springs and dampers towards a reference, forces that hold the robot's weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.inverse import needed_force, no_wrench, shared
from gough.dynamics.projection import drive_columns
from gough.errors import UsageError
from gough.scalar import zeros
from gough.simulation.control.law import Here, Law
from gough.simulation.control.numbers import as_numbers, entries
from gough.simulation.control.reference import drives_of

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray


def holding_forces(here: Here) -> Vector:
    """tau (drives,) that hold the rigid freedoms of the robot where it is, at rest: against its weight and springs."""
    loops, n = here.loops, here.model.layout.mobility
    still = zeros(here.model.layout.nv)
    needed = needed_force(loops, still, still, no_wrench(loops))[:n]
    return shared(here.numbers, drive_columns(loops)[:n], needed)


def _demand_drives(model: "Model", what: str) -> None:
    if not model.driven:
        raise UsageError(f"{what}: {model.robot.name} has fewer drives than freedoms, they cannot hold it")


@dataclass(frozen=True)
class GravityCompensation(Law):
    """Drive forces that hold the robot against gravity and springs where it is; of a flexible robot, as it is bent, its rigid
    freedoms. It follows no motion: the robot floats."""

    name = "gravity compensation"

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        _demand_drives(model, self.name)

    def forces(self, here: Here) -> Vector:
        """tau (drives,)."""
        return holding_forces(here)


@dataclass(frozen=True)
class JointPD(Law):
    """Springs and dampers between every drive and its reference: tau = K_p (q_ref - q) + K_d (q̇_ref - q̇).

    stiffness (N/m, N·m/rad), damping (N·s/m, N·m·s/rad): one for all drives or one each. gravity: forces that hold the robot's
    weight where it is are added. The reference is a motion of the drives, or what they do in a motion of any other kind by the
    inverse geometry (flexible bodies straight; see `gough.laws.drives_of`).
    """

    stiffness: float | Sequence[float] | np.ndarray
    damping: float | Sequence[float] | np.ndarray
    gravity: bool = False
    name = "joint PD"
    kinds = ("drives", "pose", "joints", "point")

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("stiffness", "damping"):
            object.__setattr__(self, key, as_numbers(key, getattr(self, key), 0.0))
        if not isinstance(self.gravity, bool):
            raise UsageError(f"gravity={self.gravity!r}; give True or False")

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
            _demand_drives(model, "gravity=True")

    def reference(self, model: "Model", motion: "Motion") -> "Motion":
        """See `Law`."""
        return drives_of(model, motion)

    def own_settings(self, model: "Model") -> Vector:
        """Gains of all drives, K_p then K_d."""
        n = len(model.mechanism.drives)
        return np.concatenate([entries(key, getattr(self, key), n, "drives") for key in ("stiffness", "damping")])

    def forces(self, here: Here) -> Vector:
        """tau (drives,)."""
        mechanism = here.model.mechanism
        n = len(mechanism.drives)
        u = here.loops.rates(here.v)
        rate = here.now.velocity - u[[mechanism.links[d.link].u for d in mechanism.drives]]
        error = here.now.position - here.q[here.model.drive_index]
        tau = here.settings[:n] * error + here.settings[n : 2 * n] * rate
        return tau + holding_forces(here) if self.gravity else tau

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return super().describe() | {key: getattr(self, key) for key in ("stiffness", "damping", "gravity")}
