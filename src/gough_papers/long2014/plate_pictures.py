"""Pictures of the flexible platform of [Long 2014]: its free modes, and how it sags."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.report.canvas import canvas

if TYPE_CHECKING:
    from gough.analysis.equilibrium import Equilibrium
    from gough.fem.elastic_body import ElasticBody


def draw_modes(plate: "ElasticBody", frequencies: np.ndarray, first: int) -> Any:
    """Displacement across the plate, mode by mode; frequencies (m,) in rad/s, numbers of modes from `first` on."""
    from gough_papers.long2014.rest import vertices

    count = len(frequencies)
    figure = canvas(12, 5.4)
    axes = figure.subplots(2, (count + 1) // 2)
    corners = plate.nodes[vertices(plate)]
    for k, ax in enumerate(axes.flat[:count]):
        w = plate.shapes[:, 2, k]
        image = _field(ax, plate, w / np.abs(w).max(), np.linspace(-1.05, 1.05, 22))
        _outline(ax, corners)
        ax.set_title(f"mode {first + k}: {frequencies[k]:.1f} rad/s", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.7, ticks=[-1, -0.5, 0, 0.5, 1], label="displacement (largest = 1)")
    return figure


def draw_sag(plate: "ElasticBody", still: "Equilibrium", held: np.ndarray) -> Any:
    """The plate at rest, with the drive forces that hold it; held (legs, 3): where the legs are attached, platform axes, m."""
    from gough_papers.long2014.rest import vertices

    figure = canvas(7.4, 5.6)
    ax = figure.subplots()
    sag = 1e3 * plate.shapes[:, 2] @ still.elastic
    at = vertices(plate)
    size = np.ceil(np.abs(sag).max())
    image = _field(ax, plate, sag, np.linspace(-size, size, 2 * int(size) + 1))
    _outline(ax, plate.nodes[at])
    for leg, place in enumerate(held):
        corner = at[np.argmin(np.linalg.norm(plate.nodes[at] - place, axis=1))]
        x, y, _ = plate.nodes[corner]
        text = f"leg {leg + 1}\n{still.tau[leg]:.1f} N\n{sag[corner]:+.1f} mm"
        ax.annotate(text, (1.28 * x, 1.2 * y), ha="center", va="center", fontsize=9)
    ax.set_xlim(-0.78, 0.78)
    ax.set_ylim(-0.62, 0.62)
    ax.set_title("At rest at the initial pose: displacement from flat, drive forces", fontsize=10.5)
    figure.colorbar(image, ax=ax, shrink=0.8, label="displacement (mm)")
    return figure


def _field(ax: Any, plate: "ElasticBody", values: np.ndarray, levels: np.ndarray) -> Any:
    """Contours of values at the nodes; elements are large, so curved between them."""
    from matplotlib.tri import CubicTriInterpolator, Triangulation, UniformTriRefiner

    x, y, _ = plate.nodes.T
    triangles = Triangulation(x, y, plate.cells[:, :3])
    fine, smooth = UniformTriRefiner(triangles).refine_field(
        values, CubicTriInterpolator(triangles, values, kind="geom"), subdiv=2
    )
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax.tricontourf(fine, smooth, levels=levels, cmap="RdBu_r", extend="both")


def _outline(ax: Any, corners: np.ndarray) -> None:
    closed = np.concatenate([corners, corners[:1]])
    ax.plot(closed[:, 0], closed[:, 1], color="0.2", linewidth=1.2)
