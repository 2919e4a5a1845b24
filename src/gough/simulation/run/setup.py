"""Phase 1 of a simulation: the robot that runs, the law and the robot it computes with, the first state.

Where the robot that runs is not the model as it was given, the run says so in its settings: "smoothing" for Coulomb friction that
the description does not smooth, "velocities" for a robot that was built once more with the rates of its drives.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.simulation.control.instant import MotionRows
from gough.simulation.control.law import Law
from gough.simulation.control.own_robot import OwnRobot, own_robot
from gough.simulation.control.sampled import Sampled
from gough.simulation.events import Event
from gough.simulation.integration.drive_led import first_velocity, led_by_drives
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.smoothing import Smoothing, smooth_friction
from gough.simulation.integration.wrenches import Wrenches
from gough.simulation.motion.table import MotionTable, table
from gough.simulation.run.checks import motion_events, state_events, tell_events
from gough.simulation.run.settings import RunSettings, parameters_of
from gough.simulation.run.start import starting_state

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray


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
        return isinstance(self.law, Sampled)

    def describe(self) -> dict[str, Any]:
        """What a run keeps about the robot that ran, where it is not the model as it was given."""
        out: dict[str, Any] = {"smoothing": self.smoothing.plain()}
        if self.model is not self.asked:
            out["velocities"] = list(self.model.layout.v_names)
        return out | ({"believed": self.own.describe(self.numbers)} if self.law.computes else {})


def settle(model: "Model", settings: RunSettings, q: Any, v: Any, wrench: Any, parameters: Any) -> Setup:
    """Everything that is known before machine code is made; UsageError for what cannot run. q, v, wrench, parameters: as
    `simulate` takes them."""
    motion, law, check = settings.motion, settings.controller, settings.check
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
    events = tell_events(runs, motion_events(runs, motion, q, settings.duration, numbers), check) if watched else []
    led = law.reference(own.model, motion, own.reference_numbers(numbers)) if motion is not None else None
    rows_table = None if led is None else table(led)
    held = isinstance(law, Sampled)
    rows = MotionRows("forces", len(runs.mechanism.drives), 0) if held else MotionRows.of(rows_table)
    plant = Plant(runs, law, rows, Wrenches.of(runs, wrench), own)
    first = starting_state(plant, motion, q, v, settings.start, numbers)
    if watched:
        found = state_events(plant, first, settings.start, settings.method, settings.taken_step, numbers)
        events = [*events, *tell_events(runs, found, check)]
    used = None if design is None else numbers
    return Setup(settings, asked, plant, used, numbers, own, changed, rows_table, first, tuple(events))
