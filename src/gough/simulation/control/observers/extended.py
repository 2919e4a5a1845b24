"""The extended Kalman filter: gains from covariances that are carried along the motion."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import take, whole
from gough.errors import UsageError
from gough.simulation.control.observers._riccati import covariance_after
from gough.simulation.control.observers.design import Schedule, first_covariance, unit_matrices
from gough.simulation.control.observers.observer import Observer
from gough.simulation.motion.states import states_along

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Extended(Observer):
    """Extended Kalman filter: covariances are carried from sample to sample along the motion, by exact derivatives about the
    states it leads through, before the run; gains at so many knots of it are linear in time between them, and stay after its
    end. They begin steady, as of an observer that was on before. Without a motion of pose, point or drives it is `Kalman`. The
    estimate between samples is that of `Kalman`. See `Observer`."""

    knots: int = 9
    name = "extended Kalman filter"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "knots", take("knots", whole(2, 1000), self.knots))

    def schedule(self, model: "Model", numbers: Vector, period: float, motion: "Motion | None", place: Any) -> Schedule:
        """See `Observer`."""
        if motion is None or motion.kind == "forces":
            found = place(self.rest_at(model, numbers))
            return Schedule(np.zeros(1), (found,), (first_covariance(self.name, found),))
        steps = max(round(motion.duration / period), 1)
        samples = np.unique(np.round(np.linspace(0, steps, min(self.knots, steps + 1))).astype(int))
        times = np.minimum(samples * period, motion.duration)
        places = [place(state) for state in self._states(model, numbers, motion, times)]
        P, scale = first_covariance(self.name, places[0]), unit_matrices(places[0])[0]
        covariances = [P]
        for k, (before, after) in enumerate(pairwise(places)):
            count = int(samples[k + 1] - samples[k])
            for part, length in ((before, count - count // 2), (after, count // 2)):
                own, transition, C, Q = unit_matrices(part)
                P = covariance_after(P * np.outer(scale / own, scale / own), transition, C, Q, length)
                scale = own
            own = unit_matrices(after)[0]
            P, scale = P * np.outer(scale / own, scale / own), own
            covariances.append(P)
        return Schedule(samples * period, tuple(places), tuple(covariances))

    def _states(
        self, model: "Model", numbers: Vector, motion: "Motion", times: Vector
    ) -> Iterator[tuple[Vector, Vector, Vector]]:
        """(q, v, tau) along the motion: bent as in equilibrium, forces those of the motion."""
        led = states_along(model, motion, times, parameters=numbers)
        for k, t in enumerate(times):
            if not np.isfinite(led.q[k]).all() or not np.isfinite(led.v[k]).all():
                raise UsageError(
                    f"{self.name}: {model.robot.name} does not reach the motion at t = {t:.4g} s; see gough.check_motion"
                )
            q, _, tau = self.rest_at(model, numbers, led.q[k])
            if model.driven:
                tau = model.inverse_dynamics(q, led.v[k], led.acceleration[k], parameters=numbers).tau
            yield q, led.v[k], tau
