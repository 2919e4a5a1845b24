"""How cost grows with loops: a chain of N four-bars (IFToMM benchmark A02), forward dynamics, Pinocchio beside it.

    python benchmarks/four_bar_chain.py [--most 200] [--figure four_bar_chain.png] [--tiny]

Counted: building the model, tracing and compiling forward dynamics, operations of one evaluation, and the time of one
state in a batch (gough, one core) against one call of Pinocchio's `constraintDynamics` (proximal, loops as 3-D point
constraints) on the same mechanism at the same state; Pinocchio has no batch. Both accelerations are compared first.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import gough
from gough.robots import four_bar_chain

STEPS = (1, 2, 5, 10, 20, 50, 100, 200)
STATES = 2048
TINY = {"STEPS": (1, 2), "STATES": 32}
"""What --tiny changes."""


def gough_figures(n: int) -> dict:
    """Times (s) and counts of the library; `angle`, `acceleration` of the first crank at one state."""
    robot = four_bar_chain(n)
    start = time.perf_counter()
    model = gough.build(robot)
    built = time.perf_counter()
    function = model.function("forward_dynamics").compile()
    compiled = time.perf_counter()
    rng = np.random.default_rng(0)
    name = model.layout.v_names[0]
    home = model.home[model.layout.index(name)]
    angle = home + rng.uniform(-0.3, 0.3, STATES)
    q = model.configuration(coordinates={name: angle})
    v = rng.normal(size=(STATES, 1))
    inputs = {"q": q, "v": v, "tau": np.zeros((1, len(model.mechanism.drives))), "force": np.zeros(1)}
    best = np.inf
    for _ in range(7):
        begin = time.perf_counter()
        out = function(**inputs, parameters=model.parameters)
        best = min(best, time.perf_counter() - begin)
    assert out.good
    return {
        "n": n,
        "build_s": built - start,
        "compile_s": compiled - built,
        "operations": model.count("forward_dynamics", baked=True).operations if n <= 50 else None,
        "gough_us": best / STATES * 1e6,
        "q": q[0],
        "v": v[0],
        "acceleration": float(out.outputs["vdot"][0, 0]),
        "model": model,
    }


def pinocchio_figures(n: int, figures: dict) -> dict:
    """Time (µs) of one call, and the relative difference of the accelerations."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array(figures["model"].robot.gravity)
    robot = figures["model"].robot
    from gough.robot.tree import placed_joints, placed_loops

    joint_of, order = {"world": 0}, []
    waiting = list(placed_joints(robot))
    while waiting:  # depth first, as Pinocchio's algorithms expect
        placed = next((j for j in waiting if j.parent == (order[-1].body_name if order else "world")), None)
        placed = placed or next(j for j in waiting if j.parent in joint_of)
        waiting.remove(placed)
        place = placed.joint.placement
        at = pin.SE3(np.asarray(place.rotation()), np.asarray(place.position, float))
        index = model.addJoint(joint_of[placed.parent], pin.JointModelRZ(), at, placed.name)
        mass, center, tensor = placed.body.central_inertia()
        model.appendBodyToJoint(index, pin.Inertia(mass, np.asarray(center), np.asarray(tensor)), pin.SE3.Identity())
        joint_of[placed.body_name] = index
        order.append(placed)
    constraints = pin.StdVec_RigidConstraintModel()
    for loop in placed_loops(robot):
        sides = []
        for body, pose in ((loop.first, loop.first_pose), (loop.second, loop.second_pose)):
            sides += [joint_of[body], pin.SE3(np.asarray(pose.rotation()), np.asarray(pose.position, float))]
        constraints.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *sides, pin.LOCAL))
    data = model.createData()
    datas = pin.StdVec_RigidConstraintData()
    datas.extend([c.createData() for c in constraints])
    pin.initConstraintDynamics(model, data, constraints, datas)
    gm = figures["model"]
    index = {name: k for k, name in enumerate(gm.layout.q_names)}
    q = np.array([figures["q"][index[j.name]] for j in order])
    rates = gm.configuration_rate(figures["q"], figures["v"])
    v = np.array([rates[index[j.name]] for j in order])
    settings = pin.ProximalSettings(1e-12, 1e-10, 20)
    tau = np.zeros(model.nv)
    first = [j.name for j in order].index(gm.layout.v_names[0])
    acceleration = pin.constraintDynamics(model, data, q, v, tau, constraints, datas, settings)[first]
    repeats = max(20, 2000 // n)
    best = np.inf
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(repeats):
            pin.constraintDynamics(model, data, q, v, tau, constraints, datas, settings)
        best = min(best, (time.perf_counter() - begin) / repeats)
    wrong = abs(acceleration - figures["acceleration"]) / max(abs(figures["acceleration"]), 1e-12)
    return {"pinocchio_us": best * 1e6, "difference": wrong}


def draw(rows: list[dict], path: Path) -> None:
    """Times against the number of loops, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    n = [r["n"] for r in rows]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.loglog(n, [r["gough_us"] for r in rows], "o-", color="#0072B2", label="gough, a state of a batch")
    left.loglog(
        n, [r["pinocchio_us"] for r in rows], "s-", color="#D55E00", label="Pinocchio constraintDynamics, a call"
    )
    left.set(xlabel="loops N", ylabel="forward dynamics (µs)", title="one state, one core")
    right.loglog(n, [r["build_s"] for r in rows], "o-", color="#009E73", label="build")
    right.loglog(n, [r["compile_s"] for r in rows], "s-", color="#CC79A7", label="trace and compile")
    right.set(xlabel="loops N", ylabel="time (s)", title="making the program")
    for axes, key in ((left, "gough_us"), (right, "compile_s")):
        last = rows[-1][key]
        axes.loglog(n, [last * k / n[-1] for k in n], ":", color="0.5", label="proportional to N")
        axes.legend()
        axes.grid(True, which="both", alpha=0.3)
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--figure", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--tiny", action="store_true", help="two short chains, few states: shows that all of it runs")
    options = parser.parse_args()
    if options.tiny:
        globals().update(TINY)
    rows = []
    gough_figures(1)  # imports and the compiler's own start are not the mechanism's cost
    print("    N  build s  compile s  operations  gough us  pinocchio us  ratio  difference")
    for n in [k for k in STEPS if k <= options.most]:
        ours = gough_figures(n)
        theirs = pinocchio_figures(n, ours)
        row = {k: ours[k] for k in ("n", "build_s", "compile_s", "operations", "gough_us")} | theirs
        rows.append(row)
        count = f"{row['operations']:11d}" if row["operations"] else "          -"
        print(
            f"{n:5d} {row['build_s']:8.2f} {row['compile_s']:10.2f} {count} {row['gough_us']:9.3f} "
            f"{row['pinocchio_us']:13.1f} {row['pinocchio_us'] / row['gough_us']:6.0f} {row['difference']:11.1e}",
            flush=True,
        )
    if options.figure:
        draw(rows, options.figure)
    if options.json:
        machine = {"machine": platform.machine(), "cores": os.cpu_count(), "date": time.strftime("%Y-%m-%d")}
        options.json.write_text(json.dumps(machine | {"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
