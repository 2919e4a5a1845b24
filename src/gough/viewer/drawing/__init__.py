"""Meshes of a robot from its model: plain arrays, no browser."""

from gough.viewer.drawing.figure import Figure, Placed
from gough.viewer.drawing.piece import Piece, Span
from gough.viewer.drawing.skin import Skin

__all__ = ["Figure", "Piece", "Placed", "Skin", "Span"]
