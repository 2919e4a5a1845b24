"""Variables of a description and expressions in their place: a small language of its own, nothing of Python is evaluated."""

from gough.robot.expressions._scope import (
    EXPRESSIONS_NEED,
    WRONG_ITSELF,
    Expression,
    Scope,
    Variables,
    scaled_expression,
)
from gough.robot.expressions.demands import expressions_in

__all__ = [
    "EXPRESSIONS_NEED",
    "WRONG_ITSELF",
    "Expression",
    "Scope",
    "Variables",
    "expressions_in",
    "scaled_expression",
]
