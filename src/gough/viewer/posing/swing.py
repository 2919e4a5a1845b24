"""Modes of the closed robot at a pose, and the frames of one period of a mode that swings."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from gough.analysis.modes import natural_frequencies
from gough.model import Model
from gough.structure import WORLD
from gough.viewer.drawing.figure import Figure
from gough.viewer.posing.load import Hold, Load

FRAMES = 48
"""Frames of a period."""
PROBE = 1e-4
"""Amplitude, relative to the shape, by which the visible motion of a mode is measured."""
HALVINGS = 8


@dataclass(frozen=True)
class ModeList:
    """frequencies_hz (k,), slowest first, 0 where nothing swings; damping (k,): ratios, NaN where the damped motion has no
    oscillation of that mode; shapes (nv, k); q (nq,): the equilibrium they are about. verdict: plain words."""

    frequencies_hz: np.ndarray
    damping: np.ndarray
    shapes: np.ndarray
    q: np.ndarray
    verdict: str

    def __len__(self) -> int:
        return len(self.frequencies_hz)


def modes_at(model: Model, q: np.ndarray, load: Load, hold: Hold) -> ModeList:
    """Modes about the equilibrium at q's pose (with too few drives: about where the robot comes to rest near q)."""
    found = natural_frequencies(model, q, hold.argument, wrench=load.wrench)
    damping = matched_damping(found.frequencies_hz, found.eigenvalues)
    return ModeList(found.frequencies_hz, damping, found.shapes, found.q, found.verdict)


def matched_damping(frequencies_hz: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """The ratio (k,) of the damped oscillation that goes with every natural frequency, by their sizes; NaN without one."""
    from scipy.optimize import linear_sum_assignment

    out = np.full(len(frequencies_hz), np.nan)
    omega = 2 * np.pi * frequencies_hz
    swinging = np.flatnonzero(omega > 0)
    pairs = eigenvalues[np.imag(eigenvalues) > 0]
    if not len(swinging) or not len(pairs):
        return out
    cost = np.abs(np.log(np.abs(pairs)[None, :] / omega[swinging, None]))
    rows, columns = linear_sum_assignment(cost)
    out[swinging[rows]] = -np.real(pairs[columns]) / np.abs(pairs[columns])
    return out


def swing(
    figure: Figure, modes: ModeList, mode: int, share: float, frames: int = FRAMES, exaggeration: float = 1.0
) -> tuple[np.ndarray, float]:
    """(q (frames, nq) over one period, amplitude) of a mode whose largest visible motion is `share` of the figure's size.

    The amplitude (a factor of the shape) is halved while the robot cannot follow.
    """
    model = figure.model
    shape = modes.shapes[:, mode]
    probe = model.integrate(modes.q, shape * PROBE, on_bad_state="mark")
    moved = largest_motion(figure, modes.q, probe, exaggeration) / PROBE
    amplitude = share * figure.size / moved if np.isfinite(moved) and moved > 0 else share
    phase = np.sin(2 * np.pi * np.arange(frames) / frames)
    for _ in range(HALVINGS):
        q = model.integrate(modes.q, shape * amplitude * phase[:, None], on_bad_state="mark")
        if np.isfinite(q).all():
            return q, amplitude
        amplitude /= 2
    return np.repeat(modes.q[None], frames, axis=0), 0.0


# How far what is drawn moves between two configurations.


def largest_motion(figure: Figure, before: np.ndarray, after: np.ndarray, exaggeration: float = 1.0) -> float:
    """Largest distance (m) that a drawn point travels from `before` (nq,) to `after` (nq,); NaN where one is not closed."""
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        return float("nan")
    drawn = np.stack([figure.exaggerated(q, exaggeration) for q in (before, after)])
    placed = figure.place(drawn)
    largest = float(np.linalg.norm(np.diff(placed.position, axis=0), axis=-1).max(initial=0.0))
    points = {link: np.broadcast_to(p, (2, *p.shape)) for link, p in _corners(figure).items()}
    bodies = [*points.items(), *((skin.link, skin.vertices(drawn)) for skin in figure.skins)]
    for link, own in bodies:
        world = own @ np.swapaxes(placed.rotation[:, link], 1, 2) + placed.position[:, link, None]
        largest = max(largest, float(np.linalg.norm(world[1] - world[0], axis=-1).max(initial=0.0)))
    return largest


def _corners(figure: Figure) -> dict[int, np.ndarray]:
    """Corners (n, 3) of the boxes around the pieces of every moving link, in its axes."""
    out: dict[int, list[np.ndarray]] = {}
    for piece in figure.pieces:
        if piece.link != WORLD and piece.group in ("bodies", "joints") and len(piece.mesh.vertices):
            box = np.stack([piece.mesh.vertices.min(axis=0), piece.mesh.vertices.max(axis=0)])
            corners = [[box[i][k] for k, i in enumerate(corner)] for corner in product((0, 1), repeat=3)]
            out.setdefault(piece.link, []).append(np.array(corners))
    return {link: np.concatenate(points).astype(float) for link, points in out.items()}
