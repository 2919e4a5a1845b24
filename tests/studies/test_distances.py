"""Room between legs, beside least squares with bounds between straight lines from base to platform."""

from itertools import combinations

import numpy as np
from scipy.optimize import lsq_linear

import gough

from .rebuilding import UNEVEN, built

RADIUS, STEP = 0.03, 1e-4


def places(wide: float, high: float, ball: float) -> tuple[np.ndarray, np.ndarray]:
    """Points of the legs on the base and on the platform, as the description has them."""
    base = [[wide, -0.11, 0], [wide - 0.03, 0.13, high], [-0.17, wide, 0.02], [-0.36, 0.41, 0], [-0.39, -0.4, 0]]
    top = [[ball, -0.24, 0.01], [ball + 0.02, 0.22, 0], [0.1, 0.3, 0], [-0.31, ball / 3, -0.02], [-0.3, -0.06, 0]]
    return np.array([*base, [-0.16, -wide, high]]), np.array([*top, [0.12, -0.31, 0]])


def rooms(q: np.ndarray, design: dict[str, float]) -> np.ndarray:
    """Of all pairs of legs: the nearest two points of two segments."""
    base, top = places(**design)
    turn = np.cross(2 * q[4:7], top)
    tips = q[:3] + top + q[3] * turn + np.cross(q[4:7], turn)
    out = []
    for i, j in combinations(range(6), 2):
        lines = np.stack([tips[i] - base[i], base[j] - tips[j]], axis=1)
        away = lsq_linear(lines, base[j] - base[i], (0.0, 1.0), method="bvls", tol=1e-15).fun
        out.append(np.linalg.norm(away) - 2 * RADIUS)
    return np.array(out)


def test_legs_of_an_uneven_hexapod() -> None:
    model = built(UNEVEN)
    q = model.integrate(model.home, np.array([0.08, -0.05, -0.2, 0.3, -0.2, 1.2]), 1.0)
    design = {"wide": 0.55, "high": 0.04, "ball": 0.21}
    found = gough.sensitivity(model, f"distance:{RADIUS}", q, list(design))
    assert np.abs(found.values - rooms(q, design)).max() < 1e-12
    for name in design:
        ends = [rooms(q, design | {name: design[name] + sign * STEP}) for sign in (2, 1, -1, -2)]
        truth = (8 * (ends[1] - ends[2]) - (ends[0] - ends[3])) / (12 * STEP)
        assert np.abs(found[name] - truth).max() < 1e-8, name
    assert np.abs(found.derivatives).max() > 0.3
