"""Of `gough.scalar`: numbers with slopes."""

from gough.scalar.slopes import STEP, as_number, formula_slopes, has_slopes, join_slopes, real_part, slope_part

__all__ = ["STEP", "as_number", "formula_slopes", "has_slopes", "join_slopes", "real_part", "slope_part"]
