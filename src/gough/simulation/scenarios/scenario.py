"""A scenario: a robot with all that one simulation of it needs; `run` makes the `Run`."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import GoughError, UsageError
from gough.kinematics.leading import coordinate_units
from gough.robot.item import nearest
from gough.robot.units import demand_fit
from gough.simulation.control.law import Law
from gough.simulation.coordinates import units_of
from gough.simulation.integration.plant import WORKS
from gough.simulation.integration.wrenches import Wrenches
from gough.simulation.motion.motion import Motion
from gough.simulation.results.formats import SUFFIXES
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import recorded_reference, told_motion
from gough.simulation.run.settings import RunSettings
from gough.simulation.run.simulate import simulate
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

PICTURES = (".png", ".pdf", ".svg")


@dataclass(frozen=True)
class Start:
    """The first state. static: elastic coordinates in equilibrium. coordinates (m, rad): x y z yaw pitch roll of the platform
    or joints, those not named as at home. rates (m/s, rad/s): entries of v, those not named 0. Empty: where the motion begins.
    """

    static: bool = False
    coordinates: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Outputs:
    """What is written after a run. file: .npz, .parquet or .csv, with the computed `channels` too. plot: .png, .pdf or .svg of
    the `panels` (channels or columns; empty: those of `Run.plot`). confined: those of the files that must lie in the folder one
    works in: what a scenario's file names, unless it was read with allow_outside=True."""

    file: Path | None = None
    channels: tuple[str, ...] = ()
    plot: Path | None = None
    panels: tuple[str, ...] = ()
    confined: tuple[Path, ...] = ()

    def check_places(self) -> None:
        """UsageError where a confined file lies elsewhere, links followed."""
        here = Path.cwd().resolve()
        for path in self.confined:
            if not Path(os.path.realpath(path)).is_relative_to(here):
                raise UsageError(
                    f"outputs: {path} is outside of the folder you work in ({here}). Where you trust the scenario: "
                    f"--allow-outside, or load_scenario(…, allow_outside=True); else name a file with --out or --plot"
                )


def rate_units(model: "Model") -> dict[str, str]:
    """The unit of every velocity, by the names that a scenario may call it."""
    known = dict(zip(model.layout.v_names, units_of(model).v, strict=True))
    return {f"v.{name}": unit for name, unit in known.items()} | known


@dataclass(frozen=True, eq=False)
class Scenario:
    """Read one with `gough.load_scenario`, or make one. What is None is as `gough.simulate` has it.

    duration, step in s; tolerance relative to the robot's size; every: one state of so many is kept. smoothing: of Coulomb
    friction that the robot's description does not smooth ("auto", "described", or widths). check, estimate: see
    `gough.simulate`. parameters: {name: SI number} of another design of the robot. wrench: {frame: (6,) or loads} from outside
    (N, N·m, world axes), "" for the platform.
    """

    model: "Model"
    motion: Motion | None = None
    controller: Law | None = None
    name: str = ""
    title: str = ""
    start: Start = field(default_factory=Start)
    duration: float | None = None
    method: str | None = None
    step: float | None = None
    tolerance: float | None = None
    rho_infinity: float | None = None
    every: int | None = None
    smoothing: Any = None
    check: str | None = None
    estimate: bool | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    wrench: Mapping[str, Any] = field(default_factory=dict)
    outputs: Outputs = field(default_factory=Outputs)

    def with_(self, **changes: Any) -> "Scenario":
        """The same scenario with other settings."""
        return replace(self, **changes)

    @property
    def settings(self) -> dict[str, Any]:
        """What was set of `RunSettings`, as `simulate` takes it; motion, controller and start apart."""
        own = {f.name: getattr(self, f.name, None) for f in fields(RunSettings)}
        return {name: x for name, x in own.items() if x is not None and name not in ("motion", "controller", "start")}

    def first_q(self) -> np.ndarray | None:
        """q (nq,) of the first state where the scenario names coordinates."""
        if not self.start.coordinates:
            return None
        demand_fit(self.start.coordinates, coordinate_units(self.model), "start")
        return self.model.configuration(coordinates=dict(self.start.coordinates))

    def first_v(self) -> np.ndarray | None:
        """v (nv,) of the first state where the scenario names rates."""
        if not self.start.rates:
            return None
        demand_fit(self.start.rates, rate_units(self.model), "start")
        names = list(self.model.layout.v_names)
        v = np.zeros(len(names))
        for name, value in self.start.rates.items():
            plain = name.removeprefix("v.") if name not in names else name
            if plain not in names:
                raise UsageError(f"{self.model.robot.name} has no velocity {name!r}; use {nearest(plain, names)}")
            v[names.index(plain)] = value
        return v

    def run(self, progress: Callable[[float, float], None] | None = None) -> Run:
        """Simulate it. progress: called with (time reached, duration) in s. Nothing is written; see `write`."""
        self.check_outputs()
        known = self.model.parameters_with(self.parameters) if self.parameters else None
        made = simulate(
            self.model,
            self.motion,
            self.controller,
            q=self.first_q(),
            v=self.first_v(),
            start="static" if self.start.static else "given",
            parameters=known,
            wrench=self._wrench(),
            progress=progress,
            **self.settings,
        )
        told = ": ".join(x for x in (self.name, self.title) if x)
        return made.described(notes=f"scenario {told}") if told else made

    def _wrench(self) -> Any:
        """As `simulate` takes it."""
        if not self.wrench:
            return None
        return self.wrench[""] if set(self.wrench) == {""} else dict(self.wrench)

    def check_wrench(self) -> None:
        """UsageError where the robot has no place for a load."""
        Wrenches.of(self.model, self._wrench())

    def check_outputs(self) -> None:
        """A run is not to be lost for a file or a channel that cannot be: look before."""
        out = self.outputs
        out.check_places()
        for path, known in ((out.file, SUFFIXES), (out.plot, PICTURES)):
            if path is not None and path.suffix not in known:
                raise UsageError(f"{path}: the name of this output must end in one of {', '.join(known)}")
        if out.file is not None and out.file.suffix == ".parquet" and find_spec("pyarrow") is None:
            raise UsageError(f"{out.file}: Parquet needs `pip install 'gough[parquet]'`; .npz and .csv work without")
        if out.channels or out.panels:
            q, nv, drives = self.model.home, self.model.layout.nv, len(self.model.mechanism.drives)
            recorded: dict[str, Any] = {f"work.{name}": (np.zeros(1), "J") for name in WORKS}
            recorded |= recorded_reference(self.model.layout, self.motion, np.zeros(1))
            states = ([0.0], q[None], np.zeros((1, nv)), np.zeros((1, drives)))
            one = Run.from_states(self.model, *states, recorded=recorded, motion=told_motion(self.motion))
            for name in (*out.channels, *out.panels):
                if self.controller is None or not name.startswith(
                    "controller."
                ):  # a law's own states are known by the run
                    one.channel(name)

    def write(self, run: Run) -> list[Path]:
        """Write a run as `outputs` say; the files written. Where one cannot be, the other is tried before that is raised."""
        out, files, problems = self.outputs, [], []
        out.check_places()
        for path, make in (
            (out.file, lambda path: run.save(path, out.channels)),
            (out.plot, lambda path: run.plot(*out.panels, path=path)),
        ):
            if path is None:
                continue
            try:
                make(path)
                files.append(path)
            except (GoughError, OSError) as error:
                problems.append(error)
        if problems:
            raise problems[0]
        return files

    __repr__ = short_repr
