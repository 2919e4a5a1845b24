"""Motion platforms for one task (6-UPS, 6-PUS, 6-RUS): gough beside plain NSGA-II with ten times its evaluations.

    python benchmarks/platforms.py [--robots ups pus rus] [--seeds 5] [--out benchmarks] [--parts FOLDER] [--tiny]

Studies and robots: benchmarks/platforms/*.yaml; 11 to 14 variables, five objectives, nine constraints. The reference point was
fixed before hypervolumes were looked at; the way designs are looked for was chosen on the 6-UPS with seeds that are not
among the five (10 and 11), its first form on the 6-UPS and 6-RUS with seed 0.

reference point   what a study accepts at all: the bounds that its constraints set on the five objectives. A design that just
                  keeps them all adds nothing.
normalisation     0 is a drive without force, without stroke, no footprint, no mass, a dexterity of 1; 1 is the reference point.
hypervolume       pymoo's indicator, of all designs ever seen that no other beats, for both methods alike; for NSGA-II also of its
                  last population, which is what pymoo returns.
NSGA-II           pymoo's defaults, 200 individuals; the same evaluator, variables, constraints and violations.

Evaluations are counted in two ways: a point with gradients as one, or as 1 + the number of variables, what one-sided differences
would take. NSGA-II gets ten times the former. CPU seconds of both are told, compilation included. Every design of a found front
that is drawn (ten of each) is evaluated again by ordinary calls of the model that is built from its own description.

--parts: finished runs are kept there, a file each, and not done again: the benchmark may be ended and called again.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.indicators.hv import HV
from pymoo.problems.static import StaticProblem

import gough
from gough.robot.reader import read_document
from gough.studies.methods.evolution import NOWHERE
from gough.studies.study.files import read_study
from gough.studies.study.study import Study
from gough_bench.machine import machine

FOLDER = Path(__file__).parent / "platforms"
ROBOTS = ("ups", "pus", "rus")
TIMES = 10
POPULATION = 200
AGAIN = 10
"""Designs of a front that are evaluated again."""


def read(robot: str, seed: int, tiny: bool) -> Study:
    file = FOLDER / f"{robot}_study.yaml"
    text = re.sub(r"seed: \d+", f"seed: {seed}", read_document(file))
    if tiny:
        text = re.sub(
            r"count: \d+", "count: 300", re.sub(r"polish: \d+, iterations: \d+", "polish: 2, iterations: 5", text)
        )
    return read_study(text, str(file))


def reference_point(study: Study) -> np.ndarray:
    """(objectives,), as they are minimised: what the study's constraints accept."""
    bounds: dict[str, Any] = {
        c.measure: c.at_least if c.at_most is None else c.at_most for c in study.evaluator.constraints
    }
    return np.array([o.sense * bounds[o.measure] for o in study.evaluator.objectives])


def hypervolume(study: Study, F: np.ndarray) -> float:
    """Of objectives (n, o), between the best that can be thought of (0) and the reference point (1)."""
    best = np.array([0.0 if o.sense > 0 else -1.0 for o in study.evaluator.objectives])
    unit = (F - best) / (reference_point(study) - best)
    indicator: Any = HV(ref_point=np.ones(len(best)))
    return float(indicator(unit)) if len(F) else 0.0


