"""Controllers in C in real time: how long a step takes, how late a loop of 4 kHz wakes, how many instructions a step has.

    python benchmarks/real_time.py [--calls 10000000] [--seconds 60] [--out benchmarks] [--only NAME]

Two controllers of `gough.export.export_law`, driven with the encoders of a run of `gough.simulate`: a rigid hexapod under
computed torque with forward geometry, and a hexapod whose platform has ten modes, which a Kalman observer estimates. Their
commands are compared with the run's before anything is timed. Steps back to back, each timed by itself, and beside each a spin of
the same length that touches no memory: its tail is the machine's own (ticks of the kernel, the host). Then a loop woken by the
clock; then the instructions of steps, stepped through one by one: a bound that does not depend on the host's clock. Wants a quiet
machine; asks for the FIFO scheduler and locked memory, says whether it got them and what load others made. Then the same
controllers, in double and single precision, on an aarch64 and a Cortex-M7 under qemu (`real_time/other_machines.py`): bits,
instructions, memory.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
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
sys.path.append(str(HERE / "real_time"))

from other_machines import AARCH64, CORTEX_M7, HOST, Crossing  # noqa: E402

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


def exported(case: dict[str, Any], folder: Path, duration: float, precision: str = "double") -> tuple[Any, ...]:
    """Write the controller of a case; (model, motion, law, more arguments of its run)."""
    model = gough.build(case["robot"])
    start = model.drives(model.home)
    move = gough.motions.quintic(drives=[start, start + np.array(case["by"]), start], durations=duration / 2)
    law = laws.Sampled(case["law"], PERIOD, sensors=Encoders(noise=1e-6), observer=case.get("observer"))
    more: dict[str, Any] = {"step": PERIOD} | ({"start": case["start"]} if "start" in case else {})
    folder.mkdir(exist_ok=True)
    export_law(model, law, folder, motion=move, name="controller", precision=precision, **more)
    return model, move, law, more


def compiled(case: dict[str, Any], folder: Path, duration: float, flags: str) -> Path:
    """The harness of a case, its commands compared with those of the run."""
    model, move, law, more = exported(case, folder, duration)
    run = gough.simulate(model, move, law, method="rk4", check="off", **more)
    rows = np.searchsorted(run.time, np.arange(round(duration / PERIOD)) * PERIOD + 1e-9, side="right") - 1
    readings = np.ascontiguousarray(run["encoders"][rows, : len(model.mechanism.drives)])
    (folder / "readings.bin").write_bytes(readings.tobytes())
    compiler = shutil.which("gcc") or "cc"
    libraries = ["-shared", "-fPIC", "controller.c", "-lm", "-o", "controller.so"]
    subprocess.run([compiler, *flags.split(), *libraries], cwd=folder, check=True)
    off = _off(folder, readings, run["command"][rows])
    if not off < SAME:
        raise SystemExit(f"{case['robot']}: commands in C differ from those of the run by {off:.3g} of the largest")
    files = ["controller.c", str(HERE / "real_time" / "harness.c")]
    subprocess.run([compiler, *flags.split(), "-I.", *files, "-lm", "-o", "harness"], cwd=folder, check=True)
    case["off"], case["readings"] = off, readings
    return folder / "harness"


def crossed(case: dict[str, Any], folder: Path, duration: float, steps: int) -> list[dict[str, Any]]:
    """What other machines make of a controller whose readings are known; one without its tools says which."""
    out = []
    for precision in ("double", "single"):
        own, kind = folder / precision, np.float32 if precision == "single" else np.float64
        exported(case, own, duration, precision)
        first = case["readings"][:steps]
        here = Crossing(own, HOST, first).run()
        for other in (AARCH64, CORTEX_M7):
            row: dict[str, Any] = {"machine": other.name, "precision": precision, "steps": len(first)}
            out.append(row)
            if other.missing:
                row["not"] = f"no {' or '.join(other.missing)}"
                continue
            there = Crossing(own, other, first).run(count=True)
            contracted = Crossing(own, other, first, ("-ffp-contract=fast",)).run()
            wanted, found = here.commands(kind), contracted.commands(kind)
            row |= {
                "same bits": there.steps == here.steps,
                "contracted": float(np.abs(found - wanted).max() / np.abs(wanted).max()),
                "instructions": there.instructions,
                **{key: getattr(there, key) for key in ("code", "stack", "state")},
            }
    return out


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
        f"Load: how many wanted a processor, of {about['cores']}, at the begin and the end; taken away: how often others got it.",
        "",
        "| controller | instructions of a step | steps back to back | 50 % | 99 % | 99.9 % | asked | worst | taken away | load |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        t, n = row["calls"]["step_ns"], row["instructions"]
        counted = "not counted here" if "not" in n else f"{n['least']} … {n['most']}"
        us = " | ".join(f"{t[key] / 1e3:.2f}" for key in ("p50", "p99", "p99.9"))
        lines.append(
            f"| {row['name']} | {counted} | {row['calls']['steps']} | {us} | {row['asked']:g} | {t['worst'] / 1e3:.1f} "
            f"| {row['calls']['taken_away']} | {row['load'][0]:.1f} … {row['load'][1]:.1f} |"
        )
    lines += [
        "",
        "Beside each step a spin of the same length, arithmetic in registers alone: what of the tail is the machine's own.",
        "Longer: of a million, how many took twice the median and more; a tick of the kernel or the host is in these.",
        "",
        "| controller | spins 50 % | 99 % | 99.9 % | worst | steps longer | spins longer |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        t, more = row["calls"]["spin_ns"], row["calls"]["longer"]
        us = " | ".join(f"{t[key] / 1e3:.2f}" for key in ("p50", "p99", "p99.9"))
        lines.append(
            f"| {row['name']} | {us} | {t['worst'] / 1e3:.1f} | {1e6 * more['steps']:.0f} | {1e6 * more['spins']:.0f} |"
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
    lines += [
        "",
        "On other machines, under qemu (`-O2 -ffp-contract=off`, gcc of Debian). Same bits: the status and all commands of all",
        "steps are those of this machine. Contracted: with `-ffp-contract=fast`, how far commands are off, of the largest.",
        "Bytes: code with its constants, `NAME_state`, and the deepest stack as `-fstack-usage` says.",
        "",
        "| controller | machine | precision | steps | same bits | contracted | instructions of a step | code | state | stack |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        for x in row["machines"]:
            begin = f"| {row['name']} | {x['machine']} | {x['precision']} | {x['steps']} |"
            if "not" in x:
                lines.append(f"{begin} {x['not']} | | | | | |")
                continue
            same, counted = "yes" if x["same bits"] else "NO", f"{x['instructions'] or float('nan'):.0f}"
            lines.append(
                f"{begin} {same} | {x['contracted']:.0e} | {counted} | {x['code']} | {x['state']} | {x['stack']} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--flags", default=FLAGS, help="of the C compiler")
    parser.add_argument("--only", help="words of the name of one controller")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--crossed", type=int, default=400, help="steps on other machines, 0 for none")
    parser.add_argument("--tiny", action="store_true", help="few steps of one controller: shows that all of it runs")
    asked = parser.parse_args()
    duration, counted = 0.5, 20
    if asked.tiny:
        asked.calls, asked.seconds, asked.only, asked.crossed = 1000, 0.05, "rigid", 4
        duration, counted = 0.02, 1
    warnings.simplefilter("ignore")
    rows, about = [], machine()
    for name, case in CASES.items():
        if asked.only and asked.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            harness, load = compiled(case, Path(folder), duration, asked.flags), os.getloadavg()[0]
            rows.append(
                {
                    "name": name,
                    "robot": case["robot"],
                    "asked": case["asked"],
                    "off": case["off"],
                    "calls": measured(harness, "calls", asked.calls),
                    "loop": measured(harness, "loop", asked.seconds),
                    "load": [load, os.getloadavg()[0]],
                    "instructions": measured(harness, "instructions", counted),
                    "machines": crossed(case, Path(folder), duration, asked.crossed) if asked.crossed else [],
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
