"""[Long 2014] part by part: the flexible Gough–Stewart robot from derivation to closed-loop runs."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from gough import Model, Run, Scenario, load_scenario
from gough.spatial.poses import rotation_of_quaternion
from gough_papers.along import COST_HEAD, TIMED_STATES, function_cost, known_forces, relative_error, run_along
from gough_papers.comparison import TRANSCRIPTION, KnownComparison, equals, half_digit
from gough_papers.long2014 import explanations, plate, rest, runs
from gough_papers.long2014.initial_pose import (
    SHIFT,
    TABLE_4,
    UNITS,
    as_rounded,
    digits_told,
    joint_comparisons,
    joint_values,
)
from gough_papers.long2014.matrices import RobotMatrices
from gough_papers.reproduction import Paper, Parts, Tour
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

FUNCTIONS = {"inverse_dynamics": "inverse", "forward_dynamics": "forward"}
POSES = "long2014_poses"


class Long2014(Tour):
    """The parts in their order; later ones use what earlier ones made."""

    def parts(self) -> Parts:
        """What is reproduced, section by section."""
        return [
            ("The flexible Gough–Stewart robot, derived and compiled", self.derive),
            ("Its platform: a free hexagonal plate by finite elements (Table 2)", self.compare_plate),
            ("The initial pose (Table 4)", self.compare_initial_pose),
            ("At rest: equilibrium, stability, zero dynamics", self.compare_rest),
            ("The rigid limit", self.show_rigid_limit),
            ("Simulated: through four poses and back (Figs. 4–7), under three controllers", self.simulate),
            ("Misprints, unsaid conventions and easy mistakes, and what each costs", self.show_misprints),
        ]

    @cached_property
    def scenario(self) -> Scenario:
        """With the model that all parts use."""

        return load_scenario(POSES)

    @property
    def model(self) -> Model:
        """Of the flexible robot."""
        return self.scenario.model

    @cached_property
    def rigid(self) -> Run:
        """The rigid robot through the four poses."""
        return run_along(self.shop.model("long2014_rigid"), POSES)

    @cached_property
    def free_plate(self) -> plate.FreePlate:
        """With its computed stiffnesses."""
        return plate.free_plate(self.model.robot)

    @cached_property
    def held(self) -> np.ndarray:
        """(6, 3): where the legs hold the plate, m."""
        return np.array([leg.on_platform.position for leg in self.model.robot.legs])

    def derive(self, section: ReportSection) -> None:
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
            found = function_cost(self.model, name)
            section.data.setdefault("functions", {})[name] = vars(found)
            rows.append((short, *found.cells))
            section.grids = [Grid(("dynamics", *COST_HEAD), tuple(rows), COST_HEAD, title)]

    def compare_plate(self, section: ReportSection) -> None:
        """Free modes beside the paper's table and converged models."""
        self.shop.tell("long2014: free modes of the plate …")
        section.grids.append(self.free_plate.grid())
        choices = plate.open_choices()
        section.grids.append(choices.grid())
        section.said += choices.words()
        section.data["frequencies"] = self.free_plate.frequencies
        section.comparisons += self.free_plate.comparisons(choices.band())
        section.demonstrations.append(plate.squares_demonstration())
        self._explain_plate(section, choices.band())
        caption = "Free modes 7 to 16 of the plate: displacement across it, largest = 1."
        self.shop.draw_picture(section, "plate_modes", caption, plate.draw_modes, self.free_plate)

    def _explain_plate(self, section: ReportSection, band: explanations.OpenBand) -> None:
        """What was tried for the modes that do not come out."""
        self.shop.tell("long2014: explanations of modes 14 to 16 …")
        table = np.array(plate.TABLE_2)
        found = explanations.explanations(float(table[7] / plate.CONVERGED["Mindlin"][7]))
        section.grids.append(explanations.explanation_grid(found, table, band))
        excess = 100 * np.array([table[7:] / np.array(w[7:]) - 1 for w in plate.CONVERGED.values()])
        later = " ".join(f"{w:.1f}" for w in explanations.converged_frequencies(count=15)[7:])
        near = found[explanations.NEAREST]
        outside = explanations.mode_names(~band.holds(near, table))
        rough = 100 * (found[explanations.FINE] / found[explanations.NOTHING] - 1).max()
        section.said.append(
            f"The paper's modes 14 to 16 are {excess.min():.1f} to {excess.max():.1f} % above converged models of this plate "
            "with ν = 0.3, thin, thick or solid. Why is open: no explanation that was tried has all ten modes. The paper's modal "
            "analysis is by MSC Nastran (section 6.1), and its “nodal mass (dm)” (section 4.4) reads as lumped masses. A coarse "
            "mesh is possible, not shown: tried were quadratic triangles, none of that program's elements (linear ones, coarse "
            "solids)."
        )
        section.said.append(
            f"“{explanations.NEAREST}” has all ten to {100 * np.abs(near / table - 1).max():.1f} % and is outside at modes "
            f"{outside}: its lumped mass takes off the low modes what its stiffness adds. It was picked for being near, out of "
            "hundreds of meshes, elements and ways of lumping. The rows of 150 triangles carry that mesh's own error, up to "
            f"{rough:+.1f} %."
        )
        section.said.append(f"They are no other modes of the plate: ours from 14 on are at {later} rad/s.")
        section.said.append(plate.pairs_told())
        section.said.append(
            "Table 2's stiffnesses, the squares of its frequencies, are used in all that follows, with our shapes: those of "
            "a plate whose frequencies from mode 11 on are others."
        )
        section.data["explanations"] = found

    def compare_initial_pose(self, section: ReportSection) -> None:
        """Joint values from the base points, the hexagon and the pose that the table itself gave."""
        found = joint_values(self.model.home, self.model.layout.q_names)
        legs = tuple(f"leg {k + 1}" for k in range(6))
        rows = []
        for k, unit in enumerate(UNITS):
            rows.append((f"q{k + 1} ({unit}), paper", *TABLE_4[k]))
            rows.append(("  computed", *(f"{x:.6f}" for x in found[k])))
        section.grids.append(Grid(("", *legs), tuple(rows), legs, "initial joint values", label="Table 4"))
        section.comparisons += joint_comparisons(found)
        near = self.model.home[:7].copy()
        near[:3] += SHIFT
        moved = joint_values(self.model.configuration(pose=near), self.model.layout.q_names)
        singular = self.model.singularity(self.model.home)
        one = self.model.singularity(self.model.home, length=1.0)
        section.said.append(
            "The pose, (0.25, √3/4, 1) m and no rotation, is not printed: its six numbers were found from the same 18 joint "
            "values, which decided the axes of the legs too. " + digits_told(found)
        )
        section.said.append(
            "The joint values are those of a flat plate, to half a millimetre. Under its weight ours is not flat: the runs below "
            "start from its equilibrium, so not from the joint values of Table 4."
        )
        section.said.append(
            f"With the platform moved by {' '.join(f'{1e3 * x:+.3f}' for x in SHIFT)} mm, {int(as_rounded(moved).sum())} of 18 "
            "are what is printed, rounded; we stay at the round numbers."
        )
        section.said.append(
            f"The drive map S, which is J_p⁻ᵀ, has condition number {1.0 / float(singular.parallel):.1f} there with moments over "
            f"{singular.length:g} m; over 1 m, in SI units, {1.0 / float(one.parallel):.1f}."
        )

    def compare_rest(self, section: ReportSection) -> None:
        """Static forces and sag, stability with locked legs, zero dynamics."""
        self.shop.tell("long2014: static equilibrium, vibrations, zero dynamics …")
        found = rest.at_rest(self.model, self.free_plate.own)
        section.said.append(
            f"Vertices are up to {1e3 * np.abs(found.sag).max():.1f} mm from flat, the plate is "
            f"{1e3 * explanations.THICKNESS:g} mm thick: hardly the “small deformations” of section 4.1. Equations are compared "
            "here, no real plate."
        )
        section.said += [
            f"legs locked: {found.locked.verdict}",
            f"legs locked, without gravity and load: {found.undeformed.verdict}; under its weight it is not",
            f"drive forces constant: {found.free.verdict}",
            f"inverse model, motion of the floating frame given: {found.floating.verdict}",
            f"inverse model, motion of the plate's centre given: {found.centre.verdict}",
        ]
        section.comparisons += found.comparisons()
        section.comparisons += known_forces(POSES, self.rigid.tau)
        section.data |= {"forces_N": found.still.tau, "sag_m": found.sag}
        caption = "The plate at rest at the initial pose, from flat; at its corners legs and forces."
        self.shop.draw_picture(section, "sag", caption, plate.draw_sag, self.free_plate.own, found.still, self.held)

    def show_rigid_limit(self, section: ReportSection) -> None:
        """A stiffer and stiffer plate."""
        self.shop.tell("long2014: stiffer and stiffer plates …")
        found = rest.rigid_limit(self.model, self.rigid.model)
        head = ("stiffness, times Table 2", "settled under its weight", "held flat")
        columns = (rest.STIFFER, found.settled, found.flat)
        rows = tuple((f"{s:g}", f"{a:.4f}", f"{b:.4f}") for s, a, b in zip(*columns, strict=True))
        title = "Drive forces at rest: largest difference from a rigid platform (N)"
        section.grids.append(Grid(head, rows, head, title))
        section.comparisons += found.comparisons()
        section.demonstrations += found.demonstrations()
        section.data["rigid_limit_N"] = {"settled": found.settled, "flat": found.flat}

    def simulate(self, section: ReportSection) -> None:
        """The flexible model's computed torque, which follows, others, which do not, and the paper's loop."""
        scenario, made = self.scenario, []
        assert scenario.motion is not None
        path = scenario.motion
        steps: list[tuple[str, Callable[[], runs.Tracked]]] = [
            ("computed torque with the flexible model", lambda: runs.flexible_run(scenario)),
            ("computed torque with the rigid model", lambda: runs.rigid_run(scenario)),
            ("replay without feedback", lambda: runs.replayed_run(scenario, made[0].run)),
            ("replay with a push", lambda: runs.pushed_run(scenario, made[0].run)),
            ("the paper's loop, without feedback", lambda: runs.unfed_run(scenario)),
        ]
        rows: list[tuple[str, ...]] = []
        for what, run in steps:
            self.shop.tell(f"long2014: {what}: compiling the time loop, simulating …")
            made.append(run())
            rows.append(made[-1].row())
            section.grids = [Grid(runs.HEAD, tuple(rows), runs.HEAD[1:6], "Runs; in the last column leg0 is leg 1")]
            section.data.setdefault("runs", []).append(made[-1].data())
        section.comparisons += made[0].follow_comparisons()
        matrices = RobotMatrices.along(made[0].run)
        section.comparisons += runs.rigid_comparisons(made[1], path)
        section.comparisons.append(runs.pushed_comparison(made[3], path))
        section.demonstrations += matrices.demonstrations()
        section.demonstrations.append(runs.pushed_demonstration(made[3], made[2], path))
        section.demonstrations += [made[2].replay_demonstration(), made[4].unfed_demonstration()]
        section.said.append(
            "The paper's poses and times are not in the text we have; these are ours, and are what section 6.2 asks for: "
            "quintics, rests at both ends, between them poses that differ in position and orientation."
        )
        section.said.append(
            "The paper's loop, the last row, is that of section 6.2; Fig. 3, which draws it, is not in the text we have: the "
            "inverse model at the robot's own state, given the wanted acceleration, then the direct model, and no error fed "
            "back. That is an identity if both models use the same equations, right or wrong. The other rows are ours. A replay "
            "is no scheme of the paper: it stores a run's forces and does not look at the robot. "
            f"How far it is with {runs.PUSH[0]:g} N more in leg 1, and under the rigid model's feedback, is compared with "
            "another model."
        )
        section.said.append(
            "Of Fig. 5 the text says that differences are “almost zero”, of Fig. 6 that deformation of the origin is greatest "
            "along z and about x and y. In our model this cannot be otherwise, so it is shown, not compared. Of Fig. 7 it says "
            "what the deformation is for, “to ensure the constraints at the attachment point are satisfied”; of Fig. 4 nothing."
        )
        self._figures(section, made[:3])

    def _figures(self, section: ReportSection, made: list[runs.Tracked]) -> None:
        assert self.scenario.motion is not None
        self.shop.tell("long2014: figures 4 to 7 …")
        found = runs.results(made[0], self.scenario.motion, self.free_plate.own, self.held)
        section.demonstrations += [*made[0].demonstrations(), *found.demonstrations()]
        ours = "on our poses, computed torque with the flexible model"
        for number, drawing, caption in (
            (4, runs.draw_forces, "Forces of the prismatic joints"),
            (5, runs.draw_accelerations, "Accelerations of the platform frame and their error"),
            (6, runs.draw_origin, "Deformation at the platform's origin, platform axes"),
            (7, runs.draw_points, "Deformation at the six attachment points, platform axes"),
        ):
            self.shop.draw_figure(section, number, f"{caption}, {ours}.", drawing, found)
        caption = "Distance from the path and elastic coordinates under the three controllers."
        self.shop.draw_picture(section, "tracking", caption, runs.draw_tracking, made)
        caption = "Drive forces under feedback; the replay has those of the flexible computed torque."
        self.shop.draw_picture(section, "controllers", caption, runs.draw_controllers, made[:2])
        caption = f"Four poses and back; the plate's deflection {runs.EXAGGERATION:g} times as large as it is."
        self.shop.move(section, made[0].run, caption, exaggeration=runs.EXAGGERATION)

    def show_misprints(self, section: ReportSection) -> None:
        """Those that inputs of the library can stand for are computed, the others quoted."""
        self.shop.tell("long2014: misprints …")
        found = misprint_costs(self.rigid)
        tell_misprints(section, PAPER, {name: f"{100 * value:.3g} %" for name, value in found.items()})
        section.comparisons += cost_comparisons(found)
        section.data["misprints"] = found


