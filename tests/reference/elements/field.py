"""What a reference needs of a body of finite elements: its own evaluation of the fields that freedoms stand for.

Freedoms of a basis are taken as given (they are coordinates, nothing more); everything that follows from them is computed
here anew: displacements at quadrature points of other places and number than the library's, masses, strain energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class ElementField:
    """A flexible body for `FlexibleReference`; all in body axes.

    mass (g,), position (g, 3), shape (g, 3, m), second (g, 3, m, m) or None: quadrature points. K, D (m, m).
    places (n, 3), moved, turned (n, 3, m), drawn (n, 3, m, m) or None: where things may be attached, and how it moves.
    rigid_motion: second-order displacements only together with the motion of the body's frame.
    """

    mass: np.ndarray
    position: np.ndarray
    shape: np.ndarray
    second: np.ndarray | None
    K: np.ndarray
    D: np.ndarray
    labels: tuple[str, ...]
    places: np.ndarray
    moved: np.ndarray
    turned: np.ndarray
    drawn: np.ndarray | None = None
    rigid_motion: bool = False

    @property
    def M(self) -> np.ndarray:
        """Mass matrix (m, m) of the coordinates."""
        return np.einsum("g,gik,gil->kl", self.mass, self.shape, self.shape)

    def at(self, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(Phi (3, m), theta (3, m), Psi (3, m, m) or None) at a place where something is attached."""
        distance = np.linalg.norm(self.places - np.asarray(p, float), axis=1)
        k = int(np.argmin(distance))
        if distance[k] > 1e-9:
            raise ValueError(f"nothing can be attached at {p}: the nearest place is {distance[k]:.1e} m away")
        return self.moved[k], self.turned[k], None if self.drawn is None else self.drawn[k]


def gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights on 0 … 1, exact to degree 2 n - 1."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2


def without_mean(second: np.ndarray, drawn: np.ndarray, field: ElementField) -> tuple[np.ndarray, np.ndarray]:
    """Second-order displacements less their rigid part, for mean axes: no momentum, neither of shift nor of turning."""

    def rigid(x: np.ndarray) -> np.ndarray:
        columns = [np.tile(e, (len(x), 1)) for e in np.eye(3)] + [np.cross(e, x) for e in np.eye(3)]
        return np.stack(columns, axis=-1)  # (points, 3, 6)

    A, w = rigid(field.position), field.mass
    normal = np.einsum("g,gia,gib->ab", w, A, A)
    c = np.linalg.solve(normal, np.einsum("g,gia,gikl->akl", w, A, second).reshape(6, -1))
    c = c.reshape(6, *second.shape[2:])
    return second - np.einsum("gia,akl->gikl", A, c), drawn - np.einsum("nia,akl->nikl", rigid(field.places), c)
