"""`gough design`: which design of a robot is best."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.failure import CHECK_FAILED
from gough.cli.opening import Json
from gough.cli.output import note, progress_bar, say, warnings_as_notes, write_json
from gough.cli.values import seconds
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.studies.result import StudyResult

EVERY = 20.0
"""Seconds between lines of a search whose stderr is no terminal."""
SHOWN = 10
"""Designs of a front that are printed."""


def search_designs(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study's YAML file.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for parts, the front and the report; a run goes on there.")
    ] = None,
    choose: Annotated[
        int | None, typer.Option("--choose", help="Number of the front's design that is shown and written.")
    ] = None,
    robot_out: Annotated[
        Path | None, typer.Option("--robot-out", help="Write the chosen design as a robot's YAML.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="Work on a Dask cluster: tcp://HOST:PORT, or local:N processes.")
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="With --cluster: workers may be of several kinds.")] = False,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help="Time after which it ends with what is done, '10 min'; with --out it goes on."),
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cuda: a GPU goes through a sweep's designs first.")] = "cpu",
    json: Json = False,
) -> None:
    """Look for designs of a robot as a study says: sweeps, gradients, or a Pareto front.

    Exit code 1: it ended, and no design is feasible, or there is none that --robot-out could write.
    """
    import gough

    if robot_out is not None and robot_out.suffix.lower() not in (".yaml", ".yml"):
        raise UsageError(f"--robot-out {robot_out}: give a name that ends with .yaml")
    parts, seconds_left, files = None if out is None else out / "parts", seconds(budget, "--budget"), []
    with warnings_as_notes():
        asked = gough.load_study(study)
        several = robot_out is not None and choose is None and len(asked.evaluator.objectives) > 1
        if several and out is None:  # what a long run found would be lost
            raise UsageError(
                f"--robot-out {robot_out}: of several objectives no design is best; run with --out FOLDER, look at the front, "
                "and give the same call --choose K"
            )
        with designs_told() as tell:
            found = asked.run(parts, cluster=cluster, mixed=mixed, budget=seconds_left, device=device, tell=tell)
    missing = bool(asked.evaluator.objectives) and not len(found) and not found.partial
    missing = missing or (robot_out is not None and not len(found))
    if missing:
        robot_out = choose = None
    with warnings_as_notes("the chosen design: "):
        if out is not None:
            files.append(str(found.save(out) / "front.csv"))
        if choose is not None:
            found.variables(choose)  # says what is wrong with a number that is none of the front's
        if out is not None:
            files.append(str(found.report(out / "report.html", choose, f"gough design {study}")))
        if robot_out is not None and not (several and len(found) > 1):
            gough.save(found.robot(choose), robot_out)
            files.append(str(robot_out))
    if json:
        write_json(told_result(found) | {"files": files})
    else:
        for line in lines_of(found, choose):
            say(line)
        for name in files:
            note(f"written: {name}")
    if several and len(found) > 1:
        found.robot(choose)  # says which there are
    if missing:
        note("error: " + no_design_words(found))
        raise typer.Exit(CHECK_FAILED)
    if found.partial and not found.out_of_time:
        raise KeyboardInterrupt


def no_design_words(found: "StudyResult") -> str:
    """Why a study has nothing to show."""
    try:
        found.variables(0)
    except UsageError as problem:
        return str(problem)
    return ""


@contextmanager
def designs_told() -> Iterator[Callable[[int, int, int], None]]:
    """Say on stderr how a search goes: on a terminal a bar, else a line now and then."""
    counts, over, began = [0, 0, 0], Event(), time.monotonic()

    def tell(*now: int) -> None:
        counts[:] = now

    def words() -> str:
        return f"{counts[0]} designs, {counts[1]} take all states, {counts[2]} feasible"

    if sys.stderr.isatty():
        with progress_bar("designs") as update:

            def show(*now: int) -> None:
                tell(*now)
                update(completed=now[0], description=words())

            yield show
        return

    def write() -> None:
        while not over.wait(EVERY):
            note(f"… {words()} ({time.monotonic() - began:.0f} s)")

    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        over.set()
        thread.join(1.0)


def told_result(found: "StudyResult") -> dict[str, Any]:
    """The documented keys."""
    return {
        "study": found.study.name,
        "robot": found.study.robot.name,
        "method": found.study.search.method,
        "designs": found.designs,
        "robots": found.robots,
        "feasible": found.feasible,
        "partial": found.partial,
        "out_of_time": found.out_of_time,
        "seconds": found.seconds,
        "front": [
            {"variables": found.variables(k), "measures": found.values(k), "binding": found.binding(k)}
            for k in range(len(found))
        ],
    }


def lines_of(found: "StudyResult", choose: int | None) -> list[str]:
    """For people."""
    e = found.study.evaluator
    counted = f"{found.robots} take all states, {found.feasible} feasible, {len(found)} on the front"
    lines = [f"{found.count_words}: {counted} ({found.seconds:.3g} s)"]
    lines += ["stopped, since its time was over: the same call in the same folder goes on"] if found.out_of_time else []
    lines += [f"no gradients: {found.no_gradients}"] if found.no_gradients else []
    lines += found.study.remarks
    if not len(found) or not e.objectives:
        return lines
    units = {m.name: m.unit for m in e.measures}
    order = found.front.objectives[:, 0].argsort(kind="stable").tolist()
    shown = order[:: max(1, -(-len(order) // SHOWN))] if choose is None else [choose]
    if choose is None and len(shown) < len(order):
        lines.append(f"{len(shown)} of them, by {e.objectives[0].measure}:")
    for k in shown:
        values = ", ".join(f"{n} {x:.5g} {units[n].removeprefix('1')}".rstrip() for n, x in found.values(k).items())
        lines.append(f"design {k}: {values}")
        own = {v.name: f" {v.unit}" if v.unit not in ("", "1") else "" for v in e.space.variables}
        lines.append("  " + ", ".join(f"{n} = {x:.6g}{own[n]}" for n, x in found.variables(k).items()))
        bound = found.binding(k)
        lines += ["  held by " + "; ".join(bound)] if bound and len(shown) < 4 else []
    return lines
