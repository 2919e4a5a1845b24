"""Inner names of `gough.export`."""

from gough.export._around import AROUND
from gough.export.files import export_texts
from gough.export.subject import Options, subject_of

__all__ = ["AROUND", "Options", "export_texts", "subject_of"]
