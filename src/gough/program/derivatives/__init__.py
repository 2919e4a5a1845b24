"""Derivatives of programs as programs."""

from gough.program.derivatives.derivation import (
    Derivation,
    Directions,
    derive,
    jacobian,
    jvp,
    prepare,
    push_forward,
    vjp,
)
from gough.program.derivatives.linearise import linearise
from gough.program.derivatives.net import Net

__all__ = [
    "Derivation",
    "Directions",
    "Net",
    "derive",
    "jacobian",
    "jvp",
    "linearise",
    "prepare",
    "push_forward",
    "vjp",
]
