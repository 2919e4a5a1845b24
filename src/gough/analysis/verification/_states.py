"""The states on which the laws of a model are checked: assembled, regular, moving gently, loaded."""

from dataclasses import dataclass

import numpy as np

from gough.errors import UsageError
from gough.kinematics.retraction import coordinate_sizes, step_units
from gough.model import Model
from gough.model.external import external_load
from gough.robot.tree import bodies, platform_body

FAR_FROM_SINGULAR = 1e-3
FAR_FROM_FOLDED = 0.6
"""Smallest accepted serial measure relative to home's: differences along a motion are inexact at the edge of reach."""
SPREAD = 0.25
"""States lie within this times the robot's size (m), and this angle (rad), of home in each independent direction."""


@dataclass(frozen=True)
class RandomStates:
    """q (n, nq), v and acceleration (n, nv), wrench (n, 6): in units of the robot's size, seconds and its weight.

    frame: where the wrench acts, "" for the platform. tau (n, drives): forces of the size of the weight, for robots
    whose motion follows from their drives and not the drives from the motion.
    """

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    wrench: np.ndarray
    frame: str
    tau: np.ndarray

    @property
    def external(self):
        """The wrench as model calls take it."""
        return {self.frame: self.wrench} if self.frame else self.wrench

    def load(self, model: Model) -> dict[str, np.ndarray]:
        """The wrench as programs take it, by slot."""
        return external_load(model, self.q, self.external, model.parameters)

    def power(self, model: Model) -> np.ndarray:
        """Power (n,) of the wrench."""
        twist = model.frame_twist(self.q, self.v, self.frame) if self.frame else model.twist(self.q, self.v)
        return np.sum(self.wrench * twist, axis=-1)


def has_all_drives(model: Model) -> bool:
    """Whether drive forces exist for every motion."""
    return len(model.mechanism.drives) >= model.mobility


def sample(model: Model, states: int, seed: int) -> RandomStates:
    """States that assemble and are far from singularities."""
    if states < 1:
        raise UsageError(f"states={states}; give at least 1")
    rng = np.random.default_rng(seed)
    nv, size = model.layout.nv, model.size
    scale = step_units(model.mechanism, size)[list(model.mechanism.selection.independent)]
    q = _configurations(model, states, rng, SPREAD * scale)
    v, a = rng.normal(size=(2, states, nv)) * scale
    # Differences along a motion need joints that turn gently: at most about 1 rad/s, or the robot's size a second.
    fastest = np.abs(model.configuration_rate(q, v) / coordinate_sizes(model.mechanism, model.size)).max(axis=1)
    gentle = 1.0 / np.maximum(fastest, 1.0)[:, None]
    weight = _weight(model)
    wrench = rng.normal(size=(states, 6)) * weight * np.where(np.arange(6) < 3, 1.0, size)
    arms = np.array([size if unit == "N m" else 1.0 for unit in model.layout.drive_units])
    tau = rng.normal(size=(states, len(arms))) * weight * arms
    frame = _loaded_frame(model)
    return RandomStates(q, v * gentle, a * gentle**2, wrench, frame, tau)


def _configurations(model: Model, states: int, rng: np.random.Generator, spread: np.ndarray) -> np.ndarray:
    floor = FAR_FROM_FOLDED * model.singularity(model.home).serial
    least = FAR_FROM_SINGULAR if has_all_drives(model) else -1.0
    found: list[np.ndarray] = []
    for _ in range(40):
        step = spread * rng.uniform(-1, 1, (2 * states, len(spread)))
        q = model.integrate(np.broadcast_to(model.home, (2 * states, model.layout.nq)), step, on_bad_state="mark")
        q = q[np.isfinite(q).all(axis=1)]
        measure = model.singularity(q)
        good = (measure.parallel > least) & (measure.serial > floor).all(axis=-1)
        found.extend(q[good])
        if len(found) >= states:
            return np.array(found[:states])
    raise UsageError(
        f"{model.robot.name}: only {len(found)} of {states} sampled states around home are regular; "
        f"choose a home farther from singularities"
    )


def _weight(model: Model) -> float:
    """Weight (N) of the platform, else of a body on average."""
    platform = platform_body(model.robot)
    mass = 0.0 if platform is None else float(platform.mass)
    return 9.81 * (mass or float(np.mean([float(body.mass) for body in bodies(model.robot).values()]))) or 1.0


def _loaded_frame(model: Model) -> str:
    """Where the wrench acts: "" for a rigid platform, a frame tied to a flexible one, else the last body."""
    mechanism = model.mechanism
    if mechanism.has_platform and mechanism.platform.elastic is None:
        return ""
    if mechanism.has_platform:
        tied = [f.name for f in mechanism.frames.values() if mechanism.links[f.link].parent == 0]
        if tied:
            return tied[0]
    return _last_body(model)


def _last_body(model: Model) -> str:
    """The last body: a frame far from the ground."""
    return list(bodies(model.robot))[-1]
