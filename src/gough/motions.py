"""Prescribed motions: `gough.motions`, from the package that has them."""

from gough.simulation.motions import *  # noqa: F403
from gough.simulation.motions import __all__ as __all__
