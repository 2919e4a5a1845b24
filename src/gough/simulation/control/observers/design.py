"""What an observer is for one robot, clock and set of sensors: gains, covariances, and modes of low observability."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.control.linear.design import UNMOVED, mode_in_words, modes_left_alone
from gough.simulation.control.observers._places import LinearPlace
from gough.simulation.control.observers._riccati import steady_covariance
from gough.simulation.control.sensed import channel_names
from gough.simulation.sensors.encoders import Encoders
from gough.simulation.sensors.sensor import Sensor

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
LASTING = 1e-5
"""How near to the unit circle a motion is that lasts, and how near to 1 one that does not swing."""
ROUNDING = 1e-12
"""Part of a matrix that is none."""
LASTS = 1e-9
"""How far inside the unit circle an error that dies out must be."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """times (k,) (s); places: the robot there; covariances: (n, n) of s before a reading there, in units of `scale_of`."""

    times: Vector
    places: tuple[LinearPlace, ...]
    covariances: tuple[Vector, ...]


@dataclass(frozen=True, eq=False)
class ObserverDesign:
    """Gains (k, 2nv, m) at times (k,) (s), linear between them: of x = (δ, δv), named `states`, by `readings`. covariances
    (k, 2nv, 2nv): of the estimate's error after a reading, as noise and disturbances are believed to be; innovations (k, m, m):
    of readings less those that were foreseen. transition (2nv, 2nv): of x from sample to sample at the first time. forces
    (drives,) (N, N m), accelerations (nv,): of disturbances. hardly_seen: modes of low observability, in words and
    by frequency, at the first time: errors in them die out hardly faster than they do by themselves; their estimates are the
    model's word. time_constants (2nv,) (s): in which errors die out there, slowest first."""

    times: Vector
    gains: Vector
    covariances: Vector
    innovations: Vector
    transition: Vector
    states: tuple[str, ...]
    state_units: tuple[str, ...]
    readings: tuple[str, ...]
    reading_units: tuple[str, ...]
    forces: Vector
    accelerations: Vector
    hardly_seen: tuple[str, ...]
    hardly_seen_hz: tuple[float, ...]
    time_constants: Vector

    @property
    def gain(self) -> Vector:
        """That at the first time (2nv, m)."""
        return self.gains[0]

    @property
    def deviations(self) -> Vector:
        """Standard deviations (k, 2nv) of the estimate's errors."""
        return np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2))

    def numbers(self) -> dict[str, Vector]:
        """What compiled loops are given: the first gain, and what is added between two times."""
        lengths = np.diff(self.times)
        return {
            "first": self.gains[0].ravel(),
            "more": np.diff(self.gains, axis=0).ravel(),
            "from": self.times[:-1].copy(),
            "rate": 1.0 / lengths if len(lengths) else np.zeros(0),
        }


def unit_matrices(place: LinearPlace) -> tuple[Vector, Vector, Vector, Vector]:
    """(scale (n,), transition, C, Q) of s over its scale, readings of variance 1: numbers near 1."""
    felt = np.linalg.norm(place.C * place.sizes, axis=1)
    scale = place.sizes * float(np.median(place.noise / np.maximum(felt, 1e-300)))
    return (
        scale,
        place.transition * scale / scale[:, None],
        place.C * scale / place.noise[:, None],
        place.Q / np.outer(scale, scale),
    )


def first_covariance(name: str, place: LinearPlace) -> Vector:
    """Steady covariance before a reading, scaled; a UsageError that names what the readings do not tell."""
    _, transition, C, Q = unit_matrices(place)
    P = steady_covariance(transition, C, Q)
    if P is None or not _dies_out(transition, C, P):
        lost = _untold(place, transition, C)
        what = (
            f"do not tell {'; '.join(lost)}, whose errors do not die out"
            if lost
            else "leave errors that do not die out"
        )
        more = "; give it a disturbance or an acceleration above 0" if not lost and not np.any(Q) else ""
        more = more or "; add gough.sensors.Encoders(), an Accelerometer there, or damping"
        raise UsageError(f"{name}: the readings ({place.sensors}) {what}{more}")
    return P


def _dies_out(transition: Vector, C: Vector, P: Vector) -> bool:
    L = P @ C.T @ np.linalg.inv(C @ P @ C.T + np.eye(len(C)))
    return bool(np.abs(np.linalg.eigvals(transition - transition @ L @ C)).max() < 1.0 - LASTS)


