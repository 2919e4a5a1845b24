"""Where the second robot of a comparison stands."""

import numpy as np

Array = np.ndarray

APART = 1.3
"""Distance of two robots beside each other, in widths of the larger."""


def offset_beside(first: Array, second: Array, up: Array) -> Array:
    """Shift (3,) of the second robot, m. first, second (2, 3): lowest and highest coordinates; up (3,): away from gravity.

    Along that horizontal axis of the world in which they are widest: a robot is broad where one looks at it, and so both are
    seen side by side.
    """
    level = int(np.argmax(np.abs(up))) if np.linalg.norm(up) > 0 else 2
    sides = [k for k in range(3) if k != level]
    extent = np.maximum(first[1] - first[0], second[1] - second[0])
    along = max(sides, key=lambda k: (round(float(extent[k] / max(extent.max(), 1e-12)), 1), -k))
    shift = np.zeros(3)
    middle = first[:, along].mean() - second[:, along].mean()
    shift[along] = middle + APART * max(float(extent[along]), 1e-6)
    return shift
