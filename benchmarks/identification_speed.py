"""How long does an identification of very many samples take, and how much memory?

    python benchmarks/identification_speed.py [--samples 1000000] [--repeats 5] [--out benchmarks] [--tiny]

A hexapod's samples (states around home, forces by its model with noise) lie on the disk and are read chunk by chunk. Timed, for
legs tied and apart: the regressor's columns of all base parameters, triangles of every drive, weights, estimate, and deviations
that hold for coloured noise (a second look at all samples), by `gough.identify`; the quickest of several repeats. Counted:
operations of the regressor in both looks, 2 (p + 1)² a row for the triangles (half of them even rows out, half are their squares
on and above the diagonal), and 4 p a row for the second look. Beside it what a plain product of matrices (dgemm) and squares of
rows (dsyrk, (p + 1)² a row) reach in SciPy's BLAS, and what all other processes took of the CPUs meanwhile.
Memory: what the process has of its own (pages of files not counted) at most beyond what it had before.
Writes identification_speed.json and .md.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg.blas import dgemm, dsyrk  # pyright: ignore[reportAttributeAccessIssue]

import gough
from gough_bench.machine import machine

ROBOT = "pedrammehr2012"
BLOCK = 50_000
NOISE = 0.02
BUSY = 0.05
"""Part of the cores that others have, from which it is said."""


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


class Watch:
    """Seconds, CPU seconds of this process and of all others, and memory (MB) beyond what there was, of what runs within it."""

    def __enter__(self) -> Watch:
        self._over, self._before, self._most = threading.Event(), own_memory(), own_memory()
        self._looking = threading.Thread(target=self._look, daemon=True)
        self._looking.start()
        self._all, self._own, self._began = busy_everywhere(), time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds, self.cpu_seconds = time.perf_counter() - self._began, time.process_time() - self._own
        self.others = max(0.0, busy_everywhere() - self._all - self.cpu_seconds)
        self._over.set()
        self._looking.join()
        self.memory = self._most - self._before

    def _look(self) -> None:
        while not self._over.wait(0.01):
            self._most = max(self._most, own_memory())


def own_memory() -> float:
    """MB that are no pages of files."""
    text = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("RssAnon")) / 1024


def busy_everywhere() -> float:
    """CPU seconds that all processes of this machine have used, and what its host gave to others."""
    user, nice, system, _, _, irq, soft, steal, *_ = map(int, Path("/proc/stat").read_text().split()[1:11])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def identified(model: gough.Model, samples: gough.Samples, tied: str, repeats: int) -> dict[str, Any]:
    parameters = ("inertia", "friction")
    gough.base_parameters(model, parameters, tied)
    few = samples.rows(slice(0, 20_000))
    gough.identify(model, few, parameters=parameters, tied=tied, consistent=False)  # code is made
    watches = []
    for _ in range(repeats):
        with Watch() as watch:
            found = gough.identify(model, samples, parameters=parameters, tied=tied, consistent=False)
        watches.append(watch)
    best = min(watches, key=lambda w: w.seconds)
    p, n, rows = found.base.rank, len(samples), len(model.layout.drive_names)
    operations = 2 * n * found.rows.function.count().operations + n * rows * (2 * (p + 1) ** 2 + 4 * p)
    z = (found.base_values - found.base.values) / found.base_deviations
    return {
        "legs": tied,
        "parameters": p,
        "samples": n,
        "seconds": best.seconds,
        "cpu_seconds": best.cpu_seconds,
        "cpu_seconds_of_others": best.others,
        "all_seconds": [w.seconds for w in watches],
        "all_cpu_seconds": [w.cpu_seconds for w in watches],
        "all_cpu_seconds_of_others": [w.others for w in watches],
        "operations": operations,
        "gflops": operations / best.seconds / 1e9,
        "gflops_per_cpu": operations / best.cpu_seconds / 1e9,
        "memory_mb": max(w.memory for w in watches),
        "error_in_deviations": float(np.sqrt(np.mean(z**2))),
    }


def yardsticks(repeats: int) -> list[dict[str, Any]]:
    """Rates of SciPy's BLAS with the threads it has."""
    rng = np.random.default_rng(0)
    square, rows = rng.normal(size=(2000, 2000)), rng.normal(size=(20_000, 101)).T
    work = {
        "dgemm, 2000 × 2000": (lambda: dgemm(1.0, square, square), 2 * 2000**3),
        "dsyrk, 20 × 20000 rows of 101": (lambda: [dsyrk(1.0, rows) for _ in range(20)], 20 * 20_000 * 101**2),
    }
    out = []
    for name, (call, operations) in work.items():
        watches = []
        for _ in range(3 * repeats):
            with Watch() as watch:
                call()
            watches.append(watch)
        best = min(watches, key=lambda w: w.seconds)
        rates = {
            "gflops": operations / best.seconds / 1e9,
            "gflops_per_cpu": operations / max(best.cpu_seconds, 1e-9) / 1e9,
        }
        out.append({"name": name, "seconds": best.seconds, **rates, "cpu_seconds_of_others": best.others})
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--tiny", action="store_true", help="few samples, to see that it runs")
    given = parser.parse_args()
    repeats = 1 if given.tiny else given.repeats
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        model = gough.build(ROBOT)
        samples = samples_on_disk(model, 30_000 if given.tiny else given.samples, Path(folder))
        rows = [identified(model, samples, tied, repeats) for tied in ("legs", "apart")]
        plain = yardsticks(repeats)
    given.out.mkdir(parents=True, exist_ok=True)
    told = {"machine": machine(), "date": time.strftime("%Y-%m-%d"), "robot": ROBOT, "rows": rows, "yardsticks": plain}
    told |= {"blas_threads": os.environ.get("OPENBLAS_NUM_THREADS", "")}
    (given.out / "identification_speed.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    text = table(told)
    (given.out / "identification_speed.md").write_text(text, "utf-8")
    print(text)


def table(told: dict[str, Any]) -> str:
    where = f"{told['machine']['cpu']}, {told['machine']['cores']} cores, {told['date']}"
    blas_threads = told["blas_threads"] or "all"
    counted = (
        "Counted are operations of the regressor in both looks at the samples, for the triangles 2 (p + 1)² a row and drive "
        "(evening out, and squares on and above the diagonal), and 4 p for deviations of coloured noise: "
        "`benchmarks/identification_speed.py`. CPU s of others: what other processes took of the same cores meanwhile. "
        f"$OPENBLAS_NUM_THREADS: {blas_threads}."
    )
    columns = (
        *(
            "legs",
            "base parameters",
            "samples",
            "s",
            "CPU s",
            "CPU s of others",
            "GFlop",
            "GFlop/s",
            "GFlop a CPU second",
        ),
        *("own memory beyond the start, MB", "error / deviation, rms"),
    )
    lines = [
        "# Identification of many samples",
        "",
        f"{ROBOT}, {where}; the quickest of {len(told['rows'][0]['all_seconds'])}. {counted}",
        "",
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
    ]
    for r in told["rows"]:
        lines.append(
            f"| {r['legs']} | {r['parameters']} | {r['samples']} | {r['seconds']:.2f} | {r['cpu_seconds']:.2f} | "
            f"{r['cpu_seconds_of_others']:.2f} | {r['operations'] / 1e9:.0f} | {r['gflops']:.1f} | {r['gflops_per_cpu']:.1f} | "
            f"{r['memory_mb']:.0f} | {r['error_in_deviations']:.2f} |"
        )
    cores = told["machine"]["cores"]
    taken = max(r["cpu_seconds_of_others"] / (r["seconds"] * cores) for r in told["rows"])
    if taken > BUSY:
        least = ", ".join(f"{r['legs']} {r['cpu_seconds'] / cores:.1f} s" for r in told["rows"])
        busy = f"Other processes had up to {taken:.0%} of the cores: seconds are not those of a quiet machine."
        lines += ["", f"{busy} CPU seconds over {cores} cores: {least}."]
    lines += ["", "All repeats, s (CPU s; CPU s of others):", ""]
    for r in told["rows"]:
        each = zip(r["all_seconds"], r["all_cpu_seconds"], r["all_cpu_seconds_of_others"], strict=True)
        lines.append(f"- {r['legs']}: " + ", ".join(f"{s:.2f} ({c:.2f}; {o:.2f})" for s, c, o in each))
    lines += [
        "",
        "What SciPy's BLAS reaches in the same run:",
        "",
        "| | GFlop/s | GFlop a CPU second | CPU s of others |",
        "|---|---|---|---|",
    ]
    for y in told["yardsticks"]:
        lines.append(
            f"| {y['name']} | {y['gflops']:.1f} | {y['gflops_per_cpu']:.1f} | {y['cpu_seconds_of_others']:.2f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
