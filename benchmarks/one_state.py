"""What one call for one state costs from Python, beside `pin.rnea` of Pinocchio's sample humanoid, in turn in one process.

Every call gets other arrays than the one before; 2 of 100 states are bad (not finite, a quaternion too long, open loops) where
it says so. Before anything is timed, results are compared with those of a batch. Run: `python benchmarks/one_state.py` on a
quiet machine (docs/costs.md shows a run).
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import gough

SHARE = 0.02
"""Of bad states."""
CALLS: dict[str, str] = {
    "inverse_dynamics": "q v a",
    "forward_dynamics": "q v tau",
    "mass_matrix": "q",
    "bias_force": "q v",
    "energies": "q v",
    "frame_pose": "q frame",
}


class States:
    """n states of a robot, each in arrays of its own; `bad` of them (n,) are."""

    def __init__(self, model: gough.Model, n: int) -> None:
        rng, layout = np.random.default_rng(0), model.layout
        unit = np.where(np.array(layout.v_units) == "m/s", model.size, 1.0)
        self.model, self.n = model, n
        q = model.integrate(model.home, 0.02 * unit * rng.uniform(-1, 1, (n, layout.nv)))
        self.good = q.copy()
        self.bad = rng.random(n) < SHARE
        for k, state in enumerate(np.flatnonzero(self.bad)):
            if k % 3 == 0:
                q[state] = np.nan
            elif k % 3 == 1 and model.mechanism.has_platform:
                q[state, 3:7] *= 1.2
            else:
                q[state, layout.joints.start :] += 0.3
        frame = next(iter(model.mechanism.frames))
        self.slots: dict[str, list[Any]] = {
            "q": [x.copy() for x in q],
            "good": [x.copy() for x in self.good],
            "pose": [x[:7].copy() for x in self.good],
            "drives": [model.drives(x).copy() for x in self.good],
            "v": list(rng.normal(size=(n, layout.nv))),
            "a": list(rng.normal(size=(n, layout.mobility))),
            "tau": list(rng.normal(size=(n, len(model.mechanism.drives)))),
            "frame": [frame] * n,
        }

    def rows(self, names: str) -> Iterator[tuple[Any, ...]]:
        """Arguments of one call after the other."""
        return zip(*(self.slots[name] for name in names.split()), strict=True)


def jobs(states: States) -> dict[str, Callable[[], None]]:
    """What is timed: each runs over all states once."""
    model, found = states.model, {}

    def marking(call: str, names: str) -> Callable[[], None]:
        method = getattr(model, call)

        def run() -> None:
            for row in states.rows(names):
                method(*row, on_bad_state="mark")

        return run

    for call, names in CALLS.items():
        found[f"model.{call}, 2 % bad"] = marking(call, names)
    found |= {"function(…, out=…)": into_arrays(states)} | made_states(states)
    return found


def into_arrays(states: States) -> Callable[[], None]:
    """Inverse dynamics as a function that fills the caller's array."""
    model = states.model
    function = model.function("inverse_dynamics")
    loads = {s.name: np.zeros(s.shape) for s in function.program.inputs if s.name in ("wrench", "force")}
    out = {s.name: np.empty(s.shape) for s in function.program.outputs}

    def run() -> None:
        for q, v, a in states.rows("good v a"):
            function(q=q, v=v, acceleration=a, parameters=model.parameters, out=out, **loads)

    return run


def made_states(states: States) -> dict[str, Callable[[], None]]:
    """Calls that make a configuration."""
    model = states.model

    def pose() -> None:
        for (x,) in states.rows("pose"):
            model.configuration(pose=x)

    def drives() -> None:
        for (x,) in states.rows("drives"):
            model.configuration(drives=x)

    def integrate() -> None:
        for q, v in states.rows("good v"):
            model.integrate(q, v, 1e-3)

    def project() -> None:
        for (q,) in states.rows("good"):
            model.project(q)

    found = {"configuration(drives=)": drives, "integrate": integrate, "project": project}
    return ({"configuration(pose=)": pose} if model.mechanism.has_platform else {}) | found


def humanoid(n: int) -> Callable[[], None]:
    """`pin.rnea` as often."""
    import pinocchio as pin

    robot = pin.buildSampleModelHumanoidRandom()
    data, rng = robot.createData(), np.random.default_rng(0)
    rows = [(pin.randomConfiguration(robot), *rng.normal(size=(2, robot.nv))) for _ in range(n)]

    def run() -> None:
        for q, v, a in rows:
            pin.rnea(robot, data, q, v, a)

    return run


def check(states: States) -> None:
    """Single calls are batches of one."""
    model = states.model
    given = {k: np.array(x) for k, x in states.slots.items() if k != "frame"}
    whole = model.inverse_dynamics(given["q"], given["v"], given["a"], on_bad_state="mark").tau
    made = model.configuration(drives=given["drives"])
    for k, (q, v, a, drives) in enumerate(states.rows("q v a drives")):
        np.testing.assert_array_equal(model.inverse_dynamics(q, v, a, on_bad_state="mark").tau, whole[k])
        np.testing.assert_allclose(model.configuration(drives=drives), made[k], atol=1e-12 * model.size)


def main(robots: list[str], n: int, rounds: int) -> None:
    """Print a row a call: µs, and how many times `pin.rnea`."""
    warnings.simplefilter("ignore")
    for name in robots:
        states = States(gough.build(name), n)
        check(states)
        work = {"pin.rnea, sample humanoid": humanoid(n)} | jobs(states)
        for run in work.values():
            run()
        best = dict.fromkeys(work, np.inf)
        for _ in range(rounds):
            for label, run in work.items():
                began = time.perf_counter()
                run()
                best[label] = min(best[label], (time.perf_counter() - began) / n)
        peer = best["pin.rnea, sample humanoid"]
        print(f"{name}: one state a call, {n} states, best of {rounds} rounds")
        for label, seconds in best.items():
            print(f"  {label:34} {1e6 * seconds:8.2f} µs {seconds / peer:6.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["pedrammehr2012", "delta"])
    parser.add_argument("--tiny", action="store_true", help="the smallest case, in seconds")
    given = parser.parse_args()
    if given.tiny:
        main(given.robots[:1], 150, 1)
    else:
        main(given.robots, 1000, 9)
