"""How long do studies take? A sweep of hexapods, a state at a time and a design at a time.

    python benchmarks/studies.py [--designs 1000000] [--workers 2] [--device cpu | cuda] [--out benchmarks]
        [--name studies] [--tiny] [--bending]

The motion platform of examples/studies (6-UPS, 4 variables, 100 states of a ride with a payload): peak force, stroke, footprint
and, in a second sweep, dexterity too; keep: front. Points of a Sobol sequence; with --device cuda the first sweep alone, over a
grid of as many and over the sequence, which the GPU makes itself. Timed: the whole run, points made, designs screened, what may
be on the front evaluated again by ordinary calls, the front kept; code is made before, by a sweep of 64 designs ("code"). Some
designs of the front are rebuilt from their own description and evaluated by their own model: the largest difference is written
beside. Memory: what the process has at most, of a GPU what CuPy has.

The bending hexapod of examples/studies (plate and rods that bend, 4 variables of which three are sections, 4 poses): its first
natural frequency at no more mass, by gradients from the description's design. Counted: designs whose gradients were asked for;
told: frequency and mass before and after, by the model of each description alone. Writes NAME.json and .md.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.robot.reader import read_document
from gough.studies.study.files import read_study
from gough_bench.machine import machine

STUDIES = Path(__file__).parent.parent / "examples" / "studies"
FILE = STUDIES / "motion_platform_study.yaml"
BENDING = STUDIES / "bending_hexapod_study.yaml"


AGAIN = 5
"""Designs of a front that are rebuilt."""


def timed(designs: int, dexterity: bool, device: str, method: str = "sobol") -> dict[str, Any]:
    text = read_document(FILE)
    if method == "grid":
        text = text.replace("sobol, count: 4096, seed: 1", f"grid, count: {round(designs**0.25)}")
    text = text.replace("count: 4096", f"count: {designs}")
    if not dexterity:
        text = text.replace("maximise: dexterity\n", "").replace("  dexterity: {measure: dexterity, case: ride}\n", "")
    study = read_study(text, str(FILE))
    few = text.replace(f"count: {designs}", "count: 64").replace(f"count: {round(designs**0.25)}", "count: 5")
    made = time.perf_counter()
    read_study(few, str(FILE)).run(device=device)
    made = time.perf_counter() - made
    began, busy = time.perf_counter(), time.process_time()
    found = study.run(device=device)
    took, busy = time.perf_counter() - began, time.process_time() - busy
    states = found.designs * study.evaluator.cases["ride"].count
    worst = 0.0
    for k in {round(k) for k in np.linspace(0, len(found) - 1, AGAIN)}:
        here, again = found.values(k), found.evaluate_again(k)
        worst = max(worst, *(abs(again[name] / x - 1) for name, x in here.items()))
    return {
        "device": device,
        "measures": list(study.measures),
        "method": study.search.method,
        "designs": found.designs,
        "robots": found.robots,
        "states": states,
        "front": len(found),
        "code_seconds": made,
        "seconds": took,
        "cpu_seconds": busy,
        "us_a_state": 1e6 * busy / states,
        "states_a_second": states / took,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "device_mb": device_memory() if device == "cuda" else None,
        "rebuilt": worst,
    }


def device_memory() -> float:
    """MB that CuPy has taken."""
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy.get_default_memory_pool().total_bytes() / 2**20


def stiffened(tiny: bool) -> dict[str, Any]:
    text = read_document(BENDING)
    if tiny:
        text = re.sub(r"\[{}, .*\]", "[{}]", text).replace("starts: 1", "starts: 1, iterations: 2")
        text = text.replace("  rod_wall: [1 mm, 4 mm]\n  base_radius: [400 mm, 700 mm]\n", "")
    study = read_study(text, str(BENDING))
    before = study.evaluate()
    began, busy = time.perf_counter(), time.process_time()
    found = study.run()
    took, busy = time.perf_counter() - began, time.process_time() - busy
    return {
        "poses": study.evaluator.cases["poses"].count,
        "gradients": found.descents[0][3],
        "said": found.descents[0][2],
        "before": before,
        "after": found.evaluate_again(),
        "variables": found.variables(),
        "binding": found.binding(),
        "seconds": took,
        "cpu_seconds": busy,
    }


def told_bending(bending: dict[str, Any]) -> list[str]:
    b, known = bending["before"], bending["after"]
    took = f"{bending['seconds']:.1f} s, {bending['cpu_seconds']:.1f} CPU s"
    return [
        "",
        f"Bending hexapod of examples/studies, its first frequency at the worst of {bending['poses']} poses, by gradients:",
        "",
        "| | before | after |",
        "|---|---|---|",
        f"| frequency, Hz | {b['frequency']:.3f} | {known['frequency']:.3f} |",
        f"| mass, kg | {b['mass']:.4f} | {known['mass']:.4f} |",
        "",
        f"{bending['gradients']} designs with gradients, {took} ({bending['said']}).",
        f"Held by: {'; '.join(bending['binding']) or 'nothing'}.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2, help="threads")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--name", default="studies", help="of the files written")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--tiny", action="store_true", help="few designs, to see that it runs")
    parser.add_argument(
        "--bending", action="store_true", help="the bending hexapod alone; keep what is known of the other"
    )
    given = parser.parse_args()
    gough.set_threads(given.workers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        on_gpu = [(False, "cuda", "grid"), (False, "cuda", "sobol")]
        sweeps = on_gpu if given.device == "cuda" else [(False, "cpu", "sobol"), (True, "cpu", "sobol")]
        rows = [timed(256 if given.tiny else given.designs, *way) for way in ([] if given.bending else sweeps)]
        bending = None if given.device == "cuda" else stiffened(given.tiny)
    kept = given.out / f"{given.name}.json"
    if given.bending:
        rows = json.loads(kept.read_text("utf-8"))["rows"]
    told = {"machine": machine(), "date": time.strftime("%Y-%m-%d"), "rows": rows, "bending": bending}
    where = f"{told['machine']['cpu']}, {told['machine']['cores']} cores, {told['date']}"
    lines = [
        "# Studies",
        "",
        f"Motion platform of examples/studies, {where}; what is counted: `benchmarks/studies.py`.",
        "",
        "| measures | method | designs | states | front | code, s | s | CPU s | µs a state | states/s | memory, MB | rebuilt |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        lines.append(
            f"| {', '.join(r['measures'])} | {r['method']} | {r['designs']} | {r['states']} | {r['front']} | "
            f"{r['code_seconds']:.1f} | {r['seconds']:.1f} | "
            f"{r['cpu_seconds']:.1f} | {r['us_a_state']:.3f} | {r['states_a_second']:.3g} | {r['memory_mb']:.0f} | "
            f"{r['rebuilt']:.0e} |"
        )
    lines += [] if bending is None else told_bending(bending)
    given.out.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    (given.out / f"{given.name}.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
