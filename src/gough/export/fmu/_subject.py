"""What an FMU is made of: a robot under what drives it, with the loads it takes and the frames it tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.errors import UsageError
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.drives_lead import led_by_drives
from gough.simulation.control.follow import Follow
from gough.simulation.control.instant import MotionRows
from gough.simulation.control.law import Law
from gough.simulation.control.own_robot import OwnRobot
from gough.simulation.control.sampled import Sampled
from gough.simulation.control.without_feedback import Held
from gough.simulation.coordinates import plain_rates
from gough.simulation.integration.explicit import ExplicitRungeKutta
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.smoothing import smooth_friction
from gough.simulation.integration.wrenches import Wrenches
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.run.settings import RunSettings, parameters_of
from gough.simulation.run.setup import settle, starting_state

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
DRIVES = ("forces", "motions")
QUADRATIC = 2
"""Degree of the way a drive goes while its acceleration is held."""


@dataclass(frozen=True)
class Turned:
    """A quaternion of the tree. place: of its first entry in q. entries: of v that are its angular velocities, -1 of those that
    follow from others. body: whether these are in axes that turn with it. name: of what it turns."""

    place: int
    entries: tuple[int, int, int]
    body: bool
    name: str

    @property
    def whole(self) -> bool:
        """Whether all of its angular velocities are independent."""
        return min(self.entries) >= 0


@dataclass(frozen=True, eq=False)
class FmuSubject:
    """drives: "forces" or "motions" as inputs, "" where a law of its own moves the robot. rows (n, size): of the law's motion,
    empty without one. first (n,): the first state of the time loop. pushed (drives,): forces that are inputs, at the begin.
    step (s): of Co-Simulation. derivatives: whether directional ones are asked for."""

    model: "Model"
    plant: Plant
    numbers: Array
    first: Array
    pushed: Array
    drives: str
    rows: Array
    frames: tuple[str, ...]
    method: ExplicitRungeKutta
    step: float
    derivatives: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Of the drives."""
        return self.plant.model.layout.drive_names

    @cached_property
    def plain(self) -> dict[int, int]:
        """{entry of v: entry of q whose rate it is}."""
        return {entry: place for place, entry in plain_rates(self.plant.model.mechanism)}

    @cached_property
    def turned(self) -> list[Turned]:
        """The quaternions that lead something."""
        mechanism, out = self.plant.model.mechanism, []
        own = {u: k for k, u in enumerate(mechanism.selection.independent)}
        for link in mechanism.links:
            if link.quaternion is not None and link.spin is not None:
                entries = [own.get(u, -1) for u in range(link.spin.start, link.spin.stop)]
                name = "platform" if link.is_platform else link.joint
                out.append(
                    Turned(link.quaternion.start, (entries[0], entries[1], entries[2]), link.motion.spins_in_body, name)
                )
        return out

    @property
    def coupled(self) -> bool:
        """Whether some rotation is independent in part."""
        return any(max(t.entries) >= 0 and not t.whole for t in self.turned)

    @property
    def takes_designs(self) -> bool:
        """Whether other numbers of the design can run: a law has references that follow from them, and locks hold for home's."""
        return bool(self.drives) and self.model.unlocked is self.model and self.plant.model.unlocked is self.plant.model


