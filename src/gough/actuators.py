"""What makes forces of a controller's commands: `gough.actuators`, for `gough.laws.Sampled(law, period, actuators=…)`."""

from gough.simulation.actuators.family import *  # noqa: F403
from gough.simulation.actuators.family import __all__ as __all__
