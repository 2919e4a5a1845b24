"""The result of a simulation: stored states, everything that follows from them by name, and how it came about."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import (
    a_model,
    a_robot,
    a_run,
    checked,
    design,
    flag,
    mapping,
    number,
    numbers,
    path,
    picture,
    several,
    word,
    words,
    wrenches,
)
from gough.errors import Failure, Status, UsageError
from gough.frozen import FrozenDict, lock_arrays
from gough.simulation.events import Happening
from gough.simulation.results import _files as files
from gough.simulation.results import _parts as parts
from gough.simulation.results._channels import Catalogue
from gough.simulation.results._estimation import EstimationError, estimation_error
from gough.simulation.results._info import RunInfo
from gough.simulation.results._parts import Comparison, compare
from gough.simulation.results._recorded import Channel, Recorded, force_columns, rate_columns
from gough.simulation.results._settling import settling_time
from gough.simulation.results._states import demand_new_names, run_from_states
from gough.simulation.results.energies import energy_scale, exchanged_energy, relative_error
from gough.simulation.results.plot import draw_run
from gough.simulation.results.resample import resample
from gough.simulation.results.robot import RobotRecord
from gough.simulation.results.tracking import Tracking, tracking, tracking_errors
from gough.structure import Layout

if TYPE_CHECKING:
    from gough.model import Model
    from gough.model.results import ForwardDynamics

Array = np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """States over time, read-only. Make one with `Run.from_states`, read one with `Run.load`.

    time (n,), s: never decreasing; a time stored twice is a jump, the state before and the state after. q (n, nq), v (n, nv),
    tau (n, drives): as everywhere. `run["x"]`, `run["drives.force"]`: channels by name, computed when first asked for;
    `run.channels()` lists them. layout: names and units of q and v. info: how it was made and how it ended.
    wrench: {frame: (n, 6)} that acted, "" for the platform's origin. parameters: of the design, None for the robot's own.
    tau_held: drive forces stay as they are until the next stored time. recorded: channels stored besides the states.
    """

    time: Array
    q: Array
    v: Array
    tau: Array
    layout: Layout
    robot: RobotRecord
    info: RunInfo
    given_acceleration: Array | None = None
    given_status: Array | None = None
    wrench: Mapping[str, Array] = field(default_factory=dict)
    parameters: Array | None = None
    tau_held: bool = False
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    _cache: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("wrench", "recorded"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @classmethod
    @checked(
        model=a_model,
        time=numbers,
        q=numbers,
        v=numbers,
        tau=numbers,
        acceleration=numbers,
        wrench=wrenches,
        status=numbers,
        parameters=design,
        tau_held=flag,
        recorded=mapping(),
    )
    def from_states(
        cls,
        model: "Model",
        time: Any,
        q: Any,
        v: Any,
        tau: Any = None,
        *,
        acceleration: Any = None,
        wrench: Any = None,
        status: Any = None,
        parameters: Any = None,
        tau_held: bool = False,
        recorded: Mapping[str, Any] | None = None,
        **info: Any,
    ) -> "Run":
        """A run from arrays. time (n,), q (n, nq), v (n, nv), tau (n, drives), a row a stored time.

        tau may be left out with acceleration (n, nv) of a driven robot: then it is what the motion needs. acceleration, status
        (n,): default computed when asked for. wrench: (n, 6) or (6,) on the platform, or {frame: such}. recorded:
        {name: (array (n,) or (n, k), unit)} of further channels. info: see `RunInfo` (stopped=, settings=, motion=, …).
        """
        extra = {"acceleration": acceleration, "wrench": wrench, "status": status, "parameters": parameters}
        given = {} if recorded is None else recorded
        made = run_from_states(cls, model, time, q, v, tau, tau_held=tau_held, recorded=given, info=info, **extra)
        demand_new_names(made, given)
        return made

    @property
    def model(self) -> "Model":
        """The robot's model; of a run from a file it is built when first needed."""
        return self.robot.model

    @property
    def design(self) -> Array:
        """The parameters (n,) of the design that ran."""
        return self.model.parameters if self.parameters is None else self.parameters

    @property
    def loads(self) -> dict[str, Array] | None:
        """The wrenches as the model's calls take them."""
        if not self.wrench:
            return None
        return {frame or self.model.mechanism.platform.name: w for frame, w in self.wrench.items()}

    @property
    def acceleration(self) -> Array:
        """Derivative of v (n, nv): as given, else by forward dynamics of the stored forces."""
        return self.forward_dynamics().vdot if self.given_acceleration is None else self.given_acceleration

    @property
    def status(self) -> Array:
        """Code of each stored state (n,), 0 is good (see `gough.Status`): as given, else that of its forward dynamics; CROSSED
        for the first state behind a singularity, if it is good itself."""
        codes = self.forward_dynamics().status if self.given_status is None else self.given_status
        behind = np.searchsorted(self.time, [t for t, _ in self.crossings])
        behind = behind[behind < len(codes)]
        if not (codes[behind] == 0).any():
            return codes
        out = codes.copy()
        out[behind[codes[behind] == 0]] = Status.CROSSED
        return out

    @property
    def crossings(self) -> tuple[tuple[float, str], ...]:
        """(time (s), what) of the singularities that the run went through."""
        return tuple(event for event in self.info.events if event.kind == Happening.CROSSED)

    @property
    def stopped(self) -> str:
        """Why the run ended; "finished" when it came to its end."""
        return self.info.stopped

    @property
    def failure(self) -> Failure:
        """What ended the run, a status and a place: ENDED at "interrupted" or at "controller" where it was none of the robot's
        states. Where the run finished it is false, its status OK, its text empty; `site` is what kind of thing the place is."""
        return self.info.ending.failure

    @property
    def tracking(self) -> Tracking:
        """How far it is from its motion at the stored times: {"m": (n,), "rad": (n,)}, `tracking.largest`; see `Tracking`."""
        return self.cached("tracking object", lambda: tracking(self))

    @property
    def duration(self) -> float:
        """Simulated time (s)."""
        return float(self.time[-1] - self.time[0])

    def forward_dynamics(self) -> "ForwardDynamics":
        """Accelerations of the stored states under the stored forces; bad states are marked."""

        def make() -> "ForwardDynamics":
            return self.model.forward_dynamics(
                self.q, self.v, self.tau, self.loads, parameters=self.parameters, on_bad_state="mark"
            )

        return self.cached("forward dynamics", make)

    def cached(self, key: str, make: Callable[[], Any]) -> Any:
        """The value behind `key`, made once."""
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} … {self.time[-1]:g} s"
        return f"<gough.Run {self.robot.name}: {len(self)} states, {span}, {self.stopped}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        lock_arrays([*state.values(), *self.wrench.values(), *(r.values for r in self.recorded.values())])

    def channels(self) -> tuple[Channel, ...]:
        """All channels with their columns, units and shapes."""
        return tuple(self._catalogue.channels.values())

    @checked(name=word)
    def channel(self, name: str) -> Channel:
        """The channel of a name, or the channel that has it as a column; unknown names are refused with the nearest ones."""
        return self._catalogue.find(name, self.robot.name)[0]

    @checked(name=word)
    def unit(self, name: str) -> str:
        """The unit of a channel or column."""
        channel, column = self._catalogue.find(name, self.robot.name)
        return channel.unit if column is None else channel.units[column]

    def __getitem__(self, name: str) -> Array:
        """Values of a channel (n,) or (n, k), or of one of its columns (n,); read-only."""
        if not isinstance(name, str):
            raise UsageError(
                f"run[{name!r}]: give the name of a channel; run.between(start, end) takes a part of the time"
            )
        stored = self.cached("stored columns", self._stored_columns)
        if name in stored:  # needs no model
            return stored[name]
        channel, column = self._catalogue.find(name, self.robot.name)

        def make() -> Array:
            values = np.array(channel.compute(self))
            values.setflags(write=False)
            return values

        values = self.cached(f"channel {channel.name}", make)
        return values if column is None else values[:, column]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._catalogue.channels or name in self._catalogue.columns)

    @property
    def _catalogue(self) -> Catalogue:
        return self.cached("catalogue", lambda: Catalogue(self))

    def _stored_columns(self) -> dict[str, Array]:
        layout = self.layout
        out: dict[str, Array] = {"t": self.time, "q": self.q, "v": self.v, "tau": self.tau}
        groups = (
            (layout.q_names, self.q),
            (rate_columns(layout, layout.v_names), self.v),
            (force_columns(layout), self.tau),
        )
        for entries, values in groups:
            out |= {name: values[:, i] for i, name in enumerate(entries)}
        for name, r in self.recorded.items():
            out |= {entry: r.values[:, i] for i, entry in enumerate(r.entries)} if r.values.ndim > 1 else {}
            out[name] = r.values
        return out

    def summary(self) -> dict[str, Any]:
        """The figures of the run: time simulated and spent (s), errors, why it stopped. energy_error: the largest lack of
        balance over energy_scale_J (the energy exchanged, the largest kinetic energy, or what moves a robot at rest by a
        millionth of its size); closure_error: the largest over the robot's size, beyond closure_tolerance (m) where the
        description states one; tracking: largest errors from the motion, by unit; None: not known."""
        closure = self["closure_error"]
        return {
            "robot": self.robot.name,
            "states": len(self),
            "stopped": self.stopped,
            "simulated_s": self.duration,
            "computing_s": self.info.computing_s,
            "compile_s": self.info.compile_s,
            "error_estimate": self.info.error_estimate,
            "energy_error": relative_error(self),
            "energy_exchanged_J": exchanged_energy(self),
            "energy_scale_J": energy_scale(self),
            "closure_error": float(np.nanmax(closure)) if np.isfinite(closure).any() else float("nan"),
            "closure_tolerance": self.model.robot.closure_tolerance,
            "tracking": tracking_errors(self) or None,
            "bad_states": int(np.count_nonzero((self.status != 0) & (self.status != Status.CROSSED))),
            "crossed": [t for t, _ in self.crossings],
        }

    @checked(channel=word, within=number(above=0), to=number(above=0, most=1), after=number(), about=numbers)
    def settling_time(
        self,
        channel: str,
        within: float | None = None,
        *,
        to: float | None = None,
        after: float | None = None,
        about: Any = None,
    ) -> float:
        """How long (s) until a channel, or a column, stays within a distance of where it comes to rest; inf: not in this run.

        within: the distance, in its unit (columns of one unit together, by the root of the sum of squares); or to: a part of the
        largest distance from then on, 0.02 for 2 %. after: counted from this time (s), default the end of the run's motion, or
        the beginning where there is none. about: where it comes to rest, default its mean over the last tenth, all through which
        it must be so near.
        """
        return settling_time(self, channel, within, to, after, about)

    @checked(after=number(0))
    def estimation_error(self, after: float = 0.0) -> EstimationError:
        """How far an observer's estimate is off, of what bends, over its motion; from a time (s) on."""
        return estimation_error(self, after)

    def described(self, **changes: Any) -> "Run":
        """The same run with other information about it (`stopped=`, `notes=`, …)."""
        return replace(self, info=self.info.change(changes), _cache={})

    @checked(start=number(), end=number())
    def between(self, start: float | None = None, end: float | None = None) -> "Run":
        """The stored states of a part of the time, ends included."""
        return parts.between(self, start, end)

    @checked(times=numbers, rate=number(above=0))
    def resample(self, times: Any = None, *, rate: float | None = None) -> "Run":
        """The run at other times (m,), or `rate` times a second; see `results/resample.py` for methods and accuracy."""
        return resample(self, times, rate)

    @checked(other=a_run, channels=words)
    def compare(self, other: "Run", channels: Iterable[str] | None = None) -> Comparison:
        """Differences of another run from this one, channel by channel, at this run's times."""
        return compare(self, other, channels)

    @staticmethod
    @checked(runs=several(a_run), shift=flag)
    def concatenate(runs: "Iterable[Run]", shift: bool = False) -> "Run":
        """Runs of one robot, one after the other; shift: move the later ones in time so that they follow."""
        return parts.concatenate(list(runs), shift)

    @checked(names=word, path=picture, title=word)
    def plot(self, *names: str, path: str | Path | None = None, title: str | None = None) -> Any:
        """Panels over time, one a kind and unit, as a matplotlib figure; path: written there too. names: channels or columns;
        default: pose, drives, forces, elastic coordinates and energies."""
        return draw_run(self, names, path, title)

    def view(self, *others: "Run", **options: Any) -> Any:
        """Play it in the browser, beside another run where one is given; options as in `gough.view`."""
        from gough.viewer import view

        return view(self, *others, **options)

    @checked(path=path, channels=words)
    def save(self, path: str | Path, channels: Iterable[str] = ()) -> Path:
        """Write to .npz, .parquet or .csv; channels: computed ones to be stored too. Returns the path."""
        return files.save(self, Path(path), tuple(channels))

    @staticmethod
    @checked(path=path, model=a_model | a_robot | path, other_robot=flag)
    def load(path: str | Path, model: Any = None, *, other_robot: bool = False) -> "Run":
        """Read what `save` wrote. model: a model or a robot (description, gallery name, path) to compute channels with; it
        must be the one that ran, unless other_robot. Default: built from the description in the file."""
        return files.load(Run, Path(path), model, other_robot)
