"""Controllers in C in real time: how long a step takes, how late a loop of 4 kHz wakes, how many instructions a step has.

    python benchmarks/real_time.py [--calls 10000000] [--seconds 60] [--out benchmarks] [--only NAME]

Two controllers of `gough.export.export_law`, driven with the encoders of a run of `gough.simulate`: a rigid hexapod under
computed torque with forward geometry, and a hexapod whose platform has ten modes, which a Kalman observer estimates. Their
commands are compared with the run's before anything is timed. Steps back to back, each timed by itself; then a loop woken by the
clock; then the instructions of steps, stepped through one by one: a bound that does not depend on the host's clock. Wants a quiet
machine; asks for the FIFO scheduler and locked memory, and says whether it got them.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough import laws
from gough.export import export_law
from gough.observers import Kalman
from gough.sensors import Encoders
from gough_bench.machine import machine

HERE = Path(__file__).parent
PERIOD = 2.5e-4
FLAGS = "-std=c99 -O3 -march=native -ffp-contract=fast -fno-math-errno"
CASES: dict[str, dict[str, Any]] = {
    "rigid hexapod, computed torque": {
        "robot": "lopes_simplified",
        "law": laws.ComputedTorque(bandwidth=8.0),
        "by": [0.02, 0.01, 0.0, 0.01, 0.02, 0.0],
        "asked": 5.0,
    },
    "hexapod with ten modes, observer": {
        "robot": "long2014",
        "law": laws.JointPD(bandwidth=8.0, damping_ratio=0.7),
        "observer": Kalman(),
        "by": [0.005, -0.005, 0.005, 0.0, 0.005, 0.0025],
        "start": "static",
        "asked": 15.0,
    },
}
"""asked: what the 99.9th percentile is to stay below (µs)."""
SAME = 1e-10
"""Difference of commands, of the largest, that is rounding."""


def compiled(case: dict[str, Any], folder: Path, duration: float, flags: str) -> Path:
    """The harness of a case, its commands compared with those of the run."""
    model = gough.build(case["robot"])
    start = model.drives(model.home)
    move = gough.motions.quintic(drives=[start, start + np.array(case["by"]), start], durations=duration / 2)
    law = laws.Sampled(case["law"], PERIOD, sensors=Encoders(noise=1e-6), observer=case.get("observer"))
    more: dict[str, Any] = {"step": PERIOD} | ({"start": case["start"]} if "start" in case else {})
    export_law(model, law, folder, motion=move, name="controller", **more)
    run = gough.simulate(model, move, law, method="rk4", check="off", **more)
    rows = np.searchsorted(run.time, np.arange(round(duration / PERIOD)) * PERIOD + 1e-9, side="right") - 1
    readings = np.ascontiguousarray(run["encoders"][rows, : len(start)])
    (folder / "readings.bin").write_bytes(readings.tobytes())
    compiler = shutil.which("gcc") or "cc"
    libraries = ["-shared", "-fPIC", "controller.c", "-lm", "-o", "controller.so"]
    subprocess.run([compiler, *flags.split(), *libraries], cwd=folder, check=True)
    off = _off(folder, readings, run["command"][rows])
    if not off < SAME:
        raise SystemExit(f"{case['robot']}: commands in C differ from those of the run by {off:.3g} of the largest")
    files = ["controller.c", str(HERE / "real_time" / "harness.c")]
    subprocess.run([compiler, *flags.split(), "-I.", *files, "-lm", "-o", "harness"], cwd=folder, check=True)
    case["off"] = off
    return folder / "harness"


def _off(folder: Path, readings: np.ndarray, wanted: np.ndarray) -> float:
    import ctypes

    library = ctypes.CDLL(str(folder / "controller.so"))
    state = ctypes.create_string_buffer(1 << 20)
    library.controller_init(state)
    found = np.zeros_like(wanted)
    for row, command in zip(readings, found, strict=True):
        library.controller_step(state, row.ctypes.data_as(ctypes.c_void_p), command.ctypes.data_as(ctypes.c_void_p))
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def measured(harness: Path, what: str, amount: float) -> dict[str, Any]:
    done = subprocess.run(
        [str(harness), "readings.bin", what, f"{amount:g}" if what == "loop" else str(round(amount))],
        cwd=harness.parent,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout) if done.returncode == 0 else {"not": f"exit status {done.returncode}"}


def table(rows: list[dict[str, Any]], about: dict[str, Any], flags: str) -> str:
    lines = [
        "# Controllers in real time",
        "",
        f"{about['cpu']}, {about['date']}, gcc {flags}: `benchmarks/real_time.py`.",
        "Times in µs; a look at the clock is in each.",
        "",
        "| controller | instructions of a step | steps back to back | 50 % | 99 % | 99.9 % | asked | worst |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        t, n = row["calls"]["step_ns"], row["instructions"]
        counted = "not counted here" if "not" in n else f"{n['least']} … {n['most']}"
        us = " | ".join(f"{t[key] / 1e3:.2f}" for key in ("p50", "p99", "p99.9"))
        lines.append(
            f"| {row['name']} | {counted} | {row['calls']['steps']} | {us} | {row['asked']:g} | {t['worst'] / 1e3:.1f} |"
        )
    lines += [
        "",
        "A loop that the clock wakes every 250 µs:",
        "",
        "| controller | s | late by 50 % | 99.9 % | worst | a step 99.9 % | worst | ended late | scheduler |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        found = row["loop"]
        late, step = found["late_ns"], found["step_ns"]
        kind = ("FIFO" if found["fifo"] else "usual") + (", memory locked" if found["locked"] else "")
        lines.append(
            f"| {row['name']} | {found['steps'] * PERIOD:g} | {late['p50'] / 1e3:.1f} | {late['p99.9'] / 1e3:.1f} | "
            f"{late['worst'] / 1e3:.1f} | {step['p99.9'] / 1e3:.2f} | {step['worst'] / 1e3:.1f} | {found['missed']} | {kind} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--flags", default=FLAGS, help="of the C compiler")
    parser.add_argument("--only", help="words of the name of one controller")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--tiny", action="store_true", help="few steps of one controller: shows that all of it runs")
    asked = parser.parse_args()
    duration, counted = 0.5, 20
    if asked.tiny:
        asked.calls, asked.seconds, asked.only, duration, counted = 1000, 0.05, "rigid", 0.02, 1
    warnings.simplefilter("ignore")
    rows, about = [], machine()
    for name, case in CASES.items():
        if asked.only and asked.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            harness = compiled(case, Path(folder), duration, asked.flags)
            rows.append(
                {
                    "name": name,
                    "robot": case["robot"],
                    "asked": case["asked"],
                    "off": case["off"],
                    "calls": measured(harness, "calls", asked.calls),
                    "loop": measured(harness, "loop", asked.seconds),
                    "instructions": measured(harness, "instructions", counted),
                }
            )
    text = table(rows, about, asked.flags)
    (asked.out / "real_time.json").write_text(
        json.dumps({"machine": about, "flags": asked.flags, "rows": rows}, indent=1) + "\n"
    )
    (asked.out / "real_time.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
