"""What it takes before a simulation moves, and what a step of a stepper costs beside the integration itself.

Starts: `gough.simulate` over a millisecond, once with what must be derived and compiled (kernel cache as it is), then again with
other gains, motions and loads; CPU time, the best of many. Steps: `gough.Stepper` beside the same machine code in one go, on the
same robot with as many steps, in turn; before that, the states of both are compared. Run: `python benchmarks/stepping.py` on a
quiet machine (docs/costs.md shows a run).
"""

import argparse
import contextlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import gough
from gough import laws, motions

ROBOTS = ("pedrammehr2012", "delta_flexible", "hexapod_flexible")
STEP = 1e-4
STARTS = 60


def seconds(call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    call()
    return clock() - began


def starts(model: gough.Model) -> dict[str, Callable[[int], dict[str, Any]]]:
    """Arguments of the k-th run by what changes from one to the next."""
    begin, pose = model.drives(model.home), model.home_pose

    def led(k: int) -> motions.Motion:
        return motions.quintic(drives=[begin, begin + 1e-3 * (k + 1)], durations=1.0)

    def moved(k: int) -> motions.Motion:
        return motions.quintic(poses=[pose, pose + np.array([0, 0, 1e-3 * (k + 1), 0, 0, 0, 0])], durations=1.0)

    same, servo = led(0), laws.JointPD(1e3, 10.0)
    frame = _loaded_frame(model)
    rigid = not model.layout.v_elastic
    found: dict[str, Callable[[int], dict[str, Any]]] = {
        "nothing": lambda k: {},
        "load": lambda k: {"wrench": {frame: [float(k), 0, 0, 0, 0, 0]}},
        "gains": lambda k: {"motion": same, "controller": laws.JointPD(1e3 + k, 10.0)},
        "motion": lambda k: {"motion": led(k), "controller": servo},
    }
    if rigid:
        found["pose to follow"] = lambda k: {"motion": moved(k), "controller": laws.ComputedTorque()}
        found["drives led"] = lambda k: {"motion": led(k)}
    return found


def _loaded_frame(model: gough.Model) -> str:
    """The first frame that takes a wrench: those of flexible bodies float beside the material."""
    for name in model.mechanism.frames:
        with contextlib.suppress(gough.UsageError):
            model.forward_dynamics(
                model.home,
                np.zeros(model.layout.nv),
                np.zeros(len(model.mechanism.drives)),
                {name: np.zeros(6)},
                on_bad_state="mark",
            )
            return name
    raise SystemExit(f"{model.robot.name} has no frame for a load")


def time_starts(model: gough.Model, rounds: int) -> list[str]:
    rows = []
    for what, arguments in starts(model).items():
        first = seconds(lambda arguments=arguments: gough.simulate(model, duration=1e-3, **arguments(0)))
        again = [
            seconds(
                lambda k=k, arguments=arguments: gough.simulate(model, duration=1e-3, **arguments(k)), time.thread_time
            )
            for k in range(1, rounds + 1)
        ]
        rows.append(f"| {model.robot.name} | {what} | {first:.2f} | {1e3 * min(again):.1f} |")
    return rows


def time_steps(name: str, method: str, rounds: int, n: int) -> str:
    model = gough.build(name)
    drives = len(model.mechanism.drives)
    still = np.zeros(model.layout.nv)
    tau = model.inverse_dynamics(model.home, still, still[: model.mobility]).tau
    sim = gough.Stepper(model, method=method, longest_step=STEP, record=False)

    def stepped() -> None:
        sim.reset()
        for _ in range(n):
            sim.step(tau, STEP)

    def whole() -> gough.Run:
        return gough.simulate(model, controller=laws.Free(tau), duration=n * STEP, method=method, step=STEP, every=n)

    stepped()
    apart = np.abs(sim.q - whole().q[-1]).max()
    ours = min(seconds(stepped) for _ in range(rounds)) / n
    alone = min(whole().info.computing_s for _ in range(rounds)) / n
    return f"| {name} | {method}, {drives} drives | {1e6 * ours:.1f} | {1e6 * alone:.1f} | {apart:.0e} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rounds, n = (1, 20) if asked.tiny else (7, 1000)
    print("| robot | what is new | first run (s) | later ones (ms of CPU) |\n|---|---|---|---|")
    for name in ("five_bar",) if asked.tiny else ROBOTS:
        model = gough.build(name)
        if asked.tiny:
            print(f"| {name} | nothing | {seconds(lambda model=model: gough.simulate(model, duration=1e-3)):.2f} | |")
        else:
            print("\n".join(time_starts(model, STARTS)), flush=True)
    print(
        "\n| robot | method | a step (µs) | the same integrated in one go (µs) | states differ by |\n|---|---|---|---|---|"
    )
    for name in ("five_bar",) if asked.tiny else ("five_bar", "pedrammehr2012"):
        for method in ("rk4", "dp5"):
            print(time_steps(name, method, rounds, n), flush=True)


if __name__ == "__main__":
    main()
