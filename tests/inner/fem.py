"""Inner names of `gough.fem`."""

from gough.fem import _slopes as slopes_algebra
from gough.fem._sparse import order
from gough.fem.elastic_body import shape_integrals
from gough.fem.reduction.bases import build_basis
from gough.fem.reduction.ties import tie_frames

__all__ = ["build_basis", "order", "shape_integrals", "slopes_algebra", "tie_frames"]
