"""What estimates a robot that bends: `gough.observers`, for `gough.laws.Sampled(law, period, sensors=…, observer=…)`."""

from gough.simulation.control.observers.family import *  # noqa: F403
from gough.simulation.control.observers.family import __all__ as __all__
