"""Viscous friction: proportional to the rate."""

from typing import Any


def viscous(rate: Any, coefficient: Any) -> Any:
    """coefficient · rate (N s/m or N m s/rad)."""
    return coefficient * rate
