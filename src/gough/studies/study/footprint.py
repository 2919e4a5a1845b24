"""What a robot covers of the floor: the circle around its joints on the base."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.robot.tree import guided_home
from gough.structure.mechanism import WORLD

if TYPE_CHECKING:
    from gough.model import Model


def footprint(model: "Model", designs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(areas (d,) in m², gradients (d, parameters)) of the circle about the mean of all joints on the base that contains them,
    seen along gravity (without gravity: along z)."""
    own, f = base_joints(model), model.function("joint_points")
    q = np.broadcast_to(model.home, (len(designs), len(model.home)))
    points = f.values(q=q, parameters=designs)["joints"][:, own]
    away = from_their_mean(points, seen_along(model))
    square = (away**2).sum(axis=2)
    far, rows = square.argmax(axis=1), np.arange(len(designs))
    bar = np.zeros((len(designs), len(model.mechanism.links), 3))
    pull = 2.0 * np.pi * away[rows, far]
    bar[:, own] = -pull[:, None] / len(own)
    bar[rows, np.array(own)[far]] += pull
    back = model.cached("joint points by design", lambda: f.derivative("parameters", "vjp"))
    cuts = np.zeros((len(designs), len(model.mechanism.cuts), 3))
    slopes = back.values(q=q, parameters=designs, bar_joints=bar, bar_cuts=cuts)["bar_parameters"]
    return np.pi * square[rows, far], slopes


def base_joints(model: "Model") -> list[int]:
    """Links whose joints are on the base; UsageError where they make no circle."""
    guide = guided_home(model.robot)
    own = [
        k
        for k, link in enumerate(model.mechanism.links)
        if link.parent == WORLD and not link.is_platform and link.joint not in guide
    ]
    if len(own) < 2:
        raise UsageError(f"footprint: {model.robot.name} has {len(own)} joints on its base; two make a circle")
    return own


def seen_along(model: "Model") -> np.ndarray:
    """Projection (3, 3) onto the floor."""
    down = np.asarray(model.robot.gravity, dtype=float)
    down = down / np.linalg.norm(down) if down.any() else np.array([0.0, 0.0, 1.0])
    return np.eye(3) - np.outer(down, down)


def from_their_mean(points: Any, flat: Any) -> Any:
    """Points (d, n, 3) on the floor, from the mean of them; arrays of any module."""
    return (points - points.mean(axis=1, keepdims=True)) @ flat


def circle_area(points: Any, flat: Any) -> Any:
    """Areas (d,) of `footprint` from the joints' points (d, n, 3); arrays of any module."""
    return np.pi * (from_their_mean(points, flat) ** 2).sum(axis=2).max(axis=1)
