"""How long does an identification of very many samples take, and how much memory?

    python benchmarks/identification_speed.py [--samples 1000000] [--out benchmarks] [--tiny]

A hexapod's samples (states around home, forces by its model with noise) lie on the disk and are read chunk by chunk. Timed, once
for legs tied and once apart: the regressor's columns of all base parameters, triangles of every drive, weights, estimate, and
deviations that hold for coloured noise (a second look at all samples), by `gough.identify`. Counted: operations of the regressor
in both looks, 2 (p + 1)² a row for the triangles, and 4 p a row for the second look. Memory: what the process has at most beyond
what it had before. Writes identification_speed.json and .md.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough_bench.machine import machine

ROBOT = "pedrammehr2012"
BLOCK = 50_000
NOISE = 0.02


def samples_on_disk(model: gough.Model, count: int, folder: Path) -> gough.Samples:
    """Random states near home, forces with noise, in files."""
    layout, rng = model.layout, np.random.default_rng(0)
    sizes = {"q": layout.nq, "v": layout.nv, "acceleration": layout.nv, "force": len(layout.drive_names)}
    files = {
        key: np.lib.format.open_memmap(folder / f"{key}.npy", "w+", float, (count, size)) for key, size in sizes.items()
    }
    some = model.sampled_states["q"]
    for begin in range(0, count, BLOCK):
        own = slice(begin, min(begin + BLOCK, count))
        n = own.stop - begin
        q, v, a = some[rng.integers(0, len(some), n)], *rng.normal(size=(2, n, layout.nv))
        tau = model.inverse_dynamics(q, v, a).tau
        tau = tau + NOISE * np.abs(tau).mean(axis=0) * rng.normal(size=tau.shape)
        for key, x in (("q", q), ("v", v), ("acceleration", a), ("force", tau)):
            files[key][own] = x
    for file in files.values():
        file.flush()
    read = {key: np.load(folder / f"{key}.npy", mmap_mode="r") for key in sizes}
    zero = np.zeros(count, dtype=int)
    return gough.Samples(model, np.arange(count) * 1e-3, **read, wrench=None, run=zero, runs=("disk",))


def timed(model: gough.Model, samples: gough.Samples, tied: str) -> dict[str, Any]:
    gough.base_parameters(model, ("inertia", "friction"), tied)
    few = samples.rows(slice(0, 20_000))
    gough.identify(model, few, parameters=("inertia", "friction"), tied=tied, consistent=False)  # code is made
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, busy = time.perf_counter(), time.process_time()
    found = gough.identify(model, samples, parameters=("inertia", "friction"), tied=tied, consistent=False)
    took, busy = time.perf_counter() - began, time.process_time() - busy
    p, n, rows = found.base.rank, len(samples), len(model.layout.drive_names)
    operations = 2 * n * found.rows.function.count().operations + n * rows * (2 * (p + 1) ** 2 + 4 * p)
    z = (found.base_values - found.base.values) / found.base_deviations
    return {
        "legs": tied,
        "parameters": p,
        "samples": n,
        "seconds": took,
        "cpu_seconds": busy,
        "gflops": operations / took / 1e9,
        "memory_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
        "error_in_deviations": float(np.sqrt(np.mean(z**2))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--tiny", action="store_true", help="few samples, to see that it runs")
    given = parser.parse_args()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        model = gough.build(ROBOT)
        samples = samples_on_disk(model, 30_000 if given.tiny else given.samples, Path(folder))
        rows = [timed(model, samples, tied) for tied in ("legs", "apart")]
    given.out.mkdir(parents=True, exist_ok=True)
    told = {"machine": machine(), "date": time.strftime("%Y-%m-%d"), "robot": ROBOT, "rows": rows}
    (given.out / "identification_speed.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    where = f"{told['machine']['cpu']}, {told['machine']['cores']} cores, {told['date']}"
    lines = [
        "# Identification of many samples",
        "",
        f"{ROBOT}, {where}; what is counted: `benchmarks/identification_speed.py`.",
        "",
        "| legs | base parameters | samples | s | CPU s | GFlop/s | memory beyond the start, MB | error / deviation, rms |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        lines.append(
            f"| {r['legs']} | {r['parameters']} | {r['samples']} | {r['seconds']:.2f} | {r['cpu_seconds']:.2f} | "
            f"{r['gflops']:.1f} | {r['memory_mb']:.0f} | {r['error_in_deviations']:.2f} |"
        )
    (given.out / "identification_speed.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
