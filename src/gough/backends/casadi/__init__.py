"""Programs as CasADi functions."""

from gough.backends.casadi.function import to_casadi

__all__ = ["to_casadi"]
