"""The family of actuators: a new one is a file beside this one and its line here."""

from gough.simulation.actuators.actuator import Actuator
from gough.simulation.actuators.elastic_gear import ElasticGear
from gough.simulation.actuators.lag import Lag
from gough.simulation.actuators.rate_limit import RateLimit

__all__ = ["Actuator", "ElasticGear", "Lag", "RateLimit"]
