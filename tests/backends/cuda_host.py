"""The text of a GPU kernel, compiled for the CPU by a C++ compiler: the same arithmetic, one thread a block."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from gough.backends.cuda.runtime import StateKernel

COMPILER = shutil.which("g++") or shutil.which("c++")


class HostKernel:
    """A kernel's text as a CPU function."""

    def __init__(self, kernel, options: tuple[str, ...] = ()) -> None:
        self.kernel = kernel
        self.runtime = StateKernel(kernel.signature, kernel.source)
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder) / "kernel.cpp", Path(folder) / "kernel.so"
            source.write_text(kernel.source + '\nextern "C" void run(const Arguments* a) { states(*a); }\n')
            flags = ["-std=c++17", "-O0", "-ffp-contract=off", "-mfma", "-shared", "-fPIC", "-DGOUGH_HOST", "-DBLOCK=1"]
            assert COMPILER is not None
            subprocess.run(
                [COMPILER, *flags, *options, "-o", str(library), str(source)], check=True, capture_output=True
            )
            self._library = ctypes.CDLL(str(library))

    def __call__(self, inputs: list[np.ndarray], n: int) -> tuple[list[np.ndarray], np.ndarray]:
        """(outputs (n, size) per slot, status words (n,)) for rows (n, size) or (1, size) per input slot."""
        signature, dtype = self.kernel.signature, self.runtime.dtype
        rows = {s["name"]: x for s, x in zip(signature["inputs"], inputs, strict=True)}
        uniform = self.runtime.uniform_values({s["name"]: rows[s["name"]] for s in signature["inputs"] if s["uniform"]})
        outputs = [np.full((n, int(np.prod(s["shape"], dtype=int))), np.nan, dtype) for s in signature["outputs"]]
        varying = {name: rows[name].astype(dtype, copy=False) for name in signature["varying"]}
        return outputs, self.fill(varying, uniform, n, outputs)

    def fill(self, rows: dict[str, np.ndarray], uniform: np.ndarray, n: int, outputs: list[np.ndarray]) -> np.ndarray:
        """Fill `outputs` from rows of the varying slots; returns the status words."""
        signature, size = self.kernel.signature, self.runtime.dtype.itemsize
        status, flagged = np.zeros(n, np.uint32), np.zeros(1, np.uint32)
        a = np.zeros(1, dtype=self.runtime._arguments)
        for k, name in enumerate(signature["varying"]):
            x = rows[name]
            a["in"][0, k] = x.ctypes.data
            a["row"][0, k] = 0 if len(x) == 1 else x.strides[0] // size
            a["entry"][0, k] = x.strides[1] // size
        for k, x in enumerate(outputs):
            a["out"][0, k] = x.ctypes.data
        a["n"], a["status"], a["flagged"] = n, status.ctypes.data, flagged.ctypes.data
        if signature["by_value"]:
            a["uniform"][0, : len(uniform)] = uniform
        else:
            a["uniform"] = uniform.ctypes.data
        self._library.run(ctypes.c_void_p(a.ctypes.data))
        assert int(flagged[0]) == np.count_nonzero(status)
        return status
