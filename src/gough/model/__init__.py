"""`gough.Model`: a robot's finished stages, its functions and its calls."""

from gough.compilation.function import Function
from gough.kinematics.singularity import Singularity
from gough.model.linear import LinearModel
from gough.model.model import Model, build
from gough.model.results import (
    Configurations,
    CoordinateTerms,
    Energies,
    ForwardDynamics,
    InverseDynamics,
    LimitMargins,
    Reactions,
)

__all__ = [
    "Configurations",
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
