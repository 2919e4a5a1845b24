"""Runs: settings, what is looked at before, the first state, and the four phases of a simulation."""
