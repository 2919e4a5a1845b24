"""Where the cells of a run lie: the busiest in shared memory, the others in memory of their own."""

from collections.abc import Mapping

from gough.backends.cuda.march._functions import Cells

Homes = dict[int, tuple[str, str, int]]
"""Of every cell: how it is read and written, and where it lies."""


def settle_cells(uses: Mapping[int | Cells, int], near: int) -> Homes:
    """Homes of cells by their accesses, the busiest in shared memory; cells of lanes lie side by side."""
    group: dict[int, Cells] = {cell: cells for cells in uses if isinstance(cells, tuple) for cell in cells}
    for cells in (cells for cells in uses if isinstance(cells, tuple)):
        if any(group[cell] != cells for cell in cells):
            raise UnevenCells
    total: dict[Cells, float] = {}
    for cells, count in uses.items():
        own = cells if isinstance(cells, tuple) else group.get(cells, (cells,))
        total[own] = total.get(own, 0) + count
    homes: Homes = {}
    left, far = near, 0
    for cells in sorted(total, key=lambda c: (-total[c] / len(c), c)):
        fits = len(cells) <= left
        first = near - left if fits else far
        get, put = ("NEAR", "KEEP") if fits else ("FAR", "PUT")
        homes |= {cell: (get, put, first + k) for k, cell in enumerate(cells)}
        left, far = (left - len(cells), far) if fits else (left, far + len(cells))
    return homes


class UnevenCells(Exception):
    """A cell belongs to two different groups of lanes."""


def accesses_of(uses: Mapping[int | Cells, int], homes: Homes) -> dict[str, int]:
    """Accesses of a run in a turn, in shared memory and beyond."""
    found = {"NEAR": 0, "FAR": 0}
    for cells, count in uses.items():
        found[homes[cells[0] if isinstance(cells, tuple) else cells][0]] += count
    return found