def subject_of_fmu(
    model: "Model",
    *,
    drives: str,
    controller: Law | None,
    motion: Motion | str | None,
    loads: Sequence[str] | None,
    frames: Sequence[str] | None,
    q: Any,
    v: Any,
    start: str,
    parameters: Any,
    method: str,
    step: float,
    derivatives: bool,
) -> FmuSubject:
    """What is exported; UsageError for what no FMU can be made of."""
    if drives not in DRIVES:
        raise UsageError(f"drives={drives!r}; use one of {', '.join(DRIVES)}")
    known = model.mechanism.frames
    base = _on_platform(model)
    told = base + [x for x in _stated(model) if x not in base] if frames is None else list(frames)
    pushed = base if loads is None else list(loads)
    for name in [x for x in (*told, *pushed) if x not in known]:
        raise UsageError(f"no frame {name!r}; there are {', '.join(known)}")
    for name in told:
        if _floats(model, name):
            raise UsageError(
                f"frames: {name!r} floats with a body that bends, no point of the material is there; name a frame tied to it"
            )
    wrench = {name: np.zeros(6) for name in pushed} or None
    closed = controller is not None or motion is not None
    settings = RunSettings.of(
        motion, controller if closed else Held(), None if motion is not None else 1.0, method, start=start, step=step
    )
    if not isinstance(settings.method, ExplicitRungeKutta) or settings.method.adaptive:
        raise UsageError(
            f"method={method!r}: Co-Simulation takes equal explicit steps; use 'rk4' with a step that is short enough"
        )
    rows, kind = np.zeros((0, 0)), "" if closed else drives
    if drives == "motions" and not closed:
        plant, first, numbers = _with_drives_led(model, settings, wrench, q, v, parameters_of(model, parameters))
    else:
        settled = settle(model, settings, q, v, wrench, parameters)
        plant, first, numbers, settings = settled.plant, settled.first, settled.numbers, settled.settings
        if closed:
            if isinstance(plant.law, Sampled):
                raise UsageError(
                    f"{plant.law.name}: its function is called by Python at every sample, which an FMU cannot do; write it as "
                    "a formula of t, q, v and the motion, or as a law (docs/extending/controller.md)"
                )
            rows = _rows(plant, settled.table)
    layout = plant.model.layout
    jumps = isinstance(plant.law, Clocked) or (closed and plant.law.prescribed)
    return FmuSubject(
        model=model,
        plant=plant,
        numbers=numbers,
        first=first,
        pushed=_holding(plant, first, numbers)
        if kind == "forces" and start == "static"
        else np.zeros(len(layout.drive_names)),
        drives=kind,
        rows=rows,
        frames=tuple(told),
        method=settings.method,  # type: ignore[arg-type]
        step=settings.taken_step,
        derivatives=derivatives and not jumps,
    )


def _floats(model: "Model", frame: str) -> bool:
    """Whether a frame is the floating one of a platform that bends."""
    link = model.mechanism.frames[frame].link
    return link == 0 and model.mechanism.has_platform and model.mechanism.platform.elastic is not None


def _on_platform(model: "Model") -> list[str]:
    """The platform; of one that bends, whose own frame is tied to no material, the frames that the description names there."""
    mechanism = model.mechanism
    if not mechanism.has_platform:
        return []
    if mechanism.platform.elastic is None:
        return [mechanism.platform.name]
    return [name for name in _stated(model) if "." not in name]


def _stated(model: "Model") -> list[str]:
    """Frames that the description names, without those that are a body's own."""
    names, frames = model.mechanism.table.names, model.mechanism.frames
    return [name for name, x in frames.items() if len(x.placement) and ".frames." in names[x.placement[0]]]


def _with_drives_led(
    model: "Model", settings: RunSettings, wrench: Any, q: Any, v: Any, design: Array | None
) -> tuple[Plant, Array, Array]:
    """(plant, first state, numbers) of a robot whose drives have accelerations that are given."""
    asked, numbers, _ = smooth_friction(
        model, settings.smoothing, None, np.array(model.parameters) if design is None else design
    )
    runs = led_by_drives(asked)
    rows = MotionRows("drives", len(runs.mechanism.drives), QUADRATIC)
    plant = Plant(runs, Follow(), rows, Wrenches.of(runs, wrench), OwnRobot(runs, None, runs))
    first = starting_state(plant, None, q, v, settings.start, numbers)
    return plant.plant_for(first[None, : runs.layout.nq], numbers[None]), first, numbers


def _holding(plant: Plant, first: Array, numbers: Array) -> Array:
    """Forces (drives,) that hold the robot where it begins, without loads."""
    model = plant.model
    return static_equilibrium(model, q=first[: model.layout.nq], parameters=numbers).tau


def _rows(plant: Plant, table: Any) -> Array:
    """Rows of a law's motion, the last one without end; of no motion a single one."""
    if table is None:
        return plant.rows.stretch(0.0, LONGEST)[None]
    pieces = [plant.rows.row(table, k) for k in range(len(table.breaks) - 1)]
    return np.array([*pieces, plant.rows.at_rest(table, LONGEST)])
