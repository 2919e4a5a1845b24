"""Source text of a robot's functions for other programs: C99 and CUDA; of laws on a clock: controllers in C; robots as FMUs."""

from gough.export._law import export_law
from gough.export.files import TARGETS, export, export_texts
from gough.export.fmu.archive import export_fmu

__all__ = ["TARGETS", "export", "export_fmu", "export_law", "export_texts"]
