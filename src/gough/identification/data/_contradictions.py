"""Measurements of where the robot is that are more than its freedoms need: whether they say the same.

States are led by as many coordinates as there are freedoms, or by more in the sense of least squares. Where other joints have an
encoder, or a tracker saw the platform, they tell what forces hardly do: a zero of a drive's encoder, a sign, a unit, another
frame. Forces follow such an error with other masses, and what is left of them looks like noise.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.data._filters import LowPass
from gough.identification.data._ways import Way
from gough.spatial.charts import CONJUGATE
from gough.spatial.poses import quaternion_product, rotation_vector

if TYPE_CHECKING:
    from gough.identification.data.record import Record

FAR, SHARED = 3e-3, 1e-3
"""Difference (rad, or of the robot's size; rms) that is told: zeros found by hand are better, and noise is far below; of channels
that all lead, whose differences are shared out among them."""
ALIKE, AS_FAR = 0.99, 0.02
"""Correlation from which one motion is the other times a factor, and difference of that from 1 that is told."""
ROUNDING = 1e-6
"""Of a difference: components that are written as 0."""
MOST = 6
"""Channels that are named."""


def find_contradictions(
    way: Way, known: Sequence[tuple["Record", np.ndarray, np.ndarray]], low: LowPass, late: Mapping[str, float]
) -> Iterator[str]:
    """A sentence on every record whose measurements contradict each other; known: records, rows (m,) of them, q (m, nq) there;
    late: channels that come so late (s), as told."""
    if way.model.layout.nv > way.model.mobility:  # what bends or swings by itself is nowhere but at rest
        return
    for record, rows, q in known:
        far = [*_of_joints(way, record, rows, q, low, late), *_of_pose(way, record, rows, q, late.get("pose", 0.0))]
        if not far:
            continue
        lead = ", ".join(way.names[:MOST]) + (" …" if len(way.names) > MOST else "")
        more = f", and {len(far) - MOST} more" if len(far) > MOST else ""
        yield (
            f"{record.name}: measurements contradict each other: {'; '.join(far[:MOST])}{more}, from where {lead} say that the "
            "robot is: check zeros (offset:), signs and units of all encoders, or calibrate the robot (gough.calibrate); with a "
            "wrong zero numbers lean by many deviations, and hardly more of the force is left unexplained"
        )


def _of_joints(
    way: Way, record: "Record", rows: np.ndarray, q: np.ndarray, low: LowPass, late: Mapping[str, float]
) -> Iterator[str]:
    model, step = way.model, record.duration / (len(record) - 1)
    scalar = {model.layout.q_names[link.q]: link for link in model.mechanism.links if link.nu == 1}
    led = way.kind == "joints" and way.exact is None
    for name, x in record.positions.items():
        if (led and name in way.names) or name not in scalar:
            continue
        unit = model.layout.q_units[model.layout.index(name)]
        measured = low(x, step, late.get(f"position {name}", late.get("position", 0.0)))[rows]
        own = q[:, model.layout.index(name)]
        off = measured - own
        if unit == "rad":
            off = off - 2 * np.pi * np.round(off.mean() / (2 * np.pi))
        limit = (SHARED if name in way.names else FAR) * (1.0 if unit == "rad" else model.size)
        size = float(np.sqrt(np.mean(off**2)))
        if size <= limit:
            continue
        yield f"position {name} is {size:.3g} {unit} (rms) off, {off.mean():+.3g} on average{_factor(measured, own)}"


def _factor(measured: np.ndarray, own: np.ndarray) -> str:
    """That a channel moves so many times as far, where it does."""
    x, y = own - own.mean(), measured - measured.mean()
    both = float(np.linalg.norm(x) * np.linalg.norm(y))
    if both == 0.0 or abs(float(x @ y)) < ALIKE * both:
        return ""
    gain = float(x @ y / (x @ x))
    return f" and moves {gain:.4g} times as far" if abs(gain - 1.0) > AS_FAR else ""


def _of_pose(way: Way, record: "Record", rows: np.ndarray, q: np.ndarray, late: float) -> Iterator[str]:
    if way.kind == "pose" or record.pose is None or not way.model.layout.n_pose:
        return
    pose = np.stack([np.interp(record.time[rows] + late, record.time, x) for x in record.pose.T], axis=1)
    own = q[:, :7]
    off = pose[:, :3] - own[:, :3]
    turned = quaternion_product(
        pose[:, 3:] / np.linalg.norm(pose[:, 3:], axis=1, keepdims=True), own[:, 3:] * CONJUGATE
    )
    turned = rotation_vector(turned * np.where(turned[:, :1] < 0, -1.0, 1.0))
    size, angle = (float(np.sqrt(np.mean(np.sum(x**2, axis=1)))) for x in (off, turned))
    if size > FAR * way.model.size:
        mean = ", ".join(f"{x:+.3g}" if abs(x) > ROUNDING * size else "0" for x in off.mean(axis=0))
        yield f"the pose's position is {size:.3g} m (rms) off, ({mean}) on average"
    if angle > FAR:
        yield f"the pose's orientation is {angle:.3g} rad (rms) off"
