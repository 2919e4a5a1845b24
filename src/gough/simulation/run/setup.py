"""Phase 1 of a simulation: the robot that runs, the law and the robot it computes with, the first state.

Where the robot that runs is not the model as it was given, the run says so in its settings: "smoothing" for Coulomb friction that
the description does not smooth, "velocities" for a robot that was built once more with the rates of its drives.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.arguments import floats
from gough.compilation.status import CONTRADICTION
from gough.errors import BadStateError, Site, UsageError
from gough.kinematics.retraction import bad_quaternions
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.drives_lead import led_by_drives
from gough.simulation.control.instant import MotionRows
from gough.simulation.control.law import Law
from gough.simulation.control.own_robot import OwnRobot, own_robot
from gough.simulation.control.reference import LedPath
from gough.simulation.events import Event, Happening
from gough.simulation.integration.drive_led import demand_begin, first_velocity
from gough.simulation.integration.kept import Recent
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.smoothing import Smoothing, smooth_friction
from gough.simulation.integration.wrenches import Wrenches
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import PolynomialPath
from gough.simulation.motion.states import state_at
from gough.simulation.motion.table import MotionTable, table
from gough.simulation.motion.targets import target_of
from gough.simulation.run._checks import long_step, motion_events, state_events, tell_events
from gough.simulation.run._linear_loop import loop_text
from gough.simulation.run.clocks import law_in_loop, with_fitting_step
from gough.simulation.run.settings import RunSettings, parameters_of

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
CLOSED = 1e-8
"""Accepted closure error of a first state, relative to the robot's size."""


def starting_state(
    plant: Plant, motion: Motion | None, q: Any, v: Any, start: str, parameters: Array, begin: float = 0.0
) -> Array:
    """q, v, works, own states of the law, time, step, error (n,): where the motion is at the begin (s), or home; elastic
    coordinates at rest or in equilibrium."""
    model = plant.model
    layout = model.layout
    first_q, first_v = model.home.copy(), np.zeros(layout.nv)
    if motion is not None and motion.first is not None and (begin == 0.0 or motion.kind == "forces"):
        first_q, first_v = (x.copy() for x in motion.first)
        if len(first_q) != layout.nq or len(first_v) != layout.nv:
            raise UsageError(f"the motion is one of another robot than {model.robot.name}; give q= and v=")
    elif motion is not None and motion.kind != "forces":
        if not (motion.kind == "pose" and model.geometry.legs_reach):
            model.geometry.one_lead.compile()  # the same bits whatever the model was asked before
        first_q, first_v = state_at(target_of(model, motion, parameters), motion, begin)
        if not np.isfinite(first_q).all():
            raise UsageError(f"{model.robot.name} does not reach where the motion begins; see gough.check_motion")
    if q is not None:
        first_q = _vector("q", q, layout.q_names)
        demand_quaternions(model, first_q[None])
    if start == "static":
        first_q = _at_rest(plant, first_q, parameters)
    if v is not None:
        first_v = _vector("v", v, layout.v_names)
    gap = float(model.closure_error(first_q, parameters))
    if not gap <= CLOSED and q is None:  # home of the description, or where forces of a run began, in another design
        first_q = model.project(first_q, parameters)
    elif not gap <= CLOSED:
        raise UsageError(
            f"the first state is open: closure error {gap:.2e} of the robot's size; use model.project or configuration (with "
            "parameters= where the design is another one)"
        )
    demand_consistent(model, first_q[None], None if parameters is model.parameters else parameters[None])
    if plant.law.prescribed and motion is not None and not (q is None and v is None):
        demand_begin(model, plant.law.reference(model, motion, parameters), first_q[None], first_v[None], begin)
    inner = plant.inner_first(first_q, first_v, begin=begin)[0]
    return np.concatenate([first_q, first_v, np.zeros(len(WORKS)), inner, np.zeros(3)])


def demand_quaternions(model: "Model", q: Array) -> None:
    """UsageError for first states (runs, nq) that have a quaternion that is not of unit length: the rule of forward_dynamics."""
    names = bad_quaternions(model.mechanism, q)
    for k in np.flatnonzero(names != ""):
        of = f" of run {k}" if len(q) > 1 else ""
        raise UsageError(
            f"q{of}: the quaternion (qw qx qy qz) of {names[k]} is not of unit length to 1e-6; normalise it, or use model.project"
        )


