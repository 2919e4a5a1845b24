"""Motions of the papers under their scenario names, and numbers known from other models to compare with."""

from gough_papers.comparison import Comparison
from gough_papers.known import Known
from gough_papers.scenarios import SCENARIOS, Scenario
from gough_papers.states import States

__all__ = ["SCENARIOS", "Comparison", "Known", "Scenario", "States"]
