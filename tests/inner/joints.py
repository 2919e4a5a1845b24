"""Inner names of `gough.joints`."""

from gough.joints.springs import LINEAR, OneSidedSpring, PolynomialSpring, SpringLaw, TableSpring

__all__ = ["LINEAR", "OneSidedSpring", "PolynomialSpring", "SpringLaw", "TableSpring"]
