"""[Long 2014] part by part: the flexible Gough–Stewart robot from derivation to closed-loop runs."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.along import along
from gough_papers.cost import HEAD, TIMED_STATES, cost
from gough_papers.long2014 import costs, figures, table4
from gough_papers.long2014.limit import STIFFER, rigid_limit
from gough_papers.report.section import Grid, Section

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.simulation.scenarios.scenario import Scenario
    from gough_papers.long2014.plate import Plate
    from gough_papers.long2014.rest import Rest
    from gough_papers.long2014.runs import Tracked
    from gough_papers.workshop import Workshop

FUNCTIONS = {"inverse_dynamics": "inverse", "forward_dynamics": "forward"}
RIGID = "long2014_rigid"


class Long2014:
    """The parts in their order; later ones use what earlier ones made."""

    def __init__(self, shop: "Workshop") -> None:
        self.shop = shop

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [
            ("The flexible Gough–Stewart robot, derived and compiled", self.derive),
            ("Its platform: a free hexagonal plate by finite elements (Table 2)", self.flexible_plate),
            ("The initial pose (Table 4)", self.initial_pose),
            ("At rest: equilibrium, stability, zero dynamics", self.at_rest),
            ("The rigid limit", self.limit),
            ("Simulated: through four poses and back (Figs. 4–7), under three controllers", self.runs),
            ("Misprints, and what each costs", self.misprints),
        ]

    @cached_property
    def scenario(self) -> "Scenario":
        """With the model that all parts use."""
        from gough.simulation.scenarios.files import load_scenario
        from gough_papers.long2014.runs import SCENARIO

        return load_scenario(SCENARIO)

    @property
    def model(self) -> "Model":
        """Of the flexible robot."""
        return self.scenario.model

    @cached_property
    def plate(self) -> "Plate":
        """With its computed stiffnesses."""
        from gough_papers.long2014.plate import plate

        return plate(self.model.robot)

    @cached_property
    def rest(self) -> "Rest":
        """At the initial pose."""
        from gough_papers.long2014.rest import rest

        return rest(self.model, self.plate.own)

    @cached_property
    def held(self) -> np.ndarray:
        """(6, 3): where the legs hold the plate, m."""
        return np.array([leg.on_platform.position for leg in self.model.robot.legs])

    def derive(self, section: Section) -> None:
        """Equations and machine code of both models, with what they cost."""
        self.shop.tell("long2014: finite elements of the plate, structure of the robot …")
        layout = self.model.layout
        section.said.append(
            f"{layout.mobility} freedoms, {layout.n_elastic} elastic coordinates, {len(layout.drive_names)} drives"
        )
        title = (
            "Compiled for any parameters and given joint coordinates (no loops to close); "
            f"µs/state: {TIMED_STATES} states in one call"
        )
        rows: list[tuple[str, ...]] = []
        for name, short in FUNCTIONS.items():
            self.shop.tell(f"long2014: {short} dynamics …")
            found = cost(self.model, name)
            section.data.setdefault("functions", {})[name] = vars(found)
            rows.append((short, *found.cells))
            section.grids = [Grid(("dynamics", *HEAD), tuple(rows), HEAD, title)]

    def flexible_plate(self, section: Section) -> None:
        """Free modes beside the paper's table and converged models."""
        from gough_papers.long2014.plate import CONVERGED, FIRST, OTHER_PROGRAMS, TABLE_2
        from gough_papers.long2014.plate_pictures import draw_modes

        self.shop.tell("long2014: free modes of the plate …")
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
        head = ("mode", "computed", "paper", "difference", *CONVERGED)
        title = f"angular frequencies (rad/s); on the right {OTHER_PROGRAMS}"
        section.grids.append(Grid(head, tuple(rows), head, title, label="Table 2"))
        section.said.append(
            "The paper's modes 14 to 16 are 8 to 10 % above every converged model of this plate, probably a "
            "coarse mesh; its generalised "
            "stiffnesses, the squares of its frequencies, are used in the runs below all the same, with our shapes."
        )
        section.data["frequencies"] = own
        section.comparisons += self.plate.comparisons()
        caption = "Free modes 7 to 16 of the plate: displacement across it, largest = 1."
        self.shop.draw(section, "plate_modes", caption, lambda: draw_modes(self.plate.own, own, FIRST))

    def initial_pose(self, section: Section) -> None:
        """Joint values from the base points and the hexagon."""
        found = table4.joint_values(self.model.home, self.model.layout.q_names)
        legs = tuple(f"leg {k + 1}" for k in range(6))
        rows = []
        for k, unit in enumerate(("rad", "rad", "m")):
            rows.append((f"q{k + 1} ({unit}), paper", *(f"{x:.4f}" for x in table4.TABLE_4[k])))
            rows.append(("  computed", *(f"{x:.4f}" for x in found[k])))
        section.grids.append(Grid(("", *legs), tuple(rows), legs, "initial joint values", label="Table 4"))
        section.comparisons += table4.comparisons(found)
        condition = 1.0 / float(self.model.singularity(self.model.home).parallel)
        section.said.append(
            f"The pose is near a singularity: condition number {condition:.0f} of the scaled drive Jacobian."
        )

    def at_rest(self, section: Section) -> None:
        """Static forces and sag, stability with locked legs, zero dynamics."""
        from gough_papers.long2014.plate_pictures import draw_sag

        self.shop.tell("long2014: static equilibrium, vibrations, zero dynamics …")
        rest = self.rest
        section.said += [
            f"legs locked: {rest.locked.verdict}",
            f"legs locked, without gravity and load: {rest.undeformed.verdict}",
            f"drives free: {rest.free.verdict}",
            f"inverse model, motion of the floating frame given: {rest.floating.verdict}",
            f"inverse model, motion of the plate's centre given: {rest.centre.verdict}",
        ]
        section.comparisons += rest.comparisons()
        section.comparisons += along(self.shop.model(RIGID), "long2014_poses").comparisons()
        section.data |= {"forces_N": rest.still.tau, "sag_m": rest.sag}
        caption = "The plate at rest at the initial pose, from flat; at its corners legs and forces."
        self.shop.draw(section, "sag", caption, lambda: draw_sag(self.plate.own, rest.still, self.held))

    def limit(self, section: Section) -> None:
        """A stiffer and stiffer plate."""
        self.shop.tell("long2014: stiffer and stiffer plates …")
        found = rigid_limit(self.model, self.shop.model(RIGID))
        head = ("stiffness, times Table 2", "settled under its weight", "held flat")
        rows = tuple(
            (f"{s:g}", f"{a:.4f}", f"{b:.4f}") for s, a, b in zip(STIFFER, found.settled, found.flat, strict=True)
        )
        title = "Drive forces at rest: largest difference from a rigid platform (N)"
        section.grids.append(Grid(head, rows, head, title))
        section.comparisons += found.comparisons()
        section.data["rigid_limit_N"] = {"settled": found.settled, "flat": found.flat}

    def runs(self, section: Section) -> None:
        """The flexible model's computed torque, which follows, and two others, which do not."""
        from gough_papers.long2014 import runs as papers

        scenario, made = self.scenario, []
        steps: list[tuple[str, Callable[[], Tracked], Any]] = [
            ("computed torque with the flexible model", lambda: papers.flexible_run(scenario), papers.followed),
            ("computed torque with the rigid model", lambda: papers.rigid_run(scenario), papers.departed),
            ("replay without feedback", lambda: papers.replayed_run(scenario, made[0].run), papers.departed),
        ]
        rows: list[tuple[str, ...]] = []
        for what, run, compare in steps:
            self.shop.tell(f"long2014: {what}: compiling the time loop, simulating …")
            made.append(run())
            rows.append(papers.row(made[-1]))
            section.grids = [Grid(papers.HEAD, tuple(rows), papers.HEAD[1:6])]
            section.comparisons += compare(made[-1])
            section.data.setdefault("runs", []).append(papers.data(made[-1]))
        section.said.append(
            "The paper's poses and times are lost; these are ours. Its Fig. 3 feeds the inverse model into the "
            "direct one: an identity, "
            "which holds whatever the equations are. Replayed without feedback the same forces lose the robot."
        )
        self._figures(section, made)

    def _figures(self, section: Section, made: "list[Tracked]") -> None:
        from gough_papers.long2014.moving import moving
        from gough_papers.long2014.run_pictures import draw_forces, draw_tracking

        assert self.scenario.motion is not None
        self.shop.tell("long2014: figures 4 to 7 …")
        found = figures.results(made[0], self.scenario.motion, self.plate.own, self.held)
        section.comparisons += found.comparisons()
        ours = "on our poses, computed torque with the flexible model"
        for label, file, drawing, caption in (
            ("Fig. 4", "fig4", figures.draw_forces, f"Forces of the prismatic joints, {ours}."),
            (
                "Fig. 5",
                "fig5",
                figures.draw_accelerations,
                f"Accelerations of the platform frame and their error, {ours}.",
            ),
            ("Fig. 6", "fig6", figures.draw_origin, f"Deformation at the platform's origin, platform axes, {ours}."),
            (
                "Fig. 7",
                "fig7",
                figures.draw_points,
                f"Deformation at the six attachment points, platform axes, {ours}.",
            ),
        ):
            self.shop.draw(section, file, caption, lambda drawing=drawing: drawing(found), label)
        caption = "Distance from the path and elastic coordinates under the three controllers."
        self.shop.draw(section, "tracking", caption, lambda: draw_tracking(made))
        caption = "Drive forces under feedback; the replay has those of the flexible computed torque."
        self.shop.draw(section, "controllers", caption, lambda: draw_forces(made[:2]))
        if self.shop.draws:
            section.moving = moving(made[0].run, self.plate.own)

    def misprints(self, section: Section) -> None:
        """Those that inputs of the library can stand for are computed, the others quoted."""
        from gough_papers.long2014.paper import PAPER
        from gough_papers.report.misprints import misprint_grids, misprint_note

        self.shop.tell("long2014: misprints …")
        motion = along(self.shop.model(RIGID), "long2014_poses")
        found = costs.costs(motion.model, motion.states)
        section.said.append(misprint_note(PAPER))
        section.grids += misprint_grids(PAPER, {name: f"{100 * value:.3g} %" for name, value in found.items()})
        section.comparisons += costs.comparisons(found)
        section.data["misprints"] = found
