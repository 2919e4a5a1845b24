"""Work and precision of every method of `gough.simulate` on the scenario briot2014_square, beside SciPy's stiff solvers.

    python benchmarks/simulate_dualemps.py [--out benchmarks] [--tiny]

Accuracy    largest difference of the elastic coordinates from a reference run at the same times (every millisecond), over their
            largest size. The reference is dp5 at a tolerance of 1e-13; how far CVODE at the same is away is in the JSON file.
Work        CPU time of the time loop (`computing_s` of a run with the clock of the process), the best of three, of slow
            runs the first; it is compiled before.
Peers       SciPy integrates the same equations (the library's compiled functions, one state a call, from Python) piece by piece
            of the motion over the first 0.3 s only: over 25 s they would take hours.
"""

import argparse
import json
import os
import platform
import time
import warnings
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import gough
from gough.dynamics.inverse import load_sizes

STRETCH, WHOLE, GRID = 0.3, 25.0, 1e-3
SLOW = 3.0
"""Seconds of a run that is not repeated."""
REFERENCE, CHECK = ({"method": m, "step": 0.05, "tolerance": 1e-13} for m in ("dp5", "cvode"))
RK4 = [1e-4, 5e-5, 2.5e-5, 1.25e-5]
LEAPFROG = [1.25e-4, 1e-4, 1e-3 / 13, 6.25e-5, 5e-5, 2.5e-5, 1.25e-5]
IMPLICIT = [(1e-3, 1e-4), (5e-4, 1e-5), (2.5e-4, 1e-5), (1.25e-4, 1e-6), (5e-5, 1e-7)]
"""Steps (s) with the tolerance of Newton's iteration."""
TOLERANCES = [1e-5, 1e-6, 1e-7, 1e-8, 1e-9]
PEERS = [("Radau", 1e-3), ("Radau", 1e-5), ("BDF", 1e-3), ("BDF", 1e-5)]
TINY = {
    "STRETCH": 2e-3,
    "WHOLE": 4e-3,
    "RK4": RK4[:1],
    "LEAPFROG": LEAPFROG[:1],
    "IMPLICIT": IMPLICIT[:1],
    "TOLERANCES": TOLERANCES[:1],
    "PEERS": PEERS[:1],
}
"""What --tiny changes."""


def settings() -> list[dict[str, Any]]:
    equal = [{"method": m, "step": h} for m, steps in (("rk4", RK4), ("leapfrog", LEAPFROG)) for h in steps]
    methods = ("esdirk4", "generalised_alpha", "sdirk2")
    implicit = [{"method": m, "step": h, "tolerance": x} for m in methods for h, x in IMPLICIT]
    by_error = [{"method": m, "step": 0.05, "tolerance": x} for m in ("dp5", "cvode", "cvode_bdf") for x in TOLERANCES]
    return equal + implicit + by_error


def simulated(scenario: gough.Scenario, given: dict[str, Any], duration: float) -> gough.Run:
    every = max(round(GRID / given["step"]), 1) if given["method"] in ("rk4", "leapfrog") else 1
    return scenario.with_(**given, every=every, duration=duration, check="off").run()


def count_cpu_time() -> None:
    """Let runs report the CPU time of this process: other programs on the machine do not count."""
    from gough.simulation.integration import marching
    from gough.simulation.run import simulate as simulating

    for module in (simulating, marching):
        assert module.clock is time
        module.clock = SimpleNamespace(perf_counter=time.process_time)


def elastic(run: gough.Run, times: np.ndarray) -> np.ndarray:
    """(times, coordinates); stored states where there are some, else interpolated."""
    place = np.searchsorted(run.time, times - 1e-9)
    stored = np.abs(run.time[np.minimum(place, len(run) - 1)] - times) < 1e-9
    if stored.all():
        return run["elastic"][place]
    return run.resample(times)["elastic"]


def accuracy(found: np.ndarray, truth: np.ndarray) -> float:
    return float(np.abs(found - truth).max() / np.abs(truth).max())


def measured(scenario: gough.Scenario, truth: np.ndarray, duration: float, repeats: int = 3) -> list[dict[str, Any]]:
    times, rows = np.arange(1, len(truth) + 1) * GRID, []
    for given in settings():
        run = simulated(scenario, given, duration)
        spent = float(run.info.computing_s or 0.0)
        for _ in range(repeats - 1 if spent < SLOW else 0):
            spent = min(spent, float(simulated(scenario, given, duration).info.computing_s or 0.0))
        row = {**given, "stopped": run.stopped, "cpu_s": spent, "steps": run.info.settings["steps"]}
        if run.info.finished:
            row |= {"error": accuracy(elastic(run, times), truth), "energy_error": run.summary()["energy_error"]}
        rows.append(row)
        print(row, flush=True)
    return rows


