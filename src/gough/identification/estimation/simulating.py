"""The simulated robot where samples were taken, run by run: here, or on the workers of a cluster.

On a cluster states of all runs come back, and slopes are asked for by the same numbers again: a worker then simulates its run
once more, which takes a small part of what slopes take.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.compilation.threads import calls_here
from gough.identification.data.filtering import filter_states
from gough.identification.data.samples import Samples
from gough.identification.estimation.closed_loop import ClosedLoop, Simulated
from gough.identification.estimation.freed import FreedModel
from gough.identification.estimation.hands import Hands
from gough.identification.estimation.rows import Rows, stretches

STATES = ("q", "v", "acceleration", "force")


@dataclass(frozen=True)
class RunWork:
    """Runs of a closed loop: chunks ("states", times, parameters), ("filtered", …) with states filtered at the band besides, and
    ("slopes", …)."""

    loop: ClosedLoop
    rows: Rows
    freed: FreedModel
    band_hz: float | None

    def prepare(self) -> Any:
        """A function of (chunk, tick)."""
        return self.do

    def do(self, chunk: tuple[str, dict[str, Any], np.ndarray], tick: Any) -> Any:
        """One chunk."""
        what, times, parameters = chunk
        with calls_here(threads=1, steady=True):
            there = self.loop.simulate(_only_times(self.rows.model, times), parameters)
            if what == "slopes":
                return there.force_slopes(self.rows, self.freed)
            found = {name: getattr(there.samples, name) for name in STATES}
            if what == "filtered":
                filtered = filter_states(there.samples, self.band_hz)
                found |= {f"filtered {name}": getattr(filtered, name) for name in STATES[:3]}
            return found


@dataclass(frozen=True)
class SimulatedRobot:
    """The robot under its controller, along what the runs of samples followed."""

    loop: ClosedLoop
    samples: Samples
    rows: Rows
    freed: FreedModel
    hands: Hands

    def simulate(self, parameters: np.ndarray) -> Simulated:
        """With these parameters (n,)."""
        if self.hands.client is None:
            with calls_here(steady=True):
                return self.loop.simulate(self.samples, parameters)
        return self._gathered(self._asked("states", parameters), parameters)

    def simulate_filtered(self, parameters: np.ndarray) -> tuple[Samples, Samples]:
        """The samples, and the same with states filtered at the band of the measured ones."""
        if self.hands.client is None:
            there = self.simulate(parameters).samples
            with calls_here(steady=True):
                return there, filter_states(there, self.samples.band_hz)
        found = self._asked("filtered", parameters)
        there = self._gathered(found, parameters).samples
        states = {name: np.concatenate([x[f"filtered {name}"] for x in found]) for name in STATES[:3]}
        return there, replace(there, **states)

    def slopes(self, there: Simulated) -> np.ndarray:
        """Of the drive forces by the base parameters (n, drives, p)."""
        if self.hands.client is None:
            with calls_here(steady=True):
                return there.force_slopes(self.rows, self.freed)
        assert there.parameters is not None
        return np.concatenate(self._asked("slopes", there.parameters))

    def _asked(self, what: str, parameters: np.ndarray) -> list[Any]:
        s = self.samples
        times = [
            {"time": np.array(s.time[a:b]), "run": np.array(s.run[a:b]), "runs": s.runs} for _, a, b in stretches(s)
        ]
        work = RunWork(self.loop, self.rows, self.freed, s.band_hz)
        return self.hands.work(work, [(what, own, parameters) for own in times])

    def _gathered(self, found: list[dict[str, np.ndarray]], parameters: np.ndarray) -> Simulated:
        states = {name: np.concatenate([x[name] for x in found]) for name in STATES}
        return Simulated(replace(self.samples, **states), (), parameters)


def _only_times(model: Any, times: dict[str, Any]) -> Samples:
    """Samples of which times alone are known."""
    none = np.zeros((len(times["time"]), 0))
    return Samples(model, times["time"], none, none, none, none, None, times["run"], times["runs"])
