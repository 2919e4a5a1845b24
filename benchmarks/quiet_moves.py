"""What shaped and quiet moves of three flexible robots leave, also with other stiffness, beside quintics in the same time.

    python benchmarks/quiet_moves.py [--robots dualemps,hexapod_flexible,carbon_delta] [--runs 500] [--factors 21]
        [--real 10000] [--real-of zvd ei "quiet, ±10 %"] [--threads 1] [--out benchmarks] [--tiny]

A limited move (`motions.s_curve`) whose averages end the robot's faster modes is what is shaped. `quiet` keeps the same limits of
speed, acceleration, jerk and snap. T1: the period of the slowest mode along the move; lost: how much longer than the limited
move, in T1. Drives follow exactly; after the move they rest for three T1, in which the largest deflection of a frame
(`gough.remaining_vibration`) is what is left. All of it is over the elastic peak of the limited move.

Stiffness: "together" multiplies those of all flexible bodies by one factor within ±20 %, evenly drawn: the runs are done at
--factors factors, and 10 000 draws are interpolated between them. "each" draws a factor for each body, --runs runs. All are runs
of the whole robot (`gough.simulate_many`). Damping stays. --real: that many of the draws are runs of their own, nothing
interpolated, of the moves --real-of (10 000 of three moves: 2 CPU minutes of dualemps, 15 of each of the others).
Writes quiet_moves.json and quiet_moves.md; robots that are not asked for stay as they were.
"""

from __future__ import annotations

import argparse
import datetime
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough import motions
from gough.robot.friction import change_friction

HERE = Path(__file__).resolve().parent
RANGE, DRAWS = 0.2, 10_000
"""Largest relative change of stiffness, and draws of one factor for all bodies."""
STORED, LOOKS = 200, 3.0
"""States of a run that are kept; periods T1 that it rests after its move."""
CHUNK = 100
"""Runs at once."""


@dataclass(frozen=True)
class Case:
    """A robot and its move. frame: whose deflection counts; averages (s): quotients of the limits, the first distance/speed; step
    (s) of the runs; distance: what the limits are for, m."""

    robot: Callable[[], Any]
    way: dict[str, Any]
    frame: str
    averages: tuple[float, ...]
    step: float
    distance: float


def _sliders() -> Any:
    return change_friction(gough.load("dualemps"), coulomb=0)  # Coulomb friction would help


CASES = {
    "dualemps": Case(
        _sliders,
        {"drives": {"q11": [0.0, 0.1], "q21": [0.0, 0.05]}},
        "link17",
        (0.1, 1 / 25.04, 1 / 48.16, 1 / 91.91),
        7e-5,
        0.1,
    ),
    "hexapod_flexible": Case(
        lambda: gough.load("hexapod_flexible"),
        {"poses": [{"position": [0, 0, 0.75]}, {"position": [0.06, 0.03, 0.78]}]},
        "center",
        (3 / 45.3, 1 / 35.5, 1 / 68.0, 1 / 197.8),
        1.5e-4,
        float(np.linalg.norm([0.06, 0.03, 0.03])),
    ),
    "carbon_delta": Case(
        lambda: gough.load(str(HERE / "quiet_moves" / "carbon_delta.yaml")),
        {"poses": [{"position": [-0.03, 0, -0.72]}, {"position": [0.03, 0.015, -0.70]}]},
        "tool",
        (0.02, 1 / 140.0, 1 / 280.0, 1 / 420.0),
        1.5e-4,
        float(np.linalg.norm([0.06, 0.015, 0.02])),
    ),
}


