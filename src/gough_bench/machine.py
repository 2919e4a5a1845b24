"""What the figures were measured on, and with which versions."""

import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gough.backends.llvm.target import host

PACKAGES = tuple(
    "gough numpy llvmlite pin cmeel-eigen mujoco mujoco-mjx mujoco-warp drake exudyn casadi jax cupy-cuda12x".split()
)


def machine() -> dict[str, Any]:
    """CPU, cores this process may use, lanes, system, date, versions of what is installed."""
    import llvmlite.binding as llvm

    target = host()
    return {
        "cpu": cpu_name(),
        "llvm_cpu": llvm.get_host_cpu_name(),
        "cores": cores(),
        "lanes": target.lanes,
        "system": f"{platform.system()} {platform.machine()}",
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
    }


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu_name() -> str:
    """The CPU's name as its maker gives it, as far as the system tells."""
    if sys.platform.startswith("linux"):
        try:
            for line in Path("/proc/cpuinfo").read_text().splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
        except OSError:
            pass
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
