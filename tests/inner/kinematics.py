"""Inner names of `gough.kinematics`."""

from gough.kinematics.sampling import sample_states

__all__ = ["sample_states"]
