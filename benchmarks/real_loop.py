"""What the loop as it is on a machine costs: encoders with noise and counts, a delay and a law at 1 kHz beside the same law in
continuous time, at the same steps of the same method.

Both runs go through the whole of `gough.simulate` (settling, stepping, gathering) on a model whose loops are compiled, in turn,
CPU time, the best of many rounds; the same once more for `gough.simulate_many` on one thread. With --python the law is also asked
as a function of Python at every sample. Run: `python benchmarks/real_loop.py` on a quiet machine; writes real_loop.json and .md.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.actuators import RateLimit
from gough.sensors import Encoders
from gough_bench.machine import machine

ROBOTS = {"delta": 2.5e-4, "lopes_simplified": 2.5e-4, "delta_flexible": 2e-5}
"""Steps (s) of RK4."""
PERIOD = 1e-3
RUNS = 64
STATES = "with states (PID), "
"""Loops that begin so are measured by the continuous one of them."""


def cpu_seconds(call: Callable[[], Any]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def best(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """CPU seconds of each, the best of rounds in which all take turns."""
    for call in calls.values():
        call()
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            found[name].append(cpu_seconds(call))
    return {name: min(x) for name, x in found.items()}


def loops(model: gough.Model) -> dict[str, gough.laws.Law]:
    plain = gough.laws.JointPD(bandwidth=6.0, damping_ratio=0.8, gravity=not model.layout.v_elastic)
    encoders = Encoders(noise=1e-6, resolution=1e-6, delay=PERIOD)
    states = gough.laws.PID(bandwidth=6.0, damping_ratio=0.8, gravity=not model.layout.v_elastic)
    return {
        "continuous": plain,
        "1 kHz, encoders, noise, delays": gough.laws.Sampled(plain, PERIOD, delay=5e-4, sensors=encoders, seed=1),
        "the same and a rate limit": gough.laws.Sampled(
            plain, PERIOD, delay=5e-4, sensors=encoders, actuators=RateLimit(rate=1e6), seed=1
        ),
        f"{STATES}continuous": states,
        f"{STATES}1 kHz, encoders, noise, delays": gough.laws.Sampled(
            states, PERIOD, delay=5e-4, sensors=encoders, seed=1
        ),
    }


def row(name: str, step: float, duration: float, rounds: int, python: bool) -> dict[str, Any]:
    model = gough.build(name)
    start = model.drives(model.home)
    move = gough.motions.quintic(drives=[start, start + 0.02], durations=duration)
    kinds = loops(model)
    if step > 1e-4 and python:
        kinds["a function of Python at 1 kHz"] = gough.laws.Sampled(_called(model, move), PERIOD, delay=5e-4)
    begin = "static" if model.layout.v_elastic else "given"

    def run(law: gough.laws.Law) -> None:
        found = gough.simulate(model, move, law, method="rk4", step=step, every=10, start=begin, check="off")
        if found.stopped != "finished":
            raise SystemExit(f"real_loop.py: {name}: {found.stopped}: no work that could be compared")

    one = best({kind: lambda law=law: run(law) for kind, law in kinds.items()}, rounds)
    q = np.tile(model.home, (RUNS, 1))
    many = best(
        {
            kind: lambda law=law: gough.simulate_many(
                model,
                q=q,
                motion=move,
                controller=law,
                duration=duration / 4,
                step=step,
                stored=10,
                start=begin,
                threads=1,
            )
            for kind, law in kinds.items()
            if "Python" not in kind
        },
        max(rounds // 3, 1),
    )
    return {"robot": name, "step": step, "steps": round(duration / step), "one_s": one, "many_s": many, "runs": RUNS}


def _called(model: gough.Model, move: gough.motions.Motion) -> Callable[..., Any]:
    memory = np.zeros(1)

    def law(t: float, q: np.ndarray, v: np.ndarray, reference: Any) -> np.ndarray:
        memory[0] += 1  # remembers something: it is called
        return 1000.0 * (reference.position - model.drives(q)) - 30.0 * v[: len(reference.position)]

    return law


def table(rows: list[dict[str, Any]], about: dict[str, Any]) -> str:
    lines = [
        "# The loop as it is on a machine",
        "",
        f"CPU time of whole runs, the best of rounds in which all take turns; {about['cpu']}, {about['date']}:",
        "`benchmarks/real_loop.py`.",
        "",
        f"| robot | steps of RK4 | loop | one run, ms | over continuous | {RUNS} runs of a quarter, ms | over continuous |",
        "|---|---|---|---|---|---|---|",
    ]
    for found in rows:
        one, many = found["one_s"], found["many_s"]
        for kind, s in one.items():
            all_, base = many.get(kind), f"{STATES if kind.startswith(STATES) else ''}continuous"
            told = "| |" if all_ is None else f"| {1e3 * all_:.1f} | {all_ / many[base]:.2f} |"
            lines.append(f"| {found['robot']} | {found['steps']} | {kind} | {1e3 * s:.2f} | {s / one[base]:.2f} {told}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--duration", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"))
    parser.add_argument("--tiny", action="store_true", help="a short run of one small robot: shows that all of it runs")
    asked = parser.parse_args()
    if asked.tiny:
        asked.robots, asked.duration, asked.rounds, asked.python = "five_bar", 0.04, 1, True
    warnings.simplefilter("ignore")
    about = machine()
    rows = [
        row(name, ROBOTS.get(name, 2.5e-4), asked.duration, asked.rounds, asked.python)
        for name in asked.robots.split(",")
    ]
    text = table(rows, about)
    (asked.out / "real_loop.json").write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n")
    (asked.out / "real_loop.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
