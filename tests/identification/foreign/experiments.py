"""Experiments: a robot under joint control, what its drives are told to follow, and what is true of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import gough
from gough.robot import Robot, dumps

from .robots import delta, five_bar, hexapod


@dataclass(frozen=True)
class Fourier:
    """x(t) = center + Σ a_k sin kωt + b_k (cos kωt - 1), ω = 2π / period; center (drives,), a and b (drives, harmonics).

    Begins at its center at rest, without acceleration.
    """

    center: np.ndarray
    a: np.ndarray
    b: np.ndarray
    period: float

    @classmethod
    def draw(cls, seed: int, center: np.ndarray, reach: float, harmonics: int, period: float) -> Fourier:
        """Random, and nowhere further from the center than `reach` (m, rad), each drive just that far."""
        rng = np.random.default_rng(seed)
        k = np.arange(1.0, harmonics + 1)
        a, b = rng.normal(size=(2, len(center), harmonics)) / np.sqrt(k)
        a -= np.outer(a @ k, k) / (k @ k)  # no velocity at first
        b -= np.outer(b @ k**2, k**2) / (k**2 @ k**2)  # no acceleration
        one = cls(np.zeros(len(center)), a, b, period)
        farthest = np.abs(one.at(np.linspace(0.0, period, 20 * harmonics))[0]).max(axis=0)
        scale = (reach / farthest)[:, None]
        return cls(np.asarray(center, float), a * scale, b * scale, period)

    def at(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities, accelerations (..., drives) at times t (...)."""
        w = 2 * np.pi / self.period * np.arange(1.0, self.a.shape[1] + 1)
        turn = np.multiply.outer(np.asarray(t, float), w)
        s, c = np.sin(turn), np.cos(turn)
        x = self.center + s @ self.a.T + (c - 1.0) @ self.b.T
        return x, (c * w) @ self.a.T - (s * w) @ self.b.T, -(s * w**2) @ self.a.T - (c * w**2) @ self.b.T

    def motion(self, names: tuple[str, ...]) -> gough.Motion:
        """A period of it as a motion of the library."""
        means = dict(zip(names, (self.center - self.b.sum(axis=1)).tolist(), strict=True))
        cosines, sines = (dict(zip(names, x.tolist(), strict=True)) for x in (self.b, self.a))
        return gough.motions.fourier(period=self.period, drives=means, cosines=cosines, sines=sines)


@dataclass(frozen=True)
class Experiment:
    """tau = stiffness (reference - position) + damping (its rate - rate) + feed_forward, all (drives,) or one for all.

    offsets: constant forces that the drives need beyond those of the description. reach: of the reference around home.
    A feed-forward force is the same to a robot as a reference moved by feed_forward / stiffness: `motion` has it.
    """

    name: str
    robot: Robot
    stiffness: Any
    damping: Any
    offsets: tuple[float, ...]
    reach: float
    feed_forward: Any = 0.0
    seed: int = 0
    harmonics: int = 30
    period: float = 10.0

    @cached_property
    def model(self) -> gough.Model:
        """The true robot's, for names and comparisons; nothing of a run comes from it."""
        return gough.build(self.robot)

    @cached_property
    def reference(self) -> Fourier:
        """What the drives are told to follow."""
        coordinates = self.robot.home.joints  # pyright: ignore[reportOptionalMemberAccess]
        center = np.array([coordinates[name][0] for name in self.model.layout.drive_names])
        return Fourier.draw(self.seed, center, self.reach, self.harmonics, self.period)

    def motion(self) -> gough.Motion:
        """For `gough.laws.JointPD(stiffness, damping)`: the reference, moved by what the feed-forward is worth."""
        r = self.reference
        moved = Fourier(r.center + np.asarray(self.feed_forward) / self.stiffness, r.a, r.b, r.period)
        return moved.motion(self.model.layout.drive_names)

    @property
    def controller(self) -> Any:
        """The law of the library that does the same."""
        return gough.laws.JointPD(self.stiffness, self.damping)

    def truth(self, unknowns: Any) -> np.ndarray:
        """True values of a regressor's unknowns: the description's, and the offsets."""
        offsets = {f"{n}.offset": x for n, x in zip(self.model.layout.drive_names, self.offsets, strict=True)}
        return np.array([offsets.get(u.name, u.value) for u in unknowns])

    @cached_property
    def key(self) -> str:
        """Of all that a run depends on."""
        numbers = [self.stiffness, self.damping, self.offsets, self.feed_forward, *vars(self.reference).values()]
        text = dumps(self.robot) + repr([np.asarray(x).tolist() for x in numbers])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def experiment(name: str) -> Experiment:
    """hexapod, delta or five_bar."""
    if name == "hexapod":
        offsets = (3.0, -2.0, 1.5, 4.0, -3.5, 2.5)
        return Experiment(name, hexapod(), 3e5, 3.5e3, offsets, reach=0.06, seed=35)
    if name == "delta":
        return Experiment(name, delta(), 1.5e3, 24.0, (0.2, -0.15, 0.1), reach=0.5, seed=12)
    if name == "five_bar":
        return Experiment(name, five_bar(), 400.0, 6.0, (0.06, -0.04), reach=0.5, seed=55)
    raise KeyError(name)


NAMES = ("hexapod", "delta", "five_bar")
