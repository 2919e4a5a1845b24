"""Model calls that make one configuration, straight: plain arrays, the model's own design.

Where the straight way finds nothing, the general one is taken: it says why.
"""

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gough.kinematics.leading import COORDINATES, coordinate_units
from gough.model._one_state import OPTION, is_option
from gough.model.coordinates import pose_at_coordinates, values_that_stay

if TYPE_CHECKING:
    from gough.model.model import Model

Call = TypeVar("Call", bound=Callable[..., Any])
_FLOAT = np.dtype(float)


def pose_first(general: Call) -> Call:
    """`configuration` at a pose (7,)."""

    @functools.wraps(general)
    def call(self: "Model", *args: Any, **named: Any) -> Any:
        given = named if not args else {"pose": args[0], **named} if len(args) == 1 else {}
        found = _configuration(self, given)
        return general(self, *args, **named) if found is None else found

    return call  # type: ignore[return-value]


def _configuration(model: "Model", given: dict[str, Any]) -> np.ndarray | None:
    """At a pose, or with drive coordinates and perhaps from near another configuration."""
    names = given.keys() - {OPTION}
    if not is_option(given.get(OPTION, "mark")):
        return None
    if names == {"pose"} and _is_plain(given["pose"], 7) and model.mechanism.has_platform:
        find, bent = model.geometry.one_pose, model.layout.n_elastic
        pose = np.concatenate([given["pose"], np.zeros(bent)]) if bent else given["pose"]
        return None if find is None else find.from_home(pose)
    if names == {"drives"} or names == {"drives", "near"}:
        drives, near = given["drives"], given.get("near", model.home)
        if _is_plain(drives, len(model.mechanism.drives)) and _is_plain(near, model.layout.nq):
            return model.geometry.one_lead.to_drives(drives, near)
    if names == {"coordinates"} or names == {"coordinates", "near"}:
        return _at_coordinates(model, given["coordinates"], given.get("near"))
    return None


def _at_coordinates(model: "Model", coordinates: Any, near: Any) -> np.ndarray | None:
    """With named coordinates, each a plain number."""
    plain = type(coordinates) is dict and coordinates and all(type(x) in (float, int) for x in coordinates.values())
    if not plain or not (near is None or _is_plain(near, model.layout.nq)):
        return None
    geometry, names = model.geometry, tuple(coordinates)
    if geometry.legs_reach and set(names) <= set(COORDINATES):
        find, bent = geometry.one_pose, model.layout.n_elastic
        if find is None or near is not None:
            return None
        pose = pose_at_coordinates(model, coordinates)
        return find.from_home(np.concatenate([pose, np.zeros(bent)]) if bent else pose)
    if len(names) > model.layout.nv or not set(names) <= coordinate_units(model).keys():
        return None
    rest, staying = values_that_stay(model, names)
    values = [*coordinates.values(), *staying]
    return geometry.one_lead.to_coordinates((*names, *rest), values, model.home if near is None else near)


def step_first(general: Call) -> Call:
    """`integrate` of one state by one step."""

    @functools.wraps(general)
    def call(self: "Model", *args: Any, **named: Any) -> Any:
        if 2 <= len(args) <= 3 and not named:
            q, v, dt = args if len(args) == 3 else (*args, 1.0)
            layout = self.layout
            if _is_plain(q, layout.nq) and _is_plain(v, layout.nv) and type(dt) in (float, int):
                found = _stepped(self, q, v * dt)
                if found is not None:
                    return found
        return general(self, *args, **named)

    return call  # type: ignore[return-value]


def projection_first(general: Call) -> Call:
    """`project` of one state."""

    @functools.wraps(general)
    def call(self: "Model", *args: Any, **named: Any) -> Any:
        if len(args) == 1 and not named and _is_plain(args[0], self.layout.nq):
            found = _projected(self, args[0])
            if found is not None:
                return found
        return general(self, *args, **named)

    return call  # type: ignore[return-value]


def _stepped(model: "Model", q: np.ndarray, way: np.ndarray) -> np.ndarray | None:
    if not model.geometry.by_legs:
        return model.geometry.one_lead.by_step(q, way)
    find = model.geometry.one_pose
    pose = None if find is None else _moved(q, way.tolist(), model.layout.joints.start)
    return None if find is None or pose is None else find.nearest(pose, q)


def _projected(model: "Model", q: np.ndarray) -> np.ndarray | None:
    if not model.geometry.by_legs:
        return model.geometry.one_lead.by_step(q, np.zeros(model.layout.nv))
    find = model.geometry.one_pose
    norm = math.sqrt(sum(x * x for x in q[3:7].tolist()))
    if find is None or not norm > 0:
        return None
    pose = q[: model.layout.joints.start].copy()
    pose[3:7] /= norm
    return find.nearest(pose, q)


def _is_plain(x: Any, size: int) -> bool:
    return type(x) is np.ndarray and x.shape == (size,) and x.dtype == _FLOAT


def _moved(q: np.ndarray, step: list[float], lead: int) -> np.ndarray | None:
    """Pose and elastic coordinates (lead,) moved by a step of v, as `integrate_pose` moves them."""
    pose = q[:lead].copy()
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
