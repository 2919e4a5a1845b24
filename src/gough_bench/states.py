"""What every peer gets: the robot without friction and springs, which they have otherwise or not at all, and states of it:
assembled, well conditioned, the same on every run."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Model, Robot, UsageError
from gough.errors import GOOD
from gough.kinematics.mobility import neighbours
from gough.robot.effects import Drive, Friction, JointSpring
from gough.robot.item import Item
from gough.spatial.poses import integrate_pose

REACH = (0.15, 0.25)
"""Largest offsets from home: positions relative to the robot's size, angles in rad."""
WORST = 1e3
"""Largest condition of the scaled drive map (and mass matrix where there are fewer drives than freedoms)."""


@dataclass(frozen=True)
class PeerStates:
    """q (n, nq), v, acceleration (n, nv), tau (n, drives): tau gives acceleration where the robot has inverse dynamics,
    else acceleration follows from tau. u, ud (n, nu): rates and accelerations of the whole tree."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    tau: np.ndarray
    u: np.ndarray
    ud: np.ndarray

    def __len__(self) -> int:
        return len(self.q)

    def repeat(self, n: int) -> "PeerStates":
        """The same states over and over, n in all."""
        rows = np.arange(n) % len(self)
        return PeerStates(*(getattr(self, k)[rows] for k in ("q", "v", "acceleration", "tau", "u", "ud")))


def random_states(model: Model, count: int, seed: int = 4) -> PeerStates:
    """`count` states around home with random velocities and accelerations; UsageError where too few assemble."""
    rng = np.random.default_rng(seed)
    q = _configurations(model, count, rng)
    n, nv, drives = len(q), model.layout.nv, len(model.mechanism.drives)
    v, acceleration = rng.normal(size=(n, nv)), rng.normal(size=(n, nv))
    if model.driven:
        found = model.inverse_dynamics(q, v, acceleration[:, : model.mobility])
        tau = found.tau
        acceleration[:, model.mobility :] = found.free_acceleration
    else:
        tau = rng.normal(size=(n, drives)) if drives else np.zeros((n, 0))
        acceleration = model.forward_dynamics(q, v, tau).vdot
    moved = model.function("joint_motion").values(q=q, v=v, vdot=acceleration, parameters=model.parameters)
    return PeerStates(q, v, acceleration, tau, moved["u"], moved["ud"])


def _configurations(model: Model, count: int, rng: np.random.Generator) -> np.ndarray:
    found = np.zeros((0, model.layout.nq))
    for attempt in range(8):
        if model.geometry.by_legs:
            reach = np.array([REACH[0] * model.size] * 3 + [REACH[1]] * 3)
            steps = rng.uniform(-1, 1, (count, 6)) * reach
            poses = integrate_pose(np.repeat(model.home[None, :7], count, axis=0), steps)
            q, failed = model.geometry.from_pose(poses, model.parameters[None])
            q = q[failed == GOOD]
        else:
            q = neighbours(model, model.home, model.null_space, min(count, 64), REACH[1] / (1 + attempt))
        found = np.concatenate([found, q[_good(model, q)]])
        if len(found) >= count:
            return found[:count]
    if not len(found):
        raise UsageError(f"{model.robot.name}: no well conditioned state around home can be assembled")
    return found[np.arange(count) % len(found)]


def _good(model: Model, q: np.ndarray) -> np.ndarray:
    """Which configurations (n,) are far from singular."""
    if not len(q):
        return np.zeros(0, bool)
    e = model.function("mass_matrix")(q=q, parameters=model.parameters)
    good = e.failures == GOOD
    if model.driven:
        S = model.function("drive_map").values(q=q, parameters=model.parameters)["S"]
        units = np.array([1.0 / model.size if name.startswith("w") else 1.0 for name in model.layout.v_names])
        good &= np.nan_to_num(np.linalg.cond(S * units[:, None]), nan=np.inf) < WORST
    return good


def lossless_robot(robot: Robot, rotors: bool = True) -> Robot:
    """The same robot with no friction, no springs and no armatures of joints; rotors: whether inertias of its drives stay."""
    gone = {"viscous": 0.0, "coulomb": 0.0, "smoothing": 0.0}
    return _bare(robot, gone if rotors else gone | {"rotor_inertia": 0.0}).model_copy(update={"springs": ()})


def _bare(item: Any, drive: dict[str, float]) -> Any:
    if isinstance(item, Friction):
        return Friction()
    if isinstance(item, JointSpring):
        return None
    if isinstance(item, Drive):
        return item.model_copy(update=drive)
    if isinstance(item, Item):
        fields = type(item).model_fields
        bare = {name: 0.0 if name == "armature" else _bare(getattr(item, name), drive) for name in fields}
        return item.model_copy(update=bare)
    if isinstance(item, tuple):
        return tuple(_bare(x, drive) for x in item)
    return item
