"""Many designs of many states each: CPU time, wall time and memory of four ways to configurations and drive forces.

by design: parameters (designs, 1, n); @pose: the same by `inverse_dynamics@pose`, without configurations; a loop of Python, one
call a design; repeated: parameters (designs, states, n), for a tenth of the designs. Each way runs in a process of its own, whose
largest memory is told (`resource.getrusage`; all arrays, the interpreter and the library are in it); machine code is compiled and
the ways are compared with each other before. Run: `python benchmarks/designs.py` on a quiet machine (docs/costs.md shows
a run).
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings

import numpy as np

import gough

WAYS = ("by design", "@pose", "loop", "repeated")
SPREAD = 0.01
"""By how much, at most, every free number of a design differs from the robot's own, relative to it."""


class Case:
    """Designs (d, n) and states of a robot with six legs."""

    def __init__(self, robot: str, designs: int, states: int) -> None:
        self.model = model = gough.build(robot)
        rng, n = np.random.default_rng(0), len(model.parameters)
        self.designs = np.empty((designs, n))
        for k in range(0, designs, 256):
            part = self.designs[k : k + 256]
            part[:] = model.parameters * (1.0 + rng.uniform(-SPREAD, SPREAD, part.shape))
        fixed = list(model.pattern)
        self.designs[:, fixed] = model.parameters[fixed]
        self.poses = np.repeat(model.home[None, :7], states, axis=0)
        self.poses[:, :3] += 0.02 * model.size * rng.uniform(-1, 1, (states, 3))
        self.v, self.a = rng.normal(size=(2, states, model.layout.nv))

    def forces(self, way: str) -> np.ndarray:
        """Drive forces (designs, states, drives)."""
        model, P = self.model, self.designs
        if way == "by design":
            return self._forces(P[:, None])
        if way == "repeated":
            return self._forces(np.repeat(P[:, None], len(self.poses), axis=1))
        if way == "loop":
            return np.array([self._forces(p) for p in P])
        posed = model.function("inverse_dynamics@pose")
        given = {"pose": self.poses, "v": self.v, "acceleration": self.a, "wrench": np.zeros(6)}
        return posed(**given, parameters=P[:, None]).outputs["tau"]

    def _forces(self, parameters: np.ndarray) -> np.ndarray:
        q = self.model.configuration(pose=self.poses, parameters=parameters)
        return self.model.inverse_dynamics(q, self.v, self.a, parameters=parameters).tau

    def check(self) -> None:
        """All ways give the same; their machine code is then made."""
        truth = self.forces("loop")
        for way in WAYS:
            np.testing.assert_allclose(self.forces(way), truth, rtol=0, atol=1e-13 * np.abs(truth).max(), err_msg=way)


def measure(robot: str, way: str, designs: int, states: int) -> None:
    """Print a row of the table."""
    warnings.simplefilter("ignore")
    case = Case(robot, designs, states)
    few, case.designs = case.designs, case.designs[:2]
    case.forces(way)
    case.designs = few
    wall, cpu = time.perf_counter(), time.process_time()
    case.forces(way)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"  {way:10} {designs:6} × {states} {cpu:8.2f} s CPU {wall:8.2f} s {1e9 * cpu / designs / states:8.0f} ns a state "
          f"{1e-9 * largest:6.2f} GB")  # fmt: skip


def main(robot: str, designs: int, states: int) -> None:
    """Each way in turn, in a process of its own."""
    warnings.simplefilter("ignore")
    Case(robot, min(designs, 50), max(states, 50)).check()
    print(f"{robot}: designs × states, configuration and inverse dynamics", flush=True)
    for way in WAYS:
        number = designs if way != "repeated" else max(designs // 10, 2)
        given = [robot, "--way", way, "--designs", str(number), "--states", str(states)]
        subprocess.run([sys.executable, __file__, *given], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robot", nargs="?", default="pedrammehr2012")
    parser.add_argument("--designs", type=int, default=10_000)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--way", choices=WAYS, help="this one alone")
    parser.add_argument("--tiny", action="store_true", help="the smallest case, in seconds")
    options = parser.parse_args()
    size = (20, 50) if options.tiny else (options.designs, options.states)
    if options.way is not None:
        measure(options.robot, options.way, *size)
    else:
        main(options.robot, *size)
