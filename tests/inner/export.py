"""Inner names of `gough.export`."""

from gough.export.subject import Options, subject_of

__all__ = ["Options", "subject_of"]
