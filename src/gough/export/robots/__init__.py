"""Robots as files of other programs: URDF, MJCF, SDF and USD.

A description becomes a plain tree with numbers (`_flatten`, `_plain`), which each format's writer turns into text. What a format
cannot say is named, all at once (`_omissions`).
"""

from gough.export.robots._saving import files_of, save

__all__ = ["files_of", "save"]
