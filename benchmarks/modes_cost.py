"""What modes and elements cost: forward and inverse dynamics, written out or with loops.

    python benchmarks/modes_cost.py [--quick | --tiny] [--out benchmarks]

Two robots: the hexapod of [Long 2014] with 1 to 200 modes of its plate (stiffnesses computed), whose mass matrix is full, and
DualEMPS [Briot 2014] with 1 to 32 beam elements a link, whose matrices are mostly zeros. Counted, for each size: building the
model, recording the equations, operations when everything is written out (multiplications and additions apart; an estimate
where that was not compiled), compiling, and the time of one state in a batch on one core: of straight code where compiling it
is expected to take less than LONGEST seconds, of code where every block that can be one is a loop, and of what is chosen by
itself. Beside them LAPACK (`numpy.linalg.solve` on a batch of the same mass matrices): the solve alone, without what makes
the matrix.

Before times are taken, results are compared: with straight code, with the interpreter (LAPACK), and forward dynamics of the
forces of inverse dynamics with the accelerations that were asked for. Times are the thread's own CPU time, the best of many
calls, so that other processes on the machine count little; its load is written down. Writes modes_cost.json and modes_cost.png.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # LAPACK on one core, as the others

import numpy as np

import gough
from gough.backends.llvm import Kernel
from gough.program import Program
from gough.program import looping as rule
from gough.program.looping import expand_others
from gough.program.ops import Op, Product, Solve
from gough.program.passes.inputs import split_uniform
from gough.program.verdict import evaluate_with_care, flat_inputs
from gough.robot import Robot
from gough_bench.growth import no_cache
from gough_bench.machine import machine

LONGEST = 120.0
"""Seconds that compiling straight code may be expected to take."""
STATES, ROUNDS, BUDGET = 256, 15, 1.5
"""States of a call; fewest calls timed, and CPU seconds after which no more are."""
TINY = {"STATES": 16, "ROUNDS": 1, "BUDGET": 0.01}
"""What --tiny changes."""
FUNCTIONS = ("forward_dynamics", "inverse_dynamics")
CHOICES: dict[str, dict[str, Any]] = {
    "automatic": {},
    "straight": {"LEAST": 1 << 62},
    "looped": {"LEAST": 500, "STRAIGHT": 1e9},
}
"""What is changed in the rule that chooses."""


def plate_hexapod(modes: int) -> Robot:
    """The hexapod of [Long 2014] with another number of modes and the stiffnesses that belong to them."""
    robot = gough.load("long2014")
    assert robot.platform is not None and not isinstance(robot.platform, str)
    body = robot.platform.body
    flexible = body.flexible
    assert flexible is not None and flexible.modes is not None
    number = flexible.modes.model_copy(update={"number": modes})
    flexible = flexible.model_copy(update={"modes": number, "stiffness": None})
    platform = robot.platform.model_copy(update={"body": body.model_copy(update={"flexible": flexible})})
    return robot.model_copy(update={"platform": platform})


def divided_dualemps(elements: int) -> Robot:
    """DualEMPS with another number of elements in each of its three flexible links."""
    robot = gough.load("dualemps_8")
    bodies = []
    for body in robot.bodies:
        if body.flexible is not None and body.flexible.beam is not None:
            beam = body.flexible.beam.model_copy(update={"elements": (elements,)})
            body = body.model_copy(update={"flexible": body.flexible.model_copy(update={"beam": beam})})
        bodies.append(body)
    return robot.model_copy(update={"bodies": tuple(bodies)})


@dataclass(frozen=True)
class Series:
    """A robot of growing size."""

    what: str
    axis: str
    robot: Callable[[int], Robot]
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    tiny: tuple[int, ...]


SERIES = {
    "plate": Series(
        "hexapod with a flexible plate [Long 2014]",
        "modes",
        plate_hexapod,
        (1, 2, 5, 10, 20, 40, 60, 80, 120, 160, 200),
        (1, 10, 40),
        (1, 2),
    ),
    "dualemps": Series(
        "DualEMPS, three flexible links [Briot 2014]",
        "elements a link",
        divided_dualemps,
        (1, 2, 4, 8, 16, 32),
        (1, 4, 8),
        (1,),
    ),
}


@contextmanager
def choosing(choice: str) -> Iterator[None]:
    """The rule changed for a while."""
    with patch.multiple(rule, **CHOICES[choice]) if CHOICES[choice] else nullcontext():
        yield


class Measured:
    """A compiled program and its rows."""

    def __init__(self, program: Program, rows: dict[str, np.ndarray], choice: str) -> None:
        start = time.thread_time()
        with no_cache(), choosing(choice):
            self.kernel = Kernel(program)
        self.compile_s = time.thread_time() - start
        self.inputs = [rows[slot.name] for slot in program.inputs]
        self.outputs = [np.empty((STATES, slot.size)) for slot in program.outputs]
        flagged, _ = self.kernel(self.inputs, STATES, self.outputs)
        assert len(flagged) == 0, f"{program.name}: states fail a check"
        self.best = np.inf

    def time(self) -> float:
        """One call more; CPU seconds it took."""
        start = time.thread_time()
        self.kernel(self.inputs, STATES, self.outputs)
        took = time.thread_time() - start
        self.best = min(self.best, took / STATES)
        return took


def difference(found: list[np.ndarray], wanted: list[np.ndarray]) -> float:
    """Largest difference of any output, relative to that output's largest entry."""
    return max(float(np.abs(a[: len(b)] - b).max() / np.abs(b).max()) for a, b in zip(found, wanted, strict=True))


