"""[Long 2014, Table 4]: joint values at the initial pose, from the base points and the hexagon alone."""

import numpy as np

from gough_papers.comparison import Comparison, equals

TABLE_4 = (
    (-1.671, -1.373, -2.016, -1.958, -1.656, -1.936),
    (1.767, 1.764, 1.814, 1.859, 1.389, 1.345),
    (1.025, 1.039, 1.142, 1.126, 1.0203, 1.099),
)
"""Rows q1, q2 (rad), q3 (m); columns legs 1 to 6."""
ROUNDING = 5.5e-4
"""Half a unit of the last digit, and a little: some entries are cut off, not rounded."""
NAMES = ("first", "second", "slide")


def joint_values(home: np.ndarray, q_names: tuple[str, ...]) -> np.ndarray:
    """(3, 6): q1, q2 and q3 of each leg in a configuration."""
    return np.array([[home[q_names.index(f"leg{leg}.{name}")] for leg in range(6)] for name in NAMES])


def comparisons(found: np.ndarray) -> list[Comparison]:
    """Of joint values (3, 6) with the table."""
    units = ("rad", "rad", "m")
    return [
        equals(f"q{k + 1} of legs 1 … 6", found[k], TABLE_4[k], units[k], ROUNDING, "[Long 2014, Table 4]", form=".4f")
        for k in range(3)
    ]
