"""What can act on the drives in `gough.simulate`: `gough.laws`, from the package that has it."""

from gough.simulation.laws import *  # noqa: F403
from gough.simulation.laws import __all__ as __all__
