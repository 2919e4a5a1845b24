"""generalized_rbda (ROAM-Lab-ND): recursions over clusters of bodies that loops tie together, through a C++ harness of our own.

The library comes as source: GRBDA_SOURCE names a checkout. It is built here without its URDF reader, with CasADi's wheel,
Pinocchio's headers (which it includes) and Eigen; that takes minutes, once.
"""

import os
import platform
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gough.backends.cache import make_own_folder
from gough.files import write_file
from gough_bench.exudyn_peer import held_loops
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
from gough_bench.pinocchio import Coordinates, drive_forces
from gough_bench.pinocchio_cpp import DEFINED, FLAGS, NARROW, include_folders, missing_tools
from gough_bench.tree import Tree, lacking_in_trees

SOURCE = "GRBDA_SOURCE"
"""Environment variable with the folder of the library's checkout."""
PARTS = tuple(
    "Utils/SpatialTransforms Utils/Factorization Dynamics/Nodes/ClusterTreeNode Dynamics/TreeModel Dynamics/ClusterTreeModel "
    "Dynamics/ClusterTreeDynamics Dynamics/ClusterJoints/ClusterJoint Dynamics/ClusterJoints/LoopConstraint "
    "Dynamics/ClusterJoints/GenericJoint".split()
)
READER = ("urdf_model/pose.h", "urdf_model/link.h", "urdf_parser/urdf_parser.h")
"""Headers of the URDF reader it mentions; ours have names only."""
OWN = ("grbda_loops.hpp", "grbda_urdf.hpp")
HERE = Path(__file__).parent


class Clusters(HarnessPeer):
    """The whole robot is one cluster: its bodies are all tied by loops. Loop constraints are numeric, of our own."""

    name = "generalized_rbda C++"
    remark = "the robot is one cluster; its loop constraint and slides are ours"

    @property
    def call(self) -> str:  # type: ignore[override]
        """What is timed."""
        return "inverseDynamics, drives by LU" if self._route == "inverse" else "forwardDynamics"

    def take_function(self, function: str) -> None:
        self._route = "inverse" if function == "inverse_dynamics" else "forward"

    def available(self) -> str:
        if not (Path(os.environ.get(SOURCE, "")) / "include" / "grbda").is_dir():
            return f"not found: its source; set {SOURCE} to a checkout of github.com/ROAM-Lab-ND/generalized_rbda"
        if not find_spec("casadi"):
            return "not found: CasADi (`pip install casadi`)"
        return missing_tools()

    def prepare(self, case: Case) -> str:
        tree = Tree(case.model)
        reason = lacking_in_trees(case.model)
        if not reason and any(j.kind == "ball" for j in tree.joints):
            reason = "balls in the tree are not written for it"
        if not reason and any(j.rotor and (j.parent or j.kind[0] != "R") for j in tree.joints):
            reason = "it does not have a rotor's inertia on a joint that moves or slides"
        if reason:
            return reason
        self._case, self._tree = case, tree
        self.take_function(case.function)
        try:
            executable = grbda_harness(Path(os.environ[SOURCE]))
        except BuildError as error:
            return str(error)
        place = self._make_folder()
        write_file(place / "robot.txt", "\n".join(self._robot_lines()) + "\n")
        self._write_states(place / "states.bin")
        self._start(executable)
        return ""

    def answers(self) -> np.ndarray:
        self._ask(f"write {self._route} {self._place / 'answers.bin'}")
        states, mechanism = self._case.states, self._case.model.mechanism
        found = np.fromfile(self._place / "answers.bin").reshape(len(states), -1)
        if self._route == "inverse":
            return found * np.array([mechanism.links[d.link].sign for d in mechanism.drives])
        where = Coordinates(self._tree)
        second = where.accelerations(states.q, states.u, self._swapped(found))
        return second[:, list(mechanism.selection.independent)]

    def _swapped(self, rates: np.ndarray) -> np.ndarray:
        """(v, ω) of a free joint as (ω, v), and back."""
        if self._tree.joints[0].kind != "free":
            return rates
        return rates[:, [3, 4, 5, 0, 1, 2, *range(6, rates.shape[1])]]

    def _columns(self, columns: list[int]) -> str:
        """How many, and where columns of u stand among its rates."""
        order = Coordinates(self._tree).u
        if self._tree.joints[0].kind == "free":
            order = order[3:6] + order[:3] + order[6:]
        return " ".join(map(str, [len(columns), *(order.index(c) for c in columns)]))

    def _robot_lines(self) -> list[str]:
        tree, mechanism = self._tree, self._case.model.mechanism
        lines = [f"gravity {file_row(tree.gravity)}"]
        for j in tree.joints:
            axis = np.eye(3)[j.link.axis] if j.rotor else np.zeros(3)
            tensor = j.tensor + j.rotor * np.outer(axis, axis)
            lines.append(f"joint {j.parent} {j.kind} {file_row(j.p, j.R, j.mass, j.center, tensor)}")
        for first, second, held in held_loops(tree, self._case.model.home):
            ends = " ".join(f"{joint} {file_row(p, R)}" for joint, R, p in (first, second))
            lines.append(f"loop {ends} {' '.join(map(str, held))}")
        lines.append(f"independent {self._columns(list(mechanism.selection.independent))}")
        return [*lines, f"drives {self._columns([mechanism.links[d.link].u for d in mechanism.drives])}"]

    def _write_states(self, path: Path) -> None:
        where, states = Coordinates(self._tree), self._case.states
        q = where.positions(states.q)
        rates, second = where.rates(states.q, states.u), where.rates(states.q, states.ud)
        if where.free:
            q[:, 3:7] = q[:, [6, 3, 4, 5]]  # wxyz
            second[:, :3] -= np.cross(rates[:, 3:6], rates[:, :3])  # spatial
        forces = where.forces(states.q, drive_forces(self._case.model, states.tau))
        sizes = np.array([len(q), q.shape[1], rates.shape[1]], dtype=np.int64)
        blocks = (np.ascontiguousarray(x, dtype=float) for x in (q, *map(self._swapped, (rates, forces, second))))
        write_file(path, b"".join([sizes.tobytes(), *(x.tobytes() for x in blocks)]))