def demand_consistent(model: "Model", q: Array, designs: Array | None) -> None:
    """UsageError for first states (runs, nq) in designs (runs or 1, n) under which closures contradict each other: steps fulfil
    those that are left when redundant ones are left out."""
    if designs is None or not model.mechanism.selection.removed:
        return
    states = {"q": q, "v": np.zeros(model.layout.nv), "parameters": designs}
    for k, failure in enumerate(model.function("energies")(**states).failures):
        if failure.site == Site.CONTRADICTION:
            of = f"run {k}" if len(q) > 1 else "the run"
            raise UsageError(f"{of} cannot begin: {failure}: {CONTRADICTION}")


def _at_rest(plant: Plant, q: Array, parameters: Array) -> Array:
    model = plant.model
    try:
        return static_equilibrium(model, q=q, wrench=plant.wrenches.by_load(model), parameters=parameters).q
    except BadStateError as problem:
        held = ", ".join(model.layout.v_names[: model.mobility])
        raise UsageError(
            f"start='static': {model.robot.name} finds no equilibrium while {held} are held where it begins; begin elsewhere, or "
            "as it is with start='given'"
        ) from problem


def _vector(name: str, value: Any, entries: Sequence[str]) -> Array:
    out = floats(name, value)
    if out.shape != (len(entries),):
        raise UsageError(f"{name}: give {len(entries)} finite numbers, not an array of shape {out.shape}")
    bad = [f"{name}[{k}] ({entries[k]}) is {out[k]}" for k in np.flatnonzero(~np.isfinite(out)).tolist()]
    if bad:
        more = f", and {len(bad) - 3} more" if len(bad) > 3 else ""
        raise UsageError(f"{name}: give {len(entries)} finite numbers; {', '.join(bad[:3])}{more}")
    return out.copy()


@dataclass(frozen=True, eq=False)
class Setup:
    """All that a run begins with. asked: the model in whose velocities it is told; `plant.model`: the one that runs. design (n,):
    its parameters as they were given, None: its own; numbers (n,): those that run. table: of the motion as the law has it.
    first (n,): the first state. events: (time, what) that was warned about."""

    settings: RunSettings
    asked: "Model"
    plant: Plant
    design: Array | None
    numbers: Array
    own: OwnRobot
    smoothing: Smoothing
    table: MotionTable | None
    first: Array
    events: tuple[Event, ...]

    @property
    def model(self) -> "Model":
        """The one that runs."""
        return self.plant.model

    @property
    def law(self) -> Law:
        """What acts on the drives."""
        return self.plant.law

    @property
    def held(self) -> bool:
        """Whether forces are held from sample to sample."""
        return self.law.held or (
            isinstance(self.law, Clocked) and self.law.holds(self.model) and self.settings.every == 1
        )

    def describe(self) -> dict[str, Any]:
        """What a run keeps about the robot that ran, where it is not the model as it was given."""
        out: dict[str, Any] = {"smoothing": self.smoothing.plain()}
        if self.model is not self.asked:
            out["velocities"] = list(self.model.layout.v_names)
        out |= {"loads": found} if (found := self.plant.wrenches.describe()) else {}
        return out | ({"believed": self.own.describe(self.numbers)} if self.law.computes else {})


