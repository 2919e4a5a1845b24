"""Motions of the papers under their scenario names, and numbers known from other models to compare with."""

from gough.papers.comparison import Comparison
from gough.papers.known import Known
from gough.papers.scenarios import SCENARIOS, Scenario
from gough.papers.states import States

__all__ = ["SCENARIOS", "Comparison", "Known", "Scenario", "States"]