def _untold(place: LinearPlace, transition: Vector, C: Vector) -> list[str]:
    """Motions that last and that no reading shows, in words."""
    from scipy import linalg

    names, n = place.linear.states, len(place.linear.states)
    values, found = np.linalg.eigvals(transition), []
    largest = np.linalg.norm(C, axis=1).max(initial=0.0)
    swinging = values[(np.abs(values) >= 1.0 - LASTING) & (values.imag > LASTING)]
    for value in (1.0, *swinging):
        whole = np.concatenate([transition - value * np.eye(len(transition)), C / max(largest, 1e-300)])
        _, s, directions = linalg.svd(whole)
        none = UNMOVED if value != 1.0 else ROUNDING
        unseen = directions[s <= none * s[0], :n].conj()
        if value != 1.0:
            said = [mode_in_words(names, np.log(value) / place.period, x) for x in unseen]
        else:  # as many coordinates as tell these motions apart
            told: Any = linalg.qr(unseen, pivoting=True) if len(unseen) else (None, None, ())
            said = [names[k] for k in sorted(told[2][: len(unseen)])]
        found += [x for x in said if x not in found]
    return found


def design_of(
    name: str, model: "Model", period: float, sensors: Sequence[Sensor], schedule: Schedule
) -> ObserverDesign:
    """Gains and the rest of covariances before readings."""
    n, gains, after, missed = 2 * model.layout.nv, [], [], []
    left: Any = None
    for place, P in zip(schedule.places, schedule.covariances, strict=True):
        scale, transition, C, _ = unit_matrices(place)
        S = C @ P @ C.T + np.eye(len(C))
        L = np.linalg.solve(S, C @ P).T
        kept = np.eye(len(P)) - L @ C
        covariance = kept @ P @ kept.T + L @ L.T
        gains.append((L * scale[:, None] / place.noise)[:n])
        after.append((covariance * np.outer(scale, scale))[:n, :n])
        missed.append(S * np.outer(place.noise, place.noise))
        if left is None:
            left = np.linalg.eigvals(transition - transition @ L @ C)
    first, held = schedule.places[0], any(isinstance(x, Encoders) for x in sensors)
    low = modes_left_alone(first.linear, first.sizes[:n], left, period, held)
    readings, units = zip(*(x.channels(model) for x in sensors), strict=True)
    names = [f"{c}.{r}" for c, own in zip(channel_names(sensors), readings, strict=True) for r in own]
    return ObserverDesign(
        schedule.times,
        np.array(gains),
        np.array(after),
        np.array(missed),
        first.transition[:n, :n],
        first.linear.states,
        first.linear.state_units,
        tuple(names),
        tuple(u for own in units for u in own),
        first.forces,
        first.accelerations,
        tuple(said for said, _ in low),
        tuple(hz for _, hz in low),
        np.sort(-period / np.log(np.clip(np.abs(left), 1e-300, 1.0 - 1e-15)))[::-1][:n],
    )


def demand_readable(name: str, model: "Model", period: float, sensors: Sequence[Sensor]) -> None:
    """UsageError where an observer cannot take these sensors' readings at its samples."""
    if not sensors:
        raise UsageError(f"{name}: an observer needs readings; give sensors=[gough.sensors.Encoders(noise=…)]")
    if not all(isinstance(x, Sensor) for x in sensors):
        raise UsageError(f"{name}: sensors={sensors!r}: give one of gough.sensors, or a list of such")
    for sensor in sensors:
        sensor.check(model)
        if sensor.period is not None and abs(sensor.period - period) > 1e-9 * period:
            raise UsageError(
                f"{name}: {sensor.name} has a period of {sensor.period:g} s, the controller one of {period:g} s; an observer "
                "takes readings at its own samples: leave period= of the sensor out"
            )
        for key in ("delay", "lost"):
            if getattr(sensor, key):
                raise UsageError(
                    f"{name}: {sensor.name} has {key}={getattr(sensor, key):g}; an observer takes every reading for one of now: "
                    f"leave {key}= out"
                )
        off = sensor.entries("noise", model) + sensor.entries("resolution", model)
        if not (off > 0).all():
            channel = sensor.channels(model)[0][int(np.argmin(off))]
            raise UsageError(
                f"{name}: {sensor.name} {channel} has neither noise nor resolution; give noise=, by which an observer knows how "
                "far to trust it"
            )
