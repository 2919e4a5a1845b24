"""Inner names of `gough.structure`."""

from gough.structure.alike import common_pattern
from gough.structure.elastic.bodies import attached_points, clean_body, elastic_bodies, is_carried, is_still, point_key

__all__ = ["attached_points", "clean_body", "common_pattern", "elastic_bodies", "is_carried", "is_still", "point_key"]
