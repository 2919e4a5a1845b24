"""Which nodes a frame is tied to: the node at its place, those within a radius, or those named."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.errors import UsageError
from gough.fem.finite_elements import FiniteElements


@dataclass(frozen=True)
class Tie:
    """Where a frame is (m, body axes) and what holds it.

    With `position` alone: the node there, at most `tolerance` away (default 1e-6 of the body's size). With `radius` (m) too:
    all nodes that near. With `nodes` (indices): those, and without a position the frame is at their centre.
    rotation (3, 3): the frame's axes at rest, columns in body axes; default those of the body.
    """

    position: Sequence[float] | np.ndarray | None = None
    nodes: Sequence[int] | np.ndarray | None = None
    radius: float | None = None
    rotation: Sequence[Sequence[float]] | np.ndarray | None = None
    tolerance: float | None = None

    def axes(self, name: str) -> np.ndarray:
        """The rotation (3, 3), checked."""
        R = np.eye(3) if self.rotation is None else np.asarray(self.rotation, dtype=float)
        if R.shape != (3, 3) or not np.allclose(R.T @ R, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0.0:
            raise UsageError(f"frame {name!r}: rotation must be a right-handed orthonormal matrix (3, 3)")
        return R


def tied_nodes(elements: FiniteElements, name: str, tie: Tie) -> tuple[np.ndarray, np.ndarray]:
    """(node indices, the frame's position (3,)) of a tie, or an error that names the frame and the remedy."""
    nodes, position = chosen_nodes(elements.nodes, name, tie)
    if elements.rotation is None and _spread(elements.nodes[nodes]) < 2:
        raise UsageError(
            f"frame {name!r} holds {len(nodes)} node(s) {nodes[:4].tolist()} of elements whose nodes have no rotation, and they "
            "do not fix its turning: tie it to three or more that are not on one line (radius= or nodes=)"
        )
    return nodes, position


def chosen_nodes(points: np.ndarray, name: str, tie: Tie) -> tuple[np.ndarray, np.ndarray]:
    """(node indices, position (3,)) among points (n, 3)."""
    if tie.nodes is not None:
        nodes = np.unique(np.asarray(tie.nodes, dtype=int))
        if tie.radius is not None:
            raise UsageError(f"frame {name!r}: give nodes= or radius=, not both")
        if nodes.size == 0 or nodes[0] < 0 or nodes[-1] >= len(points):
            raise UsageError(f"frame {name!r}: nodes must be indices from 0 to {len(points) - 1}, at least one")
        place = points[nodes].mean(axis=0) if tie.position is None else tie.position
        return nodes, _point(name, place)
    if tie.position is None:
        raise UsageError(f"frame {name!r}: give position= (with radius= for several nodes) or nodes=")
    position = _point(name, tie.position)
    distance = np.linalg.norm(points - position, axis=1)
    nearest = int(np.argmin(distance))
    if tie.radius is not None:
        nodes = np.flatnonzero(distance <= tie.radius)
        if nodes.size == 0:
            raise UsageError(
                f"frame {name!r} at {position.tolist()} has no node within {tie.radius:g} m; "
                + _nearest(points, nearest, distance)
            )
        return nodes, position
    tolerance = 1e-6 * _size(points) if tie.tolerance is None else tie.tolerance
    if distance[nearest] > tolerance:
        raise UsageError(
            f"frame {name!r} at {position.tolist()} is off the body: {_nearest(points, nearest, distance)} "
            f"(tolerance {tolerance:.3g} m). Mesh a node there, tie it with radius= or nodes=, or raise tolerance= "
            f"(in a description, beside `modes:`, for instance ties: {{radius: {1.05e3 * distance[nearest]:.3g} mm}})"
        )
    return np.array([nearest]), position


def _nearest(points: np.ndarray, node: int, distance: np.ndarray) -> str:
    return f"the nearest node is {node} at {points[node].tolist()}, {distance[node]:.3g} m away"


def _point(name: str, place: Sequence[float] | np.ndarray) -> np.ndarray:
    position = np.asarray(place, dtype=float)
    if position.shape != (3,) or not np.isfinite(position).all():
        raise UsageError(f"frame {name!r}: position must be three finite numbers (m, body axes), not {place}")
    return position


def _size(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def _spread(points: np.ndarray) -> int:
    """Dimensions the points span: 0 one place, 1 a line, 2 a plane."""
    s = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return int(np.sum(s > 1e-9 * max(1e-30, s[0]))) if len(points) > 1 and s[0] > 0.0 else 0
