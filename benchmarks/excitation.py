"""Exciting motions of five robots: condition numbers before and after, with the same scaling of columns, and what a step costs.

    python benchmarks/excitation.py [--out benchmarks] [--tiny]

Before      a random motion of the same family, as large as the limits let it be (seed 0)
Scaling     columns divided by their length along that motion
A step      from one evaluation of the search to the next (objective, all constraints, their derivatives, SLSQP's work): median
Bounds      of the gallery's robots assumed where the description states none: those of real machines of that size
"""

import argparse
import json
import os
import platform
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.robot import loads

RPS = """
format: 2
name: three_rps
title: 3-RPS tripod, hinges on the ground, driven slides, balls on the platform
source: {assumed: [all dimensions, masses, friction and limits]}
variables: {foot: 250 mm, ring: 150 mm}
platform: {mass: 6 kg, center_of_mass: [0, 0, 0.02], inertia: {about: center_of_mass, xx: 0.05, yy: 0.06, zz: 0.1}}
templates:
  rps:
    chain:
      - name: hinge
        type: revolute
        axis: [0, 1, 0]
        friction: {viscous: 0.05 N.m.s/rad}
        limits: {lower: -50 deg, upper: 30 deg}
        body:
          name: tube
          mass: 2 kg
          center_of_mass: [0, 0, 0.15]
          inertia: {about: center_of_mass, xx: 0.02, yy: 0.02, zz: 1e-3}
      - name: slide
        type: prismatic
        axis: [0, 0, 1]
        drive: {viscous: 80 N.s/m, force_limit: 400 N, speed_limit: 0.4 m/s, stroke: [350 mm, 650 mm]}
        body:
          name: rod
          mass: 1 kg
          center_of_mass: [0, 0, -0.1]
          inertia: {about: center_of_mass, xx: 8e-3, yy: 8e-3, zz: 2e-4}
    cut: {name: ball, type: spherical, limits: {cone: 45 deg}}
legs:
  - pattern: {circular: 3}
    like: rps
    base: {position: [foot*cos(<angle>), foot*sin(<angle>), 0], rpy_zyx: [<angle>, 0, 0]}
    on_platform: {position: [ring*cos(<angle>), ring*sin(<angle>), 0]}
home: {pose: {position: [0, 0, 0.49]}, joints: {"leg*.slide": 500 mm, "leg*.hinge": -11.5 deg}}
"""
ROBOTS: dict[str, dict[str, Any]] = {
    "pedrammehr2012": {
        "what": "6-UPS",
        "space": "platform",
        "limits": {"leg*.slide": {"stroke": (0.4, 0.8), "speed": 0.5, "force": 2500.0}},
    },
    "delta": {"what": "Delta", "limits": {"leg*.arm": {"stroke": (-0.8, 1.2), "speed": 4.0, "force": 60.0}}},
    "three_rps": {"what": "3-RPS", "space": "platform"},
    "three_prs": {"what": "3-PRS"},
    "five_bar": {
        "what": "five-bar",
        "tied": "apart",
        "limits": {"*_motor": {"stroke": (0.1, 3.0), "speed": 10.0, "force": 2.0}},
    },
}

HEADS = (
    "robot", "space, family", "base parameters", "condition before", "after", "log det before", "after", "free",
    "distance from singularities", "a step", "in all",
)  # fmt: skip


def measured(name: str, family: str, tiny: bool) -> dict[str, Any]:
    """One row of the table."""
    asked: dict[str, Any] = {"tied": "legs", "period": 5.0, "harmonics": 5} | ROBOTS[name]
    what = asked.pop("what")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build(loads(RPS) if name == "three_rps" else name)
    begun = time.perf_counter()
    e = gough.excitation(
        model, family=family, starts=1 if tiny else 3, iterations=5 if tiny else 100, budget=30.0, **asked
    )
    seconds = time.perf_counter() - begun
    bounds = [use for use in e.limits if use.source != "singularity"]
    steps = np.diff([s.seconds for s in e.history])
    return {
        "robot": name,
        "what": what,
        "space": e.space,
        "family": family,
        "base_parameters": e.base.rank,
        "condition_before": e.before.condition,
        "condition": e.condition,
        "log_det_before": e.before.log_det,
        "log_det": e.log_det,
        "bounds": len(e.limits),
        "least_free": min(use.free for use in bounds),
        "binding": min(bounds, key=lambda use: use.free).name,
        "distance": min(use.least for use in e.limits if use.source == "singularity"),
        "evaluations": len(e.history),
        "seconds": seconds,
        "step_s": float(np.median(steps)) if len(steps) else 0.0,
        "ending": str(e.ending),
        "problems": len(e.report.problems),
    }


def machine() -> str:
    """The processor, and how many cores there are."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores"


def table(rows: list[dict[str, Any]], where: str, when: str) -> str:
    """The page."""
    lines = [
        "# Exciting motions",
        "",
        "Condition number and log det of the base parameters' regressor, columns scaled by their length along the unoptimised",
        "motion, before (that motion) and after; period 5 s, 5 harmonics, 100 samples, three starts. A step: objective, all",
        "constraints and their derivatives, with SLSQP's own work; in all: with compiling. Free: the least part of a bound that",
        f"is left (0.05 is asked for), and of which. [`excitation.py`](excitation.py), {when}, {where}.",
        "",
        f"| {' | '.join(HEADS)} |",
        "|---" * len(HEADS) + "|",
    ]
    for r in rows:
        cells = [f"{r['what']} (`{r['robot']}`)", f"{r['space']}, {r['family']}", f"{r['base_parameters']}"]
        cells += [f"{r[key]:.4g}" for key in ("condition_before", "condition", "log_det_before", "log_det")]
        cells += [f"{r['least_free']:.2f} ({r['binding']})", f"{r['distance']:.3f}"]
        cells += [f"{1e3 * r['step_s']:.0f} ms", f"{r['seconds']:.1f} s"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--tiny", action="store_true", help="few iterations, to see that it runs")
    given = parser.parse_args()
    rows = []
    for name in ROBOTS:
        for family in ("fourier", "spline"):
            rows.append(measured(name, family, given.tiny))
            print(rows[-1], flush=True)
    where, when = machine(), time.strftime("%Y-%m-%d")
    given.out.mkdir(parents=True, exist_ok=True)
    record = {"date": when, "machine": where, "gough": gough.__version__, "numpy": np.__version__, "rows": rows}
    (given.out / "excitation.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (given.out / "excitation.md").write_text(table(rows, where, when), encoding="utf-8")
    print((given.out / "excitation.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
