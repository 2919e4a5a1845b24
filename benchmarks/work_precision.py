"""Work and precision of the methods of `gough.simulate` beside SciPy and Exudyn, on a rigid and on a flexible robot.

    python benchmarks/work_precision.py [--out benchmarks] [--tiny]

Rigid       the gallery's five_bar with constant drive torques, one second from rest: cranks turn by 97 and 147 degrees.
Flexible    the four-bar of strips of tests/mechanisms/flexible_four_bar.py, two elements a strip: it swings for 1 s under its
            weight. Bending from 25 Hz; axial modes, the fastest, are damped hard: stiff.
Error       largest difference of the positions of three points at the end, from the same program's own converged run, over what
            they have travelled. How far the programs' converged runs are apart is in the JSON file.
Work        CPU time of the process in the solver, the best of three; compiling and assembling are not counted.
SciPy       integrates the library's compiled functions, one state a call from Python.
Exudyn      redundant coordinates with multipliers: of its solvers these robots' loops leave the implicit ones, generalised-α
            (ρ = 0.9) and the trapezoidal rule of index 2.
"""

import argparse
import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable
from math import radians
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import gough
from gough.dynamics.inverse import load_sizes

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
END = 1.0
FEW = False
"""One setting a method alone."""
TINY = {"END": 0.02, "FEW": True}
"""What --tiny changes."""
TORQUES = (0.2, 0.25)
Points = np.ndarray
"""Positions (points, 2) in m at the end."""


class FiveBar:
    """The rigid robot; its points are both elbows and the pin."""

    def __init__(self) -> None:
        self.model = gough.build("five_bar")
        self.law = gough.laws.Free(TORQUES)
        self.tau = np.array(TORQUES)
        self.truth = {"method": "dp5", "tolerance": 1e-13}
        adaptive = [{"method": m, "tolerance": 10.0**-k} for m in ("dp5", "cvode", "cvode_bdf") for k in range(4, 13)]
        equal = {"rk4": 2, "leapfrog": 2, "esdirk4": 2, "generalised_alpha": 2, "sdirk2": 2}
        steps = [0.02 / 2**k for k in range(9)]
        self.settings = adaptive + [{"method": m, "step": h, "tolerance": 1e-10} for m in equal for h in steps]
        self.scipy = [(m, 10.0**-k) for m in ("DOP853", "LSODA") for k in range(4, 13, 2)]
        self.scipy += [(m, 10.0**-k) for m in ("Radau", "BDF") for k in (4, 6, 8)]
        self.exudyn_steps = [0.02 / 4**k for k in range(6)]

    def points(self, q: np.ndarray) -> Points:
        pin = self.model.frame_pose(q, "left_rod.tool")[0][:2]
        angles, feet = q[self.model.drive_index], ((-0.12, 0.0), (0.12, 0.0))
        elbows = [np.add(f, [0.25 * np.cos(a), 0.25 * np.sin(a)]) for f, a in zip(feet, angles, strict=True)]
        return np.array([*elbows, pin])

    def exudyn(self) -> tuple[Any, list[Any]]:
        from reference.peers.exudyn import ExudynPlane, items

        plane, pins, ends = ExudynPlane(), [], []
        home = dict(zip(self.model.layout.q_names, self.model.home, strict=True))
        for x, side, torque in zip((-0.12, 0.12), ("left", "right"), TORQUES, strict=True):
            a = home[f"{side}_motor"]
            b = a + home[f"{side}_elbow"]
            foot = np.array([x, 0.0])
            elbow = foot + 0.25 * np.array([np.cos(a), np.sin(a)])
            first = plane.rigid(foot, a, 0.8, 0.8 * 0.125, 4.2e-3 + 0.8 * 0.125**2)
            second = plane.rigid(elbow, b, 0.5, 0.5 * 0.175, 5.1e-3 + 0.5 * 0.175**2)
            plane.join(plane.at(None, foot), plane.at(first, 0.0), turns=True)
            plane.join(plane.at(first, 0.25), plane.at(second, 0.0), turns=True)
            push = items.LoadTorqueVector(markerNumber=plane.at(first, 0.0), loadVector=[0, 0, torque])
            plane.mbs.AddLoad(push)
            pins.append(plane.at(second, 0.35))
            ends.append((first, 0.25))
            last = second
        plane.join(*pins, turns=True)
        ends.append((last, 0.35))
        return plane, [_body_sensor(plane, part, place) for part, place in ends]


