"""What does a cluster cost? Two workers of `cluster="local:2"` beside two plain processes that call the same machine code; and
chunks through the door beside the bare calls in one process.

    python benchmarks/cluster.py [--chunks 16] [--calls 8000] [--rounds 4] [--out benchmarks] [--tiny]

A chunk: forward dynamics of a hexapod in 2048 states, again and again (--calls), its result 2048 accelerations. Both ways give
the same bits, which is checked first. Timed are whole rounds after all code is made: plain processes from a common start to the
end of the later one; the cluster from the first chunk handed out to the last result taken. Rounds alternate. Given are the best
rounds' wall clock, and CPU seconds of all processes of a round (scheduler and client included), which other people's load on the
machine disturbs less. Starting workers is timed apart. Writes cluster.json and .md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import multiprocessing
import os
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np

import gough
from gough.distribution import PartFolder, run_chunks
from gough_bench.machine import machine

ROBOT, STATES, WORKERS = "pedrammehr2012", 2048, 2


@dataclass(frozen=True)
class Repeated:
    """Forward dynamics of random states of chunk k, `calls` times."""

    model: gough.Model
    calls: int

    def prepare(self) -> Any:
        function = self.model.function("forward_dynamics").compile()
        q = np.resize(self.model.sampled_states["q"], (STATES, self.model.layout.nq))
        slots = {s.name: s for s in function.program.inputs}

        def go(k: int, tick: Any) -> dict[str, np.ndarray]:
            rng = np.random.default_rng(k)
            given: dict[str, Any] = {"q": q, "parameters": self.model.parameters}
            given |= {n: rng.normal(size=(STATES, *s.shape)) for n, s in slots.items() if n not in given}
            for _ in range(self.calls):
                found = function(threads=1, **given)
            return dict(found.outputs)

        return go


def plain_process(work: Repeated, numbers: list[int], rounds: int, start: Any, told: Any) -> None:
    go = work.prepare()
    go(numbers[0], None)
    for _ in range(rounds):
        start.wait()
        cpu, begin = time.process_time(), time.perf_counter()
        for k in numbers:
            go(k, None)
        told.put((time.perf_counter() - begin, time.process_time() - cpu))


def cpu_of_all() -> float:
    """CPU seconds of this process and all that it started."""
    import psutil

    own = psutil.Process()
    return sum(sum(p.cpu_times()[:2]) for p in (own, *own.children(recursive=True)))


def two_ways(work: Repeated, chunks: int, rounds: int) -> dict[str, Any]:
    """Best rounds of two plain processes and of two workers."""
    from distributed import Client

    from gough.distribution import open_cluster

    context = multiprocessing.get_context("spawn")
    start, told = context.Barrier(WORKERS + 1), context.Queue()
    halves = [list(range(k, chunks, WORKERS)) for k in range(WORKERS)]
    others = [context.Process(target=plain_process, args=(work, x, rounds, start, told)) for x in halves]
    began = time.perf_counter()
    rows: dict[str, list[tuple[float, float]]] = {"plain": [], "cluster": []}
    with open_cluster(f"local:{WORKERS}") as client:
        assert isinstance(client, Client)
        client.wait_for_workers(WORKERS)
        up = time.perf_counter() - began
        for _ in range(2):  # models and code are made, on both
            list(run_chunks(work, range(2 * WORKERS), cluster=client))
        ready = time.perf_counter() - began
        for x in others:
            x.start()
        for _ in range(rounds):
            start.wait()
            found = [told.get() for _ in others]
            rows["plain"].append((max(x for x, _ in found), sum(x for _, x in found)))
            cpu, begin = cpu_of_all(), time.perf_counter()
            count = sum(1 for _ in run_chunks(work, range(chunks), cluster=client))
            rows["cluster"].append((time.perf_counter() - begin, cpu_of_all() - cpu))
            assert count == chunks
        for x in others:
            x.join()
    best = {name: [min(x) for x in zip(*times, strict=True)] for name, times in rows.items()}
    return {
        "rounds": rows,
        "plain_s": best["plain"][0],
        "cluster_s": best["cluster"][0],
        "plain_cpu_s": best["plain"][1],
        "cluster_cpu_s": best["cluster"][1],
        "efficiency_wall": best["plain"][0] / best["cluster"][0],
        "efficiency_cpu": best["plain"][1] / best["cluster"][1],
        "workers_up_s": up,
        "first_chunks_s": ready - up,
    }


def the_door(work: Repeated, chunks: int, rounds: int) -> dict[str, Any]:
    """CPU seconds of one thread: bare calls, the door, the door with parts on disk."""
    go = work.prepare()
    go(0, None)
    times: dict[str, list[float]] = {"bare": [], "door": [], "parts": []}
    for i in range(rounds):
        begin = time.process_time()
        for k in range(chunks):
            go(k, None)
        times["bare"].append(time.process_time() - begin)
        begin = time.process_time()
        list(run_chunks(work, range(chunks), threads=1))
        times["door"].append(time.process_time() - begin)
        with tempfile.TemporaryDirectory() as folder:
            begin = time.process_time()
            list(run_chunks(work, range(chunks), threads=1, store=PartFolder(folder, "round", {"number": i})))
            times["parts"].append(time.process_time() - begin)
    best = {name: min(x) for name, x in times.items()}
    return {
        "cpu_s": times,
        "chunk_cpu_s": best["bare"] / chunks,
        "overhead_door": best["door"] / best["bare"] - 1.0,
        "overhead_parts": best["parts"] / best["bare"] - 1.0,
    }


def check(work: Repeated) -> None:
    """Both ways give the same bits."""
    one = {x.number: x.result for x in run_chunks(work, range(4), threads=1)}
    for x in run_chunks(work, range(4), cluster="local:2"):
        assert all(x.result[name].tobytes() == y.tobytes() for name, y in one[x.number].items())


def report(found: dict[str, Any]) -> str:
    two, door, own = found["two_ways"], found["door"], found["machine"]
    chunk = f"{found['chunks']} chunks a round, {1e3 * door['chunk_cpu_s']:.0f} ms of CPU time each"
    load = f"load average {found['load_before']:.1f} before and {found['load_after']:.1f} after"
    up = f"{two['workers_up_s']:.1f} s, and had imported gough and made their code {two['first_chunks_s']:.1f} s later"
    return f"""# What a cluster costs

