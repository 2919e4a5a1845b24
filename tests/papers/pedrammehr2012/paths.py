"""The three paths of [Pedrammehr 2012, Appendix 2] as the simulations need them.

Path 1 is constant velocity (0.5 m in 6 s: the printed 0.08 m/s would not arrive). Paths 2 and 3 have trapezoidal
velocity profiles whose ramps differ between translation and rotation: both reach their printed maximum speed and take
the whole time: ramp = T - distance/speed. Samples lie at t = (k + 1/2) T/601: none falls on a jump of forces.
"""

from dataclasses import dataclass

import numpy as np

from papers.vectors import rotation_z

SAMPLES = 601


@dataclass(frozen=True)
class Path:
    """Sampled motion of the platform origin, world axes.

    t (n,), position (n, 3), rotation (n, 3, 3), twist and acceleration (n, 6), linear first.
    """

    t: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray

    @property
    def state(self):
        """position, rotation, twist, acceleration."""
        return self.position, self.rotation, self.twist, self.acceleration


def trapezoid(t, T, distance, speed):
    """Arc length, rate and second rate of a trapezoidal profile of total time ``T``; equal ramps at both ends."""
    ramp = T - distance / speed
    a = speed / ramp
    first, last = t < ramp, t > T - ramp
    s = np.where(first, a * t**2 / 2, np.where(last, distance - a * (T - t) ** 2 / 2, speed * (t - ramp / 2)))
    ds = np.where(first, a * t, np.where(last, a * (T - t), speed))
    dds = np.where(first, a, np.where(last, -a, 0.0))
    return s, ds, dds


def path(number, samples=SAMPLES):
    """Path 1, 2 or 3."""
    T, speed = {1: (6.0, 0.5 / 6.0), 2: (6.0, 0.08), 3: (0.6, 0.8)}[number]
    t = (np.arange(samples) + 0.5) * T / samples
    if number == 1:
        X0, Xt = np.array([0.1, 0.0, 0.5]), np.array([0.6, 0.0, 0.5])
        translation, rotation = (speed * t, np.full_like(t, speed), np.zeros_like(t)), np.zeros((3, samples))
        angle0 = 0.0
    else:
        X0, Xt = np.array([0.1, 0.0, 0.4]), np.array([0.3, 0.0, 0.6])
        translation = trapezoid(t, T, np.linalg.norm(Xt - X0), speed)
        rotation = trapezoid(t, T, 0.4, speed)
        angle0 = -0.2
    along = (Xt - X0) / np.linalg.norm(Xt - X0)
    z = np.array([0.0, 0.0, 1.0])
    s, ds, dds = (np.outer(x, along) for x in translation)
    return Path(
        t,
        X0 + s,
        rotation_z(angle0 + rotation[0]),
        np.concatenate([ds, np.outer(rotation[1], z)], axis=-1),
        np.concatenate([dds, np.outer(rotation[2], z)], axis=-1),
    )
