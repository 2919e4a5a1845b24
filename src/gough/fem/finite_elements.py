"""A body cut into finite elements: what every kind of element gives, before any reduction."""

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from gough.fem.couplings import Couplings
from gough.fem.second import SecondOrder
from gough.text import short_repr


class Shortening(Protocol):
    """The displacement of second order that comes with bending: ends of a bent beam draw nearer."""

    def __call__(self, basis: np.ndarray) -> SecondOrder:
        """Its fields at mass points and nodes for a basis (freedoms, m)."""
        ...


@dataclass(frozen=True)
class FiniteElements:
    """Linear elastic body in its own axes (m, kg, N), freedoms x (d,) unconstrained.

    nodes (n, 3). K, M (d, d): stiffness and consistent mass, symmetric. translation, rotation (3 n, d): small
    displacement and rotation vector of node i are rows 3 i … 3 i + 2 (rotation None: nodes without one, as in solids).
    mass (g,), position (g, 3), field (3 g, d): the mass as points that integrate products of the displacement field and
    of positions exactly, also of rigid motion: one kinetic energy (so some masses may be negative); field @ x is their
    displacement. cells: nodes of each cell, for drawing.
    shortening: see there; None where the elements have none.
    couplings: with rigid motion, where the points do not carry them exactly (a mass matrix of another code); else None.
    node_sets: nodes (indices) that a file names. labels (n,): the numbers that a file gives them; None where there are none.
    """

    nodes: np.ndarray
    K: csr_array
    M: csr_array
    translation: csr_array
    rotation: csr_array | None
    mass: np.ndarray
    position: np.ndarray
    field: csr_array
    cells: np.ndarray
    shortening: Shortening | None = None
    couplings: Couplings | None = None
    node_sets: dict[str, np.ndarray] = dataclass_field(default_factory=dict)
    labels: np.ndarray | None = None

    __repr__ = short_repr
