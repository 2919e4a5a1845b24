"""[Long 2014, Figs. 4–7] with our poses: forces, accelerations and how they differ from the wanted ones, deformations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.comparison import Comparison, at_most, equals
from gough_papers.known import EXACT
from gough_papers.report.canvas import COLORS, below, canvas, curves, labelled

if TYPE_CHECKING:
    from gough.fem.elastic_body import ElasticBody
    from gough.simulation.motion.motion import Motion
    from gough_papers.long2014.runs import Tracked

AXES = ("x", "y", "z")
LEGS = tuple(f"leg {k + 1}" for k in range(6))
"""Counted from 1, as the paper does."""


@dataclass(frozen=True)
class Deformation:
    """Displacement (n, 3) m and rotation (n, 3) rad of the plate's centre, displacement (n, 6, 3) m where the legs hold it; all
    from flat, platform axes [Long 2014, eq. 12]."""

    origin: np.ndarray
    turned: np.ndarray
    held: np.ndarray


def deformation(elastic: np.ndarray, plate: "ElasticBody", held: np.ndarray) -> Deformation:
    """Of elastic coordinates (n, m); held (6, 3): where the legs are attached, m."""
    tied = list(plate.frames.values())
    at = np.array([frame.position for frame in tied])

    def frame(point: np.ndarray) -> Any:
        return tied[int(np.argmin(np.linalg.norm(at - point, axis=1)))]

    centre = frame(np.zeros(3))
    points = np.stack([elastic @ frame(p).translation.T for p in held], axis=1)
    return Deformation(elastic @ centre.translation.T, elastic @ centre.turning.T, points)


@dataclass(frozen=True)
class Results:
    """Of the flexible computed torque. acceleration, wanted (n, 6): of the platform frame by the direct model, and of the
    path."""

    t: np.ndarray
    forces: np.ndarray
    acceleration: np.ndarray
    wanted: np.ndarray
    bent: Deformation

    def comparisons(self) -> list[Comparison]:
        """What the paper's text says of its figures."""
        off = float(np.abs(self.acceleration - self.wanted).max())
        linear, turned = np.abs(self.bent.origin).max(axis=0), np.abs(self.bent.turned).max(axis=0)
        described = "the text to [Long 2014, Figs. 5 and 6]"
        return [
            equals("acceleration, found minus wanted", off, 0.0, "m/s², rad/s²", 1e-8, EXACT, form=".1e"),
            at_most(
                "deformation of the origin: x, y over z",
                float(linear[:2].max() / linear[2]),
                0.1,
                "",
                described,
                note="greatest across the plate, says the text; in plate theory exactly so",
            ),
            at_most(
                "rotation of the origin: about z over x, y", float(turned[2] / turned[:2].min()), 0.1, "", described
            ),
        ]


def results(run: "Tracked", path: "Motion", plate: "ElasticBody", held: np.ndarray) -> Results:
    """From the run that follows the path."""
    t = run.run.time
    wanted = path.at(np.clip(t, 0.0, path.duration)).acceleration
    found = run.run.acceleration[:, :6]
    return Results(t, run.run.tau, found, wanted, deformation(run.run["elastic"], plate, held))


def draw_forces(r: Results) -> Any:
    """Fig. 4."""
    figure = canvas(9.5, 4.4)
    ax = figure.subplots()
    curves(ax, r.t, r.forces, LEGS)
    labelled(ax, "Forces of the prismatic joints (inverse dynamic model)", "force Γ (N)")
    below(figure, ax)
    return figure


def draw_accelerations(r: Results) -> Any:
    """Fig. 5: top as found, bottom found minus wanted."""
    figure = canvas(10, 6.4)
    axes = figure.subplots(2, 2)
    off = r.acceleration - r.wanted
    for row, values, what in ((0, r.acceleration, "by the direct model"), (1, off, "found minus wanted")):
        for column, name, unit, part in (
            (0, "Linear acceleration", "m/s²", slice(0, 3)),
            (1, "Angular acceleration", "rad/s²", slice(3, 6)),
        ):
            curves(axes[row, column], r.t, values[:, part], AXES, linewidth=1.4 if row == 0 else 0.7)
            labelled(axes[row, column], f"{name}, {what}", unit)
    below(figure, axes[0, 0], 3)
    return figure


def draw_origin(r: Results) -> Any:
    """Fig. 6."""
    figure = canvas(10, 3.9)
    axes = figure.subplots(1, 2)
    curves(axes[0], r.t, 1e3 * r.bent.origin, AXES)
    labelled(axes[0], "Linear deformation at the platform's origin", "displacement (mm)")
    curves(axes[1], r.t, 1e3 * r.bent.turned, AXES)
    labelled(axes[1], "Angular deformation at the platform's origin", "rotation (mrad)")
    below(figure, axes[0], 3)
    return figure


def draw_points(r: Results) -> Any:
    """Fig. 7: a panel a point."""
    figure = canvas(10, 5.6)
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for k, ax in enumerate(axes.flat):
        for i, name in enumerate(AXES):
            ax.plot(r.t, 1e3 * r.bent.held[:, k, i], color=COLORS[i], linewidth=1.4, label=name)
        labelled(
            ax, f"attachment point {k + 1}", "displacement (mm)" if k % 3 == 0 else "", "time (s)" if k > 2 else ""
        )
        ax.set_xlim(float(r.t[0]), float(r.t[-1]))
    below(figure, axes[0, 0], 3)
    return figure
