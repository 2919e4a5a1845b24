"""The time loop of every method."""

import numpy as np

from gough.errors import UsageError
from gough.simulation.arguments import seconds
from gough.simulation.given import is_number
from gough.simulation.integration.generalised_alpha import generalised_alpha
from gough.simulation.integration.implicit import runge_kutta
from gough.simulation.integration.implicit_marching import Implicit
from gough.simulation.integration.leapfrog_marching import Leapfrog
from gough.simulation.integration.marching import Explicit, Marching
from gough.simulation.integration.methods import method_named
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.sundials import ADAMS, BDF
from gough.simulation.integration.sundials_marching import Cvode
from gough.simulation.integration.tableaux import tableaux

Array = np.ndarray
LONGEST_STEP = 0.05
"""Longest step (s) of adaptive methods where none is given."""
RHO_INFINITY = 0.8
"""What generalised_alpha leaves of an infinitely fast vibration after a step, where nothing else is asked for."""
EQUAL_STEP = 1e-3
"""Step (s) of methods with equal steps where none is given."""


def marching_of(
    plant: Plant, method: str, numbers: Array, step: float | None, tolerance: float, rho_infinity: float | None = None
) -> Marching:
    """What goes through the pieces of a run; UsageError for a bad setting. step (s): equal, or longest; None: as above.
    rho_infinity: of generalised_alpha alone."""
    found = method_named(method)
    step = None if step is None else seconds("step", step)
    if not is_number(tolerance) or not 1e-14 <= tolerance <= 1e-1:
        raise UsageError(f"tolerance={tolerance!r}: give a number between 1e-14 and 0.1")
    if rho_infinity is not None and method != "generalised_alpha":
        raise UsageError(f"rho_infinity is a setting of generalised_alpha, not of {method}")
    rho_infinity = RHO_INFINITY if rho_infinity is None else rho_infinity
    if not is_number(rho_infinity) or not 0 <= rho_infinity <= 1:
        raise UsageError(
            f"rho_infinity={rho_infinity!r}: give a number between 0 (fast vibrations vanish) and 1 (they stay)"
        )
    h = step if step is not None else LONGEST_STEP if found.adaptive else EQUAL_STEP
    if method == "leapfrog":
        return Leapfrog(plant, numbers, h, tolerance)
    if method in ("cvode", "cvode_bdf"):
        return Cvode(plant, ADAMS if method == "cvode" else BDF, numbers, h, tolerance)
    if method == "generalised_alpha":
        return Implicit(plant, generalised_alpha(plant, rho_infinity), numbers, h, tolerance)
    if found.implicit:
        return Implicit(plant, runge_kutta(plant, tableaux()[method]), numbers, h, tolerance)
    return Explicit(plant, tableaux()[method], numbers, h, tolerance)
