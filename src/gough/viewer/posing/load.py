"""What acts on the robot while it is looked at: a wrench, an acceleration, and what its drives do."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.model import Model

HOLDS = ("locked", "servo", "free")
USUAL_FREQUENCY = 20.0
"""Hz, that servos reach with the stiffness that is offered first."""


@dataclass(frozen=True)
class Hold:
    """What the drives do: "locked", "free", or "servo" with stiffness and damping (N/m, N s/m; N m/rad, N m s/rad)."""

    kind: str = "locked"
    stiffness: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in HOLDS:
            raise UsageError(f"drives {self.kind!r}; use one of {', '.join(HOLDS)}")
        for name, value in (("stiffness", self.stiffness), ("damping", self.damping)):
            if not (np.isfinite(value) and value >= 0):
                raise UsageError(f"{name} of the drives {value!r}; give a finite number, at least 0")

    @property
    def argument(self) -> Any:
        """As `natural_frequencies` takes it."""
        return {"stiffness": self.stiffness, "damping": self.damping} if self.kind == "servo" else self.kind

    @property
    def undamped(self) -> Any:
        """As `vibration_map` takes it."""
        return {"stiffness": self.stiffness} if self.kind == "servo" else self.kind


@dataclass(frozen=True)
class Load:
    """force (N), moment (N m): of the surroundings on `frame`, at its origin, world axes. acceleration (mobility,): of v
    without its elastic rates; (): none."""

    frame: str
    force: tuple[float, ...] = (0.0, 0.0, 0.0)
    moment: tuple[float, ...] = (0.0, 0.0, 0.0)
    acceleration: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name in ("force", "moment", "acceleration"):
            if not np.isfinite(np.array(getattr(self, name), dtype=float)).all():
                raise UsageError(f"{name} {getattr(self, name)}; give finite numbers")

    @property
    def wrench(self) -> dict[str, np.ndarray] | None:
        """As models take it; None where nothing acts."""
        value = np.array([*self.force, *self.moment], dtype=float)
        return {self.frame: value} if self.frame and value.any() else None

    @property
    def moving(self) -> bool:
        """Whether there is an acceleration."""
        return bool(np.any(self.acceleration))


def frames_for_loads(model: Model) -> tuple[str, ...]:
    """Frames a wrench can act on, the most useful first: of the platform, else those that bodies carry."""
    mechanism = model.mechanism
    floating = {link.name for link in mechanism.links if link.is_platform and link.elastic is not None}
    names = [n for n in mechanism.frames if n not in floating]
    if not mechanism.has_platform:
        return tuple(sorted(names, key=lambda n: "." not in n))
    platform = mechanism.platform.name

    def rank(name: str) -> int:
        link = mechanism.links[mechanism.frames[name].link]
        on_platform = link.is_platform or (link.parent == 0 and link.tie is not None)
        return 0 if name == platform else 1 if on_platform else 2

    return tuple(sorted(names, key=rank))


def usual_stiffness(model: Model) -> float:
    """A servo stiffness (N/m, or N m/rad where all drives turn) that suits the robot's mass: a power of ten."""
    mass = sum(float(model.parameters[link.ten[0]]) for link in model.mechanism.links if link.ten is not None)
    units = model.layout.drive_units
    arm = model.size**2 if units and all(u == "N m" for u in units) else 1.0
    wanted = max(mass, 1e-3) * arm * (2 * np.pi * USUAL_FREQUENCY) ** 2
    return float(10.0 ** np.round(np.log10(wanted)))


def usual_hold(model: Model) -> Hold:
    """What the drives do unless told otherwise: locked; servos in rigid robots, where nothing would swing else."""
    rigid = not model.layout.v_elastic
    return Hold("servo", usual_stiffness(model)) if rigid and model.mechanism.drives else Hold()


def stiffness_unit(model: Model) -> str:
    """Unit of a drive's stiffness."""
    units = set(model.layout.drive_units)
    return {frozenset({"N"}): "N/m", frozenset({"N m"}): "N m/rad"}.get(frozenset(units), "N/m, N m/rad")