def by_scipy(scenario: gough.Scenario, truth: np.ndarray) -> list[dict[str, Any]]:
    """SciPy on y = (q, elastic rates), drives led by the motion."""
    from scipy.integrate import solve_ivp

    model, motion = scenario.model, scenario.motion
    assert motion is not None
    layout, n = model.layout, model.mobility
    qdot = model.function("configuration_rate")
    inverse = model.function("inverse_dynamics")
    load = {slot: np.zeros(size) for slot, size in load_sizes(model.mechanism).items()}
    times, rows = np.arange(1, len(truth) + 1) * GRID, []
    order = [motion.names.index(name) for name in layout.v_names[:n]]

    def state(t: float, y: np.ndarray, piece: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        now = motion.at(min(max(t, piece[0]), piece[1]), side="left" if t >= piece[1] else "right")
        q = y[: layout.nq].copy()
        q[list(model.drive_index)] = now.position
        return q, np.concatenate([now.velocity[order], y[layout.nq :]]), now.acceleration[order]

    def rates(t: float, y: np.ndarray, piece: tuple[float, float]) -> np.ndarray:
        q, v, a = state(t, y, piece)
        known = {"q": q, "v": v, "parameters": model.parameters}
        return np.concatenate([qdot.values(**known)["qdot"], inverse.values(**known, **load, acceleration=a)["eddot"]])

    kinks = [t for t in motion.kinks if t < STRETCH - 1e-9] + [STRETCH]
    for method, tolerance in PEERS:
        y, found, calls = np.concatenate([model.home, np.zeros(layout.v_elastic)]), [], 0
        begin = time.process_time()
        for piece in pairwise(kinks):
            asked = times[(times > piece[0] + 1e-9) & (times < piece[1] + 1e-9)].clip(*piece)
            options = {"method": method, "rtol": tolerance, "atol": tolerance * 1e-3, "args": (piece,)}
            part = solve_ivp(rates, piece, y, t_eval=asked, **options)
            y, calls = part.y[:, -1], calls + part.nfev
            found.append(part.y[layout.elastic].T)
        spent = time.process_time() - begin
        row = {"method": f"SciPy {method}", "tolerance": tolerance, "cpu_s": spent, "calls": calls}
        rows.append(row | {"error": accuracy(np.concatenate(found), truth)})
        print(rows[-1], flush=True)
    return rows


def draw(document: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import NullFormatter

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
    lines: dict[Any, Any] = {}
    for ax, key, title in zip(
        axes,
        ("whole", "stretch"),
        (f"{WHOLE:g} s of briot2014_square", f"its first {STRETCH:g} s, beside SciPy"),
        strict=True,
    ):
        rows = [row for row in document[key] if "error" in row]
        for method in dict.fromkeys(row["method"] for row in rows):
            own = [(row["cpu_s"], row["error"]) for row in rows if row["method"] == method]
            peer = method.startswith("SciPy")
            ax.loglog(*zip(*own, strict=True), "s--" if peer else "o-", label=method, ms=4)
        ax.axhline(1e-3, color="0.6", lw=0.8, ls=":")
        ax.set(title=title, xlabel="CPU time (s)", ylabel="error of the elastic coordinates, of the largest")
        if key == "whole":
            ax.set_xlim(0.1, 20)
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.grid(alpha=0.3)
        lines |= {line.get_label(): line for line in ax.lines if not str(line.get_label()).startswith("_")}
    figure.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=5, fontsize=9)
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description="Work and precision on briot2014_square.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument(
        "--tiny", action="store_true", help="some milliseconds, one setting a method: shows that all of it runs"
    )
    options = parser.parse_args()
    out = options.out
    if options.tiny:
        globals().update(TINY)
    warnings.simplefilter("ignore")
    count_cpu_time()
    scenario = gough.load_scenario("briot2014_square")
    document: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
        "scenario": scenario.name,
    }
    for key, duration in (("stretch", STRETCH), ("whole", WHOLE)):
        times = np.arange(1, round(duration / GRID) + 1) * GRID
        fine, check = (elastic(simulated(scenario, x, duration), times) for x in (REFERENCE, CHECK))
        document[f"{key}_reference_check"] = accuracy(check, fine)
        print(key, "reference", document[f"{key}_reference_check"], flush=True)
        document[key] = measured(scenario, fine, duration)
        if key == "stretch":
            document[key] += by_scipy(scenario, fine)
    out.mkdir(parents=True, exist_ok=True)
    (out / "simulate_dualemps.json").write_text(json.dumps(document, indent=1) + "\n")
    draw(document, out / "simulate_dualemps.png")


if __name__ == "__main__":
    main()
