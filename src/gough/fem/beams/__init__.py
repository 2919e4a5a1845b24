"""Straight beams and polylines of them, with their cross-sections."""
