"""Moves that leave least vibration: a time law along a straight path, found by quadratic programs."""

from gough.simulation.motion.paths import PolynomialPath
from gough.simulation.motion.quiet._law import SplineLaws
from gough.simulation.motion.quiet._left import Leftover
from gough.simulation.motion.quiet._path_modes import COUNT, PathModes, path_modes
from gough.simulation.motion.quiet._program import minimise_quadratic

__all__ = ["COUNT", "Leftover", "PathModes", "PolynomialPath", "SplineLaws", "minimise_quadratic", "path_modes"]
