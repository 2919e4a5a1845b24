"""[Briot 2014] part by part: natural frequencies of DualEMPS (Table 3), what was measured, the workspace, operations, the time of
an evaluation, two trajectories, misprints.

Frequencies: slides locked at q11 = q21 = 0, undeformed. The row "Model" comes out to what the digits of Table 2 leave open, not
to its own: f1 to f4 are off by up to 0.5 %, f5 by 1.1 %, f6 by 3.0 %. Gallery robot `dualemps_refined` has three inertias, chosen
inside those digits, that give the row; it tests nothing.
"""

from functools import cached_property

import numpy as np

from gough import Run, Scenario, load_scenario
from gough_papers.briot2014 import figures
from gough_papers.briot2014.evaluation import evaluation_times
from gough_papers.briot2014.frequencies import (
    ADAMS,
    MEASURED,
    MESHES,
    MODEL,
    RESOLUTION,
    TABLE_3,
    Table3,
    low_frequencies,
    meshed_model,
    six_frequencies,
)
from gough_papers.briot2014.measured import (
    DENSITY,
    ELEMENTS,
    FREE,
    HELD,
    common_factor,
    effects_grid,
    largest_changes,
    missing_effects,
    over_workspace,
    thickness_of,
    workspace_comparisons,
    workspace_grid,
)
from gough_papers.briot2014.runs import (
    SQUARE,
    Square,
    Stepped,
    circle_demonstrations,
    circle_runs,
    circle_slides,
    points_inside,
    rest_ringing,
    square_runs,
)
from gough_papers.briot2014.segments import segments_grid
from gough_papers.comparison import Demonstration, Origin, at_most
from gough_papers.reproduction import Paper, Parts, Tour
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

ALGORITHM = "the paper's equations, counted by our rules"
"""Where a count is from: the transcription, run on symbols in the tests."""
VARIABLES = 1041
"""Intermediate variables of the paper's model, as printed."""
PAPER_S = 365.0
"""s: the paper's 6'05 min (section 5), taken for its trajectory of 25 s "in 6 minutes" (section 6); its solver is not stated."""


