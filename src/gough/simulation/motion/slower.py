"""The same path in another time: velocities fall by the factor, accelerations by its square."""

from dataclasses import dataclass

import numpy as np

from gough.arguments import a_motion, checked, number
from gough.errors import UsageError
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import Three, local_time


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Slower(Motion):
    """motion in `factor` times its time."""

    motion: Motion
    factor: float

    def _at(self, t: np.ndarray, left: bool) -> Three:
        local = local_time(t, t / self.factor, self.breaks, self.motion.breaks)
        x, v, a = self.motion._at(local, left)
        return x, v / self.factor, a / self.factor**2

    def _table(self):
        from gough.simulation.motion.table import scaled, unmeasured

        return scaled(self, unmeasured(self.motion), self.factor)


@checked(motion=a_motion, factor=number(above=0))
def slower(motion: Motion, factor: float) -> Slower:
    """`motion` in `factor` (> 0) times the time."""
    number = float(factor)
    if not (np.isfinite(number) and number > 0):
        raise UsageError(f"slower({factor!r}): give a positive number; 2 takes twice the time")
    return Slower(
        kind=motion.kind,
        names=motion.names,
        units=motion.units,
        breaks=motion.breaks * number,
        frame=motion.frame,
        extend=motion.extend,
        motion=motion,
        factor=number,
    )
