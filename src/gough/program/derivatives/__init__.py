"""Derivatives of programs as programs."""

from gough.program.derivatives.forward import jacobian, jvp, push_forward
from gough.program.derivatives.reverse import vjp

__all__ = ["jacobian", "jvp", "push_forward", "vjp"]
