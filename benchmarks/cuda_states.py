"""Kernels on a GPU: every function of every robot against the CPU, then states per second.

    python benchmarks/cuda_states.py build/cuda.tar.gz --json cuda.json [--states 22] [--skip-checks] [--tiny]

Needs cupy and numpy, and nvcc to compile the kernels side by side (else each is compiled by NVRTC as it is loaded); not
gough: `cuda_artefacts.py` made the archive elsewhere. The peaks (multiply-adds, copying) are measured in the same run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

try:
    import cupy as cp
except ImportError:  # everything up to the device can be done without
    cp = None

PEAK = r"""
extern "C" __global__ void __launch_bounds__(256) peak(double* y, double a, double b, int n) {
  double v[16];
  for (int k = 0; k < 16; k++) v[k] = threadIdx.x + k * 1e-3;
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int r = 0; r < 16; r++) {
#pragma unroll
      for (int k = 0; k < 16; k++) v[k] = fma(v[k], a, b);
    }
  }
  double s = 0;
  for (int k = 0; k < 16; k++) s += v[k];
  if (s == 1.2345) y[0] = s;
}
"""
LANES = 64
"""Double-precision lanes of a multiprocessor (A100, H100, H200)."""
COPIED = 1 << 28
"""Numbers of the array whose copying is timed."""
TINY = {"COPIED": 1 << 16}
"""What --tiny changes."""
FLOOR = 1e-5
"""Rows smaller than this are rounding: residuals of closed loops."""


def timed(run, repeats: int = 9) -> float:
    """Median seconds of a launch, after two more."""
    run(), run()
    times = []
    for _ in range(repeats):
        a, b = cp.cuda.Event(), cp.cuda.Event()
        a.record()
        run()
        b.record()
        b.synchronize()
        times.append(cp.cuda.get_elapsed_time(a, b) * 1e-3)
    return float(np.median(times))


def peaks(processors: int) -> tuple[float, float]:
    """(multiply-adds per second, bytes per second of a copy, read and written)."""
    kernel, y, blocks, n = cp.RawKernel(PEAK, "peak"), cp.zeros(1), processors * 8, 400
    args = (y, np.float64(0.999), np.float64(1e-3), np.int32(n))
    rate = blocks * 256 * n * 256 / timed(lambda: kernel((blocks,), (256,), args))
    x = cp.random.rand(COPIED)
    z = cp.empty_like(x)
    return rate, 2 * x.nbytes / timed(lambda: cp.copyto(z, x))


def compiled(folders: list[Path]) -> dict[str, str]:
    """Machine code beside every text, by nvcc; what its assembler reports."""
    gpu = f"sm_{cp.cuda.Device().compute_capability}"

    def one(folder: Path) -> tuple[str, str]:
        image = folder / f"kernel.{gpu}.cubin"
        command = ["nvcc", "-cubin", f"-arch={gpu}", "-std=c++17", "-fmad=false", "-Xptxas", "-v", "-o", str(image)]
        done = subprocess.run([*command, str(folder / "kernel.cu")], capture_output=True, text=True, check=True)
        words = " ".join(x.strip() for x in done.stderr.splitlines() if "spill" in x or "Used" in x)
        return folder.name, words.replace("ptxas info    : ", "")

    if shutil.which("nvcc") is None:
        return {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(one, folders))


def prepared(loader, folder: Path, states: int) -> tuple:
    """(kernel, rows on the GPU, uniform numbers, outputs, reference)."""
    f = loader.load(folder)
    kept = np.load(folder / "reference.npz")
    rows, fixed = {}, {}
    for slot in f.signature["inputs"]:
        x = kept[f"in_{slot['name']}"]
        if slot["uniform"]:
            fixed[slot["name"]] = x[0]
        elif slot["name"] in f.signature["varying"]:
            rows[slot["name"]] = cp.asarray(x.astype(f.dtype))[cp.arange(states) % len(x)]
    out = [cp.full((states, int(np.prod(s["shape"]))), np.nan, dtype=f.dtype) for s in f.signature["outputs"]]
    return f, rows, f.uniform_values(fixed), out, kept


def error(f, out: list, kept) -> tuple[float, int]:
    """(largest |difference| over the largest entry of a row, of the last states; how many of them are compared)."""
    worst, good = 0.0, kept["good"]
    n = len(out[0])
    rows = np.arange(max(0, n - len(good)), n)
    good = good[rows % len(good)]
    for slot, x in zip(f.signature["outputs"], out, strict=True):
        truth = kept[f"out_{slot['name']}"]
        truth = truth[rows % len(truth)][good]
        found = cp.asnumpy(x[rows[0] :])[good].astype(float)
        if truth.size:
            scale = np.abs(truth).max(axis=1)
            off = np.abs(found - truth).max(axis=1) / np.maximum(scale, FLOOR)
            worst = max(worst, float(np.nan_to_num(off, nan=np.inf).max(initial=0.0)))
    return worst, int(good.sum())


def check_all(loader, folders: list[Path]) -> list[dict]:
    """Every saved function on its states; 61 rows more than a whole number of blocks."""
    rows = []
    for folder in folders:
        f, given, uniform, out, kept = prepared(loader, folder, 64 * 5 + 61)
        _, flagged = f.launch(given, uniform, len(out[0]), out)
        worst, compared = error(f, out, kept)
        rows.append({"name": folder.name, "error": worst, "compared": compared, "flagged": int(flagged[0])})
    return rows


def time_all(loader, folders: list[Path], exponents: list[int], rate: float, bandwidth: float) -> list[dict]:
    """States per second of every timed function."""
    table = []
    for folder in folders:
        figures = json.loads((folder / "figures.json").read_text())
        for exponent in exponents:
            n = 1 << (exponent if figures["fp64"] < 5000 else exponent - 2)
            cp.get_default_memory_pool().free_all_blocks()
            f, given, uniform, out, kept = prepared(loader, folder, n)
            _, flagged = f.launch(given, uniform, n, out)
            worst, _ = error(f, out, kept)
            seconds = timed(lambda: f.launch(given, uniform, n, out))  # noqa: B023
            moved = sum(x.nbytes for x in given.values()) + sum(x.nbytes for x in out) + 4 * n
            function, blocks = f._function()
            row = {
                "name": folder.name,
                "states": n,
                "states_per_s": n / seconds,
                "fp64_instructions": figures["fp64"],
                "issue_share": n / seconds * figures["fp64"] / rate if f.dtype == np.float64 else None,
                "memory_share": moved / seconds / bandwidth,
                "error": worst,
                "flagged": int(flagged[0]),
                "registers": function.num_regs,
                "local_bytes": function.local_size_bytes,
                "shared_bytes": f.shared_bytes,
                "block": f.block,
                "blocks": blocks,
            }
            table.append(row)
            share = "    –" if row["issue_share"] is None else f"{100 * row['issue_share']:5.1f}"
            print(
                f"{row['name']:28s} 2^{n.bit_length() - 1} {n / seconds / 1e9:7.3f}e9/s  FP64 issue {share} %  memory "
                f"{100 * row['memory_share']:5.1f} %  error {worst:.1e}  {row['registers']} registers, local "
                f"{row['local_bytes']} B, shared {row['shared_bytes']} B, block {row['block']}",
                flush=True,
            )
    return table


def by_nvrtc(loader, folder: Path) -> dict:
    """One kernel through NVRTC and the loader's plain call: batch axes, strides, one row for all, a bad state."""
    plain = loader.StateKernel(json.loads((folder / "signature.json").read_text()), (folder / "kernel.cu").read_text())
    kept = np.load(folder / "reference.npz")
    given = {s["name"]: kept[f"in_{s['name']}"] for s in plain.signature["inputs"]}
    start = time.perf_counter()
    arrays = {k: cp.asarray(x[:60]) if len(x) > 1 else x for k, x in given.items()}
    first = plain(**arrays)
    took = time.perf_counter() - start
    name = plain.signature["outputs"][0]["name"]
    wide = {
        k: cp.asarray(np.repeat(x, 2, axis=-1))[..., ::2] if k in plain.signature["varying"] else x
        for k, x in arrays.items()
    }
    folded = {k: x.reshape(12, 5, -1) if k in plain.signature["varying"] and len(x) > 1 else x for k, x in wide.items()}
    same = bool((plain(**folded)[name].reshape(first[name].shape) == first[name]).all())
    bad = dict(arrays)
    key = plain.signature["varying"][0]
    bad[key] = bad[key].copy()
    bad[key][7] = np.nan
    marked = plain(**bad)
    one = {k: (x[:1] if k in plain.signature["varying"][1:] else x) for k, x in arrays.items()}
    shape = plain(**one)[name].shape
    nan = bool(cp.isnan(marked[name][7]).all()) and int((marked["status"] != 0).sum()) == 1
    refused = ""
    try:
        plain(**{**arrays, key: arrays[key].astype(cp.float32)})
    except loader.DeviceProblem as problem:
        refused = str(problem)
    return {
        "first_call_s": took,
        "strided_is_the_same": same,
        "bad_state_marked": nan,
        "one_row": list(shape),
        "refused": refused,
    }


