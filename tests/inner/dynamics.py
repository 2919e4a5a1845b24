"""Inner names of `gough.dynamics`."""

from gough.dynamics.catalogue import CATALOGUE, FunctionKey
from gough.dynamics.forward import forward_dynamics
from gough.dynamics.inverse import inverse_dynamics, load_sizes
from gough.dynamics.legs.kinds import closed_form_kind
from gough.dynamics.numbers import Numbers
from gough.dynamics.stiffened import SlavedInertia, quadratic_terms
from gough.dynamics.terms import bias_force, mass_matrix

__all__ = [
    "CATALOGUE",
    "FunctionKey",
    "Numbers",
    "SlavedInertia",
    "bias_force",
    "closed_form_kind",
    "forward_dynamics",
    "inverse_dynamics",
    "load_sizes",
    "mass_matrix",
    "quadratic_terms",
]
