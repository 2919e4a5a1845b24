"""Model calls that make one configuration, straight: plain arrays, the model's own design, all joints in closed form.

Where the straight way finds nothing, the general one is taken: it says why.
"""

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gough.compilation.status import ON_BAD_STATE
from gough.model._one_state import OPTION

if TYPE_CHECKING:
    from gough.model.model import Model

Call = TypeVar("Call", bound=Callable[..., Any])
_FLOAT = np.dtype(float)


def pose_first(general: Call) -> Call:
    """`configuration` at a pose (7,)."""

    @functools.wraps(general)
    def call(self: "Model", *args: Any, **named: Any) -> Any:
        pose = args[0] if len(args) == 1 else named.get("pose")
        known = len(args) + len(named) == 1 or (len(named) == 2 - len(args) and named.get(OPTION) in ON_BAD_STATE)
        if known and _is_plain(pose, 7) and self.mechanism.has_platform:
            find = self.geometry.one_pose
            if find is not None:
                bent = self.layout.n_elastic
                q = find.from_home(np.concatenate([pose, np.zeros(bent)]) if bent else pose)
                if q is not None:
                    return q
        return general(self, *args, **named)

    return call  # type: ignore[return-value]


def step_first(general: Call) -> Call:
    """`integrate` of one state by one step."""

    @functools.wraps(general)
    def call(self: "Model", *args: Any, **named: Any) -> Any:
        if 2 <= len(args) <= 3 and not named and self.geometry.by_legs:
            q, v, dt = (*args, 1.0)[:3]
            find, layout = self.geometry.one_pose, self.layout
            plain = _is_plain(q, layout.nq) and _is_plain(v, layout.nv) and type(dt) in (float, int)
            if find is not None and plain:
                pose = _moved(q, v, float(dt), layout.joints.start)
                found = None if pose is None else find.nearest(pose, q)
                if found is not None:
                    return found
        return general(self, *args, **named)

    return call  # type: ignore[return-value]


def projection_first(general: Call) -> Call:
    """`project` of one state."""

    @functools.wraps(general)
    def call(self: "Model", *args: Any, **named: Any) -> Any:
        if len(args) == 1 and not named and _is_plain(args[0], self.layout.nq) and self.geometry.by_legs:
            find, q = self.geometry.one_pose, args[0]
            norm = math.sqrt(sum(x * x for x in q[3:7].tolist()))
            if find is not None and norm > 0:
                pose = q[: self.layout.joints.start].copy()
                pose[3:7] /= norm
                found = find.nearest(pose, q)
                if found is not None:
                    return found
        return general(self, *args, **named)

    return call  # type: ignore[return-value]


def _is_plain(x: Any, size: int) -> bool:
    return type(x) is np.ndarray and x.shape == (size,) and x.dtype == _FLOAT


def _moved(q: np.ndarray, v: np.ndarray, dt: float, lead: int) -> np.ndarray | None:
    """Pose and elastic coordinates (lead,) moved by v·dt, as `integrate_pose` moves them."""
    pose = q[:lead].copy()
    step = (v * dt).tolist()
    pose[:3] += step[:3]
    pose[7:] += step[6:]
    a, b, c = step[3:6]
    angle = math.sqrt(a * a + b * b + c * c)
    if not angle < math.inf:
        return None
    half = 0.5 * angle
    s = math.sin(half) / angle if angle > 1e-8 else 0.5 - angle * angle / 48.0
    w1, x1, y1, z1 = math.cos(half), s * a, s * b, s * c
    w2, x2, y2, z2 = q[3:7].tolist()
    turned = (
        w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
        w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
        w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
    )
    norm = math.sqrt(sum(x * x for x in turned))
    if not norm > 0:
        return None
    pose[3:7] = turned
    pose[3:7] /= norm
    return pose
