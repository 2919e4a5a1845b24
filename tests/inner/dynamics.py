"""Inner names of `gough.dynamics`."""

from gough.dynamics.catalogue import CATALOGUE, FunctionKey
from gough.dynamics.forward import forward_dynamics
from gough.dynamics.inverse import inverse_dynamics, load_sizes
from gough.dynamics.legs.kinds import closed_form_kind
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regroup_inertia
from gough.dynamics.stiffened import SlavedInertia, quadratic_terms
from gough.dynamics.terms import bias_force, mass_matrix
from gough.dynamics.velocity_terms.coriolis import coriolis_force
from gough.dynamics.velocity_terms.momentum import momentum, momentum_change

__all__ = [
    "CATALOGUE",
    "FunctionKey",
    "Numbers",
    "SlavedInertia",
    "bias_force",
    "closed_form_kind",
    "coriolis_force",
    "forward_dynamics",
    "inverse_dynamics",
    "load_sizes",
    "mass_matrix",
    "momentum",
    "momentum_change",
    "quadratic_terms",
    "regroup_inertia",
]
