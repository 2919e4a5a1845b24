"""Source text of a robot's functions for other programs: C99 and CUDA; of laws on a clock: controllers in C."""

from gough.export._law import export_law
from gough.export.files import TARGETS, export, export_texts

__all__ = ["TARGETS", "export", "export_law", "export_texts"]
