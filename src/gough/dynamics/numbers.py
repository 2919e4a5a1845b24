"""A mechanism together with its parameters as scalars: what the equations read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.scalar import norm, zeros
from gough.spatial import RigidInertia, rotation_from_quaternion_wxyz, rpy_zyx
from gough.structure import Link, Mechanism
from gough.structure.elastic.places import NUMBERS


@dataclass(frozen=True)
class Numbers:
    """`parameters` is an array (n_parameters,) of any scalar; structural ones are plain numbers.

    inertias: of all links by number, where they are not those of the parameters (see `regrouping`). moved: by number, links
    whose origin is taken to be that of their parent, and how far (3,) their described origin is from there, own axes.
    """

    mechanism: Mechanism
    parameters: np.ndarray
    inertias: dict[int, RigidInertia | None] | None = None
    moved: Mapping[int, np.ndarray] = field(default_factory=dict)

    def at(self, positions: tuple[int, ...]) -> list[Any]:
        """Scalars at these positions of the parameter vector."""
        return [self.parameters[i] for i in positions]

    def elastic(self, positions: tuple[int, ...], size: int) -> np.ndarray:
        """Constants of a flexible link (n, size) at these positions; below 0 stand for numbers, see structure.elastic."""
        flat = [self.parameters[i] if i >= 0 else NUMBERS[i] for i in positions]
        return np.array(flat, dtype=object).reshape(len(flat) // size if size else 0, size)

    def gravity(self) -> np.ndarray:
        """Gravity (3,), world axes, m/s²."""
        return np.array(self.at(self.mechanism.gravity), dtype=object)

    def placement(self, positions: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) of a placement; the identity for ()."""
        if not positions:
            return np.array(np.eye(3), dtype=object), np.full(3, 0.0, dtype=object)
        x = self.at(positions)
        return (rpy_zyx(x[3:]) if len(x) == 6 else _turn(x[3:])), np.array(x[:3], dtype=object)

    def place(self, link: Link) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) of a link's joint, or tied frame at rest, in its parent."""
        R, p = self.placement(link.placement)
        if link.parent in self.moved:
            return R, p + self.moved[link.parent]
        return (R, zeros(3)) if self.shift(link) is not None else (R, p)

    def shift(self, link: Link) -> np.ndarray | None:
        """From a link's origin to its described one (3,), own axes; None where they are the same."""
        return self.moved.get(self.mechanism.links.index(link)) if self.moved and link.elastic is not None else None

    def inertia(self, link: Link) -> RigidInertia | None:
        """Ten parameters of a link, None when it is massless."""
        if self.inertias is not None:
            return self.inertias[self.mechanism.links.index(link)]
        return None if link.ten is None else RigidInertia.from_ten(self.at(link.ten))

    def weight_share(self, link: Link) -> Any:
        """Share of a link's weight that acts, None where all of it does."""
        return None if link.weight_share is None else self.parameters[link.weight_share]

    def telescopic(self, link: Link) -> list[np.ndarray]:
        """The three symmetric matrices (3, 3) of a telescopic link's inertia polynomial."""
        assert link.telescopic is not None
        x = self.at(link.telescopic[1])
        out = []
        for k in range(3):
            xx, xy, xz, yy, yz, zz = x[6 * k : 6 * k + 6]
            out.append(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=object))
        return out


def _turn(quaternion_wxyz: list[Any]) -> np.ndarray:
    """R of a quaternion of any length: what its entries add up to is a rotation, whichever of them is changed."""
    q = np.array(quaternion_wxyz, dtype=object)
    return rotation_from_quaternion_wxyz(q * (1.0 / norm(q)))
