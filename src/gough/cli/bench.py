"""`gough bench`: measured times of a robot's functions, and of its peers."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.failure import INTERRUPTED
from gough.cli.opening import Json, foreign_options
from gough.cli.output import console, note, say, table, write_json


def bench(
    robot: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROBOT]",
            help="Name of a gallery robot or path to a .yaml file, or to one of another program (default pedrammehr2012); "
            "with --rivals names of its table.",
        ),
    ] = None,
    function: Annotated[
        list[str] | None,
        typer.Option("--function", help="Function to time; may be given again. Default: inverse and forward dynamics."),
    ] = None,
    peers: Annotated[
        str | None,
        typer.Option("--peers", help='Peers, separated by commas ("none": gough alone). Default: all that are there.'),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few states and rounds: seconds, with much noise.")] = False,
    growth: Annotated[
        bool, typer.Option("--growth", help="Cost against legs, loops, chain length and states instead.")
    ] = False,
    rivals: Annotated[
        bool,
        typer.Option("--rivals", help="A table of robots against programs of others instead, errors beside times."),
    ] = False,
    out: Annotated[Path, typer.Option("--out", help="Folder for the Markdown and JSON files.")] = Path("benchmarks"),
    json: Json = False,
) -> None:
    """Time a robot's functions on this machine, beside Pinocchio, MuJoCo, Drake, Exudyn and others where they are installed.

    All get the same robot (without friction and springs) and the same states. Every peer's answer is checked first; one
    that is wrong is named and not timed. All take turns; the best time counts, its spread is given. Pinocchio's C++
    harness is built when first needed (minutes). Ctrl-C keeps what is done.

    Peers: pinocchio, pinocchio-lcaba, pinocchio-python, pinocchio-python-lcaba, pinocchio-python-inverse, mujoco,
    mujoco-rollout, mjx, mujoco-warp, drake, drake-step, exudyn, generalized_rbda, casadi, casadi-c, jax.

    Robots of --rivals, separated by commas: hexapod, delta, five_bar, ankle, four_bars_2, four_bars_20, four_bars_200,
    flexible (default all); answers that are wrong are named there and timed all the same.

    JSON keys: format, robot, scope, share (how it is computed), machine {cpu llvm_cpu cores lanes system date python
    versions}, functions {name: {count, states, batch, judge, rows, peak_instructions_per_s, issue_limit_ns,
    share_of_issue_limit, start, gpu}}, absent {name: why}, interrupted. rows: [{peer call threads single difference
    reason remark best_ns median_ns spread rounds ratio ratio_median ratio_alike}], ratio = time over gough's batch on as
    many threads, ratio_alike = over gough called the same way; judge: what difference is to (the truth, or gough).
    start: import_s build_s trace_s compile_s cached_start_s cached_load_s. With --growth: format, machine, series {name:
    {axis, what, points}}, interrupted. With --rivals: format, scope, machine, robots {name: {what, functions}}, interrupted.
    """
    from gough_bench import report
    from gough_bench.run import FUNCTIONS, QUICK, Effort, run

    def progress(text: str) -> None:
        if not json:
            note(text)

    chosen = None if peers is None else [p.strip() for p in peers.split(",") if p.strip() and p.strip() != "none"]
    name = robot or "pedrammehr2012"
    options = foreign_options("--growth" if growth else "--rivals" if rivals else name)
    if growth:
        from gough_bench.growth import grow, write_growth

        grown = grow(quick=quick, say=progress)
        _finish(grown, write_growth(grown, out), json)
        return
    if rivals:
        from gough_bench.rivals import EFFORT, run_rivals, short_effort
        from gough_bench.rivals_report import behind, write_rivals

        subjects = None if robot is None else [name.strip() for name in robot.split(",") if name.strip()]
        shorter = short_effort(EFFORT) if quick else EFFORT
        compared = run_rivals(subjects, chosen, shorter, tuple(function or FUNCTIONS), progress)
        if not json:
            for line in behind(compared) or ["no rival with a right answer is as fast as gough called the same way"]:
                say(line)
        _finish(compared, write_rivals(compared, out), json)
        return
    effort = QUICK if quick else Effort()
    result = run(name, tuple(function or FUNCTIONS), chosen, effort, progress, options)
    if quick:
        note(
            f"--quick: batches of {QUICK.batch} states and {QUICK.rounds} rounds; what a call costs is spread over few states, "
            "so a batch may look slower than exported C. For figures leave it out"
        )
    written = report.write(result, out)
    if not json:
        for line in report.machine_lines(result["machine"]):
            say(line)
        for name, made in result["functions"].items():
            _show(name, made)
        for name, reason in result["absent"].items():
            say(f"{name} is not there: {reason}")
    _finish(result, written, json)


def _show(name: str, made: dict[str, Any]) -> None:
    from gough_bench.report import COLUMNS, doubt, rows

    say()
    say(name)
    shown = table(*COLUMNS, numbers=("threads", "ns a state", "spread", "times gough", "difference"))
    for row in rows(made):
        shown.add_row(*row)
    console().print(shown)
    if text := doubt(made):
        note(f"{name}: {text}")
    share = made.get("share_of_issue_limit")
    if share:
        say(f"{made['count']['instructions']} instructions a state, {100 * share:.0f} % of the issue limit on one core")
    if made.get("start"):
        say(f"compile {made['start']['compile_s']:.2f} s, from the cache {made['start']['cached_start_s']:.2f} s")


def _finish(result: dict[str, Any], written: tuple[Path, ...], json: bool) -> None:
    from gough_bench.report import finite_values

    if json:
        write_json(finite_values(result))
    else:
        say()
        say("written: " + ", ".join(str(path) for path in written))
    if result["interrupted"]:
        note("interrupted: figures are those measured before")
        raise typer.Exit(INTERRUPTED)
