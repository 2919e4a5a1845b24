"""[Briot 2014] part by part: natural frequencies of DualEMPS (Table 3), operations, two trajectories, misprints.

Frequencies: slides locked at q11 = q21 = 0, undeformed. The tables as printed miss the paper's own row in the third digit; inside
the printed digits of three inertias there are values (gallery robot `dualemps_refined`) that give it to every digit.
"""

from functools import cached_property
from typing import Any

import numpy as np

from gough import Model, Run, Scenario, load_scenario, natural_frequencies
from gough_papers.briot2014 import figures
from gough_papers.briot2014.runs import (
    SQUARE,
    Square,
    circle_comparisons,
    circle_demonstrations,
    circle_run,
    square_runs,
)
from gough_papers.comparison import INDEPENDENT, KnownComparison, at_most, equals, half_digit, paper_origin
from gough_papers.reproduction import Paper, Parts, Tour, changed_model
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

ROBOTS = ("dualemps", "dualemps_refined", "dualemps_8")
ELEMENTS = (2, 4)
"""A link, between the gallery's one and eight."""
TABLE_3 = {
    "model": (14.22, 25.09, 48.22, 92.37, 109.08, 423.39),
    "Adams": (14.41, 24.92, 49.78, 97.91, 110.86, 219.60),
    "measured, ±1": (14.0, 25.0, 48.0, 93.0, 108.0, 163.0),
}
"""[Briot 2014, Table 3], Hz."""
AS_PRINTED = (14.207, 25.042, 48.156, 91.907, 110.326, 436.197)
"""Hz: Tables 1 and 2 as printed, by an energy model."""
EIGHT_ELEMENTS = (14.18, 24.52, 45.91, 89.80, 105.38, 188.54)
"""Hz: eight elements a link in place of one, by an energy model."""
PAPER_S = 365.0
"""s: what 25 s took the authors in 2014; their solver is not stated."""


class Briot2014(Tour):
    """The parts in their order."""

    def parts(self) -> Parts:
        """What is reproduced, section by section."""
        return [
            ("Natural frequencies of DualEMPS (Table 3), and finer meshes", self.compare_frequencies),
            ("Operations, with what they cover", self.compare_operations),
            ("25 s of the square in joint space (Figs. 7–11)", self.show_square),
            ("The circle (Figs. 12–14)", self.show_circle),
            ("Misprints, and what each costs", self.show_misprints),
        ]

    @cached_property
    def scenario(self) -> Scenario:
        """The square."""

        return load_scenario(SQUARE)

    @cached_property
    def turn(self) -> Run:
        """The circle."""
        return circle_run(self.scenario)

    def compare_frequencies(self, section: ReportSection) -> None:
        """Beside Table 3."""
        found = {}
        for robot in ROBOTS:
            self.shop.tell(f"{robot}: natural frequencies …")
            found[robot] = six_frequencies(self.shop.model(robot))
        ours = {"1 element a link, inertias refined": found["dualemps_refined"], "1 element a link": found["dualemps"]}
        for elements in ELEMENTS:
            self.shop.tell(f"dualemps: {elements} elements a link …")
            ours[f"{elements} elements a link"] = six_frequencies(meshed_model(elements))
        ours["8 elements a link"] = found["dualemps_8"]
        columns = {f"paper, {k}": v for k, v in TABLE_3.items()} | {f"computed, {k}": v for k, v in ours.items()}
        rows = tuple((name, *(f"{f:.2f}" for f in values)) for name, values in columns.items())
        right = tuple(f"f{k + 1}" for k in range(6))
        title = "natural frequencies (Hz), slides locked at q11 = q21 = 0"
        section.grids.append(Grid(("Hz", *right), rows, right, title, label="Table 3"))
        section.said.append(
            "Tables 1 and 2 as printed miss the paper's own row in the third digit. Inside the printed digits of three inertias "
            "there are values that give it to every digit (mx17 = 0.0058198, zz14 = 0.0030744, mx24 = 0.011171), so "
            "rounding can be the difference. f6 = 423 Hz is an artefact of one element a link: with two it is 189 Hz; the "
            "measured 163 ± 1 Hz is below every model."
        )
        section.comparisons += frequency_comparisons(*found.values())
        section.data["frequencies_hz"] = {name: list(map(float, f)) for name, f in ours.items()}
        caption = "Each row of the table beside the finest mesh; linear between ±5 %, logarithmic beyond."
        self.shop.draw_picture(section, "frequencies", caption, figures.draw_table3, ours, TABLE_3)

    def compare_operations(self, section: ReportSection) -> None:
        """The paper's counts and ours of the same scope, as far as it is stated."""
        from gough_papers.counting import counts_beside_papers

        self.shop.tell("dualemps: counting operations …")
        right = ("add", "mul and div", "ours: add", "ours: mul and div")
        rows, entries = [], counts_beside_papers(self.shop.model("dualemps"))
        for e in entries:
            p, o = e["paper"], e["here"]
            counts = map(str, (p["add"], p["mul"] + p["div"], o["add"], o["mul"] + o["div"]))
            rows.append((e["quantity"], e["source"], *counts, e["scope"]))
            if e["printed"]:
                given = (
                    "operations, complete direct model",
                    o["operations"],
                    p["operations"],
                    "",
                    paper_origin(e["source"]),
                    "the paper's count",
                )
                section.comparisons.append(at_most(*given, form=".0f", note=e["scope"]))
        head = ("quantity", "source", *right, "what it covers")
        section.grids.append(Grid(head, tuple(rows), right, "Operations, parameters as symbols, no friction"))
        section.said.append(f"Ours: {entries[-1]['here_scope']}.")

    def show_square(self, section: ReportSection) -> None:
        """The scenario with Coulomb friction and without."""
        self.shop.tell("dualemps_refined: 25 s of the square, with and without Coulomb friction …")
        made = square_runs(self.scenario)
        section.grids.append(_computing_times(made))
        section.comparisons += made.comparisons()
        section.said.append(
            "Corners, ramps of 0.2 s and the period of 6.25 s are ours; the text gives moves of 1.8 s and rests. The paper "
            "filters the measured acceleration of P at 100 Hz, so is ours. Its measurements and its Adams run cannot be redrawn: "
            "their curves are in no text. “Torques” of the paper are forces at the prismatic joints."
        )
        section.data["runs"] = [
            run.summary() | {"coulomb": coulomb} for run, coulomb in ((made.run, True), (made.ringing, False))
        ]
        section.data["residual_hz"] = made.residual_hz
        run, figure = made.run, self.shop.draw_figure
        self.shop.tell("dualemps_refined: figures 7 to 11 …")
        caption = "First trajectory: the square, and the velocity on an edge; corners and ramps are ours."
        figure(section, 7, caption, figures.draw_trajectory, run)
        if self.shop.draws:
            figure(
                section, 8, "Both trajectories of P in the plane of the robot.", figures.draw_workspace, run, self.turn
            )
        self._acceleration_and_forces(section, 9, run, "square", "first", "; Coulomb friction smoothed below 1 mm/s")
        caption = "Slides, bending of the links with and without Coulomb friction, and the spectrum at the rests."
        self.shop.draw_picture(section, "square", caption, figures.draw_square, made, TABLE_3["model"][:3])
        self.shop.move(section, run, "Round the square in joint space.")

    def show_circle(self, section: ReportSection) -> None:
        """The second trajectory."""
        self.shop.tell("dualemps_refined: the circle …")
        section.comparisons += circle_comparisons(self.turn)
        section.demonstrations += circle_demonstrations(self.turn)
        section.said.append(
            "Radius, centre and speed are printed. The slides are led as rigid links need it, at full speed from the first "
            "moment; how the authors came onto the circle is not stated, so the first tenths of a second are ours alone."
        )
        self._acceleration_and_forces(section, 12, self.turn, "circle", "second", "")

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


