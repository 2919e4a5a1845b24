"""Measurements: what a log holds (`Record`), and the states and forces that estimators take (`Samples`)."""

from gough.identification.data._checking import clipped_rows
from gough.identification.data._doubts import find_hold, find_interpolation
from gough.identification.data._states import singular_words

__all__ = ["clipped_rows", "find_hold", "find_interpolation", "singular_words"]