@dataclass(frozen=True)
class Bench:
    """model: in its own velocities; runs: the same robot in those of its drives. period: T1, s."""

    case: Case
    model: Any
    runs: Any
    period: float

    @classmethod
    def of(cls, case: Case) -> Bench:
        robot = case.robot()
        model = gough.build(robot)
        return cls(case, model, gough.build(robot, velocities="drives"), _slowest(model, case))

    def limits(self) -> dict[str, float]:
        """Of the limited move, by its averages."""
        sizes = self.case.distance / np.cumprod(self.case.averages)
        return {k: float(x) for k, x in zip(("speed", "acceleration", "jerk", "snap"), sizes, strict=True)}

    def drives(self, motion: Any) -> Any:
        """The motion of the drives, at rest for some T1 after its end."""
        made = motion if motion.kind == "drives" else gough.laws.drives_of(self.runs, motion)
        return made.hold(LOOKS * self.period)

    def nominal(self, motion: Any) -> Any:
        """`gough.remaining_vibration` of one run."""
        run = gough.simulate(
            self.runs,
            self.drives(motion),
            method="leapfrog",
            step=self.case.step / 2,
            every=4,
            start="static",
            check="off",
        )
        return gough.remaining_vibration(run, self.case.frame, after=motion.duration)

    def left(self, motion: Any, designs: np.ndarray, threads: int) -> np.ndarray:
        """Amplitudes (runs,), m, by designs (runs, n)."""
        follow = self.drives(motion)
        out = []
        for rows in np.split(designs, range(CHUNK, len(designs), CHUNK)):
            found = gough.simulate_many(
                self.runs,
                motion=follow,
                parameters=rows,
                start="static",
                step=self.case.step,
                stored=STORED,
                threads=threads,
            )
            assert not np.isfinite(found.failed).any()
            over = found.time >= motion.duration
            q, ends = found.q[:, over], found.q[:, -1]
            near = ends.copy()
            near[:, self.runs.layout.elastic] = 0.0
            held: dict[str, Any] = {"drives": ends[:, self.runs.drive_index], "parameters": rows}
            near = self.runs.assemble(near=near, **held).q
            rest = gough.static_equilibrium(self.runs, near=near, **held)
            still = self.runs.frame_pose(rest.q, self.case.frame, parameters=rows)[0]
            every = np.repeat(rows, q.shape[1], axis=0)
            seen = self.runs.frame_pose(q.reshape(-1, q.shape[2]), self.case.frame, parameters=every)[0]
            away = seen.reshape(*q.shape[:2], 3) - still[:, None]
            out.append(np.linalg.norm(away, axis=2).max(axis=1))
        return np.concatenate(out)


def _slowest(model: Any, case: Case) -> float:
    """T1 (s): of the slowest mode at nine poses along the way."""
    along = motions.states_along(model, motions.quintic(durations=1.0, **case.way), np.linspace(0.0, 1.0, 9))
    return 1.0 / min(gough.natural_frequencies(model, q).frequencies_hz[0] for q in along.q)


def moves(bench: Bench) -> dict[str, Any]:
    """The limited move, and what is made of it."""
    limits, way, T1 = bench.limits(), bench.case.way, bench.period
    plain = motions.s_curve(**limits, **way)
    T = plain.duration
    made = {"limited": plain}
    made |= {name: motions.shape(plain, bench.model, name) for name in ("zv", "two_mode", "zvd", "ei")}
    for name, band, more in (("quiet, ±1 %", 0.01, 0.5), ("quiet, ±10 %", 0.1, 1.0)):
        made[name] = motions.quiet(bench.model, duration=T + more * T1, band=band, tolerance=1.0, **limits, **way)
    made |= {f"quintic +{x} T1": motions.quintic(durations=T + x * T1, **way) for x in (0.5, 1.0)}
    return made


def bodies_of(model: Any) -> tuple[np.ndarray, list[str]]:
    """(numbers of the parameters of stiffness, the body of each)."""
    found = [(k, name.split(".Ke[")[0]) for k, name in enumerate(model.parameter_names) if ".Ke[" in name]
    return np.array([k for k, _ in found]), [body for _, body in found]


def measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """All moves of a robot."""
    begun = time.process_time()
    bench = Bench.of(CASES[name])
    places, owners = bodies_of(bench.runs)
    bodies = sorted(set(owners))
    columns = [bodies.index(owner) for owner in owners]
    random = np.random.default_rng(1)
    factors = np.linspace(1 - RANGE, 1 + RANGE, options.factors)
    each = random.uniform(1 - RANGE, 1 + RANGE, (options.runs, len(bodies)))
    draws = random.uniform(1 - RANGE, 1 + RANGE, DRAWS)

    def designs(rows: np.ndarray) -> np.ndarray:
        out = np.tile(bench.runs.parameters, (len(rows), 1))
        out[:, places] *= rows
        return out

    together, own = designs(factors[:, None] * np.ones(len(places))), designs(each[:, columns])
    peak, length, rows = 0.0, 0.0, []
    for label, motion in moves(bench).items():
        found = bench.nominal(motion)
        if not rows:
            peak, length = found.peak, motion.duration
        row = {
            "move": label,
            "duration_s": motion.duration,
            "lost_T1": float((motion.duration - length) / bench.period),
            "peak_m": found.peak,
            "left": found.amplitude / peak,
            "left_of_its_own_peak": found.ratio,
        }
        curve = bench.left(motion, together, options.threads) / peak
        row["together_p95"] = float(np.percentile(np.interp(draws, factors, curve), 95))
        row["together"] = [float(f"{x:.3g}") for x in curve]
        if label in options.real_of and options.real:
            real = (
                bench.left(motion, designs(draws[: options.real, None] * np.ones(len(places))), options.threads) / peak
            )
            row |= {"real_runs": len(real), "real_p95": float(np.percentile(real, 95)), "real_most": float(real.max())}
            row["interpolation_off"] = float(np.abs(np.interp(draws[: options.real], factors, curve) - real).max())
        if options.runs and not label.startswith("quintic"):
            row["each_p95"] = float(np.percentile(bench.left(motion, own, options.threads) / peak, 95))
        rows.append(row)
        print(name, {k: x for k, x in row.items() if k != "together"}, flush=True)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "T1_s": bench.period,
        "frame": bench.case.frame,
        "limits": bench.limits(),
        "bodies": len(bodies),
        "runs_each": options.runs,
        "factors": options.factors,
        "cpu_s": time.process_time() - begun,
        "moves": rows,
    }


def write_page(found: dict[str, Any], path: Path) -> None:
    """Tables of all robots."""
    lines = [
        "# Quiet moves",
        "",
        "From `quiet_moves.py`, whose head says what is measured. All numbers but the time lost are parts of the elastic peak of",
        "the limited move. Together: one factor for the stiffness of all bodies, within ±20 %, 95th percentile of 10 000 draws,",
        "interpolated between the runs named; each: a factor of its own for each body, 95th percentile of the runs named.",
    ]
    for name, robot in found.items():
        told = (
            f"T1 = {1000 * robot['T1_s']:.1f} ms; deflection of `{robot['frame']}`; {robot['bodies']} flexible bodies; "
            f"{robot['factors']} runs (together) and {robot['runs_each']} runs (each) a move. {robot['date']}."
        )
        lines += [
            "",
            f"## {name}",
            "",
            told,
            "",
            "| move | time lost (T1) | left | its own peak | together, P95 | each, P95 |",
            "|---|---|---|---|---|---|",
        ]
        peak = robot["moves"][0]["peak_m"]
        for row in robot["moves"]:
            each = f"{row['each_p95']:.2%}" if "each_p95" in row else "–"
            lines.append(
                f"| {row['move']} | {row['lost_T1']:.2f} | {row['left']:.2%} | {row['peak_m'] / peak:.2f} | "
                f"{row['together_p95']:.2%} | {each} |"
            )
        real = [row for row in robot["moves"] if "real_runs" in row]
        if real:
            head = "| move | runs | P95 | most | interpolation off by, at most |"
            lines += ["", "Together, every draw a run of its own:", "", head, "|---|---|---|---|---|"]
        lines += [
            f"| {x['move']} | {x['real_runs']} | {x['real_p95']:.2%} | {x['real_most']:.2%} | {x['interpolation_off']:.3%} |"
            for x in real
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", default=",".join(CASES))
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--factors", type=int, default=21)
    parser.add_argument("--real", type=int, default=0, help="draws of one factor that are runs of their own")
    parser.add_argument("--real-of", nargs="+", default=["zvd", "ei", "quiet, ±10 %"], help="moves")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--tiny", action="store_true", help="one robot, few runs: shows that all of it runs")
    options = parser.parse_args()
    if options.tiny:
        options.robots, options.runs, options.factors, options.real = "dualemps", 2, 3, 2
    kept = options.out / "quiet_moves.json"
    found = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() and not options.tiny else {}
    for name in options.robots.split(","):
        found[name] = measure(name, options)
        options.out.mkdir(parents=True, exist_ok=True)
        found = {key: found[key] for key in CASES if key in found}
        kept.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        write_page(found, options.out / "quiet_moves.md")


if __name__ == "__main__":
    main()