def six_frequencies(model: Model) -> np.ndarray:
    """The first six natural frequencies, Hz: drives locked at home, undeformed."""

    return natural_frequencies(model, about="undeformed").frequencies_hz[:6]


def meshed_model(elements: int) -> Model:
    """Tables as printed, with that many elements a link."""

    def change(data: Any) -> None:
        for body in data["bodies"]:
            if "flexible" in body:
                body["flexible"]["beam"]["elements"] = elements

    return changed_model("dualemps", change)


def frequency_comparisons(as_printed: np.ndarray, refined: np.ndarray, eight: np.ndarray) -> list[KnownComparison]:
    """Of `dualemps`, `dualemps_refined` and `dualemps_8` with Table 3 and energy models."""
    digits, table = "inertias refined in their printed digits", paper_origin("[Briot 2014, Table 3]")
    note = "the paper's f6 is an artefact of one element a link; measured: 163 ± 1 Hz"
    return [
        equals("tables as printed", as_printed, AS_PRINTED, "Hz", half_digit(0.0005), INDEPENDENT, form=".3f"),
        equals(digits, refined, TABLE_3["model"], "Hz", half_digit(0.005), table, form=".2f"),
        equals(
            "eight elements a link", eight, EIGHT_ELEMENTS, "Hz", half_digit(0.005), INDEPENDENT, form=".2f", note=note
        ),
    ]


def _computing_times(made: Square) -> Grid:
    head = ("25 s", "method", "steps", "computing s", "× real time", "compiling s")
    rows = []
    for name, run in (("with Coulomb friction", made.run), ("without", made.ringing)):
        info, spent = run.info, run.info.computing_s or float("nan")
        of = info.settings
        cells = (f"{of['method']}", str(of["steps"]), f"{spent:.2f}", f"{run.duration / spent:.0f}")
        rows.append((name, *cells, f"{info.compile_s or 0.0:.2f}"))
    rows.append(("the paper, on its machine", "not stated", "", f"{PAPER_S:.0f}", f"{25.0 / PAPER_S:.2f}", ""))
    title = "Computing time; the paper's machine (Pentium 4, 2.7 GHz) and solver are others, so this is no ratio like for like"
    return Grid(head, tuple(rows), head[2:], title)
