"""Inner names of `gough.model`."""

import gough.model.tangent as model_tangent
from gough.model.functions import trace_entry

tangent_derivative = model_tangent.tangent_derivative

__all__ = ["tangent_derivative", "trace_entry"]
