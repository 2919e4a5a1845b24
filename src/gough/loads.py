"""Wrenches of the surroundings over time: `gough.loads`, for `wrench=` of runs."""

from gough.simulation.loads.family import *  # noqa: F403
from gough.simulation.loads.family import __all__ as __all__
