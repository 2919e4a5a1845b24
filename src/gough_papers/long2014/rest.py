"""[Long 2014]: the flexible robot at rest at its initial pose, what becomes of small motions there, and of a stiffer plate.

The paper has no such numbers; those here are of independent models of the same robot, with the stiffnesses of Table 2.

The rigid limit: as the plate gets stiffer, its forces become those of a rigid one. The identity direct model of inverse model
validates nothing; this does. The difference falls as 1/stiffness, and exactly so once it is small, because the sag does. With the
elastic coordinates held at zero instead it does not fall at all: the inverse model then sees a plate that is just let go.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Equilibrium, Model, Modes, ZeroDynamics, natural_frequencies, static_equilibrium, zero_dynamics
from gough.fem.elastic_body import ElasticBody
from gough_papers.comparison import (
    INDEPENDENT,
    Demonstration,
    KnownComparison,
    Tolerance,
    at_most,
    equals,
    exact,
    half_digit,
)
from gough_papers.long2014.plate import vertices

FORCES = (-599.8, -409.7, 1918.5, -976.3, -122.8, 1528.0)
"""Drive forces that hold the robot, N."""
SAG = 0.013
"""Largest way of a vertex from flat, m."""
LOCKED_GROWTH, FLOATING_SLOWEST, CENTRE_ZEROS = 2.5, -17.0, (232.0, 364.0, 435.0)
"""1/s. With locked legs; of the zero dynamics with the floating frame held; the growing ones with the plate's centre held."""


@dataclass(frozen=True)
class Rest:
    """still: static equilibrium. locked, undeformed: modes with locked legs about it, and of the plate as it is without load.
    free: modes with free drives. floating, centre: zero dynamics. sag (6,): of the plate's vertices, m."""

    still: Equilibrium
    sag: np.ndarray
    locked: Modes
    undeformed: Modes
    free: Modes
    floating: ZeroDynamics
    centre: ZeroDynamics

    def comparisons(self) -> list[KnownComparison]:
        """With independent models."""
        zeros = np.real(self.centre.eigenvalues)
        zeros = np.sort(zeros[zeros > 0])
        sag, locked, floating = 1e3 * np.abs(self.sag).max(), self.locked.eigenvalues, self.floating.eigenvalues
        grows, slowest = "legs locked: fastest growth", "zero dynamics, floating frame: slowest"
        note = "looks stable and is not: the undeformed plate is the wrong state to linearise about"
        unloaded, centre = growth(self.undeformed.eigenvalues), "zero dynamics, material centre: zeros"
        return [
            equals("drive forces that hold it", self.still.tau, FORCES, "N", half_digit(0.05), INDEPENDENT, form=".1f"),
            equals("largest sag of a vertex", sag, 1e3 * SAG, "mm", half_digit(0.5), INDEPENDENT, form=".1f"),
            equals(grows, growth(locked), LOCKED_GROWTH, "1/s", half_digit(0.05), INDEPENDENT, form="+.3f"),
            at_most(
                "the same without load: growth", unloaded, 0.0, "1/s", INDEPENDENT, "stable", form="+.3f", note=note
            ),
            equals(slowest, growth(floating), FLOATING_SLOWEST, "1/s", half_digit(0.5), INDEPENDENT, form="+.2f"),
            equals(centre, zeros, CENTRE_ZEROS, "1/s", half_digit(0.5), INDEPENDENT, form="+.1f"),
        ]


def growth(eigenvalues: np.ndarray) -> float:
    """The largest real part, 1/s."""
    return float(np.real(eigenvalues).max())


def at_rest(model: Model, plate: ElasticBody) -> Rest:
    """Equilibrium, modes and zero dynamics of `long2014` at home; plate: its flexible body, for the shapes at the vertices."""

    still = static_equilibrium(model)
    return Rest(
        still,
        plate.shapes[vertices(plate), 2] @ still.elastic,
        natural_frequencies(model, still.q),
        natural_frequencies(model, about="undeformed"),
        natural_frequencies(model, still.q, drives="free"),
        zero_dynamics(model, still.q),
        zero_dynamics(model, still.q, output="center"),
    )


STIFFER = (1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class RigidLimit:
    """Largest difference of the drive forces at rest at the initial pose from those of a rigid platform, N, for stiffnesses
    STIFFER times those of Table 2. settled (4,): in static equilibrium. flat (4,): elastic coordinates zero."""

    settled: np.ndarray
    flat: np.ndarray

    def comparisons(self) -> list[KnownComparison]:
        """By what holds of any plate."""
        fall = "difference from rigid: fall from 100 to 1000 times the stiffness"
        linear = Tolerance(0.005, "the part of the sag that is not linear, at 100 times", relative=True)
        fell = self.settled[2] / self.settled[3]
        return [equals(fall, fell, 10.0, "times", linear, exact("linear elasticity"), form=".3f")]

    def demonstrations(self) -> list[Demonstration]:
        """Elastic coordinates must be integrated or in equilibrium: set to zero they never give the rigid model."""
        left = f"{self.flat[3] / self.flat[0]:.4f} of it is left"
        why = "there is no elastic force then, whatever the stiffness"
        return [Demonstration("difference from rigid with the plate held flat, 1000 times the stiffness", left, why)]


def rigid_limit(flexible: Model, rigid: Model) -> RigidLimit:
    """Of `long2014` and `long2014_rigid` at home, at rest."""

    still = np.zeros(6)
    truth = rigid.inverse_dynamics(rigid.home, still, still).tau
    settled, flat = [], []
    for factor in STIFFER:
        stiffer = _stiffer(flexible, factor)
        settled.append(_off(static_equilibrium(flexible, parameters=stiffer).tau, truth))
        at_zero = flexible.inverse_dynamics(flexible.home, np.zeros(flexible.layout.nv), still, parameters=stiffer)
        flat.append(_off(at_zero.tau, truth))
    return RigidLimit(np.array(settled), np.array(flat))


def _stiffer(model: Model, factor: float) -> np.ndarray:
    values = model.parameters.copy()
    of_stiffness = [i for i, name in enumerate(model.parameter_names) if name.startswith("platform.Ke[")]
    values[of_stiffness] *= factor
    return values


def _off(forces: Any, truth: np.ndarray) -> float:
    return float(np.abs(np.asarray(forces) - truth).max())
