"""Source text of a robot's functions for other programs: C99 and CUDA."""

from gough.export.files import TARGETS, export, export_texts

__all__ = ["TARGETS", "export", "export_texts"]
