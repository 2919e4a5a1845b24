"""Numbers that differ from run to run: `gough.vary`, from the package that has them."""

from gough.simulation.ensembles.vary import *  # noqa: F403
from gough.simulation.ensembles.vary import __all__ as __all__
