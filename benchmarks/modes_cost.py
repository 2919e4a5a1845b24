"""What modes and elements cost: forward and inverse dynamics, written out or with loops.

    python benchmarks/modes_cost.py [--quick] [--out benchmarks]

Two robots: the hexapod of [Long 2014] with 1 to 200 modes of its plate (stiffnesses computed), whose mass matrix is full, and
DualEMPS [Briot 2014] with 1 to 32 beam elements a link, whose matrices are mostly zeros. Counted, for each size: building the
model, recording the equations, operations when everything is written out (multiplications and additions apart; an estimate
where that was not compiled), compiling, and the time of one state in a batch on one core: of straight code where compiling it
is expected to take less than LONGEST seconds, and of what is chosen by itself, with the blocks that became loops. Beside them
LAPACK (`numpy.linalg.solve` on a batch of the same mass matrices): the solve alone, without what makes the matrix.

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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # LAPACK on one core, as the others

import numpy as np

import gough
from gough.backends.llvm import Kernel
from gough.bench.growth import no_cache
from gough.bench.machine import machine
from gough.program import Program
from gough.program.looping import expand_others, rule
from gough.program.ops import Op, Product
from gough.program.passes.hoist import split_uniform
from gough.program.verdict import evaluate_with_care, flat_inputs
from gough.robot import Robot

LONGEST = 120.0
"""Seconds that compiling straight code may be expected to take."""
STATES, ROUNDS, BUDGET = 256, 15, 1.5
"""States of a call; fewest calls timed, and CPU seconds after which no more are."""
FUNCTIONS = ("forward_dynamics", "inverse_dynamics")


def plate_hexapod(modes: int) -> Robot:
    """The hexapod of [Long 2014] with another number of modes and the stiffnesses that belong to them."""
    robot = gough.load("long2014")
    body = robot.platform.body
    flexible = body.flexible
    number = flexible.modes.model_copy(update={"number": modes})
    flexible = flexible.model_copy(update={"modes": number, "stiffness": None})
    platform = robot.platform.model_copy(update={"body": body.model_copy(update={"flexible": flexible})})
    return robot.model_copy(update={"platform": platform})


def divided_dualemps(elements: int) -> Robot:
    """DualEMPS with another number of elements in each of its three flexible links."""
    robot = gough.load("dualemps_8")
    bodies = []
    for body in robot.bodies:
        if body.flexible is not None:
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


SERIES = {
    "plate": Series(
        "hexapod with a flexible plate [Long 2014]",
        "modes",
        plate_hexapod,
        (1, 2, 5, 10, 20, 40, 60, 80, 120, 160, 200),
        (1, 10, 40),
    ),
    "dualemps": Series(
        "DualEMPS, three flexible links [Briot 2014]",
        "elements a link",
        divided_dualemps,
        (1, 2, 4, 8, 16, 32),
        (1, 4, 8),
    ),
}


class Measured:
    """A compiled program and its rows."""

    def __init__(self, program: Program, rows: dict[str, np.ndarray], straight: bool) -> None:
        start = time.thread_time()
        with no_cache(), patch.object(rule, "LEAST", 1 << 62 if straight else rule.LEAST):
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
    looped = rule.blocks_as_loops(program)
    chosen = Measured(program, rows, straight=False)
    row: dict[str, Any] = {
        "trace_s": traced,
        "operations": estimate,
        "operations_are": "estimated",
        "loops": sorted(_described(program, i) for i in looped),
        "automatic_compile_s": chosen.compile_s,
    }
    first = {k: x[:2] for k, x in rows.items()}
    reference, failed = evaluate_with_care(program, flat_inputs(program, first, 2))
    assert not any(failed), failed
    row["difference_interpreter"] = difference(chosen.outputs, reference)
    timed = [chosen]
    if not looped:
        row["straight_compile_s"] = chosen.compile_s
    elif estimate * rate[0] < LONGEST:
        straight = Measured(program, rows, straight=True)
        timed.append(straight)
        row["straight_compile_s"] = straight.compile_s
        row["difference_straight"] = difference(chosen.outputs, straight.outputs)
    if "straight_compile_s" in row:
        if estimate > 20_000:
            rate[0] = 1.2 * row["straight_compile_s"] / estimate  # larger ones take a little more each
        with patch.object(rule, "LEAST", 1 << 62):
            each = split_uniform(expand_others(program))[1]
        row["operations"] = sum(op > Op.CONST for op in each.ops)
        row["operations_are"] = "counted"
    spent, turn = 0.0, 0
    while turn < ROUNDS or (spent < BUDGET and turn < 40 * ROUNDS):
        spent += sum(m.time() for m in timed)
        turn += 1
    row["automatic_us"] = 1e6 * chosen.best
    row["straight_us"] = 1e6 * timed[-1].best if "straight_compile_s" in row else None
    for slot, x in zip(program.outputs, chosen.outputs, strict=True):
        rows[slot.name] = x
    return row


def _described(program: Program, i: int) -> str:
    block = program.block(i)
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
        straight = "      -" if f["straight_us"] is None else f"{f['straight_us']:7.2f}"
        compiled = f"{f.get('straight_compile_s', np.nan):6.1f}"
        print(
            f"{name:9s} {row['size']:4d} {function:17s} {f['operations']:8d} {straight} {f['automatic_us']:7.2f} "
            f"{row['lapack_solve_us']:7.1f} {compiled} {f['automatic_compile_s']:6.1f} {row['build_s']:6.1f} "
            f"{f['difference_interpreter']:8.0e} {row['difference_round_trip']:8.0e}  {', '.join(f['loops'])}",
            flush=True,
        )


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
                both = [
                    (k, f.get(f"straight_{what}")) for k, f in zip(n, found, strict=True) if f.get(f"straight_{what}")
                ]
                panel.loglog(
                    *zip(*both, strict=True), "s--", color=colour, mfc="white", lw=1, label=f"{label}, written out"
                )
                panel.loglog(
                    n, [f[f"automatic_{what}"] for f in found], "o-", ms=4, color=colour, label=f"{label}, automatic"
                )
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
            panel.set_xticks(n, [str(k) for k in n])
            panel.minorticks_off()
            panel.legend(fontsize=8)
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
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
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
        "robot     size function          operations straight  auto  LAPACK (µs)  compile (s) straight  auto  build  differences"
    )
    for name, series in SERIES.items():
        points: list[dict[str, Any]] = []
        result["series"][name] = {"what": series.what, "axis": series.axis, "points": points}
        rates = {function: [6e-5] for function in FUNCTIONS}
        for size in series.quick if options.quick else series.sizes:
            points.append(measure(series, size, rates))
            say(name, points[-1])
    result["load_after"] = os.getloadavg() if hasattr(os, "getloadavg") else None
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "modes_cost.json").write_text(json.dumps(result, indent=1) + "\n")
    draw(result, options.out / "modes_cost.png")


if __name__ == "__main__":
    main()
