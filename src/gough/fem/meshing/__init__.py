"""Triangles of polygons with holes."""
