"""The rigid limit of [Long 2014]'s flexible platform: as the plate gets stiffer, its forces become those of a rigid one.

The identity direct model of inverse model validates nothing; this does. The difference falls as 1/stiffness, and exactly so once
it is small, because the sag does. With the elastic coordinates held at zero instead it does not fall at all: the inverse model
then sees a plate that is just let go.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.comparison import Comparison, at_least, equals

if TYPE_CHECKING:
    from gough.compilation import Model

STIFFER = (1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class RigidLimit:
    """Largest difference of the drive forces at rest at the initial pose from those of a rigid platform, N, for stiffnesses
    STIFFER times those of Table 2. settled (4,): in static equilibrium. flat (4,): elastic coordinates zero."""

    settled: np.ndarray
    flat: np.ndarray

    def comparisons(self) -> list[Comparison]:
        """By what holds of any plate."""
        return [
            equals(
                "difference from rigid: fall from 100 to 1000 times the stiffness",
                self.settled[2] / self.settled[3],
                10.0,
                "times",
                0.005,
                "linear elasticity",
                relative=True,
                form=".3f",
            ),
            at_least(
                "the same with the plate held flat",
                float(self.flat[3] / self.flat[0]),
                0.999,
                "of it is left",
                "no elastic force, whatever the stiffness",
                form=".4f",
                note="elastic coordinates must be integrated or in equilibrium: set to zero they never give the rigid model",
            ),
        ]


def rigid_limit(flexible: "Model", rigid: "Model") -> RigidLimit:
    """Of `long2014` and `long2014_rigid` at home, at rest."""
    from gough.analysis.equilibrium import static_equilibrium

    still = np.zeros(6)
    truth = rigid.inverse_dynamics(rigid.home, still, still).tau
    settled, flat = [], []
    for factor in STIFFER:
        stiffer = _stiffer(flexible, factor)
        settled.append(_off(static_equilibrium(flexible, parameters=stiffer).tau, truth))
        at_zero = flexible.inverse_dynamics(flexible.home, np.zeros(flexible.layout.nv), still, parameters=stiffer)
        flat.append(_off(at_zero.tau, truth))
    return RigidLimit(np.array(settled), np.array(flat))


def _stiffer(model: "Model", factor: float) -> np.ndarray:
    values = model.parameters.copy()
    of_stiffness = [i for i, name in enumerate(model.parameter_names) if name.startswith("platform.Ke[")]
    values[of_stiffness] *= factor
    return values


def _off(forces: Any, truth: np.ndarray) -> float:
    return float(np.abs(np.asarray(forces) - truth).max())
