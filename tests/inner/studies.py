"""Inner names of `gough.studies`."""

import gough.studies.methods.forecast as study_forecast
import gough.studies.study.files as study_files
import gough.studies.study.variables as study_variables
from gough.studies import _chunks, _pareto, _running, screening

SweepPoints, HostMachine, Screen = _chunks.SweepPoints, _chunks.HostMachine, _chunks.Screen
front_rows = _pareto.front_rows
may_be_first = screening.screen.may_be_first
first_of_many, reduced_rows = screening._first.first_of_many, screening._reduced.reduced_rows
round_objectives, ParetoFront, Evaluated = _pareto.round_objectives, _pareto.ParetoFront, _pareto.Evaluated
choose_screen, calls_here = _chunks.choose_screen, _chunks.calls_here
read_study = study_files.read_study
KnownDesigns = study_forecast.KnownDesigns
GatheredDesigns, unlike_matter = _running.GatheredDesigns, study_variables._unlike_matter

__all__ = [
    "Evaluated",
    "GatheredDesigns",
    "HostMachine",
    "KnownDesigns",
    "ParetoFront",
    "Screen",
    "SweepPoints",
    "_chunks",
    "_pareto",
    "_running",
    "calls_here",
    "choose_screen",
    "first_of_many",
    "front_rows",
    "may_be_first",
    "read_study",
    "reduced_rows",
    "round_objectives",
    "unlike_matter",
]
