"""Inner names of `gough.studies`."""

from gough.studies import _chunks, _pareto, _running, screening, study

SweepPoints, HostMachine, Screen = _chunks.SweepPoints, _chunks.HostMachine, _chunks.Screen
front_rows = _pareto.front_rows
may_be_first = screening.screen.may_be_first
read_study = study.files.read_study

__all__ = [
    "HostMachine",
    "Screen",
    "SweepPoints",
    "_chunks",
    "_pareto",
    "_running",
    "front_rows",
    "may_be_first",
    "read_study",
]
