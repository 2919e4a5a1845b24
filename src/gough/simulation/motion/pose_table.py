"""Poses made of polynomials as exact tables: pieces on common breaks, rotation vectors from each piece's own start."""

from typing import TYPE_CHECKING

import numpy as np

from gough.simulation.motion.paths import Polynomials, piece_of
from gough.simulation.motion.table import LARGEST, MotionTable
from gough.spatial.poses import quaternion_of_rotation_vector, quaternion_product

if TYPE_CHECKING:
    from gough.simulation.motion.pose_motion import PoseMotion


def pose_table(motion: "PoseMotion") -> MotionTable | None:
    """The table of a motion whose curves are polynomials and that turns about one axis in every piece; else None."""
    path, turn = motion.position, motion.orientation
    if not (isinstance(path, Polynomials) and isinstance(turn, Polynomials) and motion.chart == "rotation_vector"):
        return None
    if not _about_one_axis(turn):
        return None
    breaks = _split(motion, turn)
    starts = breaks[:-1]
    x, phi = _from(path, starts), _from(turn, starts)
    most = max(x.shape[2], phi.shape[2])
    x, phi = (np.pad(c, ((0, 0), (0, 0), (0, most - c.shape[2]))) for c in (x, phi))
    begun = quaternion_of_rotation_vector(phi[:, :, 0])
    phi[:, :, 0] = 0.0  # about one axis: exp((φ0 + δ)^) = exp(δ^) exp(φ0^)
    return MotionTable.of(motion, breaks, np.concatenate([x, phi], axis=1), quaternion_product(begun, motion.base))


def _about_one_axis(turn: Polynomials) -> bool:
    """Whether in every piece all rotation vectors are along one line through 0, to rounding."""
    powers = np.diff(turn.breaks)[:, None, None] ** np.arange(turn.coefficients.shape[2])
    s = np.linalg.svd(turn.coefficients * powers, compute_uv=False)
    return s.shape[1] == 1 or bool((s[:, 1] <= 1e-14 * s[:, 0]).all())


def _split(motion: "PoseMotion", turn: Polynomials) -> np.ndarray:
    """The motion's breaks and more where a piece turns by more than LARGEST."""
    parts = [motion.breaks[:1]]
    for a, b in zip(motion.breaks[:-1], motion.breaks[1:], strict=True):
        rate = np.linalg.norm(turn.at(np.linspace(a, b, 33), False)[1], axis=1).max()
        count = int(np.ceil(1.1 * rate * (b - a) / LARGEST)) or 1
        parts.append(np.linspace(a, b, count + 1)[1:])
    return np.concatenate(parts)


def _from(curve: Polynomials, starts: np.ndarray) -> np.ndarray:
    """Coefficients (p, n, d + 1) of the same polynomials in the time since each of `starts` (p,)."""
    k = piece_of(curve.breaks, starts, False)
    out = curve.coefficients[k].copy()
    shift = (starts - curve.breaks[k])[:, None]
    for low in range(out.shape[2] - 1):  # repeated synthetic division
        for power in range(out.shape[2] - 2, low - 1, -1):
            out[:, :, power] += shift * out[:, :, power + 1]
    return out
