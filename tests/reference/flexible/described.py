"""What the library makes of a description's flexible bodies: the one place where tests of them look into its structure."""

from __future__ import annotations

from typing import Any

import numpy as np

from inner.structure import attached_points, elastic_bodies, point_key

__all__ = ["attached_points", "elastic_bodies", "point_key", "tied_frame"]


def tied_frame(body: Any, position: Any) -> Any:
    """The frame tied to an elastic body at a point (3,) in body axes."""
    return body.frames[point_key(np.asarray(position, float))]