PAPER = Paper.read("long2014", Long2014)


# ---- what misprints and unsaid conventions cost, as far as the library's own models can show it: each is put into the inputs,
# as another design, a wrench that stands for a weight counted twice, another acceleration

MEASURED = {
    "weight twice": ("(34)–(35): weight counted twice", 0.2899),
    "weight not turned": ("(34): g not turned into Σ_p", 0.1541),
    "centres": ("Table 3 taken at the mass centres", 0.0887),
    "rate of components": ("(23), (34): rate of components for v̇_p", 0.0518),
    "no rotor": ("Table 3: IA left out", 0.0319),
}
"""{name: (in words, relative error)}, by the transcription of the printed equations at the same samples of the motion; to half a
unit of the last digit."""


def misprint_costs(run: Run) -> dict[str, float]:
    """{name: relative error}, of the rigid robot along `long2014_poses`."""

    model, given, right = run.model, (run.q, run.v, run.acceleration), run.tau
    weight = model.parameters[model.parameter_names.index("platform.M")] * np.array(model.robot.gravity)
    twice, turned = np.broadcast_to(weight, (len(run), 3)), rotation_of_quaternion(run.q[:, 3:7]) @ weight - weight
    v, w = run.v[:, :3], run.v[:, 3:]
    naive = run.acceleration - np.concatenate([np.cross(w, v), 0 * w], axis=1)
    rotors = {n: 0.0 for n in model.parameter_names if n.endswith(".slide.rotor_inertia")}
    wrong = {
        "weight twice": model.inverse_dynamics(*given, _force(twice)),
        "weight not turned": model.inverse_dynamics(*given, _force(turned)),
        "centres": model.inverse_dynamics(*given, parameters=_at_centres(model)),
        "rate of components": model.inverse_dynamics(run.q, run.v, naive),
        "no rotor": model.inverse_dynamics(*given, parameters=model.parameters_with(rotors)),
    }
    return {name: relative_error(found.tau, right) for name, found in wrong.items()}


