"""Runs of a foreign robot without noise: integrated, sampled, kept in a folder."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.integrate import DOP853, solve_ivp

from .experiments import Experiment
from .plant import Plant

TOLERANCE = 1e-11
"""Of a step, relative; a hundredth of it absolute (m, rad, s). Verified by runs with a hundredth of it."""
LONGEST = 0.01
"""Step (s)."""


@dataclass(frozen=True)
class CleanRun:
    """What a robot did, at n times (s), SI units: its drives, and the whole state in the library's coordinates.

    positions, rates, accelerations, forces, reference, reference_rates (n, drives); q (n, nq); v, acceleration (n, nv);
    pose (n, 7) of the platform, x y z qw qx qy qz, (n, 0) where there is none; gap (n,): of the most open loop (m).
    """

    time: np.ndarray
    positions: np.ndarray
    rates: np.ndarray
    accelerations: np.ndarray
    forces: np.ndarray
    reference: np.ndarray
    reference_rates: np.ndarray
    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    pose: np.ndarray
    gap: np.ndarray

    def part(self, chosen: slice) -> CleanRun:
        """Some of the samples."""
        return CleanRun(*(getattr(self, f.name)[chosen] for f in fields(self)))

    def save(self, path: Path) -> None:
        """As a compressed file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **{f.name: getattr(self, f.name) for f in fields(self)})  # pyright: ignore[reportArgumentType]

    @classmethod
    def load(cls, path: Path) -> CleanRun:
        """From that file."""
        with np.load(path) as file:
            return cls(**{f.name: file[f.name] for f in fields(cls)})


@dataclass
class ControlledPlant:
    """The robot with its controller: y = [q, nu]."""

    of: Experiment
    plant: Plant

    def force(self, t: float, y: np.ndarray) -> np.ndarray:
        """Drive forces."""
        x, xd, _ = self.of.reference.at(t)
        error = x - y[self.plant.drive_coordinates]
        rate = xd - y[self.plant.nq + self.plant.drives]
        return self.of.stiffness * error + self.of.damping * rate + self.of.feed_forward

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """dy/dt."""
        q, nu = y[: self.plant.nq], y[self.plant.nq :]
        return np.concatenate([self.plant.rates(q, nu), self.plant.accelerate(q, nu, self.force(t, y))])


def simulate(of: Experiment, duration: float = 10.0, rate_hz: float = 1000.0, tolerance: float = TOLERANCE) -> CleanRun:
    """The run from rest, where the drives hold the robot at the reference's beginning."""
    loop = ControlledPlant(of, Plant(of.robot, of.model.layout.v_names, of.offsets))
    times = np.arange(round(duration * rate_hz)) / rate_hz
    return gather(loop, times, integrate(loop.rates, start_of(loop), times, tolerance))


def start_of(loop: ControlledPlant) -> np.ndarray:
    """y at rest, where the drives have given way to the weight: steps with the drives' stiffness alone, which is nearly all."""
    plant, y = loop.plant, np.concatenate([loop.plant.home(), np.zeros(loop.plant.nv)])
    stiffness = np.zeros(plant.nv)
    stiffness[plant.drives] = loop.of.stiffness
    for _ in range(50):
        push, g, G = plant.balance(y[: plant.nq], loop.force(0.0, y))
        K = np.block([[np.diag(stiffness), G.T], [G, np.zeros((len(g), len(g)))]])
        step = np.linalg.solve(K, np.concatenate([push, -g]))[: plant.nv]
        y[: plant.nq] = pin.integrate(plant.model, y[: plant.nq], step)
        if np.abs(step).max() < 1e-14:
            return y
    raise RuntimeError(f"{loop.of.name}: the drives do not come to rest, last step {np.abs(step).max():.2g}")


def integrate(rates: Any, start: np.ndarray, times: np.ndarray, tolerance: float) -> np.ndarray:
    """y (n, …) at times (n,), the first of them the start's."""
    how: Any = {"method": DOP853, "rtol": tolerance, "atol": 0.01 * tolerance, "max_step": LONGEST}
    found = solve_ivp(rates, (times[0], times[-1]), start, t_eval=times, **how)
    if not found.success:
        raise RuntimeError(found.message)
    return found.y.T


def gather(loop: ControlledPlant, times: np.ndarray, states: np.ndarray) -> CleanRun:
    """Channels of states y (n, nq + nv)."""
    plant, of, rows = loop.plant, loop.of, []
    for t, y in zip(times, states, strict=True):
        x, nu = y[: plant.nq], y[plant.nq :]
        tau = loop.force(t, y)
        nudot = plant.accelerate(x, nu, tau, stable=0.0)
        gap = np.abs(plant.closures()[0]).max(keepdims=True)
        q = plant.to_library(x)
        rows.append((nudot[plant.drives], tau, q, *plant.independent(x, nu, nudot), gap))
    accelerations, forces, q, v, acceleration, gap = (np.array(column) for column in zip(*rows, strict=True))
    reference, reference_rates, _ = of.reference.at(times)
    positions, rates = states[:, plant.drive_coordinates], states[:, plant.nq + plant.drives]
    pose = q[:, : 7 if plant.floats else 0]
    drives = (positions, rates, accelerations, forces, reference, reference_rates)
    return CleanRun(times, *drives, q, v, acceleration, pose, gap[:, 0])


def clean_run(of: Experiment, folder: Path | None = None, duration: float = 10.0, rate_hz: float = 1000.0) -> CleanRun:
    """The run, simulated once for a folder."""
    if folder is None:
        return simulate(of, duration, rate_hz)
    path = Path(folder) / f"{of.name}-{of.key}-{duration:g}s-{rate_hz:g}Hz-{TOLERANCE:g}.npz"
    if not path.exists():
        run = simulate(of, duration, rate_hz)
        run.save(path)
    return CleanRun.load(path)
