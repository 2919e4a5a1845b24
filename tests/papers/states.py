"""Seeded states around a pose, a smooth motion through each for power balances, and states along a paper's motion."""

import numpy as np

from gough import named_motion
from inner.spatial import rotation_of_quaternion
from papers.vectors import skew


def rotation_vector(w):
    """exp of a rotation vector."""
    angle = np.linalg.norm(w)
    if angle < 1e-12:
        return np.eye(3) + skew(w)
    K = skew(w) / angle
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def random_states(count, position, offset, angle, speed, acceleration, seed):
    """``count`` tuples (position, rotation, twist, acceleration), uniform within the given half-widths (SI)."""
    rng = np.random.default_rng(seed)
    return [
        (
            position + rng.uniform(-offset, offset, 3),
            rotation_vector(rng.uniform(-angle, angle, 3)),
            rng.uniform(-speed, speed, 6),
            rng.uniform(-acceleration, acceleration, 6),
        )
        for _ in range(count)
    ]


def stacked(states):
    """The same states as one batch: four arrays with the states in front."""
    return tuple(np.array(part) for part in zip(*states, strict=True))


def along(name, t):
    """Position, rotation, twist and acceleration of the platform in a named motion at times ``t``."""
    at = named_motion(name).at(t)
    return at.position[..., :3], rotation_of_quaternion(at.position[..., 3:]), at.velocity, at.acceleration


def motion_through(state, t):
    """Position, rotation and twist at time ``t`` of a motion with that twist and acceleration at t = 0."""
    position, R, twist, acceleration = state
    w, wdot = twist[3:] * t + acceleration[3:] * t**2 / 2, twist[3:] + acceleration[3:] * t
    angle = np.linalg.norm(w)
    K = skew(w)
    left = np.eye(3)
    if angle > 1e-12:
        left = left + (1 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * K @ K
    place = position + twist[:3] * t + acceleration[:3] * t**2 / 2
    return place, rotation_vector(w) @ R, np.concatenate([twist[:3] + acceleration[:3] * t, left @ wdot])


def energy_rate(energy, state, h=1e-3):
    """d/dt of ``energy(position, rotation, twist)`` along that motion, by sixth-order differences."""
    E = [energy(*motion_through(state, k * h)) for k in (-3, -2, -1, 1, 2, 3)]
    return (45 * (E[3] - E[2]) - 9 * (E[4] - E[1]) + (E[5] - E[0])) / (60 * h)
