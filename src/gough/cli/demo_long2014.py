"""The main part of `gough demo`: the flexible Gough–Stewart robot of [Long 2014], from derivation to closed-loop runs."""

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.demo_section import Figure, Grid, Section, Tell
from gough.cli.opening import open_robot

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.papers.long2014_plate import Plate
    from gough.papers.long2014_rest import Rest
    from gough.papers.long2014_runs import Tracked
    from gough.simulation.scenarios.scenario import Scenario

FUNCTIONS = {"inverse_dynamics": "inverse", "forward_dynamics": "forward"}
TIMED_STATES = 20_000


class Long2014:
    """The parts in their order; later ones use what earlier ones made. folder: where pictures go."""

    def __init__(self, folder: Path, tell: Tell) -> None:
        self.folder, self.tell = folder, tell

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [
            ("The flexible Gough–Stewart robot of Long 2014: derived and compiled", self.derive),
            ("Its platform: a free hexagonal plate by finite elements", self.flexible_plate),
            ("At rest: equilibrium, stability, zero dynamics", self.at_rest),
            ("Simulated: through four poses and back under three controllers", self.runs),
        ]

    @cached_property
    def scenario(self) -> "Scenario":
        """With the model that all parts use."""
        from gough.papers.long2014_runs import SCENARIO
        from gough.simulation.scenarios.files import load_scenario

        return load_scenario(SCENARIO)

    @cached_property
    def plate(self) -> "Plate":
        """With its computed stiffnesses."""
        from gough.papers.long2014_plate import plate

        return plate(open_robot("long2014")[0])

    @cached_property
    def rest(self) -> "Rest":
        """At the initial pose."""
        from gough.papers.long2014_rest import rest

        return rest(self.scenario.model, self.plate.own)

    def derive(self, section: Section) -> None:
        """Equations and machine code of both models, with what they cost."""
        self.tell("long2014: finite elements of the plate, structure of the robot …")
        start = time.perf_counter()
        model = self.scenario.model
        section.data["build_s"] = time.perf_counter() - start
        layout = model.layout
        section.said.append(
            f"{layout.mobility} freedoms, {layout.n_elastic} elastic coordinates, {len(layout.drive_names)} drives; finite "
            f"elements and structure in {section.data['build_s']:.1f} s"
        )
        right = ("operations", "derive s", "compile s", "µs/state")
        title = f"Parameters are inputs, joint coordinates known; µs/state: one thread, {TIMED_STATES} states"
        costs = section.data["functions"] = {}
        rows: list[tuple[str, ...]] = []
        for name, short in FUNCTIONS.items():
            self.tell(f"long2014: {short} dynamics …")
            cost = costs[name] = _cost(model, name)
            times = (f"{cost[k]:.2f}" for k in ("derive_s", "compile_s", "microseconds"))
            rows.append((short, str(cost["operations"]), *times))
            section.grids = [Grid(("dynamics", *right), tuple(rows), right, title)]

    def flexible_plate(self, section: Section) -> None:
        """Free modes beside the paper's table and converged models."""
        from gough.cli.demo_figure_plate import draw_modes
        from gough.papers.long2014_plate import CONVERGED, FIRST, OTHER_PROGRAMS, TABLE_2

        self.tell("long2014: free modes of the plate …")
        own = self.plate.frequencies
        rows = [
            (
                str(FIRST + k),
                f"{own[k]:.2f}",
                f"{TABLE_2[k]:.2f}",
                f"{100 * (own[k] / TABLE_2[k] - 1):+.2f} %",
                *(f"{values[k]:.2f}" for values in CONVERGED.values()),
            )
            for k in range(len(own))
        ]
        head = ("mode", "computed", "Table 2", "difference", *CONVERGED)
        title = f"Angular frequencies (rad/s); on the right {OTHER_PROGRAMS}"
        section.grids.append(Grid(head, tuple(rows), head, title))
        section.data["frequencies"] = own
        section.comparisons += self.plate.comparisons()
        path = draw_modes(self.plate.own, own, FIRST, self.folder / "long2014_plate_modes.png")
        section.figures.append(Figure(path, "Free modes 7 to 16 of the plate: displacement across it, largest = 1."))

    def at_rest(self, section: Section) -> None:
        """Static forces and sag, stability with locked legs, zero dynamics."""
        from gough.cli.demo_figure_plate import draw_sag

        self.tell("long2014: static equilibrium, vibrations, zero dynamics …")
        rest = self.rest
        section.said += [
            f"legs locked: {rest.locked.verdict}",
            f"legs locked, without gravity and load: {rest.undeformed.verdict}",
            f"drives free: {rest.free.verdict}",
            f"inverse model: {rest.floating.verdict}",
            f"inverse model: {rest.centre.verdict}",
        ]
        section.comparisons += rest.comparisons()
        section.data |= {"forces_N": rest.still.tau, "sag_m": rest.sag}
        held = np.array([leg.on_platform.position for leg in self.scenario.model.robot.legs])
        path = draw_sag(self.plate.own, rest.still, held, self.folder / "long2014_sag.png")
        section.figures.append(
            Figure(path, "The plate at rest at the initial pose, from flat; at its corners legs and forces.")
        )

    def runs(self, section: Section) -> None:
        """The flexible model's computed torque, which follows, and two others, which do not."""
        from gough.cli.demo_figure_runs import draw_forces, draw_tracking
        from gough.papers import long2014_runs as papers

        scenario, made = self.scenario, []
        steps: list[tuple[str, Callable[[], Tracked], Any]] = [
            ("computed torque with the flexible model", lambda: papers.flexible_run(scenario), papers.followed),
            ("computed torque with the rigid model", lambda: papers.rigid_run(scenario), papers.departed),
            ("replay without feedback", lambda: papers.replayed_run(scenario, made[0].run), papers.departed),
        ]
        rows: list[tuple[str, ...]] = []
        for what, run, compare in steps:
            self.tell(f"long2014: {what}: compiling the time loop, simulating …")
            made.append(run())
            rows.append(_run_row(made[-1]))
            section.grids = [Grid(RUN_HEAD, tuple(rows), RUN_HEAD[1:6])]
            section.comparisons += compare(made[-1])
            section.data.setdefault("runs", []).append(_run_data(made[-1]))
        paths = (
            draw_tracking(made, self.folder / "long2014_runs.png"),
            draw_forces(made[:2], self.folder / "long2014_forces.png"),
        )
        section.figures += [
            Figure(paths[0], "Distance from the path and elastic coordinates under the three controllers."),
            Figure(paths[1], "Drive forces under feedback; the replay has those of the flexible computed torque."),
        ]


