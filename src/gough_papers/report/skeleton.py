"""Line drawings of the papers' robots from their states: points (n, k, 3) and what joins them."""

from typing import TYPE_CHECKING

import numpy as np

from gough_papers.report.animation import Polyline
from gough_papers.report.canvas import COLORS

if TYPE_CHECKING:
    from gough.compilation import Model


def link_positions(model: "Model", q: np.ndarray) -> dict[str, np.ndarray]:
    """{link: its origin in the world (n, 3), m}, of q (n, nq)."""
    at = model.function("link_poses")(q=q, parameters=model.parameters).outputs["positions"]
    return {link.name: at[:, k] for k, link in enumerate(model.mechanism.links)}


def hexapod(
    model: "Model",
    q: np.ndarray,
    through: tuple[str, ...],
    outline: np.ndarray | None = None,
    ends: np.ndarray | None = None,
) -> tuple[np.ndarray, list[Polyline]]:
    """Legs over the origins of the links `through` to the platform, and the platform; "base": the leg's base point.

    outline (n, m, 3): of a platform drawn in more detail, world, m; else the polygon of its joints. ends (n, legs, 3):
    where the legs end, of a platform that is deformed.
    """
    at = link_positions(model, q)
    parts, lines, held, base = [], [], [], []
    for k, leg in enumerate(model.robot.legs):
        first = len(parts)
        parts += [_fixed(leg.base.position, q) if link == "base" else at[f"{leg.name}.{link}"] for link in through]
        base.append(first)
        held.append(_on_platform(q, leg.on_platform.position) if ends is None else ends[:, k])
        parts.append(held[-1])
        lines.append(Polyline(tuple(range(first, len(parts))), COLORS[k % len(COLORS)], 2.6))
    edge = np.stack(held, axis=1) if outline is None else outline
    start = len(parts)
    parts += list(np.moveaxis(edge, 1, 0))
    lines.insert(0, Polyline(tuple(base), "#999999", 1.5, closed=True))
    lines.append(Polyline(tuple(range(start, len(parts))), "#333333", 2.0, closed=True))
    return np.stack(parts, axis=1), lines


def _fixed(point: tuple[float, ...], q: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(point, dtype=float), (len(q), 3))


def _on_platform(q: np.ndarray, point: tuple[float, ...]) -> np.ndarray:
    from gough.spatial.poses import rotation_of_quaternion

    return q[:, :3] + np.einsum("nij,j->ni", rotation_of_quaternion(q[:, 3:7]), np.asarray(point, dtype=float))
