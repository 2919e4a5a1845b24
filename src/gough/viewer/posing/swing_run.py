"""One mode of a robot as a run that swings in slow motion, for files."""

from dataclasses import dataclass

import numpy as np

from gough.errors import UsageError
from gough.model import Model
from gough.simulation.results.run import Run
from gough.viewer.drawing.figure import Figure
from gough.viewer.posing.load import Hold, Load, stiffness_unit, usual_hold
from gough.viewer.posing.swing import ModeList, modes_at, swing

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
    index = checked_number(model.robot.name, modes, number)
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
    return SwingingMode(run, *_told(model, float(modes.frequencies_hz[index]), hold, number))


def checked_number(robot: str, modes: ModeList, number: int) -> int:
    """The index of a mode counted from 1."""
    if not len(modes):
        raise UsageError(f"{robot}: mode {number}: nothing swings while the drives are locked")
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or not 1 <= number <= len(modes):
        raise UsageError(f"{robot}: mode {number!r}: give a whole number, 1 to {len(modes)}, the slowest is 1")
    return int(number) - 1


def _told(model: Model, hertz: float, hold: Hold, number: int) -> tuple[str, str]:
    name = f"{model.robot.name}, mode {number}"
    drives = f"drives {hold.kind}" if model.mechanism.drives else "no drives"
    if hold.kind == "servo":
        drives = f"drives as servos of {hold.stiffness:g} {stiffness_unit(model)}"
    if not hertz > 0:
        return f"{name}: does not swing", f"A motion without stiffness, drawn to and fro; {drives}"
    factor = hertz * PERIOD
    pace = f"{factor:.3g} times slower" if factor > 1 else f"{1 / factor:.3g} times faster"
    return f"{name}: {hertz:.4g} Hz", f"At 1× {pace} than in truth, and far larger; {drives}"
