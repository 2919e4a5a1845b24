"""Inner names of `gough.export`."""

from gough.export.files import export_texts
from gough.export.fmu._units import exponents
from gough.export.subject import Options, subject_of

__all__ = ["Options", "exponents", "export_texts", "subject_of"]