RUN_HEAD = (
    "controller",
    "simulated s",
    "computing s",
    "compiling s",
    "steps",
    "farthest mm",
    "leaves the path",
    "ended",
)


def _run_row(t: "Tracked") -> tuple[str, ...]:
    info = t.run.info
    left = "never" if t.leaves is None else f"10 mm at {t.leaves:.2f} s"
    times = (f"{x:.2f}" if x is not None else "" for x in (t.run.duration, info.computing_s, info.compile_s))
    return (t.name, *times, str(info.settings["steps"]), f"{1e3 * t.farthest:.3g}", left, t.ended)


def _run_data(t: "Tracked") -> dict[str, Any]:
    return t.run.summary() | {
        "controller": t.name,
        "farthest_m": t.farthest,
        "leaves_s": t.leaves,
        "elastic_largest": float(np.nanmax(np.abs(t.run["elastic"]))),
    }


def _cost(model: "Model", name: str) -> dict[str, float]:
    """Operations of a function, seconds to derive and compile it, microseconds a state in a large batch."""
    begin = time.perf_counter()
    function = model.function(name)
    operations = model.count(name).operations
    derived = time.perf_counter()
    function.compile()
    compiled = time.perf_counter()
    q = np.tile(model.home, (TIMED_STATES, 1))
    v = np.zeros((TIMED_STATES, model.layout.nv))
    given = np.zeros((TIMED_STATES, len(model.layout.drive_names)))  # as many as freedoms: accelerations or forces
    call = getattr(model, name)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call(q, v, given)
        times.append(time.perf_counter() - start)
    return {
        "operations": operations,
        "derive_s": derived - begin,
        "compile_s": compiled - derived,
        "microseconds": 1e6 * min(times) / TIMED_STATES,
    }
