"""What can act on the drives in `gough.simulate`, as `gough.laws`: the laws, the motions they take, and what one's own laws are
written with."""

from gough.simulation.control import laws as _laws
from gough.simulation.control.instant import Instant
from gough.simulation.control.law import Action, Here, Inner, as_numbers, entries
from gough.simulation.control.laws import *  # noqa: F403
from gough.simulation.control.own_robot import Measured
from gough.simulation.control.reference import drives_of
from gough.simulation.control.replay import forces
from gough.simulation.results.tracking import forces_of, replay

__all__ = ["drives_of", "forces", "forces_of", "replay"]
__all__ += _laws.__all__
__all__ += ["Action", "Here", "Inner", "Instant", "Measured", "as_numbers", "entries"]
