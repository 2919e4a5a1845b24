"""The one place where a robot's function and a backend meet."""

from gough.compilation.function import Function
from gough.compilation.model import Model, build
from gough.compilation.results import Energies, ForwardDynamics, InverseDynamics, Reactions, Singularity

__all__ = ["Energies", "ForwardDynamics", "Function", "InverseDynamics", "Model", "Reactions", "Singularity", "build"]