def states(model: gough.Model) -> dict[str, np.ndarray]:
    """Rows by slot: home with random velocities and accelerations; no wrench."""
    rng = np.random.default_rng(0)
    nv = model.layout.nv
    acceleration = rng.normal(size=(STATES, model.mobility))
    return {
        "q": np.repeat(model.home[None], STATES, axis=0),
        "v": 0.1 * rng.normal(size=(STATES, nv)),
        "acceleration": acceleration,
        "parameters": np.asarray(model.parameters, dtype=float)[None],
    }


def measure_function(name: str, model: gough.Model, rows: dict[str, np.ndarray], rate: list[float]) -> dict[str, Any]:
    """Figures of one function; its outputs are added to `rows`. rate: [s] to compile an operation written out so far."""
    start = time.thread_time()
    program = model.function(name).program
    traced = time.thread_time() - start
    for slot in program.inputs:
        rows.setdefault(slot.name, np.zeros((1, slot.size)))
    scalars, weights = rule.weigh_program(program)
    estimate = scalars + 2 * sum(w.written for w in weights.values())
    loops = {}
    for choice in CHOICES:
        with choosing(choice):
            loops[choice] = rule.blocks_as_loops(program)
    chosen = Measured(program, rows, "automatic")
    timed = {"automatic": chosen}
    for choice in ("straight", "looped"):
        if loops[choice] == loops["automatic"]:
            timed[choice] = chosen
        elif choice == "looped" or estimate * rate[0] < LONGEST:
            timed[choice] = Measured(program, rows, choice)
    first = {k: x[:2] for k, x in rows.items()}
    reference, failed = evaluate_with_care(program, flat_inputs(program, first, 2))
    assert not any(failed), failed
    row: dict[str, Any] = {"trace_s": traced, "operations": estimate, "operations_are": "estimated"}
    row["loops"] = sorted(_described(program, i) for i in loops["automatic"])
    row["difference_interpreter"] = difference(chosen.outputs, reference)
    if "straight" in timed:
        row["difference_straight"] = difference(chosen.outputs, timed["straight"].outputs)
        if estimate > 20_000:
            rate[0] = 1.2 * timed["straight"].compile_s / estimate  # larger ones take a little more each
        with choosing("straight"):
            each = split_uniform(expand_others(program))[1]
        row["operations"] = sum(op > Op.CONST for op in each.ops)
        row["operations_are"] = "counted"
    spent, turn = 0.0, 0
    while turn < ROUNDS or (spent < BUDGET and turn < 40 * ROUNDS):
        spent += sum(m.time() for m in dict.fromkeys(timed.values()))
        turn += 1
    for choice in CHOICES:
        row[f"{choice}_us"] = 1e6 * timed[choice].best if choice in timed else None
        row[f"{choice}_compile_s"] = timed[choice].compile_s if choice in timed else None
    row["automatic_to_best"] = chosen.best / min(m.best for m in timed.values())
    for slot, x in zip(program.outputs, chosen.outputs, strict=True):
        rows[slot.name] = x
    return row


def _described(program: Program, i: int) -> str:
    block = program.block(i)
    assert isinstance(block, Product | Solve)
    if isinstance(block, Product):
        return f"product {block.n}x{block.k}x{block.m}"
    return f"solve {block.n}, {block.m} right-hand sides"


def lapack_us(model: gough.Model) -> float:
    """`numpy.linalg.solve` of the mass matrix and one right-hand side, µs a state of a batch."""
    count = 64
    matrices = np.repeat(model.mass_matrix(model.home)[None], count, axis=0)
    sides = np.random.default_rng(1).normal(size=(count, matrices.shape[1], 1))
    best, spent = np.inf, 0.0
    while spent < BUDGET:
        start = time.thread_time()
        np.linalg.solve(matrices, sides)
        took = time.thread_time() - start
        best, spent = min(best, took / count), spent + took
    return 1e6 * best


