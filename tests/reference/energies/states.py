"""Assembled random states of any mechanism, reached from its home by small steps along what the closures allow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .kinematics import Kinematics
from .lagrange import Reference, Wrench
from .tree import TWIST

WORST_CONDITION = 2e3
STEPS = 12


class State(NamedTuple):
    """A state and loads, with accelerations that drives can give; wrench is (6,) on the platform, or {frame: (6,)} for a robot
    without one."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    wrench: Wrench
    tau: np.ndarray


def drive_condition(reference: Reference, q: np.ndarray) -> float:
    """Condition number of the drive map, lengths scaled to the robot's size; 1 where there are too few drives."""
    size = reference.size(reference.home())
    columns = [size if reference.layout.turns[p.x.start] else 1.0 for p in reference.layout.drives]
    S = reference.drive_map(q) * np.array(columns) / np.where(turning(reference), size, 1.0)[:, None]
    return float(np.linalg.cond(S)) if S.shape[1] >= S.shape[0] else 1.0


def turning(reference: Kinematics) -> np.ndarray:
    """(nv,) whether each velocity is angular."""
    names, turns = reference.layout.x_names, reference.layout.turns
    return np.array([n in TWIST[3:] if n in TWIST else turns[names.index(n)] for n in reference.velocities], bool)


def wander(reference: Kinematics, q: np.ndarray, aim: np.ndarray, distance: float) -> np.ndarray:
    """q moved by about `distance` (angles in rad, lengths by the robot's size) along the direction `aim` (nx,)."""
    scale = np.where(reference.layout.turns, 1.0, reference.size(reference.home()))
    for _ in range(STEPS):
        basis = np.linalg.qr(reference.null_space(q) / scale[:, None])[0]
        aim = basis @ (basis.T @ aim)
        length = float(np.linalg.norm(aim))
        if length < 1e-6:
            raise ValueError("the closures do not allow this direction")
        aim /= length
        q = reference.assemble(reference.layout.retract(q, scale * aim * distance / STEPS))
    return q


def random_states(reference: Reference, n: int, seed: int, reach: float = 1.0) -> list[State]:
    """n assembled states around home, away from singularities; `reach` 1 is a distance of 0.1 to 0.6 from home."""
    rng = np.random.default_rng([seed, 30_000])
    start, layout = reference.home(), reference.layout
    mobility = reference.mobility(start)
    if mobility != len(reference.velocities):
        raise ValueError(f"{reference.robot.name}: {len(reference.velocities)} velocities for mobility {mobility}")
    limit = max(WORST_CONDITION, 3 * reference.condition(start))
    turns = turning(reference)
    out: list[State] = []
    for attempt in range(40 * n + 40):
        shrink = reach / (1 + attempt // (5 * n + 5))
        aim = reference.null_space(start) @ rng.normal(size=mobility)
        try:
            q = wander(reference, start, aim, shrink * rng.uniform(0.1, 0.6))
            good = reference.mobility(q) == mobility and reference.condition(q) < limit
            good = good and drive_condition(reference, q) < limit
        except (ValueError, np.linalg.LinAlgError):
            continue
        if not good:
            continue
        v = rng.normal(size=mobility) * np.where(turns, 0.6, 0.3)
        acceleration = rng.normal(size=mobility) * np.where(turns, 6.0, 3.0)
        push = rng.normal(size=6) * [60, 60, 60, 10, 10, 10]
        wrench = push if layout.platform is not None else {loaded_frame(reference): push}
        tau = 30 * rng.normal(size=reference.n_drives)
        if 0 < reference.n_drives < mobility:  # some freedoms are idle: a motion that drives can give
            acceleration = reference.forward(q, v, 30 * rng.normal(size=reference.n_drives), wrench)
        out.append(State(q, v, acceleration, wrench, tau))
        if len(out) == n:
            return out
    raise ValueError(f"{reference.robot.name}: only {len(out)} of {n} states found")


def loaded_frame(reference: Kinematics) -> str:
    """A frame to load where there is no platform: on the body of the last joint, a named one if it has any."""
    placed: Any = reference.layout.places[-1].placed
    return next((f"{placed.body_name}.{key}" for key in placed.body.frames), placed.body_name)
