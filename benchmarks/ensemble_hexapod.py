"""Ten thousand runs of one second of the flexible hexapod: throughput and error on a CPU and on a GPU.

    python benchmarks/ensemble_hexapod.py cpu [--runs 512] [--json out.json]
    python benchmarks/ensemble_hexapod.py prepare build/hexapod [--runs 10000] [--shared 232448]
    python build/hexapod/ensemble_hexapod.py gpu build/hexapod --json out.json      where there is a GPU with cupy and numpy

--tiny: a few short runs, to see that all of it runs. --shared: bytes of shared memory a block may take on the GPU it is for
(232448 on an H200); gough itself asks the GPU.

`prepare` writes what `gough.simulate_many(…, device="cuda")` would launch, and what the CPU makes of some of the runs: the
machine with the GPU needs no gough. Where gough and a GPU are on one machine, `gough.simulate_many` does the same in one call.

The runs: drives held by springs and dampers, a load that comes suddenly (normal, 20 N and 2 N m) and a push (normal, 0.02 m/s)
from static equilibrium. Step: 80 us, of the 102 us that RK4 allows for the stiffest mode (4391 Hz, drives free).
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

ROBOT, STEP, SHORTER = "hexapod_flexible", 80e-6, 4
DURATION, STORED = 1.0, 50
"""Length of a run (s) and how many of its states are kept."""
REFERENCES = 64
"""Runs that are done again with a step that is SHORTER times shorter."""
TINY = {"DURATION": 50 * STEP, "STORED": 5, "REFERENCES": 2}
"""What --tiny changes."""


def scenario(runs: int) -> dict[str, Any]:
    """Arguments of `gough.simulate_many`."""
    import gough

    model = gough.build(ROBOT)
    start = gough.static_equilibrium(model).q
    held = start[model.drive_index]
    normal = gough.vary.normal
    draws = {f"wrench.center.f{x}": normal(0.0, 20.0) for x in "xyz"}
    draws |= {f"wrench.center.m{x}": normal(0.0, 2.0) for x in "xyz"}
    draws |= {f"rate.{x}": normal(0.0, 0.02) for x in model.layout.v_names[:3]}
    return {
        "model": model,
        "q": start,
        "motion": gough.motions.quintic(drives=[held, held], durations=[DURATION]),
        "controller": gough.laws.JointPD(stiffness=2e5, damping=200.0),
        "vary": gough.vary.monte_carlo(draws, runs, seed=1),
        "step": STEP,
        "stored": STORED,
    }


def first(given: dict[str, Any], runs: int, **others: Any) -> dict[str, Any]:
    """The same scenario with the first runs alone, and other settings."""
    values = {name: x[:runs] for name, x in given["vary"].values.items()}
    return given | {"vary": replace(given["vary"], values=values), **others}


def errors(q: np.ndarray, truth: np.ndarray, rest: np.ndarray) -> dict[str, float]:
    """Largest difference over the largest movement from rest: of the platform's position, and of all elastic coordinates."""
    found = {}
    for name, part in (("position", slice(0, 3)), ("elastic", slice(7, 49))):
        moved = np.abs(truth[..., part] - rest[part]).max()
        found[name] = float(np.abs(q[..., part] - truth[..., part]).max() / moved)
    return found


def on_cpu(options: argparse.Namespace) -> dict[str, Any]:
    """Throughput of `simulate_many` on this CPU."""
    import gough

    given = scenario(options.runs)
    begin = time.perf_counter()
    gough.simulate_many(**first(given, 8), duration=DURATION / 100)
    compiled = time.perf_counter() - begin
    begun = time.process_time()
    found = gough.simulate_many(**given)
    used = time.process_time() - begun
    fine = gough.simulate_many(**first(given, REFERENCES, step=STEP / SHORTER))
    steps = round(DURATION / STEP)
    return {
        "cpu": platform.processor() or platform.machine(),
        "threads": os.cpu_count(),
        "runs": options.runs,
        "failed": int(np.isfinite(found.failed).sum()),
        "first_call_s": compiled,
        "computing_s": found.computing_s,
        "runs_per_s": options.runs / found.computing_s,
        "steps_per_s": options.runs * steps / found.computing_s,
        "core_s": used,
        "runs_per_core_s": options.runs / used,
        "load_average": os.getloadavg()[0],
        "error": errors(found.end_q[:REFERENCES], fine.end_q, given["q"]),
    }


