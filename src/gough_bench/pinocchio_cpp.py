"""Pinocchio through its own C++ harness: the best inverse route that can be written by hand, and constraintDynamics."""

import os
import platform
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gough_bench.harness_peer import (
    BuildError,
    HarnessPeer,
    compiler,
    file_row,
    is_built,
    kept_executable,
    run_compiler,
)
from gough_bench.peer import Case
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
    target = kept_executable("pinocchio_harness", command, [here / s for s in SOURCES])
    if is_built(target):
        return target
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / "harness"
        run_compiler([*command, str(here / SOURCES[0]), "-o", str(made)])
        made.chmod(0o700)
        made.replace(target)  # whole or not at all, also with several processes
    return target


# ---- the robot and its states as the files the harness reads


def leg_lines(tree: Tree) -> list[str]:
    """The legs of the inverse route, or [] where the robot is not six legs of three one-freedom joints with a ball."""
    model = tree.model
    mechanism = model.mechanism
    if not (mechanism.leads_from_platform and len(mechanism.drives) == 6):
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
        lines.append(" ".join(["leg", *map(str, numbers), file_row(tip_p), file_row(on_platform), str(driven[0])]))
    return lines if len(lines) == 6 and len(tree.joints) == 19 else []


def write_robot(tree: Tree, path: Path) -> None:
    """The robot as text: gravity, joints, legs of the inverse route, constraints of the forward route."""
    model = tree.model
    lines = [f"gravity {file_row(tree.gravity)}"]
    for j in tree.joints:
        numbers = file_row(j.p, j.R, j.mass, j.center, j.tensor, j.rotor)
        lines.append(f"joint {j.parent} {j.kind} {numbers}")
    lines += leg_lines(tree)
    if not lacking_in_trees(model):
        for c in closures(tree):
            lines.append(f"{c.kind} {c.first} {file_row(c.p1, c.R1)} {c.second} {file_row(c.p2, c.R2)}")
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


# ---- the peers

CALLS = {"inverse": "rnea, leg Jacobians, 6 x 6 solve", "forward": "constraintDynamics", "loops": "lcaba"}


class PinocchioCpp(HarnessPeer):
    """The inverse route by hand, the forward route by constraintDynamics."""

    name = "Pinocchio C++"
    threads = True

    @property
    def call(self) -> str:  # type: ignore[override]
        """What is timed."""
        return CALLS[self._route]

    _route = "inverse"
    _forward = "forward"

    def take_function(self, function: str) -> None:
        self._route = "inverse" if function == "inverse_dynamics" else self._forward

    def available(self) -> str:
        return missing_tools()

    def prepare(self, case: Case) -> str:
        reason = lacking_in_trees(case.model)
        if reason:
            return reason
        self._case, self._tree = case, Tree(case.model)
        self.take_function(case.function)
        if self._route == "inverse" and not leg_lines(self._tree):
            return "its inverse route is written for six legs of three one-freedom joints with a ball at the tip"
        try:
            executable = harness()
        except BuildError as error:
            return str(error)
        place = self._make_folder()
        write_robot(self._tree, place / "robot.txt")
        write_states(self._tree, case.states, place / "states.bin")
        self._start(executable)
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


class PinocchioCppLoops(PinocchioCpp):
    """The same with lcaba, the articulated-body algorithm of closed loops."""

    functions = ("forward_dynamics",)
    tolerance, remark = PinocchioLoops.tolerance, PinocchioLoops.remark
    _route = _forward = "loops"
