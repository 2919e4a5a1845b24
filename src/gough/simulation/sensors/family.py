"""The family of sensors: a new one is a file beside this one and its line here."""

from gough.simulation.sensors.accelerometer import Accelerometer
from gough.simulation.sensors.encoders import Encoders
from gough.simulation.sensors.sensor import Sensor
from gough.simulation.sensors.tachometers import Tachometers

__all__ = ["Accelerometer", "Encoders", "Sensor", "Tachometers"]
