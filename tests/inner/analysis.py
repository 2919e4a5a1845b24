"""Inner names of `gough.analysis`."""

from gough.analysis.verification.laws import LawCheck, sample, verify
from gough.analysis.workspace.states import Surveyor, Verdict

__all__ = ["LawCheck", "Surveyor", "Verdict", "sample", "verify"]
