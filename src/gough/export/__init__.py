"""Source text of a robot's functions for other programs, C99 and CUDA; the whole robot as an FMU."""

from gough.export.files import TARGETS, export, export_texts
from gough.export.fmu.archive import export_fmu

__all__ = ["TARGETS", "export", "export_fmu", "export_texts"]
