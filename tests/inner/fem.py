"""Inner names of `gough.fem`."""

from gough.fem._slopes import least_squares, null_space, orthogonal_to, spectral_sum, symmetric_axes
from gough.fem._sparse import order
from gough.fem.elastic_body import shape_integrals
from gough.fem.reduction.bases import build_basis
from gough.fem.reduction.ties import tie_frames

__all__ = [
    "build_basis",
    "least_squares",
    "null_space",
    "order",
    "orthogonal_to",
    "shape_integrals",
    "spectral_sum",
    "symmetric_axes",
    "tie_frames",
]
