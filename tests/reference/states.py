"""Assembled random states of a robot description, reached from its home by continuation so the branch is kept."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .homogeneous import unit
from .lagrange import Reference

WORST_CONDITION = 1e3
WORST_FOLD = 0.95


class State(NamedTuple):
    """A state and loads: configuration, twist, acceleration, wrench (6 each) and drive forces."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    wrench: np.ndarray
    tau: np.ndarray


def quaternion_of(R: Any) -> np.ndarray:
    """Unit quaternion (w, x, y, z), w >= 0, of a rotation matrix, by the eigenvector of its 4x4 form."""
    R = np.asarray(R, float)
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    h = np.linalg.eigh(K)[1][:, -1]
    return h if h[0] >= 0 else -h


def home_configuration(reference: Reference, tries: int = 200) -> np.ndarray:
    """Assembled configuration at the described home; joints without a guess are tried from random values."""
    robot, layout = reference.robot, reference.layout
    rng = np.random.default_rng(0)
    pose = robot.home.pose
    q = np.zeros(layout.nq)
    q[3] = 1.0
    if pose is not None:
        q[:3], q[3:7] = pose.position, quaternion_of(pose.rotation())
    given = {}
    for p in layout.places:
        value = robot.home.joints.get(f"{robot.legs[p.leg].name}.{p.joint.name}")
        if value is not None:
            given[id(p)] = np.atleast_1d(np.asarray(value, float))
    complete = len(given) == sum(p.q.stop > p.q.start for p in layout.places)
    best: tuple[float, np.ndarray] | None = None
    for _ in range(1 if complete else tries):
        guess = q.copy()
        for p in layout.places:
            low, high = (0, 1) if p.joint.type == "prismatic" else (-2, 2)
            guess[p.q] = given.get(id(p), rng.uniform(low, high, p.q.stop - p.q.start))
            if p.rotation is not None:
                guess[p.rotation[0]] /= np.linalg.norm(guess[p.rotation[0]])
        try:
            found = reference.assemble(guess)
            worst = reference.condition(found)
        except (ValueError, np.linalg.LinAlgError):
            continue
        moved = float(sum(np.sum((found[p.q] - given[id(p)]) ** 2) for p in layout.places if id(p) in given))
        score = moved + 1e-3 * np.log10(worst)
        if best is None or score < best[0]:
            best = (score, found)
    if best is None:
        raise ValueError(f"{robot.name}: the home cannot be assembled")
    return best[1]


def folded(reference: Reference, q: np.ndarray) -> float:
    """Largest |u . n| over universal joints: first axis u against the line n from the joint to the leg's cut."""
    worst = 0.0
    robot = reference.robot
    for p, X in zip(reference.layout.places, reference.body_poses(q), strict=True):
        if p.joint.type != "universal":
            continue
        a0, a1 = np.asarray(p.joint.axes, float)
        angle = q[p.q][1]
        back = a0 * np.cos(angle) - np.cross(a1, a0) * np.sin(angle)  # first axis in the carried frame
        n = reference.cut_points(q)[p.leg] - X[:3, 3]
        last = robot.legs[p.leg].chain[-1] is p.joint and robot.legs[p.leg].cut.type != "spherical"
        if not last and np.linalg.norm(n) > 1e-9:
            worst = max(worst, abs(float(unit(n) @ (X[:3, :3] @ back))))
    return worst


def travel(reference: Reference, q: np.ndarray, twist: np.ndarray, steps: int = 12) -> np.ndarray:
    """q carried along a platform displacement (3 metres, 3 turned in world axes), assembled at each step."""
    for _ in range(steps):
        x = reference.rates(q, twist / steps)
        if np.max(np.abs(x)) > 0.7:
            raise ValueError("joints move too fast for continuation")
        q = reference.assemble(reference.layout.retract(q, x))
    return q


def random_states(robot: Any, n: int, seed: int, reference: Reference | None = None, reach: float = 1.0) -> list[State]:
    """n assembled states around home: scaled condition < 1e3, no universal joint folded beyond |u . n| = 0.95.

    `reach` 1 is a displacement of about a third of the platform's radius and 0.3 rad.
    """
    reference = reference or Reference(robot)
    rng = np.random.default_rng([seed, 20_000])
    start = home_configuration(reference)
    points = reference.cut_points(start)
    size = float(np.mean(np.linalg.norm(points - points.mean(0), axis=1))) or 1.0
    scale = np.array([size / 3] * 3 + [0.3] * 3) * reach
    out: list[State] = []
    for attempt in range(50 * n + 50):
        shrink = 1.0 / (1 + attempt // (5 * n + 5))
        try:
            q = travel(reference, start, shrink * scale * rng.uniform(-1, 1, 6))
            good = reference.condition(q) < WORST_CONDITION and folded(reference, q) < WORST_FOLD
        except (ValueError, np.linalg.LinAlgError):
            continue
        if not good:
            continue
        v = rng.normal(size=6) * [0.3, 0.3, 0.3, 0.6, 0.6, 0.6]
        acceleration = rng.normal(size=6) * [3, 3, 3, 6, 6, 6]
        wrench = rng.normal(size=6) * [60, 60, 60, 10, 10, 10]
        out.append(State(q, v, acceleration, wrench, 60 * rng.normal(size=reference.n_drives)))
        if len(out) == n:
            return out
    raise ValueError(f"{robot.name}: only {len(out)} of {n} states found")
