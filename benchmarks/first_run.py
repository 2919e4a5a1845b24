"""What comes before the first step: building a model and its first simulation, with an empty cache of compiled code.

    python benchmarks/first_run.py [--robots pedrammehr2012,delta_flexible,…] [--method dp5] [--phases] [--json out.json] [--tiny]

Every robot (a name of the gallery, or a description's path) is measured in a process and with a cache folder of its own: from
`gough.build` to the first steps that the time loop hands out. Wall-clock seconds, and those of the CPU, which a busy machine
changes less. --phases prints where they go: nested phases count for themselves alone. Then models whose building alone is
measured: chains of four-bars and an open chain of driven bodies.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

ROBOTS = ("pedrammehr2012", "delta_flexible", "hexapod_flexible")
FOUR_BARS, BODIES = (50, 100, 200), (750, 1500, 3000)
TINY = {"ROBOTS": ("five_bar",), "FOUR_BARS": (2,), "BODIES": (3,)}
"""What --tiny changes."""
PHASES = {
    "structure": ("gough.structure.build", "build_structure"),
    "sampled states": ("gough.kinematics.sampling", "sample_states"),
    "trace": ("gough.program.trace", "trace"),
    "order solves": ("gough.program.passes.order_solves", "order_solves"),
    "split": ("gough.program.passes.inputs", "split_uniform"),
    "expand": ("gough.program.looping", "expand_others"),
    "roll": ("gough.backends.llvm.store", "_stages"),
    "minimise": ("gough.program.passes.minimise", "minimise"),
    "multiply-add": ("gough.program.passes.multiply_add", "contract_multiply_add"),
    "order operations": ("gough.program.passes.order", "order_for_latency"),
    "other lowering": ("gough.backends.llvm.store", "made_ready"),
    "write straight": ("gough.backends.llvm._module", "write_module"),
    "write stages": ("gough.backends.llvm._module", "write_rolled"),
    "assemble and generate": ("gough.backends.llvm.target", "compile_object"),
}
"""What --phases tells apart: functions of the library."""


class Clock:
    """CPU seconds and nodes of the phases, each for itself: what it calls of the others is theirs."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.nodes: Counter[str] = Counter()
        self.running: list[float] = []

    def watch(self, phase: str, module: str, name: str) -> None:
        """Count a function of the library wherever it is known."""
        import_module(module)
        real = getattr(sys.modules[module], name)
        timed = self._timed(phase, real)
        for other in list(sys.modules.values()):
            if getattr(other, "__name__", "").startswith("gough") and getattr(other, name, None) is real:
                setattr(other, name, timed)

    def _timed(self, phase: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            began = time.process_time()
            self.running.append(0.0)
            try:
                out = real(*arguments, **options)
            finally:
                took, inner = time.process_time() - began, self.running.pop()
                self.seconds[phase] += took - inner
                if self.running:
                    self.running[-1] += took
            self.nodes[phase] += len(getattr(out, "ops", ()))
            return out

        return call


def measure(robot: str, method: str, phases: bool) -> dict[str, Any]:
    """Seconds from building to the first steps, in this process."""
    warnings.simplefilter("ignore")
    import gough

    described = gough.load(robot)
    clock = Clock()
    if phases:
        for name in ("gough.model", "gough.simulation.run.simulate", "gough.backends.llvm"):
            import_module(name)
        for phase, (module, name) in PHASES.items():
            clock.watch(phase, module, name)
    began, cpu = time.perf_counter(), time.process_time()
    model = gough.build(described)
    built, built_cpu = time.perf_counter(), time.process_time()
    first: list[float] = []

    def progress(reached: float, end: float) -> None:
        if not first:
            first.extend((time.perf_counter(), time.process_time()))

    step = None if method in ("dp5", "bs3") else 1e-4
    gough.simulate(model, duration=1e-3, method=method, progress=progress, step=step)
    return {
        "robot": Path(robot).stem,
        "velocities": model.layout.nv,
        "build_s": built - began,
        "first_step_s": first[0] - began,
        "build_cpu_s": built_cpu - cpu,
        "first_step_cpu_s": first[1] - cpu,
        "phases": {p: {"cpu_s": clock.seconds[p], "nodes": clock.nodes[p]} for p in PHASES if clock.seconds[p] > 0},
    }


def measure_apart(robot: str, method: str, phases: bool) -> dict[str, Any]:
    """The same in a process of its own with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        given = {**os.environ, "GOUGH_CACHE_DIR": folder}
        command = [sys.executable, __file__, "--alone", robot, "--method", method, *(["--phases"] if phases else [])]
        done = subprocess.run(command, capture_output=True, text=True, env=given, check=False)
    if done.returncode:
        sys.exit(f"first_run.py: {robot}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def driven_chain(count: int) -> Any:
    """An open chain of bodies, each on a driven joint of the one before."""
    from gough.robot import Robot
    from gough.robots.arguments import make_item

    inertia = {"about": "center_of_mass", "xx": 1e-3, "yy": 1e-3, "zz": 1e-3}
    bodies = [
        {"name": f"b{i}", "mass": 1.0, "center_of_mass": (0.0, 0.05, 0.0), "inertia": inertia} for i in range(count)
    ]
    joints = [
        {
            "name": f"j{i}",
            "type": "revolute",
            "parent": f"b{i - 1}" if i else "world",
            "child": f"b{i}",
            "pose": {"position": (0.0, 0.1, 0.0)},
            "axis": (0.0, 0.0, 1.0) if i % 2 else (1.0, 0.0, 0.0),
            "drive": {},
        }
        for i in range(count)
    ]
    return make_item(Robot, {"name": "chain", "bodies": bodies, "joints": joints})


def built(what: str, count: int, make: Callable[[int], Any]) -> dict[str, Any]:
    """Seconds to build a model."""
    import gough

    robot = make(count)
    began, cpu = time.perf_counter(), time.process_time()
    gough.build(robot)
    return {
        "what": what,
        "count": count,
        "build_s": time.perf_counter() - began,
        "build_cpu_s": time.process_time() - cpu,
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--robots", help="names or paths, with commas between")
    parser.add_argument("--method", default="dp5")
    parser.add_argument("--phases", action="store_true", help="tell where the time goes")
    parser.add_argument("--json", type=Path, help="file for all figures")
    parser.add_argument("--tiny", action="store_true", help="the smallest case of all")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(measure(options.alone, options.method, options.phases)))
        return
    if options.tiny:
        globals().update(TINY)
    robots = options.robots.split(",") if options.robots else ROBOTS
    runs, models = [], []
    print("robot                velocities  build s  first step s  (CPU s)")
    for robot in robots:
        runs.append(found := measure_apart(robot, options.method, options.phases or options.tiny))
        print(
            f"{found['robot']:20s} {found['velocities']:10d} {found['build_s']:8.2f} {found['first_step_s']:13.2f}"
            f"  ({found['first_step_cpu_s']:.2f})"
        )
        for phase, one in found["phases"].items():
            print(f"    {phase:24s} {one['cpu_s']:7.3f} s {one['nodes']:9d} nodes")
    from gough.robots import four_bar_chain

    for what, counts, make in (("four-bars", FOUR_BARS, four_bar_chain), ("bodies", BODIES, driven_chain)):
        for count in counts:
            models.append(found := built(what, count, make))
            print(f"{count:6d} {what:10s} built in {found['build_s']:.2f} s ({found['build_cpu_s']:.2f} s CPU)")
    if options.json:
        options.json.write_text(json.dumps({"runs": runs, "models": models}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