def cost_comparisons(found: dict[str, float]) -> list[KnownComparison]:
    """With the transcription's figures, in per cent."""
    return [
        equals(f"cost of {words}", 100 * found[name], 100 * known, "%", half_digit(0.005), TRANSCRIPTION, form=".2f")
        for name, (words, known) in MEASURED.items()
    ]


def _force(f: np.ndarray) -> np.ndarray:
    """A wrench (n, 6) of a force (n, 3) at the platform's origin, which is its mass centre."""
    return np.concatenate([f, np.zeros_like(f)], axis=1)


def _at_centres(model: Model) -> np.ndarray:
    """Table 3's tensors taken as central: those about the frames' origins are larger by m (s·s 1 - s sᵀ), s = MS/M."""
    names = list(model.parameter_names)
    of = {n: float(model.parameters[i]) for i, n in enumerate(names)}
    changes = {}
    for body in [n.removesuffix(".M") for n in names if ".link" in n and n.endswith(".M")]:
        x, y, z = (of[f"{body}.M{a}"] / of[f"{body}.M"] for a in "XYZ")
        more = {
            "XX": y * y + z * z, "YY": x * x + z * z, "ZZ": x * x + y * y, "XY": -x * y, "XZ": -x * z, "YZ": -y * z,
        }  # fmt: skip
        changes |= {f"{body}.{k}": of[f"{body}.{k}"] + of[f"{body}.M"] * value for k, value in more.items() if value}
    return model.parameters_with(changes)
