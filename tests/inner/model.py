"""Inner names of `gough.model`."""

from gough.model.functions import trace_entry

__all__ = ["trace_entry"]
