"""`gough reproduce`: the papers' tables and figures rebuilt with our models, compared, and written to reports."""

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from gough.cli.failure import CHECK_FAILED, INTERRUPTED
from gough.cli.opening import Json
from gough.cli.output import console, note, plain, say, table, write_json
from gough.errors import UsageError
from gough.progress import listening

if TYPE_CHECKING:
    from gough_papers.reproduction import Paper, Reproduction
    from gough_papers.section import Grid, ReportSection

FOLDER = Path("out/reproduce")
ALL = "all"


def reproduce(
    papers: Annotated[
        list[str],
        typer.Argument(metavar="PAPER|all", help="long2014, lopes, briot2014, fried, pedrammehr2012, or all."),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Folder for the reports, their figures and reproduction.json.")
    ] = FOLDER,
    no_figures: Annotated[bool, typer.Option("--no-figures", help="Numbers only: draw nothing.")] = False,
    json: Json = False,
) -> None:
    """Rebuild every table and figure of a paper from the gallery robots, compare, explain, and write a report.

    Each paper gets one HTML file with its figures and an animation inside; several papers get index.html too. The same numbers
    with origin and tolerance go to reproduction.json.

    JSON keys: papers[] (name citation robots report seconds interrupted headline, kinds[] (kind comparisons agreeing open
    failed numbers numbers_agreeing), comparisons[] (quantity paper ours tolerance relative reason within agrees note unit rule
    difference verdict kind origin section), demonstrations[] (quantity value why section), figures[] (label caption file),
    artefacts[] (label what kind note), misprints[] (where printed right sizes kind origin), data), comparisons, within, kinds,
    seconds, interrupted, index. Exit code 1 if a comparison is outside its tolerance, but for numbers of a paper that are known
    not to come out, 130 if it was interrupted; what is done is reported.
    """
    import gough_papers
    from gough_papers.page import write_index
    from gough_papers.reproduction import reproduction_data

    names = _names(papers, gough_papers.NAMES)
    made: list[Reproduction] = []
    with ReproductionProgress(len(names), quiet=json) as progress:
        for name in names:
            made.append(progress.run(gough_papers.load_paper(name), out, not no_figures))
            if made[-1].interrupted:
                break
    index = write_index(made, out / "index.html") if len(names) > 1 else None
    data = reproduction_data(made, None if index is None else str(index))
    _write(out / "reproduction.json", data)
    if json:
        write_json(data)
    else:
        _say(made, index, out)
    if data["interrupted"]:
        note("interrupted: the reports hold what was done until then")
        raise typer.Exit(INTERRUPTED)
    if data["within"] < data["comparisons"]:
        raise typer.Exit(CHECK_FAILED)


def _names(given: list[str], known: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [name for name in given if name not in (*known, ALL)]
    if unknown:
        raise UsageError(f"reproduce {unknown[0]}: there is no such paper; use {', '.join(known)} or {ALL}")
    return known if ALL in given else tuple(dict.fromkeys(given))


def _write(path: Path, data: object) -> None:
    import json as text

    from gough.files import write_file

    write_file(path, text.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _say(made: "list[Reproduction]", index: Path | None, out: Path) -> None:
    from gough_papers.comparison import ORIGIN_KINDS, tally

    say("")
    for r in made:
        say(f"{r.paper.short}: {r.headline}")
        for c in r.missed:
            say(f"  not reproduced: {c.quantity}: {c.note}")
    say("\nComparisons inside their stated tolerance, by where the known number is from:")
    for t in tally(c for r in made for c in r.comparisons):
        say(f"  {ORIGIN_KINDS[t.kind]:40} {t.words}")
    for r in made:
        assert r.report is not None
        say(f"Report: {r.report.resolve()} ({r.seconds:.1f} s{', interrupted' if r.interrupted else ''})")
    if index is not None:
        say(f"Index: {index.resolve()}")
    say(f"Numbers: {(out / 'reproduction.json').resolve()}")
    say(f"In the browser: {_command()} view {made[0].paper.view}")


def _command() -> str:
    """What to type for this command: its place where it is not on the PATH."""
    import shutil
    import sys

    beside = Path(sys.executable).with_name("gough")
    return "gough" if shutil.which("gough") or not beside.exists() else str(beside)


class ReproductionProgress:
    """How far it is: a bar over all papers on stderr where that is a terminal, lines elsewhere; sections are printed as they are
    done, unless `quiet`."""

    def __init__(self, papers: int, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        self.papers, self.quiet = papers, quiet
        terminal = Console(stderr=True)
        columns = (BarColumn(bar_width=24), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn())
        self.bar = Bar(*columns, TextColumn("{task.description}"), console=terminal, transient=True)
        self.shown = terminal.is_terminal
        self.task: Any = None
        self.done = 0
        self.hushed = ExitStack()

    def __enter__(self) -> Self:
        if self.shown:
            self.bar.start()
            self.task = self.bar.add_task("", total=float(self.papers))
            self.hushed.enter_context(listening(lambda words: None))  # the bar says what is done
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hushed.close()
        if self.shown:
            self.bar.stop()

    def run(self, paper: "Paper", out: Path, figures: bool) -> "Reproduction":
        """Reproduce one paper."""
        from gough_papers.reproduction import reproduce

        def begun(done: int, parts: int) -> None:
            if self.shown:
                self.bar.update(self.task, completed=self.done + done / max(parts, 1))

        made = reproduce(paper, out, tell=self.tell, begun=begun, finished=self.report_section, figures=figures)
        self.done += 1
        return made

    def tell(self, text: str) -> None:
        """What is being done now."""
        if self.shown:
            self.bar.update(self.task, description=text)
        elif not self.quiet:
            note(text)

    def report_section(self, section: "ReportSection") -> None:
        """A section is done: print it above the bar."""
        if self.quiet:
            return
        if self.shown:
            self.bar.stop()  # stdout may be the same terminal
        print_section(section)
        if self.shown:
            self.bar.start()


def print_section(section: "ReportSection") -> None:
    """Title, what is to be said, tables, notes; a blank line before each."""
    from gough_papers.section import comparison_grid, demonstration_grid

    say(f"\n== {section.title} ==")
    _lines(section.said)
    for grid in section.grids:
        if grid.only != "report":
            _print(grid)
    if section.comparisons:
        _print(comparison_grid(section.comparisons))
    if section.demonstrations:
        _print(demonstration_grid(section.demonstrations))
    _lines([f"{c.quantity}: {c.note}." for c in section.comparisons if c.note])


def _lines(texts: list[str]) -> None:
    if texts:
        say("\n" + "\n".join(texts))


def _print(grid: "Grid") -> None:
    title = f"{grid.label}: {grid.title}" if grid.label else grid.title
    say(f"\n{title}\n" if title else "")
    shown = table(*grid.head, numbers=grid.numbers, whole=(*grid.numbers, "verdict"))
    for row in grid.rows:
        shown.add_row(*row)
    console().print(shown)
