"""What can act on the drives in `gough.simulate`, as `gough.laws`: the laws, and the motions they take."""

from gough.simulation.control import laws as _laws
from gough.simulation.control.laws import *  # noqa: F403
from gough.simulation.control.reference import drives_of
from gough.simulation.control.replay import forces
from gough.simulation.results.tracking import forces_of, replay

__all__ = ["drives_of", "forces", "forces_of", "replay"]
__all__ += _laws.__all__
