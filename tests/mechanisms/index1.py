"""A mechanism from its energies and constraints alone: M p'' = f - G^T lambda, G p'' = -G' p', in CasADi."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np


@dataclass(frozen=True)
class Solution:
    """Accelerations p'' and multipliers lambda (of least length where constraints repeat each other)."""

    accelerations: np.ndarray
    multipliers: np.ndarray


class Index1:
    """kinetic, potential: energies in coordinates p and rates pd; g: constraints; push: further forces on p, of loads."""

    def __init__(
        self, p: ca.SX, pd: ca.SX, kinetic: ca.SX, potential: ca.SX, g: ca.SX, push: ca.SX, loads: ca.SX
    ) -> None:
        momentum = ca.gradient(kinetic, pd)
        force = ca.gradient(kinetic - potential, p) + push - ca.jtimes(momentum, p, pd)
        G = ca.jacobian(g, p)
        terms = [ca.jacobian(momentum, pd), force, G, ca.jtimes(G @ pd, p, pd)]
        self._terms = ca.Function("terms", [p, pd, loads], terms)
        self._closure = ca.Function("closure", [p], [g, G])
        self._energies = ca.Function("energies", [p, pd], [kinetic, potential])
        self.n = p.numel()

    def gap(self, p: np.ndarray) -> float:
        """Largest constraint at p."""
        return float(np.abs(np.array(self._closure(p)[0])).max())

    def closed(self, p: np.ndarray) -> np.ndarray:
        """p with its constraints closed by Newton, the first coordinate kept."""
        p = np.array(p, dtype=float)
        for _ in range(8):
            g, G = (np.array(x) for x in self._closure(p))
            p[1:] -= np.linalg.lstsq(G[:, 1:], g[:, 0], rcond=1e-9)[0]
        return p

    def rates(self, p: np.ndarray, first: float) -> np.ndarray:
        """Rates that keep the constraints closed, from that of the first coordinate."""
        G = np.array(self._closure(p)[1])
        return np.concatenate([[first], np.linalg.lstsq(G[:, 1:], -G[:, 0] * first, rcond=1e-9)[0]])

    def energies(self, p: np.ndarray, pd: np.ndarray) -> tuple[float, float]:
        """Kinetic and potential energy, J."""
        kinetic, potential = self._energies(p, pd)
        return float(kinetic), float(potential)

    def solve(self, p: np.ndarray, pd: np.ndarray, loads: float = 0.0) -> Solution:
        """The motion that follows."""
        mass, force, G, rest = (np.array(x) for x in self._terms(p, pd, loads))
        system = np.block([[mass, G.T], [G, np.zeros((len(G), len(G)))]])
        scale = 1 / np.sqrt(np.abs(system).max(axis=1))
        right = np.concatenate([force, -rest])[:, 0]
        x = scale * np.linalg.lstsq(scale[:, None] * system * scale, scale * right, rcond=1e-12)[0]
        return Solution(x[: self.n], x[self.n :])
