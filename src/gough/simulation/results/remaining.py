"""What still swings after a motion: deflections of a frame from where it is at rest.

A frame's deflection d (m) is its displacement from where the same robot with straight bodies and the same drive positions has
it, less what remains at rest at the end of the run (static equilibrium there). Its largest length until the motion ends is the
elastic peak, its largest length from then on the amplitude that is left. Drives that give way go on moving: how far they carry
the frame is told beside it.
"""

from dataclasses import dataclass

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.vibration_map import stiffness_frame
from gough.arguments import a_run, checked, number, word
from gough.errors import UsageError
from gough.simulation.results._settling import time_until
from gough.simulation.results.run import Run
from gough.text import short_repr


@dataclass(frozen=True, eq=False)
class RemainingVibration:
    """frame: whose deflections. after: when the motion ended, s. peak, amplitude (m): the largest deflection before and after.
    carried (m): how far from where it ends the drives alone have the frame after that, bodies straight; 0 where they stand still.
    deflection (n, 3): at the run's times (n,), s, in m and world axes."""

    frame: str
    after: float
    peak: float
    amplitude: float
    carried: float
    deflection: np.ndarray
    time: np.ndarray

    @checked(to=number(above=0))
    def settling_time(self, to: float = 0.02) -> float:
        """How long (s) after the motion the deflection has died down for good to this part of the amplitude; inf: not in the
        run, which must go on for longer (`Modes.decay_times` says about how long)."""
        over = self.time >= self.after * (1 - 1e-12)
        size = np.linalg.norm(self.deflection[over], axis=1)
        return time_until(self.time[over], size, to * self.amplitude, self.after)

    @property
    def ratio(self) -> float:
        """Amplitude over peak."""
        return self.amplitude / self.peak if self.peak else 0.0

    __repr__ = short_repr


@checked(run=a_run, frame=word, after=number(least=0))
def remaining_vibration(run: Run, frame: str | None = None, after: float | None = None) -> RemainingVibration:
    """The vibration that a run has left when its motion has ended.

    frame: default the first frame tied to a flexible platform, else the platform. after: when the motion ends, s (default: the
    duration of the run's motion, where the run goes on longer). Let it go on for some of the slowest periods.
    """
    model = run.model
    if not model.layout.n_elastic:
        raise UsageError(f"{model.robot.name} has no flexible bodies: nothing of it bends")
    where = stiffness_frame(model) if frame is None else frame
    if where not in model.mechanism.frames:
        raise UsageError(f"frame={where!r}; name a frame: {', '.join(model.mechanism.frames)}")
    told = run.info.motion
    if after is None:
        if told is None:
            raise UsageError("remaining_vibration: the run had no motion; say when it is over, after= (s)")
        after = float(told["duration"])
    end = float(after)
    if not run.time[0] <= end < run.time[-1] * (1 - 1e-9):
        raise UsageError(
            f"remaining_vibration: the run ends at {run.time[-1]:.6g} s, and nothing follows {end:.6g} s; let the motion rest at "
            "its end (motion.hold) and say when it begins to, after="
        )
    straight = _straight(run, run.q)
    seen, plain = (model.frame_pose(q, where, parameters=run.design)[0] for q in (run.q, straight))
    rest = static_equilibrium(model, drives=straight[-1, model.drive_index], near=straight[-1], parameters=run.design)
    still = model.frame_pose(rest.q, where, parameters=run.design)[0] - plain[-1]
    deflection = seen - plain - still
    size = np.linalg.norm(deflection, axis=1)
    over = run.time >= end * (1 - 1e-12)
    carried = float(np.linalg.norm(plain[over] - plain[-1], axis=1).max())
    peak = float(size[~over].max(initial=0.0))
    return RemainingVibration(where, end, peak, float(size[over].max()), carried, deflection, run.time)


def _straight(run: Run, q: np.ndarray) -> np.ndarray:
    """Configurations (n, nq) with the drives' positions of q (n, nq) and bodies that do not bend."""
    model, near = run.model, q.copy()
    near[:, model.layout.elastic] = 0.0
    return model.assemble(drives=q[:, model.drive_index], near=near, parameters=run.design).q
