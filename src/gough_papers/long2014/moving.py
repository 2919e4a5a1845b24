"""The animation of [Long 2014]: legs and plate of a run, the plate's deflection exaggerated."""

from typing import TYPE_CHECKING

import numpy as np

from gough_papers.report.animation import MOST_FRAMES, View, animation
from gough_papers.report.skeleton import hexapod

if TYPE_CHECKING:
    from gough.fem.elastic_body import ElasticBody
    from gough.simulation.results.run import Run

TIMES = 5.0
"""So many times as large as it is."""


def moving(run: "Run", plate: "ElasticBody") -> str:
    """HTML."""
    from gough.spatial.poses import rotation_of_quaternion

    rows = np.unique(
        np.searchsorted(run.time, np.linspace(run.time[0], run.time[-1], MOST_FRAMES)).clip(0, len(run) - 1)
    )
    q = run.q[rows]
    edge = _edge(plate)
    bent = plate.nodes[edge] + TIMES * np.einsum("nm,kim->nki", run["elastic"][rows], plate.shapes[edge, :3])
    outline = q[:, None, :3] + np.einsum("nij,nkj->nki", rotation_of_quaternion(q[:, 3:7]), bent)
    held = np.array([leg.on_platform.position for leg in run.model.robot.legs])
    corners = [int(np.argmin(np.linalg.norm(plate.nodes[edge] - place, axis=1))) for place in held]
    points, lines = hexapod(run.model, q, ("link1",), outline, outline[:, corners])
    caption = f"Four poses and back; the plate's deflection {TIMES:g} times as large as it is."
    return animation(run.time[rows], points, lines, caption, View(turn=25.0, above=25.0))


def _edge(plate: "ElasticBody") -> np.ndarray:
    """Nodes on the hexagon's sides, in order round it."""
    x, y, _ = plate.nodes.T
    angle = np.arctan2(y, x) % (2 * np.pi)
    towards = angle % (np.pi / 3) - np.pi / 6  # from the middle of the side
    reach = np.hypot(x, y) * np.cos(towards)
    on = np.flatnonzero(reach > reach.max() * (1 - 1e-9))
    return on[np.argsort(angle[on])]