def source_commit() -> str:
    """The commit of its source that is there, in short; "" where none is known."""
    source = os.environ.get(SOURCE, "")
    if not source or not shutil.which("git"):
        return ""
    found = subprocess.run(["git", "-C", source, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


def grbda_harness(source: Path) -> Path:
    """The executable, built now or before; building takes minutes. BuildError with the compiler's words."""
    narrow = NARROW if platform.machine().lower() in ("x86_64", "amd64") else ()
    found = find_spec("casadi")
    assert found is not None and found.origin is not None
    casadi = Path(found.origin).parent
    eigen = next(p for p in include_folders() if (p / "Eigen" / "Core").exists())
    places = [source / "include", casadi / "include", *include_folders(), eigen.parent]
    command = [compiler(), *FLAGS, *narrow, *(f"-D{d}" for d in DEFINED[:4]), *(f"-I{p}" for p in places)]
    files = [*(source / "src" / f"{part}.cpp" for part in PARTS), HERE / "grbda_harness.cpp"]
    target = kept_executable("grbda_harness", command, [*files, *(HERE / name for name in OWN)])
    if is_built(target):
        return target
    place = target.with_name(f"{target.name}_parts")  # kept until all is done: a build that was stopped goes on
    make_own_folder(place)
    for header in READER:
        (place / header).parent.mkdir(exist_ok=True)
        write_file(place / header, (HERE / "grbda_urdf.hpp").read_text())
    objects = [place / f"{file.stem}.o" for file in files]
    for file, made in zip(files, objects, strict=True):
        if not made.exists():
            half = made.with_suffix(".half")
            run_compiler([*command, f"-I{place}", "-ffunction-sections", "-c", str(file), "-o", str(half)])
            half.replace(made)
    linking = ["-Wl,--gc-sections", f"-L{casadi}", "-lcasadi", f"-Wl,-rpath,{casadi}"]
    run_compiler([compiler(), "-pthread", *map(str, objects), "-o", str(place / "harness"), *linking])
    (place / "harness").chmod(0o700)
    (place / "harness").replace(target)
    shutil.rmtree(place)
    return target
