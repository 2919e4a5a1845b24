"""The family of loads: a new one is a file beside this one and its line here."""

from gough.simulation.loads.constant import Constant
from gough.simulation.loads.formula import Formula
from gough.simulation.loads.load import TimeLoad
from gough.simulation.loads.noise import Noise
from gough.simulation.loads.pulse import Pulse
from gough.simulation.loads.series import Series
from gough.simulation.loads.sine import Sine

__all__ = ["Constant", "Formula", "Noise", "Pulse", "Series", "Sine", "TimeLoad"]
