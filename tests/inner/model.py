"""Inner names of `gough.model`."""

from gough.model.functions import trace_entry
from gough.model.tangent import tangent_derivative

__all__ = ["tangent_derivative", "trace_entry"]
