"""Sines and cosines of exported controllers, against 40-digit values: last places over the range, none beyond it."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from backends.compiled_c import compile_c, needs_compiler
from export.controllers import CLEAN
from inner.backends import with_own_sines

pytestmark = needs_compiler
PLACES = {"double": 1.5, "single": 2.0}
"""Units in the last place."""


def table(precision: str, folder: Path, x: np.ndarray) -> np.ndarray:
    """(sine, cosine) of angles, (n, 2)."""
    real, f = ("float", "f") if precision == "single" else ("double", "")
    text = f"const {real} s = sin{f}(x[k]); /* sin(x) stays in comments */\n y[2 * k] = s;\n y[2 * k + 1] = cos{f}(x[k]);\n"
    body = f"void all(int n, const {real} *x, {real} *y) {{\nfor (int k = 0; k < n; ++k) {{\n{text}}}\n}}\n"
    heads = f"#include <math.h>\n#include <stdint.h>\nvoid all(int n, const {real} *x, {real} *y);\n"
    (folder / "all.c").write_text(heads + with_own_sines(body, precision))
    compile_c(folder, *CLEAN, "-O2", "-fPIC", "-shared", "all.c", "-o", "all.so")
    y = np.zeros((len(x), 2), dtype=x.dtype)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (x, y)]
    ctypes.CDLL(str(folder / "all.so")).all(len(x), *pointers)
    return y


@pytest.mark.parametrize("precision", PLACES)
def test_last_places(precision: str, tmp_path: Path) -> None:
    kind, far = (np.float32, 8192.0) if precision == "single" else (np.float64, 1e6)
    rng = np.random.default_rng(1)
    spread = [rng.uniform(-size, size, 500) for size in (1e-8, 0.1, 1.0, 4.0, 100.0, far)]
    quarters = np.pi / 2 * np.arange(-40, 41)  # a unit of the last place beside which is nothing of an angle
    x = np.concatenate([*spread, quarters, [0.0, -0.0, far, -far]]).astype(kind)
    found, worst = table(precision, tmp_path, x), 0.0
    with mp.workdps(40):
        for angle, row in zip(x, found, strict=True):
            truths: list[Any] = [mp.sin(float(angle)), mp.cos(float(angle))]
            for value, truth in zip(row, truths, strict=True):
                # of a value near 0, the last place of 1e-3 of it: what a joint's angle is known to is more
                unit = float(np.spacing(kind(max(abs(float(truth)), 1e-3))))
                apart = abs(mp.mpf(float(value)) - truth)
                worst = max(worst, float(apart) / unit)
    assert worst < PLACES[precision]
    assert (found[-4:-2] == [0.0, 1.0]).all()


@pytest.mark.parametrize("precision", PLACES)
def test_no_number_is_none(precision: str, tmp_path: Path) -> None:
    kind = np.float32 if precision == "single" else np.float64
    x = np.array([np.nan, np.inf, -np.inf, 1.1e6, -1e30], dtype=kind)
    assert np.isnan(table(precision, tmp_path, x)).all()
