"""Connected singularity-free regions of a grid: where a robot can move without leaving the good part.

Two neighbouring grid points (along one axis) belong together when both are good and lie on the same side of the
parallel singularities, with the same loops turned over; the sign tells it even where the grid steps over the surface.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gough.analysis.workspace_result import Workspace


@dataclass(frozen=True)
class Region:
    """A connected region. aspect: its side of the parallel singularities (1: home's); mode: loops turned over (bits);
    points: its size; volume in the map's unit; contains_home; mask (n,): its samples."""

    aspect: int
    mode: int
    points: int
    volume: float
    contains_home: bool
    mask: np.ndarray


def regions(workspace: "Workspace") -> tuple[Region, ...]:
    """Regions of a grid, largest first."""
    from scipy.ndimage import label

    if not workspace.samples.is_grid:
        return ()
    good = workspace.singularity_free & (workspace.aspect != 0)
    weights = workspace.samples.weights()
    start = start_point(workspace, good)
    found = []
    kinds = np.unique(np.stack([workspace.aspect[good], workspace.mode[good]], axis=1), axis=0)
    for aspect, mode in kinds.tolist():
        own = good & (workspace.aspect == aspect) & (workspace.mode == mode)
        labelled: Any = label(workspace.grid(own))
        labels, count = labelled[0].ravel(), int(labelled[1])
        points = np.bincount(labels, minlength=count + 1)
        volumes = np.bincount(labels, weights=weights, minlength=count + 1)
        for k in range(1, count + 1):
            home = start is not None and bool(labels[start] == k)
            found.append((aspect, mode, int(points[k]), float(volumes[k]), home, labels, k))
    found.sort(key=lambda r: (-r[3], not r[4]))
    return tuple(Region(*r[:5], mask=r[5] == r[6]) for r in found)


def start_point(workspace: "Workspace", good: np.ndarray) -> int | None:
    """The good grid point nearest to home's values of the coordinates that vary, at most one cell away."""
    axes = workspace.samples.axes
    index = []
    for axis in axes:
        near = np.abs(axis.values - workspace.home[axis.name]) / axis.spacing
        index.append(np.flatnonzero(near <= 1.0 + 1e-9))
    candidates = np.stack(np.meshgrid(*index, indexing="ij"), axis=-1).reshape(-1, len(axes))
    if not len(candidates):
        return None
    flat = np.ravel_multi_index(tuple(candidates.T), workspace.samples.shape)
    flat = flat[good[flat]]
    if not len(flat):
        return None
    home = np.array([workspace.home[axis.name] for axis in axes])
    spacing = np.array([axis.spacing for axis in axes])
    return int(flat[np.argmin((((workspace.samples.at(flat) - home) / spacing) ** 2).sum(axis=1))])
