"""What a controller sees of the robot: `gough.sensors`, for `gough.laws.Sampled(law, period, sensors=…)`."""

from gough.simulation.sensors.family import *  # noqa: F403
from gough.simulation.sensors.family import __all__ as __all__
