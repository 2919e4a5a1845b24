"""Derivatives of programs as programs."""

from gough.program.derivatives._derivation import (
    Derivation,
    Directions,
    derive,
    jacobian,
    jvp,
    names_of,
    prepare,
    push_forward,
    vjp,
)
from gough.program.derivatives._linearise import linearise
from gough.program.derivatives._net import Net

__all__ = [
    "Derivation",
    "Directions",
    "Net",
    "derive",
    "jacobian",
    "jvp",
    "linearise",
    "names_of",
    "prepare",
    "push_forward",
    "vjp",
]
