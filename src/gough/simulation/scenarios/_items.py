"""Scenarios as they are written in files: keys, units, and what belongs together.

format: 1
robot: dualemps_refined                           a gallery robot, or a file beside this one
changes: {friction: {smoothing: 1e-3}}            of its description
motion: briot2014_square                          a name, a file, or as in files of motions
controller: {joint_pd: {stiffness: 2e4}}          a law of gough.laws and its arguments
wrench: {tool: [0, 0, -20 N, 0, 0, 0]}            a load from outside; a list alone is on the platform
start: static                                     or {coordinates: {…}, rates: {…}, static: true}
method: rk4, step: 100 us, tolerance: 1e-8, duration: 25 s, every: 10; rho_infinity: 0.8 of generalised_alpha
outputs: {file: run.npz, channels: [energies], plot: run.png, panels: [elastic]}
"""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from gough.robot.fields import (
    Coordinate,
    Gravity,
    NonNegativeJointSpeed,
    Title,
    number_fault,
    quantity,
)
from gough.robot.item import Fault, Item, as_error, is_given, nearest
from gough.simulation.integration.methods import METHODS
from gough.simulation.scenarios._loads import wrenches_of

FORMAT = 1
OTHERS = ("format", "source")
Time = Annotated[float, quantity("time", bound="positive")]
Factor = Annotated[float, quantity("number", bound="not negative")]
Rate = Annotated[float, quantity("speed", "angular speed", "number")]
Tolerance = Annotated[float, quantity("number", bound="positive")]


def _method(value: Any) -> Any:
    known = list(METHODS)
    if value not in known:
        expected = nearest(value, known) if isinstance(value, str) else f"one of {', '.join(known)}"
        raise as_error([Fault((), value, "not a method", expected)])
    return value


def _count(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise as_error([Fault((), value, "not a positive whole number", "1, 2, 3, …")])
    return value


def _start(value: Any) -> Any:
    if value == "static":
        return {"static": True}
    if not isinstance(value, dict):
        raise as_error([Fault((), value, "not a start", "static, or a mapping of coordinates, rates, static")])
    return value


def _yes(value: Any) -> Any:
    if not isinstance(value, bool):
        raise as_error([Fault((), value, "neither true nor false", "true or false")])
    return value


def parameter_fault(value: Any) -> Fault | None:
    """What is wrong with a number of the robot's table of parameters; they have no units in files."""
    fault = number_fault(value, ("number",))
    if fault is not None and isinstance(value, str):
        expected = "a plain number in SI units; `gough show ROBOT --parameters` tells which"
        return Fault((), value, "a parameter that is no plain number", expected)
    return fault


def _parameter(value: Any) -> float:
    fault = parameter_fault(value)
    if fault is not None:
        raise as_error([fault])
    return float(value)


class FrictionChange(Item):
    """Of all joints. smoothing (m/s or rad/s): of Coulomb friction; turn_smoothing: of joints that turn, where it differs.
    coulomb, viscous: factors."""

    smoothing: NonNegativeJointSpeed | None = None
    turn_smoothing: Annotated[float, quantity("angular speed", bound="not negative")] | None = None
    coulomb: Factor = 1.0
    viscous: Factor = 1.0

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        """Joints that slide need a smoothing too."""
        if is_given(data, "turn_smoothing") and not is_given(data, "smoothing"):
            yield Fault(("turn_smoothing",), data["turn_smoothing"], "turn_smoothing alone", "smoothing beside it")


class ChangesItem(Item):
    """Of the robot's description. variables: other values of its variables, SI numbers or texts with a unit. parameters: SI
    numbers by the names of `gough show ROBOT --parameters`."""

    variables: dict[str, float | str] = Field(default_factory=dict)
    friction: FrictionChange = Field(default_factory=FrictionChange)
    gravity: Gravity | None = None
    parameters: dict[str, Annotated[float, BeforeValidator(_parameter)]] = Field(default_factory=dict)


class StartItem(Item):
    """The first state."""

    static: Annotated[bool, BeforeValidator(_yes)] = False
    coordinates: dict[str, Coordinate] = Field(default_factory=dict)
    rates: dict[str, Rate] = Field(default_factory=dict)


class OutputsItem(Item):
    """What is written after a run."""

    file: str | None = None
    channels: tuple[str, ...] = ()
    plot: str | None = None
    panels: tuple[str, ...] = ()


class ScenarioItem(Item):
    """All of a scenario but the motion and the controller, which have readers of their own."""

    name: Title | None = None
    title: Title | None = None
    robot: str
    changes: ChangesItem = Field(default_factory=ChangesItem)
    motion: Any = None
    controller: Any = None
    wrench: Annotated[dict[str, Any], BeforeValidator(wrenches_of)] = Field(default_factory=dict)
    start: Annotated[StartItem, BeforeValidator(_start)] = Field(default_factory=StartItem)
    duration: Time | None = None
    method: Annotated[str, BeforeValidator(_method)] | None = None
    step: Time | None = None
    tolerance: Tolerance | None = None
    rho_infinity: Factor | None = None
    every: Annotated[int, BeforeValidator(_count)] | None = None
    outputs: OutputsItem = Field(default_factory=OutputsItem)

    @classmethod
    def written_keys(cls) -> list[str]:
        """The keys of a scenario's file."""
        keys = [key for key in super().written_keys() if key not in OTHERS]
        return [OTHERS[0], *keys, OTHERS[1]]

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Without what is no field here; an empty key is as one not written."""
        return {key: value for key, value in data.items() if key not in OTHERS and value is not None}


__all__ = ["FORMAT", "ChangesItem", "OutputsItem", "ScenarioItem", "StartItem"]
