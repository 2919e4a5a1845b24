"""Friction laws: the force a motion meets; one file a law, their sum is what a joint has."""

from typing import Any

from gough.friction.coulomb import coulomb
from gough.friction.viscous import viscous

__all__ = ["coulomb", "friction_force", "viscous"]


def friction_force(rate: Any, viscous_coefficient: Any, coulomb_force: Any, smoothing: Any, resting: Any = 0.0) -> Any:
    """Force that keeps `rate` going against friction (it stands on the left of the equations of motion).

    resting: the rate up to which the joint is at rest and meets no Coulomb friction.
    """
    return viscous(rate, viscous_coefficient) + coulomb(rate, coulomb_force, smoothing, resting)
