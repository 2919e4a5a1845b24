"""Controllers in C, compiled and stepped with the measurements that a run recorded."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import numpy as np

import gough
from backends.compiled_c import compile_c

CLEAN = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wdouble-promotion", "-Wshadow", "-Werror")


class Controller:
    """NAME_init and NAME_step of a folder. precision: of its numbers."""

    def __init__(self, folder: Path, name: str, *flags: str) -> None:
        text = (folder / f"{name}.h").read_text()
        fields = re.search(r"typedef struct \{(.*?)\}", text, re.DOTALL)
        assert fields is not None
        found = re.findall(r"(double|float|uint64_t) (\w+)(?:\[(\d+)\])?;", fields.group(1))
        kinds = {"double": ctypes.c_double, "float": ctypes.c_float, "uint64_t": ctypes.c_uint64}
        slots = [(word, kinds[kind] * int(n) if n else kinds[kind]) for kind, word, n in found]
        self.real = np.float32 if "    float command" in text else np.float64
        self.state = type("State", (ctypes.Structure,), {"_fields_": slots})()
        self.checks = re.findall(rf"    {name.upper()}_(\w+) = (\d+),", text)
        compile_c(folder, *CLEAN, *(flags or ("-O1",)), "-fPIC", "-shared", f"{name}.c", "-lm", "-o", f"{name}.so")
        library = ctypes.CDLL(str(folder / f"{name}.so"))
        self.init, self.function = library[f"{name}_init"], library[f"{name}_step"]
        self.function.restype = ctypes.c_uint64
        self.drives = dict(slots)["command"]._length_
        self.init(ctypes.byref(self.state))

    def step(self, *inputs: Any) -> tuple[np.ndarray, int]:
        """(commands, status) of one sample."""
        command = np.full(self.drives, np.nan, dtype=self.real)
        given = [np.ascontiguousarray(x, dtype=self.real) for x in inputs]
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (*given, command)]
        status = self.function(ctypes.byref(self.state), *pointers)
        return command, status

    def run(self, *inputs: np.ndarray) -> np.ndarray:
        """Commands (n, drives) of samples one after the other, all of them good."""
        found = [self.step(*rows) for rows in zip(*inputs, strict=True)]
        assert not any(status for _, status in found), [hex(s) for _, s in found if s][:3]
        return np.array([tau for tau, _ in found])


def at_samples(run: gough.Run, period: float) -> np.ndarray:
    """Rows of a run at the samples of its controller, after what happens there."""
    count = round(run.time[-1] / period)
    return np.searchsorted(run.time, np.arange(count) * period + 1e-9, side="right") - 1


def off(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest difference, of the largest number."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
