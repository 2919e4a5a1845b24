"""The text of a reduced kernel, compiled for the CPU by a C++ compiler: the same arithmetic, one thread a block."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
from tests.backends.cuda_host import COMPILER


class HostReduced:
    """A reduced kernel's text as a CPU function: one call at a time, for its shared memory and its thread's number are static."""

    def __init__(self, kernel, optimised: bool = False) -> None:
        self.kernel = kernel
        self._alone = threading.Lock()
        self.runtime = kernel.runtime
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder) / "kernel.cpp", Path(folder) / "kernel.so"
            source.write_text(kernel.source + '\nextern "C" void run(const Arguments* a) { reduced(*a); }\n')
            flags = ["-std=c++17", "-ffp-contract=off", "-mfma", "-shared", "-fPIC", "-DGOUGH_HOST", "-DBLOCK=1"]
            assert COMPILER is not None
            command = [COMPILER, "-O1" if optimised else "-O0", *flags, "-o", str(library), str(source)]
            subprocess.run(command, check=True, capture_output=True)
            self._library = ctypes.CDLL(str(library))

    def __call__(
        self, designs: np.ndarray, table: np.ndarray, rows: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(measures (n, m), status words (n,)); rows: of states that are looked at together."""
        n = len(designs)
        out, status = np.full((n, self.kernel.signature["measures"]), np.nan), np.full(n, 77, dtype=np.uint32)
        a: Any = np.zeros(1, dtype=self.runtime.arguments)
        a["n"], a["states"], a["rows"] = n, len(table), rows or len(table)
        arrays = {"status": status, "designs": np.ascontiguousarray(designs), "table": table, "out": out}
        for name, x in arrays.items():
            a[name] = x.ctypes.data
        with self._alone:
            self._library.run(ctypes.c_void_p(a.ctypes.data))
        return out, status
