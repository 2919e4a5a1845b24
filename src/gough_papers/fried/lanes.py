"""What the factorised form of [Fried] is for: six legs are alike and independent until one sum.

Counted: operations one after another if every leg had a processor of its own. Measured, where there is a C compiler: one
state of inverse dynamics as exported C, flat and with the legs in the lanes of vectors.
"""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gough import Model, Run

FUNCTION, NAME = "inverse_dynamics", "legs"
FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", "-w")
CALLS = 200


@dataclass(frozen=True)
class Lanes:
    """lanes: legs found alike, 0 where none are. once, lane: operations outside of them and of one leg. flat_ns, loops_ns: of
    one state, None without a C compiler. off: relative difference of their forces."""

    lanes: int
    once: int
    lane: int
    flat_ns: float | None = None
    loops_ns: float | None = None
    off: float = 0.0

    @property
    def by_count(self) -> float:
        """All operations over those one after another with a processor a leg."""
        return (self.once + self.lanes * self.lane) / (self.once + self.lane)

    @property
    def measured(self) -> float | None:
        """Time of flat code over that with legs in lanes."""
        return None if self.flat_ns is None or self.loops_ns is None else self.flat_ns / self.loops_ns


def lanes(run: Run) -> Lanes:
    """Of a robot, at a run's states."""
    from gough.backends.c.flat import once_and_each
    from gough.export.subject import Options, subject_of
    from gough.program import count
    from gough.program.rolling import roll
    from gough.structure.alike import common_pattern

    model = run.model
    options = Options(wrench=False, checks=False)
    program = subject_of(model, FUNCTION, options, common_pattern(model.mechanism, model.pattern)).program
    each = once_and_each(program, False)[1]
    rolled = roll(each, least=3)
    if rolled is None:
        return Lanes(0, count(each).operations, 0)
    once, lane = rolled.operations
    if not compiler():
        return Lanes(rolled.lanes, once, lane)
    states = {"q": run.q, "v": run.v, "acceleration": run.acceleration}
    flat, loops = (_time_legs(model, legs, states) for legs in ("flat", "loops"))
    off = float(np.abs(flat[1] - loops[1]).max() / np.abs(flat[1]).max())
    return Lanes(rolled.lanes, once, lane, flat[0], loops[0], off)


INERTIAL = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")


def legs_apart(model: Model, pose: np.ndarray, v: np.ndarray, acceleration: np.ndarray) -> float:
    """By how much the wrench of the drives on the platform is not the sum of what each leg alone adds, over the largest wrench.

    A leg alone: all other legs without mass. pose (n, 7), v and acceleration (n, 6).
    """
    q = model.configuration(pose=pose)
    S = model.drive_map(q)
    names = [leg.name for leg in model.robot.legs]
    massive = {leg: [n for n in model.parameter_names if n.startswith(f"{leg}.") and _inertial(n)] for leg in names}

    def wrench(kept: Sequence[str]) -> np.ndarray:
        without = {n: 0.0 for leg in names if leg not in kept for n in massive[leg]}
        tau = model.inverse_dynamics(q, v, acceleration, parameters=model.parameters_with(without)).tau
        return np.einsum("nij,nj->ni", S, tau)

    whole, bare = wrench(names), wrench(())
    apart = bare + sum((wrench([leg]) - bare for leg in names), np.zeros_like(bare))
    return float(np.abs(whole - apart).max() / np.abs(whole).max())


def _inertial(name: str) -> bool:
    """Whether a parameter is of a body's inertia, that which follows a joint too."""
    return name.rsplit(".", 1)[1].rstrip("012") in INERTIAL


def compiler() -> str:
    """The C compiler, "" where there is none."""
    return shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang") or ""


def _time_legs(model: Model, legs: str, states: dict[str, np.ndarray]) -> tuple[float, np.ndarray]:
    """(ns a state, the smallest of several; forces (n, drives))."""
    from gough.export import export

    with tempfile.TemporaryDirectory(prefix="gough-legs-") as folder:
        place = Path(folder)
        export(model, FUNCTION, place, name=NAME, baked=True, wrench=False, checks=False, legs=legs)
        found = re.search(rf"uint64_t\s+{NAME}\(([^)]*)\)", (place / f"{NAME}.h").read_text())
        names = re.findall(r"double\s+(\w+)\[", found[1]) if found else []
        n, out = len(states["q"]), len(model.layout.drive_names)
        arrays = [np.ascontiguousarray(states.get(name, np.zeros((n, out)))) for name in names]
        call = ", ".join(f"rows[{i}] + k*{x.shape[1]}" for i, x in enumerate(arrays))
        (place / "loop.c").write_text(
            f'#include "{NAME}.c"\nint all(double** rows, long long n) {{\n  uint64_t s = 0;\n'
            f"  for (long long k = 0; k < n; ++k) s |= {NAME}({call});\n  return (int)(s != 0);\n}}\n"
        )
        subprocess.run(
            [compiler(), *FLAGS, "loop.c", "-o", "loop.so", "-lm"], cwd=place, check=True, capture_output=True
        )
        run = ctypes.CDLL(str(place / "loop.so")).all
        rows = (ctypes.c_void_p * len(arrays))(*[x.ctypes.data for x in arrays])
        times = []
        for _ in range(CALLS):
            begin = time.perf_counter()
            run(rows, ctypes.c_longlong(n))
            times.append(time.perf_counter() - begin)
        return 1e9 * min(times) / n, next(x for x, name in zip(arrays, names, strict=True) if name not in states).copy()
