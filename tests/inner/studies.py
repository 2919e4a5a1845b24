"""Inner names of `gough.studies`."""

import gough.studies.study.files as study_files
from gough.studies import _chunks, _pareto, _running, screening

SweepPoints, HostMachine, Screen = _chunks.SweepPoints, _chunks.HostMachine, _chunks.Screen
front_rows = _pareto.front_rows
may_be_first = screening.screen.may_be_first
choose_screen = _chunks.choose_screen
read_study = study_files.read_study

__all__ = [
    "HostMachine",
    "Screen",
    "SweepPoints",
    "_chunks",
    "_pareto",
    "_running",
    "choose_screen",
    "front_rows",
    "may_be_first",
    "read_study",
]