class FourBars:
    """The flexible robot; its points are the pins and the middle of the coupler."""

    def __init__(self) -> None:
        from mechanisms.flexible_four_bar import FourBar

        self.bar = FourBar((0.4, 0.5, 0.45), radians(-160), -1, 0.006, mass=0.5, beta=1e-4)
        self.model = self.bar.model(1, 2)
        self.law, self.tau = gough.laws.Free(), np.zeros(1)
        self.truth = {"method": "cvode_bdf", "tolerance": 1e-12}
        adaptive = [{"method": m, "tolerance": 10.0**-k} for m in ("dp5", "cvode", "cvode_bdf") for k in (4, 6, 8, 10)]
        steps = [0.01 / 2**k for k in range(8)]
        implicit = ("esdirk4", "generalised_alpha", "sdirk2")
        self.settings = adaptive + [{"method": m, "step": h, "tolerance": 1e-9} for m in implicit for h in steps]
        self.settings += [{"method": "rk4", "step": h} for h in (4e-6, 2e-6)]
        self.scipy = [(m, 10.0**-k) for m in ("Radau", "BDF", "LSODA") for k in (3, 5, 7)]
        self.exudyn_steps = [0.01 / 2**k for k in range(8)]

    def points(self, q: np.ndarray) -> Points:
        frames = ("crank1.tip", "coupler1.tip", "coupler1.middle")
        return np.array([self.model.frame_pose(q, f)[0][:2] for f in frames])

    def exudyn(self) -> tuple[Any, list[Any]]:
        plane, nodes = self.bar.exudyn(2, locked=False)
        return plane, [_node_sensor(plane, nodes[key]) for key in ("elbow", "tip", "middle")]


def _node_sensor(plane: Any, node: Any) -> Any:
    from reference.peers.exudyn import exu, items

    kind = exu.OutputVariableType.Position
    made = items.SensorNode(nodeNumber=node, storeInternal=True, writeToFile=False, outputVariableType=kind)
    return plane.mbs.AddSensor(made)


def _body_sensor(plane: Any, part: Any, place: float) -> Any:
    from reference.peers.exudyn import exu, items

    made = items.SensorBody(
        bodyNumber=part.body,
        localPosition=[place - part.centre, 0, 0],
        storeInternal=True,
        writeToFile=False,
        outputVariableType=exu.OutputVariableType.Position,
    )
    return plane.mbs.AddSensor(made)


def count_cpu_time() -> None:
    """Let runs report the CPU time of this process: other programs on the machine do not count."""
    from gough.simulation.integration import marching
    from gough.simulation.run import simulate as simulating

    for module in (simulating, marching):
        module.clock = SimpleNamespace(perf_counter=time.process_time)


def by_gough(robot: Any, given: dict[str, Any]) -> tuple[Points, float, int, str]:
    asked = {"duration": END, "every": 20, "check": "off", **given}
    run = gough.simulate(robot.model, None, robot.law, **asked)
    return robot.points(run.q[-1]), float(run.info.computing_s or 0.0), run.info.settings["steps"], run.stopped


def by_scipy(robot: Any, method: str, tolerance: float) -> tuple[Points, float, int]:
    from scipy.integrate import solve_ivp

    model, nq = robot.model, robot.model.layout.nq
    qdot, forward = model.function("configuration_rate"), model.function("forward_dynamics")
    rest = {slot: np.zeros(size) for slot, size in load_sizes(model.mechanism).items()} | {"tau": robot.tau}

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        known = {"q": y[:nq], "v": y[nq:], "parameters": model.parameters}
        return np.concatenate([qdot.values(**known)["qdot"], forward.values(**known, **rest)["vdot"]])

    first = np.concatenate([model.home, np.zeros(model.layout.nv)])
    rates(0.0, first)
    begin = time.process_time()
    found = solve_ivp(rates, (0.0, END), first, method=method, rtol=tolerance, atol=1e-2 * tolerance, t_eval=[END])
    spent = time.process_time() - begin
    return robot.points(model.project(found.y[:nq, -1])), spent, found.nfev


def by_exudyn(robot: Any, solver: str, step: float) -> tuple[Points, float, int]:
    from reference.peers.exudyn import exu

    plane, sensors = robot.exudyn()
    plane.mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = END
    run = settings.timeIntegration
    run.endTime, run.numberOfSteps, run.verboseMode = END, round(END / step), 0
    run.generalizedAlpha.spectralRadius = 0.9
    run.newton.relativeTolerance, run.newton.absoluteTolerance = 1e-8, 1e-10
    run.newton.useModifiedNewton = True
    kind = getattr(exu.DynamicSolverType, solver)
    begin = time.process_time()
    plane.mbs.SolveDynamic(settings, solverType=kind)
    spent = time.process_time() - begin
    ends = np.array([np.asarray(plane.mbs.GetSensorStoredData(s))[-1, 1:3] for s in sensors])
    return ends, spent, round(END / step)


