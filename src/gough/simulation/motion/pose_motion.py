"""Motions of a pose: a curve of the position, and one of the orientation's coordinates in a chart."""

from dataclasses import dataclass, replace

import numpy as np

from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import Curve, Three
from gough.spatial.charts import turned
from gough.spatial.poses import quaternion_product
from gough.structure.layout import POSE_NAMES, POSE_UNITS

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PoseMotion(Motion):
    """position: x y z (m). orientation: coordinates in `chart` (see `rotation_charts`). base (4,): the constant rotation
    on the right, wxyz: R(t) = R_chart(t) R_base."""

    position: Curve
    orientation: Curve
    chart: str
    base: np.ndarray

    def _at(self, t: np.ndarray, left: bool) -> Three:
        x, xd, xdd = self.position.at(t, left)
        q, w, wd = turned(self.chart, *self.orientation.at(t, left))
        pose = np.concatenate([x, quaternion_product(q, self.base)], axis=1)
        return pose, np.concatenate([xd, w], axis=1), np.concatenate([xdd, wd], axis=1)

    def _table(self):
        from gough.simulation.motion.pose_table import pose_table

        return pose_table(self)


def pose_motion(
    position: Curve,
    orientation: Curve,
    chart: str = "rotation_vector",
    base: np.ndarray = IDENTITY,
    frame: str | None = None,
    extend: str | None = None,
) -> PoseMotion:
    """Motion of the platform's pose, or of that of a named frame; both curves take the same time."""
    breaks = _merged(position.breaks, orientation.breaks)
    position, orientation = _on(breaks, position), _on(breaks, orientation)
    return PoseMotion(
        kind="pose",
        names=POSE_NAMES,
        units=POSE_UNITS,
        breaks=breaks,
        frame=frame,
        extend=extend,
        position=position,
        orientation=orientation,
        chart=chart,
        base=np.asarray(base, dtype=float) / np.linalg.norm(base),
    )


def _merged(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """All breaks of two curves; those that are the same but for rounding once."""
    both = np.union1d(first, second)
    return both[np.concatenate([[True], np.diff(both) > 1e-12 * both[-1]])]


def _on(breaks: np.ndarray, curve: Curve) -> Curve:
    """The curve with its breaks exactly on the common ones."""
    at = np.abs(breaks[:, None] - curve.breaks).argmin(axis=0)
    return replace(curve, breaks=breaks[at])
