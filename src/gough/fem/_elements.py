"""A body cut into finite elements: what every kind of element gives, before any reduction."""

from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array, kron

from gough.errors import UsageError
from gough.fem._couplings import Couplings
from gough.fem._geometry import rotation_matrix
from gough.fem._sparse import order
from gough.fem._stiffening import SecondOrder
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


def mass_matrix(mass: np.ndarray, field: csr_array) -> csr_array:
    """Σ_p mass_p field_pᵀ field_p (d, d), symmetric to the last bit."""
    M = field.T @ diags_array(np.repeat(mass, 3)) @ field
    return csr_array((M + M.T) / 2)


def place_elements(
    elements: FiniteElements, rotation: np.ndarray | None = None, origin: np.ndarray | None = None
) -> FiniteElements:
    """The same body in other axes: position = origin (3,) + rotation (3, 3) · its own position. Freedoms stay the same."""
    R = rotation_matrix(rotation, "placement", 1e-9)
    shift = np.zeros(3) if origin is None else np.asarray(origin, dtype=float)
    if shift.shape != (3,) or not np.all(np.isfinite(shift)):
        raise UsageError(f"placement: origin = {origin!r} must be three finite numbers (m)")

    def turn(operator: csr_array) -> csr_array:
        out = csr_array(kron(eye_array(order(operator) // 3), csr_array(R)) @ operator)
        out.eliminate_zeros()
        return out

    shortening = elements.shortening
    return replace(
        elements,
        nodes=elements.nodes @ R.T + shift,
        position=elements.position @ R.T + shift,
        translation=turn(elements.translation),
        rotation=None if elements.rotation is None else turn(elements.rotation),
        field=turn(elements.field),
        shortening=None if shortening is None else lambda basis: shortening(basis).in_axes(R, shift),
        couplings=None if elements.couplings is None else elements.couplings.in_axes(R, shift),
    )


def in_freedoms(elements: FiniteElements, T: csr_array) -> FiniteElements:
    """The same body in freedoms y (d',) with x = T y."""
    shortening = elements.shortening
    return replace(
        elements,
        K=csr_array(T.T @ elements.K @ T),
        M=csr_array(T.T @ elements.M @ T),
        translation=csr_array(elements.translation @ T),
        rotation=None if elements.rotation is None else csr_array(elements.rotation @ T),
        field=csr_array(elements.field @ T),
        shortening=None if shortening is None else lambda basis: shortening(T @ basis),
        couplings=None if elements.couplings is None else elements.couplings.in_freedoms(T),
    )
