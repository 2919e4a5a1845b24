"""The robot as its sensors tell it to a law.

Drives and their rates are what encoders show. The rest of the state follows by forward geometry of the robot that the law
computes with: its drives are put where they were measured, and its loops closed by Newton steps from where they were at the
sample before. Bodies that bend are taken to be straight.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.errors import Status, UsageError
from gough.scalar import zeros
from gough.simulation.control.drives_lead import led_by_drives
from gough.simulation.control.own_robot import Measured
from gough.simulation.coordinates import closed_coordinates, drive_of_entries
from gough.simulation.sensors.encoders import Encoders
from gough.simulation.sensors.sensor import Sensor
from gough.simulation.sensors.tachometers import Tachometers

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
CLOSINGS = 3
"""Newton steps from the state at the sample before."""
CLOSED = 1e-6
"""Closure error, of the robot's size, of a state of the law's robot to begin with."""


class Sensed(Measured):
    """As `Measured`, of what sensors show. model, numbers: of the robot that the law
    computes with; before: its q (nq,) at the sample before."""

    def __init__(
        self, model: "Model", numbers: Numbers, sensors: Sequence[Sensor], shown: Sequence[Vector], before: Vector
    ) -> None:
        given: dict[str, Any] = {"model": model, "numbers": numbers, "before": before, "shown": {}}
        for name, x in zip(channel_names(sensors), shown, strict=True):
            given["shown"][name] = x
        given["kinds"] = [type(sensor) for sensor in sensors]
        vars(self).update(given)

    def show(self, name: str) -> Vector:
        """What a sensor shows (n,), by the name of its channel in a run: "accelerometer", or "accelerometer1" of several."""
        known = vars(self)["shown"]
        if name not in known:
            raise UsageError(f"sensors=: the controller asks for {name!r}; there is {', '.join(known)}")
        return known[name]

    @cached_property
    def q(self) -> Vector:  # type: ignore[override]
        """Configuration (nq,)."""
        led, q = self._led, vars(self)["before"].copy()
        q[self.model.drive_index] = self.drives
        numbers = Numbers(led.mechanism, self.numbers.parameters)
        for _ in range(CLOSINGS if led.mechanism.selection.blocks else 0):
            q = closed_coordinates(Loops(Posture(numbers, q)))
        return q

    @cached_property
    def v(self) -> Vector:  # type: ignore[override]
        """Velocities (nv,)."""
        led = self._led
        given = zeros(led.layout.nv)
        for i, k in enumerate(drive_of_entries(led.mechanism) or ()):
            given[i] = self.drive_rates[k]
        u = Loops(Posture(Numbers(led.mechanism, self.numbers.parameters), self.q)).rates(given)
        return u[list(self.model.mechanism.selection.independent)]

    @cached_property
    def _led(self) -> "Model":
        model = self.model
        try:
            return led_by_drives(model)
        except UsageError as problem:
            raise UsageError(
                f"sensors=: the controller asks for the whole state of {model.robot.name}, which its drives do not tell: "
                f"{len(model.mechanism.drives)} drives, {model.mobility} freedoms; give a law that needs the drives alone"
            ) from problem

    @property
    def estimate(self) -> Vector:
        """q (nq,) as far as it was asked for."""
        return self.q if "q" in vars(self) else vars(self)["before"]

    @property
    def drives(self) -> Vector:
        """Drive coordinates (drives,)."""
        return self._of(Encoders)[: len(self.model.mechanism.drives)]

    @property
    def drive_rates(self) -> Vector:
        """Their rates (drives,)."""
        if Tachometers in vars(self)["kinds"]:
            return self._of(Tachometers)
        return self._of(Encoders)[len(self.model.mechanism.drives) :]

    def _of(self, kind: type[Sensor]) -> Vector:
        """What the first sensor of a kind shows."""
        for own, x in zip(vars(self)["kinds"], vars(self)["shown"].values(), strict=True):
            if own is kind:
                return x
        raise UsageError(
            "sensors=: the controller asks for the drives, and no encoders are among them; give gough.sensors.Encoders()"
        )


def channel_names(sensors: Sequence[Sensor]) -> list[str]:
    """Names of the sensors' channels in a run: numbered where several are of a name."""
    own = [sensor.name for sensor in sensors]
    return [name if own.count(name) == 1 else f"{name}{own[:k].count(name)}" for k, name in enumerate(own)]


def place_unbent(model: "Model", q: Vector) -> Vector:
    """Where forward geometry begins (nq,): drives as at q, bodies straight, since no encoder shows how they are bent there."""
    out = np.array(q, dtype=float)
    out[model.layout.elastic] = 0.0
    if float(model.closure_error(out)) < CLOSED:
        return out
    bent = float(model.closure_error(q)) < CLOSED  # else of another structure than the robot that runs
    for near in (out, model.home) if bent else (model.home,):
        found = model.assemble(drives=out[model.drive_index], near=near, on_bad_state="mark")
        if int(found.status) == Status.OK:
            return found.q
    return out  # forward geometry closes it step by step
