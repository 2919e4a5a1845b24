"""[Briot 2014] part by part: DualEMPS."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from gough_papers.briot2014 import circle, figures
from gough_papers.briot2014.square import PAPER_S, SCENARIO, TABLE_3, Square, frequencies, frequency_comparisons, square
from gough_papers.comparison import at_most
from gough_papers.report.section import Grid, Section

if TYPE_CHECKING:
    from gough.simulation.results.run import Run
    from gough.simulation.scenarios.scenario import Scenario
    from gough_papers.workshop import Workshop

ROBOTS = ("dualemps", "dualemps_refined", "dualemps_8")


class Briot2014:
    """The parts in their order."""

    def __init__(self, shop: "Workshop") -> None:
        self.shop = shop

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [
            ("Natural frequencies of DualEMPS (Table 3), and finer meshes", self.frequencies),
            ("Operations, with what they cover", self.operations),
            ("25 s of the square in joint space (Figs. 7–11)", self.square),
            ("The circle (Figs. 12–14)", self.circle),
            ("Misprints, and what each costs", self.misprints),
        ]

    @cached_property
    def scenario(self) -> "Scenario":
        """The square."""
        from gough.simulation.scenarios.files import load_scenario

        return load_scenario(SCENARIO)

    @cached_property
    def made(self) -> Square:
        """The square with and without Coulomb friction."""
        return square(self.scenario)

    @cached_property
    def turn(self) -> "Run":
        """The circle."""
        return circle.circle(self.scenario)

    def frequencies(self, section: Section) -> None:
        """Beside Table 3."""
        from gough_papers.briot2014.refinement import ELEMENTS, refined

        found = {}
        for robot in ROBOTS:
            self.shop.tell(f"{robot}: natural frequencies …")
            found[robot] = frequencies(self.shop.model(robot))
        ours = {"1 element a link, inertias refined": found["dualemps_refined"], "1 element a link": found["dualemps"]}
        for elements in ELEMENTS:
            self.shop.tell(f"dualemps: {elements} elements a link …")
            ours[f"{elements} elements a link"] = refined(elements)
        ours["8 elements a link"] = found["dualemps_8"]
        columns = {f"paper, {k}": v for k, v in TABLE_3.items()} | {f"computed, {k}": v for k, v in ours.items()}
        rows = tuple((name, *(f"{f:.2f}" for f in values)) for name, values in columns.items())
        right = tuple(f"f{k + 1}" for k in range(6))
        title = "natural frequencies (Hz), slides locked at q11 = q21 = 0"
        section.grids.append(Grid(("Hz", *right), rows, right, title, label="Table 3"))
        section.said.append(
            "Tables 1 and 2 as printed miss the paper's own row in the third digit. Inside the printed digits of "
            "three inertias there are values that give "
            "it to every digit (mx17 = 0.0058198, zz14 = 0.0030744, mx24 = 0.011171), so the difference is "
            "rounding. f6 = 423 Hz is an artefact of "
            "one element a link: with two it is 189 Hz; the measured 163 ± 1 Hz is below every model."
        )
        section.comparisons += frequency_comparisons(*found.values())
        section.data["frequencies_hz"] = {name: list(map(float, f)) for name, f in ours.items()}
        caption = "Each row of the table beside the finest mesh; linear between ±5 %, logarithmic beyond."
        self.shop.draw(section, "frequencies", caption, lambda: figures.draw_table3(ours, TABLE_3))

    def operations(self, section: Section) -> None:
        """The paper's counts and ours of the same scope, as far as it is stated."""
        from gough_papers.counting import beside_papers

        self.shop.tell("dualemps: counting operations …")
        right = ("add", "mul and div", "ours: add", "ours: mul and div")
        rows = []
        for e in beside_papers(self.shop.model("dualemps")):
            p, o = e["paper"], e["here"]
            rows.append(
                (
                    e["quantity"],
                    e["source"],
                    *map(str, (p["add"], p["mul"] + p["div"], o["add"], o["mul"] + o["div"])),
                    e["scope"],
                )
            )
            if e["printed"]:
                section.comparisons.append(
                    at_most(
                        "operations, complete direct model",
                        o["operations"],
                        p["operations"],
                        "",
                        e["source"],
                        form=".0f",
                        note=e["scope"],
                    )
                )
        section.grids.append(
            Grid(
                ("quantity", "source", *right, "what it covers"),
                tuple(rows),
                right,
                "Operations, parameters as symbols, no friction",
            )
        )
        section.said.append(f"Ours: {e['here_scope']}.")

    def square(self, section: Section) -> None:
        """The scenario with Coulomb friction and without."""
        from gough_papers.briot2014.moving import moving
        from gough_papers.briot2014.square_picture import draw_square

        self.shop.tell("dualemps_refined: 25 s of the square, with and without Coulomb friction …")
        made = self.made
        section.grids.append(_costs(made))
        section.comparisons += made.comparisons()
        section.said.append(
            "Corners, ramps of 0.2 s and the period of 6.25 s are ours; the text gives moves of 1.8 s and rests. "
            "The paper filters the measured acceleration of P "
            "at 100 Hz, so is ours. Its measurements and its Adams run cannot be redrawn: their curves are in no "
            "text. “Torques” of the paper are forces at "
            "the prismatic joints."
        )
        section.data["runs"] = [
            run.summary() | {"coulomb": coulomb} for run, coulomb in ((made.run, True), (made.ringing, False))
        ]
        section.data["residual_hz"] = made.residual_hz
        run = made.run
        self.shop.tell("dualemps_refined: figures 7 to 11 …")
        draw = self.shop.draw
        draw(
            section,
            "fig7",
            "First trajectory: the square, and the velocity on an edge; corners and ramps are ours.",
            lambda: figures.draw_trajectory(run),
            "Fig. 7",
        )
        draw(
            section,
            "fig8",
            "Both trajectories of P in the plane of the robot.",
            lambda: figures.draw_workspace(run, self.turn),
            "Fig. 8",
        )
        draw(
            section,
            "fig9",
            "Acceleration of P across link 17, first trajectory, filtered at 100 Hz.",
            lambda: figures.draw_acceleration(run, "¹⁷ÿ_P, square"),
            "Fig. 9",
        )
        for label, k in (("Fig. 10", 0), ("Fig. 11", 1)):
            title = f"Drive {k + 1}, square"
            draw(
                section,
                f"fig{10 + k}",
                f"Force of drive {k + 1}, first trajectory; Coulomb friction smoothed below 1 mm/s.",
                lambda k=k, title=title: figures.draw_force(run, k, title),
                label,
            )
        draw(
            section,
            "square",
            "Slides, bending of the links with and without Coulomb friction, and the spectrum at the rests.",
            lambda: draw_square(made),
        )
        if self.shop.draws:
            section.moving = moving(run)

    def circle(self, section: Section) -> None:
        """The second trajectory."""
        self.shop.tell("dualemps_refined: the circle …")
        run = self.turn
        section.comparisons += circle.comparisons(run)
        section.said.append(
            "Radius, centre and speed are printed. The slides are led as rigid links need it, at full speed from "
            "the first moment; how the authors came onto the circle is not "
            "stated, so the first tenths of a second are ours alone."
        )
        draw = self.shop.draw
        draw(
            section,
            "fig12",
            "Acceleration of P across link 17, second trajectory, filtered at 100 Hz.",
            lambda: figures.draw_acceleration(run, "¹⁷ÿ_P, circle"),
            "Fig. 12",
        )
        for label, k in (("Fig. 13", 0), ("Fig. 14", 1)):
            title = f"Drive {k + 1}, circle"
            draw(
                section,
                f"fig{13 + k}",
                f"Force of drive {k + 1}, second trajectory.",
                lambda k=k, title=title: figures.draw_force(run, k, title),
                label,
            )

    def misprints(self, section: Section) -> None:
        """All from the transcription: they are terms inside the recursion."""
        from gough_papers.briot2014.paper import PAPER
        from gough_papers.report.misprints import misprint_grids, misprint_note

        section.said.append(misprint_note(PAPER, live=False))
        section.grids += misprint_grids(PAPER, {})


def _costs(made: Square) -> Grid:
    head = ("25 s", "method", "steps", "computing s", "× real time", "compiling s")
    rows = []
    for name, run in (("with Coulomb friction", made.run), ("without", made.ringing)):
        info, spent = run.info, run.info.computing_s or float("nan")
        cells = (
            f"{info.settings['method']}",
            str(info.settings["steps"]),
            f"{spent:.2f}",
            f"{run.duration / spent:.0f}",
        )
        rows.append((name, *cells, f"{info.compile_s or 0.0:.2f}"))
    rows.append(("the paper, on its machine", "not stated", "", f"{PAPER_S:.0f}", f"{25.0 / PAPER_S:.2f}", ""))
    title = "Computing time; the paper's machine (Pentium 4, 2.7 GHz) and solver are others, so this is no ratio like for like"
    return Grid(head, tuple(rows), head[2:], title)