`benchmarks/cluster.py`, {found["date"]}: {own["cpu"]}, {own["cores"]} cores, {load},
Dask {found["dask"]}. {chunk},
{found["rounds"]} rounds of each kind in turns, the best one of each. Both ways gave the same bits.

| | wall clock (s) | CPU of all processes (s) |
|---|---|---|
| two plain processes | {two["plain_s"]:.2f} | {two["plain_cpu_s"]:.2f} |
| two workers of `local:2` | {two["cluster_s"]:.2f} | {two["cluster_cpu_s"]:.2f} |
| efficiency | {two["efficiency_wall"]:.3f} | {two["efficiency_cpu"]:.3f} |

| one process, one thread | more CPU time than bare calls |
|---|---|
| chunks through `run_chunks` | {100 * door["overhead_door"]:.1f} % |
| the same, parts written to disk | {100 * door["overhead_parts"]:.1f} % |

Two workers were there after {up}.
{found["note"]}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("chunks", 16), ("calls", 8000), ("rounds", 4)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--note", default="")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    if options.tiny:
        options.chunks, options.calls, options.rounds = 4, 2, 1
    warnings.simplefilter("ignore")
    import distributed

    work, load = Repeated(gough.build(ROBOT), options.calls), os.getloadavg()[0]
    check(Repeated(work.model, 2))
    found: dict[str, Any] = {"date": datetime.date.today().isoformat(), "machine": machine(), "load_before": load}
    found |= {"robot": ROBOT, "chunks": options.chunks, "calls": options.calls, "rounds": options.rounds}
    found |= {"dask": distributed.__version__, "note": options.note}
    found["two_ways"] = two_ways(work, options.chunks, options.rounds)
    found["door"] = the_door(work, options.chunks, options.rounds)
    found["load_after"] = os.getloadavg()[0]
    text = report(found)
    print(text)
    if options.out is not None:
        (options.out / "cluster.json").write_text(json.dumps(found, indent=1) + "\n")
        (options.out / "cluster.md").write_text(text)


if __name__ == "__main__":
    main()
