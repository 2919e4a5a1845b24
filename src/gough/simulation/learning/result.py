"""What learning from run to run gave: the trials, how errors fell, what linear theory says of it, the law to go on with."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from gough.simulation.control.law import Law
from gough.simulation.motion.motion import Motion
from gough.simulation.results.run import Run
from gough.text import short_repr

Array = np.ndarray


class LearningOutcome(StrEnum):
    """How a row of trials went."""

    MONOTONE = "monotone"
    CONVERGED = "converged"
    STILL = "not settled"
    DIVERGED = "diverged"


@dataclass(frozen=True, eq=False)
class Trial:
    """One run. forces (N, drives): held from t_k to t_k+1 (N, N·m). errors (N, drives): of the drives at t_k+1 (m, rad), as they
    are measured. rms: of all errors (m; angles times the robot's size where drives of both kinds are). run: all of it."""

    run: Run
    forces: Array
    errors: Array
    rms: float

    __repr__ = short_repr


@dataclass(frozen=True)
class LearningTheory:
    """By the lifted linear map of the robot that runs: what is left of the distance of the forces from those they tend to, from
    one trial to the next. rate: in the long run (spectral radius); gain: at worst at once (largest singular value), so that below
    1 it falls at every trial. peak: by how much it may have grown at most within the trials that were asked for: errors can
    grow a thousandfold before they fall. left: share of the first error, as a norm, that stays for ever. doubts: what of the loop
    is not in this theory."""

    rate: float
    gain: float
    peak: float
    left: float
    doubts: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """ "monotone", "converges" (it may grow at first) or "diverges"."""
        return "monotone" if self.gain < 1.0 else "converges" if self.rate < 1.0 else "diverges"


@dataclass(frozen=True, eq=False)
class Learning:
    """times (N + 1,), s: of the grid. trials: one a run, the first without forces that were learnt. outcome: how errors went.
    theory: None where the grid is too fine for it. best: number of the trial with the least error; push: its forces as a motion
    of kind "forces"; law: the controller with them, for `gough.simulate` with the same motion."""

    times: Array
    trials: tuple[Trial, ...]
    outcome: LearningOutcome
    theory: LearningTheory | None
    best: int
    push: Motion
    law: Law
    drive_names: tuple[str, ...]

    @property
    def rms(self) -> Array:
        """Errors (trials,) of all trials; see `Trial`."""
        return np.array([trial.rms for trial in self.trials])

    @property
    def errors(self) -> Array:
        """(trials, N, drives)."""
        return np.array([trial.errors for trial in self.trials])

    def report(self) -> str:
        """All of it in words."""
        lines = [f"{len(self.trials)} trials on {len(self.times) - 1} samples: {self.outcome}"]
        lines += [f"  trial {k}: {trial.rms:.3g}" for k, trial in enumerate(self.trials)]
        if self.theory is not None:
            told = self.theory
            lines.append(
                f"linear theory: {told.verdict}, factor {told.rate:.3g} a trial in the long run, {told.gain:.3g} at worst, "
                f"{told.peak:.3g} within these trials; {told.left:.2g} of the error stays"
            )
            lines += [f"  not in it: {doubt}" for doubt in told.doubts]
        return "\n".join(lines)

    __repr__ = short_repr
