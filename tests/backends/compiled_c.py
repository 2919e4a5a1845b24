"""Generated C, compiled and called: what the tests of C text share."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from gough.errors import Failure
from inner.backends import Listing, header, source

COMPILER = shutil.which("gcc") or shutil.which("cc")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler (gcc or cc) on this machine")


def compile_c(folder: Path, *arguments: str) -> str:
    """Run the compiler in a folder; what it says. Fails the test where the compiler does."""
    done = subprocess.run([str(COMPILER), *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    return done.stdout + done.stderr


def run_driver(folder: Path, name: str, *flags: str, arguments: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
    """Compile NAME.c with its driver and run it."""
    compile_c(folder, *(flags or (*STRICT, "-O1")), f"{name}.c", f"{name}_test.c", "-lm", "-o", "driver")
    return subprocess.run([str(folder / "driver"), *arguments], cwd=folder, capture_output=True, text=True)


@dataclass
class Compiled:
    """A listing as functions of arrays."""

    listing: Listing
    library: ctypes.CDLL

    @classmethod
    def of(cls, listing: Listing, folder: Path, *flags: str) -> Compiled:
        (folder / f"{listing.name}.h").write_text(header(listing), encoding="utf-8")
        (folder / f"{listing.name}.c").write_text(source(listing), encoding="utf-8")
        compile_c(folder, *(flags or (*STRICT, "-O1")), "-fPIC", "-shared", f"{listing.name}.c", "-lm", "-o", "lib.so")
        return cls(listing, ctypes.CDLL(str(folder / "lib.so")))

    def prepare(self, *uniform: ArrayLike) -> tuple[int, np.ndarray]:
        """(what NAME_prepare returns, prepared)."""
        prepared = np.full(self.listing.prepared, np.nan)
        function = self.library[f"{self.listing.name}_prepare"]
        function.restype = ctypes.c_int
        return function(
            *[_pointer(np.array(x, dtype=float).ravel()) for x in (*uniform,)], _pointer(prepared)
        ), prepared

    def __call__(self, inputs: Mapping[str, ArrayLike]) -> tuple[np.ndarray, int]:
        """(results, flat; status word) of one state; inputs: {slot: array}."""
        signature = self.listing.signature
        kept = [np.array(inputs[a.slot.name], dtype=float).ravel() for a in signature.varying]
        if self.listing.prepared:
            code, prepared = self.prepare(*[inputs[a.slot.name] for a in signature.uniform])
            assert code == 0
            kept.append(prepared)
        outputs = [np.full(a.slot.size, np.nan) for a in signature.outputs]
        function = self.library[self.listing.name]
        function.restype = ctypes.c_uint64
        status = function(*[_pointer(x) for x in (*kept, *outputs)])
        return np.concatenate([*outputs, np.zeros(0)]), status

    def bit(self, check: str) -> int:
        """Status word in which this check alone fails."""
        return 1 << self.listing.bits.bit(Failure.parse(check))


def _pointer(x: np.ndarray) -> ctypes.Array:
    return x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))  # type: ignore[return-value]
