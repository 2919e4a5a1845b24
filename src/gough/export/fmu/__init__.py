"""A robot as an FMU: model and state in other programs, by the standard FMI 2.0 or 3.0."""

from gough.export.fmu.archive import VERSIONS, export_fmu

__all__ = ["VERSIONS", "export_fmu"]