def device_or_exit():
    """The GPU, or a word on what is missing."""
    if cp is None:
        sys.exit("cuda_states.py needs CuPy (pip install cupy-cuda12x) on a machine with an NVIDIA GPU")
    try:
        return cp.cuda.Device(cp.cuda.runtime.getDevice())
    except cp.cuda.runtime.CUDARuntimeError as problem:
        sys.exit(f"cuda_states.py needs an NVIDIA GPU: {problem}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("archive", type=Path)
    parser.add_argument("--json", type=Path, default=Path("cuda.json"))
    parser.add_argument("--states", default="22,24", help="powers of two")
    parser.add_argument("--skip-checks", action="store_true")
    parser.add_argument("--tiny", action="store_true", help="2^10 states, small peaks: shows that all of it runs")
    options = parser.parse_args()
    if options.tiny:
        globals().update(TINY)
        options.states = "10"
    folder = Path(tempfile.mkdtemp())
    with tarfile.open(options.archive) as archive:
        archive.extractall(folder, filter="data")
    root = folder / "cuda"
    sys.path.insert(0, str(root))
    import gough_kernel as loader

    todo = sorted((root / "timed").iterdir())
    checks = [] if options.skip_checks else sorted((root / "checked").iterdir())
    print(f"{len(todo)} functions to time, {len(checks)} to check", flush=True)
    device = device_or_exit()
    properties = cp.cuda.runtime.getDeviceProperties(device.id)
    query = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit"
    smi = ["nvidia-smi", "--format=csv,noheader", "--query-gpu="]
    rate, bandwidth = peaks(properties["multiProcessorCount"])
    clock = rate / properties["multiProcessorCount"] / LANES
    report = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "gpu": subprocess.run([*smi[:2], smi[2] + query], capture_output=True, text=True, check=False).stdout.strip(),
        "cupy": cp.__version__,
        "cuda_driver": cp.cuda.runtime.driverGetVersion(),
        "multiply_adds_per_s": rate,
        "clock_from_multiply_adds_hz": clock,
        "copy_bytes_per_s": bandwidth,
    }
    print(json.dumps(report, indent=1), flush=True)
    start = time.perf_counter()
    report["assembler"] = compiled([*todo, *checks])
    print(f"compiled {len(todo) + len(checks)} kernels in {time.perf_counter() - start:.0f} s", flush=True)
    try:
        report["nvrtc"] = by_nvrtc(loader, root / "timed" / "inverse_dynamics")
    except Exception as problem:  # the rest is worth having all the same
        report["nvrtc"] = f"{type(problem).__name__}: {problem}"[:2000]
    print(report["nvrtc"], flush=True)
    options.json.write_text(json.dumps(report, indent=1))
    report["checked"] = check_all(loader, checks)
    for row in sorted(report["checked"], key=lambda r: -r["error"])[:12]:
        print(f"  {row['name']:40s} error {row['error']:.1e} over {row['compared']} states, {row['flagged']} flagged")
    print(f"checked {len(checks)} functions", flush=True)
    options.json.write_text(json.dumps(report, indent=1))
    report["timed"] = time_all(loader, todo, [int(x) for x in options.states.split(",")], rate, bandwidth)
    after = "clocks.sm,clocks.mem,power.draw,temperature.gpu"
    report["after"] = subprocess.run(
        [*smi[:2], smi[2] + after], capture_output=True, text=True, check=False
    ).stdout.strip()
    print(report["after"])
    options.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