class Briot2014(Tour):
    """The parts in their order."""

    def parts(self) -> Parts:
        """What is reproduced, section by section."""
        return [
            ("Natural frequencies of DualEMPS (Table 3)", self.compare_frequencies),
            ("Finer meshes, and what was measured", self.compare_measured),
            ("Frequencies over the workspace", self.compare_workspace),
            ("Operations, with what they cover", self.compare_operations),
            ("Time of an evaluation with deformations given", self.compare_evaluation),
            ("25 s of the square in joint space (Figs. 7–11)", self.show_square),
            ("The circle (Figs. 12–14)", self.show_circle),
            ("Misprints, what is unsaid or simplified, and what each costs", self.show_misprints),
        ]

    @cached_property
    def scenario(self) -> Scenario:
        """The square."""

        return load_scenario(SQUARE)

    @cached_property
    def turn(self) -> Stepped:
        """The circle."""
        return circle_runs(self.scenario)

    @cached_property
    def table(self) -> Table3:
        """All that Table 3 needs."""
        found, low = {}, np.zeros(0)
        for elements in MESHES:
            self.shop.tell(f"dualemps: natural frequencies, elements a link: {elements} …")
            gallery = {1: "dualemps", 8: "dualemps_8"}.get(elements)
            model = self.shop.model(gallery) if gallery else meshed_model(elements)
            found[elements], low = six_frequencies(model), low_frequencies(model)
        return Table3(self.shop.model("dualemps"), six_frequencies(self.shop.model("dualemps_refined")), found, low)

    def compare_frequencies(self, section: ReportSection) -> None:
        """One element a link, beside Table 3."""
        table = self.table
        off, reach = 100 * (table.as_printed / MODEL - 1), 100 * table.reach / MODEL
        least, most = table.moduli
        section.grids += table.grids()
        section.said.append(
            "Tables 1 and 2, with beams from ρAL and 74 GPa, do not give the paper's row Model to its digits: they miss it by "
            f"{_list(off, '+.2f')} %. Half a unit of the last digit of every inertia of a rigid link in Table 2 moves the "
            f"frequencies by up to {_list(reach, '.1f')} %: the row is inside what these digits leave open, and they decide "
            "little of f5 and f6. That is what is counted. The density of the beams is not printed, but Table 2 fixes it: with "
            "4 × 50 mm and the lengths of Table 1 zz16 allows 2796 to 2802 kg/m³. Young's modulus is not printed and is ours, "
            "taken with the row known; every frequency goes with its root. "
            f"Between {least:.1f} and {most:.1f} GPa all six are inside; with 73 GPa, a usual value as well, "
            f"{' and '.join(table.outside_with(73.0))} would not be."
        )
        section.said.append(
            "`dualemps_refined` has three inertias moved inside their digits until all six numbers came out. They were picked "
            f"among the {len(table.picked_from)} rounded ones that have an effect, with the whole row known; so it shows that "
            "our model can be the paper's, not that these were its inertias, and nothing of it is counted. The runs below use "
            "this robot."
        )
        section.comparisons += table.comparisons()
        section.demonstrations += table.demonstrations()
        section.data["frequencies_hz"] = {name: f.tolist() for name, f in table.rows.items()}

    def compare_measured(self, section: ReportSection) -> None:
        """The converged mesh, and what is missing."""
        table = self.table
        self.shop.tell("dualemps: what could be missing …")
        effects, fine = missing_effects(), table.fine
        low, high = common_factor(fine)
        factor = "No common factor on the frequencies brings f1 to f5 inside ± 1 Hz."
        if low <= high:
            thin, thick = thickness_of(low), thickness_of(high)
            factor = (
                f"One factor on all frequencies between {low:.3f} and {high:.3f} brings f1 to f5 inside ± 1 Hz: "
                f"{100 * (low**2 - 1):.0f} to {100 * (high**2 - 1):.0f} % more stiffness, or beams of {thin:.2f} to "
                f"{thick:.2f} mm with the mass that Table 2 has, {DENSITY * 4 / thick:.0f} to {DENSITY * 4 / thin:.0f} kg/m³; "
                "“4mm” has one digit, 3.5 to 4.5 mm."
            )
        own = 100 * np.abs(table.mesh_error).max()
        raised = _list(100 * (table.as_printed / fine - 1)[2:5], ".1f")
        loose = ", ".join(f"{x:+.1f}" for x in (effects[FREE][0], effects[HELD][0]))
        section.said.append(
            f"With {table.finest} elements a link the mesh has converged (own error at most {own:.2g} %), and f3 to f5 are "
            f"{_list(fine[2:5], '.1f')} Hz: outside what was measured, {_list(MEASURED[2:5], '.0f')} ± 1 Hz. The paper's row "
            f"Model, one element a link, is {_list(np.abs(MODEL - MEASURED)[2:5], '.2f')} Hz from it: it meets f3 and f4 and "
            f"just misses f5 (ours: {_list(np.abs(table.as_printed - MEASURED)[2:5], '.2f')} Hz). One element in place of "
            f"{table.finest} raises these three by {raised} %. So that agreement says less for the model than it seems to: "
            "with these data, an error of discretisation makes up for something that is missing, or for a datum that is not "
            "what we took. The paper says that more elements would improve f6, and they do, from "
            f"{table.as_printed[5]:.0f} to {fine[5]:.1f} Hz, which is still "
            f"{100 * (fine[5] / MEASURED[5] - 1):.0f} % above the measured 163 Hz; it does not say what they do to the others. "
            f"The row Adams is {_list(100 * (ADAMS / fine - 1), '+.1f')} % from the converged mesh. It is not counted: of "
            "its links “8 discrete flexible element by elastic link”, decided “after several tests on the Adams model accuracy”, "
            "is all that is printed. If these are rigid segments with "
            "beams between their centres, and the outer ones are clamped, an eighth of a link cannot bend. That comes nearer to "
            "the row than the mesh, but for f1; it was picked, with the row known, from five ways to place segments."
        )
        section.said.append(
            "What is missing must raise f3 to f5 by some per cent, and f1 and f2 by no more than their ± 1 Hz allow. "
            "Compliance of joints, of rigid links or of clamps, mass of sensors, air, shear and rotary inertia can only "
            "lower frequencies (Rayleigh): the wrong sign. The digits of Table 2 reach f5, not f3 and f4. Joints held by dry "
            "friction would raise f1 and f2 far beyond what was measured. That the drives are locked is our choice: free, and "
            f"on springs of the controller's 100 rad/s, they change f1 by {loose} %, f3 to f5 by less than is missing "
            f"(the slides' own two modes left out). Of what was computed, stiffer beams are left. {factor} Lateral contraction "
            "that clamps hold stiffens a beam by up to 1/(1 − ν²), 12 %, near them. "
            "Young's modulus and thickness were not measured, or that is not printed; shorter free lengths at the clamps would "
            "do the same. None of this explains f6, measured at 163 Hz: stiffer beams take it farther away, and the digits of "
            "Table 2 reach half way. It may be another mode."
        )
        section.grids += [table.mesh_grid(), segments_grid(fine), effects_grid(effects, fine), table.sentences_grid()]
        section.comparisons += table.mesh_comparisons()
        section.data["frequencies_by_mesh_hz"] = {str(n): f.tolist() for n, f in table.by_mesh.items()}
        section.data["missing_per_cent"] = {name: change.tolist() for name, change in effects.items()}
        caption = (
            "Each row of Table 3 and coarser meshes beside the finest; grey: measured ± 1 Hz. Linear between ±5 %, logarithmic "
            "beyond."
        )
        drawn = (table.by_mesh, TABLE_3, RESOLUTION)
        self.shop.draw_picture(section, "frequencies", caption, figures.draw_table3, *drawn)

    def compare_workspace(self, section: ReportSection) -> None:
        """“near constant anywhere in the workspace”."""
        self.shop.tell("dualemps: frequencies over the workspace …")
        models = {
            "1 element a link": self.shop.model("dualemps"),
            f"{ELEMENTS} elements a link": meshed_model(ELEMENTS),
        }
        found = {name: over_workspace(model) for name, model in models.items()}
        section.said.append(
            "The paper says of its measurements that the frequencies are near constant and all tested configurations lead to "
            "almost the same results, without numbers. Here the drives are locked on a grid over the printed stroke of 25 cm, "
            "taken from 0 to 250 mm. Moving both slides together changes nothing; only the angle between the legs does. "
            "Compared is the finer mesh. With one element a link the largest changes are "
            f"{_list(largest_changes(found['1 element a link']), '.2f')} Hz: its f6, an artefact, is not near constant."
        )
        section.grids.append(workspace_grid(found))
        section.comparisons += workspace_comparisons(found)

    def compare_operations(self, section: ReportSection) -> None:
        """The paper's equations counted by the same rules, and its printed counts beside."""
        from gough_papers.counting import counts_beside_papers

        self.shop.tell("dualemps: counting operations …")
        right = ("add", "mul and div", "ours: add", "ours: mul and div")
        rows, entries, dense = [], counts_beside_papers(self.shop.model("dualemps")), float("nan")
        for e in entries:
            p, o = e["paper"], e["here"]
            counts = map(str, (p["add"], p["mul"] + p["div"], o["add"], o["mul"] + o["div"]))
            rows.append((e["quantity"], e["source"], *counts, e["scope"]))
            if e["printed"]:
                why = "the paper does not say which of its models, nor which parameters are symbols"
                inverse = self.shop.model("dualemps").count("inverse_dynamics").operations
                value = f"direct {o['operations']}, inverse with friction {inverse} here; {p['operations']} printed"
                section.demonstrations.append(Demonstration("operations of the model", value, why))
                dense = p["operations"] / VARIABLES
            elif e["source"] == ALGORITHM:
                section.comparisons.append(
                    at_most(
                        f"operations, {e['quantity']}, of those of the paper's equations",
                        o["operations"] / p["operations"],
                        1.0,
                        "",
                        Origin("transcription", e["source"]),
                        "a general program that needs more than the paper's equations saves nothing",
                        note=f"{o['operations']} of {p['operations']}; {e['scope']}",
                    )
                )
        head = ("quantity", "source", *right, "what it covers")
        section.grids.append(
            Grid(head, tuple(rows), right, "Operations; all but the printed: parameters as symbols, no friction")
        )
        over = entries[-1]["here"]["operations"] / entries[-1]["paper"]["operations"]
        section.said.append(
            f"The paper's own numbers cover {VARIABLES} intermediate variables, {dense:.1f} operations each, of a model it does "
            "not name, so nothing is measured by them; its §5 suggests the inverse model with friction. "
            "In our programs every operation is a variable. Counted are its equations, transcribed and run on symbols by the "
            "tests, by the rules of our counts, with common terms shared. Its §4.4 says nothing of sharing and makes a "
            "variable of every element with at least one operation: counted without sharing, M and c take 791 additions and 1013 "
            "multiplications and divisions, the direct model 988 and 1259. A planar form made by hand for this one robot takes "
            f"fewer: ours is {over:.2f} times that. Ours: {entries[-1]['here_scope']}."
        )

    def compare_evaluation(self, section: ReportSection) -> None:
        """“compatible with real time applications”."""
        self.shop.tell("dualemps: time of an evaluation …")
        found = evaluation_times(self.shop.model("dualemps"))
        section.said.append(
            "The paper says that with measured deformations its model can be computed in real time, and gives neither a time "
            "nor the sampling time of its controller; the 40 µs it prints are those of the logger of its hammer test. So "
            "nothing is counted. Here the inverse model is evaluated with positions, deformations and "
            "their rates given; forces of the drives and elastic accelerations come out. Passive joints are known to the "
            "compiled code; finding them from slides and deformations is our general Newton's method, which a call from "
            "Python is too slow for. Measuring, filtering and the exchange with a controller are not counted."
        )
        section.grids.append(found.grid())
        section.demonstrations += found.demonstrations()
        section.data["evaluation_us"] = vars(found)

    def show_square(self, section: ReportSection) -> None:
        """The scenario with Coulomb friction and without."""
        self.shop.tell("dualemps_refined: 25 s of the square, with and without Coulomb friction …")
        made = square_runs(self.scenario)
        section.grids.append(_computing_times(made))
        section.comparisons += made.comparisons()
        section.said.append(
            "Nothing of Figs. 7 to 11 is compared with the paper: its curves, measured, modelled and by Adams, are in no text. "
            "Nor is what it says of them: “very good correlations”, “better results for our model” than for Adams, to which "
            "friction of the drives was “added by hand after the computation” (its footnote 1), “several hours” for Adams. "
            "Friction terms of Table 2 were “set by hand so that the obtained results best fit”, so the curves would not test "
            "them. “A path following the workspace boundaries” holds for our square by its making: its edges are the ends of "
            "the strokes. Drawn is our model led along our trajectory; the authors fed theirs with the measured positions of "
            "the drives. Robot: `dualemps_refined`. Corners, ramps of 0.2 s, the period of 6.25 s and the start at rest are "
            "ours; the text gives moves of 1.8 s and rests. The paper filters the measured acceleration of P at 100 Hz, so is "
            "ours. “Torques” of the paper are forces at the prismatic joints. Our model has no damping but friction in joints; "
            "the paper finds more in its simulations than in its robot. The step resolves bending; vibrations along the links "
            "(0.1 µm, above 1 kHz) it leaves stable but not in phase."
        )
        ringing, left = rest_ringing(made.run)
        section.said.append(
            "The drives stop “so that the free vibration of the robot can be observed”. With the Coulomb friction of Table 2, "
            f"smoothed, our joints then hold: P rings with {ringing:.1f} Hz, not with f1, and at most {100 * left:.0f} % of that "
            "is left half a second later. Only the run without Coulomb friction vibrates at f1, so that one is compared with it."
        )
        section.data["runs"] = [
            run.summary() | {"coulomb": coulomb} for run, coulomb in ((made.run, True), (made.ringing, False))
        ]
        section.data["residual_hz"] = made.residual_hz.tolist()
        run, figure = made.run, self.shop.draw_figure
        self.shop.tell("dualemps_refined: figures 7 to 11 …")
        caption = "First trajectory: the square, and the velocity on an edge; corners and ramps are ours."
        figure(section, 7, caption, figures.draw_trajectory, run)
        if self.shop.draws:
            figure(
                section,
                8,
                "Both trajectories of P in the plane of the robot.",
                figures.draw_workspace,
                run,
                self.turn.run,
            )
        self._acceleration_and_forces(section, 9, run, "square", "first", "; Coulomb friction smoothed below 1 mm/s")
        caption = (
            "Slides, bending of the links with and without Coulomb friction, the spectrum of the first rest without it."
        )
        self.shop.draw_picture(section, "square", caption, figures.draw_square, made, TABLE_3["Model"][:3])
        self.shop.move(section, run, "Round the square in joint space.")

    def show_circle(self, section: ReportSection) -> None:
        """The second trajectory."""
        self.shop.tell("dualemps_refined: the circle …")
        turn = self.turn.run
        section.comparisons.append(self.turn.comparison("circle"))
        section.demonstrations += circle_demonstrations(turn)
        section.said.append(
            "Nothing of Figs. 12 to 14 is compared with the paper either; it shows none of Adams there. Radius, centre and "
            "speed are printed; axes of the centre, start and sense are ours. The slides are led as rigid links need it, at "
            "full speed from the first moment; how the authors came onto the circle is not stated, so the first tenths of a "
            "second are ours alone."
        )
        (least, most), (first, second) = points_inside(), 1e3 * circle_slides(0.0).max(axis=0)
        section.said.append(
            f"With P at the origin of link 17 slide 1 goes to {first:.0f} mm and slide 2 to {second:.0f} mm. "
            f"So P or the stroke, for which we took 0 to 250 mm, lies elsewhere: with P {1e3 * least:.0f} to {1e3 * most:.0f} mm "
            "farther out on link 17 both slides stay inside."
        )
        self._acceleration_and_forces(section, 12, turn, "circle", "second", "")

    def _acceleration_and_forces(
        self, section: ReportSection, first: int, run: Run, path: str, which: str, more: str
    ) -> None:
        """Three figures from number `first` on."""
        caption = f"Acceleration of P across link 17, {which} trajectory, filtered at 100 Hz."
        self.shop.draw_figure(section, first, caption, figures.draw_acceleration, run, f"¹⁷ÿ_P, {path}")
        for k in (0, 1):
            caption, title = f"Force of drive {k + 1}, {which} trajectory{more}.", f"Drive {k + 1}, {path}"
            self.shop.draw_figure(section, first + 1 + k, caption, figures.draw_force, run, k, title)

    def show_misprints(self, section: ReportSection) -> None:
        """All from the transcription: they are terms inside the recursion."""
        tell_misprints(section, PAPER, {})


