"""Exciting motions: periodic ones that keep a robot's limits and tell as much as they can of its parameters."""

from gough.identification.excitation.excitation import excitation_problem as excitation_problem
