"""`gough demo`: the robots of the papers derived, compiled, simulated and compared; a report with figures is written."""

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.demo_section import Section
from gough.cli.failure import CHECK_FAILED, INTERRUPTED
from gough.cli.opening import Json
from gough.cli.output import note, say, write_json
from gough.errors import UsageError

FOLDER = Path("out/demo")
PARTS = ("long2014", "dualemps", "rigid")


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for the report and its figures.")] = FOLDER,
    only: Annotated[
        list[str] | None, typer.Option("--only", help=f"Only this part ({', '.join(PARTS)}); may be given again.")
    ] = None,
    json: Json = False,
) -> None:
    """Derive, compile and simulate the papers' robots, compare with known numbers, write a report with figures.

    long2014: the Gough–Stewart robot with a flexible plate as its platform: operations, modes of the plate, forces and
    stability at rest, closed-loop runs of three controllers. dualemps: flexible legs, natural frequencies and 25 s of
    simulation. rigid: drive forces of rigid robots along their papers' motions.

    JSON keys: comparisons[] (part quantity ours known unit rule allowed relative difference within verdict origin note), rows[]
    of the rigid robots (scenario robot motion states operations derive_s compile_s microseconds largest quantity known
    difference tolerance origin within), parts {name: figures of its own}, figures[], report, seconds, interrupted. Exit code 1
    if something differs from what is known, 130 if it was interrupted; what is done is reported.
    """
    wanted = tuple(only or PARTS)
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        raise UsageError(f"--only {unknown[0]}: there is no such part; use {', '.join(PARTS)}")
    begin = time.perf_counter()
    sections: list[Section] = []
    interrupted = False
    tell: Callable[[str], None] = (lambda text: None) if json else note
    tours = _tours(out, tell, wanted)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for section, fill in _parts(tours):
                sections.append(section)
                try:
                    fill(section)
                finally:
                    if not json:
                        _print(section)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - begin
    report = _report(sections, out, seconds, interrupted)
    verdicts = [v for s in sections for v in s.verdicts]
    if json:
        rows = tours["rigid"].rows if "rigid" in tours else []
        write_json(_data(sections, rows) | {"report": str(report), "seconds": seconds, "interrupted": interrupted})
    else:
        say(f"\n{sum(verdicts)} of {len(verdicts)} comparisons agree")
        say(f"Report: {report.resolve()}")
        say(f"{seconds:.1f} s in all{' (interrupted)' if interrupted else ''}")
    if interrupted or not all(verdicts):
        raise typer.Exit(INTERRUPTED if interrupted else CHECK_FAILED)


def _tours(out: Path, tell: Callable[[str], None], wanted: tuple[str, ...]) -> dict[str, Any]:
    from gough.cli.demo_dualemps import DualEmps
    from gough.cli.demo_long2014 import Long2014
    from gough.cli.demo_rigid import Rigid

    made = dict(zip(PARTS, (Long2014, DualEmps, Rigid), strict=True))
    return {name: made[name](out, tell) for name in PARTS if name in wanted}


def _parts(tours: dict[str, Any]) -> Iterator[tuple[Section, Callable[[Section], None]]]:
    for name, tour in tours.items():
        for title, fill in tour.parts():
            yield Section(name, title), fill


def _print(section: Section) -> None:
    from gough.cli.demo_print import print_section

    print_section(section)


def _report(sections: list[Section], out: Path, seconds: float, interrupted: bool) -> Path:
    from gough.cli.demo_report import write_report

    return write_report(sections, out / "report.html", seconds, interrupted)


def _data(sections: list[Section], rows: list[Any]) -> dict[str, Any]:
    parts: dict[str, dict[str, Any]] = {}
    for s in sections:
        parts.setdefault(s.name, {}).update(s.data)
    return {
        "comparisons": [{"part": s.name} | c.as_dict() for s in sections for c in s.comparisons],
        "rows": [vars(row) for row in rows],
        "parts": parts,
        "figures": [str(f.path) for s in sections for f in s.figures],
    }
