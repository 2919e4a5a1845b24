"""How far estimates of elastic states are off: four robots, two sets of sensors, with robots as the observer knows them and not.

    python benchmarks/observers.py [--out benchmarks] [--only NAME] [--tiny]

Readings    encoders of 1 µm (1 µrad) and, beside them, an accelerometer of 0.01 m/s², 1000 times a second
Drives      force-controlled: a spring and a damper to the motion, and the weight, all of the estimate
Motion      0.3 s, then 0.2 s of rest; the robot begins in equilibrium, or swings (bodies straight under its weight); its estimate
            begins there too, or in the equilibrium of the robot it knows
From        errors from this time (s) on
Believed    "exact"; "2 %": masses of rigid bodies and stiffness of each flexible one off by 2 % (standard deviation, seed 1)
Rest        all modes but those of low observability; errors over motion by strain energy, and the worst mode that has a
            thousandth of it
"""

import argparse
import json
import platform
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough import laws
from gough.observers import Extended, Kalman
from gough.sensors import Accelerometer, Encoders

HERE = Path(__file__).parent
ROBOTS: dict[str, dict[str, Any]] = {
    "dualemps": {
        "move": [0.08, 0.05],
        "gains": {"stiffness": 4e4, "damping": 600.0},
        "frame": "link16.tip",
        "step": 5e-5,
    },
    "hexapod_flexible": {
        "pose": [0.03, -0.02, 0.02],
        "gains": {"bandwidth": 5.0, "damping_ratio": 0.7},
        "frame": "center",
        "step": 1e-3 / 12,
    },
    "delta_flexible": {
        "move": [0.2, -0.1, 0.1],
        "gains": {"bandwidth": 8.0, "damping_ratio": 0.7},
        "frame": "platform",
        "step": 1e-4,
    },
    "lopsided": {
        "move": [0.3, -0.2],
        "gains": {"bandwidth": 4.0, "damping_ratio": 0.7},
        "frame": "hand",
        "step": 5e-5,
    },
}
CASES: tuple[dict[str, Any], ...] = (
    {"believed": "exact", "begins": "known", "robot": "at rest"},
    {"believed": "2 %", "begins": "equilibrium", "robot": "at rest"},
    {"believed": "exact", "begins": "equilibrium", "robot": "swings", "acceleration": 0.1, "after": 0.25},
)
ENERGY = 1e-3
"""Part of the strain energy of the motion from which on a mode counts for the worst one."""


def motion_of(model: gough.Model, about: dict[str, Any]) -> gough.Motion:
    if "pose" in about:
        home = model.home_pose
        away = home + np.array([*about["pose"], 0, 0, 0, 0])
        return laws.drives_of(model, gough.motions.quintic(poses=[home, away], durations=0.3).hold(0.2))
    start = model.drives(model.home)
    return gough.motions.quintic(drives=[start, start + np.array(about["move"])], durations=0.3).hold(0.2)


def off_by(model: gough.Model, part: float) -> dict[str, float]:
    rng, factors, found = np.random.default_rng(1), {}, {}
    bends = {name.split(".Ke[")[0] for name in model.parameter_names if ".Ke[" in name}
    for name, x in zip(model.parameter_names, model.parameters, strict=True):
        body, _, what = name.rpartition(".")
        if what.startswith("Ke[") or (what == "M" and body not in bends):
            factor = factors.setdefault((body, what[:1]), 1.0 + part * rng.standard_normal())
            if x:
                found[name] = float(x * factor)
    return found


def measure(name: str, about: dict[str, Any], tiny: bool) -> list[dict[str, Any]]:
    model = gough.build(gough.load(str(HERE / "observers.yaml") if name == "lopsided" else name))
    motion, rows = motion_of(model, about), []
    encoders, bent = Encoders(noise=1e-6), gough.static_equilibrium(model, q=model.home).q
    sets = {"encoders": [encoders], "with accelerometer": [encoders, Accelerometer(frame=about["frame"], noise=0.01)]}
    for told, sensors in list(sets.items())[: 1 if tiny else None]:
        for kind in (Kalman, Extended):
            for case in CASES if kind is Kalman and not tiny else CASES[:1]:
                swings = case["robot"] == "swings"
                if swings and not np.abs(bent - model.home).max() > 1e-9:
                    continue  # nothing that swings by its weight
                nominal = off_by(model, 0.02) if case["believed"] == "2 %" else None
                observer = kind(begins=case["begins"], nominal=nominal, acceleration=case.get("acceleration", 0.01))
                inner = laws.JointPD(gravity=True, **about["gains"])
                law = laws.Sampled(inner, 1e-3, sensors=sensors, observer=observer, seed=1)
                how = {"start": "given" if swings else "static", "method": "rk4", "step": about["step"], "every": 4}
                began = time.process_time()
                run = gough.simulate(model, motion, law, **how)
                error = run.estimation_error(after=case.get("after", 0.0))
                energy = (error.modes_hz * error.mode_motion) ** 2
                counts = ~error.hardly_seen & (energy >= ENERGY * energy.sum())
                rows.append(
                    {
                        "robot": name,
                        "sensors": told,
                        "observer": kind.__name__,
                        "believed": case["believed"],
                        "acceleration": observer.acceleration,
                        "robot begins": case["robot"],
                        "estimate begins": case["begins"],
                        "from": case.get("after", 0.0),
                        "stopped": run.stopped,
                        "modes": len(error.modes_hz),
                        "hardly_seen": int(error.hardly_seen.sum()),
                        "all": error.ratio,
                        "rest": error.ratio_of_rest,
                        "worst": float(error.mode_ratios[counts].max(initial=0.0)),
                        "loop_s": run.info.computing_s,
                        "cpu_s": time.process_time() - began,
                    }
                )
                print(rows[-1], flush=True)
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    keys = ("robot", "sensors", "observer", "believed", "acceleration", "robot begins", "estimate begins", "from")
    heads = [*keys, "hardly seen, of modes", "all", "rest", "worst of the rest"]
    lines = [heads, ["---"] * len(heads)]
    for r in rows:
        errors = [f"{100 * r[key]:.2g} %" for key in ("all", "rest", "worst")]
        lines.append([*(str(r[key]) for key in keys), f"{r['hardly_seen']} of {r['modes']}", *errors])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--only", choices=tuple(ROBOTS))
    parser.add_argument(
        "--tiny", action="store_true", help="one robot, one case of each kind: shows that all of it runs"
    )
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    only = "dualemps" if args.tiny else args.only
    rows = [row for name, about in ROBOTS.items() if only in (None, name) for row in measure(name, about, args.tiny)]
    about = {"machine": platform.machine(), "python": platform.python_version(), "gough": gough.__version__}
    (args.out / "observers.json").write_text(
        json.dumps({"about": about, "rows": rows}, indent=1) + "\n", encoding="utf-8"
    )
    print(table(rows))


if __name__ == "__main__":
    main()
