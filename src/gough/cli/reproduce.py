"""`gough reproduce`: the papers' tables and figures rebuilt with our models, compared, and written to reports."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.failure import CHECK_FAILED, INTERRUPTED
from gough.cli.opening import Json
from gough.cli.output import note, plain, say, write_json
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough_papers.reproduction import Reproduction

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

    JSON keys: papers[] (name citation robots report seconds interrupted, comparisons[] (quantity paper ours tolerance within
    note unit rule relative difference verdict origin section), figures[] (label caption file), artefacts[] (label what kind
    note), misprints[] (where printed right sizes kind origin), data), comparisons, within, seconds, interrupted, index. Exit
    code 1 if a comparison is outside its tolerance, 130 if it was interrupted; what is done is reported.
    """
    from gough.cli.reproduce_progress import Progress
    from gough_papers import catalogue
    from gough_papers.report.data import reproduction_data
    from gough_papers.report.index import write_index

    names = _names(papers, catalogue.NAMES)
    made: list[Reproduction] = []
    with Progress(len(names), quiet=json) as progress:
        for name in names:
            made.append(progress.run(catalogue.paper(name), out, not no_figures))
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
    say(f"\n{sum(r.agreeing for r in made)} of {sum(len(r.comparisons) for r in made)} comparisons agree")
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
