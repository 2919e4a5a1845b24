"""Kernels that reduce over the states of a design: their text on the CPU, beside closed forms and NumPy's linear algebra."""

from typing import Any

import numpy as np
import pytest
from tests.backends.cuda_host import COMPILER
from tests.backends.cuda_nvrtc import compiled, library
from tests.backends.cuda_reduced_host import HostReduced

from gough.errors import Status, UsageError
from gough.program import Slot, trace
from gough.scalar import check, sin, sqrt
from inner.backends import ReducedKernel, fronts, reductions

CONDITION, ENTRIES = reductions.CONDITION, reductions.ENTRIES
MeasuredPart, ReducedMeasure = reductions.MeasuredPart, reductions.ReducedMeasure
SHORT = Status.OUT_OF_REACH.at("rod")
ROWS = np.random.default_rng(3).uniform(-1.0, 1.0, (23, 2))
WEIGHTS = np.random.default_rng(4).uniform(0.1, 1.0, 23)
HOWS = ("peak", "largest", "smallest", "sum", "gain", "rms", "range")


def swinging(design, state) -> dict[str, Any]:
    """Two entries, a slot for each measure, of a rod that must be longer than the state says."""
    length, turn = design
    check(SHORT, length - state[0], 0.0)
    entries = np.array([sqrt(length - state[0]) * state[1], sin(length * turn) + state[1]])
    return dict.fromkeys(HOWS, entries)


def rod_kernel():
    program = trace(swinging, (Slot("design", (2,)), Slot("state", (2,))), "rod")
    part = MeasuredPart(ENTRIES, (2,))
    return ReducedKernel(program, ("design",), [ReducedMeasure(how, how, (part,)) for how in HOWS])


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("rows", [None, 5, 1])
def test_reductions_are_those_of_the_closed_form(rows):
    kernel = rod_kernel()
    designs = np.random.default_rng(5).uniform([1.2, -2.0], [2.0, 2.0], (40, 2))
    table = kernel.table({"state": ROWS}, np.repeat(WEIGHTS[:, None], len(HOWS), axis=1))
    found, status = HostReduced(kernel)(designs, table, rows)
    length, turn = designs.T[:, :, None]
    first = np.sqrt(length - ROWS[:, 0]) * ROWS[:, 1]
    x = np.stack([first, np.sin(length * turn) + ROWS[:, 1] + 0 * first], axis=2)
    w = WEIGHTS[:, None]
    expected = {
        "peak": np.abs(x).max(axis=(1, 2)),
        "largest": x.max(axis=(1, 2)),
        "smallest": x.min(axis=(1, 2)),
        "sum": (x * w).sum(axis=(1, 2)),
        "gain": (np.maximum(x, 0.0) * w).sum(axis=(1, 2)),
        "rms": np.sqrt((x**2 * w).sum(axis=1)).max(axis=1),
        "range": np.ptp(x, axis=1).max(axis=1),
    }
    assert not status.any()
    assert np.allclose(found, np.stack([expected[how] for how in HOWS], axis=1), rtol=1e-13, atol=1e-13)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_a_state_that_fails_marks_its_design_alone():
    kernel = rod_kernel()
    designs = np.array([[1.5, 0.1], [ROWS[7, 0] - 1e-3, 0.1], [ROWS[:, 0].max() + 1e-3, 0.1], [np.nan, 0.1]])
    table = kernel.table({"state": ROWS}, np.ones((len(ROWS), len(HOWS))))
    _, status = HostReduced(kernel)(designs, table)
    bit = 1 << kernel.bits.index(str(SHORT))
    assert [bool(word & bit) for word in status] == [False, True, False, True]
    assert status[0] == 0 == status[2]


def matrices():
    """Wide ones, square ones, with equal values, nearly singular, singular, of other sizes."""
    rng = np.random.default_rng(8)
    for rows, columns in ((6, 6), (3, 6), (2, 2), (1, 3)):
        found = [rng.normal(size=(rows, columns)) for _ in range(40)]
        u, _, v = np.linalg.svd(found[0], full_matrices=False)
        lists = [np.ones(rows), np.geomspace(1.0, 1e-5, rows), np.append(np.ones(rows - 1), 0.3)]
        lists += [np.repeat([2.0, 0.5], [rows - rows // 2, rows // 2])]
        found += [u @ np.diag(s) @ v for s in lists] + [1e3 * np.eye(rows, columns), found[1] * 1e-8]
        yield rows, columns, np.array(found)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("case", range(4))
def test_conditions_are_those_of_singular_values(case):
    rows, columns, given = list(matrices())[case]
    program = trace(
        lambda matrix, state: {"a": matrix + 0.0 * state}, (Slot("matrix", (rows, columns)), Slot("state", (1,))), "m"
    )
    kernel = ReducedKernel(
        program, ("matrix",), [ReducedMeasure("a", "smallest", (MeasuredPart(CONDITION, (rows, columns)),))]
    )
    table = kernel.table({"state": np.ones((1, 1))}, np.ones((1, 1)))
    found, status = HostReduced(kernel)(given.reshape(len(given), -1), table)
    s = np.linalg.svd(given, compute_uv=False)
    expected = s[:, -1] / (s[:, 0] if rows > 1 else np.maximum(s[:, 0], 1.0))
    assert not status.any()
    assert np.abs(found[:, 0] ** 2 - expected**2).max() < 1e-14  # squares are found, to rounding


def test_matrices_of_nothing_are_flagged():
    program = trace(lambda matrix: {"a": matrix}, (Slot("matrix", (2, 2)),), "m")
    kernel = ReducedKernel(program, ("matrix",), [ReducedMeasure("a", "smallest", (MeasuredPart(CONDITION, (2, 2)),))])
    if COMPILER is not None:
        given = np.array([[0.0, 0, 0, 0], [np.nan, 0, 0, 1], [1.0, 0, 0, 1]])
        _, status = HostReduced(kernel)(given, kernel.table({}, np.ones((1, 1))))
        assert [bool(word) for word in status] == [True, True, False]


def test_what_cannot_be_reduced_is_said():
    program = trace(lambda x: {"a": x}, (Slot("x", (2,)),), "m")
    part = MeasuredPart(ENTRIES, (2,))
    with pytest.raises(UsageError, match="no reduction 'median'"):
        ReducedKernel(program, ("x",), [ReducedMeasure("a", "median", (part,))])
    with pytest.raises(UsageError, match="an output slot for each part"):
        ReducedKernel(program, ("x",), [ReducedMeasure("a", "peak", (part, part))])


@pytest.mark.skipif(library() is None, reason="no NVRTC")
def test_nvrtc_compiles_the_text():
    options = ("--gpu-architecture=sm_90", "-std=c++17", "--fmad=false")
    assert compiled(library(), rod_kernel().source, options)
    assert compiled(library(), fronts.beaten_text(3), options)
