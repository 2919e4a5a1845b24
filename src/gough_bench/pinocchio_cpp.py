"""Pinocchio through its own C++ harness: the best inverse route that can be written by hand, and constraintDynamics."""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gough.backends.cache import cache_folder, make_own_folder, reason_for_distrust
from gough.errors import GoughError
from gough_bench.machine import cpu_name
from gough_bench.peer import Case, Peer
from gough_bench.pinocchio import LOOP_ITERATIONS, LOOP_STEP, Coordinates, PinocchioLoops, drive_forces, proximal
from gough_bench.states import PeerStates
from gough_bench.tree import Tree, closures, lacking_in_trees

# ---- building the harness: which headers, which flags, where the executable is kept

SOURCES = ("pinocchio_harness.cpp", "pinocchio_joints.hpp")
FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-pthread")
NARROW = ("-mno-avx512f",)
"""Also on x86: with 512-bit vectors Eigen's small matrices run slower (constraintDynamics by a fifth on an Ice Lake)."""
DEFINED = (
    "BOOST_MPL_LIMIT_LIST_SIZE=30",  # these four are what the library's own build files define
    "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "BOOST_FUSION_INVOKE_MAX_ARITY=12",
    "BOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT",  # the harness' joint collection has no mimic joint to get
)
HEADERS = {
    "pinocchio/algorithm/loop-constrained-aba.hpp": "pip install 'pin>=4.1'",
    "boost/variant.hpp": "pip install cmeel-boost",
    "Eigen/Core": "pip install cmeel-eigen",
}
"""What the harness includes, and the wheels that carry it."""


class BuildError(GoughError):
    """The harness does not compile."""


def compiler() -> str:
    """The C++ compiler, "" where there is none."""
    return shutil.which(os.environ.get("CXX", "g++")) or shutil.which("clang++") or ""


def folders() -> list[Path]:
    """Folders that may hold the headers: of wheels in this environment, of the path, of the system."""
    roots = [Path(p) for p in sys.path if p] + [Path(sys.prefix)]
    found = find_spec("pinocchio")
    if found is not None and found.origin:
        roots.append(Path(found.origin).parents[4])
    prefixes = [root / "cmeel.prefix" for root in roots] + [Path("/usr"), Path("/usr/local"), Path(sys.prefix)]
    prefixes += [Path(p) for p in os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep) if p]
    places = [place for p in prefixes for place in (p / "include", p / "include" / "eigen3")]
    return list(dict.fromkeys(p for p in places if p.is_dir()))


def missing_tools() -> str:
    """What is to be installed before the harness can be built; "" where nothing is."""
    lacking = []
    if not compiler():
        lacking.append("a C++17 compiler (g++ or clang++, or set CXX)")
    if os.name == "nt":
        return "the C++ harness is built on Linux and macOS only"
    places = folders()
    lacking += [
        f"{header} (`{how}`)" for header, how in HEADERS.items() if not any((p / header).exists() for p in places)
    ]
    return "not found: " + ", ".join(lacking) if lacking else ""


def include_folders() -> list[Path]:
    """The first folder with each header."""
    places = folders()
    return list(dict.fromkeys(next(p for p in places if (p / header).exists()) for header in HEADERS))


def harness() -> Path:
    """The executable, built now or before; building takes minutes. BuildError with the compiler's words."""
    here = Path(__file__).parent
    narrow = NARROW if platform.machine().lower() in ("x86_64", "amd64") else ()
    command = [compiler(), *FLAGS, *narrow, *(f"-D{d}" for d in DEFINED), *(f"-I{p}" for p in include_folders())]
    text = "\n".join([*command, cpu_name(), _cpu_flags(), *((here / s).read_text() for s in SOURCES)])
    target = executables_folder() / f"pinocchio_harness_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if target.exists() and not reason_for_distrust(target):
        return target
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / "harness"
        done = subprocess.run([*command, str(here / SOURCES[0]), "-o", str(made)], capture_output=True, text=True)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            raise BuildError("the C++ harness does not compile: " + "; ".join(errors[:3]))
        made.chmod(0o700)
        made.replace(target)  # whole or not at all, also with several processes
    return target


