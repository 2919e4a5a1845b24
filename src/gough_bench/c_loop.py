"""C sources with a loop over states around a function of one state: compiled, loaded, called on arrays."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", "-w")


def c_compiler() -> str:
    """The C compiler, "" where there is none."""
    return shutil.which(os.environ.get("CC", "gcc")) or shutil.which("clang") or ""


class CLoop:
    """`int evaluate_all(double** rows, long long n)` of a source file on fixed arrays (n, k), inputs then outputs."""

    def __init__(self, source: Path, arrays: Sequence[np.ndarray], states: int) -> None:
        library = source.with_suffix(".so")
        command = [c_compiler(), *FLAGS, source.name, "-o", library.name, "-lm"]
        done = subprocess.run(command, cwd=source.parent, capture_output=True, text=True)
        self.problem = f"its C does not compile: {(done.stderr or ' ').splitlines()[0]}" if done.returncode else ""
        if not self.problem:
            self._evaluate = ctypes.CDLL(str(library)).evaluate_all
            self._arrays = tuple(arrays)  # keeps them alive
            self._rows = (ctypes.c_void_p * len(arrays))(*[x.ctypes.data for x in arrays])
            self._states = ctypes.c_longlong(states)

    def __call__(self) -> int:
        """Evaluate all states; 0 where none failed."""
        return self._evaluate(self._rows, self._states)
