"""The family of observers: a new one is a file beside this one and its line here."""

from gough.simulation.control.observers.design import ObserverDesign
from gough.simulation.control.observers.extended import Extended
from gough.simulation.control.observers.kalman import Kalman
from gough.simulation.control.observers.observer import Observer

__all__ = ["Extended", "Kalman", "Observer", "ObserverDesign"]
