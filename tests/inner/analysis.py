"""Inner names of `gough.analysis`."""

from gough.analysis import linear_forces
from gough.analysis.verification.laws import LawCheck, sample, verify
from gough.analysis.workspace.states import Surveyor, Verdict

RestForces = linear_forces.RestForces

__all__ = ["LawCheck", "RestForces", "Surveyor", "Verdict", "sample", "verify"]
