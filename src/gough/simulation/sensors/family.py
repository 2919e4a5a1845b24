"""The family of sensors: a new one is a file beside this one and its line here."""

from gough.simulation.sensors.encoders import Encoders
from gough.simulation.sensors.sensor import Sensor

__all__ = ["Encoders", "Sensor"]
