"""A loop of sensors, a law on a clock and actuators in plain Python, around the exact solution of a linear robot: a mass on a
driven slider, x_{k+1} = e^{A h} x_k + ∫ e^{A s} ds B u. Its clocks and random numbers are written once more, in integers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import numpy as np
from scipy.linalg import expm

import gough
from gough.sensors import Encoders
from laws.subjects import built
from simulation.sliders import MASS, slider

KP, KD, GOAL, T = 900.0, 45.0, 0.03, 2e-3


@cache
def mass() -> gough.Model:
    return slider()


@cache
def five_bar() -> gough.Model:
    return built(gough.load("five_bar"))


def stand(duration: float) -> gough.Motion:
    return gough.motions.function(lambda t: [GOAL + 0.0 * t], duration, kind="drives", names=["slide"])


def _near(x: int) -> int:
    """x modulo 2^26, between ± 2^25."""
    return (x + 2**25) % 2**26 - 2**25


def _halved(x: int, bits: int) -> int:
    """x / 2^bits to the nearest whole number, halves to even ones."""
    low, rest = x >> bits, x & (2**bits - 1)
    half = 2 ** (bits - 1)
    return low + (rest > half or (rest == half and low % 2 == 1))


def words(seed: int, run: int, name: str, sample: int, pair: int) -> tuple[float, float]:
    digest = hashlib.blake2b(f"{seed} {run} {name}".encode(), digest_size=8).digest()
    key = [_near(int.from_bytes(digest[k : k + 4], "little")) for k in (0, 4)]
    left, right = sample, pair
    for k in range(10):
        step = _near(k * 0x278DDE7)
        left, right = right, _near(left + _halved(right * (right + key[k % 2] + step), 13))
    return tuple((x + 2**25 + 1) / (2**26 + 2) for x in (left, right))  # type: ignore[return-value]


def normal(seed: int, run: int, name: str, sample: int) -> float:
    a, b = words(seed, run, name, sample, 0)
    return float(np.sqrt(-2 * np.log(a)) * np.cos(2 * np.pi * b))


@dataclass
class Late:
    """Values that are shown a delay after they were taken."""

    delay: float
    taken: list[tuple[float, Any]] = field(default_factory=list)

    def shown(self, t: float) -> Any:
        seen = [x for when, x in self.taken if when + self.delay <= t + 1e-9]
        return seen[-1] if seen else self.taken[0][1]


def simulated(
    duration: float,
    *,
    force: Callable[[int, float, float], float] = lambda k, x, v: KP * (GOAL - x) - KD * v,
    encoders: Encoders | None = None,
    delay: float = 0.0,
    limit: float = np.inf,
    rate: float = np.inf,
    seed: int = 0,
    run: int = 0,
    fine: float = 1e-4,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(times, positions, forces) on a grid of fine steps."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 2] = 1.0, 1.0 / MASS
    step = expm(A * fine)
    x, v, last, sent, speed = 0.0, 0.0, 0.0, 0.0, 0.0
    readings, commands = Late(encoders.delay if encoders else 0.0), Late(delay)
    times, places, forces, k, j = [], [], [], 0, 0
    for i in range(round(duration / fine) + 1):
        t = i * fine
        own = T if encoders is None or encoders.period is None else encoders.period
        if encoders is not None and t >= j * own - 1e-9:
            told = (
                x
                + float(cast(Any, encoders.bias))
                + float(cast(Any, encoders.noise)) * normal(seed, run, "encoders 0", j)
            )
            if encoders.resolution:
                unit = float(cast(Any, encoders.resolution))
                told = round(told / unit) * unit
            if encoders.lost and j and words(seed, run, "encoders 0", j, 1)[0] < encoders.lost:
                told = last
            new = (told - last) / own
            if encoders.bandwidth:
                new = speed + (1 - np.exp(-2 * np.pi * encoders.bandwidth * own)) * (new - speed)
            speed = v if j == 0 else new
            last, j = told, j + 1
            readings.taken.append((t, (told, speed)))
        if t >= k * T - 1e-9:
            seen = readings.shown(t) if encoders is not None else (x, v)
            u = float(np.clip(force(k, *seen), -limit, limit))
            sent = u if k == 0 else sent + float(np.clip(u - sent, -rate * T, rate * T))
            commands.taken.append((t, sent))
            k += 1
        held = commands.shown(t)
        times.append(t)
        places.append(x)
        forces.append(held)
        x, v, _ = step @ [x, v, held]
    return np.array(times), np.array(places), np.array(forces)
