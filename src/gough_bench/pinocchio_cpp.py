"""Pinocchio through its own C++ harness: the best inverse route that can be written by hand, and constraintDynamics."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from gough.errors import GoughError
from gough_bench.closures import not_a_tree
from gough_bench.peer import Case, Peer
from gough_bench.pinocchio_build import BuildError, harness, missing
from gough_bench.pinocchio_files import Coordinates, leg_lines, write_robot, write_states
from gough_bench.tree import Tree


class PinocchioCpp(Peer):
    """States are evaluated one after the other inside the harness; nothing but the evaluation is timed."""

    name = "Pinocchio C++"
    threads = True

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory | None = None
        self._process: subprocess.Popen | None = None
        self._per_state: dict[int, float] = {}

    @property
    def call(self) -> str:  # type: ignore[override]
        """What is timed."""
        return "rnea, leg Jacobians, 6 x 6 solve" if self._route == "inverse" else "constraintDynamics"

    _route = "inverse"

    def available(self) -> str:
        return missing()

    def prepare(self, case: Case) -> str:
        reason = not_a_tree(case.model)
        if reason:
            return reason
        self._case, self._tree = case, Tree(case.model)
        self._route = "inverse" if case.function == "inverse_dynamics" else "forward"
        if self._route == "inverse" and not leg_lines(self._tree):
            return "its inverse route is written for six legs of three one-freedom joints with a ball at the tip"
        try:
            executable = harness()
        except BuildError as error:
            return str(error)
        self._folder = tempfile.TemporaryDirectory(prefix="gough-bench-")
        self._place = Path(self._folder.name)
        write_robot(self._tree, self._place / "robot.txt")
        write_states(self._tree, case.states, self._place / "states.bin")
        command = [str(executable), str(self._place / "robot.txt"), str(self._place / "states.bin")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return ""

    def answers(self) -> np.ndarray:
        self._ask(f"write {self._route} {self._place / 'answers.bin'}")
        states, mechanism = self._case.states, self._case.model.mechanism
        found = np.fromfile(self._place / "answers.bin").reshape(len(states), -1)
        if self._route == "inverse":
            order = [mechanism.links[cut.first].leg for cut in mechanism.cuts]
            drives = [next(d for d in mechanism.drives if mechanism.links[d.link].leg == leg) for leg in order]
            out = np.empty_like(found)
            for k, drive in enumerate(drives):
                out[:, mechanism.drives.index(drive)] = mechanism.links[drive.link].sign * found[:, k]
            return out
        second = Coordinates(self._tree).accelerations(states.q, states.u, found)
        return second[:, list(mechanism.selection.independent)]

    def seconds(self, budget: float, threads: int = 1) -> float:
        n = len(self._case.states)
        guess = self._per_state.get(threads, 0.0)
        repeats = max(1, round(budget / (guess * n))) if guess else 1
        took = float(self._ask(f"time {self._route} {repeats} {threads}"))
        self._per_state[threads] = took / (repeats * n)
        return took / (repeats * n * threads)

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._folder = None

    def _ask(self, line: str) -> str:
        assert self._process is not None and self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise GoughError(f"the C++ harness stopped at {line!r}: {answer or 'no answer'}")
        return answer
