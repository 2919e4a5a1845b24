"""Logs whose every derivative is known: periodic motions of robots in closed form, and what sensors make of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import gough


@dataclass(frozen=True)
class Log:
    """Exact states at times t (n,) of a motion, drive coordinates x (n, drives) and forces tau (n, drives)."""

    model: gough.Model
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    x: np.ndarray
    rate: np.ndarray
    tau: np.ndarray

    def record(
        self, step: float = 0.0, noise: float = 0.0, late: float = 0.0, seed: int = 0, **more: Any
    ) -> gough.Record:
        """Encoders with this step, forces with noise (of their spread) that come late (s)."""
        rng, names = np.random.default_rng(seed), self.model.layout.drive_names
        x = np.round(self.x / step) * step if step else self.x
        from scipy.interpolate import CubicSpline

        tau = CubicSpline(self.t, self.tau)(np.clip(self.t - late, 0, None)) if late else self.tau
        tau = tau + noise * self.tau.std(axis=0) * rng.normal(size=tau.shape)
        positions = {d: x[:, k] for k, d in enumerate(names)}
        return gough.Record("log", self.t, positions, {d: tau[:, k] for k, d in enumerate(names)}, **more)

    def at(self, samples: gough.Samples) -> np.ndarray:
        """Rows of the log at the times of samples."""
        return np.searchsorted(self.t, samples.time - 1e-9)


def wave(n: int, harmonics: int, base_hz: float, size: Any, seed: int) -> Any:
    """A function of time: n channels, sums of cosines and sines, of this size about 0."""
    rng = np.random.default_rng(seed)
    C, S = rng.normal(size=(2, n, harmonics)) / harmonics
    w = 2 * np.pi * base_hz * np.arange(1, harmonics + 1)
    scale = np.broadcast_to(size, (n,))

    def position(t: Any) -> list[Any]:
        return [
            scale[k] * sum(C[k, h] * np.cos(w[h] * t) + S[k, h] * np.sin(w[h] * t) for h in range(harmonics))
            for k in range(n)
        ]

    return position


@cache
def build(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


@cache
def log_of(
    name: str, size: float, rate_hz: float = 500.0, seconds: float = 12.0, base_hz: float = 0.25, posed: bool = False
) -> Log:
    """A motion of five harmonics: of the drives, or of the platform's pose."""
    model = build(name)
    drives = model.layout.drive_names
    home = model.drives(model.home)
    if posed:
        move = wave(6, 5, base_hz, [size] * 3 + [2 * size] * 3, 7)
        begin = model.home[:3]
        motion = gough.motions.function(
            lambda t: [c + x for c, x in zip([*begin, 0, 0, 0], move(t), strict=True)], seconds
        )
    else:
        move = wave(len(drives), 5, base_hz, size, 7)
        motion = gough.motions.function(
            lambda t: [h + x for h, x in zip(home, move(t), strict=True)], seconds, kind="drives", names=drives
        )
    t = np.arange(round(seconds * rate_hz)) / rate_hz
    s = gough.motions.states_along(model, motion, t)
    assert not s.status.any()
    acceleration = np.zeros_like(s.v)
    acceleration[:, : model.mobility] = s.acceleration
    tau = model.inverse_dynamics(s.q, s.v, s.acceleration).tau
    rate = np.einsum("nij,ni->nj", model.drive_map(s.q), s.v)
    return Log(model, t, s.q, s.v, acceleration, model.drives(s.q), rate, tau)


def relative(ours: np.ndarray, truth: np.ndarray) -> float:
    """Root mean square of the difference, relative to that of the truth."""
    return float(np.sqrt(np.mean((ours - truth) ** 2) / np.mean(truth**2)))
