"""A body cut into elements, put elsewhere in its own axes."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, eye_array, kron

from gough.errors import UsageError
from gough.fem.finite_elements import FiniteElements, Shortening
from gough.fem.operators import dimensions


def rotation_matrix(rotation: np.ndarray | None) -> np.ndarray:
    """Checked (3, 3) rotation; None is the identity."""
    R = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
    if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
        raise UsageError("placement: rotation must be a right-handed orthonormal (3, 3) matrix")
    return R


def placed(
    elements: FiniteElements, rotation: np.ndarray | None = None, origin: np.ndarray | None = None
) -> FiniteElements:
    """The same body in other axes: position = origin (3,) + rotation (3, 3) · its own position. Freedoms stay the same."""
    R = rotation_matrix(rotation)
    shift = np.zeros(3) if origin is None else np.asarray(origin, dtype=float)
    if shift.shape != (3,) or not np.all(np.isfinite(shift)):
        raise UsageError(f"placement: origin = {origin!r} must be three finite numbers (m)")

    def turned(operator: csr_array) -> csr_array:
        triples = dimensions(operator)[0] // 3
        out = csr_array(kron(eye_array(triples), csr_array(R)) @ operator)
        out.eliminate_zeros()
        return out

    return replace(
        elements,
        nodes=elements.nodes @ R.T + shift,
        position=elements.position @ R.T + shift,
        translation=turned(elements.translation),
        rotation=None if elements.rotation is None else turned(elements.rotation),
        field=turned(elements.field),
        shortening=None if elements.shortening is None else _placed_shortening(elements.shortening, R, shift),
        couplings=None if elements.couplings is None else elements.couplings.placed(R, shift),
    )


def _placed_shortening(inner: Shortening, R: np.ndarray, shift: np.ndarray) -> Shortening:
    return lambda basis: inner(basis).placed(R, shift)