def executables_folder() -> Path:
    """Where executables are kept: beside the compiled programs, or in a temporary folder of this process where that cannot be
    written or others could have written there."""
    folder = cache_folder()
    if folder is not None and not reason_for_distrust(folder / "bench"):
        folder = folder / "bench"
        with suppress(OSError):
            make_own_folder(folder)
            if os.access(folder, os.W_OK):
                return folder
    return Path(_temporary().name)


@cache
def _temporary() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="gough-bench-")


def _cpu_flags() -> str:
    """-march=native means this CPU: its features are part of the executable's key."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line for line in lines if line.startswith(("flags", "Features")))
    except (OSError, StopIteration):
        return platform.machine()


# ---- the robot and its states as the files the harness reads


def leg_lines(tree: Tree) -> list[str]:
    """The legs of the inverse route, or [] where the robot is not six legs of three one-freedom joints with a ball."""
    model = tree.model
    mechanism = model.mechanism
    if not (mechanism.has_platform and mechanism.selection.leads_from_platform and len(mechanism.drives) == 6):
        return []
    lines = []
    for cut in mechanism.cuts:
        tip, _, tip_p = tree.frame(cut.first, cut.on_first)
        platform, _, on_platform = tree.frame(cut.second, cut.on_second)
        numbers, driven, at = [tip], [], tree.joints[tip - 1].parent
        while at:
            numbers.insert(0, at)
            at = tree.joints[at - 1].parent
        driven = [k for k, j in enumerate(numbers) if tree.joints[j - 1].link.drive is not None]
        single = all(tree.joints[j - 1].kind[0] in "RP" for j in numbers)
        if not (cut.type == "spherical" and platform == 1 and len(numbers) == 3 and single and len(driven) == 1):
            return []
        lines.append(" ".join(["leg", *map(str, numbers), _row(tip_p), _row(on_platform), str(driven[0])]))
    return lines if len(lines) == 6 and len(tree.joints) == 19 else []


def write_robot(tree: Tree, path: Path) -> None:
    """The robot as text: gravity, joints, legs of the inverse route, constraints of the forward route."""
    model = tree.model
    lines = [f"gravity {_row(tree.gravity)}"]
    for j in tree.joints:
        numbers = _row(j.p, j.R, j.mass, j.center, j.tensor, j.rotor)
        lines.append(f"joint {j.parent} {j.kind} {numbers}")
    lines += leg_lines(tree)
    if not lacking_in_trees(model):
        for c in closures(tree):
            lines.append(f"{c.kind} {c.first} {_row(c.p1, c.R1)} {c.second} {_row(c.p2, c.R2)}")
        mu, iterations = proximal(model)
        lines.append(f"proximal {mu} {iterations} {LOOP_STEP} {LOOP_ITERATIONS}")
    path.write_text("\n".join(lines) + "\n")


def write_states(tree: Tree, states: PeerStates, path: Path) -> None:
    """The states as the harness reads them."""
    where = Coordinates(tree)
    n = len(states)
    q, rates = where.positions(states.q), where.rates(states.q, states.u)
    forces = where.forces(states.q, drive_forces(tree.model, states.tau))
    twist, acceleration = np.zeros((n, 6)), np.zeros((n, 6))
    if tree.model.mechanism.has_platform:
        twist, acceleration = states.u[:, :6], states.ud[:, :6]
    with path.open("wb") as file:
        np.array([n, q.shape[1], rates.shape[1]], dtype=np.int64).tofile(file)
        for block in (q, twist, acceleration, rates, forces):
            np.ascontiguousarray(block, dtype=float).tofile(file)


def _row(*values: object) -> str:
    return " ".join(f"{float(x):.17g}" for value in values for x in np.ravel(np.asarray(value, dtype=float)))


# ---- the peers

CALLS = {"inverse": "rnea, leg Jacobians, 6 x 6 solve", "forward": "constraintDynamics", "loops": "lcaba"}


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
        return CALLS[self._route]

    _route = "inverse"
    _forward = "forward"

    def available(self) -> str:
        return missing_tools()

    def prepare(self, case: Case) -> str:
        reason = lacking_in_trees(case.model)
        if reason:
            return reason
        self._case, self._tree = case, Tree(case.model)
        self._route = "inverse" if case.function == "inverse_dynamics" else self._forward
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


class PinocchioCppLoops(PinocchioCpp):
    """The same with lcaba, the articulated-body algorithm of closed loops."""

    functions = ("forward_dynamics",)
    remark = PinocchioLoops.remark
    _route = _forward = "loops"