def settle(model: "Model", settings: RunSettings, q: Any, v: Any, wrench: Any, parameters: Any) -> Setup:
    """Everything that is known before machine code is made; UsageError for what cannot run. q, v, wrench, parameters: as
    `simulate` takes them."""
    law = law_in_loop(settings.controller, settings.method, model, settings.motion)
    settings = with_fitting_step(settings, law, model)
    motion, check = settings.motion, settings.check
    design = parameters_of(model, parameters)
    numbers = np.array(model.parameters) if design is None else design
    asked, numbers, changed = smooth_friction(model, settings.smoothing, motion, numbers)
    own = own_robot(
        law, asked, numbers[None], model, lambda x: smooth_friction(x, settings.smoothing, motion, x.parameters)[0]
    )
    law.check(own.model, motion)
    law.settings(asked, own.model)  # a bad gain is named before the motion is looked at
    runs = asked
    if law.prescribed:
        runs = led_by_drives(asked)
        v = first_velocity(asked, runs, q, v, numbers)
        own = OwnRobot(runs, None, runs)
    watched = check != "off"
    recent: Recent = runs.cached("recent starts", Recent)
    laws = _fixed_laws(law)
    events: list[Event] = []
    if watched and motion is not None:
        key = ("motion", motion, settings.duration, _bytes(q), numbers.tobytes())
        found = _known(
            _is_fixed_motion(motion),
            recent,
            key,
            lambda: motion_events(runs, motion, q, settings.duration, numbers),
        )
        events = tell_events(runs, found, check)
    rows_table = None
    if motion is not None:
        believed = own.reference_numbers(numbers)

        def made() -> MotionTable:
            return table(law.reference(own.model, motion, believed))

        key = ("table", motion, laws, own.model, _bytes(believed))
        rows_table = _known(bool(laws) and _is_fixed_motion(motion), recent, key, made)
    rows = MotionRows("forces", len(runs.mechanism.drives), 0) if law.held else MotionRows.of(rows_table)
    plant = Plant(runs, law, rows, Wrenches.of(runs, wrench), own)
    first = starting_state(plant, motion, q, v, settings.start, numbers)
    plant = plant.plant_for(first[None, : runs.layout.nq], numbers[None])
    if watched:
        method, step = settings.method, settings.taken_step
        key = (
            plant.form,
            plant.rows.tail,
            plant.wrenches,
            first.tobytes(),
            settings.start,
            method,
            step,
            numbers.tobytes(),
        )
        found = _known(
            bool(laws), recent, key, lambda: state_events(plant, first, settings.start, method, step, numbers)
        )
        events = [*events, *tell_events(runs, found, check)]
        said = unstable_loop(plant, rows_table, first, numbers, settings.duration)
        events = [*events, *tell_events(runs, [Event(0.0, Happening.CONTROL, said)] if said else [], check)]
    used = None if design is None else numbers
    return Setup(settings, asked, plant, used, numbers, own, changed, rows_table, first, tuple(events))


def tell_late_loads(setup: Setup) -> Setup:
    """The setup of a run that ends at its duration, with a word about loads that only begin then."""
    check, text = setup.settings.check, setup.plant.wrenches.late_loads(setup.settings.duration)
    if not text or check == "off":
        return setup
    return replace(setup, events=(*setup.events, *tell_events(setup.model, [Event(0.0, Happening.LOAD, text)], check)))


def unstable_loop(plant: Plant, motion: MotionTable | None, first: Array, numbers: Array, duration: float) -> str:
    """What linear theory says against the loop where a run of so long (s) begins, "" for nothing. first (n,): its state; numbers
    (n,): parameters. Those of the last few runs are known."""
    model, q = plant.model, first[: plant.model.layout.nq]
    row = None if motion is None or plant.law.held else plant.rows.row(motion, 0).tobytes()
    key = ("loop", plant.form, plant.rows.tail, plant.wrenches, q.tobytes(), numbers.tobytes(), duration, row)
    recent: Recent = model.cached("recent starts", Recent)
    return _known(bool(_fixed_laws(plant.law)), recent, key, lambda: loop_text(plant, motion, q, numbers, duration))


def step_doubt(plant: Plant, q: Array, settings: RunSettings, numbers: Array) -> str:
    """What is said against a step at q (nq,) in a design (n,), "" for nothing."""
    return long_step(plant, q, settings.method, settings.taken_step, numbers)


def _known(fixed: bool, recent: Recent, key: Hashable, find: Callable[[], Any]) -> Any:
    """What was found before for what is fixed."""
    return recent.get(key, find) if fixed else find()


def _is_fixed_motion(motion: Motion) -> bool:
    """Whether it is the same whenever it is asked: no function of the user's, which may do something else now."""
    paths = [part.path for part in motion.parts]
    return all(
        type(path) is PolynomialPath or (isinstance(path, LedPath) and _is_fixed_motion(path.of)) for path in paths
    )


def _fixed_laws(law: Law) -> tuple[type, ...]:
    """The classes of a law and of those inside of it, where all they do follows from class and settings; () else."""
    all_of_them: list[Law] = []
    inside: Any = law
    while isinstance(inside, Law):
        all_of_them.append(inside)
        inside = getattr(inside, "law", None)
    fixed = all(x.known_form is not None and x.fixed_reference for x in all_of_them)
    return tuple(map(type, all_of_them)) if fixed else ()


def _bytes(x: Any) -> bytes | None:
    return None if x is None else np.asarray(x, dtype=float).tobytes()
