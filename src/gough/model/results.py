"""Results are frozen named objects with a status per state."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from gough.errors import GOOD, Failure, Status
from gough.text import short_repr


@dataclass(frozen=True)
class Configurations:
    """q (..., nq): closed configurations, NaN joints where a state is bad; status (...): codes; places (...): where."""

    q: np.ndarray
    status: np.ndarray
    places: np.ndarray

    @property
    def failures(self) -> np.ndarray:
        """The `Failure` (n,) of every state of the flattened batch, GOOD where there is none."""
        status, places = self.status.ravel(), self.places.ravel()
        out = np.full(len(status), GOOD, dtype=object)
        for k in np.flatnonzero(status):
            out[k] = Failure(Status(int(status[k])), str(places[k]))
        return out

    __repr__ = short_repr


@dataclass(frozen=True)
class InverseDynamics:
    """tau (..., drives): drive forces (N or N m); eddot (..., elastic): elastic accelerations; status (...): codes;
    idle_acceleration (..., idle): of the idle velocities, v[layout.idle]."""

    tau: np.ndarray
    eddot: np.ndarray
    status: np.ndarray
    idle_acceleration: np.ndarray

    @property
    def free_acceleration(self) -> np.ndarray:
        """Accelerations (..., idle + elastic) of all that motions do not lead, in the order of v."""
        return np.concatenate([self.idle_acceleration, self.eddot], axis=-1)

    __repr__ = short_repr


@dataclass(frozen=True)
class ForwardDynamics:
    """vdot (..., nv): classical acceleration of v; status (...): codes."""

    vdot: np.ndarray
    status: np.ndarray

    __repr__ = short_repr


@dataclass(frozen=True)
class HybridDynamics:
    """tau (..., drives): drive forces (N or N m); vdot (..., nv): classical acceleration of all of v, prescribed ones too;
    condition (...): condition number of the matrix that tau is solved from, 1 at best, scaled by the robot's size; status (...):
    codes."""

    tau: np.ndarray
    vdot: np.ndarray
    condition: np.ndarray
    status: np.ndarray

    __repr__ = short_repr


@dataclass(frozen=True)
class Reactions:
    """Wrenches (f, m) in all joints.

    joints (..., n, 6): of the antecedent on each joint's body, at the body's origin, body axes; `joint_names` (n).
    cuts (..., cuts, 6): of each leg on the platform (of a loop's first body on its second) at the cut point, world axes;
    `cut_names`.
    couplings (..., couplings): force (N) or torque (N m) of each coupling along its first coordinate; `coupling_names`.
    tooth_forces (..., couplings): that over the pitch radius of the first wheel (N), NaN where none is stated.
    """

    joints: np.ndarray
    cuts: np.ndarray
    joint_names: tuple[str, ...]
    cut_names: tuple[str, ...]
    status: np.ndarray
    couplings: np.ndarray
    tooth_forces: np.ndarray
    coupling_names: tuple[str, ...]

    __repr__ = short_repr


@dataclass(frozen=True)
class Energies:
    """kinetic, potential (J) and losses (W, power of friction and dampers), each (...); status (...): codes."""

    kinetic: np.ndarray
    potential: np.ndarray
    losses: np.ndarray
    status: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """kinetic + potential."""
        return self.kinetic + self.potential

    __repr__ = short_repr


def good_inverse(
    tau: np.ndarray, eddot: np.ndarray | None = None, idle_acceleration: np.ndarray | None = None
) -> InverseDynamics:
    """Of good states."""
    none = tau[..., :0]
    bends, idles = none if eddot is None else eddot, none if idle_acceleration is None else idle_acceleration
    return InverseDynamics(tau, bends, np.zeros(tau.shape[:-1], np.uint8), idles)


def good_forward(vdot: np.ndarray) -> ForwardDynamics:
    """Of good states."""
    return ForwardDynamics(vdot, np.zeros(vdot.shape[:-1], np.uint8))


def good_energies(kinetic: np.ndarray, potential: np.ndarray, losses: np.ndarray) -> Energies:
    """Of good states."""
    return Energies(kinetic, potential, losses, np.zeros(kinetic.shape, np.uint8))


def itself(x: np.ndarray) -> np.ndarray:
    """A result that is one array."""
    return x


@dataclass(frozen=True)
class CoordinateTerms:
    """The equations in named coordinates: x, xdot (..., 6), M and C (..., 6, 6), T (..., 6, 6) with v = T xdot."""

    x: np.ndarray
    xdot: np.ndarray
    M: np.ndarray
    C: np.ndarray
    T: np.ndarray

    __repr__ = short_repr


class LimitKind(StrEnum):
    """What a limit bounds."""

    LOWER = "lower"
    UPPER = "upper"
    STROKE_LOWER = "stroke lower"
    STROKE_UPPER = "stroke upper"
    SPEED = "speed"
    FORCE = "force"
    CONE = "cone"

    @property
    def side(self) -> str:
        """Which end of a joint's way it is: "lower" or "upper"; "" where it is none."""
        ends = {LimitKind.LOWER: "lower", LimitKind.STROKE_LOWER: "lower"}
        return (ends | {LimitKind.UPPER: "upper", LimitKind.STROKE_UPPER: "upper"}).get(self, "")


@dataclass(frozen=True)
class StatedLimit:
    """A limit of a joint, or of a coordinate of the platform ("platform.z"), its unit and bound; its text is "joint lower"."""

    joint: str
    kind: LimitKind
    unit: str
    bound: float

    def __str__(self) -> str:
        return f"{self.joint} {self.kind}"


@dataclass(frozen=True)
class LimitMargins:
    """What is left to each stated limit: margins (..., n) in its unit, negative when violated; its text and itself (n)."""

    names: tuple[str, ...]
    margins: np.ndarray
    limits: tuple[StatedLimit, ...] = ()

    @property
    def within(self) -> np.ndarray:
        """True (...) where no limit is violated; a margin that is NaN counts as violated."""
        return np.asarray((self.margins >= 0).all(axis=-1))

    def violated(self) -> list[str]:
        """Names of the limits that at least one state violates."""
        if not self.names:
            return []
        bad = ~np.asarray((self.margins.reshape(-1, len(self.names)) >= 0).all(axis=0))
        return [name for name, b in zip(self.names, bad, strict=True) if b]

    __repr__ = short_repr
