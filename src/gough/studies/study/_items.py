"""Studies as they are written in files: keys, and what belongs together.

format: 1
robot: platform.yaml                               a file beside this one, a gallery robot, or a file of another program
velocities: drives                                 what leads the robot, where it is not what its description says
variables: {base_radius: {from: 0.5 m, to: 0.9 m, step: 10 mm}, rod_mass: [1 kg, 4 kg]}
cases:
  ride: {motion: ride.yaml, samples: 100, wrench: [0, 0, -500 N, 0, 0, 0], payload: {mass: 80 kg}}
  corners: {poses: [{x: 0.1}, {x: -0.1, pitch: 10 deg}, {z: height + 150 mm}]}
  heave: {relative: home, poses: [{z: 0.1}]}       each design's home and 0.1 m
  box: {grid: {x: [-0.3, 0.3, 7], y: [-0.3, 0.3, 7], z: [0.5, 0.9, 5]}}
measures:
  force: {measure: peak force, case: ride}         a name of `measures.PRESETS`, "mass", "footprint", "workspace"
  tool: {measure: "frame:tool", reduce: largest, case: corners}
minimise: [force, mass]                            or maximise
constraints: {dexterity: {at_least: 0.2}, force: {at_most: 800 N}}
tolerances: {deviations: {base_radius: 0.2 mm, "leg*.hip.x": 0.1 mm}, draws: 32, seed: 0, quantile: 0.95, of: [force]}
                                                   and, or instead: identification: found.npz, parameters: ["*_rod.*"]
search: {method: sobol, count: 10000, seed: 1, budget: 10 min}    see `search.StudySearch`
keep: front                                        all, front or sample
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from gough.robot.body import Payload
from gough.robot.fields import Title
from gough.robot.item import Fault, Item, as_error, is_given

FORMAT = 1
OTHERS = ("format", "source")
MOST_STATES = 1_000_000
"""Of a case."""
MOST_DRAWS = 100_000
"""Robots that a design stands for: all of them are in memory together."""


def _whole(least: int) -> BeforeValidator:
    def check(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise as_error([Fault((), value, f"not a whole number from {least} on", f"{least}, {least + 1}, …")])
        return value

    return BeforeValidator(check)


def _draws(value: Any) -> Any:
    if value != "corners" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise as_error([Fault((), value, "not a whole number from 1 on", "1, 2, …, or corners")])
    return value


def _names(value: Any) -> Any:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(x, str) for x in found):
        raise as_error([Fault((), value, "not a name or a list of names", "names of measures")])
    return tuple(found)


def _range(value: Any) -> Any:
    listed = isinstance(value, list | tuple)
    if (listed and len(value) not in (2, 3)) or not isinstance(value, list | tuple | dict | RangeItem):
        told = value if isinstance(value, str | int | float) else None
        raise as_error([Fault((), told, "not a range", "[from, to], [from, to, step] or {from: …, to: …, step: …}")])
    return dict(zip(("from", "to", "step"), value, strict=False)) if listed else value


def _measure(value: Any) -> Any:
    return {"measure": value} if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_names)]


class RangeItem(Item):
    """Of a variable: numbers in SI units, or texts with a unit."""

    lower: Any = Field(alias="from")
    upper: Any = Field(alias="to")
    step: Any = None


class CaseItem(Item):
    """States of a case: along a motion, at poses, or on a grid of poses."""

    motion: Any = None
    samples: Annotated[int, _whole(2)] | None = None
    poses: Any = None
    grid: Any = None
    relative: str | None = None
    wrench: Any = None
    payload: Payload | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        """Exactly one source of states."""
        given = [key for key in ("motion", "poses", "grid") if is_given(data, key)]
        if len(given) != 1:
            told = "neither motion, poses nor grid" if not given else f"{' and '.join(given)} together"
            yield Fault((), None, told, "exactly one of motion, poses, grid")
        if data.get("relative") not in (None, "home"):
            yield Fault(("relative",), data["relative"], "not what a case can be relative to", "relative: home")
        if is_given(data, "samples") and not is_given(data, "motion"):
            yield Fault(("samples",), data["samples"], "samples without a motion", "a motion, or no samples")
        if isinstance(data.get("samples"), int) and data["samples"] > MOST_STATES:
            yield Fault(("samples",), data["samples"], "too many", f"at most {MOST_STATES}")


class MeasureItem(Item):
    """A number that is asked for."""

    measure: str
    case: str | None = None
    reduce: str | None = None


class BoundItem(Item):
    """Of a measure: numbers in its unit, or texts with a unit."""

    at_least: Any = None
    at_most: Any = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        """A bound at least."""
        if not is_given(data, "at_least") and not is_given(data, "at_most"):
            yield Fault((), None, "a constraint without a bound", "at_least or at_most")


class TolerancesItem(Item):
    """How much robots that are built differ from a design: deviations are half widths of equal distributions, or standard
    deviations of normal ones; an identification's numbers are drawn with their covariance. parameters: which of these."""

    deviations: dict[str, Any] = Field(default_factory=dict)
    distribution: str = "uniform"
    identification: Any = None
    parameters: Names = ()
    draws: Annotated[int | Literal["corners"], BeforeValidator(_draws)] = 32
    seed: Annotated[int, _whole(0)] = 0
    quantile: float = 1.0
    of: Names = ()

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        """Words and ranges."""
        kind, q = data.get("distribution", "uniform"), data.get("quantile", 1.0)
        if not data.get("deviations") and not is_given(data, "identification"):
            yield Fault(
                ("deviations",), None, "no deviations", "{variable or parameter: width, …}, or an identification"
            )
        if is_given(data, "parameters") and not is_given(data, "identification"):
            yield Fault(("parameters",), None, "parameters without an identification", "identification: FILE.npz")
        if data.get("draws") == "corners" and (kind != "uniform" or is_given(data, "identification")):
            yield Fault(
                ("draws",), "corners", "corners of what has none", "uniform deviations, without an identification"
            )
        if kind not in ("uniform", "normal"):
            yield Fault(("distribution",), kind, "not a distribution", "uniform or normal")
        if isinstance(data.get("draws"), int) and data["draws"] > MOST_DRAWS:
            yield Fault(("draws",), data["draws"], "too many", f"at most {MOST_DRAWS}")
        if isinstance(q, bool) or not isinstance(q, int | float) or not 0 < q <= 1:
            yield Fault(("quantile",), q, "not a quantile", "a number above 0 up to 1, the worst")


