"""Building the C++ harness: which headers, which flags, where the executable is kept."""

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

from gough.backends.cache import cache_folder, distrusted, make_own_folder
from gough.errors import GoughError
from gough_bench.machine import cpu_name

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
    "pinocchio/algorithm/rnea.hpp": "pip install pin",
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


def missing() -> str:
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
    target = kept_in() / f"pinocchio_harness_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if target.exists() and not distrusted(target):
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


def kept_in() -> Path:
    """Where executables are kept: beside the compiled programs, or in a temporary folder of this process where that cannot be
    written or others could have written there."""
    folder = cache_folder()
    if folder is not None and not distrusted(folder / "bench"):
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
