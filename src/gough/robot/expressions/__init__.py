"""Variables of a description and expressions in their place: a small language of its own, nothing of Python is evaluated."""

from gough.robot.expressions._scope import Expression, Scope, Variables, expressions_in, scaled_expression

__all__ = ["Expression", "Scope", "Variables", "expressions_in", "scaled_expression"]
