"""`gough demo`: a tour of the gallery; every force that is known from elsewhere is compared."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from gough.cli.failure import CHECK_FAILED, INTERRUPTED
from gough.cli.opening import Json, open_model
from gough.cli.output import console, note, say, table, write_json

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.papers import Scenario, States

FIGURE = Path("out/demo.png")
TIMED_STATES = 20_000


@dataclass(frozen=True)
class Prepared:
    """A model with what it cost to make."""

    model: "Model"
    operations: int
    derive_s: float
    compile_s: float


@dataclass(frozen=True)
class Row:
    """A scenario's result beside a number known from elsewhere."""

    scenario: str
    robot: str
    motion: str
    states: int
    operations: int
    derive_s: float
    compile_s: float
    microseconds: float
    largest: float
    quantity: str
    known: tuple[float, ...]
    difference: float
    tolerance: float
    origin: str
    within: bool


def demo(
    figure: Annotated[Path, typer.Option("--figure", help="Where the figure goes (.png, .pdf or .svg).")] = FIGURE,
    json: Json = False,
) -> None:
    """Derive, compile and run every gallery robot along its paper's motion and compare with known forces.

    First table: operations of one inverse dynamics, time to derive and to compile it, measured time per state in a
    large batch. Second table: largest drive force of a motion, known numbers and how far the computed ones are from them.

    JSON keys: rows[] (scenario robot motion states operations derive_s compile_s microseconds largest quantity known
    difference tolerance origin within), figure, seconds, interrupted. Exit code 1 if a force differs from a known one.
    """
    from gough.papers import SCENARIOS

    begin = time.perf_counter()
    rows: list[Row] = []
    forces: dict[str, tuple[States, np.ndarray]] = {}
    interrupted, warned, drawn = False, [], None
    made: dict[str, Prepared] = {}
    try:
        for name, scenario in SCENARIOS.items():
            if not json:
                note(f"{scenario.robot}: {scenario.title} …")
            if scenario.robot not in made:
                made[scenario.robot], warnings = _prepare(scenario.robot)
                warned += [scenario.robot] if warnings else []
            states = scenario.motion()
            tau, each = _run(made[scenario.robot].model, states)
            forces[name] = (states, tau)
            rows += _rows(name, scenario, made[scenario.robot], len(states), each, tau)
        from gough.cli.demo_figure import draw

        drawn = draw(forces, figure)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - begin
    if json:
        end = {"figure": None if drawn is None else str(drawn), "seconds": seconds, "interrupted": interrupted}
        write_json({"rows": [vars(row) for row in rows]} | end)
    else:
        _print(rows, warned)
        if drawn is not None:
            say(f"Figure: {drawn.resolve()}")
        say(f"{seconds:.1f} s in all{' (interrupted)' if interrupted else ''}")
    if interrupted or not all(row.within for row in rows):
        raise typer.Exit(INTERRUPTED if interrupted else CHECK_FAILED)


def _prepare(robot: str) -> tuple[Prepared, list[str]]:
    start = time.perf_counter()
    model, warnings = open_model(robot, quiet=True)
    function = model.function("inverse_dynamics")
    derived = time.perf_counter()
    function.compile()
    compiled = time.perf_counter()
    return Prepared(model, model.count().operations, derived - start, compiled - derived), warnings


def _run(model: "Model", states: "States") -> tuple[np.ndarray, float]:
    """(drive forces (n, drives), seconds per state in a large batch)."""
    q = model.configuration(pose=states.pose)
    tau = model.inverse_dynamics(q, states.v, states.acceleration).tau
    again = np.resize(np.arange(len(states)), TIMED_STATES)
    many = (q[again], states.v[again], states.acceleration[again])
    times = []
    for _ in range(5):
        start = time.perf_counter()
        model.inverse_dynamics(*many)
        times.append(time.perf_counter() - start)
    return tau, min(times) / TIMED_STATES


def _rows(name: str, scenario: "Scenario", p: Prepared, states: int, each: float, tau: np.ndarray) -> list[Row]:
    largest = float(np.max(np.abs(tau)))
    head = (name, scenario.robot, scenario.title, states, p.operations, p.derive_s, p.compile_s, 1e6 * each, largest)
    return [
        Row(*head, k.quantity, k.value, k.difference(tau), k.tolerance, k.origin, k.within(tau)) for k in scenario.known
    ]


def _print(rows: list[Row], warned: list[str]) -> None:
    right = ("operations", "derive s", "compile s", "µs/state")
    costs = table("robot", *right, numbers=right)
    last_rows = {row.robot: row for row in rows}
    for r in last_rows.values():
        costs.add_row(r.robot, str(r.operations), f"{r.derive_s:.2f}", f"{r.compile_s:.2f}", f"{r.microseconds:.2f}")
    right = ("max |f| N", "differs by", "allowed")
    forces = table("robot", "motion", right[0], "known number (N)", *right[1:], "", numbers=right, whole=(*right, ""))
    last, before = "", ""
    for r in rows:
        first, new = r.scenario != last, r.robot != before
        ends = [f"{r.difference:.1g}", f"{r.tolerance:.1g}", "agrees" if r.within else "DIFFERS"]
        head = [r.robot if new else "", *((r.motion, f"{r.largest:.1f}") if first else ("", ""))]
        forces.add_row(*head, f"{r.quantity}: {_values(r.known)}", *ends)
        last, before = r.scenario, r.robot
    say("Inverse dynamics: parameters are inputs, with friction, joint coordinates known; one thread, 20 000 states.\n")
    console().print(costs)
    say("\nDrive forces along the motions, beside numbers from elsewhere:\n")
    console().print(forces)
    origins = "; ".join(sorted({r.origin for r in rows}))
    say(f"\nKnown numbers come from {origins}. Allowed: half a unit of their last digit, or rounding.")
    if warned:
        say(f"Some printed inertias are not physical and are used as printed: {', '.join(warned)} (`gough check`).")


def _values(values: tuple[float, ...]) -> str:
    if len(values) > 2:
        return f"{values[0]:.6g} each" if len(set(values)) == 1 else f"{len(values)} values"
    return " … ".join(f"{v:.7g}" for v in values)
