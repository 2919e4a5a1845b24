"""Inner names of `gough.dynamics`."""

from gough.dynamics.catalogue import CATALOGUE, FunctionKey
from gough.dynamics.inverse import inverse_dynamics, load_sizes

__all__ = ["CATALOGUE", "FunctionKey", "inverse_dynamics", "load_sizes"]
