"""Cells of a memory that say nothing are left out, with the inputs that only they read."""

from __future__ import annotations

import numpy as np

from inner.program import Slot, drop_idle_cells, trace


def test_cells_that_stay_or_that_nothing_reads_are_left_out() -> None:
    def equations(x, unread, stays, counts, sums):
        return {
            "y": x + sums,
            "stays_after": stays,
            "counts_after": counts + 1.0,
            "sums_after": sums + x + stays[::-1],
        }

    slots = tuple(Slot(name, (2,)) for name in ("x", "unread", "stays", "counts", "sums"))
    program = drop_idle_cells(trace(equations, slots), {name: f"{name}_after" for name in ("stays", "counts", "sums")})
    assert [slot.name for slot in program.outputs] == ["y", "sums_after"]
    assert [slot.name for slot in program.inputs] == ["x", "stays", "sums"]
    found = program.evaluate_flat(np.array([1.0, 2.0, 10.0, 20.0, 100.0, 200.0]))
    assert found.tolist() == [101.0, 202.0, 121.0, 212.0]