def best(times: int, measure: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Of so many; slow ones are measured once."""
    runs = [measure()]
    while len(runs) < times and runs[0][1] < 1.0:
        runs.append(measure())
    return (runs[0][0], min(run[1] for run in runs), *runs[0][2:])


def measured(robot: Any) -> dict[str, Any]:
    home = robot.points(robot.model.home)
    truth = by_gough(robot, robot.truth)[0]
    other = by_gough(robot, {"method": "dp5", "tolerance": 1e-12})[0]
    travel = float(np.abs(truth - home).max())
    document: dict[str, Any] = {"travel_m": travel, "references_apart": float(np.abs(truth - other).max()) / travel}
    rows: list[dict[str, Any]] = []

    def note(row: dict[str, Any], found: Points, reference: Points) -> None:
        rows.append(row | {"error": float(np.abs(found - reference).max()) / travel})
        print(rows[-1], flush=True)

    settings, peers, steps = robot.settings, robot.scipy, robot.exudyn_steps
    if FEW:
        settings, peers, steps = _first_of_each(settings), peers[:1], steps[2:3]
    for given in settings:
        found, spent, taken, stopped = best(3, lambda given=given: by_gough(robot, given))
        if stopped == "finished":
            note({**given, "cpu_s": spent, "steps": taken}, found, truth)
    for method, tolerance in peers:
        found, spent, calls = best(3, lambda m=method, x=tolerance: by_scipy(robot, m, x))
        row = {"method": f"SciPy {method}", "tolerance": tolerance, "cpu_s": spent, "calls": calls}
        note(row, found, truth)
    fine = steps[-1]
    a, b = (by_exudyn(robot, "GeneralizedAlpha", h)[0] for h in (fine / 2, fine / 4))
    converged = (4 * b - a) / 3
    document["exudyn_apart"] = float(np.abs(converged - truth).max()) / travel
    print("Exudyn's converged run is away by", document["exudyn_apart"], flush=True)
    for solver in ("GeneralizedAlpha", "TrapezoidalIndex2"):
        for step in steps:
            found, spent, taken = best(3, lambda s=solver, h=step: by_exudyn(robot, s, h))
            row = {"method": f"Exudyn {solver}", "step": step, "cpu_s": spent, "steps": taken}
            note(row, found, converged)
    return document | {"rows": rows}


def _first_of_each(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({given["method"]: given for given in reversed(settings) if given.get("step", 1.0) > 1e-5}.values())


def draw(document: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(12, 6), layout="constrained", sharey=True)
    titles = {"rigid": "five_bar, 1 s", "flexible": "four-bar of strips, 1 s"}
    methods = list(dict.fromkeys(row["method"] for key in titles for row in document[key]["rows"]))
    colours = dict(zip(methods, plt.get_cmap("tab20")(np.linspace(0, 1, len(methods))), strict=True))
    marks, lines = {"SciPy": "s--", "Exudyn": "^:"}, {}
    for ax, key in zip(axes, titles, strict=True):
        for method in methods:
            own = [(row["cpu_s"], row["error"]) for row in document[key]["rows"] if row["method"] == method]
            if own:
                style = marks.get(method.split()[0], "o-")
                lines[method] = ax.loglog(*zip(*own, strict=True), style, ms=4, lw=1.2, color=colours[method])[0]
        ax.set(title=titles[key], xlabel="CPU time (s)", ylim=(1e-13, 1e-1))
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("error of positions at the end, of what was travelled")
    figure.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=5, fontsize=9)
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description="Work and precision beside SciPy and Exudyn.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--only", choices=("rigid", "flexible"))
    parser.add_argument("--tiny", action="store_true", help="20 ms, one setting a method: shows that all of it runs")
    arguments = parser.parse_args()
    if arguments.tiny:
        globals().update(TINY)
    warnings.simplefilter("ignore")
    count_cpu_time()
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "work_precision.json"
    document: dict[str, Any] = json.loads(path.read_text()) if arguments.only and path.exists() else {}
    document |= {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
    }
    for key, kind in (("rigid", FiveBar), ("flexible", FourBars)):
        if arguments.only in (None, key):
            document[key] = measured(kind())
    path.write_text(json.dumps(document, indent=1) + "\n")
    if {"rigid", "flexible"} <= set(document):
        draw(document, arguments.out / "work_precision.png")


if __name__ == "__main__":
    main()