class SearchItem(Item):
    """How designs are looked for."""

    method: str = "sobol"
    count: Annotated[int, _whole(1)] | None = None
    seed: Annotated[int, _whole(0)] = 0
    starts: Annotated[int, _whole(1)] | None = None
    iterations: Annotated[int, _whole(1)] | None = None
    solver: str | None = None
    population: Annotated[int, _whole(4)] | None = None
    generations: str | None = None
    polish: Annotated[int, _whole(0)] | None = None
    budget: Any = None


class StudyItem(Item):
    """All of a study."""

    name: Title | None = None
    title: Title | None = None
    robot: Any
    velocities: Any = None
    variables: dict[str, Annotated[RangeItem, BeforeValidator(_range)]]
    cases: dict[str, CaseItem] = Field(default_factory=dict)
    measures: dict[str, Annotated[MeasureItem, BeforeValidator(_measure)]]
    minimise: Names = ()
    maximise: Names = ()
    constraints: dict[str, BoundItem] = Field(default_factory=dict)
    tolerances: TolerancesItem | None = None
    search: SearchItem = Field(default_factory=SearchItem)
    keep: str | None = None

    @classmethod
    def written_keys(cls) -> list[str]:
        """The keys of a study's file."""
        keys = [key for key in super().written_keys() if key not in OTHERS]
        return [OTHERS[0], *keys, OTHERS[1]]

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Without what is no field here; an empty key is as one not written."""
        return {key: value for key, value in data.items() if key not in OTHERS and value is not None}

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        """Words."""
        keep = data.get("keep")
        if keep not in (None, "all", "front", "sample"):
            yield Fault(("keep",), keep, "not what can be kept", "all, front or sample")
        if keep == "front" and not is_given(data, "minimise") and not is_given(data, "maximise"):
            yield Fault(("keep",), keep, "a front without an objective", "minimise or maximise, or keep: all")
