"""The part of `gough demo` with flexible legs: DualEMPS of [Briot 2014]."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gough.cli.demo_section import Figure, Grid, Section, Tell
from gough.cli.opening import open_model

if TYPE_CHECKING:
    from gough.papers.briot2014 import Square

ROBOTS = ("dualemps", "dualemps_refined", "dualemps_8")


class DualEmps:
    """Natural frequencies, then 25 s of simulation. folder: where pictures go."""

    def __init__(self, folder: Path, tell: Tell) -> None:
        self.folder, self.tell = folder, tell

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [
            ("Flexible legs, DualEMPS of Briot 2014: natural frequencies", self.frequencies),
            ("DualEMPS: 25 s, a square in joint space, links vibrate", self.square),
        ]

    def frequencies(self, section: Section) -> None:
        """Beside Table 3."""
        from gough.papers.briot2014 import TABLE_3, frequencies, frequency_comparisons

        found = []
        for robot in ROBOTS:
            self.tell(f"{robot}: natural frequencies …")
            found.append(frequencies(open_model(robot, quiet=True)[0]))
        names = ("computed, tables as printed", "computed, refined", "computed, 8 elements a link")
        columns = dict(zip(names, found, strict=True)) | {f"paper, {k}": v for k, v in TABLE_3.items()}
        rows = tuple((name, *(f"{f:.2f}" for f in values)) for name, values in columns.items())
        right = tuple(f"f{k + 1}" for k in range(6))
        section.grids.append(
            Grid(("Hz", *right), rows, right, "Natural frequencies (Hz), slides locked at q11 = q21 = 0")
        )
        section.comparisons += frequency_comparisons(*found)
        section.data["frequencies_hz"] = dict(zip(ROBOTS, found, strict=True))

    def square(self, section: Section) -> None:
        """The scenario with Coulomb friction and without."""
        from gough.cli.demo_figure_dualemps import draw_square
        from gough.papers.briot2014 import SCENARIO, square
        from gough.simulation.scenarios.files import load_scenario

        self.tell("dualemps_refined: 25 s of the square, with and without Coulomb friction …")
        made = square(load_scenario(SCENARIO))
        section.grids.append(_costs(made))
        section.comparisons += made.comparisons()
        section.data["runs"] = [
            run.summary() | {"coulomb": coulomb} for run, coulomb in ((made.run, True), (made.ringing, False))
        ]
        section.data["residual_hz"] = made.residual_hz
        path = draw_square(made, self.folder / "dualemps_square.png")
        section.figures.append(
            Figure(
                path, "Slides, bending of the links with and without Coulomb friction, and the spectrum at the rests."
            )
        )


def _costs(made: "Square") -> Grid:
    from gough.papers.briot2014 import PAPER_S

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
    return Grid(head, tuple(rows), head[2:])
