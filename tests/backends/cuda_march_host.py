"""The text of a GPU's time loop, compiled for the CPU by a C++ compiler: the same arithmetic, one run after the other."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from gough.backends.cuda.march.runtime import ARGUMENTS
from inner.backends import CudaMarch

COMPILER = shutil.which("g++") or shutil.which("c++")
FLAGS = ("-std=c++17", "-O0", "-w", "-ffp-contract=off", "-mfma", "-shared", "-fPIC", "-DGOUGH_HOST", "-DBLOCK=1")
ENTRY = 'extern "C" void run(const Arguments* a, long long tile) { blockIdx.x = (unsigned)tile; march(*a); }\n'


class HostMarchKernel:
    """Stands in for `MarchKernel`. launch: turns of one launch; several must give what one gives. flags: of the compiler
    besides; -DGOUGH_BACKWARDS runs the threads of a team in the other order."""

    def __init__(self, signature: dict, source: str, launch: int = 1 << 40, flags: tuple[str, ...] = ()) -> None:
        self.signature, self.launch = signature, launch
        with tempfile.TemporaryDirectory() as folder:
            text, library = Path(folder) / "march.cpp", Path(folder) / "march.so"
            text.write_text(source + ENTRY)
            assert COMPILER is not None
            subprocess.run([COMPILER, *FLAGS, *flags, "-o", str(library), str(text)], check=True, capture_output=True)
            self._library = ctypes.CDLL(str(library))

    free_bytes = 1 << 28

    def run(self, state, steps, table, given, own, every, first, tick=None):
        """See `MarchKernel.run`."""
        s, runs = self.signature, len(state)
        rows = max(steps - first + every, 0) // every
        x, mine = np.array(state, dtype=float), np.ascontiguousarray(own, dtype=float)
        record = np.full((rows, runs, s["record"]), np.nan)
        far = np.full((runs, max(s["far"], 1)), np.nan)
        failed, status = np.full(runs, -1, dtype=np.int64), np.zeros(runs, dtype=np.uint32)
        numbers, each = np.ascontiguousarray(table), np.ascontiguousarray(given)
        a = np.zeros(1, dtype=ARGUMENTS)
        a["every"], a["tiles"], a["stride"] = every, runs, 0 if len(each) == 1 else each.shape[1]
        for name, array in (("state", x), ("far", far), ("own", mine), ("table", numbers)):
            a[name] = array.ctypes.data
        a["failed"], a["status"] = failed.ctypes.data, status.ctypes.data
        done = 0
        while done < steps:
            chunk = min(self.launch, steps - done)
            written = max(done - first + every, 0) // every
            a["steps"], a["done"], a["first"] = chunk, done, first + written * every - done
            a["given"] = each.ctypes.data + 8 * int(a["stride"][0]) * done
            a["record"] = record.ctypes.data + 8 * written * runs * s["record"]
            for k in range(runs):
                self._library.run(ctypes.c_void_p(a.ctypes.data), ctypes.c_longlong(k))
            done += chunk
            if tick is not None:
                tick(done)
        return x, record, failed, status.astype(np.int64)


def on_host(march: CudaMarch, launch: int = 1 << 40, flags: tuple[str, ...] = ()) -> CudaMarch:
    """The same loop, run by the CPU."""
    march.__dict__["kernel"] = HostMarchKernel(march.signature, march.source, launch, flags)
    return march
