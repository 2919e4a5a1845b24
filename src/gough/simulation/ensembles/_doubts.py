"""Doubts of an ensemble: of its steps before it begins, of its runs once all of them are done."""

from typing import TYPE_CHECKING

import numpy as np

from gough.errors import RunWarning, warn
from gough.simulation.integration.crossing import OPEN
from gough.simulation.integration.plant import Plant
from gough.simulation.results.energies import BOUND
from gough.simulation.run.settings import RunSettings
from gough.simulation.run.setup import step_doubt

if TYPE_CHECKING:
    from gough.simulation.ensembles.ensemble import Ensemble


LOOKED = 5
"""Designs that are asked for the step they need, evenly of all."""


def long_steps(plant: Plant, settings: RunSettings, states: np.ndarray, designs: np.ndarray) -> str:
    """That the step is too long for runs from first states (runs, n) in designs (runs or 1, n); "" where it is for none that is
    looked at."""
    nq, last = plant.model.layout.nq, len(states) - 1
    for k in [0] if len(designs) == 1 else sorted({i * last // (LOOKED - 1) for i in range(LOOKED)}):
        text = step_doubt(plant, states[k, :nq], settings, designs[k % len(designs)])
        if text:
            return f"step, run {k}: {text}"
    return ""


def tell_doubts(found: "Ensemble") -> None:
    """Warn about runs that lost or won energy, went through singular poses or opened loops: steps of many runs at once do not
    look out."""
    off, crossed = np.flatnonzero(found.energy_error > BOUND), np.flatnonzero(found.crossed)
    texts, subject = list[str](), found.subject
    if subject is not None and subject.designs is not None and subject.model.mechanism.selection.removed:
        gap = subject.model.closure_error(found.end_q, subject.designs)
        torn = np.flatnonzero(gap > OPEN)
        if len(torn):
            texts.append(
                f"open loops: {len(torn)} of {found.runs} runs end with loops that are not closed, run {torn[0]} by "
                f"{gap[torn[0]]:.2g} of the robot's size: closures that are redundant in the robot's own design contradict each "
                "other in theirs"
            )
    if len(off):
        worst = int(off[found.energy_error[off].argmax()])
        texts.append(
            f"energy: {len(off)} of {found.runs} runs are off by more than {BOUND:g} of what they exchange, run {worst} by "
            f"{found.energy_error[worst]:.2g}; take a shorter step"
        )
    if len(crossed):
        texts.append(
            f"singular poses: {len(crossed)} of {found.runs} runs went through one, run {crossed[0]} the first of them, and are "
            "not exact; gough.simulate passes such poses, one run at a time"
        )
    if texts:
        warn(f"{found.subject.model.robot.name if found.subject else ''}: {'. '.join(texts)}", RunWarning)
