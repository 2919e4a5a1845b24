"""Grids of poses: what a pose stands for, and a way to all of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np


@dataclass(frozen=True, eq=False)
class PoseGrid:
    """Coordinates by name, each with its unit and its values in order; poses are counted with the last coordinate fastest."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: tuple[np.ndarray, ...]

    @property
    def cell(self) -> float:
        """What a pose stands for: the product of the steps (of a coordinate with one value 1)."""
        return float(np.prod([abs(x[1] - x[0]) for x in self.values if len(x) > 1]))

    @property
    def unit(self) -> str:
        """Of a cell, such as "m2 rad"."""
        own = [unit for unit, x in zip(self.units, self.values, strict=True) if len(x) > 1]
        powers = {unit: own.count(unit) for unit in sorted(own)}
        return " ".join(unit if n == 1 else f"{unit}{n}" for unit, n in powers.items()) or "1"

    def poses(self) -> list[dict[str, float]]:
        """Coordinates of every pose."""
        return [dict(zip(self.names, map(float, x), strict=True)) for x in product(*self.values)]

    @cached_property
    def places(self) -> np.ndarray:
        """(coordinates, poses): which of its values each coordinate takes."""
        return np.indices([len(x) for x in self.values]).reshape(len(self.values), -1)

    def layers(self, home: Mapping[str, float]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(poses, the neighbour of each that is nearer to home) by number, from the pose next to home outwards; that pose itself
        comes first, as its own neighbour."""
        shape = [len(x) for x in self.values]
        middle = [int(np.abs(x - home[n]).argmin()) for n, x in zip(self.names, self.values, strict=True)]
        off = self.places - np.array(middle)[:, None]
        axis, each = np.abs(off).argmax(axis=0), np.arange(off.shape[1])
        back = self.places.copy()
        back[axis, each] -= np.sign(off[axis, each])
        parents, depth = np.asarray(np.ravel_multi_index(tuple(back), shape)), np.abs(off).sum(axis=0)
        order = np.argsort(depth, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1):
            yield own, parents[own]