def prepare(options: argparse.Namespace) -> dict[str, Any]:
    """Write what a GPU would be given, and the CPU's results of some runs."""
    import gough
    from gough.backends.cuda import march
    from gough.backends.cuda.march import CudaMarch, runtime
    from gough.simulation.ensembles import _work as ensemble_work

    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    given = scenario(options.runs)
    launches: list[dict[str, Any]] = []

    class Taken(Exception):
        pass

    class Recorder:
        free_bytes = 1 << 40

        def __init__(self, loop: CudaMarch) -> None:
            self.loop = loop

        def run(self, *arguments: Any) -> Any:
            names = ("state", "steps", "table", "given", "own", "every", "first")
            launches.append(dict(zip(names, arguments, strict=False)))
            source = self.loop.source
            signature = {k: v for k, v in self.loop.signature.items() if k not in ("once", "table")}
            (folder / "march.cu").write_text(source, encoding="utf-8")
            (folder / "signature.json").write_text(json.dumps(signature), encoding="utf-8")
            raise Taken

    CudaMarch.kernel = property(Recorder)  # type: ignore[assignment]
    if options.shared:
        march.shared_of_block = lambda: options.shared
    ensemble_work.GROUP = 1 << 20
    begin = time.perf_counter()
    with contextlib.suppress(Taken):
        gough.simulate_many(**given, device="cuda")
    text_s = time.perf_counter() - begin
    cpu = gough.simulate_many(**first(given, REFERENCES))
    fine = gough.simulate_many(**first(given, REFERENCES, step=STEP / SHORTER))
    np.savez(folder / "launch.npz", **launches[0])
    np.savez(folder / "reference.npz", cpu=cpu.end_q, fine=fine.end_q, rest=given["q"])
    for path in (Path(runtime.__file__), Path(__file__)):
        shutil.copy(path, folder / ("gough_march.py" if path.name == "runtime.py" else path.name))
    return {"folder": str(folder), "text_s": text_s, "launches": len(launches)}


def on_gpu(options: argparse.Namespace) -> dict[str, Any]:
    """Throughput on this GPU of what `prepare` wrote."""
    sys.path.insert(0, str(options.folder))
    import gough_march  # pyright: ignore[reportMissingImports]

    folder: Path = options.folder
    with np.load(folder / "launch.npz") as data:
        given = {k: data[k][()] if data[k].ndim == 0 else data[k] for k in data.files}
    given |= {k: int(given[k]) for k in ("steps", "every", "first")}
    with np.load(folder / "reference.npz") as data:
        truth = {k: data[k] for k in data.files}
    kernel = gough_march.MarchKernel(
        json.loads((folder / "signature.json").read_text()), (folder / "march.cu").read_text()
    )
    try:
        import cupy as cp
    except ImportError:
        sys.exit("ensemble_hexapod.py gpu needs CuPy (pip install cupy-cuda12x) on a machine with an NVIDIA GPU")
    begin = time.perf_counter()
    resources = kernel.resources
    compiled = time.perf_counter() - begin
    runs, nq = len(given["state"]), len(truth["rest"])
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        state, record, failed, _ = kernel.run(**given)
        times.append(time.perf_counter() - begin)
        print(f"{runs} runs, {given['steps']} steps: {times[-1]:.2f} s", flush=True)
    ends = state[:REFERENCES, :nq]
    return {
        "gpu": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "cuda_driver": cp.cuda.runtime.driverGetVersion(),
        "cupy": cp.__version__,
        "runs": runs,
        "failed": int((failed >= 0).sum()),
        "first_call_s": compiled,
        "computing_s": times,
        "runs_per_s": runs / min(times),
        "steps_per_s": runs * given["steps"] / min(times),
        "stored_bytes": record.nbytes,
        "error": errors(ends, truth["fine"], truth["rest"]),
        "difference_from_cpu": errors(ends, truth["cpu"], truth["rest"]),
        "resources": resources,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cpu", "prepare", "gpu"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/hexapod"))
    parser.add_argument("--runs", type=int, default=None)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--shared", type=int, default=None)
    parser.add_argument("--tiny", action="store_true", help="few short runs: shows that all of it runs")
    options = parser.parse_args()
    if options.tiny:
        globals().update(TINY)
    options.runs = options.runs or (8 if options.tiny else 512 if options.what == "cpu" else 10000)
    done = {"cpu": on_cpu, "prepare": prepare, "gpu": on_gpu}[options.what](options)
    report = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "robot": ROBOT, "step_s": STEP, **done}
    print(json.dumps(report, indent=1))
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
