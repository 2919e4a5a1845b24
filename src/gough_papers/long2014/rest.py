"""[Long 2014]: the flexible robot at rest at its initial pose, what becomes of small motions there, and of a stiffer plate.

The paper has no such numbers; those here are of another model of the same robot, with the stiffnesses of Table 2 and the
library's modes: energies, differentiated automatically, which tests/papers/test_long2014_rest.py computes to these digits.

The rigid limit: as the plate gets stiffer, its forces become those of a rigid one. The identity direct model of inverse model
validates nothing; this does. The difference falls as 1/stiffness in the limit, because the sag does. With the
elastic coordinates held at zero instead it does not fall at all: the inverse model then sees a plate that is just let go.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Equilibrium, Model, Modes, ZeroDynamics, natural_frequencies, static_equilibrium, zero_dynamics
from gough.fem.elastic_body import ElasticBody
from gough_papers.comparison import (
    Demonstration,
    KnownComparison,
    Origin,
    Tolerance,
    equals,
    exact,
    half_digit,
)
from gough_papers.long2014.plate import vertices

ENERGIES = Origin(
    "independent",
    "energies with automatic differentiation; the plate's mesh and modes are the library's (tests/papers/test_long2014_rest.py)",
)
FORCES = (-599.77, -409.66, 1918.54, -976.31, -122.76, 1528.02)
"""Drive forces that hold the robot, N."""
SAG_MM = 13.077
"""Largest way of a vertex from flat, mm."""
LOCKED_GROWTH, UNLOADED_GROWTH, FREE_GROWTH = 2.518, -0.01655, 7.407
"""1/s: legs locked; the same without gravity; drive forces constant."""
FLOATING_SLOWEST, CENTRE_ZEROS = -16.76, (232.6, 365.0, 436.2)
"""1/s, zero dynamics: the slowest with the floating frame held; the growing ones with the plate's centre held."""


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
        sag, force = 1e3 * np.abs(self.sag).max(), self.still.tau
        note = f"stable without load; under its weight, {LOCKED_GROWTH:+.3f} 1/s, it is not"
        grows = [growth(modes.eigenvalues) for modes in (self.locked, self.undeformed, self.free, self.floating)]
        rates = (
            ("legs locked: fastest growth", LOCKED_GROWTH, 0.0005, "+.3f", ""),
            ("the same without load: slowest decay", UNLOADED_GROWTH, 0.000005, "+.5f", note),
            ("drive forces constant: fastest growth", FREE_GROWTH, 0.0005, "+.3f", ""),
            ("zero dynamics, floating frame: slowest decay", FLOATING_SLOWEST, 0.005, "+.2f", ""),
        )
        return [
            equals("drive forces that hold it", force, FORCES, "N", half_digit(0.005), ENERGIES, form=".2f"),
            equals("largest sag of a vertex", sag, SAG_MM, "mm", half_digit(0.0005), ENERGIES, form=".3f"),
            *(
                equals(what, found, known, "1/s", half_digit(half), ENERGIES, form=form, note=words)
                for found, (what, known, half, form, words) in zip(grows, rates, strict=True)
            ),
            equals(
                "zero dynamics, material centre: zeros",
                zeros,
                CENTRE_ZEROS,
                "1/s",
                half_digit(0.05),
                ENERGIES,
                form="+.1f",
            ),
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
SETTLED = (31.555, 3.3280, 0.33464, 0.033483)
"""N: `RigidLimit.settled`."""
SECOND = abs(SETTLED[1] * STIFFER[1] / (SETTLED[2] * STIFFER[2]) - 1) / (1 / STIFFER[1] - 1 / STIFFER[2])
"""|b/a| of settled = (a + b/s)/s at s times the stiffness, from those at 10 and 100."""


@dataclass(frozen=True)
class RigidLimit:
    """Largest difference of the drive forces at rest at the initial pose from those of a rigid platform, N, for stiffnesses
    STIFFER times those of Table 2. settled (4,): in static equilibrium. flat (4,): elastic coordinates zero."""

    settled: np.ndarray
    flat: np.ndarray

    def comparisons(self) -> list[KnownComparison]:
        """With another model, and by what holds of any plate."""
        fall = "difference from rigid: fall from 100 to 1000 times the stiffness"
        linear = Tolerance(SECOND / STIFFER[2], "the second-order part of the difference at 100 times", relative=True)
        fell = self.settled[2] / self.settled[3]
        known = zip(STIFFER, self.settled, SETTLED, (".3f", ".4f", ".5f", ".6f"), strict=True)
        return [
            *(
                equals(
                    f"difference from rigid, {s:g} times",
                    a,
                    b,
                    "N",
                    half_digit(0.5 * 10.0 ** -int(f[1])),
                    ENERGIES,
                    form=f,
                )
                for s, a, b, f in known
            ),
            equals(
                fall,
                fell,
                10.0,
                "times",
                linear,
                exact("the limit of linear elasticity, not reached at a finite stiffness"),
                form=".4f",
            ),
        ]

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