def measure(series: Series, size: int, rates: dict[str, list[float]]) -> dict[str, Any]:
    """Figures of one size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a cut through a pair of modes is meant here
        start = time.thread_time()
        model = gough.build(series.robot(size))
    row: dict[str, Any] = {"size": size, "nv": model.layout.nv, "build_s": time.thread_time() - start}
    rows = states(model)
    row["inverse_dynamics"] = measure_function("inverse_dynamics", model, rows, rates["inverse_dynamics"])
    row["forward_dynamics"] = measure_function("forward_dynamics", model, rows, rates["forward_dynamics"])
    wanted = np.concatenate([rows["acceleration"], rows["eddot"]], axis=1)
    row["difference_round_trip"] = difference([rows["vdot"]], [wanted])
    row["lapack_solve_us"] = lapack_us(model)
    return row


def say(name: str, row: dict[str, Any]) -> None:
    """One line a function."""
    for function in FUNCTIONS:
        f = row[function]
        times = " ".join("      -" if f[f"{c}_us"] is None else f"{f[f'{c}_us']:7.2f}" for c in CHOICES)
        compiled = " ".join("     -" if f[f"{c}_compile_s"] is None else f"{f[f'{c}_compile_s']:6.1f}" for c in CHOICES)
        print(
            f"{name:9s} {row['size']:4d} {function:17s} {f['operations']:8d} {times} {row['lapack_solve_us']:7.1f} {compiled} "
            f"{row['build_s']:5.1f} {f['automatic_to_best']:5.2f} {f['difference_interpreter']:6.0e} "
            f"{row['difference_round_trip']:6.0e}  {', '.join(f['loops'])}",
            flush=True,
        )


STYLES = (("straight", "s--", "written out"), ("looped", "^:", "all loops"), ("automatic", "o-", "automatic"))


def _labels(sizes: list[int]) -> list[str]:
    """Names of ticks that are not too close to each other."""
    names, last = [], 0
    for k in sizes:
        names.append(str(k) if k > 1.4 * last else "")
        last = k if names[-1] else last
    return names


def draw(result: dict[str, Any], path: Path) -> None:
    """Times of a state and of compiling against the size, all axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colours = {"forward_dynamics": "#0072B2", "inverse_dynamics": "#D55E00"}
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained", sharex="col")
    for column, (name, series) in enumerate(SERIES.items()):
        points = result["series"][name]["points"]
        n = [p["size"] for p in points]
        top, bottom = axes[0, column], axes[1, column]
        for function, colour in colours.items():
            label = function.replace("_", " ")
            found = [p[function] for p in points]
            for panel, what in ((top, "us"), (bottom, "compile_s")):
                for choice, marks, text in STYLES:
                    key = f"{choice}_{what}"
                    drawn = [(k, f[key]) for k, f in zip(n, found, strict=True) if f.get(key) is not None]
                    if not drawn:
                        continue
                    own = {"ms": 4, "lw": 1.6} if choice == "automatic" else {"ms": 6, "lw": 0.9, "mfc": "none"}
                    panel.loglog(*zip(*drawn, strict=True), marks, color=colour, label=f"{label}, {text}", **own)
            with_loops = [k for k, f in zip(n, found, strict=True) if f["loops"]]
            without = [k for k, f in zip(n, found, strict=True) if not f["loops"]]
            if with_loops and without:
                for panel in (top, bottom):
                    panel.axvspan(max(without), min(with_loops), color=colour, alpha=0.08)
        top.loglog(n, [p["lapack_solve_us"] for p in points], ":", color="0.4", label="LAPACK, the solve alone")
        bottom.loglog(n, [p["build_s"] for p in points], ":", color="0.4", label="gough.build")
        top.set(title=series.what, ylabel="µs a state, one core")
        bottom.set(xlabel=series.axis, ylabel="s to compile")
        for panel in (top, bottom):
            panel.grid(True, which="major", alpha=0.3)
            panel.set_xticks(n, _labels(n))
            panel.minorticks_off()
            panel.legend(fontsize=7)
    m = result["machine"]
    figure.suptitle(
        f"Cost against modes and elements. Shaded: where loops begin to be chosen. {m['cpu']}, {m['lanes']} lanes, {m['date']}",
        fontsize=9,
    )
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three sizes of each robot")
    parser.add_argument("--tiny", action="store_true", help="the smallest sizes, few states: shows that all of it runs")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    if options.tiny:
        globals().update(TINY)
    result: dict[str, Any] = {
        "format": 1,
        "machine": machine(),
        "counted": __doc__,
        "load_before": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "states": STATES,
        "longest_compile_s": LONGEST,
        "series": {},
    }
    print(
        "µs a state and s to compile: automatic, straight, all loops; LAPACK's solve between; build s; automatic to the best;"
    )
    print(
        "differences to the interpreter, and of accelerations through inverse and forward dynamics; what became loops"
    )
    for name, series in SERIES.items():
        points: list[dict[str, Any]] = []
        result["series"][name] = {"what": series.what, "axis": series.axis, "points": points}
        rates = {function: [6e-5] for function in FUNCTIONS}
        for size in series.tiny if options.tiny else series.quick if options.quick else series.sizes:
            points.append(measure(series, size, rates))
            say(name, points[-1])
    result["load_after"] = os.getloadavg() if hasattr(os, "getloadavg") else None
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "modes_cost.json").write_text(json.dumps(result, indent=1) + "\n")
    draw(result, options.out / "modes_cost.png")


if __name__ == "__main__":
    main()
