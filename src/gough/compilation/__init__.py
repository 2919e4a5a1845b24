"""The one place where a robot's function and a backend meet."""

from gough.compilation.function import Function
from gough.compilation.linear import LinearModel
from gough.compilation.model import Model, build
from gough.compilation.results import (
    Assembly,
    CoordinateTerms,
    Energies,
    ForwardDynamics,
    InverseDynamics,
    LimitMargins,
    Reactions,
    Singularity,
)

__all__ = [
    "Assembly",
    "CoordinateTerms",
    "Energies",
    "ForwardDynamics",
    "Function",
    "InverseDynamics",
    "LimitMargins",
    "LinearModel",
    "Model",
    "Reactions",
    "Singularity",
    "build",
]
