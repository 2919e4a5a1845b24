"""Modes of the closed robot at a pose, the frames of one period of a mode that swings, and a run of it in slow motion."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from gough.analysis.modes import natural_frequencies
from gough.errors import UsageError
from gough.model import Model
from gough.simulation.results.run import Run
from gough.structure import WORLD
from gough.viewer.drawing.figure import Figure
from gough.viewer.posing.load import Hold, Load, stiffness_unit, usual_hold

FRAMES = 48
"""Frames of a period."""
PROBE = 1e-4
"""Amplitude, relative to the shape, by which the visible motion of a mode is measured."""
HALVINGS = 8


@dataclass(frozen=True)
class ModeList:
    """frequencies_hz (k,), slowest first, 0 where nothing swings; damping (k,): ratios, NaN where the damped motion has no
    oscillation of that mode; shapes (nv, k); q (nq,): the equilibrium they are about. verdict: plain words.
    grows: unstable."""

    frequencies_hz: np.ndarray
    damping: np.ndarray
    shapes: np.ndarray
    q: np.ndarray
    verdict: str
    grows: bool = False

    def __len__(self) -> int:
        return len(self.frequencies_hz)


def modes_at(model: Model, q: np.ndarray, load: Load, hold: Hold) -> ModeList:
    """Modes about the equilibrium at q's pose (with too few drives: about where the robot comes to rest near q)."""
    found = natural_frequencies(model, q, hold.argument, wrench=load.wrench)
    damping = matched_damping(found.frequencies_hz, found.eigenvalues)
    return ModeList(found.frequencies_hz, damping, found.shapes, found.q, found.verdict, found.grows)


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
    drawn = np.stack([figure.exaggerated_configuration(q, exaggeration) for q in (before, after)])
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


# One mode of a robot as a run that swings in slow motion, for files.

PERIOD = 2.0
"""Seconds that a swing takes in a file."""
SHARE = 0.05
"""Largest visible motion, of the robot's size."""
STATES = 96
"""Stored of a swing."""


@dataclass(frozen=True, eq=False)
class SwingingMode:
    """A mode in slow motion. run: whole swings of PERIOD seconds that begin where it is furthest; heading, remark: in words."""

    run: Run
    heading: str
    remark: str


def home_modes(model: Model, hold: Hold | None = None) -> tuple[ModeList, Hold]:
    """(modes about the equilibrium at home, what the drives do): as the page shows them first."""
    held = usual_hold(model) if hold is None else hold
    return modes_at(model, model.home, Load(""), held), held


def swinging_mode(
    figure: Figure,
    modes: ModeList,
    hold: Hold,
    number: int,
    *,
    swings: int = 1,
    share: float = SHARE,
    exaggeration: float = 1.0,
) -> SwingingMode:
    """Mode `number`, counted from 1, slowest first; its largest visible motion is `share` of the figure's size."""
    model = figure.model
    index = mode_index(model.robot.name, modes, number)
    q, amplitude = swing(figure, modes, index, share, STATES, exaggeration)
    if amplitude == 0.0:
        raise UsageError(f"{model.robot.name}: mode {number} cannot be drawn, the robot does not follow its shape")
    # It begins where it is furthest, so that a still picture shows the shape.
    at = (np.arange(swings * STATES + 1) + STATES // 4) % STATES
    phase, omega = 2 * np.pi * at / STATES, 2 * np.pi / PERIOD
    shape = amplitude * modes.shapes[:, index]
    v, vdot = omega * np.cos(phase)[:, None] * shape, -(omega**2) * np.sin(phase)[:, None] * shape
    time = PERIOD / STATES * np.arange(len(at))
    tau = np.zeros((len(at), len(model.layout.drive_names)))
    run = Run.from_states(model, time, q[at], v, tau, acceleration=vdot)  # of the slow motion: no forces make it
    return SwingingMode(run, *_wording(model, float(modes.frequencies_hz[index]), hold, number))


def mode_index(robot: str, modes: ModeList, number: int) -> int:
    """The index of a mode counted from 1."""
    if not len(modes):
        raise UsageError(f"{robot}: mode {number}: nothing swings while the drives are locked")
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or not 1 <= number <= len(modes):
        raise UsageError(f"{robot}: mode {number!r}: give a whole number, 1 to {len(modes)}, the slowest is 1")
    return int(number) - 1


def _wording(model: Model, hertz: float, hold: Hold, number: int) -> tuple[str, str]:
    name = f"{model.robot.name}, mode {number}"
    drives = f"drives {hold.kind}" if model.mechanism.drives else "no drives"
    if hold.kind == "servo":
        drives = f"drives as servos of {hold.stiffness:g} {stiffness_unit(model)}"
    if not hertz > 0:
        return f"{name}: does not swing", f"A motion without stiffness, drawn to and fro; {drives}"
    factor = hertz * PERIOD
    pace = f"{factor:.3g} times slower" if factor > 1 else f"{1 / factor:.3g} times faster"
    return f"{name}: {hertz:.4g} Hz", f"At 1× {pace} than in truth, and far larger; {drives}"
