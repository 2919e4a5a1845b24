"""Inner names of `gough.fem`."""

from gough.fem.reduction.bases import build_basis
from gough.fem.reduction.ties import tie_frames
from gough.fem.sparse import order

__all__ = ["build_basis", "order", "tie_frames"]
