"""The configuration of a run at any time, fast enough for every frame of a playback."""

import numpy as np

from gough.simulation.results.interpolation import interpolated_motion, intervals, place_in
from gough.simulation.results.run import Run

Array = np.ndarray

CLOSE = 4e-3
"""Stored states so near in time (s) are shown as they are; between others the motion is interpolated."""


class Frames:
    """Configurations of a run. Times outside it count as its ends; at a time stored twice the state after the jump counts.

    Between stored states more than CLOSE apart: Hermite polynomials with the loops closed, as `Run.resample`; where that
    fails (a singular state) the nearer stored state.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.times = np.unique(run.time)

    @property
    def start(self) -> float:
        """First stored time (s)."""
        return float(self.run.time[0])

    @property
    def end(self) -> float:
        """Last stored time (s)."""
        return float(self.run.time[-1])

    def index(self, time: float) -> int:
        """The last state stored at or before a time; the first one before the start."""
        return max(int(np.searchsorted(self.run.time, time, side="right")) - 1, 0)

    def nearest(self, time: float) -> int:
        """The stored state nearest in time."""
        i = self.index(time)
        after = min(i + 1, len(self.run) - 1)
        return after if self.run.time[after] - time < time - self.run.time[i] else i

    def at(self, time: float) -> Array:
        """Configuration (nq,) at a time (s)."""
        stored = self.run.time
        i = self.index(time)
        if i + 1 >= len(stored) or time <= stored[i] or stored[i + 1] - stored[i] <= CLOSE:
            return self.run.q[self.nearest(time)]
        q = self._between(time)
        return self.run.q[self.nearest(time)] if q is None else q

    def _between(self, time: float) -> Array | None:
        run, wanted = self.run, np.array([time])
        i = intervals(run.time, wanted)
        q = interpolated_motion(run, i, place_in(run.time, i, wanted))[0]
        if run.model.mechanism.cuts and np.isfinite(q).all():
            q = run.model.project(q, run.parameters, on_bad_state="mark")
        return q[0] if np.isfinite(q).all() else None

    def stepped_time(self, time: float, steps: int) -> float:
        """The stored time (s) so many stored times after (before: negative) a time; it ends at the ends."""
        if steps >= 0:
            at = np.searchsorted(self.times, time, side="right") - 1
        else:
            at = np.searchsorted(self.times, time, side="left")
        return float(self.times[np.clip(at + steps, 0, len(self.times) - 1)])


def common_span(frames: "tuple[Frames, ...] | list[Frames]") -> tuple[float, float]:
    """First and last time (s) of runs on one clock."""
    return min(f.start for f in frames), max(f.end for f in frames)