def check_hypervolume() -> float:
    """Largest error of the indicator on fronts whose volume is known: corners of boxes, counted by inclusion and exclusion."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(5):
        F = rng.random((6, 5))
        sets = [[k for k in range(6) if s >> k & 1] for s in range(1, 2**6)]
        exact = sum((-1) ** (len(s) + 1) * np.prod(1.0 - F[s].max(axis=0)) for s in sets)
        indicator: Any = HV(ref_point=np.ones(5))
        worst = max(worst, abs(float(indicator(F)) - exact))
    return worst


def search(robot: str, seed: int, tiny: bool) -> dict[str, Any]:
    study = read(robot, seed, tiny)
    began, busy = time.perf_counter(), time.process_time()
    found = study.run()
    took, busy = time.perf_counter() - began, time.process_time() - busy
    with_gradients = sum(d[3] for d in found.descents)
    k = len(study.variables)
    rng = np.random.default_rng(0)
    drawn = rng.choice(len(found), size=min(AGAIN, len(found)), replace=False).tolist()
    worst = 0.0
    for row in drawn:
        again, told = found.evaluate_again(row), found.values(row)
        worst = max(worst, *(abs(again[name] - told[name]) / max(abs(told[name]), 1e-12) for name in told))
    return {
        "hypervolume": hypervolume(study, found.front.objectives),
        "front": len(found),
        "evaluations": found.designs,
        "with_gradients": with_gradients,
        "as_differences": found.designs + k * with_gradients,
        "seconds": took,
        "cpu_seconds": busy,
        "again": worst,
    }


def evolve(robot: str, seed: int, tiny: bool, budget: int) -> dict[str, Any]:
    """Plain NSGA-II with a budget; hypervolumes on its way at a tenth of it, and at its end."""
    from gough.studies._pareto import ParetoFront

    study = read(robot, seed, tiny)
    e = study.evaluator
    k, o = len(study.variables), len(e.objectives)
    began, busy, asked, tenth = time.perf_counter(), time.process_time(), 0, 0.0
    problem = Problem(n_var=k, n_obj=o, n_ieq_constr=1, xl=np.zeros(k), xu=np.ones(k))
    algorithm = NSGA2(pop_size=POPULATION)
    algorithm.setup(problem, seed=seed, termination=("n_eval", budget), verbose=False)
    front = ParetoFront.empty(k, len(e.measures), len(e.constraint_names), o)
    while algorithm.has_next():
        infills: Any = algorithm.ask()
        found = e.evaluate(e.space.from_unit(infills.get("X")), graded=True)
        F = e.objective_values(found.values)
        front = front.with_(found, F)
        F = np.where(np.isfinite(F), F, NOWHERE)
        algorithm.evaluator.eval(StaticProblem(problem, F=F, G=found.total_violation[:, None]), infills)
        algorithm.tell(infills=infills)
        asked += len(F)
        if not tenth and asked >= budget / TIMES:
            tenth = hypervolume(study, front.objectives)
    last: Any = algorithm.pop
    good = last.get("CV")[:, 0] <= 0
    return {
        "hypervolume": hypervolume(study, front.objectives),
        "hypervolume_of_population": hypervolume(study, last.get("F")[good]),
        "hypervolume_at_a_tenth": tenth,
        "front": len(front),
        "evaluations": asked,
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - busy,
    }


def done_once(parts: Path | None, name: str, do: Any) -> dict[str, Any]:
    """A run, or what was kept of it."""
    file = None if parts is None else parts / f"{name}.json"
    if file is not None and file.exists():
        return json.loads(file.read_text("utf-8"))
    found = do()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found), "utf-8")
    print(name, {key: float(f"{x:.5g}") for key, x in found.items()}, flush=True)
    return found


def table(told: dict[str, Any]) -> list[str]:
    where = f"{told['machine']['cpu']}, {told['machine']['cores']} cores, {told['date']}"
    lines = [
        "# Motion platforms",
        "",
        f"Medians of seeds, {where}; what is counted: `benchmarks/platforms.py`.",
        "",
        "| robot | seeds | method | hypervolume | least … largest | evaluations | gradients as differences | CPU s | s | front |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for robot, rows in told["robots"].items():
        for method, name in (("search", "gough"), ("nsga2", "NSGA-II")):
            own = [row[method] for row in rows]
            mid = {key: statistics.median(r[key] for r in own) for key in own[0]}
            all_ = [r["hypervolume"] for r in own]
            lines.append(
                f"| {robot} | {len(own)} | {name} | {mid['hypervolume']:.5f} | {min(all_):.5f} … {max(all_):.5f} | "
                f"{mid['evaluations']:.0f} | {mid.get('as_differences', mid['evaluations']):.0f} | {mid['cpu_seconds']:.0f} | "
                f"{mid['seconds']:.0f} | {mid['front']:.0f} |"
            )
        own = [row["nsga2"] for row in rows]
        for key, name in (
            ("hypervolume_of_population", "NSGA-II, its last population"),
            ("hypervolume_at_a_tenth", "NSGA-II, a tenth"),
        ):
            lines.append(
                f"| {robot} | {len(own)} | {name} | {statistics.median(r[key] for r in own):.5f} | | | | | | |"
            )
    worst = max(row["search"]["again"] for rows in told["robots"].values() for row in rows)
    lines += [
        "",
        f"Designs evaluated again by the models of their own descriptions differ by {worst:.1e} at most (relative);",
    ]
    lines += [
        f"the indicator differs from inclusion and exclusion on fronts of six points by {told['indicator_error']:.1e}."
    ]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", choices=ROBOTS, default=list(ROBOTS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2, help="threads")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--parts", type=Path, help="folder of finished runs")
    parser.add_argument("--tiny", action="store_true", help="one robot, few designs, to see that it runs")
    given = parser.parse_args()
    gough.set_threads(given.workers)
    robots = ["ups"] if given.tiny else given.robots
    told: dict[str, Any] = {"indicator_error": check_hypervolume(), "robots": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(1 if given.tiny else given.seeds):
            for robot in robots:
                own = done_once(given.parts, f"{robot}-{seed}-search", lambda r=robot, s=seed: search(r, s, given.tiny))
                budget = TIMES * own["evaluations"]
                plain = done_once(
                    given.parts, f"{robot}-{seed}-nsga2", lambda r=robot, s=seed, b=budget: evolve(r, s, given.tiny, b)
                )
                told["robots"].setdefault(robot, []).append({"seed": seed, "search": own, "nsga2": plain})
    told |= {"machine": machine(), "date": time.strftime("%Y-%m-%d")}
    lines = table(told)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "platforms.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    (given.out / "platforms.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