PAPER = Paper.read("briot2014", Briot2014)


def _list(values: np.ndarray, form: str) -> str:
    return ", ".join(f"{x:{form}}" for x in values)


def _computing_times(made: Square) -> Grid:
    head = (
        "25 s",
        "method",
        "steps",
        "computing s",
        "× real time",
        "compile or load s",
        "energy lacks",
        "bending changes",
    )
    rows = []
    for name, both in (("with Coulomb friction", made.with_friction), ("without", made.without)):
        info, spent = both.run.info, both.run.info.computing_s or float("nan")
        of = info.settings
        cells = (f"{of['method']}", str(of["steps"]), f"{spent:.2f}", f"{both.run.duration / spent:.0f}")
        rows.append(
            (name, *cells, f"{info.compile_s or 0.0:.2f}", f"{both.lacks[0]:.0e}", f"{both.bending_change:.0e}")
        )
    rows.append(("the paper, on its machine", "not stated", "", f"{PAPER_S:.0f}", f"{25.0 / PAPER_S:.2f}", "", "", ""))
    title = (
        "Computing time; the paper's machine (Pentium 4, 2.7 GHz) and solver are others, so this is no ratio like for like; "
        "its 6'05 min (§5) are taken for “a trajectory of 25 s in 6 minutes” (§6). "
        "Energy lacks: of the energy exchanged. Bending changes: with half the step, of its largest size"
    )
    return Grid(head, tuple(rows), head[2:], title)
