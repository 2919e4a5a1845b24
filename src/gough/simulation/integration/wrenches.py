"""Constant wrenches that the surroundings put on a robot during a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats
from gough.dynamics.loops import Loops
from gough.dynamics.twists import frame_twist
from gough.errors import UsageError
from gough.model.external import external_load
from gough.scalar import dot, zeros

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray


def _demand_place(model: "Model", frame: str) -> None:
    """UsageError where a wrench on a frame, "" for the platform, has no place."""
    none = np.zeros(6)
    external_load(model, model.home, {frame: none} if frame else none, model.parameters)


@dataclass(frozen=True)
class Wrenches:
    """frames: names, "" for the platform's origin; values: six numbers a frame (N, N·m), world axes, at its origin."""

    frames: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @classmethod
    def of(cls, model: "Model", wrench: Any) -> "Wrenches":
        """From (6,) on the platform or {frame: (6,)}; UsageError where there can be no such wrench."""
        if wrench is None:
            return cls()
        given = wrench if isinstance(wrench, Mapping) else {"": wrench}
        frames, values = [], []
        for frame, value in given.items():
            whose = f"[{frame!r}]" if frame else ""
            x = floats("wrench", value)
            if x.shape != (6,) or not np.isfinite(x).all():
                raise UsageError(
                    f"wrench{whose}: give six finite numbers (fx fy fz mx my mz, world axes), constant during the run"
                )
            model.cached(("has a place for a wrench", frame), partial(_demand_place, model, frame))
            own = model.mechanism.has_platform and frame == model.mechanism.platform.name
            frames.append("" if own and frame not in model.mechanism.frames else frame)
            values += x.tolist()
        return cls(tuple(frames), tuple(values))

    def by_frame(self) -> dict[str, Vector] | None:
        """As a `Run` keeps them."""
        if not self.frames:
            return None
        return {frame: np.array(self.values[6 * k : 6 * k + 6]) for k, frame in enumerate(self.frames)}

    def by_load(self, model: "Model") -> dict[str, Vector] | None:
        """As the model's calls take them."""
        found = self.by_frame()
        return found and {frame or model.mechanism.platform.name: w for frame, w in found.items()}

    def on_velocities(self, loops: Loops, values: Vector) -> Vector:
        """Generalised force Q (nv,) on v: the work of the wrenches, of any scalar, on each tree velocity, projected."""
        n = loops.mechanism.layout.nu
        on_tree = zeros(n)
        for k, frame in enumerate(self.frames):
            w = values[6 * k : 6 * k + 6]
            if not frame:
                on_tree[:6] = on_tree[:6] + w
                continue
            for j in range(n):
                e = zeros(n)
                e[j] = 1.0
                on_tree[j] = on_tree[j] + dot(w, frame_twist(loops.posture, e, frame))
        return loops.project(on_tree)
